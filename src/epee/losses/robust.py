r"""Robust losses of a residual :math:`r` with a scale :math:`c`.

.. math:: \rho_{\text{Huber}} &= \tfrac12 r^2 \;(|r| \le c), \quad c|r| - \tfrac12 c^2 \;(|r| > c) \\
          \rho_{\text{Tukey}} &= \tfrac{c^2}{6}\bigl[1 - (1 - (r/c)^2)^3\bigr] \;(|r| \le c), \quad \tfrac{c^2}{6} \;(|r| > c) \\
          \rho_{\text{Welsch}} &= \tfrac{c^2}{2}\bigl(1 - e^{-(r/c)^2}\bigr) \\
          \rho_{\text{Geman-McClure}} &= \frac{r^2/2}{1 + r^2/c^2}. \tag{1}

All are :math:`r^2/2` near 0. Huber's is convex and grows like :math:`c|r|`; the others are bounded, so a gross error costs a
constant and has no pull, at the price of convexity. A larger :math:`c` trusts larger residuals. The defaults give 95 % of the
efficiency of least squares on Gaussian errors of variance 1; divide residuals by their scale, or give ``c`` in their unit.

Reweighted least squares uses the weights :math:`\rho'(r)/r` (:meth:`RobustLoss.weight`).

References: Huber and Ronchetti, *Robust Statistics*, 2nd ed., Wiley, 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epee.errors import WrongUse
from epee.losses.loss import Kind, Loss, over_outputs, residual
from epee.typing import ArrayLike, Tensor, Vector


@dataclass(frozen=True, eq=False)
class RobustLoss(Loss):
    r"""A function :math:`\rho_c` of the residual; children write it for :math:`u = r/c` in the unit :math:`c^2`."""

    kind: ClassVar[Kind] = "value"
    unit: ClassVar[str] = "target²"
    convex: ClassVar[bool] = False
    c: float = 1.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.c) and self.c > 0):
            raise WrongUse(f"the scale c of the loss {self.name!r} is {self.c}; it must be positive.")

    def _rho(self, u: Tensor) -> Tensor:
        raise WrongUse("a robust loss writes its own rho.")

    def _weight(self, u: Tensor) -> Tensor:
        raise WrongUse("a robust loss writes its own weight.")

    def _curvature(self, u: Tensor) -> Tensor:
        raise WrongUse("a robust loss writes its own curvature.")

    def value(self, prediction: ArrayLike, y: ArrayLike) -> Vector:
        return over_outputs(self.c**2 * self._rho(residual(prediction, y) / self.c))

    def gradient(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        r = residual(prediction, y)
        return r * self._weight(r / self.c)

    def second(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        return self._curvature(residual(prediction, y) / self.c)

    def weight(self, r: ArrayLike) -> Tensor:
        r"""Return the weight :math:`\rho'(r)/r` of reweighted least squares, in [0, 1]."""
        return self._weight(np.asarray(r, dtype=float) / self.c)


@dataclass(frozen=True, eq=False)
class Huber(RobustLoss):
    """Squared up to c, then linear: convex, and a gross error pulls with the force c.

    Parameters
    ----------
    c : float > 0
        Scale beyond which a residual counts as large; a larger one is nearer to the squared loss.
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> Huber(1.0).value([0.5, 3.0], [0.0, 0.0])
    array([0.125, 2.5  ])
    """

    name: ClassVar[str] = "huber"
    convex: ClassVar[bool] = True
    c: float = 1.345

    def _rho(self, u: Tensor) -> Tensor:
        size = np.abs(u)
        return np.where(size <= 1, np.minimum(size, 1.0) ** 2 / 2, size - 0.5)

    def _weight(self, u: Tensor) -> Tensor:
        return 1 / np.maximum(np.abs(u), 1.0)

    def _curvature(self, u: Tensor) -> Tensor:
        return (np.abs(u) <= 1).astype(float)


@dataclass(frozen=True, eq=False)
class Tukey(RobustLoss):
    """Tukey's biweight: constant beyond c, where an error has no pull at all.

    Parameters
    ----------
    c : float > 0
        Scale beyond which a residual counts as large; a larger one is nearer to the squared loss.
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> Tukey(3.0).value([3.0, 100.0], [0.0, 0.0])
    array([1.5, 1.5])
    """

    name: ClassVar[str] = "tukey"
    c: float = 4.685

    def _rho(self, u: Tensor) -> Tensor:
        return (1 - np.maximum(1 - np.minimum(np.abs(u), 1.0) ** 2, 0.0) ** 3) / 6

    def _weight(self, u: Tensor) -> Tensor:
        return np.maximum(1 - np.minimum(np.abs(u), 1.0) ** 2, 0.0) ** 2

    def _curvature(self, u: Tensor) -> Tensor:
        inside = 1 - np.minimum(np.abs(u), 1.0) ** 2
        return inside * (inside - 4 * np.minimum(np.abs(u), 1.0) ** 2)


@dataclass(frozen=True, eq=False)
class Welsch(RobustLoss):
    """Welsch's (Leclerc's) loss: bounded, smooth everywhere.

    Parameters
    ----------
    c : float > 0
        Scale beyond which a residual counts as large; a larger one is nearer to the squared loss.
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> Welsch(2.0).value([1000.0], [0.0])
    array([2.])
    """

    name: ClassVar[str] = "welsch"
    c: float = 2.985

    def _rho(self, u: Tensor) -> Tensor:
        return -np.expm1(-(np.minimum(np.abs(u), 26.0) ** 2)) / 2

    def _weight(self, u: Tensor) -> Tensor:
        return np.exp(-(np.minimum(np.abs(u), 26.0) ** 2))

    def _curvature(self, u: Tensor) -> Tensor:
        square = np.minimum(np.abs(u), 26.0) ** 2
        return (1 - 2 * square) * np.exp(-square)


@dataclass(frozen=True, eq=False)
class GemanMcClure(RobustLoss):
    """Geman and McClure's loss: bounded by c²/2, with slow tails.

    Parameters
    ----------
    c : float > 0
        Scale beyond which a residual counts as large; a larger one is nearer to the squared loss.
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> GemanMcClure(2.0).value([2.0], [0.0])
    array([1.])
    """

    name: ClassVar[str] = "geman_mcclure"
    c: float = 3.787

    def _rho(self, u: Tensor) -> Tensor:
        share = np.minimum(np.abs(u), 1e150) ** 2
        return share / (1 + share) / 2

    def _weight(self, u: Tensor) -> Tensor:
        return 1 / (1 + np.minimum(np.abs(u), 1e75) ** 2) ** 2

    def _curvature(self, u: Tensor) -> Tensor:
        square = np.minimum(np.abs(u), 1e75) ** 2
        return (1 - 3 * square) / (1 + square) ** 3
