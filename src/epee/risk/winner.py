r"""The winner's optimism: the best of many candidates looks better than it is.

The rows of the matrix of out-of-fold losses (n, M) are drawn with replacement. In each drawn sample the whole rule of choice is applied
again, and the candidate that it takes is judged on the rows that were *not* drawn, which had no part in the choice:

.. math:: \text{optimism} = \frac1B \sum_b \bar e_{-b}(c_b) - \bar e(c), \qquad c_b = \text{choice on sample } b, \tag{1}

with :math:`\bar e_{-b}` the mean over rows outside sample b, and :math:`c` the choice on all rows (Tsamardinos, Greasidou and Borboudakis,
2018). The mean over candidates, whose expectation over samples is known, is taken off both terms: one candidate has no optimism.
No model is fitted again. To judge the choice on all rows, drawn ones too, would remove about two thirds of the optimism only.

Row by row the losses come from models that have learned from the other rows, drawn or not: a part of the luck is shared, and (1) leaves
some optimism where candidates are nearly alike. And a drawn sample has fewer rows than the table: the choice in it is less sure, and (1)
is too large where candidates differ. :class:`Nested` has neither fault: it chooses by the inner cross-validation without each of G parts
of the rows, and reads off the error on that part, of which nothing was known. The choice then looks at m = G - 1 parts, all rows are G.
What a choice costs because errors are unsure goes with their variance, as one over the rows that are looked at; so the same with one part
fewer, any one, tells what the last part is worth (Quenouille's jackknife),

.. math:: E_m = E + \frac{b}{m} \quad\Rightarrow\quad E_G = E_{G-1} - \frac{G - 2}{G}\, (E_{G-2} - E_{G-1}). \tag{2}

For closed forms the refits are merges; :func:`epee.risk.compare` does it, and :func:`epee.learn` (:mod:`epee.job.choosing_again`). (1)
serves where rows pass by, follow time, are ranked, or where refits are dear.
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
INFINITE = 1e290  # stands for a loss without end, which a part that is left out must not bring in
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
    """The mean losses of each candidate on each part of the rows, by models that know neither it nor another one.

    ``means`` (R, G, G, M) has at [r, k, j] those on part j by models without parts k and j, and at [r, k, k] those of models without k
    alone, for each repeat and candidate; ``sizes`` (R, G) is the weight of the parts, and ``beside`` the same as ``means`` of another
    score that the rule looks at, where it does.
    """

    means: Tensor
    sizes: Matrix
    beside: Tensor | None = None

    @classmethod
    def of_rows(cls, losses: Tensor, parts: Codes, weight: Vector, beside: Tensor | None = None) -> Nested:
        """Return the means from out-of-fold losses (R, n, M) of rows in parts (R, n): each part as it was judged, whatever is left out.

        The models that judged the other parts have seen the part that is left out: what leaks by them remains.
        """
        means, sizes = _on_parts(losses, parts, weight)
        return cls(means, sizes, None if beside is None else _on_parts(beside, parts, weight)[0])

    @property
    def outer(self) -> Tensor:
        """The mean losses (R, G, M) on each part."""
        return np.ascontiguousarray(np.diagonal(self.means, axis1=1, axis2=2).swapaxes(1, 2))

    @property
    def inner(self) -> Tensor:
        """The mean losses (R, G, M) inside the rows without each part."""
        return np.ascontiguousarray(np.diagonal(self._inside(self.means), axis1=1, axis2=2).swapaxes(1, 2))

    @property
    def overall(self) -> Vector:
        """The mean over all parts (M,)."""
        return np.tensordot(self.sizes, self.outer, 2) / self.sizes.sum()

    def error(self, choose: Choice = smallest) -> float:
        """Return the error (2) of the whole rule of choice.

        >>> rng = np.random.default_rng(0)
        >>> means = rng.normal(1, 0.3, (50, 1, 10, 30)) * np.ones((1, 10, 1, 1))
        >>> bool(abs(Nested(means, np.ones((50, 10))).error() - 1) < 0.05)  # of 30 alike; the smallest mean would be 0.8
        True
        """
        R, G, _, M = self.means.shape
        beside = None if self.beside is None else self._inside(self.beside).reshape(-1, M)
        chosen = choose(self._inside(self.means).reshape(-1, M), beside).reshape(R, G, G)
        picked = np.take_along_axis(self.outer, chosen, axis=2)  # (R, G, G): of part k, chosen without j as well
        share, sure = self.sizes / self.sizes.sum(), np.eye(G, dtype=bool)
        most = float((share * picked[:, sure]).sum())
        fewer = float((share * np.where(sure, 0.0, picked).sum(axis=2)).sum()) / (G - 1)
        return most - (G - 2) / G * (fewer - most) if np.isfinite([most, fewer]).all() else most

    def levelled(self, columns: Codes) -> Nested:
        """Return the same with errors inside of some candidates less what they exceed those outside by, one figure for all of them.

        Inside, a candidate learns from fewer rows than the one of the contest, beside which it may stand. One figure for all: what a
        single candidate loses more than the others is mostly luck, and would be a part of the luck that the choice must not see.

        >>> means = np.array([[[1.0], [2.0], [3.0]], [[2.0], [1.0], [3.0]], [[2.0], [2.0], [1.0]]])[None]
        >>> Nested(means, np.ones((1, 3))).levelled(np.array([0])).means[0, ..., 0].round(9).tolist()
        [[1.0, 0.666666667, 1.666666667], [0.666666667, 1.0, 1.666666667], [0.666666667, 0.666666667, 1.0]]
        """
        beside = None if self.beside is None else self._level(self.beside, columns)
        return Nested(self._level(self.means, columns), self.sizes, beside)

    def _level(self, means: Tensor, columns: Codes) -> Tensor:
        some = columns[np.isfinite(means[..., columns]).all(axis=(0, 1, 2))]
        if not len(some):
            return means
        G = self.sizes.shape[1]
        pairs = (self.sizes[:, :, None] * self.sizes[:, None]) * ~np.eye(G, dtype=bool)  # (R, G, G)
        own = Nested(means[..., some], self.sizes)
        gap = np.tensordot(pairs, own.means, 3) / pairs.sum() - own.overall
        means = means.copy()
        means[..., some] -= gap.mean() * ~np.eye(G, dtype=bool)[..., None]
        return means

    def _inside(self, means: Tensor) -> Tensor:
        """Return the means (R, G, G, M) over all parts but k and j, and at [k, k] but k, by models that do not know k."""
        apart = ~np.eye(self.sizes.shape[1], dtype=bool)
        looked: Tensor = (apart[:, None] & apart) * self.sizes[:, None, None]  # (R, k, j, G)
        return looked @ np.minimum(means, INFINITE) / looked.sum(axis=3, keepdims=True)


def _on_parts(losses: Tensor, parts: Codes, weight: Vector) -> tuple[Tensor, Matrix]:
    """Return the mean losses (R, G, G, M) on each part, alike whatever is left out, and the weight (R, G) of the parts."""
    G = int(parts.max()) + 1
    member = (parts[:, None, :] == np.arange(G)[:, None]) * weight  # (R, G, n)
    sizes = member.sum(axis=2)
    own = member @ losses / sizes[..., None]
    return np.repeat(own[:, None], G, axis=1), sizes


def without_two(losses: Matrix, part: Codes, weight: Vector) -> Matrix:
    """Return the mean losses (G, G) of :class:`Nested` from those (G, n) by the models of :func:`epee.risk.nested.without_one_or_two`.

    Of (G - 1, n), without those of models that know all parts but one, the diagonal is 0.

    >>> without_two(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]), np.arange(3), np.ones(3)).tolist()
    [[1.0, 8.0, 6.0], [4.0, 2.0, 9.0], [7.0, 5.0, 3.0]]
    """
    G = int(part.max()) + 1
    other = (part + np.arange(G - len(losses), G)[:, None]) % G
    total = np.bincount((other * G + part).ravel(), (weight * losses).ravel(), minlength=G * G).reshape(G, G)
    means: Matrix = total / np.bincount(part, weight, minlength=G)
    return means


def by_folds(per_fold: Matrix, choose: Choice = smallest) -> float:
    """Return the estimate of Tibshirani and Tibshirani from mean losses by fold (J, M).

    >>> by_folds(np.array([[1.0, 2.0], [3.0, 1.0]]))            # the second is best in all, by 1 worse than the first on the first fold
    0.5
    """
    rows = per_fold[np.isfinite(per_fold).all(axis=1)]
    best = choose(rows.mean(axis=0)[None], None)[0]
    return float((rows[:, best] - rows.min(axis=1)).mean())
