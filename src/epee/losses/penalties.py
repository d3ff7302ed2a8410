r"""What large weights cost.

.. math:: E(w) = E_D(w) + \lambda R(w), \qquad R = \|w\|_2^2 \text{ or } \|w\|_1. \tag{1}

The gradient of the L2 term is the vector :math:`2\lambda w`; that of the L1 term is :math:`\lambda\,\mathrm{sign}(w)`,
with 0 taken at 0. The bias is free unless it is asked for. A penalty is minus the logarithm of a prior on the weights:
a Gaussian of variance :math:`s^2` gives :math:`\lambda = 1/(2 s^2)`, a Laplace law of scale :math:`b` gives
:math:`\lambda = 1/b`, beside minus a log-likelihood that is summed and not divided.

The proximal map, :math:`\arg\min_v \frac12 \|v - w\|^2 + \eta\lambda R(v)`, shrinks: by a factor for L2, by a threshold
for L1, which is why L1 gives exact zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epee.errors import WrongUse
from epee.typing import ArrayLike, Tensor


@dataclass(frozen=True)
class Penalty:
    r"""A cost of the weights, :math:`\lambda R(w)`.

    Parameters
    ----------
    lam : float >= 0
        The weight of the penalty; a larger one sends the weights to 0.
    bias : int or None, default=None
        Which coordinate of ``w`` (its last axis) multiplies the constant input; None when ``w`` holds no bias.
    penalise_bias : bool, default=False
        Whether the bias is penalised too.
    """

    lam: float
    bias: int | None = None
    penalise_bias: bool = False

    def __post_init__(self) -> None:
        if not (np.isfinite(self.lam) and self.lam >= 0):
            raise WrongUse(f"the weight of a penalty is {self.lam}; it must be finite and not negative.")

    def _masked(self, w: ArrayLike) -> Tensor:
        w = np.array(w, dtype=float)
        if self.bias is not None and not self.penalise_bias:
            w[..., self.bias] = 0.0
        return w

    def value(self, w: ArrayLike) -> float:
        """Return the penalty."""
        raise WrongUse("a penalty writes its own value.")

    def gradient(self, w: ArrayLike) -> Tensor:
        """Return a (sub)gradient, of the shape of ``w``."""
        raise WrongUse("a penalty writes its own gradient.")

    def _shrink(self, w: Tensor, step: float) -> Tensor:
        raise WrongUse("a penalty writes its own shrinkage.")

    def prox(self, w: ArrayLike, step: float) -> Tensor:
        """Return the weights after a proximal step of length ``step``; a free bias stays."""
        w = np.asarray(w, dtype=float)
        out = self._shrink(w, step)
        if self.bias is not None and not self.penalise_bias:
            out[..., self.bias] = w[..., self.bias]
        return out


class L2(Penalty):
    r"""The penalty :math:`\lambda \|w\|_2^2`.

    Parameters
    ----------
    lam : float >= 0
        Weight of the penalty; larger draws the weights to 0.
    bias : int, default=None
        Place of the bias among the weights.
    penalise_bias : bool, default=False
        Let the penalty count the bias, too.

    Examples
    --------
    >>> L2(0.5, bias=0).gradient([10.0, 1.0, 2.0])
    array([0., 1., 2.])
    """

    def value(self, w: ArrayLike) -> float:
        return self.lam * float(np.sum(self._masked(w) ** 2))

    def gradient(self, w: ArrayLike) -> Tensor:
        return 2 * self.lam * self._masked(w)

    def _shrink(self, w: Tensor, step: float) -> Tensor:
        return w / (1 + 2 * step * self.lam)

    @classmethod
    def from_gaussian_prior(cls, std: float, bias: int | None = None) -> L2:
        """Return the penalty whose minimiser is the maximum a posteriori under centred Gaussian weights."""
        return cls(1 / (2 * std**2), bias)


class L1(Penalty):
    r"""The penalty :math:`\lambda \|w\|_1`; its minimisers have exact zeros.

    Parameters
    ----------
    lam : float >= 0
        Weight of the penalty; larger draws the weights to 0.
    bias : int, default=None
        Place of the bias among the weights.
    penalise_bias : bool, default=False
        Let the penalty count the bias, too.

    Examples
    --------
    >>> L1(1.0).prox([3.0, 0.5, -2.0], 1.0)
    array([ 2.,  0., -1.])
    """

    def value(self, w: ArrayLike) -> float:
        return self.lam * float(np.sum(np.abs(self._masked(w))))

    def gradient(self, w: ArrayLike) -> Tensor:
        return self.lam * np.sign(self._masked(w))

    def _shrink(self, w: Tensor, step: float) -> Tensor:
        size = np.maximum(np.abs(w) - step * self.lam, 0.0)
        return np.where(size > 0, np.sign(w) * size, 0.0)

    @classmethod
    def from_laplace_prior(cls, scale: float, bias: int | None = None) -> L1:
        """Return the penalty whose minimiser is the maximum a posteriori under centred Laplace weights."""
        return cls(1 / scale, bias)


@dataclass(frozen=True)
class Elastic(Penalty):
    r"""The mixture :math:`\lambda\,(\rho \|w\|_1 + (1 - \rho) \|w\|_2^2)`.

    Parameters
    ----------
    ratio : float in [0, 1], default=0.5
        The share :math:`\rho` of the L1 term; more of it gives more zeros.
    lam : float >= 0
        Weight of the penalty; larger draws the weights to 0.
    bias : int, default=None
        Place of the bias among the weights.
    penalise_bias : bool, default=False
        Let the penalty count the bias, too.

    Examples
    --------
    >>> Elastic(1.0, ratio=1.0).value([1.0, -2.0])
    3.0
    """

    ratio: float = 0.5

    def value(self, w: ArrayLike) -> float:
        w = self._masked(w)
        return self.lam * float(self.ratio * np.sum(np.abs(w)) + (1 - self.ratio) * np.sum(w**2))

    def gradient(self, w: ArrayLike) -> Tensor:
        w = self._masked(w)
        return self.lam * (self.ratio * np.sign(w) + 2 * (1 - self.ratio) * w)

    def _shrink(self, w: Tensor, step: float) -> Tensor:
        size = np.maximum(np.abs(w) - step * self.lam * self.ratio, 0.0)
        return np.where(size > 0, np.sign(w) * size, 0.0) / (1 + 2 * step * self.lam * (1 - self.ratio))
