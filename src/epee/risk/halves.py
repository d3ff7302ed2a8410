r"""How far a difference varies from table to table: the folds are parted in halves, and each half is a table of its own.

The folds of a cross-validation share most of their training rows, so what all of them learned alike, good or bad, is in no spread among
them. Where two predictors vary a lot from table to table (a linear rule between classes of unequal spread, more columns than rows) the
fitted ones differ although the ways of learning are equally good, and a test by folds takes chance for a difference. Two halves of the
folds share no row at all. Each is cross-validated inside, every fold tested by what the other folds of its half teach; with the means
:math:`\bar d_1, \bar d_2` of the differences on :math:`K_1` and :math:`K_2` folds,

.. math:: V = \frac{K_1 K_2}{K^2} (\bar d_1 - \bar d_2)^2, \qquad
          \sigma^2 = \frac{\bar V}{s_H^2 / K} \cdot \frac{s^2}{K}. \tag{1}

:math:`\bar V`, a mean over some halvings, is the variance of the mean difference of a table as large as all, but of predictors that learned
from less than half of it. So it is counted in units of what independent folds would have, :math:`s_H^2 / K` from the spread of the
differences within the halves, and brought to the folds of the whole by their own :math:`s^2`. Nothing is assumed of what folds share.

The first factor, by which the variance of a mean exceeds that of independent folds, holds for the losses of one predictor, too: nested
intervals of few repeats take it in (:mod:`epee.risk.nested`).

A halving asks for K models of merged cells. The first use of a difference pays for it, and only in tables that are looked at row by row.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epee.risk.route import MomentRoute, Route
from epee.risk.splitting import Pairs, Plan, Split
from epee.typing import Codes, Matrix

MANY, FEW = 10, 5  # halvings of predictors that merge, and of those that are fitted again
FEWEST_FOLDS = 4  # a half has two at least


@dataclass(frozen=True, eq=False)
class Halves:
    """The mean losses of one predictor in halves of the folds, found when first asked for."""

    route: Route
    plan: Plan
    many: int

    @cached_property
    def means(self) -> Matrix:
        """The mean loss on each fold in each halving, (H, K); no halving where a half does not teach this predictor."""
        K, R = self.plan.n_folds, len(self.plan.splits)
        sides = halvings(K, self.many)
        found = np.empty(sides.shape)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of tables that nobody asked for
                for r in range(min(R, len(sides))):
                    split = parted(self._cells(r), sides[r::R])
                    means, _ = self.route.means_by_moments(split) or self.route.fold_means(split)
                    found[r::R] = means.reshape(-1, K)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError):  # too few rows, or a class that is not in the half
            return np.empty((0, K))
        return found if np.isfinite(found).all() else np.empty((0, K))

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as the means alone (:mod:`epee.risk.when_asked`)."""
        return FoundHalves, (self.means,)

    def _cells(self, r: int) -> Codes:
        """Return the fold of each row in repeat ``r``, also of rows that are dealt as they pass."""
        cell = self.plan.splits[r].cell
        return self.route.shared.cells(cell, self.plan.n_folds) if isinstance(self.route, MomentRoute) else cell


@dataclass(frozen=True, eq=False)
class FoundHalves:
    """The same, of a result that came back from a file."""

    means: Matrix


def halves_of(route: Route, plan: Plan, many: int | None = None) -> Halves | None:
    """Return what is to be found in ``many`` halves of the folds; None where they do not part the rows, are few, or have very many rows."""
    first = plan.splits[0]
    if isinstance(first, Pairs) or plan.n_folds < FEWEST_FOLDS or not route.at_a_glance:
        return None
    whole = first.repeats == 1 and first.n_cells == plan.n_folds and bool((first.tested_by >= 0).all())
    many = many or (MANY if route.one_pass else FEW)
    return Halves(route, plan, many) if whole else None


def halvings(K: int, many: int) -> np.ndarray:
    """Return which folds are on the one side, (H, K) bool: the same for all who have as many folds.

    >>> halvings(5, 2).sum(axis=1).tolist()
    [2, 2]
    """
    rng = np.random.default_rng(0)
    return np.argsort(rng.random((many, K)), axis=1) < K // 2


def parted(cell: Codes, sides: np.ndarray) -> Split:
    """Return the split in which each fold is tested by the other folds of its side.

    >>> parted(np.arange(4), np.array([[True, True, False, False]])).learns.astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    H, K = sides.shape
    learns = (sides[:, :, None] == sides[:, None, :]) & ~np.eye(K, dtype=bool)
    return Split(cell, learns.reshape(H * K, K), np.arange(H * K).reshape(H, K))


def ratio_by_halves(inside: Matrix) -> float:
    """Return how many times the variance of a mean is that of independent folds, from figures in halves, (H, K); 0 without any spread.

    >>> d = np.random.default_rng(0).normal(size=200)
    >>> bool(0.5 < ratio_by_halves(np.tile(d, (50, 1))) < 2)          # independent folds
    True
    """
    H, K = inside.shape
    sides = halvings(K, H)
    gaps, within = np.zeros(H), np.zeros(H)
    for side, sign in ((sides, 1), (~sides, -1)):
        mean = (inside * side).sum(axis=1) / side.sum(axis=1)
        gaps += sign * mean
        within += (side * (inside - mean[:, None]) ** 2).sum(axis=1)
    one = K // 2
    spread = float(within.mean()) / (K - 2) / K if H else 0.0
    return one * (K - one) / K**2 * float((gaps**2).mean()) / spread if spread > 0 else 0.0


def variance_by_halves(inside: Matrix, d: Matrix) -> float:
    """Return (1) from differences in halves, (H, K), and on the folds of each repeat, (R, K)."""
    return ratio_by_halves(inside) * float(d.var(axis=1, ddof=1).mean()) / d.shape[1]
