"""The JSON schema of ``epee learn --json``: what a program that reads the result may rely on."""

from __future__ import annotations

import json
from typing import Any

_TEXT, _NUMBER, _MAYBE, _FLAG = (
    {"type": "string"},
    {"type": "number"},
    {"type": ["number", "null"]},
    {"type": "boolean"},
)
_FIGURE: dict[str, Any] = {
    "type": "object",
    "required": ["value", "stderr", "low", "high", "level", "n", "loss", "how"],
    "properties": {
        "value": _NUMBER, "stderr": _MAYBE, "low": _MAYBE, "high": _MAYBE, "level": _NUMBER, "n": _MAYBE, "loss": _TEXT, "how": _TEXT,
    },
}  # fmt: skip
_LINE: dict[str, Any] = {
    "type": "object",
    "required": ["key", "name", "value", "stderr", "low", "high", "interval", "mark", "chosen"],
    "properties": {
        "key": _TEXT, "name": _TEXT, "value": _NUMBER, "stderr": _MAYBE, "low": _MAYBE, "high": _MAYBE, "level": _NUMBER,
        "interval": {"enum": ["nested", "approximate"]}, "dof": _MAYBE, "seconds": _NUMBER, "parameter": {"type": ["string", "null"]},
        "chosen_value": {}, "difference": _NUMBER, "difference_stderr": _NUMBER, "p_value": _NUMBER,
        "mark": {"enum": ["best", "worse", "not distinguishable"]}, "chosen": _FLAG,
    },
}  # fmt: skip
_TEXTS = {"type": "array", "items": _TEXT}
_HEADLINE: dict[str, Any] = {
    "type": "object",
    "required": ["name", "value", "low", "high", "level"],
    "properties": {"name": _TEXT, "value": _NUMBER, "low": _MAYBE, "high": _MAYBE, "level": _NUMBER, "n": _MAYBE},
}
_RATE: dict[str, Any] = {"type": ["object", "null"], "required": ["value", "low", "high"]}

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "What epee learn found",
    "type": "object",
    "required": [
        "format", "epee", "task", "target", "classes", "loss", "settings", "rows", "columns", "notes", "leaderboard", "dropped", "chosen",
        "verdict", "optimism", "test", "conclusive", "curves", "findings", "how", "redo", "seconds",
    ],
    "properties": {
        "format": {"const": 1},
        "epee": _TEXT,
        "task": {"enum": ["classification", "regression"]},
        "target": _TEXTS,
        "classes": _TEXTS,
        "class_counts": {"type": "object", "additionalProperties": _NUMBER},
        "rare": {"type": "object", "required": ["labels", "joined"], "properties": {"labels": _TEXTS, "joined": _TEXT}},
        "loss": _TEXT,
        "settings": {"type": "object"},
        "rows": {"type": "object", "required": ["read", "training", "sealed", "dropped"], "additionalProperties": {"type": "integer"}},
        "columns": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "kind", "role", "missing"],
                "properties": {
                    "name": _TEXT, "kind": _TEXT, "role": _TEXT, "missing": {"type": "integer"}, "levels": _TEXTS, "note": _TEXT,
                },
            },
        },
        "notes": _TEXTS,
        "leaderboard": {"type": "array", "minItems": 1, "items": _LINE},
        "dropped": {"type": "array", "items": {"type": "object", "required": ["name", "why"]}},
        "chosen": {"type": "object", "required": ["key", "name", "class", "parameter", "value", "parameters"]},
        "verdict": _TEXTS,
        "optimism": {"type": "object", "required": ["value", "by_folds", "draws", "corrected"]},
        "test": {**_FIGURE, "properties": {**_FIGURE["properties"], "agrees": {"type": ["boolean", "null"]}, "sentence": _TEXT}},
        "conclusive": _FLAG,
        "curves": {"type": "object"},
        "confusion": {"type": ["object", "null"]},
        "residuals": {"type": ["object", "null"]},
        "calibration": {"type": "array"},
        "scores": {"type": "object", "additionalProperties": _FIGURE},
        "headline": {"type": "array", "items": _HEADLINE},
        "by_class": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["label", "rows", "precision", "recall", "f1"],
                "properties": {"label": _TEXT, "rows": _NUMBER, "precision": _RATE, "recall": _RATE, "f1": _RATE},
            },
        },
        "ranking": {
            "type": "array",
            "items": {"type": "object", "required": ["label", "share", "roc", "precision_recall", "lift", "calibration"]},
        },
        "uses": {"type": ["object", "null"]},
        "effects": {"type": ["object", "null"], "required": ["of", "columns", "interactions", "bands"]},
        "rules": _TEXTS,
        "threshold": {"type": ["object", "null"], "required": ["label", "thresholds", "cost", "precision", "recall", "chosen", "least"]},
        "learning_curve": {"type": ["object", "null"]},
        "findings": {"type": "array", "items": {"type": "object", "required": ["code", "sentence"]}},
        "how": _TEXTS,
        "redo": {"type": "object", "required": ["command", "python"]},
        "seconds": _NUMBER,
    },
}  # fmt: skip


def schema_text() -> str:
    """Return the schema as JSON text."""
    return json.dumps(SCHEMA, indent=1)
