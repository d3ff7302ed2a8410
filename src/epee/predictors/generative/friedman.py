r"""Covariances between one cloud a class and one sphere for all: Friedman's regularisation, and its leave-one-out in
closed form.

.. math:: \Sigma_k(\lambda) = \frac{(1-\lambda) S_k + \lambda S}{(1-\lambda) n_k + \lambda n}, \qquad
          \Sigma_k(\lambda, \gamma) = (1-\gamma)\,\Sigma_k(\lambda) + \gamma\,\frac{\operatorname{tr}\Sigma_k(\lambda)}p
          I, \tag{1}

with :math:`S = \sum_k S_k`. :math:`(0, 0)` is quadratic, :math:`(1, 0)` linear discriminant analysis, :math:`(0, 1)`
has spherical classes, :math:`(1, 1)` is the nearest mean.

Without row :math:`i` of class :math:`c`, with :math:`d = x_i - \mu_c` and :math:`n_c' = n_c - w`, both :math:`S_c` and
:math:`S` lose :math:`h\,dd^\top`, :math:`h = w n_c / n_c'`: every :math:`\Sigma_k` changes by one rank and a multiple
of the identity. In the eigenvectors of :math:`(1-\lambda) S_k + \lambda S` that leaves a diagonal :math:`D` minus
:math:`u\,vv^\top`, so

.. math:: (D - u vv^\top)^{-1} = D^{-1} + \frac{u\, D^{-1}vv^\top D^{-1}}{1 - u\,v^\top D^{-1} v}, \qquad
          |D - u vv^\top| = |D|\,(1 - u\,v^\top D^{-1}v). \tag{2}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.moments.moments import Moments, share
from epee.moments.shrinkage import shrink
from epee.predictors.generative.generator import left_out_priors, log_of, without_row
from epee.solve.spectral import descending_eigh
from epee.typing import Codes, Matrix, Tensor, Vector


def friedman_covariances(m: Moments, lam: float, gamma: float | Vector, reg: float = 0.0) -> Tensor:
    """Return (1) for every class, (..., K, p, p) or (..., K, p) from diagonal moments, then ``(1 - reg) S + reg I``."""
    S: Any = m.scatter
    n = (1 - lam) * m.count + lam * m.count.sum(axis=-1, keepdims=True)  # (..., K)
    if m.kind == "diagonal":
        var = share((1 - lam) * S + lam * S.sum(axis=-2, keepdims=True), np.broadcast_to(n[..., None], S.shape))
        g = np.asarray(gamma)[..., None]
        return (1 - reg) * ((1 - g) * var + g * var.mean(axis=-1, keepdims=True)) + reg
    sigma = S if lam == 0 else (1 - lam) * S + lam * S.sum(axis=-3, keepdims=True)
    sigma = share(sigma, np.broadcast_to(n[..., None, None], S.shape))
    sigma = sigma if np.ndim(gamma) == 0 and gamma == 0 else shrink(sigma, gamma)
    return sigma if reg == 0 else (1 - reg) * sigma + reg * np.eye(m.p)


def oas_weights(square: np.ndarray, trace: np.ndarray, n: np.ndarray, p: int) -> np.ndarray:
    """Return the weight of the sphere by the oracle approximating formula of Chen, Wiesel, Eldar and Hero.

    ``square`` is the sum of squared entries of the covariance, ``trace`` its trace, ``n`` the rows behind it.
    """
    mu = trace / p
    numerator = square / p**2 + mu**2
    denominator = (n + 1) * (square / p**2 - mu**2 / p)
    return np.minimum(np.divide(numerator, denominator, out=np.ones_like(numerator), where=denominator > 0), 1.0)


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Scores of rows by the model (1) fitted without them, for one ``lam`` and several ``gammas``."""

    m: Any  # Moments of the classes with a scatter
    lam: float
    gammas: Sequence[Any]  # "oas" is found anew for each row, with lam = 0
    reg: float = 0.0
    given: Vector | None = None
    spectra: tuple[tuple[Vector, Matrix], ...] = ()

    @classmethod
    def of(cls, m: Any, lam: float, gammas: Sequence[Any], reg: float = 0.0, given: Vector | None = None) -> LeftOut:
        """Prepare the eigenvectors."""
        if m.kind == "diagonal":
            return cls(m, lam, gammas, reg, given)
        total = m.scatter.sum(axis=0)
        if lam == 1:
            one = descending_eigh(total)
            return cls(m, lam, gammas, reg, given, (one,) * len(m.count))
        return cls(m, lam, gammas, reg, given, tuple(descending_eigh((1 - lam) * S + lam * total) for S in m.scatter))

    def scores(self, X: Matrix, codes: Codes, w: Vector | None) -> Tensor:
        """Return the scores (gammas, n, K); NaN where the covariance left would be singular."""
        m, lam = self.m, self.lam
        w, own, left = without_row(m.count, codes, w)
        N, K, p = float(m.count.sum()), len(m.count), X.shape[1]
        safe = np.where(own > 0, own, 1.0)
        ratio = m.count[codes] / safe  # n_c / n_c'
        d = X - m.mean[codes]
        out = np.empty((len(self.gammas), len(X), K))
        for k in range(K):
            mine = codes == k
            g = w * ratio * np.where(mine, 1.0, lam)  # what the scatter of class k loses along d
            n = (1 - lam) * left[:, k] + lam * (N - w)
            r = np.where(mine[:, None], d * ratio[:, None], X - m.mean[k])
            if m.kind == "diagonal":
                values = self._diagonal(k, d, r, g, n)
            else:
                values = self._full(k, d, r, g, n, p)
            gone = left[:, k] <= 0 if lam == 0 else np.zeros(len(X), dtype=bool)
            out[:, :, k] = np.where(gone, -np.inf, values)
        with np.errstate(invalid="ignore"):
            return out + left_out_priors(left, self.given)

    def _diagonal(self, k: int, d: Matrix, r: Matrix, g: Vector, n: Vector) -> Matrix:
        total = self.m.scatter.sum(axis=0)
        S = (1 - self.lam) * self.m.scatter[k] + self.lam * total - g[:, None] * d**2
        var = np.maximum(S, 0.0) / np.where(n > 0, n, 1.0)[:, None]
        values = []
        for gamma in self.gammas:
            v = (1 - self.reg) * ((1 - gamma) * var + gamma * var.mean(axis=1, keepdims=True)) + self.reg
            with np.errstate(divide="ignore", invalid="ignore"):
                score = -0.5 * (np.log(v) + r**2 / v).sum(axis=1)
            values.append(np.where((v > 0).all(axis=1), score, np.nan))
        return np.stack(values)

    def _full(self, k: int, d: Matrix, r: Matrix, g: Vector, n: Vector, p: int) -> Matrix:
        s, V = self.spectra[k]
        v, z = d @ V, r @ V  # (n, p) in the eigenvectors
        n = np.where(n > 0, n, 1.0)
        norm = np.einsum("ij,ij->i", v, v)
        trace = (s.sum() - g * norm) / n
        vv, zz, vz = v * v, z * z, v * z
        values = []
        for gamma in self.gammas:
            if gamma == "oas":
                square = ((s**2).sum() - 2 * g * (vv @ s) + (g * norm) ** 2) / n**2
                gamma = oas_weights(square, trace, n, p)
            a = (1 - self.reg) * (1 - gamma) / n
            b = (1 - self.reg) * gamma * trace / p + self.reg
            D = a[:, None] * np.maximum(s, 0.0) + b[:, None]  # (n, p)
            smallest = D.min(axis=1)
            fine = smallest > 1e-14 * D.max(axis=1)
            I = 1.0 / np.where(fine[:, None], D, 1.0)  # noqa: E741
            u = a * g
            left = 1.0 - u * (vv * I).sum(axis=1)
            fine &= left > 1e-12
            left = np.where(fine, left, 1.0)
            distance = (zz * I).sum(axis=1) + u * (vz * I).sum(axis=1) ** 2 / left
            logdet = log_of(left) - _log_product(I)
            values.append(np.where(fine, -0.5 * (distance + logdet), np.nan))
        return np.stack(values)


def _log_product(I: Matrix) -> Vector:  # noqa: E741
    """Return the sum of logarithms of each row: products of sixteen numbers near one another, then one logarithm."""
    base = np.exp(np.log(I[0]))  # rows differ little from the first: the products of ratios neither over- nor underflow
    ratio = I / base
    chunks = [np.multiply.reduce(ratio[:, j : j + 16], axis=1) for j in range(0, I.shape[1], 16)]
    with np.errstate(divide="ignore", invalid="ignore"):
        fast = np.log(np.stack(chunks, axis=1)).sum(axis=1) + np.log(base).sum()
    return fast if np.isfinite(fast).all() else np.log(I).sum(axis=1)
