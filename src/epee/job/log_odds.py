r"""Several predictors of two classes on the same rows: their log-odds as quadratic forms, their errors counted in one sweep.

About an origin :math:`o`, with :math:`u = x - o`, the log-odds of linear and Gaussian predictors are

.. math:: u^\top B u + a^\top (u \circ u) + b^\top u + c, \tag{1}

also behind an affine map :math:`x \mapsto Sx + t` (a scaler, the filling of missing cells). So a row is centred once and asked
of all of them while it is at hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.predictors.generative.gaussians import DiagonalGaussians, FullGaussians
from epee.predictors.generative.generator import log_of
from epee.typing import Codes, Matrix, Vector


@dataclass(frozen=True, eq=False)
class LogOdds:
    """One predictor: equation (1); ``bend`` (q, q) and ``squares`` (q,) may be None."""

    bend: Matrix | None
    squares: Vector | None
    slope: Vector
    level: float

    def behind(self, scale: Any, shift: Any) -> LogOdds:
        """Return the same as a function of x when this is one of ``scale`` x + ``shift``; ``scale`` (p, q), (p,) or None."""
        k = np.zeros(len(self.slope)) if shift is None else shift
        S = np.ones(len(self.slope)) if scale is None else scale
        slope, level = self.slope.copy(), self.level + float(self.slope @ k)
        bend, squares = None, None
        if self.squares is not None:
            slope += 2 * self.squares * k
            level += float(self.squares @ k**2)
            squares = self.squares * S**2 if S.ndim == 1 else None
            bend = None if S.ndim == 1 else (S.T * self.squares) @ S
        if self.bend is not None:
            slope += 2 * self.bend @ k
            level += float(k @ self.bend @ k)
            inner = S[:, None] * self.bend * S if S.ndim == 1 else S.T @ self.bend @ S
            bend = inner if bend is None else bend + inner
        return LogOdds(bend, squares, slope * S if S.ndim == 1 else slope @ S, level)


def log_odds(inner: Any, scale: Any, shift: Any, origin: Vector) -> LogOdds | None:
    """Return a fitted predictor of two classes as (1) about ``origin``, or None when it is not of that form."""
    found, centre = None, None
    gaussians = getattr(inner, "_gaussians", None)
    if hasattr(inner, "coef_") and np.shape(np.atleast_2d(inner.coef_))[0] == 1:
        found = LogOdds(None, None, np.ravel(inner.coef_), float(np.ravel(inner.intercept_)[0]))
        centre = np.zeros(len(found.slope))
    elif isinstance(gaussians, FullGaussians) and gaussians.ratio is not None:
        bend, slope, level = gaussians.ratio
        found, centre = LogOdds(bend, None, slope, level + _prior_odds(inner)), gaussians.centre
    elif isinstance(gaussians, DiagonalGaussians) and not len(gaussians.far) and len(gaussians.means) == 2:
        squares, slope = (table[:, 1] - table[:, 0] for table in (gaussians.squares, gaussians.linear))
        level = float(gaussians.constant[1] - gaussians.constant[0])
        found, centre = LogOdds(None, squares, slope, level + _prior_odds(inner)), gaussians.centre
    if found is None or centre is None:
        return None
    at = origin if scale is None else scale * origin if np.ndim(scale) == 1 else scale @ origin
    return found.behind(scale, at + (0.0 if shift is None else shift) - centre)


def _prior_odds(inner: Any) -> float:
    priors = inner.priors_ if hasattr(inner, "priors_") else inner.class_prior_
    odds = np.diff(log_of(priors))[0]
    return float(odds)


class Errors:
    """Counts the errors of many of them, each row judged by the fits of its own cell; ``forms[c][k]`` is predictor k in cell c."""

    def __init__(self, forms: list[list[LogOdds]], origin: Vector) -> None:
        self.origin, q = origin, len(origin)
        empty = np.zeros(q)
        self.levels = np.array([[o.level for o in row] for row in forms])
        self.slopes = np.array([[o.slope for o in row] for row in forms])
        self.squares = np.array([[empty if o.squares is None else o.squares for o in row] for row in forms])
        bent = [k for k in range(len(forms[0])) if any(row[k].bend is not None for row in forms)]
        none = np.zeros((q, q))
        self.bends = np.array([[none if row[k].bend is None else row[k].bend for k in bent] for row in forms]).reshape(
            len(forms), len(bent), q, q
        )
        self.bend_of = np.array([bent.index(k) if k in bent else -1 for k in range(len(forms[0]))])

    def __call__(
        self, X: Matrix, cell: Codes, codes: Codes, w: Vector | None, first: int, parts: int
    ) -> tuple[Matrix, Vector]:
        """Return the weight of the rows that each predictor has wrong (m, parts), and of all rows (parts,)."""
        from epee.kernels.two_classes import count_errors

        sums, weights = np.zeros((self.levels.shape[1], parts)), np.zeros(parts)
        count_errors(
            np.ascontiguousarray(X, dtype=np.float64), np.ascontiguousarray(cell, dtype=np.int64),
            np.ascontiguousarray(codes, dtype=np.int64), np.empty(0) if w is None else np.ascontiguousarray(w, dtype=np.float64),
            self.origin, first, self.levels, self.slopes, self.squares, self.bends, self.bend_of, sums, weights,
        )  # fmt: skip
        return sums, weights
