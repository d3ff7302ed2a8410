r"""The lasso and the elastic net from moments.

.. math:: \min_w \; \frac1{2n} \|y - Xw\|^2 + \alpha\rho \|w\|_1 + \frac{\alpha(1-\rho)}2 \|w\|^2 \tag{1}

needs only :math:`G = X^\top X / n`, :math:`c = X^\top y / n` and :math:`y^\top y / n`. The whole path of penalties of every fold therefore
comes from the moments of one pass; a sweep costs :math:`O(p \cdot |\text{active}|)` whatever the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epee.errors import SingularProblem, WrongUse
from epee.moments.moments import Moments
from epee.solve.cholesky import Cholesky
from epee.solve.minimum_norm import MinimumNorm
from epee.solve.positive import non_negative
from epee.typing import Matrix, Tensor, Vector


@dataclass(frozen=True, eq=False)
class Quadratic:
    """What (1) sees of the data: G (p, p), c (p, m), yy (m,), and the means for the intercept."""

    G: Matrix
    c: Matrix
    yy: Vector
    x_mean: Vector
    y_mean: Vector

    @classmethod
    def of(cls, m: Moments, intercept: bool = True) -> Quadratic:
        """Return the quadratic of moments, about the means or, without intercept, about zero."""
        n = float(m.count)
        G, c, yy = m.xx / n, m.xy / n, np.diagonal(m.yy) / n
        if intercept:
            return cls(G, c, yy, m.x_mean, m.y_mean)
        x, y = m.x_mean, m.y_mean
        zero = np.zeros_like
        return cls(G + np.outer(x, x), c + np.outer(x, y), yy + y**2, zero(x), zero(y))

    def largest_alpha(self, ratio: float) -> float:
        """Return the penalty above which every coefficient is zero."""
        return float(np.sqrt((self.c**2).sum(axis=1)).max(initial=0.0)) / max(ratio, 1e-300)

    def path(
        self,
        alphas: Vector,
        ratio: float,
        *,
        tol: float,
        max_iter: int,
        positive: bool = False,
        start: Matrix | None = None,
    ) -> tuple[Tensor, Matrix, Matrix]:
        """Return coefficients (A, m, p), gaps (A, m) and sweeps (A, m) along penalties in decreasing order."""
        from epee.kernels.lasso import gram_path

        p, m = self.c.shape
        G = np.ascontiguousarray(self.G)
        W, gaps, sweeps = (
            np.empty((len(alphas), m, p)),
            np.empty((len(alphas), m)),
            np.empty((len(alphas), m), dtype=int),
        )
        for t in range(m):
            begin = np.zeros(p) if start is None else np.ascontiguousarray(start[t])
            W[:, t], gaps[:, t], sweeps[:, t] = gram_path(
                G, np.ascontiguousarray(self.c[:, t]), float(self.yy[t]), np.ascontiguousarray(alphas, dtype=np.float64), float(ratio),
                float(tol), int(max_iter), bool(positive), begin,
            )  # fmt: skip
        return W, gaps, sweeps

    def without_penalty(self, positive: bool = False) -> Matrix:
        """Return the coefficients (m, p) of least squares, the shortest where several are."""
        try:
            factor: Cholesky | MinimumNorm = Cholesky(self.G)
            if factor.condition > 1e14:
                factor = MinimumNorm.of_scatter(self.G)
        except SingularProblem:
            factor = MinimumNorm.of_scatter(self.G)
        coef: Matrix = non_negative(factor, self.c) if positive else factor.solve(self.c)
        return coef.T

    def intercepts(self, W: Tensor) -> Tensor:
        """Return the intercepts (..., m) of coefficients (..., m, p)."""
        return self.y_mean - W @ self.x_mean


def penalty_grid(largest: float, count: int, eps: float) -> Vector:
    """Return ``count`` penalties from the largest down to ``eps`` times it, evenly in the logarithm.

    >>> penalty_grid(1.0, 3, 1e-2)
    array([1.  , 0.1 , 0.01])
    """
    if count < 1 or not 0 < eps < 1:
        raise WrongUse(f"a path needs at least one penalty and eps between 0 and 1; got {count} and {eps!r}.")
    if largest <= np.finfo(float).resolution:
        return np.full(count, np.finfo(float).resolution)
    grid = np.geomspace(largest, largest * eps, count)
    grid[0] = largest
    return grid


def decreasing(alphas: Vector) -> tuple[Vector, np.ndarray]:
    """Return penalties in decreasing order, and how to put results back."""
    order = np.argsort(-np.asarray(alphas, dtype=np.float64), kind="stable")
    return np.asarray(alphas, dtype=np.float64)[order], np.argsort(order, kind="stable")
