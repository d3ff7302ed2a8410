r"""All components of a mixture at once, multiplied out about the centre of the mixture.

With :math:`u = x - o` the log-density of a Gaussian is linear in the products of the cells of :math:`u`,

.. math:: \log\mathcal N(x; \mu_k, \Sigma_k) = c_k + b_k^\top u - \tfrac12 \sum_{i,j} a^k_{ij}\, u_i u_j, \qquad
          a^k = \Sigma_k^{-1},\; b_k = a^k (\mu_k - o), \tag{1}

and so are the sums of the M-step. The products :math:`u_i u_j, i \le j` of some hundred rows are made once, while they lie in the
cache; one product of matrices then gives the densities of all components, another all their sums. Per component it
would be two products for each of them, and twice the arithmetic. All of it is one call of a kernel, without Python in between.

The terms of (1) may be larger than their sum. With columns measured in deviations :math:`\sigma_j` of the whole mixture the
digits lost are those of :math:`\sum_{ij} |a^k_{ij}| \sigma_i \sigma_j`; beyond a million (1) is not used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from epee.moments.gram import SMALL
from epee.structure.gaussian_forms import LOG_2PI, Components, log_determinants
from epee.typing import Matrix, Tensor, Vector

MOST_LOST = 1e6  # six digits of sixteen
LARGEST_ROW = 1300  # products of a row: 50 columns; with more, a part of some hundred rows leaves the cache
PART = 2**17  # numbers held at once: a megabyte


@dataclass(frozen=True, eq=False)
class Expanded:
    """Equation (1): ``slopes`` (K, q) of the products, the cells themselves last, and ``constants`` (K,)."""

    origin: Vector
    means: Matrix
    slopes: Matrix
    constants: Vector
    flat: bool  # squares only

    @classmethod
    def of(cls, c: Components, factors: Tensor) -> Expanded | None:
        """Return the components multiplied out; None where that costs digits or is no faster."""
        K, p = c.means.shape
        flat = c.form in ("diag", "spherical")
        if not flat and (K < 3 or p * (p + 3) // 2 > LARGEST_ROW):
            return None
        origin = c.weights @ c.means / c.weights.sum()
        M = c.means - origin  # (K, p)
        if flat:
            A = np.broadcast_to((factors if c.form == "diag" else factors[:, None]) ** 2, (K, p))
            sigma = np.broadcast_to(c.covariances if c.form == "diag" else c.covariances[:, None], (K, p))
            linear = A * M
        else:
            A = np.broadcast_to(factors @ factors.swapaxes(-1, -2), (K, p, p))
            sigma = np.broadcast_to(np.diagonal(c.covariances, axis1=-2, axis2=-1), (K, p))
            linear = np.matmul(A, M[:, :, None])[:, :, 0]
        sd = np.sqrt(c.weights @ (sigma + M**2) / c.weights.sum())
        scaled = np.abs(A) * (sd**2 if flat else np.outer(sd, sd))
        if not (scaled.reshape(K, -1).sum(axis=1) < MOST_LOST).all():
            return None
        if flat:
            quadratic = -0.5 * A
        else:
            i, j = np.triu_indices(p)
            quadratic = np.where(i == j, -0.5, -1.0) * A[:, i, j]
        constants = log_determinants(factors, c.form, p) - 0.5 * (p * LOG_2PI + (linear * M).sum(axis=1))
        slopes = np.ascontiguousarray(np.hstack([quadratic, linear]))
        return cls(origin, M, slopes, np.array(np.broadcast_to(constants, (K,))), flat)

    def weighted(self, log_weights: Vector) -> Expanded:
        """Return the same with the log weights of the components added."""
        return replace(self, constants=self.constants + log_weights)

    @property
    def some(self) -> int:
        """How many rows are taken at a time."""
        K, q = self.slopes.shape
        return max(64, min(PART // q, SMALL // (K * q)))

    def log_densities(self, X: Matrix) -> Matrix:
        """Return (1) for each row and component (n, K)."""
        from epee.kernels.mixture_sums import expanded_log_joint

        out = np.empty((len(X), len(self.constants)))
        expanded_log_joint(_rows(X), self.origin, self.slopes, self.constants, self.flat, self.some, out)
        return out

    def log_density(self, X: Matrix, log_noise: float | None) -> Vector:
        """Return the log-density of each row under the whole mixture; ``constants`` hold the log weights."""
        from epee.kernels.mixture_sums import expanded_log_density

        out = np.empty(len(X))
        noise = np.nan if log_noise is None else log_noise
        expanded_log_density(_rows(X), self.origin, self.slopes, self.constants, noise, self.flat, self.some, out)
        return out

    def sums(self, X: Matrix, w: Vector | None, log_noise: float | None) -> tuple[float, Vector, Matrix, Tensor, float]:
        """Return the log-likelihood of the rows and the sums of the M-step: N, s and Q about the means, and of the noise.

        ``constants`` hold the log weights, ``log_noise`` the log-density of the noise with its weight.
        """
        from epee.kernels.mixture_sums import expanded_sums

        K, p = self.means.shape
        G, N, totals = np.zeros((self.slopes.shape[1], K)), np.zeros(K), np.zeros(2)
        weights = np.empty(0) if w is None else np.ascontiguousarray(w, dtype=np.float64)
        noise = np.nan if log_noise is None else log_noise
        expanded_sums(
            _rows(X), weights, self.origin, self.slopes, self.constants, noise, self.flat, self.some, G, N, totals
        )
        first, M = G[-p:].T, self.means
        s = first - N[:, None] * M
        if self.flat:
            return float(totals[0]), N, s, G[:-p].T - 2 * M * first + N[:, None] * M**2, float(totals[1])
        Q = np.empty((K, p, p))
        i, j = np.triu_indices(p)
        Q[:, i, j] = Q[:, j, i] = G[:-p].T
        cross = M[:, :, None] * first[:, None, :]
        Q += N[:, None, None] * M[:, :, None] * M[:, None, :] - cross - cross.swapaxes(1, 2)
        return float(totals[0]), N, s, Q, float(totals[1])


def _rows(X: Matrix) -> Matrix:
    return np.ascontiguousarray(X, dtype=np.float64)
