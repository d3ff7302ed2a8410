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


def templates(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield (file, sentence) for every error of ours that a folder of sources raises with a sentence of its own."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                name = node.exc.func.id if isinstance(node.exc.func, ast.Name) else ""
                text = template(node.exc.args[0]) if name in ERRORS else None
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
