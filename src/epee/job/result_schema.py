"""The JSON schema of ``epee learn --json``: what a program that reads the result may rely on."""

from __future__ import annotations

import json
from typing import Any

_TEXT, _NUMBER, _FLAG = ({"type": kind} for kind in ("string", "number", "boolean"))
_MAYBE = {"type": ["number", "null"]}


def _list(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", **more, "items": items}


def _object(required: str, **properties: Any) -> dict[str, Any]:
    """Return the schema of an object: the keys that it must have, and what is known of some of them."""
    return {"type": "object", "required": required.split()} | ({"properties": properties} if properties else {})


def _perhaps(required: str = "") -> dict[str, Any]:
    """Return the schema of an object that may be null."""
    return {"type": ["object", "null"]} | ({"required": required.split()} if required else {})


_TEXTS = _list(_TEXT)
_FIGURE = _object(
    "value stderr low high level n loss how",
    value=_NUMBER, stderr=_MAYBE, low=_MAYBE, high=_MAYBE, level=_NUMBER, n=_MAYBE, loss=_TEXT, how=_TEXT, caution=_TEXT,
)  # fmt: skip
_LINE = _object(
    "key name value stderr low high interval mark chosen",
    key=_TEXT, name=_TEXT, value=_NUMBER, stderr=_MAYBE, low=_MAYBE, high=_MAYBE, level=_NUMBER,
    interval={"enum": ["nested", "approximate"]}, dof=_MAYBE, seconds=_NUMBER, parameter={"type": ["string", "null"]},
    chosen_value={}, difference=_NUMBER, difference_stderr=_NUMBER, p_value=_NUMBER,
    mark={"enum": ["best", "worse", "not distinguishable"]}, chosen=_FLAG, caution=_TEXT, kin=_TEXT,
)  # fmt: skip
_HEADLINE = _object(
    "name value low high level", name=_TEXT, value=_NUMBER, low=_MAYBE, high=_MAYBE, level=_NUMBER, n=_MAYBE
)
_COLUMN = _object(
    "name kind role missing", name=_TEXT, kind=_TEXT, role=_TEXT, missing={"type": "integer"}, levels=_TEXTS, note=_TEXT
)
_RATE = _perhaps("value low high")
_OF_CLASS = _object(
    "label rows precision recall f1", label=_TEXT, rows=_NUMBER, precision=_RATE, recall=_RATE, f1=_RATE
)
_ROWS = {**_object("read training sealed dropped"), "additionalProperties": {"type": "integer"}}
_TEST = {**_FIGURE, "properties": {**_FIGURE["properties"], "agrees": {"type": ["boolean", "null"]}, "sentence": _TEXT}}

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "What epee learn found",
    **_object(
        "format epee task target classes loss settings rows columns notes leaderboard dropped chosen verdict optimism test "
        "conclusive curves findings how redo seconds",
        format={"const": 1},
        epee=_TEXT,
        task={"enum": ["classification", "regression"]},
        target=_TEXTS,
        classes=_TEXTS,
        class_counts={"type": "object", "additionalProperties": _NUMBER},
        rare=_object("labels joined", labels=_TEXTS, joined=_TEXT),
        loss=_TEXT,
        settings={"type": "object"},
        rows=_ROWS,
        columns=_list(_COLUMN),
        notes=_TEXTS,
        leaderboard=_list(_LINE, minItems=1),
        dropped=_list(_object("name why")),
        chosen=_object("key name class parameter value parameters"),
        verdict=_TEXTS,
        optimism=_object("value by_folds draws corrected"),
        test=_TEST,
        conclusive=_FLAG,
        curves={"type": "object"},
        confusion=_perhaps(),
        residuals=_perhaps(),
        calibration={"type": "array"},
        scores={"type": "object", "additionalProperties": _FIGURE},
        headline=_list(_HEADLINE),
        by_class=_list(_OF_CLASS),
        ranking=_list(_object("label share roc precision_recall lift calibration")),
        uses=_perhaps(),
        effects=_perhaps("of columns interactions bands"),
        rules=_TEXTS,
        threshold=_perhaps("label thresholds cost precision recall chosen least"),
        learning_curve=_perhaps(),
        findings=_list(_object("code sentence")),
        how=_TEXTS,
        conditions=_TEXTS,
        redo=_object("command python"),
        seconds=_NUMBER,
    ),
}


def schema_text() -> str:
    """Return the schema as JSON text."""
    return json.dumps(SCHEMA, indent=1)
