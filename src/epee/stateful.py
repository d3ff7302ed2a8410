"""Parts of estimators that can be written down as plain data and made again: moments, factors, trees, searches.

A part says which of its attributes it is made of; a data class is made of its fields. Writing and reading is the business of
:mod:`epee.job.state`, which knows parts by the names that the registry lists, and asks them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Self


class Part:
    """Gives a class ``to_state`` and ``from_state``; ``state_parts`` names its attributes where it is no data class.

    >>> class Line(Part):
    ...     state_parts = ("slope",)
    >>> line = Line.from_state({"version": 1, "slope": 2.0})
    >>> line.slope, line.to_state()
    (2.0, {'version': 1, 'slope': 2.0})
    """

    state_version: ClassVar[int] = 1
    state_parts: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def _state_names(cls) -> tuple[str, ...]:
        return tuple(f.name for f in fields(cls)) if is_dataclass(cls) and not cls.state_parts else cls.state_parts

    def to_state(self) -> dict[str, Any]:
        """Return what it is made of."""
        present = [name for name in self._state_names() if hasattr(self, name)]
        return {"version": self.state_version, **{name: getattr(self, name) for name in present}}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the part that :meth:`to_state` described."""
        made = object.__new__(cls)
        for name in cls._state_names():
            if name in state:
                object.__setattr__(made, name, state[name])
        made.check_state()
        return made

    def check_state(self) -> None:
        """Refuse what no fit could have made, as a file edited by hand may hold: compiled code looks at no bounds."""
