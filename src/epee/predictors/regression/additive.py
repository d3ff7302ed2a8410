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
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.linalg import eigh

from epee.errors import SingularProblem, WrongUse
from epee.estimator.moment import MomentRegressor
from epee.estimator.protocol import Needs
from epee.moments.moments import Moments
from epee.predictors.regression.natural_splines import bending, natural_bases
from epee.solve.cholesky import Cholesky
from epee.table.block import Block, Source, refuse_bad_cells
from epee.table.view import View
from epee.typing import Matrix, Vector

KNOTS_FROM = 20_000  # rows that place the knots
SOUND = 1e7  # condition number below which a factor is as good as the eigenvalues


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
        for column in np.ascontiguousarray(np.nan_to_num(rows).T):
            values, reached = in_order(column, w)
            distinct = values[np.flatnonzero(np.diff(values, prepend=np.nan))]
            if len(distinct) > self.n_knots:
                distinct = np.unique(quantiles(values, reached, shares))
            self.knots_.append(distinct if len(distinct) > 2 else distinct[:0])

    def _basis(self, X: Matrix) -> Matrix:
        """Return the basis of rows (n, q): splines of a column, or the column itself when it has two values."""
        return natural_bases(X, self.knots_)

    def _solve(self, m: Moments) -> None:
        if not hasattr(self, "knots_"):
            raise WrongUse("AdditiveSplines needs knots before moments: fit it once, or partial_fit.")
        self._check()
        self.n_features_in_ = len(self.knots_)
        S, c = m.xx, m.xy
        P = np.zeros_like(S)
        self.penalties_ = np.zeros(len(self.knots_))
        curved = self._spectra_of(m)
        self.penalties_[list(curved)] = penalties_for([values for *_, values in curved.values()], float(self.dof))
        for j, (here, omega, _) in curved.items():
            P[here, here] = self.penalties_[j] * omega
        coef, smoother = penalised(S, P, c)
        self.effective_dof_ = float(np.trace(smoother))
        self._set_linear(coef.T, m.y_mean - m.x_mean @ coef)
        self._solved = float(self.dof), m

    def _spectra_of(self, m: Moments) -> dict[int, tuple[slice, Matrix, Vector]]:
        """Return of each curved column where its basis lies, its bending, and what the penalty of each degree of freedom follows from.

        They do not depend on ``dof``: the variants of a fit share them.
        """
        known = vars(self).get("_spectra")
        if known is None or known[0] is not m:
            found, at = {}, 0
            for j, knots in enumerate(self.knots_):
                width = max(len(knots) - 1, 1)
                if width > 1:
                    here, omega = slice(at, at + width), bending(knots)
                    found[j] = here, omega, spectrum(m.xx[here, here], omega)
                at += width
            self._spectra = known = m, found
        return known[1]

    def variants(self, parameter: str, values: Sequence[Any]) -> list[Self] | None:
        """Return the curves with other degrees of freedom, on the same knots."""
        if parameter != "dof":
            return None
        return [self._at(value) for value in values]

    def _at(self, dof: float) -> Self:
        """Return the curves with other degrees of freedom; those that were solved last are known."""
        other, known = copy.copy(self).set_params(dof=dof), vars(self).get("_solved")
        solved = known is not None and known[0] == dof and known[1] is self.moments_
        return other if solved else other.fit_moments(self.moments_)

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


def in_order(x: Vector, w: Vector) -> tuple[Vector, Vector]:
    """Return the values in increasing order, and the weight that is reached with each."""
    if (w == w[0]).all():
        return np.sort(x), w[0] * np.arange(1.0, len(x) + 1)
    order = np.argsort(x, kind="stable")
    return x[order], np.cumsum(w[order])


def quantiles(values: Vector, reached: Vector, shares: Vector) -> Vector:
    """Return the values below which given shares of the weight lie; weight 2 is the row twice.

    >>> quantiles(*in_order(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0])), np.array([0.0, 0.5, 1.0]))
    array([1., 2., 3.])
    """
    at = np.searchsorted(reached, shares * reached[-1] * (1 - 1e-12))
    return values[np.minimum(at, len(values) - 1)]


def penalised(S: Matrix, P: Matrix, c: Matrix) -> tuple[Matrix, Matrix]:
    """Return ``(S + P)^-1 c`` and the smoother ``(S + P)^-1 S``.

    Constant columns, and more curves than rows can tell apart, get the least norm: then the eigenvalues are looked at.
    """
    with suppress(SingularProblem):
        factor = Cholesky(S + P)
        if factor.condition < SOUND:
            return factor.solve(c), factor.solve(S)
    size = np.sqrt(np.diag(S + P))
    scale = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)  # a column that is constant gets 0
    values, V = np.linalg.eigh(scale[:, None] * (S + P) * scale)
    kept = values > 1e-9 * values[-1]
    half = scale[:, None] * V[:, kept] / np.sqrt(values[kept])  # half @ half.T is the inverse of S + P
    return half @ (half.T @ c), half @ (half.T @ S)


def spectrum(S: Matrix, omega: Matrix) -> Vector:
    """Return the eigenvalues of the bending ``omega`` in units of ``S``: how soon a penalty flattens each direction."""
    scale = np.sqrt(np.maximum(np.diag(S), np.finfo(float).tiny))
    R = S / np.outer(scale, scale) + 1e-10 * np.eye(len(S))
    return np.maximum(eigh(omega / np.outer(scale, scale), R, eigvals_only=True), 0.0)


def penalties_for(spectra: Sequence[Vector], dof: float) -> Vector:
    """Return for each column the penalty at which the trace of ``S (S + lam omega)^-1`` is ``dof``, from the :func:`spectrum` of both.

    A column with no more directions than that has none. The trace falls along the logarithm of the penalty, which is halved
    about for all columns at once until its digits end.

    >>> penalties_for([spectrum(np.eye(2), np.diag([0.0, 1.0]))], 1.5).round(6)
    array([1.])
    """
    widths = np.array([len(values) for values in spectra])
    table = np.full((len(spectra), max(widths, default=0)), np.inf)  # a direction that is not there has no freedom
    for own, values in zip(table, spectra, strict=True):
        own[: len(values)] = values
    wanted = np.maximum(
        np.minimum(dof, widths), 1 + 1e-5
    )  # the straight line, nearly: more would drown the data in rounding

    def exceeds(logs: Vector) -> np.ndarray:
        return (1.0 / (1.0 + 10.0 ** logs[:, None] * table)).sum(axis=1) > wanted

    low, high = np.full(len(spectra), -30.0), np.full(len(spectra), 30.0)
    bent = exceeds(low)
    for _ in range(52):
        middle = (low + high) / 2
        more = exceeds(middle)
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    return np.where(bent, 10.0 ** ((low + high) / 2), 0.0)
