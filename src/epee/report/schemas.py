"""The JSON schemas of the two cards, and a check of a card against them.

The schema of an exploration is ``explored.schema.json`` in this room; that of a run of the main job is in
:mod:`epee.job.result_schema`. The check knows the few words of JSON Schema that both use, so that no package is needed for it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

_TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "number": (int, float),
    "integer": int,
}


@cache
def schema_of(task: str) -> dict[str, Any]:
    """Return the schema of a card by its task, ``"exploration"`` or another."""
    if task == "exploration":
        text = (resources.files("epee.report") / "explored.schema.json").read_text(encoding="utf-8")
        explored: dict[str, Any] = json.loads(text)
        return explored
    from epee.job.result_schema import SCHEMA

    return SCHEMA


def faults(value: Any, schema: dict[str, Any], place: str = "card") -> list[str]:
    """Return what in a value is not as its schema says; an empty list is good.

    >>> faults({"rows": "3"}, {"type": "object", "properties": {"rows": {"type": "integer"}}})
    ["card.rows is '3', not integer"]
    """
    kinds = schema.get("type")
    if kinds is not None:
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if not any(
            isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool)) for kind in kinds
        ):
            return [f"{place} is {value!r:.40}, not {' or '.join(kinds)}"]
    if "const" in schema and value != schema["const"]:
        return [f"{place} is {value!r}, not {schema['const']!r}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{place} is {value!r}, none of {schema['enum']}"]
    if "anyOf" in schema and all(faults(value, one, place) for one in schema["anyOf"]):
        return [f"{place} fits none of its forms"]
    out: list[str] = []
    if isinstance(value, dict):
        out += [f"{place} has no {key}" for key in schema.get("required", []) if key not in value]
        known, others = schema.get("properties", {}), schema.get("additionalProperties")
        for key, inner in value.items():
            if key in known:
                out += faults(inner, known[key], f"{place}.{key}")
            elif isinstance(others, dict):
                out += faults(inner, others, f"{place}.{key}")
            elif others is False:
                out.append(f"{place} has {key}, which is not in the schema")
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        for i, inner in enumerate(value):
            out += faults(inner, schema["items"], f"{place}[{i}]")
    return out
