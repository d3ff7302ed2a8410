r"""The pinball loss, whose best constant is a quantile.

.. math:: e_\tau(\hat t, t) = \max\bigl(\tau (t - \hat t),\; (1 - \tau)(\hat t - t)\bigr). \tag{1}

Predicting too little costs :math:`\tau` a unit, too much :math:`1 - \tau`: with :math:`\tau = 0.9` the best prediction is exceeded once
in ten. :math:`\tau = 1/2` is half the absolute error.

References: Koenker and Bassett, "Regression quantiles", *Econometrica* 46, 1978.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epee.errors import WrongUse
from epee.losses.loss import Kind, Loss, over_outputs, residual
from epee.typing import ArrayLike, Tensor, Vector


@dataclass(frozen=True, eq=False)
class Pinball(Loss):
    r"""The loss of a quantile, equation (1), added over outputs.

    Parameters
    ----------
    quantile : float in (0, 1), default=0.5
        Which quantile is asked for; a larger one punishes predictions that are too small.
    classes : array of labels, default=None
        Not used: the loss is one of numbers.

    Examples
    --------
    >>> Pinball(0.9).value([1.0, 1.0], [2.0, 0.0])
    array([0.9, 0.1])
    """

    kind: ClassVar[Kind] = "value"
    unit: ClassVar[str] = "target"
    quantile: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.quantile < 1:
            raise WrongUse(f"the quantile is {self.quantile}; it must lie between 0 and 1, as in 'quantile0.9'.")

    @property
    def name(self) -> str:
        """Return "quantile" and the share."""
        return f"quantile{self.quantile:g}"

    def value(self, prediction: ArrayLike, y: ArrayLike) -> Vector:
        r = residual(prediction, y)
        return over_outputs(np.maximum((1 - self.quantile) * r, -self.quantile * r))

    def gradient(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        r = residual(prediction, y)  # at 0 the subgradient 0 is taken
        return np.where(r > 0, 1 - self.quantile, np.where(r < 0, -self.quantile, 0.0))

    def second(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        return np.zeros(residual(prediction, y).shape)
