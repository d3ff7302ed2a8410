r"""Brier's loss: the squared distance between the probabilities and what happened.

With :math:`t` the one-hot vector of the true class,

.. math:: e(p, t) = (p_1 - t_1)^2 \quad\text{for two classes}, \qquad e(p, t) = \sum_k (p_k - t_k)^2 \quad\text{for more.} \tag{1}

It is proper: no other probabilities than the true ones have a smaller mean. Unlike the log loss it is bounded, so one row that was
called impossible does not carry the whole mean.

References: Brier, "Verification of forecasts expressed in terms of probability", *Monthly Weather Review* 78, 1950.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epee.errors import DataError
from epee.losses.loss import Kind, Loss
from epee.typing import ArrayLike, Tensor, Vector


@dataclass(frozen=True, eq=False)
class Brier(Loss):
    """The squared error of probabilities, equation (1).

    Parameters
    ----------
    classes : array of labels, default=None
        The classes that the columns of probabilities stand for; ``bind`` sets it.

    Examples
    --------
    >>> Brier().value([[0.5, 0.5], [0.25, 0.75]], [0, 0])
    array([0.25  , 0.5625])
    >>> Brier().value([[0.5, 0.25, 0.25]], [0])
    array([0.375])
    """

    name: ClassVar[str] = "brier"
    kind: ClassVar[Kind] = "probability"
    high: ClassVar[float] = 2.0

    def _gaps(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        """Return p - t, (n, K), or (n,) where one column is given for two classes."""
        P, codes = np.asarray(prediction, dtype=float), self.codes(y)
        if P.size and not (P.min() >= -1e-6 and P.max() <= 1 + 1e-6):
            raise DataError(f"probabilities run from {P.min():.3g} to {P.max():.3g}; they must lie between 0 and 1.")
        if P.ndim == 1:
            return P - codes
        out = P.copy()
        out[np.arange(len(P)), codes] -= 1.0
        return out

    def value(self, prediction: ArrayLike, y: ArrayLike) -> Vector:
        gaps = self._gaps(prediction, y)
        return gaps**2 if gaps.ndim == 1 else gaps[:, 1] ** 2 if gaps.shape[1] == 2 else (gaps**2).sum(axis=1)

    def gradient(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        gaps = self._gaps(prediction, y)
        if gaps.ndim == 2 and gaps.shape[1] == 2:  # a function of the second column alone
            return np.column_stack([np.zeros(len(gaps)), 2 * gaps[:, 1]])
        return 2 * gaps
