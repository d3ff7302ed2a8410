r"""Additive splines: a smooth curve for every column, solved together from moments.

.. math:: \hat y = \beta_0 + \sum_j f_j(x_j), \qquad f_j = \sum_k \beta_{jk} N_{jk}, \qquad
          \min \; \|y - \hat y\|^2 + \sum_j \lambda_j \int f_j''^2. \tag{1}

:math:`N_{jk}` is a natural cubic basis on quantile knots of column j, and :math:`\lambda_j` is set once so that :math:`f_j` alone
would have the degrees of freedom asked for. The basis looks at one row at a time, so (1) is a generalised ridge on the
moments of the basis: one pass to place the knots, one for the moments.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np
from scipy.linalg import eigh

from epee.errors import WrongUse
from epee.estimator.moment import MomentRegressor
from epee.estimator.protocol import Needs
from epee.moments.moments import Moments
from epee.table.block import Block, Source, refuse_bad_cells
from epee.table.view import View
from epee.typing import Matrix, Vector

KNOTS_FROM = 20_000  # rows that place the knots


class AdditiveSplines(MomentRegressor):
    r"""A sum of smooth curves :math:`\beta_0 + \sum_j f_j(x_j)`, each with a given number of degrees of freedom.

    Parameters
    ----------
    dof : float, default=4
        Degrees of freedom of each curve, intercept apart; 1 is a straight line, more bend more.
    n_knots : int, default=10
        Knots of a column, at its quantiles; a column with fewer distinct values gets one at each, with two a straight line.

    Attributes
    ----------
    coef_, intercept_ : of the basis
    effective_dof_ : float
        Trace of the smoother, intercept apart.
    knots_ : list of arrays
    penalties_ : array (p,)

    Notes
    -----
    Two passes and :math:`O((pK)^3)` for K knots.

    References
    ----------
    Hastie and Tibshirani, *Generalized Additive Models* (1990); *The Elements of Statistical Learning*, section 5.2.1 for the basis.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, size=(300, 2))
    >>> model = AdditiveSplines(dof=5).fit(X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2)
    >>> model.score(X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2) > 0.98
    True
    """

    is_linear = False
    needs_rows = True  # the knots follow from the rows of a fold

    def __init__(self, dof: float = 4, *, n_knots: int = 10) -> None:
        self.dof = dof
        self.n_knots = n_knots

    def _check(self) -> None:
        if np.ndim(self.dof) or not self.dof >= 1:
            raise WrongUse(
                f"dof is {self.dof!r}; it must be one number, at least 1 (the straight line) for each curve."
            )
        if int(self.n_knots) != self.n_knots or self.n_knots < 3:
            raise WrongUse(f"n_knots is {self.n_knots!r}; a cubic needs at least 3.")

    def _reset(self) -> None:
        super()._reset()
        self.__dict__.pop("knots_", None)

    answers_anywhere = False  # the basis is made here

    def _view(self, source: Source, reset: bool) -> Source:
        """Return the rows in the basis; the knots stay where the first rows put them."""
        if not hasattr(self, "knots_"):
            self._place(source)
        return View(source, Expansion(self, source.names), n_columns=sum(max(len(k) - 1, 1) for k in self.knots_))

    def _look(self, m: Moments) -> None:
        """A constant column of the basis is no mistake."""

    def _place(self, source: Source) -> None:
        """Put knots at quantiles of the first rows."""
        parts, weights, n = [], [], 0
        for block in source.blocks():
            w = np.ones(len(block)) if block.weight is None else block.weight
            parts.append(np.asarray(block.X, dtype=np.float64)[w > 0])
            weights.append(w[w > 0])
            n += len(block)
            if n >= KNOTS_FROM:
                break
        rows, w = np.concatenate(parts), np.concatenate(weights)
        shares = np.linspace(0, 1, int(self.n_knots))
        self.knots_ = []
        for column in np.nan_to_num(rows).T:
            distinct = np.unique(column)
            if len(distinct) > self.n_knots:
                distinct = np.unique(weighted_quantiles(column, w, shares))
            self.knots_.append(distinct if len(distinct) > 2 else distinct[:0])

    def _basis(self, X: Matrix) -> Matrix:
        """Return the basis of rows (n, q): splines of a column, or the column itself when it has two values."""
        columns = zip(np.asarray(X, dtype=np.float64).T, self.knots_, strict=True)
        return np.hstack([natural_basis(x, knots) if len(knots) > 2 else x[:, None] for x, knots in columns])

    def _solve(self, m: Moments) -> None:
        if not hasattr(self, "knots_"):
            raise WrongUse("AdditiveSplines needs knots before moments: fit it once, or partial_fit.")
        self._check()
        self.n_features_in_ = len(self.knots_)
        S, c = m.xx, m.xy
        P = np.zeros_like(S)
        self.penalties_ = np.zeros(len(self.knots_))
        at = 0
        for j, knots in enumerate(self.knots_):
            width = max(len(knots) - 1, 1)
            if width > 1:
                here, omega = slice(at, at + width), bending(knots)
                self.penalties_[j] = penalty_for(S[here, here], omega, min(float(self.dof), width))
                P[here, here] = self.penalties_[j] * omega
            at += width
        scale = 1.0 / np.sqrt(np.maximum(np.diag(S + P), np.finfo(float).tiny))
        values, V = np.linalg.eigh(scale[:, None] * (S + P) * scale)
        kept = (
            values > 1e-9 * values[-1]
        )  # constant columns, and more curves than rows can tell apart, get the least norm
        half = scale[:, None] * V[:, kept] / np.sqrt(values[kept])  # half @ half.T is the inverse of S + P
        coef = half @ (half.T @ c)
        self.effective_dof_ = float(np.einsum("ij,ik,kj->", half, S, half, optimize=True))
        self._set_linear(coef.T, m.y_mean - m.x_mean @ coef)

    def variants(self, parameter: str, values: Sequence[Any]) -> list[Self] | None:
        """Return the curves with other degrees of freedom, on the same knots."""
        if parameter != "dof":
            return None
        return [copy.copy(self).set_params(dof=value).fit_moments(self.moments_) for value in values]

    def answer_together(self, variants: Sequence[Any], X: Matrix, needs: Needs | None = None) -> list[np.ndarray]:
        """Return what each variant predicts for clean rows, from one basis."""
        B = self._basis(X)
        return [B @ v.coef_.T + v.intercept_ for v in variants]

    def _predict(self, X: Matrix) -> Matrix:
        return self._basis(X) @ self.coef_.T + self.intercept_

    def curves(self, X: Any) -> Matrix:
        """Return the curve of each column at the rows of ``X``, (n, p), centred on the training rows; first target."""
        X = self._leave(X)
        coef, mean = np.atleast_2d(self.coef_)[0], self.moments_.x_mean
        parts, at, B = [], 0, self._basis(X)
        for knots in self.knots_:
            width = max(len(knots) - 1, 1)
            here = slice(at, at + width)
            parts.append((B[:, here] - mean[here]) @ coef[here])
            at += width
        return np.column_stack(parts)

    def plot(self, X: Any, axes: Any = None) -> Any:
        """Draw the curve of each column over the rows of ``X``."""
        from epee.figures.splines import draw_curves

        return draw_curves(self, X, axes=axes)


@dataclass(frozen=True, eq=False)
class Expansion:
    """The change of a block to the basis of splines."""

    model: AdditiveSplines
    names: Sequence[str] | None

    def __call__(self, block: Block) -> Block:
        if not np.isfinite(block.X).all():
            refuse_bad_cells(block.X, self.names, block.start)
        with np.errstate(over="ignore", invalid="ignore"):
            return block.having(X=self.model._basis(block.X))


def weighted_quantiles(x: Vector, w: Vector, shares: Vector) -> Vector:
    """Return the values below which given shares of the weight lie; weight 2 is the row twice.

    >>> weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]), np.array([0.0, 0.5, 1.0]))
    array([1., 2., 3.])
    """
    order = np.argsort(x, kind="stable")
    reached = np.cumsum(w[order])
    at = np.searchsorted(reached, shares * reached[-1] * (1 - 1e-12))
    return x[order[np.minimum(at, len(x) - 1)]]


def bent(knots: Vector) -> tuple[Matrix, Matrix]:
    """Return, for a natural cubic spline given by its values at the knots, its second derivatives and its bending.

    On the range scaled to [0, 1]: second derivatives are ``C @ values`` (K, K), and the integral of their square is
    ``values @ P @ values`` with P = Q R^-1 Q' (Green and Silverman, section 2.1). Knots are asked about at every prediction, so the last
    ones are remembered.
    """
    return _bent(np.asarray(knots, dtype=np.float64).tobytes())


@lru_cache(maxsize=1024)
def _bent(cells: bytes) -> tuple[Matrix, Matrix]:
    knots = np.frombuffer(cells)
    h = np.diff((knots - knots[0]) / (knots[-1] - knots[0]))
    K = len(knots)
    Q, R = np.zeros((K, K - 2)), np.zeros((K - 2, K - 2))
    for k in range(K - 2):
        Q[k : k + 3, k] = 1 / h[k], -1 / h[k] - 1 / h[k + 1], 1 / h[k + 1]
        R[k, k] = (h[k] + h[k + 1]) / 3
        if k + 1 < K - 2:
            R[k, k + 1] = R[k + 1, k] = h[k + 1] / 6
    inner = np.linalg.solve(R, Q.T)
    found = np.vstack([np.zeros(K), inner, np.zeros(K)]), Q @ inner
    for part in found:
        part.setflags(write=False)
    return found


def natural_basis(x: Vector, knots: Vector) -> Matrix:
    """Return the natural cubic splines (n, K - 1) that are 1 at one knot and 0 at the others, without that of the first knot.

    They add up to 1 with the one left out, which the intercept replaces; beyond the last knots they go on straight.

    >>> natural_basis(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0])) + 0.0
    array([[0., 0.],
           [1., 0.],
           [0., 1.]])
    """
    span = knots[-1] - knots[0]
    t, k = (x - knots[0]) / span, (knots - knots[0]) / span
    C, _ = bent(knots)
    inside = np.clip(t, 0.0, 1.0)
    j = np.clip(np.searchsorted(k, inside, side="right") - 1, 0, len(k) - 2)
    h = k[j + 1] - k[j]
    a, b = inside - k[j], k[j + 1] - inside
    bend = -a * b / 6
    out = C[j + 1] * (bend * (1 + a / h))[:, None]
    out += C[j] * (bend * (1 + b / h))[:, None]
    every = np.arange(len(x))
    out[every, j + 1] += a / h
    out[every, j] += b / h
    beyond = np.flatnonzero(t != inside)
    if len(beyond):
        first, last, rows = k[1] - k[0], k[-1] - k[-2], np.eye(len(k))
        slopes = np.stack(
            [(rows[1] - rows[0]) / first - first / 6 * C[1], (rows[-1] - rows[-2]) / last + last / 6 * C[-2]]
        )
        out[beyond] += (t - inside)[beyond, None] * slopes[inside[beyond].astype(int)]
    return out[:, 1:]


def bending(knots: Vector) -> Matrix:
    """Return the integral of products of second derivatives of the basis (K - 1, K - 1), in units of the range."""
    return bent(knots)[1][1:, 1:]


def penalty_for(S: Matrix, omega: Matrix, dof: float) -> float:
    """Return the penalty at which the trace of ``S (S + lam omega)^-1`` is ``dof``.

    >>> round(penalty_for(np.eye(2), np.diag([0.0, 1.0]), 1.5), 6)
    1.0
    """
    from scipy.optimize import brentq

    dof = max(dof, 1 + 1e-5)  # the straight line, nearly: a larger penalty would drown the data in rounding
    scale = np.sqrt(np.maximum(np.diag(S), np.finfo(float).tiny))
    R = S / np.outer(scale, scale) + 1e-10 * np.eye(len(S))
    values = np.maximum(eigh(omega / np.outer(scale, scale), R, eigvals_only=True), 0.0)

    def excess(log_lam: float) -> float:
        return float((1.0 / (1.0 + 10.0**log_lam * values)).sum()) - dof

    if excess(-30.0) <= 0:
        return 0.0
    return float(10.0 ** brentq(excess, -30.0, 30.0, xtol=1e-12))
