r"""How long a step is, before looking: step lengths :math:`\varepsilon_k`, :math:`k = 1, 2, \dots`

Decreasing steps converge for convex functions with a Lipschitz gradient (or bounded iterates) when

.. math:: \sum_k \varepsilon_k = \infty, \qquad \sum_k \varepsilon_k^2 < \infty; \tag{1}

without such regularity, a large constant in :math:`c/k` can make the first steps diverge.

>>> [inverse(2.0)(k) for k in (1, 2, 4)]
[2.0, 1.0, 0.5]
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from epee.errors import WrongUse

Schedule: TypeAlias = Callable[[int], float]


def positive(eta: Any, name: str = "eta") -> float:
    """Return ``eta`` as a float, refusing what is not a positive finite number."""
    if not isinstance(eta, Real) or not 0 < float(eta) < np.inf:
        raise WrongUse(f"the step {name} is {eta!r}; it must be a positive, finite number.")
    return float(eta)


def constant(eta: float) -> Schedule:
    r"""Return :math:`\varepsilon_k = \eta`: convergent on an L-smooth quadratic exactly when :math:`\eta < 2/L`."""
    eta = positive(eta)
    return lambda k: eta


def inverse(eta: float, offset: float = 0.0) -> Schedule:
    r"""Return :math:`\varepsilon_k = \eta / (k + k_0)`, which meets (1)."""
    eta = positive(eta)
    return lambda k: eta / (k + offset)


def power(eta: float, exponent: float = 0.75, offset: float = 0.0) -> Schedule:
    r"""Return :math:`\varepsilon_k = \eta / (k + k_0)^a`, which meets (1) for :math:`\frac12 < a \le 1`."""
    eta = positive(eta)
    if not 0 < exponent <= 1:
        raise WrongUse(f"the exponent of a schedule is {exponent}; it must lie in (0, 1].")
    return lambda k: eta / (k + offset) ** exponent


def geometric(eta: float, ratio: float = 0.99) -> Schedule:
    r"""Return :math:`\varepsilon_k = \eta\, r^{k-1}`: sums to a finite length, so it may stop short of the minimum."""
    eta = positive(eta)
    if not 0 < ratio < 1:
        raise WrongUse(f"the ratio of a geometric schedule is {ratio}; it must lie between 0 and 1.")
    return lambda k: eta * ratio ** (k - 1)


def optimal(alpha: float, typical: float = 1.0) -> Schedule:
    r"""Return Bottou's :math:`\varepsilon_k = 1 / (\alpha (k_0 + k))`, for objectives with a term
    :math:`\frac\alpha2 \|w\|^2`.
    """
    alpha = positive(alpha, "alpha")
    start = 1 / (positive(typical, "typical") * alpha)
    return lambda k: 1 / (alpha * (start + k - 1))


_NAMED: dict[str, Callable[[float], Schedule]] = {
    "constant": constant,
    "inverse": inverse,
    "power": power,
    "geometric": geometric,
}


def resolve_schedule(step: float | str | Schedule, eta: float = 1.0) -> Schedule:
    """Return a schedule: a number is constant, a name starts at ``eta``, a function of k stays.

    >>> resolve_schedule("inverse", 3.0)(3)
    1.0
    """
    if callable(step):
        return step
    if isinstance(step, str):
        if step not in _NAMED:
            names = ", ".join(repr(name) for name in _NAMED)
            raise WrongUse(
                f"the schedule {step!r} is unknown; the schedules are {names}, or a function of k = 1, 2, ..."
            )
        return _NAMED[step](eta)
    return constant(step)
