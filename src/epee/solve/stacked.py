r"""Many small least squares at once: all the folds of a cross-validation, all the pairs of a nested one.

Every problem :math:`(S + \alpha I)\beta = c` of a stack is scaled to a unit diagonal, :math:`R`, and solved by LAPACK in one call. A
correlation matrix has its smallest eigenvalue bounded from below by its determinant,

.. math:: \lambda_{\min}(R) \ge \det(R) \Bigl(\frac{p-1}{p}\Bigr)^{p-1} \ge \frac{\det R}{e}, \tag{1}

which Cholesky's factor gives for nothing; where (1) does not settle it, the inverse does. Columns that depend on each other exactly, as
those of all the levels of a category do, leave eigenvalues of zero up to rounding and the others well apart: the shortest solution is then
taken from the spectrum. A stack with any other problem that would lose too many digits is left to the slow road.
"""

from __future__ import annotations

import numpy as np

from epee.moments.moments import Moments
from epee.typing import Matrix, Tensor

LARGEST_CONDITION = 1e6
ZERO = 1e-14  # an eigenvalue of a correlation matrix below this part of the largest is rounding: sums know no more


def well_conditioned(R: Tensor) -> bool:
    """Tell whether every matrix (F, p, p) of unit diagonal has a condition number below a million.

    >>> well_conditioned(np.array([[[1.0, 0.5], [0.5, 1.0]]])), well_conditioned(np.ones((1, 2, 2)))
    (True, False)
    """
    try:
        L = np.linalg.cholesky(R)
    except np.linalg.LinAlgError:
        return False
    p = R.shape[-1]
    with np.errstate(divide="ignore"):
        logdet = 2 * np.log(np.diagonal(L, axis1=-2, axis2=-1)).sum(axis=-1)
    unsure = logdet - 1 < np.log(p / LARGEST_CONDITION)  # no eigenvalue exceeds p
    if not unsure.any():
        return True
    try:
        inverse = np.linalg.inv(R[unsure])
    except np.linalg.LinAlgError:
        return False
    return bool((p * np.sqrt((inverse**2).sum(axis=(-2, -1))) <= LARGEST_CONDITION).all())


def stacked_least_squares(m: Moments, alpha: float = 0.0, *, intercept: bool = True) -> tuple[Tensor, Tensor] | None:
    """Return coefficients (F, m, p) and intercepts (F, m) for moments with an axis "fold"; None when digits would be lost.

    >>> X = np.array([[0.0], [1.0], [2.0], [0.0], [1.0], [3.0]]); y = np.array([1.0, 3.0, 5.0, 0.0, 1.0, 3.0])
    >>> coef, level = stacked_least_squares(Moments.of(X, y, fold=[0, 0, 0, 1, 1, 1]))
    >>> coef.ravel().round(12), level.ravel().round(12)
    (array([2., 1.]), array([1., 0.]))
    """
    S, C, x, y = m.xx, m.xy, m.x_mean, m.y_mean
    if not intercept:
        n = m.count[:, None, None]
        S, C = S + n * x[:, :, None] * x[:, None, :], C + n * x[:, :, None] * y[:, None, :]
    if alpha:
        S = S + alpha * np.eye(m.p)
    diagonal = np.diagonal(S, axis1=1, axis2=2)
    if not (diagonal > (8 * np.finfo(float).eps * x) ** 2 * m.count[:, None]).all():
        return None
    scale = 1 / np.sqrt(diagonal)
    R = S * (scale[:, :, None] * scale[:, None, :])
    coef = solve_scaled(R, C * scale[:, :, None], scale, exact=not alpha)  # (F, p, m)
    if coef is None:
        return None
    level = y - np.matmul(x[:, None, :], coef)[:, 0] if intercept else np.zeros_like(y)
    return coef.swapaxes(1, 2), level


def solve_scaled(R: Tensor, C: Tensor, scale: Matrix, exact: bool) -> Tensor | None:
    """Return the solutions (F, p, m) in the units of the columns, or None when digits would be lost."""
    if well_conditioned(R):
        coef: Tensor = np.linalg.solve(R, C) * scale[:, :, None]
        return coef
    return shortest(R, C, scale) if exact else None


def shortest(R: Tensor, C: Tensor, scale: Matrix) -> Tensor | None:
    """Return the shortest solutions where the same number of columns depends exactly on the others in every problem.

    >>> R, scale = np.ones((1, 2, 2)), np.ones((1, 2))
    >>> shortest(R, np.array([[[3.0], [3.0]]]), scale).ravel().round(12)
    array([1.5, 1.5])
    """
    try:
        values, V = np.linalg.eigh(R)  # (F, p), (F, p, p), smallest first
    except np.linalg.LinAlgError:
        return None
    top = values[:, -1:]
    null = int((values[0] < ZERO * top[0]).sum())
    zero, rest = values[:, :null], values[:, null:]
    if not null or (np.abs(zero) > ZERO * top).any() or (rest * LARGEST_CONDITION < top).any():
        return None
    kernel, range_ = scale[:, :, None] * V[:, :, :null], V[:, :, null:]
    coef = scale[:, :, None] * (range_ @ ((range_.swapaxes(1, 2) @ C) / rest[:, :, None]))
    Q = np.linalg.qr(kernel)[0]  # what may be added in the units of the columns
    return coef - Q @ (Q.swapaxes(1, 2) @ coef)
