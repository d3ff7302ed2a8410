r"""Log-odds that are linear in some columns, :math:`\log \tfrac{p}{1 - p} = A \theta`: the coefficients of greatest likelihood.

With :math:`H = A^\top \operatorname{diag}(w\, p\, (1 - p))\, A + P` the curvature, :math:`P` the precision of a Gaussian prior about 0, and
Jeffreys' prior :math:`\sqrt{\det H}`, what is made least is

.. math:: \sum_i w_i \bigl\{\log(1 + e^{z_i}) - t_i z_i\bigr\} + \tfrac12 \theta^\top P \theta - \tfrac12 \log\det H,
          \qquad z = A \theta. \tag{1}
"""

from __future__ import annotations

import numpy as np

from epee.typing import Matrix, Vector


def chance(z: Vector) -> Vector:
    """Return the probabilities of log-odds."""
    return 1 / (1 + np.exp(-np.clip(z, -700, 700)))


def most_likely(
    A: Matrix, t: Vector, w: Vector, *, precision: Vector | None = None, jeffreys: bool = False
) -> tuple[Vector, Matrix]:
    """Return the coefficients that make (1) least, and the inverse of the curvature there; the last column is one of ones.

    Jeffreys' prior keeps them finite where a score parts the classes; Newton's method climbs by the curvature alone.
    """
    prior = np.zeros(A.shape[1]) if precision is None else precision

    def curvature(weight: Vector) -> Matrix:
        H: Matrix = (A * (w * weight)[:, None]).T @ A + np.diag(prior)
        return H

    def state(theta: Vector) -> tuple[float, Vector, Matrix]:
        z = A @ theta
        p = chance(z)
        H = curvature(p * (1 - p)) + 1e-12 * np.eye(len(theta))
        value = float(w @ (np.logaddexp(0.0, z) - t * z) + theta @ (prior * theta) / 2)
        return value - float(np.linalg.slogdet(H)[1]) / 2 if jeffreys else value, p, H

    theta = np.zeros(A.shape[1])
    theta[-1] = np.log((w @ t + 1) / (w @ (1 - t) + 1))
    value, p, H = state(theta)
    for _ in range(100):
        pull = w * (p - t)
        if jeffreys:
            pull += w * p * (1 - p) * (A @ np.linalg.inv(H) * A).sum(axis=1) * (p - 0.5)  # leverages
        g = A.T @ pull + prior * theta
        step, size, before = np.linalg.solve(H, g), 1.0, value
        value, p, H = state(theta - step)
        while value > before - 1e-4 * size * float(g @ step) and size > 1e-10:
            size /= 2
            value, p, H = state(theta - size * step)
        theta = theta - size * step
        if before - value <= 1e-12 * (1 + abs(value)):
            break
    covariance: Matrix = np.linalg.pinv(curvature(np.maximum(p * (1 - p), 1e-6))).astype(np.float64)
    return theta, covariance
