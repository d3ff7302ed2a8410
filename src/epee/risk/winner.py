r"""The winner's optimism: the best of many candidates looks better than it is.

The rows of the matrix of out-of-fold losses (n, M) are drawn with replacement. In each drawn sample the whole rule of choice is applied
again, and the candidate that it takes is judged on the rows that were *not* drawn, which had no part in the choice:

.. math:: \text{optimism} = \frac1B \sum_b \bar e_{-b}(c_b) - \bar e(c), \qquad c_b = \text{choice on sample } b, \tag{1}

with :math:`\bar e_{-b}` the mean over rows outside sample b, and :math:`c` the choice on all rows (Tsamardinos, Greasidou and Borboudakis,
2018). The mean over candidates, whose expectation over samples is known, is taken off both terms: one candidate has no optimism.
No model is fitted again. To judge the choice on all rows, drawn ones too, would remove about two thirds of the optimism only.

Row by row the losses come from models that have learned from the other rows, drawn or not: a part of the luck is shared, and (1) leaves
some optimism where candidates are nearly alike. And a drawn sample has fewer rows than the table: the choice in it is less sure, and (1)
is too large where candidates differ. :func:`nested_choice` has neither fault: it chooses by the inner cross-validation without each fold,
and reads off the error on that fold, of which nothing was known. For closed forms the refits are merges; :func:`epee.risk.compare` does it,
and :func:`epee.learn` (:mod:`epee.job.choosing_again`). (1) serves where rows pass by, follow time, are ranked, or where refits are dear.
Beside them stands the estimate of Tibshirani and Tibshirani (2009), :math:`\frac1K \sum_k [e_k(\hat c) - e_k(\hat c_k)]` with
:math:`\hat c_k` the best on fold :math:`k` alone, which overcorrects, since one fold is far noisier than all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from epee.typing import Codes, Matrix, Tensor, Vector

# mean losses (B, M), and means (B, M) of what is looked at beside them, if anything is, to the chosen candidates (B,)
Choice = Callable[[Matrix, Matrix | None], Codes]
BINS = 2000
BEYOND = 1e6  # times the middle error: such a candidate would swallow the digits of the others


@dataclass(frozen=True)
class Optimism:
    """How much better the winner looks than it is; ``value`` by the nested choice or the bootstrap, ``tibshirani`` by folds, beside it.

    ``inside`` is how much better it looks in a drawn sample than on all rows: two thirds of the optimism, but far steadier, so that
    it is what a test looks at.
    """

    value: float
    tibshirani: float
    draws: int
    inside: float = 0.0

    def __float__(self) -> float:
        """Return the figure that is added."""
        return self.value

    def __str__(self) -> str:
        """Return both figures."""
        return f"{self.value:.3g} ({self.tibshirani:.3g} by folds, which overcorrects)"


def smallest(means: Matrix, beside: Matrix | None = None) -> Codes:
    """Choose the candidates with the smallest mean losses."""
    return np.argmin(means, axis=1)


def winner_optimism(
    losses: Matrix, per_fold: Matrix | None = None, *, choose: Choice = smallest, beside: Matrix | None = None,
    weight: Vector | None = None, groups: Codes | None = None, draws: int = 1000, seed: int = 0,
) -> Optimism:  # fmt: skip
    """Return the optimism (1) of a choice among the columns of ``losses`` (n, M).

    Parameters
    ----------
    losses : array (n, M)
        Out-of-fold loss of each row under each candidate.
    per_fold : array (J, M), optional
        Mean losses by fold, for the estimate of Tibshirani and Tibshirani.
    choose : function of (means, means beside)
        The whole rule of choice.
    beside : array (n, M), optional
        Another score of the same rows that the rule looks at, too; NaN for a candidate that has none.
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
    both = np.column_stack([losses, losses[:, :0] if beside is None else beside])[seen]  # (n, M) or (n, 2M)
    M, w = losses.shape[1], w[seen]
    bins = rng.permutation(len(both)) % BINS if groups is None else groups[seen]
    if groups is not None or len(both) > BINS:
        bins = np.unique(bins, return_inverse=True)[1].reshape(-1)
        sums = np.stack([np.bincount(bins, w * column) for column in both.T], axis=1).astype(np.float64)
        counts: Vector = np.bincount(bins, w).astype(np.float64)
    else:
        sums, counts = w[:, None] * both, w
    n = len(sums)
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=draws).astype(float)  # (B, n)
    total = np.maximum(drawn @ counts, 1e-300)[:, None]
    means, whole = drawn @ sums / total, sums.sum(axis=0) / counts.sum()

    def chosen_by(means: Matrix) -> Codes:
        return choose(means[:, :M], None if beside is None else means[:, M:])

    chosen, overall = chosen_by(means), whole[:M]
    alike = overall <= BEYOND * np.sort(overall)[(len(overall) - 1) // 2]
    value = _outside(drawn, sums[:, :M], counts, chosen, alike) - float(
        overall[chosen_by(whole[None])[0]] - overall[alike].mean()
    )
    inside = overall[chosen] - means[np.arange(draws), chosen]
    return Optimism(
        value, float("nan") if per_fold is None else by_folds(per_fold, choose), draws, float(inside.mean())
    )


def _outside(drawn: Matrix, sums: Matrix, counts: Vector, chosen: Codes, alike: np.ndarray) -> float:
    """Return the mean loss of the chosen on rows that were not drawn, above the mean there of candidates that are ``alike``."""
    left = (drawn == 0).astype(float)  # (B, n)
    total = left @ counts
    some = total > 0
    means = left[some] @ sums / total[some, None]  # (B, M)
    return (
        float((means[np.arange(len(means)), chosen[some]] - means[:, alike].mean(axis=1)).mean()) if some.any() else 0.0
    )


@dataclass(frozen=True, eq=False)
class Nested:
    """The mean losses (R, K, M) inside the rows without each fold, and on the fold, of each candidate; the weight (R, K) of the folds.

    ``inner_beside`` and ``outer_beside`` (R, K, M) are the same of another score that the rule looks at, where it does.
    """

    inner: Tensor
    outer: Tensor
    sizes: Matrix
    inner_beside: Tensor | None = None
    outer_beside: Tensor | None = None

    @classmethod
    def of_rows(cls, losses: Tensor, folds: Codes, weight: Vector, beside: Tensor | None = None) -> Nested:
        """Return the means from out-of-fold losses (R, n, M) of rows in folds (R, n): inside are the other folds as they were judged.

        The models that judged the other folds have seen the fold that is left out: what leaks by them remains.
        """
        inner, outer, sizes = without_each(losses, folds, weight)
        if beside is None:
            return cls(inner, outer, sizes)
        return cls(inner, outer, sizes, *without_each(beside, folds, weight)[:2])

    def error(self, choose: Choice = smallest) -> float:
        """Return the error of the whole rule of choice."""
        return nested_choice(self.inner, self.outer, self.sizes, choose, self.inner_beside)

    @property
    def overall(self) -> Vector:
        """The mean over all folds (M,)."""
        return np.tensordot(self.sizes, self.outer, 2) / self.sizes.sum()


def without_each(losses: Tensor, folds: Codes, weight: Vector) -> tuple[Tensor, Tensor, Matrix]:
    """Return the mean losses (R, K, M) of the rows outside each fold and on it, and the weight (R, K) of the folds.

    >>> inner, outer, sizes = without_each(np.array([[[1.0], [2.0], [6.0]]]), np.array([[0, 1, 1]]), np.ones(3))
    >>> inner.ravel().tolist(), outer.ravel().tolist(), sizes.tolist()
    ([4.0, 1.0], [1.0, 4.0], [[1.0, 2.0]])
    """
    K = int(folds.max()) + 1
    member = (folds[:, None, :] == np.arange(K)[:, None]) * weight  # (R, K, n)
    sizes, sums = member.sum(axis=2), member @ losses
    rest, whole = sizes.sum(axis=1, keepdims=True) - sizes, sums.sum(axis=1, keepdims=True)
    return (whole - sums) / rest[..., None], sums / sizes[..., None], sizes


def levelled(inner: Tensor, outer: Tensor, sizes: Matrix) -> Tensor:
    """Return inner means (R, K, M) less what they exceed the outer ones by, the same for all candidates.

    Inside, a candidate learns from fewer rows than the one of the contest, beside which it may stand. One figure for all: what a single
    candidate loses more than the others is mostly luck, and would be a part of the luck that the choice must not see.

    >>> levelled(np.array([[[2.0, 3.0], [4.0, 5.0]]]), np.array([[[1.0, 2.0], [3.0, 4.0]]]), np.ones((1, 2))).ravel().tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    rest = sizes.sum(axis=1, keepdims=True) - sizes
    gaps = np.tensordot(rest, inner, 2) / rest.sum() - np.tensordot(sizes, outer, 2) / sizes.sum()
    return inner - gaps.mean()


def nested_choice(
    inner: Tensor, outer: Tensor, sizes: Matrix, choose: Choice = smallest, beside: Tensor | None = None
) -> float:
    """Return the error of the whole rule of choice: chosen without a fold, judged on it.

    Parameters
    ----------
    inner, outer : arrays (R, K, M)
        For each repeat, fold and candidate, the mean loss of the cross-validation inside the rows without the fold, and the mean loss on
        the fold of the candidate learned from those rows (``mean_in`` and ``per_fold`` of :class:`epee.risk.nested.Sums`).
    sizes : array (R, K)
        Weight of each fold.
    choose : function of (means, means beside)
    beside : array (R, K, M), optional
        The inner means of what the rule looks at beside the losses.

    >>> rng = np.random.default_rng(0)
    >>> inner, outer = rng.normal(1, 0.1, (1, 10, 30)), rng.normal(1, 0.3, (1, 10, 30))
    >>> bool(abs(nested_choice(inner, outer, np.ones((1, 10))) - 1) < 0.3)       # the smallest of 30 would be 0.8
    True
    """
    R, K, M = inner.shape
    chosen = choose(inner.reshape(-1, M), None if beside is None else beside.reshape(-1, M)).reshape(R, K)
    picked = np.take_along_axis(outer, chosen[..., None], axis=2)[..., 0]  # (R, K)
    return float((picked * sizes).sum() / sizes.sum())


def by_folds(per_fold: Matrix, choose: Choice = smallest) -> float:
    """Return the estimate of Tibshirani and Tibshirani from mean losses by fold (J, M).

    >>> by_folds(np.array([[1.0, 2.0], [3.0, 1.0]]))            # the second is best in all, by 1 worse than the first on the first fold
    0.5
    """
    rows = per_fold[np.isfinite(per_fold).all(axis=1)]
    best = choose(rows.mean(axis=0)[None], None)[0]
    return float((rows[:, best] - rows.min(axis=1)).mean())
