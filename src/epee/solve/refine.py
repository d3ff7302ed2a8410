r"""Least squares to full precision: corrections from residuals of twice the precision.

With any decent factor of :math:`S`, from Cholesky or from merged QR factors, the step

.. math:: r = y - a - (x - \bar x)^\top \beta, \qquad g = \sum_i w_i (x_i - \bar x)\, r_i, \qquad
          \beta \leftarrow \beta + S^{-1} g, \quad a \leftarrow a + \bar r \tag{1}

multiplies the error of :math:`\beta` by about :math:`\varepsilon \kappa`: that of Cholesky's factor has :math:`\kappa = \kappa(S)`, that
of a QR factor its square root. Where the residuals and their sums are formed in double-double
(:mod:`epee.kernels.compensated`), the steps end at the solution for the very numbers in the table, rounded. Without an
intercept :math:`\bar x = 0`, :math:`a = 0`.

Reference: Björck, *Numerical Methods for Least Squares Problems*, SIAM, 1996, section 2.9 (corrected seminormal equations).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.engines.choice import engine_for
from epee.kernels.compensated import Pair, add, multiply, subtract, total, two_sum
from epee.table.block import Block, Source
from epee.typing import Matrix, Vector

CELLS = 32768  # of a block in double-double: the dozen temporaries stay in the cache
MOST_STEPS = 12


@dataclass(frozen=True, eq=False)
class ResidualSums:
    """Sums over rows in double-double: of w r (m,), of w z r (p, m), of w r² (m,); they merge by adding."""

    ones: Pair
    gradient: Pair
    squares: Pair

    def __add__(self, other: ResidualSums) -> ResidualSums:
        return ResidualSums(
            add(self.ones, other.ones), add(self.gradient, other.gradient), add(self.squares, other.squares)
        )


@dataclass(frozen=True, eq=False)
class Residuals:
    """The pass of one step of (1): what a block is reduced to."""

    mean: Vector  # (p,)
    coef: Pair  # (p, m)
    level: Pair  # (m,) the prediction at the mean
    columns: Callable[[Block], Pair] | None = None  # the columns of a block as pairs, where they are computed from it
    said = "the refinement of an ill-conditioned fit"

    def __call__(self, block: Block) -> ResidualSums:
        m = len(self.level[0])
        if self.columns is None:
            z = two_sum(np.asarray(block.X, dtype=np.float64), -self.mean)  # (n, p) exact
        else:
            z = add(self.columns(block), (-self.mean, 0 * self.mean))
        y = np.asarray(block.y, dtype=np.float64).reshape(len(block), m)
        ones, gradient, squares = [], [], []
        for k in range(m):
            terms = multiply(z, (self.coef[0][:, k], self.coef[1][:, k]))  # (n, p)
            fitted = add(total(terms, axis=1), (self.level[0][k], self.level[1][k]))
            r = add((-fitted[0], -fitted[1]), (y[:, k], np.zeros(len(y))))  # (n,)
            wr = r if block.weight is None else multiply(r, (block.weight, np.zeros(len(y))))
            ones.append(total(wr))
            gradient.append(total(multiply(z, (wr[0][:, None], wr[1][:, None]))))
            squares.append(total(multiply(wr, r)))
        return ResidualSums(_stack(ones), _stack(gradient), _stack(squares))


def _stack(parts: list[Pair]) -> Pair:
    return np.stack([h for h, _ in parts], axis=-1), np.stack([low for _, low in parts], axis=-1)


@dataclass(frozen=True)
class Refined:
    """The solution: coefficients (p, m), intercepts (m,), residual sums of squares (m,), and the steps it took."""

    coef: Matrix
    intercept: Vector
    rss: Vector
    steps: int
    pair: Pair  # the coefficients in double-double (p, m)
    level: Pair  # the intercepts in double-double (m,)


def refine(
    source: Source, factor: Any, mean: Vector, coef: Matrix, level: Vector | None, count: float, rate: float,
    penalty: Vector | None = None, columns: Callable[[Block], Pair] | None = None,
) -> Refined:  # fmt: skip
    r"""Repeat (1) until nothing is left to correct.

    Parameters
    ----------
    source : Source
        The rows with their targets.
    factor : object with ``solve`` and ``half_solve``
        Of the scatter about ``mean``.
    mean : array (p,)
        Zero without an intercept.
    coef : array (p, m)
        First solution.
    level : array (m,) or None
        First prediction at the mean; None without an intercept.
    count : float
        Sum of weights.
    rate : float
        Expected factor by which one step shrinks the error.
    penalty : array (m,), optional
        Of a ridge for each target: :math:`g - \lambda \beta` replaces :math:`g`, and ``factor`` is of :math:`S + \lambda I`.
    columns : callable, optional
        Returns the columns of a block in double-double, where they are functions of what the source holds.
    """
    free = level is not None
    beta: Pair = (coef.copy(), np.zeros_like(coef))
    a: Pair = (np.zeros(coef.shape[1]) if level is None else level.copy(), np.zeros(coef.shape[1]))
    rows = max(16, CELLS // max(len(coef), 1))
    before, steps, rss = np.inf, 0, np.zeros(coef.shape[1])
    while steps < MOST_STEPS:
        sums: ResidualSums = engine_for(source).reduce(source, Residuals(mean, beta, a, columns), rows=rows)
        steps += 1
        g = sums.gradient[0]  # (p, m)
        if penalty is not None:
            g = subtract(sums.gradient, multiply(beta, (penalty, 0 * penalty)))[0]
        step = factor.solve(g)
        up = sums.ones[0] / count if free else np.zeros(len(a[0]))
        gain = (step * g).sum(axis=0) + (count * up**2 if free else 0.0)
        rss = sums.squares[0] if penalty is not None else np.maximum(sums.squares[0] - gain, 0.0)
        size = _relative(step, beta[0], factor)
        if not size < before / 2:  # rounding is all that is left
            break
        beta, a = add(beta, (step, np.zeros_like(step))), add(a, (up, np.zeros_like(up)))
        rate = max(rate, size / before) if np.isfinite(before) else rate
        before = size
        if size * rate < 1e-18 and (gain <= 0.5 * sums.squares[0]).all():  # else the residuals themselves are rounding
            break
    shift = total(multiply((mean[:, None], np.zeros((len(mean), 1))), beta))
    level_pair = subtract(a, shift) if free else (np.zeros(len(a[0])), np.zeros(len(a[0])))
    return Refined(beta[0] + beta[1], level_pair[0], rss, steps, beta, level_pair)


@dataclass(frozen=True, eq=False)
class PlainResiduals:
    """The same pass in ordinary precision: two products with each block."""

    mean: Vector
    coef: Matrix
    level: Vector

    def __call__(self, block: Block) -> list[Any]:
        z = np.asarray(block.X, dtype=np.float64) - self.mean
        r = np.asarray(block.y, dtype=np.float64).reshape(len(block), -1) - self.level - z @ self.coef
        wr = r if block.weight is None else block.weight[:, None] * r
        return [wr.sum(axis=0), z.T @ wr, (wr * r).sum(axis=0)]


def _add_each(a: list[Any], b: list[Any]) -> list[Any]:
    return [u + v for u, v in zip(a, b, strict=True)]


def plain_step(source: Source, factor: Any, mean: Vector, coef: Matrix, level: Vector | None, count: float) -> Refined:
    """Do one step of (1) in ordinary precision: enough for a well-conditioned problem whose residuals are tiny."""
    a = np.zeros(coef.shape[1]) if level is None else level
    for last in (False, True):
        work = PlainResiduals(mean, coef, a)
        ones, g, squares = engine_for(source).reduce(source, work, merge=_add_each)
        if last:
            break
        coef = coef + factor.solve(g)
        a = a + ones / count if level is not None else a
    intercept = a - mean @ coef if level is not None else a
    return Refined(coef, intercept, squares, 1, (coef, 0 * coef), (intercept, 0 * intercept))


def _relative(step: Matrix, beta: Matrix, factor: Any) -> float:
    """Return the size of a correction beside the coefficients, both in columns of unit norm; the worst target."""
    d = factor.scale[:, None]
    norm = np.sqrt(((d * beta) ** 2).sum(axis=0))
    change = np.sqrt(((d * step) ** 2).sum(axis=0))
    return float(np.divide(change, norm, out=np.where(change > 0, 1.0, 0.0), where=norm > 0).max(initial=0.0))
