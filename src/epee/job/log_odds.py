r"""Several predictors of two classes on the same rows: their log-odds as quadratic forms, by one product.

About an origin :math:`o`, with :math:`u = x - o`, the log-odds of linear and Gaussian predictors are

.. math:: u^\top B u + a^\top (u \circ u) + b^\top u + c, \tag{1}

also behind an affine map :math:`x \mapsto Sx + t` (a scaler, the filling of missing cells). So rows are centred once and
multiplied once by all :math:`B` and :math:`b` side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.predictors.generative.gaussians import DiagonalGaussians, FullGaussians
from epee.predictors.generative.generator import log_of
from epee.typing import Matrix, Vector


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


class ManyLogOdds:
    """Many of them on the same rows."""

    def __init__(self, odds: list[LogOdds], origin: Vector) -> None:
        self.odds, self.origin = odds, origin
        q = len(origin)
        bends = [o.bend for o in odds if o.bend is not None]
        self.table = np.column_stack([np.array([o.slope for o in odds]).T.reshape(q, len(odds)), *bends])
        self.levels = np.array([o.level for o in odds])
        self.squares = np.array([o.squares for o in odds if o.squares is not None]).T  # (q, those that have squares)

    def __call__(self, X: Matrix) -> Matrix:
        """Return the log-odds of each row under each predictor (n, m)."""
        m, q = len(self.odds), len(self.origin)
        U = X - self.origin
        T = U @ self.table
        out = T[:, :m] + self.levels
        at = m
        for i, o in enumerate(self.odds):
            if o.bend is not None:
                out[:, i] += np.einsum("ij,ij->i", T[:, at : at + q], U)
                at += q
        if self.squares.size:
            out[:, [i for i, o in enumerate(self.odds) if o.squares is not None]] += (
                np.multiply(U, U, out=U) @ self.squares
            )
        return out
