r"""Additive splines: a smooth curve for every column, solved together from moments.

.. math:: \hat y = \beta_0 + \sum_j f_j(x_j), \qquad f_j = \sum_k \beta_{jk} N_{jk}, \qquad
          \min \; \|y - \hat y\|^2 + \sum_j \lambda_j \int f_j''^2. \tag{1}

:math:`N_{jk}` is a natural cubic basis on quantile knots of column j, and :math:`\lambda_j` is set once so that :math:`f_j` alone
would have the degrees of freedom asked for. The basis looks at one row at a time, so (1) is a generalised ridge on the
moments of the basis: one pass to place the knots, one for the moments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.optimize import brentq

from epee.errors import WrongUse
from epee.estimator.moment import MomentRegressor, is_vector
from epee.moments.moments import Moments
from epee.moments.passes import Summation, reduce_source
from epee.table.block import Block, Source
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

    _needs_rows = True  # the knots follow from the rows of a fold

    def __init__(self, dof: float = 4, *, n_knots: int = 10) -> None:
        self.dof = dof
        self.n_knots = n_knots

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` (n, p) and their values ``y`` (n,) or (n, m); weights are counts."""
        if not self.dof >= 1:
            raise WrongUse(f"dof is {self.dof!r}; each curve needs at least 1, the straight line.")
        if int(self.n_knots) != self.n_knots or self.n_knots < 3:
            raise WrongUse(f"n_knots is {self.n_knots!r}; a cubic needs at least 3.")
        self._one_target = is_vector(y)
        source = self._source(X, y, sample_weight)
        self._place(source)
        self._solve(self._sum(source))
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows to the sums; the knots stay where the first rows put them."""
        if not hasattr(self, "moments_"):
            return self.fit(X, y, sample_weight)
        self._solve(self.moments_ + self._sum(self._source(X, y, sample_weight, reset=False)))
        return self

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take rows out of the sums; refused when fewer than six digits would be left."""
        self._solve(self.moments_.without(self._sum(self._source(X, y, sample_weight, reset=False))))
        return self

    def fit_moments(self, m: Moments) -> Self:
        """Solve from moments of the basis, as ``moments`` of a fitted estimator gives them."""
        if not hasattr(self, "knots_"):
            raise WrongUse("AdditiveSplines needs knots before moments: fit it once, or partial_fit.")
        self._solve(m)
        return self

    def _sum(self, source: Source, folds: int | None = None) -> Moments:
        if not hasattr(self, "knots_"):
            self._place(source)
        wide = Expanded(source, self)
        m = getattr(self, "moments_", None)
        origin = wide.joint_origin() if m is None or m.p != wide.n_columns else m.origin
        targets = len(origin) - wide.n_columns
        return reduce_source(wide, Summation(origin, "full", folds, None, targets))

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
                distinct = np.unique(np.quantile(column, shares, weights=w, method="inverted_cdf"))
            self.knots_.append(distinct if len(distinct) > 2 else distinct[:0])
        self.__dict__.pop("moments_", None)

    def _basis(self, X: Matrix) -> Matrix:
        """Return the basis of rows (n, q): the column itself, then truncated cubics that are linear at the ends."""
        out = []
        for x, knots in zip(np.asarray(X, dtype=np.float64).T, self.knots_, strict=True):
            out.append(x[:, None])
            if len(knots) > 2:
                out.append(natural_basis(x, knots))
        return np.hstack(out)

    def _solve(self, m: Moments) -> None:
        self.moments_ = m
        S, c = m.xx, m.xy
        P = np.zeros_like(S)
        self.penalties_ = np.zeros(len(self.knots_))
        at = 0
        for j, knots in enumerate(self.knots_):
            width = 1 + max(len(knots) - 2, 0)
            if width > 1:
                here = slice(at, at + width)
                omega = np.zeros((width, width))
                omega[1:, 1:] = bending(knots)
                self.penalties_[j] = penalty_for(S[here, here], omega, min(float(self.dof), width))
                P[here, here] = self.penalties_[j] * omega
            at += width
        scale = 1.0 / np.sqrt(np.maximum(np.diag(S + P), np.finfo(float).tiny))
        A = scale[:, None] * (S + P) * scale
        A[np.diag_indices_from(A)] += 1e-12 * np.where(
            np.diag(S) > 0, 1.0, 1e12
        )  # a constant column gets the coefficient 0
        factor = cho_factor(A, check_finite=False)
        coef = scale[:, None] * cho_solve(factor, scale[:, None] * c)
        self.effective_dof_ = float(np.trace(cho_solve(factor, scale[:, None] * S * scale)))
        self._set_linear(coef.T, m.y_mean - m.x_mean @ coef)

    def _predict(self, X: Matrix) -> Matrix:
        return self._basis(X) @ self.coef_.T + self.intercept_

    def curves(self, X: Any) -> Matrix:
        """Return the curve of each column at the rows of ``X``, (n, p), centred on the training rows; first target."""
        X = self._leave(X)
        coef, mean = np.atleast_2d(self.coef_)[0], self.moments_.x_mean
        parts, at, B = [], 0, self._basis(X)
        for knots in self.knots_:
            width = 1 + max(len(knots) - 2, 0)
            here = slice(at, at + width)
            parts.append((B[:, here] - mean[here]) @ coef[here])
            at += width
        return np.column_stack(parts)


class Expanded:
    """A source whose rows are written in the basis."""

    def __init__(self, source: Source, model: AdditiveSplines) -> None:
        self.source, self.model = source, model
        self.n_columns = sum(1 + max(len(k) - 2, 0) for k in model.knots_)
        self.n_rows, self.names = source.n_rows, None
        self.is_dask = getattr(source, "is_dask", False)

    def with_source(self, source: Source) -> Expanded:
        """Return the same basis over other rows."""
        return Expanded(source, self.model)

    @property
    def origin(self) -> Vector:
        """The basis at the first rows."""
        return next(iter(self.blocks(256))).X.mean(axis=0)

    def joint_origin(self) -> Vector:
        """The origin of basis and targets."""
        head = next(iter(self.blocks(256)))
        y = np.asarray(head.y, dtype=np.float64).reshape(len(head), -1)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.append(head.X.mean(axis=0), y.mean(axis=0))

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield the blocks in the basis."""
        for block in self.source.blocks(rows):
            with np.errstate(over="ignore", invalid="ignore"):
                yield replace(block, X=self.model._basis(block.X))


def natural_basis(x: Vector, knots: Vector) -> Matrix:
    """Return truncated cubics (n, K - 2) that are linear beyond the last knots, in units of the range.

    >>> natural_basis(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0])).shape
    (3, 1)
    """
    span = knots[-1] - knots[0]
    t, k = (x - knots[0]) / span, (knots - knots[0]) / span
    cubes = np.maximum(t[:, None] - k, 0.0) ** 3  # (n, K)
    d = (cubes[:, :-1] - cubes[:, -1:]) / (k[-1] - k[:-1])
    return d[:, :-1] - d[:, -1:]


def bending(knots: Vector) -> Matrix:
    """Return the integral of products of second derivatives of the basis (K - 2, K - 2), in units of the range.

    Second derivatives are piecewise linear, so Simpson's rule on each interval is exact.
    """
    k = (knots - knots[0]) / (knots[-1] - knots[0])
    nodes = np.sort(np.concatenate([k, (k[1:] + k[:-1]) / 2]))
    ramps = 6 * np.maximum(nodes[:, None] - k, 0.0)
    d = (ramps[:, :-1] - ramps[:, -1:]) / (k[-1] - k[:-1])
    second = d[:, :-1] - d[:, -1:]  # (nodes, K - 2)
    h = np.diff(k)
    weight = np.zeros(len(nodes))
    for i, width in enumerate(h):
        weight[2 * i : 2 * i + 3] += width / 6 * np.array([1.0, 4.0, 1.0])
    return (second * weight[:, None]).T @ second


def penalty_for(S: Matrix, omega: Matrix, dof: float) -> float:
    """Return the penalty at which the trace of ``S (S + lam omega)^-1`` is ``dof``.

    >>> penalty_for(np.eye(2), np.diag([0.0, 1.0]), 1.5)
    1.0
    """
    scale = np.sqrt(np.maximum(np.diag(S), np.finfo(float).tiny))
    R = S / np.outer(scale, scale) + 1e-10 * np.eye(len(S))
    values = np.maximum(eigh(omega / np.outer(scale, scale), R, eigvals_only=True), 0.0)

    def excess(log_lam: float) -> float:
        return float((1.0 / (1.0 + 10.0**log_lam * values)).sum()) - dof

    if excess(-30.0) <= 0:
        return 0.0
    if excess(30.0) >= 0:
        return 1e30
    return float(f"{10.0 ** brentq(excess, -30.0, 30.0, xtol=1e-12):.12g}")
