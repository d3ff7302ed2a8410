r"""Powers of the residual :math:`r = \hat t - t`.

.. math:: e(\hat t, t) = \|\hat t - t\|_q^q = \sum_j |r_j|^q, \qquad
          \frac{\partial e}{\partial \hat t_j} = q\,|r_j|^{q-1}\,\mathrm{sign}(r_j). \tag{1}

:math:`q = 2` goes with the mean, least squares and a Gaussian likelihood; :math:`q = 1` with the median, and one
outlier moves it little.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epee.errors import WrongUse
from epee.losses.loss import Kind, Loss, over_outputs, residual
from epee.typing import ArrayLike, Tensor, Vector


@dataclass(frozen=True, eq=False)
class Power(Loss):
    r"""The :math:`L_q` loss :math:`|r|^q`, added over outputs.

    Parameters
    ----------
    power : float > 0, default=2
        The exponent q; a larger one gives more say to large errors. Convex from 1 on.
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> Power(1.5).value([4.0], [0.0])
    array([8.])
    """

    kind: ClassVar[Kind] = "value"
    power: float = 2.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.power) and self.power > 0):
            raise WrongUse(f"the power of a loss is {self.power}; it must be positive.")

    @property
    def name(self) -> str:
        """Return "squared", "absolute" or "l" and the power."""
        return {1.0: "absolute", 2.0: "squared"}.get(float(self.power), f"l{self.power:g}")

    @property
    def unit(self) -> str:
        """The unit of the target, raised to the power."""
        return {1.0: "target", 2.0: "target²"}.get(float(self.power), f"target^{self.power:g}")

    @property
    def convex(self) -> bool:
        """Tell whether the power is at least 1."""
        return self.power >= 1

    def value(self, prediction: ArrayLike, y: ArrayLike) -> Vector:
        r = np.abs(residual(prediction, y))
        return over_outputs(r if self.power == 1 else r * r if self.power == 2 else r**self.power)

    def gradient(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        r = residual(prediction, y)
        if self.power == 2:
            return 2 * r
        size = np.where(r == 0, 1.0, np.abs(r))  # at 0 the subgradient 0 is taken, by the sign
        return self.power * size ** (self.power - 1) * np.sign(r)

    def second(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        r = residual(prediction, y)
        if self.power == 2:
            return np.full(r.shape, 2.0)
        if self.power < 2 and (r == 0).any():
            raise WrongUse(
                f"the loss {self.name!r} has no second derivative where the residual is 0 (row {int(np.argmax(r == 0))})."
            )
        return self.power * (self.power - 1) * np.abs(r) ** (self.power - 2)
