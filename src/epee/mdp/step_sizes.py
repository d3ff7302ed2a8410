r"""Step sizes of stochastic approximation, one sequence for each pair.

The n-th update of a pair moves by :math:`\alpha_n = c\, n^{-\omega}`. Learning converges when (Robbins and Monro)

.. math:: \sum_n \alpha_n = \infty \quad (\omega \le 1), \qquad \sum_n \alpha_n^2 < \infty \quad (\omega > \tfrac12).

The first lets it go as far as it must, the second lets the noise die out.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.errors import SearchWarning, WrongUse

TABLE = 1 << 14  # step sizes kept ready; later ones are computed


@dataclass(frozen=True)
class Step:
    r""":math:`\alpha_n = c\, n^{-\omega}`."""

    scale: float
    power: float

    def __post_init__(self) -> None:
        if not 0.0 < self.scale <= 1.0:
            raise WrongUse(f"a step of {self.scale!r} makes no sense: it must lie in (0, 1].")
        if not 0.0 <= self.power <= 1.0:
            broken = (
                "the sum of the steps is finite, so learning stops before it arrives"
                if self.power > 1
                else "steps grow"
            )
            raise WrongUse(
                f"steps 1/n^{self.power:g} break a condition of convergence: {broken}. Take a power in (0.5, 1]."
            )

    def __call__(self, n: int) -> float:
        """Return the n-th step, from n = 1."""
        return float(self.scale * n**-self.power)

    @property
    def broken(self) -> str | None:
        """The condition of convergence that this step breaks, or None."""
        if self.power > 0.5:
            return None
        what = f"a constant step of {self.scale:g}" if self.power == 0 else f"a step 1/n^{self.power:g}"
        return f"{what} breaks a condition of convergence: the sum of its squares is infinite, so the values keep fluctuating"

    def table(self) -> Any:
        """Return the first steps, entry n for the n-th."""
        n = np.maximum(np.arange(TABLE), 1)
        return self.scale * n.astype(float) ** -self.power


def Visits() -> Step:
    """Step 1/n: the plain mean of what was seen. Slow where early targets are far off."""
    return Step(1.0, 1.0)


def Power(power: float = 0.8) -> Step:
    r"""Step :math:`n^{-\omega}`; a smaller power forgets the first, poor targets sooner and stays noisy longer.

    Parameters
    ----------
    power : float in (1/2, 1], default=0.8
        Larger shrinks the steps faster.
    """
    return Step(1.0, power)


def Constant(step: float) -> Step:
    """The same step always: follows a changing world, and never settles.

    Parameters
    ----------
    step : float in (0, 1]
        Larger follows faster and fluctuates more.
    """
    return Step(step, 0.0)


def step_of(given: Any) -> Step:
    """Read a step: "visits", "power", a number (constant), ("power", w), or a Step."""
    if isinstance(given, Step):
        return given
    if isinstance(given, str) and given in ("visits", "power"):
        return Visits() if given == "visits" else Power()
    if isinstance(given, tuple) and len(given) == 2 and given[0] == "power":
        return Power(float(given[1]))
    if isinstance(given, (int, float, np.floating, np.integer)) and not isinstance(given, bool):
        return Constant(float(given))
    raise WrongUse(
        f"step is {given!r}; give 'visits', 'power', ('power', w), or a number in (0, 1] for a constant step."
    )


def warn_if_broken(step: Step) -> None:
    """Say which condition of convergence a step breaks."""
    if step.broken:
        warnings.warn(f"{step.broken}. Take step='power' or 'visits' to converge.", SearchWarning, stacklevel=4)
