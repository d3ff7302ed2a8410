r"""The winner's optimism: the best of many candidates looks better than it is.

The rows of the matrix of out-of-fold losses (n, M) are drawn with replacement. In each drawn sample the whole rule
of choice is applied again, and the winner's mean loss there is compared with its mean loss on all rows:

.. math:: \text{optimism} = \frac1B \sum_b \bigl[\bar e(c_b) - \bar e_b(c_b)\bigr], \qquad c_b = \text{choice on sample } b. \tag{1}

No model is fitted again. Beside it stands the estimate of Tibshirani and Tibshirani (2009),
:math:`\frac1K \sum_k [e_k(\hat c) - e_k(\hat c_k)]` with :math:`\hat c_k` the best on fold :math:`k` alone, which
overcorrects, since one fold is far noisier than all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from epee.typing import Codes, Matrix, Vector

Choice = Callable[[Vector, Vector], int]  # mean losses (M,) and their standard errors (M,) to the chosen candidate
BINS = 2000


@dataclass(frozen=True)
class Optimism:
    """How much better the winner looks than it is; ``value`` by the bootstrap, ``tibshirani`` by folds, beside it."""

    value: float
    tibshirani: float
    draws: int

    def __float__(self) -> float:
        """Return the bootstrap's figure."""
        return self.value

    def __str__(self) -> str:
        """Return both figures."""
        return f"{self.value:.3g} ({self.tibshirani:.3g} by folds, which overcorrects)"


def smallest(means: Vector, stderrs: Vector) -> int:
    """Choose the candidate with the smallest mean loss."""
    return int(np.argmin(means))


def winner_optimism(
    losses: Matrix, per_fold: Matrix | None = None, *, choose: Choice = smallest, weight: Vector | None = None,
    groups: Codes | None = None, draws: int = 1000, seed: int = 0,
) -> Optimism:  # fmt: skip
    """Return the optimism (1) of a choice among the columns of ``losses`` (n, M).

    Parameters
    ----------
    losses : array (n, M)
        Out-of-fold loss of each row under each candidate.
    per_fold : array (J, M), optional
        Mean losses by fold, for the estimate of Tibshirani and Tibshirani.
    choose : function of (means, standard errors)
        The whole rule of choice.
    weight, groups : arrays (n,), optional
        Counts; and rows that are drawn together.
    draws, seed : int

    Notes
    -----
    More than 2,000 rows are first gathered, at random, into 2,000 bins, which are then drawn: means and spreads stay.

    >>> rng = np.random.default_rng(0)
    >>> winner_optimism(rng.normal(size=(500, 10))).value > 0
    True
    """
    rng = np.random.default_rng(seed)
    w = np.ones(len(losses)) if weight is None else weight
    seen = np.isfinite(losses).all(axis=1)
    losses, w = losses[seen], w[seen]
    bins = rng.permutation(len(losses)) % BINS if groups is None else groups[seen]
    if groups is not None or len(losses) > BINS:
        bins = np.unique(bins, return_inverse=True)[1].reshape(-1)
        sums = np.stack([np.bincount(bins, w * column) for column in losses.T], axis=1).astype(np.float64)
        squares = np.stack([np.bincount(bins, w * column**2) for column in losses.T], axis=1).astype(np.float64)
        counts: Vector = np.bincount(bins, w).astype(np.float64)
    else:
        sums, squares, counts = w[:, None] * losses, w[:, None] * losses**2, w
    n = len(sums)
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=draws).astype(float)  # (B, n)
    total = np.maximum(drawn @ counts, 1e-300)[:, None]
    means = drawn @ sums / total  # (B, M)
    errors = np.sqrt(np.maximum(drawn @ squares / total - means**2, 0.0) / total)
    chosen = np.array([choose(m, e) for m, e in zip(means, errors, strict=True)])
    overall = sums.sum(axis=0) / counts.sum()
    value = float((overall[chosen] - means[np.arange(draws), chosen]).mean())
    return Optimism(value, _by_folds(per_fold, choose), draws)


def _by_folds(per_fold: Matrix | None, choose: Choice) -> float:
    if per_fold is None:
        return float("nan")
    rows = per_fold[np.isfinite(per_fold).all(axis=1)]
    J = len(rows)
    error = rows.std(axis=0, ddof=1) / np.sqrt(J) if J > 1 else np.zeros(rows.shape[1])
    best = choose(rows.mean(axis=0), error)
    return float((rows[:, best] - rows.min(axis=1)).mean())
