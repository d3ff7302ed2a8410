r"""Quantile regression: the line that a given share of the targets lies under.

.. math:: \min_{w, b} \; \frac{1}{\sum_i c_i} \sum_i c_i\, e_\tau(x_i^\top w + b, y_i) + \alpha \|w\|_1, \qquad
          e_\tau(\hat t, t) = \max\bigl(\tau (t - \hat t), (1 - \tau)(\hat t - t)\bigr), \tag{1}

with :math:`c_i` the weight of row i. :math:`\tau = 1/2` is the line of least absolute deviations. (1) is a linear programme; its dual has a
box for each row,

.. math:: \max_a \; y^\top a \quad \text{with} \quad X^\top a = (1 - \tau) X^\top c, \quad 0 \le a \le c, \tag{2}

and one row more :math:`(e_j, 0)` with a box :math:`2 \alpha \sum c` for each penalised coefficient. An interior point walks through the
boxes (Frisch's logarithms, Newton's steps, Mehrotra's correction): a step is a weighted Gram matrix :math:`X^\top Q X` of the rows, with
weights from how near each is to its walls, and some twenty steps do. The answer passes through as many rows as it has coefficients: the
last step goes to that corner.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import SearchWarning, SingularProblem, WrongUse
from epee.estimator.base import Regressor, say
from epee.solve.cholesky import Cholesky
from epee.solve.minimum_norm import MinimumNorm
from epee.typing import Matrix, Vector

NEARLY = 0.9995  # of the way to the nearest wall
SOLVERS = ("highs", "highs-ds", "highs-ipm", "interior-point", "revised simplex")


class QuantileRegressor(Regressor):
    r"""Linear regression of a quantile, by an interior point.

    Parameters
    ----------
    quantile : float in (0, 1), default=0.5
        :math:`\tau` in (1): the share of targets that lie under the line; a larger one lies higher.
    alpha : float >= 0, default=1.0
        Weight of the penalty in (1); 0 is plain quantile regression, large sends ``coef_`` to 0.
    fit_intercept : bool, default=True
        Whether b is free; it is not penalised.
    solver : str, default="highs"
        scikit-learn's names; all are the interior point here.
    solver_options : dict, default=None
        ``{"max_iter": 100, "tol": 1e-9}``: steps at most, and the gap of (1) and (2) at which they end, as a share of the errors.

    Attributes
    ----------
    coef_, intercept_ : array (p,), float
    n_iter_ : int

    Notes
    -----
    :math:`O(n p^2)` a step, some twenty steps; dependent columns share their weight. Where (1) has several minima, one of them is given.

    References
    ----------
    Portnoy and Koenker, "The Gaussian hare and the Laplacian tortoise", *Statistical Science* 12, 1997.

    Examples
    --------
    >>> x = np.arange(11.0)[:, None]
    >>> y = x[:, 0] + np.array([0, 5, 0, 1, 0, 2, 0, 1, 0, 3, 0])
    >>> QuantileRegressor(quantile=0.4, alpha=0).fit(x, y).predict([[20.0]]).round(6)
    array([20.])
    """

    _takes_sparse = "dense"

    def __init__(
        self, *, quantile: float = 0.5, alpha: float = 1.0, fit_intercept: bool = True, solver: str = "highs", solver_options: Any = None,
    ) -> None:  # fmt: skip
        self.quantile = quantile
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.solver_options = solver_options

    def _fit(self, X: Matrix, y: Vector, w: Vector | None) -> None:
        if not 0 < self.quantile < 1:
            raise WrongUse(f"quantile is {self.quantile!r}; it must lie between 0 and 1, as 0.9 does.")
        if not (np.isfinite(self.alpha) and self.alpha >= 0):
            raise WrongUse(f"alpha is {self.alpha!r}; it must be a number of at least 0.")
        if self.solver not in SOLVERS:
            raise WrongUse(f"solver is {self.solver!r}; it must be one of {', '.join(map(repr, SOLVERS))}.")
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        c = np.ones(len(y)) if w is None else np.asarray(w, dtype=np.float64)
        X, y, c = X[c > 0], y[c > 0], c[c > 0]
        n, p = X.shape
        shift = np.average(X, axis=0, weights=c) if self.fit_intercept else np.zeros(p)
        size = np.abs(X - shift).max(axis=0, initial=0.0)
        size[size == 0] = 1.0
        A = np.column_stack([(X - shift) / size, np.ones(n)] if self.fit_intercept else [X / size])
        share = np.full(n, 1 - self.quantile)
        level = float(np.median(y)) if self.fit_intercept else 0.0
        scale = float(np.abs(y - level).max(initial=0.0)) or 1.0
        y = (y - level) / scale
        if self.alpha > 0 and p:
            weights = self.alpha * c.sum() / size
            A = np.vstack([A, np.eye(p, A.shape[1])])
            y, c, share = np.append(y, np.zeros(p)), np.append(c, 2 * weights), np.append(share, np.full(p, 0.5))
        theta = scale * self._programme(A, y, c, share) if A.shape[1] else np.empty(0)
        self.coef_ = theta[:p] / size
        self.intercept_ = float(theta[-1] + level - shift @ self.coef_) if self.fit_intercept else 0.0

    def _predict(self, X: Matrix) -> Matrix:
        return X @ self.coef_ + self.intercept_

    def _programme(self, A: Matrix, y: Vector, c: Vector, share: Vector) -> Vector:
        """Return the coefficients of least (1) for rows with boxes c, of which the share is where the walk begins."""
        options = {"max_iter": 100, "tol": 1e-9} | dict(self.solver_options or {})
        U, sizes, V = np.linalg.svd(A, full_matrices=False)
        kept = sizes > sizes.max(initial=0.0) * 1e-11
        U = U[:, kept]
        found, self.n_iter_, gap = walk(U, y, c, share * c, int(options["max_iter"]), float(options["tol"]))
        if gap > 100 * float(options["tol"]):
            say(f"the search did not settle in {self.n_iter_} steps; raise max_iter.", SearchWarning)
        found = corner(U, y, c, share, found)
        return np.asarray(V[kept].T @ (found / sizes[kept]), dtype=np.float64)


def walk(A: Matrix, y: Vector, u: Vector, x: Vector, most: int, tol: float) -> tuple[Vector, int, float]:
    """Return coefficients (r,) of least (1) by (2), the steps taken and the gap that is left; ``x`` lies within the boxes ``u``."""
    s, b = u - x, A.T @ x
    theta = np.linalg.lstsq(A, -y, rcond=None)[0]
    r = -y - A @ theta
    r = np.where(r == 0, 1e-3, r)
    z = np.where(r > 0, r, 0.0) + 1e-3
    w = z - r
    w, z = np.maximum(w, 1e-3), np.maximum(z, 1e-3)
    size = float(u @ np.abs(y)) or 1.0
    gap, steps = np.inf, 0
    while steps < most:
        steps += 1
        residual = -y - A @ theta - z + w  # what keeps the dual from holding
        q = 1 / (z / x + w / s)
        factor = _gram(A, q)
        fall, astray = z - w + residual, b - A.T @ x  # rounding leads off the plane of (2), and each step leads back
        toward = factor.solve(A.T @ (q * fall) + astray)
        dx = q * (A @ toward - fall)
        dz, dw = -z * (1 + dx / x), -w * (1 - dx / s)
        fp = min(NEARLY * min(_reach(x, dx), _reach(s, -dx)), 1.0)
        fd = min(NEARLY * min(_reach(z, dz), _reach(w, dw)), 1.0)
        if min(fp, fd) < 1:
            mu = float(z @ x + w @ s)
            then = float((z + fd * dz) @ (x + fp * dx) + (w + fd * dw) @ (s - fp * dx))
            mu *= (then / mu) ** 3 / (2 * len(y))
            bent = mu * (1 / x - 1 / s) - dx * dz / x - dx * dw / s
            toward = factor.solve(A.T @ (q * (fall - bent)) + astray)
            after = q * (A @ toward - fall + bent)
            dz = mu / x - z - (z * after + dx * dz) / x
            dw = mu / s - w + (w * after + dx * dw) / s
            dx = after
            fp = min(NEARLY * min(_reach(x, dx), _reach(s, -dx)), 1.0)
            fd = min(NEARLY * min(_reach(z, dz), _reach(w, dw)), 1.0)
        x, s = x + fp * dx, s - fp * dx
        theta, w, z = theta + fd * toward, w + fd * dw, z + fd * dz
        gap = float(z @ x + w @ s) / size  # of (1) and (2); as a difference of both it would end in their rounding
        if gap < tol and float(np.abs(residual).max()) < 1e-7:
            break
    return np.asarray(-theta, dtype=np.float64), steps, gap


def _gram(A: Matrix, q: Vector) -> Any:
    S = (A * q[:, None]).T @ A
    try:
        factor: Any = Cholesky(S)
    except SingularProblem:
        return MinimumNorm.of_scatter(S)
    return factor if factor.condition < 1e14 else MinimumNorm.of_scatter(S)


def _reach(x: Vector, dx: Vector) -> float:
    """Return how far along ``dx`` all of ``x`` stay positive."""
    falls = dx < 0
    return float((-x[falls] / dx[falls]).min(initial=1e20))


def corner(A: Matrix, y: Vector, c: Vector, share: Vector, theta: Vector) -> Vector:
    """Return the coefficients that pass through the nearest rows, where these lose no more."""
    near = np.argsort(np.abs(y - A @ theta), kind="stable")[: 3 * len(theta)]
    chosen: list[int] = []
    basis = np.empty((0, A.shape[1]))
    for i in near:  # rows that are independent, nearest first
        rest = A[i] - basis.T @ (basis @ A[i])
        length = float(np.linalg.norm(rest))
        if length > 1e-9 * max(float(np.linalg.norm(A[i])), 1e-300):
            basis, chosen = np.vstack([basis, rest / length]), [*chosen, int(i)]
        if len(chosen) == len(theta):
            there = np.asarray(np.linalg.solve(A[chosen], y[chosen]), dtype=np.float64)
            return there if _cost(A, y, c, share, there) <= _cost(A, y, c, share, theta) * (1 + 1e-12) else theta
    return theta


def _cost(A: Matrix, y: Vector, c: Vector, share: Vector, theta: Vector) -> float:
    r = A @ theta - y
    return float(c @ np.maximum(share * r, (share - 1) * r))
