r"""Polynomial regression.

.. math:: h(x) = \omega_0 + \sum_{j=1}^{M} \omega_j x^j. \tag{1}

The powers of :math:`x` are nearly collinear, so the fit is made in Chebyshev polynomials of :math:`t = (x - c)/s \in [-1, 1]`,

.. math:: T_0 = 1, \quad T_1 = t, \quad T_{j+1} = 2 t\, T_j - T_{j-1},

which span the same functions with a modest condition number; :math:`s` is a power of two, so that :math:`t` is exact. The
coefficients are then expanded in :math:`x` by exact rational arithmetic. The classes are nested: with :math:`S = U^\top U` of the basis
and :math:`Q = T U^{-1}`, the first columns of :math:`Q` are those of a smaller degree, so that all degrees have their predictions,
leverages and left-out errors from one factor. Several inputs enter by the sum of a polynomial of each (products are the
business of :class:`~epee.PolynomialFeatures`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from sklearn.base import clone

from epee.engines.choice import LOCAL, engine_for
from epee.errors import ConditionWarning, WrongUse
from epee.estimator.base import say
from epee.estimator.moment import MomentRegressor
from epee.estimator.smoother import LinearSmoother
from epee.kernels.compensated import Pair, multiply, subtract, two_sum
from epee.moments.moments import Moments
from epee.predictors.regression.influence import CERTAIN, Influence
from epee.predictors.regression.ols import EPS, LinearRegression
from epee.predictors.regression.ols_inference import Inference
from epee.solve.cholesky import Cholesky
from epee.solve.refine import refine
from epee.table.block import Block, Source
from epee.table.view import View
from epee.typing import ArrayLike, Matrix, Tensor, Vector

SMALL = 200_000  # cells: up to here coefficients in x are polished in double-double


class PolynomialRegression(Inference, Influence, LinearSmoother, MomentRegressor):
    r"""Least squares on the powers 1 to ``degree`` of each input.

    Parameters
    ----------
    degree : int >= 0, default=2
        :math:`M`; a larger one fits the sample better, and beyond the right one predicts worse. ``n - 1`` interpolates.
    fit_intercept : bool, default=True
        Estimate :math:`\omega_0`.

    Attributes
    ----------
    coef_ : array (M p,) or (m, M p)
        :math:`\omega`, the powers 1 to M of the first input, then of the next.
    intercept_ : float or array (m,)
    sigma2_, residual_variance_, coef_covariance_ : as in :class:`LinearRegression`

    Notes
    -----
    Two passes (the range, then the sums) and :math:`O((Mp)^3)`. Outside the range of the sample the polynomial goes where its
    highest power leads: do not extrapolate. More coefficients than distinct inputs: the solution of smallest norm in the
    Chebyshev basis.

    References
    ----------
    Björck, *Numerical Methods for Least Squares Problems*, section 8.2.

    Examples
    --------
    >>> x = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = PolynomialRegression(2).fit(x, [1.0, 2.0, 5.0, 10.0])
    >>> model.coef_.round(9) + 0.0, round(float(model.intercept_), 9)
    (array([0., 1.]), 1.0)
    """

    state_parts = ("_centre_x", "_half", "_line", "_loss")

    positive = False
    is_linear = False
    needs_rows = True  # of folds: its sums are those of a basis that depends on the range
    _raw: Source | None

    def __init__(self, degree: int = 2, *, fit_intercept: bool = True) -> None:
        self.degree = degree
        self.fit_intercept = fit_intercept

    def _check(self) -> int:
        if not isinstance(self.degree, int | np.integer) or self.degree < 0:
            raise WrongUse(f"degree is {self.degree!r}; it must be a whole number of at least 0.")
        return int(self.degree)

    answers_anywhere = False  # the basis is made here

    def _view(self, source: Source, reset: bool) -> Source:
        """Return the rows in the Chebyshev basis of the range of the first ones."""
        degree = self._check()
        if reset:
            self._centre_x, self._half = span_of(source, self.fit_intercept)
        self._raw = source
        basis, width = Basis(self._centre_x, self._half, degree, self.fit_intercept), source.n_columns * degree
        return View(source, basis, n_columns=width, origin=np.zeros(width))  # the basis lies around zero

    def _look(self, m: Moments) -> None:
        """Constant inputs are named by the rank."""

    def _finish(self, source: Source) -> None:
        self._raw = None
        p = self.n_features_in_
        if self._line.rank_ < self.degree * p:
            few = p > 1 and self._line._count <= p
            what = "there are too few rows" if few else "the inputs take too few distinct values"
            say(
                f"{what} for degree {self.degree} (rank {self._line.rank_} of {self.degree * p}): "
                f"the shortest solution is given. {'Take fewer columns' if few else 'Lower the degree'}.", ConditionWarning,
            )  # fmt: skip

    def _solve(self, m: Moments) -> None:
        p = getattr(self, "_features", None) or max(m.p // max(self._check(), 1), 1)
        self.n_features_in_ = len(self._centre_x) if hasattr(self, "_centre_x") else p
        self._line = ChebyshevLine(fit_intercept=self.fit_intercept)
        self._line._one_target = False
        self._line.fit_moments(m)
        self._expand()

    def refine(self, source: Source, m: Moments) -> None:
        self._line.refine(source, m)
        self._expand()
        raw = self._raw
        assert raw is not None
        cells = (raw.n_rows or SMALL) * max(source.n_columns, 1)
        if (
            cells >= SMALL
            or not source.n_columns
            or not np.isfinite(self._line._factor.condition)
            or self._loss <= 1e-12
        ):
            return
        line = self._line
        level = line.intercept_ + line._centre @ line.coef_.T if self.fit_intercept else None
        done = refine(
            raw, line._factor, line._centre, line.coef_.T, level, line._count, EPS * line._factor.condition,
            columns=ExactBasis(self._centre_x, self._half, self._check(), self.fit_intercept),
        )  # fmt: skip
        line._adopt(line._factor, done.coef, done.intercept, done.rss)
        self._expand(done.pair, done.level)

    def _expand(self, pair: Pair | None = None, level: Pair | None = None) -> None:
        """Set the coefficients in x from those of the basis."""
        line, M, p = self._line, self._check(), len(self._centre_x)
        c = (line.coef_.T, np.zeros_like(line.coef_.T)) if pair is None else pair  # (M p, m)
        constant = np.broadcast_to(line.intercept_, len(line.coef_))
        a = (constant, 0 * constant) if level is None else level
        m = c[0].shape[1]
        coef, intercept, self._loss = np.zeros((m, M * p)), np.zeros(m), 0.0
        tables = [expansion(M, self._centre_x[j], self._half[j]) for j in range(p)]
        for k in range(m):
            start = Fraction(float(a[0][k])) + Fraction(float(a[1][k]))
            for j, table in enumerate(tables):
                inner = [Fraction(float(c[0][d * p + j, k])) + Fraction(float(c[1][d * p + j, k])) for d in range(M)]
                parts = [[inner[d - 1] * table[d][i] for d in range(max(i, 1), M + 1)] for i in range(M + 1)]
                powers = [sum(terms, Fraction(0)) for terms in parts]
                size = [sum(map(abs, terms), Fraction(0)) for terms in parts]
                self._loss = max(
                    [self._loss, *(EPS * float(s / abs(v)) for s, v in zip(size, powers, strict=True) if v)]
                )
                start += powers[0] if self.fit_intercept else 0
                coef[k, j * M : (j + 1) * M] = [float(v) for v in powers[1:]]
            intercept[k] = float(start)
        self._set_linear(coef, intercept)
        if not self.fit_intercept:
            self.intercept_ = 0.0

    def _basis(self, X: Matrix) -> Matrix:
        return chebyshev(np.asarray(X, dtype=np.float64), self._centre_x, self._half, self._check(), self.fit_intercept)

    def _predict(self, X: Matrix) -> Matrix:
        fitted = self._line._predict(self._basis(X))
        return fitted[:, 0] if np.ndim(self.coef_) == 1 else fitted

    def _spread(self, X: Matrix) -> Vector:
        return self._line._spread(self._basis(X))

    _factor = property(lambda self: self._line._factor)
    _rss = property(lambda self: self._line._rss)
    _tss = property(lambda self: self._line._tss)
    _count = property(lambda self: self._line._count)
    _rows = property(lambda self: self._line._count)
    _log_weights = 0.0
    rank_ = property(lambda self: self._line.rank_)

    def _coef_names(self) -> list[str]:
        inputs = super()._coef_names()
        inputs = ["x"] if len(inputs) == 1 and not hasattr(self, "feature_names_in_") else inputs
        return [name if d == 1 else f"{name}^{d}" for name in inputs for d in range(1, self._check() + 1)]

    def _parameter_functions(self) -> Matrix:
        """Return intercept and coefficients of the powers of x as combinations of those of the basis (M p, k)."""
        M, p = self._check(), len(self._centre_x)
        A = np.zeros((1 + M * p, M * p))  # powers of x from coefficients of the basis
        for j in range(p):
            table = expansion(M, self._centre_x[j], self._half[j])
            for d in range(1, M + 1):
                A[[0, *range(1 + j * M, 1 + j * M + d)], (d - 1) * p + j] = [float(v) for v in table[d][: d + 1]]
        if not self.fit_intercept:
            return A[1:].T
        A[0] -= self._line._centre
        return A.T

    def _parameter_inverse(self) -> Matrix:
        """Return the inverse of the cross-products of the powers of x, intercept first."""
        half = self._factor.half_solve(self._parameter_functions())
        inverse = half.T @ half
        if self.fit_intercept:
            inverse[0, 0] += 1 / self._count
        return inverse

    def _estimable_rows(self, X: Matrix) -> np.ndarray:
        return self._line._estimable_rows(self._basis(X))

    def solve_path(self, m: Moments, parameter: str, values: ArrayLike) -> tuple[Tensor, Tensor, Tensor]:
        """Return the solutions of several degrees, up to ``degree``, in the basis that :meth:`moments` sums.

        As in :meth:`Ridge.solve_path`: coef (F, V, m, Mp), zero beyond each degree, intercept (F, V, m) and dof (F, V).
        """
        degrees, p = self._degrees(parameter, values), len(self._centre_x)
        folds = m.count.shape[0] if m.axes else None
        parts = [m] if folds is None else [m.at("fold", k) for k in range(folds)]
        coef = np.zeros((len(parts), len(degrees), m.targets, m.p))
        intercept, dof = np.zeros((len(parts), len(degrees), m.targets)), np.zeros((len(parts), len(degrees)))
        for f, part in enumerate(parts):
            for v, d in enumerate(degrees):
                line = ChebyshevLine(fit_intercept=self.fit_intercept)
                line._one_target = False
                line.fit_moments(part.take([*range(d * p), *range(m.p, m.n_columns)]))
                coef[f, v, :, : d * p], intercept[f, v] = line.coef_, line.intercept_
                dof[f, v] = line.rank_ + int(self.fit_intercept)
        return (coef[0], intercept[0], dof[0]) if folds is None else (coef, intercept, dof)

    def _degrees(self, parameter: str, values: ArrayLike) -> list[int]:
        degrees = [int(v) for v in np.atleast_1d(np.asarray(values))]
        if parameter != "degree" or min(degrees, default=0) < 0 or max(degrees, default=0) > self._check():
            raise WrongUse(f"the path is in 'degree' from 0 to {self.degree}, not in {parameter!r} {values!r}.")
        return degrees

    def left_out_path(self, X: Any, y: Any, w: Vector | None, parameter: str, values: ArrayLike) -> Tensor | None:
        """Return predictions without the row for every degree, (V, n) or (V, n, m), from one factor."""
        if parameter != "degree":
            return None
        degrees = [int(v) for v in np.atleast_1d(np.asarray(values))]
        model = clone(self).set_params(degree=max(degrees))
        source = model.rows_in(X, y, w)
        m = model._sum(source)
        model.fit_moments(m)
        model._line.refine(source, m)
        if not isinstance(model._factor, Cholesky):
            return np.stack([clone(self).set_params(degree=d).left_out(X, y, w) for d in degrees])
        work = LeftOutDegrees(model._line, [d * len(model._centre_x) for d in degrees])
        left = np.concatenate(list(engine_for(source).map(source, work)), axis=1)  # (V, n, m)
        worst = (~np.isfinite(left)).any(axis=(1, 2))
        for v in np.flatnonzero(worst):
            left[v] = clone(self).set_params(degree=degrees[v]).left_out(X, y, w).reshape(left[v].shape)
        return left[..., 0] if model._one_target else left


class ChebyshevLine(LinearRegression):
    """Least squares on the basis; what is collinear there is said in words of x by the polynomial."""

    def _say_condition(self, rows: bool = True) -> None:
        pass


@dataclass(frozen=True)
class LeftOutDegrees:
    """The pass that predicts each row without itself, for all degrees at once: the first columns of Q are the smaller degrees."""

    line: Any
    widths: list[int]

    def __call__(self, block: Block) -> Tensor:
        line, n = self.line, len(block)
        U = line._factor.root
        inverse = np.linalg.solve(U, np.eye(len(U))) if len(U) else U  # (P, P)
        Q = (block.X - line._centre) @ inverse  # (n, P)
        Y = np.asarray(block.y, dtype=np.float64).reshape(n, -1)
        level = line.intercept_ + line._centre @ line.coef_.T if line.fit_intercept else np.zeros(Y.shape[1])
        theta = U @ line.coef_.T  # (P, m)
        h0 = np.full((n, 1), 1 / line._count if line.fit_intercept else 0.0)
        h = np.hstack([h0, h0 + np.cumsum(Q * Q, axis=1)])[:, self.widths]  # (n, V)
        out = []
        for k in range(Y.shape[1]):
            fitted = np.hstack([np.zeros((n, 1)), np.cumsum(Q * theta[:, k], axis=1)])[:, self.widths] + level[k]
            part = h if block.weight is None else h * np.minimum(block.weight, 1.0)[:, None]
            rest = np.where(part < CERTAIN, 1 - part, np.nan)
            left = Y[:, k : k + 1] - (Y[:, k : k + 1] - fitted) / rest
            out.append(left if block.weight is None else np.where((block.weight > 0)[:, None], left, fitted))
        return np.stack(out, axis=-1).transpose(1, 0, 2)


@dataclass(frozen=True, eq=False)
class Basis:
    """The change of a block to the Chebyshev basis: columns T_1 of every input, then T_2, ..."""

    centre: Vector
    half: Vector
    degree: int
    free: bool

    def __call__(self, block: Block) -> Block:
        X = np.asarray(block.X, dtype=np.float64)
        return block.having(X=chebyshev(X, self.centre, self.half, self.degree, self.free))


def at_zero(degree: int) -> Vector:
    """Return T_1(0) ... T_M(0).

    >>> at_zero(4)
    array([ 0., -1.,  0.,  1.])
    """
    return np.array([0.0, -1.0, 0.0, 1.0])[np.arange(degree) % 4]


def chebyshev(X: Matrix, centre: Vector, half: Vector, degree: int, free: bool = True) -> Matrix:
    """Return T_1 ... T_M of every input, (n, M p), the degrees of all inputs side by side.

    Without a free constant T_d - T_d(0), which vanish at t = 0, take their place.

    >>> chebyshev(np.array([[3.0]]), np.array([1.0]), np.array([4.0]), 3)
    array([[ 0.5, -0.5, -1. ]])
    """
    t = (X - centre) / half  # (n, p)
    p = t.shape[1]
    T = np.empty((len(t), degree * p))
    for d in range(degree):
        at = slice(d * p, (d + 1) * p)
        if d == 0:
            T[:, at] = t
        else:
            before = 1.0 if d == 1 else T[:, (d - 2) * p : (d - 1) * p]
            np.multiply(t, T[:, (d - 1) * p : d * p], out=T[:, at])
            T[:, at] *= 2.0
            T[:, at] -= before
    if not free:
        T -= np.repeat(at_zero(degree), p)
    return T


@dataclass(frozen=True)
class ExactBasis:
    """The same columns in double-double."""

    centre: Vector
    half: Vector
    degree: int
    free: bool

    def __call__(self, block: Block) -> Pair:
        h, low = two_sum(np.asarray(block.X, dtype=np.float64), -self.centre)
        t: Pair = (h / self.half, low / self.half)
        before: Pair = (np.ones_like(h), np.zeros_like(h))
        T = [t]
        for _ in range(self.degree - 1):
            product = multiply(t, T[-1])
            T.append(subtract((2 * product[0], 2 * product[1]), before))
            before = T[-2]
        basis = np.hstack([a for a, _ in T]), np.hstack([b for _, b in T])
        if self.free:
            return basis
        zero = np.repeat(at_zero(self.degree), h.shape[1])
        return subtract(basis, (zero, 0 * zero))


def expansion(degree: int, centre: float, half: float) -> list[list[Fraction]]:
    """Return the powers of x in T_0 ... T_M of (x - centre) / half, exactly: entry [d][i] multiplies x^i in T_d."""
    (cn, cd), (sn, sd) = float(centre).as_integer_ratio(), float(half).as_integer_ratio()
    in_t = [[1], [0, 1]]
    for d in range(2, degree + 1):
        twice = [0, *(2 * v for v in in_t[d - 1])]
        in_t.append([v - (in_t[d - 2][i] if i < d - 1 else 0) for i, v in enumerate(twice)])

    def entry(
        d: int, i: int
    ) -> Fraction:  # whole numbers over one denominator: x^i in t^k is comb(k, i) (-c)^(k - i) / s^k
        terms = (
            in_t[d][k] * comb(k, i) * (-cn) ** (k - i) * sd**k * (cd * sn) ** (d - k)
            for k in range(i, d + 1)
            if in_t[d][k]
        )
        return Fraction(sum(terms), cd ** (d - i) * sn**d)

    return [[entry(d, i) for i in range(d + 1)] + [Fraction(0)] * (degree - d) for d in range(degree + 1)]


def _extremes(block: Block) -> tuple[Vector, Vector]:
    X = np.asarray(block.X if block.weight is None else block.X[block.weight > 0], dtype=np.float64)
    return X.min(axis=0, initial=np.inf), X.max(axis=0, initial=-np.inf)


def _wider(a: tuple[Vector, Vector], b: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
    return np.fmin(a[0], b[0]), np.fmax(a[1], b[1])


def span_of(source: Source, free: bool = True) -> tuple[Vector, Vector]:
    """Return the centre of each input's range (0 without a free constant), and a power of two of at least its half width."""
    engine = engine_for(source) if source.is_away else LOCAL
    low, high = engine.reduce(source, _extremes, merge=_wider, rows=65536)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        from epee.table.block import refuse_bad_source

        refuse_bad_source(source)
    half = high / 2 - low / 2 if free else np.maximum(np.abs(low), np.abs(high))
    return low + half if free else np.zeros_like(half), np.exp2(np.ceil(np.log2(np.where(half > 0, half, 1.0))))
