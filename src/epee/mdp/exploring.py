r"""Exploration: which action to try.

- uniform: every admissible action with the same probability; with ``pairs=True`` the state is drawn too;
- :math:`\varepsilon`-greedy: a uniform action with probability :math:`\varepsilon_t`, else the best so far;
- Boltzmann: :math:`P(a) \propto \exp(Q(s,a)/\tau_t)`.

Rates fall as :math:`x_t = \underline x + (x_0 - \underline x)/(1 + d\,t)`: with a floor of 0 the sum of
:math:`\varepsilon_t` still diverges, so every pair that can be reached is tried for ever, and the policy becomes greedy in the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from epee.errors import WrongUse


@dataclass(frozen=True)
class Uniform:
    """Try every action alike; with ``pairs``, draw the state as well (needs a process of ours).

    Parameters
    ----------
    pairs : bool, default=False
        Draw the state, too, instead of following a trajectory.
    """

    pairs: bool = False

    @property
    def code(self) -> int:
        return 3 if self.pairs else 0

    @property
    def rates(self) -> tuple[float, float, float]:
        return 1.0, 1.0, 0.0


@dataclass(frozen=True)
class EpsilonGreedy:
    """The best action so far, except with probability epsilon.

    Parameters
    ----------
    epsilon : float in [0, 1]
        Share of uniform actions at first; larger explores more.
    decay : float >= 0
        How fast it falls; 0 keeps it.
    floor : float in [0, epsilon]
        What it falls to.
    """

    epsilon: float = 0.1
    decay: float = 0.0
    floor: float = 0.0

    def __post_init__(self) -> None:
        if not (0 <= self.floor <= self.epsilon <= 1 and self.decay >= 0):
            raise WrongUse(f"{self!r}: 0 <= floor <= epsilon <= 1 and decay >= 0 must hold.")

    @property
    def code(self) -> int:
        return 1

    @property
    def rates(self) -> tuple[float, float, float]:
        return self.epsilon, self.floor, self.decay


@dataclass(frozen=True)
class Boltzmann:
    """Actions by the soft-max of their values.

    Parameters
    ----------
    temperature : float > 0
        Near 0 is greedy, large is uniform; in the unit of the values.
    decay : float >= 0
    floor : float > 0
        What it falls to.
    """

    temperature: float = 1.0
    decay: float = 0.0
    floor: float = 1e-3

    def __post_init__(self) -> None:
        if not (self.floor > 0 and self.temperature > 0 and self.decay >= 0):
            raise WrongUse(f"{self!r}: temperature and floor must be above 0, and decay at least 0.")

    @property
    def code(self) -> int:
        return 2

    @property
    def rates(self) -> tuple[float, float, float]:
        return self.temperature, min(self.floor, self.temperature), self.decay


def exploration_of(given: Any) -> Uniform | EpsilonGreedy | Boltzmann:
    """Read an exploration: a name, a number (epsilon), or one of the classes."""
    if isinstance(given, (Uniform, EpsilonGreedy, Boltzmann)):
        return given
    named: dict[str, Uniform | EpsilonGreedy | Boltzmann] = {
        "uniform": Uniform(),
        "pairs": Uniform(pairs=True),
        "epsilon_greedy": EpsilonGreedy(),
        "boltzmann": Boltzmann(),
    }
    if isinstance(given, str) and given in named:
        return named[given]
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return EpsilonGreedy(float(given))
    raise WrongUse(
        f"exploration is {given!r}; give one of {', '.join(map(repr, named))}, a number (epsilon), or an object."
    )
