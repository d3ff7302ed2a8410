"""What a user says about the kinds of columns, on the command line or in a file."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence

from epee.errors import WrongUse
from epee.table.schema import Kind


def parse_kinds(words: Sequence[str]) -> dict[str, str]:
    """Return ``{"zip": "category"}`` from ``["zip=category"]``.

    >>> parse_kinds(["zip=category", "a=b=number"])
    {'zip': 'category', 'a=b': 'number'}
    """
    kinds = {}
    for word in words:
        name, mark, kind = word.rpartition("=")
        if not mark or not name:
            raise WrongUse(f"--type {word!r} should be written column=kind, as in zip=category.")
        kinds[name] = kind
    return settled(kinds)


def settled(kinds: Mapping[str, str] | None) -> dict[str, str]:
    """Return kinds that know the order of their dates, ``{"day": "date:dmy"}`` among them.

    >>> settled({"day": "date:dmy"})["day"] == "date"
    True
    """
    return {name: Kind.of(kind) for name, kind in (kinds or {}).items()}


def read_kinds(path: str) -> dict[str, str]:
    """Return the kinds of columns from a file: JSON, or lines ``column,kind``."""
    with open(path, encoding="utf-8-sig") as stream:
        text = stream.read()
    try:
        kinds = json.loads(text) if text.lstrip().startswith("{") else {
            row[0].strip(): row[1].strip() for row in csv.reader(text.splitlines()) if row and not row[0].startswith("#")
        }  # fmt: skip
    except (ValueError, IndexError):
        raise WrongUse(f'{path} should hold JSON such as {{"zip": "category"}}, or lines column,kind.') from None
    if kinds.get("column") == "kind":
        del kinds["column"]
    if not all(isinstance(k, str) and isinstance(v, str) for k, v in kinds.items()):
        raise WrongUse(f"{path} should hold names of columns and kinds, both as text.")
    return settled(kinds)
