r"""What is believed of a coefficient before the data: a density, up to its constant.

.. math:: -\log p(\beta) = \tfrac12 \frac{(\beta - \mu)^2}{\tau^2} \;\text{(Gaussian)}, \qquad
          \frac{|\beta - \mu|}{b} \;\text{(Laplace)}, \qquad 0 \;\text{on}\; [l, u] \;\text{(uniform)},

each of them, if asked, truncated to an interval :math:`[l, u]`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.stateful import Part


@dataclass(frozen=True)
class Prior(Part):
    """The prior of one coefficient; by itself it says nothing (flat) but the bounds.

    Parameters
    ----------
    low, high : float
        Bounds of the coefficient.
    """

    low: float = -np.inf
    high: float = np.inf

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise WrongUse(
                f"the bounds of a prior are {self.low:g} and {self.high:g}; the first must not exceed the second."
            )

    @property
    def centre(self) -> float:
        """Where the density is largest."""
        return 0.0

    @property
    def precision(self) -> float:
        """Second derivative of -log p."""
        return 0.0

    @property
    def kink(self) -> float:
        """Slope of -log p on both sides of its centre."""
        return 0.0

    @property
    def bounded(self) -> bool:
        """Tell whether the interval is not the whole line."""
        return bool(np.isfinite(self.low) or np.isfinite(self.high))


@dataclass(frozen=True)
class FlatPrior(Prior):
    """Nothing is known: maximum likelihood, within the bounds if there are any."""


@dataclass(frozen=True)
class UniformPrior(Prior):
    """Every value of [low, high] is as likely, no other is possible."""

    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class GaussianPrior(Prior):
    """Normal with ``mean`` and standard deviation ``sd``, possibly truncated; a smaller ``sd`` pulls harder."""

    mean: float = 0.0
    sd: float = 1.0

    def __init__(self, mean: float = 0.0, sd: float = 1.0, low: float = -np.inf, high: float = np.inf) -> None:
        for name, value in (("mean", mean), ("sd", sd), ("low", low), ("high", high)):
            object.__setattr__(self, name, float(value))
        self.__post_init__()
        if not sd > 0:
            raise WrongUse(f"the standard deviation of a prior is {sd:g}; it must be positive.")

    @property
    def centre(self) -> float:
        return self.mean

    @property
    def precision(self) -> float:
        return 1 / self.sd**2


@dataclass(frozen=True)
class LaplacePrior(Prior):
    """Two-sided exponential with ``mean`` and ``scale``, possibly truncated: an exact ``mean`` is likely; 0 gives sparse coefficients."""

    mean: float = 0.0
    scale: float = 1.0

    def __init__(self, mean: float = 0.0, scale: float = 1.0, low: float = -np.inf, high: float = np.inf) -> None:
        for name, value in (("mean", mean), ("scale", scale), ("low", low), ("high", high)):
            object.__setattr__(self, name, float(value))
        self.__post_init__()
        if not scale > 0:
            raise WrongUse(f"the scale of a prior is {scale:g}; it must be positive.")

    @property
    def centre(self) -> float:
        return self.mean

    @property
    def kink(self) -> float:
        return 1 / self.scale


NAMES: dict[str, type[Prior]] = {
    "gaussian": GaussianPrior,
    "laplace": LaplacePrior,
    "uniform": UniformPrior,
    "flat": FlatPrior,
}


def as_prior(prior: Any) -> Prior:
    """Return the prior that a user means: one, its name, a pair (name, parameters), or None for a flat one.

    >>> as_prior(("gaussian", {"sd": 2.0})).precision
    0.25
    """
    if prior is None:
        return FlatPrior()
    if isinstance(prior, Prior):
        return prior
    name, parameters = (prior, {}) if isinstance(prior, str) else prior
    if name not in NAMES:
        raise WrongUse(f"the prior {name!r} is unknown; the priors are {', '.join(map(repr, NAMES))}.")
    return NAMES[name](**parameters)


def prior_of_each(prior: Any, names: Any, p: int) -> list[Prior]:
    """Return one prior a coefficient from one for all, a list, or a dictionary by column."""
    if isinstance(prior, dict):
        known = [str(name) for name in names] if names is not None else []
        at = {j: as_prior(value) for j, value in ((known.index(k) if k in known else k, v) for k, v in prior.items())}
        strange = [k for k in at if not (isinstance(k, int | np.integer) and 0 <= k < p)]
        if strange:
            raise WrongUse(f"a prior is given for the column {strange[0]!r}, which X does not have.")
        return [at.get(j, FlatPrior()) for j in range(p)]
    if isinstance(prior, list) or (isinstance(prior, tuple) and not (prior and isinstance(prior[0], str))):
        if len(prior) != p:
            raise WrongUse(f"{len(prior)} priors are given for {p} coefficients; give one for each, or one for all.")
        return [as_prior(value) for value in prior]
    return [as_prior(prior)] * p
