r"""What an error bar counts: rows, groups of rows, or rows that stand for a share of a population.

A mean of losses is a ratio of sums over independent *units* :math:`u`, each of loss :math:`S_u` and size :math:`N_u`,

.. math:: \bar e = \frac{\sum_u S_u}{\sum_u N_u}, \qquad d_u = \frac{S_u - \bar e N_u}{\bar N}, \qquad
          s^2 = \frac{1}{U - 1} \sum_u d_u^2, \qquad \mathrm{se} = \frac{s}{\sqrt U}. \tag{1}

- Weights that are *counts* make :math:`w` units of one row; :math:`n` is their sum.
- *Sampling* weights say how many rows of a population a row stands for: a unit is a row with :math:`S = w e, N = w`, and their scale
  means nothing. They are worth :math:`(\sum w)^2 / \sum w^2` rows (Kish).
- A *group* is one unit, with the sums of its rows, and Student's law has :math:`(\sum N)^2 / \sum N^2 - 1` degrees of freedom: one less
  than the groups when they are equal.

Where units follow each other in time, neighbours resemble each other, and a mean is worth that of fewer units
(:mod:`epee.risk.long_run`): the bar is the longer one of that for independent units and of that with so many fewer, and Student's law of
their degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from epee.errors import WrongUse
from epee.risk.intervals import t_quantile
from epee.risk.long_run import in_bursts, inflation
from epee.risk.skewed import FEWEST
from epee.table.doors import is_stream
from epee.typing import Codes, Vector
from epee.words import risk_words
from epee.words.numbers import whole

Weights = Literal["counts", "sampling"]


@dataclass(frozen=True, eq=False)
class Units:
    """Sums and sizes (U,) of independent units, and how often each occurred; ``in_order`` when they follow each other in time.

    ``rows`` is how many rows they hold: counts added, or rows of any sampling weight.
    """

    sums: Vector
    sizes: Vector
    copies: Vector
    rows: float
    in_order: bool = False

    @property
    def n(self) -> float:
        """Number of units."""
        return float(self.copies.sum())

    @property
    def mean(self) -> float:
        """The ratio (1)."""
        return float(self.copies @ self.sums / (self.copies @ self.sizes))

    @property
    def pulls(self) -> Vector:
        """The deviations d of (1), (U,)."""
        size = self.copies @ self.sizes / self.n
        return (self.sums - self.mean * self.sizes) / size

    @property
    def effective(self) -> float:
        """Number of units of equal size that are worth as many: Kish's."""
        return float((self.copies @ self.sizes) ** 2 / (self.copies @ self.sizes**2))

    def spread(self) -> tuple[float, float]:
        """Return the standard deviation s of (1) and the skewness of the deviations."""
        d, n = self.pulls, self.n
        scale = float(np.abs(d).max(initial=0.0))
        if not scale > 1e-14 * abs(self.mean) or n <= 1:  # rounding is no spread
            return 0.0, 0.0
        u = d / scale
        weighed = self.copies * u * u
        second, third = float(weighed.sum()) / n, float(weighed @ u) / n
        return scale * float(np.sqrt(second * n / (n - 1))), third / second**1.5

    def told(self) -> tuple[float, float, float]:
        """Return the mean, its standard error and how many rows it is worth; NaN for the error bar of one.

        >>> units_of(np.array([0.0, 1.0]), np.array([1.0, 3.0])).told()
        (0.75, 0.25, 4.0)
        """
        stderr = self.spread()[0] / float(np.sqrt(self.n)) if self.n > 1 else float("nan")
        return self.mean, stderr, self.effective

    @property
    def in_bursts(self) -> bool:
        """Tell whether what follows in time comes in bursts so long that a sample holds few of them."""
        return self.in_order and in_bursts(self.pulls)

    @property
    def doubt(self) -> str:
        """Why the error bar of a rate, or a figure made of ranks, cannot be trusted: few "units" carry it, or "bursts"; empty if it can."""
        worth = min(self.independent()[0], self.effective)
        few = worth < min(FEWEST * (2 if self.in_order else 1), self.rows - 0.5)
        return "units" if few else "bursts" if self.in_bursts else ""

    def independent(self) -> tuple[float, float]:
        """Return how many independent units carry the same error bar, and its degrees of freedom.

        U, and one less than are :attr:`effective`; in time, fewer of both where that makes the longer bar.
        """
        plain = self.n, max(self.effective - 1, 0.0)
        if not self.in_order:
            return plain
        ratio, freedom = inflation(self.pulls)
        n = self.n / ratio
        in_time = n, max(min(n - 1, plain[1], freedom), 0.0)
        return max(plain, in_time, key=lambda bar: t_quantile(0.95, bar[1]) ** 2 / bar[0])


def units_of(
    losses: Vector, weight: Vector | None = None, *, weights: Weights | None = None, groups: Codes | None = None, in_order: bool = False
) -> Units:  # fmt: skip
    """Return the units behind a mean of losses.

    >>> units_of(np.array([1.0, 2.0, 3.0]), groups=np.array([0, 0, 1])).sums
    array([3., 3.])
    """
    w = np.ones(len(losses)) if weight is None else weight
    counted = weight is None or meaning_of(weight, weights) == "counts"
    rows = float(w.sum() if counted else (w > 0).sum())
    if groups is not None:
        ids = np.unique(groups, return_inverse=True)[1].reshape(-1)
        sums, sizes = (np.bincount(ids, a).astype(np.float64) for a in (w * losses, w))
        kept = sizes > 0
        return Units(sums[kept], sizes[kept], np.ones(int(kept.sum())), rows, in_order)
    kept = w > 0
    if counted:
        return Units(losses[kept], np.ones(int(kept.sum())), w[kept], rows, in_order)
    return Units(w[kept] * losses[kept], w[kept], np.ones(int(kept.sum())), rows, in_order)


def check_meaning(said: Any) -> None:
    """Refuse what weights cannot mean."""
    if said not in (None, "counts", "sampling"):
        raise WrongUse(f"weights is {said!r}; it must be 'counts' or 'sampling'.")


def check_said(said: Any, X: Any, sample_weight: Any) -> None:
    """Refuse what weights cannot mean, and a meaning of weights that nobody gave; those of a table read in blocks may lie in it.

    >>> check_said("sampling", np.ones((2, 1)), None)
    Traceback (most recent call last):
        ...
    epee.errors.WrongUse: weights is 'sampling', but there are no weights: give them as sample_weight, or leave weights out.
    """
    check_meaning(said)
    if said is not None and sample_weight is None and not is_stream(X):
        raise WrongUse(
            f"weights is {said!r}, but there are no weights: give them as sample_weight, or leave weights out."
        )


def meaning_of(weight: Vector, said: Weights | None = None) -> Weights:
    """Return what weights mean: what was said, else counts where all are whole numbers and sampling weights where they are not.

    Shares that add up to 1 are no counts, whoever says so: all rows together would be one.

    >>> meaning_of(np.array([1.0, 3.0])), meaning_of(np.array([0.25, 0.75]))
    ('counts', 'sampling')
    """
    return meaning_from(float(weight.sum()), bool((weight != np.round(weight)).any()), said)


def meaning_from(total: float, broken: bool, said: Weights | None = None) -> Weights:
    """Return what weights mean of which only the sum is known, and whether any is no whole number."""
    check_meaning(said)
    if said == "counts" and broken and total <= 1 + 1e-9:
        raise WrongUse(
            f"the weights add up to {total:.4g}: they are shares, and no counts. Say weights='sampling', or give the number of "
            "rows that each row stands for."
        )
    return said or ("sampling" if broken else "counts")


def refuse_broken(broken: bool) -> None:
    """Refuse counts of which some are no whole numbers."""
    if broken:
        raise WrongUse(
            "weights is 'counts', but some weights are no whole numbers. Say weights='sampling', or give the number of rows that each row "
            "stands for."
        )


def per_row(weight: Vector | None, said: Weights | None = None) -> tuple[Vector | None, Weights | None]:
    """Return weights in the unit of one row, and what they mean; None and nothing said without any.

    Counts are rows as they are. The scale of sampling weights means nothing: they are given the mean 1 over the rows that have any, so that
    whoever learns from them, and takes weights for counts, sees as many rows as there are.

    >>> per_row(np.array([2.0, 3.0]))[0], per_row(np.array([0.25, 0.0, 0.75]))[0], per_row(np.full(2, 1e-300))
    (array([2., 3.]), array([0.5, 0. , 1.5]), (array([1., 1.]), 'sampling'))
    """
    if weight is None:
        return None, None
    meaning = meaning_of(weight, said)
    if said == "counts":
        refuse_broken(bool((weight != np.round(weight)).any()))
    if meaning == "counts" or not weight.any():
        return weight, meaning
    w = weight / weight.max()  # no sum of squares of it is too small or too large to be told
    return w * (np.count_nonzero(w) / w.sum()), meaning


def stands_for_rows(weight: Vector | None, said: Weights | None = None) -> bool:
    """Tell whether a weight is a count above 1: then rows that are equal are no copies, and a table may list them as they came.

    >>> stands_for_rows(np.array([1.0, 3.0])), stands_for_rows(np.array([0.5, 3.0])), stands_for_rows(np.ones(2))
    (True, False, False)
    """
    return weight is not None and bool((weight > 1).any()) and meaning_of(weight, said) == "counts"


def unsaid(weight: Vector | None, said: Weights | None = None) -> str:
    """Return a caution where weights were taken as counts and nobody said so, though they tell no row from another: one number above 1.

    >>> unsaid(np.array([1.0, 3.0])), unsaid(np.full(3, 10.0), "counts"), unsaid(np.full(3, 10.0))[:35]
    ('', '', 'Every row has the weight 10, and is')
    """
    if said is not None or weight is None or len(weight) < 2 or not weight[0] > 1 or np.ptp(weight) > 0:
        return ""
    return risk_words.say("caution unsaid", w=whole(weight[0])) if meaning_of(weight) == "counts" else ""


def taken_as(weight: Vector | None, said: Weights | None = None) -> str:
    """Return the words that say what weights were taken as, to be put behind how an estimate was found; none without weights.

    >>> taken_as(None), taken_as(np.array([1.0, 3.0])), taken_as(np.array([0.25, 0.75]))
    ('', ', weights taken as counts', ', weights taken as sampling weights')
    """
    if weight is None:
        return ""
    return f", weights taken as {'counts' if meaning_of(weight, said) == 'counts' else 'sampling weights'}"


def as_counts(weight: Vector | None, n: int, weights: Weights | None = None) -> Vector:
    """Return weights whose sum is the number of rows they are worth: counts as they are, sampling weights scaled to Kish's number.

    >>> as_counts(np.array([2.0, 3.0]), 2).sum(), float(as_counts(np.array([0.5, 0.5]), 2).sum())
    (np.float64(5.0), 2.0)
    """
    if weight is None:
        return np.ones(n)
    w, meaning = per_row(weight, weights)
    assert w is not None
    return w if meaning == "counts" else w * (w.sum() / (w @ w))
