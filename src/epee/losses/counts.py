r"""Poisson's deviance: the loss of rates that predict counts.

.. math:: e(\mu, t) = 2 \Bigl(t \ln \frac{t}{\mu} - t + \mu\Bigr), \qquad \frac{\partial e}{\partial \mu} = 2\,\frac{\mu - t}{\mu}. \tag{1}

An error of 3 weighs more where 1 was expected than where 100 were. A rate that is 0 or negative cannot predict a count: it costs as much
as the smallest positive number that a computer knows.

References: McCullagh and Nelder, *Generalized Linear Models*, Chapman and Hall, 1989, section 2.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import xlogy

from epee.errors import DataError
from epee.losses.loss import Kind, Loss, over_outputs, residual
from epee.typing import ArrayLike, Tensor, Vector

SMALLEST = float(np.finfo(float).tiny)


@dataclass(frozen=True, eq=False)
class PoissonDeviance(Loss):
    """The deviance of counts, equation (1), added over outputs.

    Parameters
    ----------
    classes : array of labels, default=None
        Not used: the loss is one of numbers.

    Examples
    --------
    >>> PoissonDeviance().value([1.0, 2.0], [0.0, 2.0])
    array([2., 0.])
    """

    name: ClassVar[str] = "poisson"
    kind: ClassVar[Kind] = "value"

    def _rates(self, prediction: ArrayLike, y: ArrayLike) -> tuple[Tensor, Tensor]:
        residual(prediction, y)  # refuses shapes that differ
        truth = np.asarray(y, dtype=float)
        if (truth < 0).any():
            row = int(np.argmax((truth < 0).reshape(len(truth), -1).any(axis=1)))
            raise DataError(
                f"row {row}: the truth is negative, and the loss 'poisson' is for counts; choose another loss."
            )
        return np.maximum(np.asarray(prediction, dtype=float), SMALLEST), truth

    def value(self, prediction: ArrayLike, y: ArrayLike) -> Vector:
        mu, t = self._rates(prediction, y)
        return over_outputs(np.maximum(2 * (xlogy(t, t) - xlogy(t, mu) - t + mu), 0.0))

    def gradient(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        mu, t = self._rates(prediction, y)
        return 2 * (mu - t) / mu

    def second(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        mu, t = self._rates(prediction, y)
        return 2 * t / mu**2
