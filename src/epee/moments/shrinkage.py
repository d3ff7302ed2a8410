r"""How much to shrink a covariance: Ledoit and Wolf's formula, from one more pass over the rows.

For rows standardised within their class, the weight of the sphere is

.. math:: \alpha = \min\Big(\frac{\beta}{\delta}, 1\Big), \qquad
          \beta = \frac1{pn}\Big(\frac1n\sum_i \|z_i\|^4 - \|R\|_F^2\Big), \qquad
          \delta = \frac1p\Big(\|R\|_F^2 - \frac{(\operatorname{tr} R)^2}{p}\Big),

so besides the moments it needs only the sum of :math:`\|z_i\|^4`, a number for each class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epee.arrays import like, namespace
from epee.engines.choice import engine_for
from epee.moments.moments import Moments
from epee.table.block import Block, Source
from epee.typing import Matrix, Tensor, Vector


@dataclass(frozen=True)
class _FourthPowers:
    """Sum over each class of the fourth power of the standardised norm."""

    mean: Matrix
    inverse_sd: Matrix

    def __call__(self, block: Block) -> Vector:
        assert block.group is not None
        Z = (block.X - self.mean[block.group]) * self.inverse_sd[block.group]  # (n, p)
        q = np.einsum("ij,ij->i", Z, Z) ** 2
        q = q if block.weight is None else q * block.weight
        return np.bincount(block.group, weights=q, minlength=len(self.mean)).astype(np.float64, copy=False)


def shrink(sigma: Tensor, weight: float | Vector) -> Tensor:
    """Return ``(1 - weight) sigma + weight * (trace / p) I``; leading axes are batches.

    >>> shrink(np.diag([1.0, 3.0]), 0.5)
    array([[1.5, 0. ],
           [0. , 2.5]])
    """
    p = sigma.shape[-1]
    xp = namespace(sigma)
    sphere = xp.linalg.trace(sigma)[..., None, None] / p * like(np.eye(p), sigma)
    w = weight if isinstance(weight, float) else np.asarray(weight)[..., None, None]
    return (1 - w) * sigma + w * sphere


def ledoit_wolf_by_class(source: Source, m: Moments) -> Tensor:
    """Return the shrunk covariance of each class (K, p, p), standardised before and scaled back after.

    A pooled ``m`` is not enough: the classes' own scatters are needed.
    """
    p = m.n_columns
    sigma = m.covariance()
    sd = np.sqrt(m.variances)  # (K, p)
    sd = np.where(sd > 0, sd, 1.0)
    R = sigma / (sd[:, :, None] * sd[:, None, :])
    fourth = engine_for(source).reduce(source, _FourthPowers(m.mean, 1.0 / sd))
    n = np.maximum(m.count, 1.0)
    squares = (R**2).sum(axis=(1, 2))
    mu = np.trace(R, axis1=1, axis2=2) / p
    delta = (squares - p * mu**2) / p
    beta = np.minimum((fourth / n - squares) / (p * n), delta)
    weight = np.divide(beta, delta, out=np.zeros_like(beta), where=(beta > 0) & (delta > 0))
    return shrink(R, weight) * (sd[:, :, None] * sd[:, None, :])
