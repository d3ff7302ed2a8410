"""The sentences that a room may raise, read from its sources: what is said stays, what is filled in becomes ``{}``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ERRORS = (
    "DataError",
    "MissingValues",
    "InfiniteValues",
    "EmptyTable",
    "TooLarge",
    "SingularProblem",
    "BadFile",
    "WrongUse",
)
OF_THE_SYSTEM = ("OSError", "FileNotFoundError", "PermissionError")  # with a number before the sentence


def templates(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield (file, sentence) for every error of ours that a folder of sources, or one file, makes with a sentence of its own."""
    for path in sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                place = 0 if node.func.id in ERRORS else 1 if node.func.id in OF_THE_SYSTEM else len(node.args)
                text = template(node.args[place]) if place < len(node.args) else None
                if text and text.strip("{} .:,"):
                    yield path.name, text


def template(node: ast.expr) -> str | None:
    """Return a text with its fields as ``{}``; None for what is no text.

    >>> template(ast.parse("f'column {name!r}: ' 'no rows.'", mode="eval").body)
    'column {}: no rows.'
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None
