r"""Many small least squares at once: all the folds of a cross-validation, all the pairs of a nested one.

Every problem :math:`(S + \alpha I)\beta = c` of a stack is scaled to a unit diagonal, :math:`R`, and solved by LAPACK in one call. A
correlation matrix has its smallest eigenvalue bounded from below by its determinant,

.. math:: \lambda_{\min}(R) \ge \det(R) \Bigl(\frac{p-1}{p}\Bigr)^{p-1} \ge \frac{\det R}{e}, \tag{1}

which Cholesky's factor gives for nothing; where (1) does not settle it, the inverse does. A penalty settles it beforehand:

.. math:: \lambda_{\min}(R) \ge \min_j \frac{\alpha}{S_{jj} + \alpha}. \tag{2}

Columns that depend on each other exactly, as those of all the levels of a category do, are told by pivots, problem by problem
(:mod:`epee.solve.dependent`). A stack with any other problem that would lose too many digits is left to the slow road.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrs

from epee.moments.moments import Moments
from epee.solve.dependent import Dependent
from epee.solve.soundness import stationary
from epee.typing import Tensor

LARGEST_CONDITION = 1e6
AT_ONCE = 100_000  # numbers of the problems that are solved together
MANY = 64  # problems from which substitution for all at once is quicker than a call of LAPACK for each
FACTORS_PAY = 40  # columns from which factors one by one are quicker than all problems in one call


def well_conditioned(R: Tensor, smallest: float = 0.0) -> Tensor | None:
    """Return the factors of matrices (F, p, p) of unit diagonal, None unless each has a condition number below a million.

    No eigenvalue is below ``smallest``, as far as is known beforehand.

    >>> well_conditioned(np.array([[[1.0, 0.6], [0.6, 1.0]]])), well_conditioned(np.ones((1, 2, 2)))
    (array([[[1. , 0. ],
            [0.6, 0.8]]]), None)
    """
    try:
        L: Tensor = np.asarray(np.linalg.cholesky(R), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    p = R.shape[-1]
    if p <= smallest * LARGEST_CONDITION:  # no eigenvalue exceeds p
        return L
    with np.errstate(divide="ignore"):
        logdet = 2 * np.log(np.diagonal(L, axis1=-2, axis2=-1)).sum(axis=-1)
    unsure = logdet - 1 < np.log(p / LARGEST_CONDITION)
    if not unsure.any():
        return L
    try:
        inverse = np.linalg.inv(R[unsure])
    except np.linalg.LinAlgError:
        return None
    return L if (p * np.sqrt((inverse**2).sum(axis=(-2, -1))) <= LARGEST_CONDITION).all() else None


def solved(R: Tensor, L: Tensor, right: Tensor) -> Tensor:
    """Return the solutions (F, p, m) of problems R whose factors are at hand."""
    if R.shape[-1] < FACTORS_PAY:
        return _substituted(L, right) if len(R) >= MANY else np.asarray(np.linalg.solve(R, right), dtype=np.float64)
    return np.stack([dpotrs(factor.T, c, lower=0)[0] for factor, c in zip(L, right, strict=True)])


def _well_solved(S: Tensor, C: Tensor, diagonal: Tensor, alpha: float) -> Tensor | None:
    """Return the solutions (F, p, m), some problems at a time so that they stay in the cache; None when digits would be lost."""
    p = S.shape[-1]
    scale: Tensor = 1 / np.sqrt(diagonal + alpha)
    bound = alpha * float(scale.min()) ** 2
    some = max(AT_ONCE // p**2, 1)
    out = np.empty(C.shape)
    one = slice(0, 0 if bound > 0 else 1)  # where columns depend, they do in the first fold already
    for k in (one, *(slice(i, i + some) for i in range(0, len(S), some))):
        d = scale[k]
        R = (S[k] + alpha * np.eye(p) if alpha else S[k]) * (d[:, :, None] * d[:, None, :])
        L = well_conditioned(R, bound)
        if L is None:
            return None
        if k is not one:
            right = C[k] * d[:, :, None]
            scaled = solved(R, L, right)
            if not stationary(R, scaled, right):
                return None
            out[k] = scaled * d[:, :, None]
    return out


def _substituted(L: Tensor, right: Tensor) -> Tensor:
    """Return the solutions of L L' x = right by substitution, one unknown of all problems after the other.

    >>> _substituted(np.array([[[2.0, 0.0], [1.0, 1.0]]]), np.array([[[4.0], [4.0]]])).ravel()
    array([0., 2.])
    """
    F: Tensor = np.ascontiguousarray(np.moveaxis(L, 0, -1))  # (p, p, F)
    x: Tensor = np.array(np.moveaxis(right, 0, -1), order="C")  # (p, m, F)
    p = len(x)
    for j in range(p):
        x[j] /= F[j, j]
        x[j + 1 :] -= F[j + 1 :, j, None] * x[j]
    for j in range(p - 1, -1, -1):
        x[j] /= F[j, j]
        x[:j] -= F[j, :j, None] * x[j]
    return np.ascontiguousarray(np.moveaxis(x, -1, 0))


def rounding_of(m: Moments) -> Tensor:
    """Return what rounding alone may leave of the squares (F, p) of a constant column: from its values, and from sums about the origin."""
    eps = np.finfo(float).eps
    return m.count[:, None] * ((8 * eps * m.x_mean) ** 2 + 64 * eps * m.shift[:, : m.p] ** 2)


def stacked_least_squares(m: Moments, alpha: float = 0.0, *, intercept: bool = True) -> tuple[Tensor, Tensor] | None:
    """Return coefficients (F, m, p) and intercepts (F, m) for moments with an axis "fold"; None when digits would be lost.

    A column that does not vary in a fold, as that of a level which its rows have not, gets the coefficient 0 there.

    >>> X = np.array([[0.0], [1.0], [2.0], [0.0], [1.0], [3.0]]); y = np.array([1.0, 3.0, 5.0, 0.0, 1.0, 3.0])
    >>> coef, level = stacked_least_squares(Moments.of(X, y, fold=[0, 0, 0, 1, 1, 1]))
    >>> coef.ravel().round(12), level.ravel().round(12)
    (array([2., 1.]), array([1., 0.]))
    """
    S, C, x, y = m.xx, m.xy, m.x_mean, m.y_mean
    if not intercept:
        n = m.count[:, None, None]
        S, C = S + n * x[:, :, None] * x[:, None, :], C + n * x[:, :, None] * y[:, None, :]
    diagonal = np.diagonal(S, axis1=1, axis2=2)
    varies = diagonal > rounding_of(m)  # (F, p)
    coef = _well_solved(S, C, diagonal, alpha) if varies.all() else None
    if coef is None:
        found: list[Tensor] = []
        order = None
        for f in range(len(S)):
            order = Dependent(S[f], varies[f], order)
            one = order.solve(C[f], alpha)
            if one is None:
                return None
            found.append(one)
        coef = np.stack(found)
    level = y - np.matmul(x[:, None, :], coef)[:, 0] if intercept else np.zeros_like(y)
    return coef.swapaxes(1, 2), level
