"""What estimators do with data that are not arrays: read them as a stream, or gather them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from epee.errors import DataError
from epee.table.block import Block, Source
from epee.typing import Labels, Vector


def is_stream(X: Any) -> bool:
    """Tell whether ``X`` is read in blocks: a source, a path, a SQL query or a Dask collection.

    >>> is_stream("table.csv"), is_stream([[1.0]])
    (True, False)
    """
    return isinstance(X, str | os.PathLike | Source) or type(X).__module__.partition(".")[0] == "dask"


def open_source(X: Any, y: Any = None, sample_weight: Any = None, columns: Sequence[str] | None = None) -> Source:
    """Return a source for a stream; ``y`` and ``sample_weight`` may be names of columns, ``columns`` those of the inputs."""
    from epee.table.source import as_source

    return X if isinstance(X, Source) else as_source(X, y, sample_weight=sample_weight, columns=columns)


def passes_over(X: Any) -> int:
    """Return how often the table behind a source was read whole, 0 for what is none: the cost of a method that reads again."""
    while getattr(X, "source", None) is not None:
        X = X.source
    return int(getattr(X, "passes", 0))


def gather(source: Source) -> tuple[np.ndarray, np.ndarray | None, Vector | None]:
    """Return all rows of a source at once: inputs, target, weights."""
    rows: list[np.ndarray] = []
    beside: tuple[list[Any], list[Any]] = ([], [])  # targets, weights
    for block in source.blocks():  # which may hold what it was read from, too: only its rows are kept
        rows.append(block.X)
        for part, held in zip((block.y, block.weight), beside, strict=True):
            if part is not None:
                held.append(part)
    if not rows:
        raise DataError(
            f"Found array with 0 sample(s) (shape=(0, {source.n_columns})) while a minimum of 1 is required."
        )
    y, w = (np.concatenate(held) if held else None for held in beside)
    return np.concatenate(rows), y, w


class CodedSource:
    """A source whose labels are codes of sorted classes, put in the group axis.

    The classes are those given, or found by one pass over the labels.
    """

    def __init__(self, source: Source, classes: Labels | None = None) -> None:
        self.source = source
        self.names: Sequence[str] | None = source.names
        self.n_columns, self.n_rows = source.n_columns, source.n_rows
        self.is_dask = getattr(source, "is_dask", False)
        self.labels = scan_classes(source) if classes is None else classes

    @property
    def origin(self) -> Vector:
        """The origin of the source behind."""
        return self.source.origin

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield the blocks with codes for labels."""
        for block in self.source.blocks(rows):
            yield block.having(y=None, group=codes_of(block.y, self.labels, block.start))


def scan_classes(source: Source) -> Labels:
    """Return the sorted labels of a source."""
    levels = getattr(source, "target_levels", None)
    if levels is not None:
        return np.asarray(levels)
    found: Labels | None = None
    for block in source.blocks():
        if block.y is None:
            raise DataError("requires y to be passed, but the target y is None: name its column.")
        here = np.unique(block.y)
        found = here if found is None else np.union1d(found, here)
    if found is None:
        raise DataError("Found array with 0 sample(s) while a minimum of 1 is required.")
    return found


def codes_of(y: np.ndarray | None, labels: Labels, start: int = 0) -> np.ndarray:
    """Return the code of each label; a label that is not among the classes is named with its row.

    >>> codes_of(np.array(["b", "a"]), np.array(["a", "b"]))
    array([1, 0])
    """
    if y is None:
        raise DataError("requires y to be passed, but the target y is None: name its column.")
    if labels.dtype.kind in "iu" and y.dtype.kind in "iu" and len(labels) and labels[-1] - labels[0] < 1000:
        place = y.astype(np.int64) - int(labels[0])  # whole numbers that lie close together: look them up
        if place.size and place.min() >= 0 and place.max() < len(labels) == labels[-1] - labels[0] + 1:
            return place
        table = np.full(int(labels[-1] - labels[0]) + 1, -1)
        table[labels - labels[0]] = np.arange(len(labels))
        inside = (place >= 0) & (place < len(table))
        codes = table[np.where(inside, place, 0)]
        wrong = ~inside | (codes < 0)
    else:
        codes = np.searchsorted(labels, y)
        wrong = labels[np.minimum(codes, len(labels) - 1)] != y
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise DataError(f"row {start + row}: the label {y[row]!r} is not one of the classes {labels.tolist()[:10]}.")
    return codes
