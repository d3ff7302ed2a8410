r"""All components of a mixture at once, multiplied out about the centre of the mixture.

With :math:`u = x - o` the log-density of a Gaussian is linear in the products of the cells of :math:`u`,

.. math:: \log\mathcal N(x; \mu_k, \Sigma_k) = c_k + b_k^\top u - \tfrac12 \sum_{i,j} a^k_{ij}\, u_i u_j, \qquad
          a^k = \Sigma_k^{-1},\; b_k = a^k (\mu_k - o), \tag{1}

and so are the sums of the M-step. The products :math:`u_i u_j, i \le j` of some hundred rows are made once, while they lie in the
cache; one product of matrices then gives the densities of all components, another all their sums. Per component it
would be two products for each of them, and twice the arithmetic. All of it is one call of a kernel, without Python in between.

Rows that are one block, here or elsewhere, are multiplied about an origin that stays: their products are made once for all steps of a
climb, and a step is two products of matrices with a softmax between them; for rows that lie elsewhere, one journey there and one back.

The terms of (1) may be larger than their sum. With columns measured in deviations :math:`\sigma_j` of the whole mixture the
digits lost are those of :math:`\sum_{ij} |a^k_{ij}| \sigma_i \sigma_j`; beyond a million (1) is not used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from epee.arrays import is_elsewhere, like, namespace, softmax_of_columns, taken
from epee.moments.gram import SMALL
from epee.structure.gaussian_forms import LOG_2PI, Components, log_determinants
from epee.typing import Codes, Matrix, Tensor, Vector

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
    compiled: bool = True  # whether there is enough work to meet a compiler for; NumPy does less

    @classmethod
    def of(cls, c: Components, factors: Tensor, origin: Vector | None = None) -> Expanded | None:
        """Return the components multiplied out, about their centre by default; None where that costs digits or is no faster."""
        K, p = c.means.shape
        flat = c.form in ("diag", "spherical")
        if not flat and (K < 3 or p * (p + 3) // 2 > LARGEST_ROW):
            return None
        origin = c.weights @ c.means / c.weights.sum() if origin is None else origin
        M = c.means - origin  # (K, p)
        if flat:
            A, sigma = factors**2, c.covariances
            if c.form == "spherical":
                A, sigma = np.repeat(A[:, None], p, axis=1), sigma[:, None]
            linear = A * M
        else:
            A, sigma = factors @ factors.swapaxes(-1, -2), np.diagonal(c.covariances, axis1=-2, axis2=-1)
            if c.form == "tied":
                A, sigma = np.broadcast_to(A, (K, p, p)), np.broadcast_to(sigma, (K, p))
            linear = np.matmul(A, M[:, :, None])[:, :, 0]
        variances = c.weights @ (sigma + M**2) / c.weights.sum()  # of the whole mixture
        scales = variances if flat else np.sqrt(variances[:, None] * variances).reshape(-1)
        if not (np.abs(A).reshape(K, -1) @ scales < MOST_LOST).all():
            return None
        quadratic = -0.5 * A if flat else A.reshape(K, -1).take(pairs(p).at, axis=1) * pairs(p).factor
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

    def _run(self, kernel: Any) -> Any:
        return kernel if self.compiled else kernel.plainly

    def log_densities(self, X: Matrix) -> Matrix:
        """Return (1) for each row and component (n, K)."""
        from epee.kernels.mixture_sums import expanded_log_joint

        out = np.empty((len(X), len(self.constants)))
        self._run(expanded_log_joint)(_rows(X), self.origin, self.slopes, self.constants, self.flat, self.some, out)
        return out

    def log_density(self, X: Matrix, log_noise: float | None) -> Vector:
        """Return the log-density of each row under the whole mixture; ``constants`` hold the log weights."""
        from epee.kernels.mixture_sums import expanded_log_density

        out = np.empty(len(X))
        noise = np.nan if log_noise is None else log_noise
        self._run(expanded_log_density)(
            _rows(X), self.origin, self.slopes, self.constants, noise, self.flat, self.some, out
        )
        return out

    def sums(self, X: Matrix, w: Vector | None, log_noise: float | None) -> tuple[float, Vector, Matrix, Tensor, float]:
        """Return the log-likelihood of the rows and the sums of the M-step: N, s and Q about the means, and of the noise.

        ``constants`` hold the log weights, ``log_noise`` the log-density of the noise with its weight.
        """
        from epee.kernels.mixture_sums import expanded_sums

        K, q = self.slopes.shape
        G, N, totals = np.zeros((q, K)), np.zeros(K), np.zeros(2)
        weights = np.empty(0) if w is None else np.ascontiguousarray(w, dtype=np.float64)
        noise = np.nan if log_noise is None else log_noise
        self._run(expanded_sums)(
            _rows(X), weights, self.origin, self.slopes, self.constants, noise, self.flat, self.some, G, N, totals
        )
        return float(totals[0]), N, *self.about_means(G.T, N), float(totals[1])

    def table(self, log_noise: float | None) -> Matrix:
        """Return slopes and constants side by side (K, q + 1); the noise, the same for all rows, is one line more."""
        lines = np.column_stack([self.slopes, self.constants])
        if log_noise is None:
            return lines
        return np.vstack([lines, np.append(np.zeros(lines.shape[1] - 1), log_noise)])

    def about_means(self, G: Matrix, N: Vector) -> tuple[Matrix, Tensor]:
        """Return s and Q about the means from the sums ``G`` (K, q) about the origin and the weights of the components."""
        K, p = self.means.shape
        first, M = G[:, -p:], self.means
        s = first - N[:, None] * M
        if self.flat:
            return s, G[:, :-p] - 2 * M * first + N[:, None] * M**2
        half = M[:, :, None] * (first - 0.5 * N[:, None] * M)[:, None, :]
        Q = G[:, :-p].take(pairs(p).back, axis=1).reshape(K, p, p)
        return s, Q - (half + half.swapaxes(1, 2))


@dataclass(eq=False)
class Products:
    """The products (1) of rows about an origin; those of a table of one block of ``rows`` are kept from step to step."""

    origin: Vector
    rows: int
    kept: Any = None
    room: Matrix | None = None  # for the responsibilities of rows here

    def softmax(self, table: Matrix, Z: Any) -> Any:
        """Return the responsibilities of each line of a table, and the log-densities last, (K + 1, n), where the products lie."""
        if is_elsewhere(Z):
            return softmax_of_columns(like(table, Z, Z.dtype) @ Z.T)
        K, n = len(table), len(Z)
        if self.room is None or self.room.shape != (K + 1, n):
            self.room = np.empty((K + 1, n))
        R, total = self.room[:K], self.room[K]
        np.matmul(table, Z.T, out=R)
        top = np.maximum(R.max(axis=0), np.finfo(np.float64).min)  # where nothing is possible at all
        R -= top
        np.exp(R, out=R)
        R.sum(axis=0, out=total)
        with np.errstate(divide="ignore", invalid="ignore"):
            R /= total
            np.log(total, out=total)
        total += top
        return self.room

    def of(self, X: Any, flat: bool) -> Any:
        """Return the products of the rows of a block, their cells and a one, (n, q + 1)."""
        if self.kept is not None:
            return self.kept
        Z = self._there(X, flat) if is_elsewhere(X) else self._here(X, flat)
        if X.shape[0] == self.rows:
            self.kept = Z
        return Z

    def _there(self, X: Any, flat: bool) -> Any:
        xp = namespace(X)
        U = X - like(self.origin, X, X.dtype)
        if flat:
            squares = U * U
        else:
            here = pairs(X.shape[1])
            squares = taken(U, like(here.rows, X), axis=1) * taken(U, like(here.columns, X), axis=1)
        return xp.concat([squares, U, xp.ones_like(U[:, :1])], axis=1)

    def _here(self, X: Matrix, flat: bool) -> Matrix:
        """A product lies next to itself of the row after: BLAS is quickest so where components are few."""
        n, p = X.shape
        q = p if flat else len(pairs(p).rows)
        lines = np.empty((q + p + 1, n))
        U = lines[q : q + p]
        np.subtract(X.T, self.origin[:, None], out=U)
        if flat:
            np.multiply(U, U, out=lines[:q])
        else:
            np.multiply(U[pairs(p).rows], U[pairs(p).columns], out=lines[:q])
        lines[-1] = 1.0
        return lines.T


class Pairs(NamedTuple):
    """The products of two cells: columns i <= j, places in a matrix laid out flat and back again, and their factors in (1)."""

    rows: Codes
    columns: Codes
    at: Codes
    back: Codes
    factor: Vector


@lru_cache(maxsize=16)
def pairs(p: int) -> Pairs:
    """Return the products of two of ``p`` cells.

    >>> two = pairs(2)
    >>> two.rows, two.columns, two.back, two.factor
    (array([0, 0, 1]), array([0, 1, 1]), array([0, 1, 1, 2]), array([-0.5, -1. , -0.5]))
    """
    i, j = np.triu_indices(p)
    back = np.empty((p, p), dtype=np.intp)
    back[i, j] = back[j, i] = np.arange(len(i))
    return Pairs(i, j, i * p + j, back.reshape(-1), np.where(i == j, -0.5, -1.0))


def _rows(X: Matrix) -> Matrix:
    return np.ascontiguousarray(X, dtype=np.float64)
