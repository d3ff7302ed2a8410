"""Targets with several columns: one output each, with classes of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.estimator.base import encode_labels
from epee.typing import Codes, Labels


def is_several(y: Any) -> bool:
    """Tell whether a target has several columns.

    >>> is_several([[0, 1], [1, 1]]), is_several([0, 1]), is_several([[0], [1]])
    (True, False, False)
    """
    shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    return len(shape) == 2 and shape[1] > 1


def encode_outputs(y: Any, n: int) -> tuple[list[Labels], Codes]:
    """Return the classes of each output and the codes (n, outputs) of the rows."""
    values = np.asarray(y)
    pairs = [encode_labels(values[:, o], n) for o in range(values.shape[1])]
    return [classes for classes, _ in pairs], np.column_stack([codes for _, codes in pairs]).astype(np.int64)


def labels_of(codes: Codes, classes: Any) -> np.ndarray:
    """Return the labels (n, outputs) of codes; texts and numbers side by side are objects."""
    columns = [own[codes[:, o]] for o, own in enumerate(classes)]
    kinds = {own.dtype.kind in "iufb" for own in columns}
    if len(kinds) > 1:
        columns = [own.astype(object) for own in columns]
    return np.column_stack(columns)
