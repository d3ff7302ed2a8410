"""What estimators do with data that are not arrays: read them as a stream, or gather them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from epee.arrays import at_home, is_elsewhere
from epee.errors import DataError
from epee.table.block import Readable, Source
from epee.table.changes import Coded
from epee.table.elsewhere import ElsewhereSource
from epee.table.frames import is_away, passes_once
from epee.table.labels import scan_classes
from epee.table.parts import BlockSource, adopted
from epee.table.sparse import SparseSource, laid_out
from epee.table.svmlight import is_svmlight, sparse_rows
from epee.table.view import View
from epee.typing import Labels, Vector


def is_stream(X: Any) -> bool:
    """Tell whether ``X`` is read in blocks: a source, a path, a SQL query, frames one after the other, what lies on a cluster or elsewhere.

    >>> is_stream("table.csv"), is_stream([[1.0]])
    (True, False)
    """
    if isinstance(X, np.ndarray):  # by far the most frequent, and a protocol is slow to tell that something is none
        return False
    return is_elsewhere(X) or isinstance(X, str | os.PathLike | BlockSource | Readable) or is_away(X) or passes_once(X)


def width_of(X: Any) -> int:
    """Return how many columns a table has: a source, an array, a frame, rows as lists.

    >>> width_of([[1.0, 2.0]]), width_of(np.zeros(3))
    (2, 1)
    """
    shape = (0, cast(Readable, X).n_columns) if isinstance(X, BlockSource | Readable) else np.shape(X)
    return int(shape[1]) if len(shape) == 2 else 1


def open_source(X: Any, y: Any = None, sample_weight: Any = None, columns: Sequence[str] | None = None) -> Source:
    """Return a source for a stream; ``y`` and ``sample_weight`` may be names of columns, ``columns`` those of the inputs."""
    from epee.table.source import as_source

    if is_elsewhere(X):
        return ElsewhereSource(X, y, sample_weight)
    named = isinstance(y, str) and y != "target"  # another column than that which the format has for it
    if columns is None and not named and not isinstance(sample_weight, str) and is_svmlight(X):
        return cast(Source, sparse_rows(X, y, sample_weight))
    if not is_away(X) and isinstance(
        X, BlockSource | Readable
    ):  # a frame of Spark Connect claims to have any attribute
        return adopted(cast(Readable, X))
    return as_source(X, y, sample_weight=sample_weight, columns=columns)


def passes_over(X: Any) -> int:
    """Return how often a source was read whole, 0 for what is none: the cost of a method that reads again."""
    return X.passes if isinstance(X, BlockSource) else 0


def gather(source: Source) -> tuple[np.ndarray, np.ndarray | None, Vector | None]:
    """Return all rows of a source at once: inputs, target, weights."""
    if isinstance(source, SparseSource):
        return laid_out(source.X), source.y, source.weight
    if isinstance(source, ElsewhereSource):
        return at_home(source.X), source.beside_here.get("y"), source.weight
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


def coded(source: Source, classes: Labels | None = None) -> tuple[Source, Labels]:
    """Return the source with codes of sorted classes in the group axis, and the classes: those given, or found by a pass.

    >>> from epee.table.arrays import ArraySource
    >>> source, classes = coded(ArraySource(np.zeros((3, 1)), y=np.array(["b", "a", "b"])))
    >>> next(source.blocks()).group, classes
    (array([1, 0, 1]), array(['a', 'b'], dtype='<U1'))
    """
    if isinstance(source, ElsewhereSource):
        return source.coded(classes)
    if isinstance(source, SparseSource) and source.y is not None:
        seen, codes = np.unique(source.y, return_inverse=True)
        known = seen if classes is None else np.asarray(classes)
        strange = seen[~np.isin(seen, known)]
        if len(strange):
            raise DataError(
                f"y holds the labels {strange.tolist()[:5]}, which are not among the classes {known.tolist()[:5]}."
            )
        group = np.searchsorted(known, seen)[codes.reshape(-1)]
        return cast(Source, SparseSource(source.X, None, source.weight, source.fold, group, source.names)), known
    labels = scan_classes(source) if classes is None else classes
    return View(source, Coded(labels)), labels
