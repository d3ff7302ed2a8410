"""The state of a fitted estimator: its parameters, what it learned, and what it names besides.

By scikit-learn's custom what was learned ends in an underscore; a class that needs more to predict names it in
``state_parts``, and what may stay behind in ``state_skips``. A later version of a class that learns something else raises its
``state_version`` and reads the older states in its own ``from_state``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from epee.errors import BadFile


class Saved:
    """Gives an estimator ``to_state`` and ``from_state``."""

    if TYPE_CHECKING:
        get_params: Any

    state_version: ClassVar[int] = 1
    state_parts: ClassVar[tuple[str, ...]] = ("_n_features_out", "_one_target")
    state_skips: ClassVar[tuple[str, ...]] = ("trace_",)  # how a descent went: long, and not needed to predict

    @classmethod
    def _named(cls, what: str) -> Iterator[str]:
        for base in cls.__mro__:
            yield from vars(base).get(what, ())

    @classmethod
    def _belongs(cls, name: str) -> bool:
        """Tell whether an attribute is part of the state."""
        learned = name.endswith("_") and not name.startswith("_") and name not in cls._named("state_skips")
        return learned or name in cls._named("state_parts")

    def to_state(self) -> dict[str, Any]:
        """Return parameters and what was learned."""
        known = self.get_params(deep=False)
        fitted = {name: value for name, value in vars(self).items() if name not in known and self._belongs(name)}
        return {"version": self.state_version, "parameters": known, "fitted": fitted}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the estimator that :meth:`to_state` described; nothing but its own attributes is set."""
        if state["version"] > cls.state_version:
            raise BadFile(
                f"it holds a {cls.__name__} of version {state['version']}, and this épée reads up to {cls.state_version}: update épée."
            )
        made = cls(**state["parameters"])
        own = {name: value for name, value in state["fitted"].items() if cls._belongs(name)}
        vars(made).update(own)
        made._restore()
        return made

    def _restore(self) -> None:
        """Work out again what a state leaves out."""
