"""What the columns of a table are called and what they hold.

A column is of one of five kinds: ``number``, ``category`` (a few texts that come back), ``boolean``, ``date`` and ``text``
(texts that hardly come back: names, remarks, identifiers). A schema is plain data: it goes into a saved predictor as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from epee.errors import DataError, EmptyTable, WrongUse

KINDS = ("number", "category", "boolean", "date", "text")
CLOCK = "with a time of day"  # the note of a date column that has one
PAIRS = "by its sparse numbers"  # the note of a text that lists numbers by their place, "3:0.5 17:2"
WORDS = "by its words"  # the note of a text whose words are worth reading, and of one that the user calls a text


class Kind(str):
    """A kind with what else is known of it: the order of day and month in dates, so that new rows are read alike.

    >>> kind = Kind.of("date:dmy")
    >>> kind == "date", kind.order, Kind.of("number").order
    (True, 'dmy', '')
    """

    order: str

    def __new__(cls, kind: str, order: str = "") -> Kind:
        made = super().__new__(cls, kind)
        made.order = order
        return made

    @classmethod
    def of(cls, text: str) -> Kind:
        """Return a kind as a user writes it, ``"category"`` or ``"date:dmy"``."""
        kind, _, order = text.partition(":")
        if isinstance(text, Kind) or not order:
            return cls(kind, getattr(text, "order", ""))
        if kind != "date" or order not in ("dmy", "mdy"):
            return cls(text)  # which no table knows
        return cls(kind, order)

    def __str__(self) -> Kind:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Kind, (str.__str__(self), self.order)


@dataclass(frozen=True)
class Column:
    """One column: its name, its kind and what a pass over the rows has seen.

    Parameters
    ----------
    name : str
    kind : {"number", "category", "boolean", "date", "text"}
    levels : tuple of str, optional
        The texts of a category in their sorted order; None when they have not been counted.
    counts : tuple of int, optional
        How often each level was seen.
    missing : int, optional
        Empty cells; None when they have not been counted.
    note : str
        How the column was read, where that is worth saying.
    own : tuple of int, optional
        Of a text that lists numbers by their places, the places that have a column of their own.
    """

    name: str
    kind: str = "number"
    levels: tuple[str, ...] | None = None
    counts: tuple[int, ...] | None = None
    missing: int | None = None
    note: str = ""
    own: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise WrongUse(f"column {self.name!r}: there is no kind {self.kind!r}; the kinds are {', '.join(KINDS)}.")


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in order.

    Examples
    --------
    >>> schema = Schema((Column("age"), Column("town", "category", levels=("Lyon", "Paris"))))
    >>> schema.names, schema["town"].kind
    (('age', 'town'), 'category')
    >>> schema.find("twon")
    Traceback (most recent call last):
        ...
    epee.errors.WrongUse: there is no column 'twon'; did you mean 'town'?
    >>> Schema.from_json(schema.to_json()) == schema
    True
    """

    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        refuse_duplicates(c.name for c in self.columns)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(c.name for c in self.columns)

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each column stands."""
        return {name: j for j, name in enumerate(self.names)}

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the columns."""
        return tuple(c.kind for c in self.columns)

    @property
    def numeric(self) -> bool:
        """Tell whether all columns are numbers or booleans, so that rows are a matrix as they are."""
        return all(c.kind in ("number", "boolean") for c in self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> Column:
        return self.columns[self.find(name)]

    def find(self, name: str, what: str = "column") -> int:
        """Return the place of a column, or say which name was probably meant."""
        return self.places[name] if name in self.places else find_name(name, self.names, what)

    def select(self, names: Iterable[str]) -> Schema:
        """Return the schema of some columns, in the order of ``names``."""
        return Schema(tuple(self[name] for name in names))

    def without(self, names: Iterable[str]) -> Schema:
        """Return the schema of the other columns."""
        gone = set(names)
        return Schema(tuple(c for c in self.columns if c.name not in gone))

    def override(self, types: Mapping[str, str] | None) -> Schema:
        """Return the schema with the kinds that the user gave, ``{"zip": "category"}``."""
        if not types:
            return self
        for name in types:
            self.find(name)
        return Schema(
            tuple(
                replace(c, kind=types[c.name], levels=None, counts=None) if types.get(c.name, c.kind) != c.kind else c
                for c in self.columns
            )
        )

    def to_json(self) -> list[dict[str, Any]]:
        """Return plain data, for a saved predictor."""
        plain = []
        for c in self.columns:
            entry: dict[str, Any] = {"name": c.name, "kind": c.kind}
            if getattr(c.kind, "order", ""):
                entry["order"] = c.kind.order  # type: ignore[attr-defined]
            if c.levels is not None:
                entry["levels"] = list(c.levels)
            if c.counts is not None:
                entry["counts"] = list(c.counts)
            if c.missing is not None:
                entry["missing"] = c.missing
            if c.note:
                entry["note"] = c.note
            if c.own is not None:
                entry["own"] = list(c.own)
            plain.append(entry)
        return plain

    @classmethod
    def from_json(cls, plain: Sequence[Mapping[str, Any]]) -> Schema:
        """Return the schema that :meth:`to_json` wrote; a file that was edited is refused with a sentence."""
        columns = []
        for entry in plain:
            if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
                raise DataError(
                    f"the schema holds {entry!r}, which is not a column; the file was edited or is damaged."
                )
            levels, counts, own = (entry.get(name) for name in ("levels", "counts", "own"))
            columns.append(
                Column(
                    entry["name"],
                    Kind(entry.get("kind", "number"), str(entry.get("order", ""))),
                    None if levels is None else tuple(str(level) for level in levels),
                    None if counts is None else tuple(int(k) for k in counts),
                    entry.get("missing"),
                    str(entry.get("note", "")),
                    None if own is None else tuple(sorted({abs(int(place)) for place in own})),
                )
            )
        return cls(tuple(columns))


def find_name(name: str, names: Sequence[str], what: str = "column") -> int:
    """Return the place of ``name`` among ``names``, or raise a sentence with the nearest one."""
    try:
        return list(names).index(name)
    except ValueError:
        raise WrongUse(f"there is no {what} {name!r}{suggestion(str(name), names)}") from None


def refuse_missing(wanted: Sequence[str], names: Sequence[str], most: int = 12) -> None:
    """Refuse names without some that are wanted, all named at once.

    >>> refuse_missing(["a", "b", "size"], ["a", "Size"])
    Traceback (most recent call last):
        ...
    epee.errors.WrongUse: there are no columns 'b', 'size' (did you mean 'Size'?).
    """
    present = set(names)
    absent = [name for name in wanted if name not in present]
    if len(absent) == 1:
        find_name(absent[0], names)
    if absent:
        spare = [name for name in names if name not in wanted]
        near = [suggestion(name, spare) for name in absent[:most]]
        said = [f"{n!r} ({s[2:]})" if s.startswith("; did") else repr(n) for n, s in zip(absent, near, strict=False)]
        more = f" and {len(absent) - most} more" if len(absent) > most else ""
        raise WrongUse(f"there are no columns {', '.join(said)}{more}.")


def suggestion(name: str, names: Sequence[str]) -> str:
    """Return the end of a sentence about an absent name.

    >>> suggestion("pice", ["price", "size"]), suggestion("zzz", ["price", "size"])
    ("; did you mean 'price'?", "; there are 'price', 'size'.")
    """
    lower = {str(n).lower(): str(n) for n in reversed(list(names))}
    near = get_close_matches(name.lower(), list(lower), n=1, cutoff=0.6)
    if near:
        return f"; did you mean {lower[near[0]]!r}?"
    shown = ", ".join(repr(str(n)) for n in list(names)[:8])
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"; there are {shown}{more}." if names else "; the table has no columns."


def refuse_duplicates(names: Iterable[str], where: str = "") -> None:
    """Refuse two columns of one name, and a table without columns."""
    seen: set[str] = set()
    any_name = False
    for place, name in enumerate(names, 1):
        any_name = True
        if name in seen:
            raise DataError(
                f"{where}two columns are called {name!r} (the second is column {place}): rename or drop one of them."
            )
        seen.add(name)
    if not any_name:
        raise EmptyTable(f"{where}the table has no columns.")
