"""Labels of classes and their codes."""

from __future__ import annotations

import numpy as np

from epee.errors import DataError
from epee.table.block import Readable
from epee.typing import Labels


def scan_classes(source: Readable) -> Labels:
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
