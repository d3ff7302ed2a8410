"""Targets with several columns: one output each, with classes of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.estimator.base import Classifier, encode_labels
from epee.typing import Codes, Labels, Vector


class SeveralLabels(Classifier):
    """A classifier that answers several outputs, each with classes of its own; one class is learned, too."""

    _minimum_classes = 1
    classes_: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = tags.target_tags.multi_output = True
        return tags

    def _enter_target(self, y: Any, n: int) -> Codes:
        if not is_several(y):
            return super()._enter_target(y, n)
        self.classes_, codes = encode_outputs(y, n)
        return codes

    def _check_weighted_classes(self, codes: Codes, w: Vector) -> None:
        if codes.ndim == 1:
            super()._check_weighted_classes(codes, w)


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
