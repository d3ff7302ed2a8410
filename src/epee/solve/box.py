r"""Quadratics with kinks and bounds, one coordinate at a time.

.. math:: \min_\theta \; \tfrac12 \theta^\top A \theta - b^\top \theta + \sum_j k_j |\theta_j - \mu_j|
          \quad\text{subject to}\quad l_j \le \theta_j \le u_j. \tag{1}

In one coordinate the answer is a soft threshold about :math:`\mu_j`, then a clip. Sweeps over the coordinates converge because kinks
and bounds are separable (Tseng, 2001); once the set of coordinates at a kink or a bound is right, the others follow from one
linear system, which is tried after every few sweeps and accepted when it meets the conditions of optimality.
"""

from __future__ import annotations

import numpy as np

from epee.errors import SingularProblem
from epee.solve.cholesky import Cholesky
from epee.typing import Matrix, Vector

MOST_SWEEPS = 20_000


def box_quadratic(
    A: Matrix, b: Vector, centre: Vector, kink: Vector, low: Vector, high: Vector, start: Vector
) -> tuple[Vector, int]:
    """Return the minimiser (p,) of (1) and the sweeps it took.

    >>> one, zero, wide = np.ones(2), np.zeros(2), np.full(2, np.inf)
    >>> box_quadratic(np.eye(2), np.array([3.0, 0.5]), zero, one, -wide, np.array([1.5, 9.0]), zero)[0]
    array([1.5, 0. ])
    """
    theta = np.clip(start, low, high)
    gradient = A @ theta - b
    scale = np.sqrt(np.diagonal(A))
    for sweep in range(1, MOST_SWEEPS + 1):
        largest = 0.0
        for j in range(len(theta)):
            target = theta[j] - gradient[j] / A[j, j] - centre[j]
            soft = np.sign(target) * max(abs(target) - kink[j] / A[j, j], 0.0) + centre[j]
            step = min(max(soft, low[j]), high[j]) - theta[j]
            if step:
                theta[j] += step
                gradient += A[:, j] * step
                largest = max(largest, abs(step) * scale[j])
        if largest <= 1e-15 * max(np.abs(theta * scale).max(initial=0.0), 1e-300):
            break
        if sweep % 5 == 0:
            exact = _on_the_face(A, b, theta, centre, kink, low, high)
            if exact is not None:
                return exact, sweep
    return theta, sweep


def _on_the_face(
    A: Matrix, b: Vector, theta: Vector, centre: Vector, kink: Vector, low: Vector, high: Vector
) -> Vector | None:
    """Return the exact minimiser if the coordinates now at a kink or a bound are those of the answer, else None."""
    held = (theta <= low) | (theta >= high) | ((kink > 0) & (theta == centre))
    free = ~held
    out = theta.copy()
    side = np.sign(theta - centre) * kink
    if free.any():
        try:
            F = Cholesky(A[np.ix_(free, free)])
        except SingularProblem:
            return None
        out[free] = F.solve(b[free] - side[free] - A[np.ix_(free, held)] @ theta[held])
    bent = free & (kink > 0)
    crossed = np.sign(out - centre)[bent] != np.sign(theta - centre)[bent]
    if (out < low).any() or (out > high).any() or crossed.any():
        return None
    g = A @ out - b
    slack = 1e-9 * (np.abs(b) + np.abs(A) @ np.abs(out) + kink) + 1e-300
    down, up = (
        g - kink * np.where(out > centre, -1, 1),
        g + kink * np.where(out < centre, -1, 1),
    )  # left, right derivatives
    fine = ((out <= low) | (down <= slack)) & ((out >= high) | (up >= -slack))
    return out if fine.all() else None
