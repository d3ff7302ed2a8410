r"""A target in its own units, while a network learns it.

Decays and steps have no meaning until the target has a unit. Here it is its deviation, counted from its mean, over the rows that are
learned from,

.. math:: t = \frac{y - \bar y}{s}, \qquad \bar y = \frac{\sum_i w_i y_i}{\sum_i w_i}, \qquad
          s^2 = \frac{\sum_i w_i (y_i - \bar y)^2}{\sum_i w_i}, \tag{1}

and for counts, whose mean is :math:`e^z`, the mean alone, :math:`t = y / \bar y`. The last layer takes the way back, since it is linear:

.. math:: \bar y + s\,(W^\top a + b) = (s W)^\top a + (s b + \bar y), \qquad
          \bar y\, e^{W^\top a + b} = e^{W^\top a + (b + \log \bar y)}. \tag{2}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from epee.typing import Matrix, Vector

Layers = tuple[list[Matrix], list[Vector]]


@dataclass(frozen=True)
class Units:
    """The mean and the deviation (1) of each output; ``counts`` are divided by their mean.

    The mean is ``origin + shift``, a target and how far the mean lies from it: differences of targets are exact, so that an offset changes
    no bit of what is learned.
    """

    origin: Vector
    shift: Vector
    spread: Vector
    counts: bool = False

    @classmethod
    def of(cls, Y: Matrix, w: Vector | None, counts: bool) -> Self:
        """Return the units of targets (n, m); a constant one has the unit 1.

        >>> found = Units.of(np.array([[1.0], [5.0]]), None, counts=False)
        >>> found.origin + found.shift, found.spread, found.scaled(np.array([[7.0]]))
        (array([3.]), array([2.]), array([[2.]]))
        """
        origin = Y[0]
        shift = np.average(Y - origin, axis=0, weights=w)
        if counts:
            mean = origin + shift
            return cls(np.zeros_like(mean), np.where(mean > 0, mean, 1.0), np.ones_like(mean), counts)
        apart = (Y - origin) - shift
        largest = np.abs(apart).max(axis=0)
        largest = np.where(largest > 0, largest, 1.0)  # its square may have no place among the numbers
        spread = largest * np.sqrt(np.average((apart / largest) ** 2, axis=0, weights=w))
        return cls(origin, shift, np.where(spread > 0, spread, 1.0))

    def scaled(self, Y: Matrix) -> Matrix:
        """Return targets in these units."""
        return Y / self.shift if self.counts else ((Y - self.origin) - self.shift) / self.spread

    def back(self, weights: Sequence[Matrix], biases: Sequence[Vector]) -> Layers:
        """Return layers that answer in the units of the target, by (2)."""
        last = biases[-1] + np.log(self.shift) if self.counts else biases[-1] * self.spread + self.shift + self.origin
        return [*weights[:-1], weights[-1] * self.spread], [*biases[:-1], last]

    def forth(self, weights: Sequence[Matrix], biases: Sequence[Vector]) -> Layers:
        """Return the layers that (2) takes to these."""
        last = (
            biases[-1] - np.log(self.shift) if self.counts else ((biases[-1] - self.origin) - self.shift) / self.spread
        )
        return [*weights[:-1], weights[-1] / self.spread], [*biases[:-1], last]
