"""Rows that lie elsewhere: in an array of CuPy, PyTorch or JAX, on whatever device it is on.

Such a table is a source like any other. Its engine works on the rows where they lie (:meth:`ElsewhereSource.there`); whoever reads its
blocks instead, as methods without a road of their own for it do, gets NumPy's, brought here one block at a time. What lies beside the
rows (targets, weights, folds, classes) is kept at both places, for it is small.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from epee.arrays import (
    as_type,
    at_home,
    indicators,
    is_elsewhere,
    is_real,
    kind_of,
    like,
    name_of_type,
    namespace,
    numbers_like,
    select_rows,
    sum_of_rows,
    taken,
)
from epee.errors import DataError
from epee.table.arrays import ArraySource
from epee.table.block import BLOCK_ROWS, Block, check_weights
from epee.table.labels import codes_of
from epee.table.parts import BlockSource
from epee.typing import Labels, Vector


class ElsewhereSource(BlockSource):
    """The rows of an array that is not NumPy's.

    Parameters
    ----------
    X : (n, p) array of numbers of any library that speaks the array API
    y : (n,) or (n, m) array, optional
        Labels, codes or values, here or there.
    weight : (n,) array, optional
    fold, group : (n,) arrays of int, optional
    """

    home = "device"
    names = None

    def __init__(self, X: Any, y: Any = None, weight: Any = None, fold: Any = None, group: Any = None) -> None:
        if X.ndim != 2:
            raise DataError(
                f"Expected 2D array, got {X.ndim}D array instead: X has shape {tuple(X.shape)}. Reshape it to (1, p) if it is one row, "
                "to (n, 1) if it is one column."
            )
        if kind_of(X) == "c":
            raise DataError("Complex data not supported: X holds complex numbers; give the real part.")
        if not is_real(X):
            X = namespace(X).astype(X, namespace(X).float64)
        self.X, self.n_rows, self.n_columns = X, int(X.shape[0]), int(X.shape[1])
        y, fold, group = (a if a is None or is_elsewhere(a) else np.asarray(a) for a in (y, fold, group))
        for what, part in (("y", y), ("fold", fold), ("group", group)):
            length = self.n_rows if part is None else int(part.shape[0])
            if length != self.n_rows:
                raise DataError(
                    f"Found input variables with inconsistent numbers of samples: X has {self.n_rows} rows and {what} has {length}."
                )
        self.y, self.fold, self.group = y, fold, group
        weight = None if weight is None else at_home(weight)
        self.weight = check_weights(weight, self.n_rows)
        self.asked_by: str | None = None  # the method that reads them
        self._counts: np.ndarray | None = None  # rows of each group, where they were counted

    @cached_property
    def beside(self) -> dict[str, Any]:
        """What goes with the rows, where they lie; a target of words stays here, for it cannot."""
        out: dict[str, Any] = {}
        for name in ("y", "weight", "fold", "group"):
            part = getattr(self, name)
            if part is not None and kind_of(part) in "fiub":
                out[name] = like(part, self.X)
        return out

    @cached_property
    def beside_here(self) -> dict[str, Any]:
        """What goes with the rows, as NumPy's arrays."""
        parts = {name: getattr(self, name) for name in ("y", "weight", "fold", "group")}
        return {name: at_home(part) for name, part in parts.items() if part is not None}

    @cached_property
    def origin(self) -> Vector:
        """The mean of the first rows."""
        if not self.n_rows:
            return np.zeros(self.n_columns)
        xp = namespace(self.X)
        head = xp.mean(as_type(self.X[: min(256, self.n_rows), ...], xp.float64), axis=0)
        return np.asarray(at_home(head), dtype=np.float64)

    @property
    def joint_origin(self) -> Vector:
        """The mean of the first rows and of their targets."""
        y = self.y
        if y is None or not self.n_rows or kind_of(y) not in "fiub":
            return self.origin
        head = y[: min(256, self.n_rows), ...]
        if is_elsewhere(y):
            xp = namespace(y)
            head = xp.mean(as_type(head, xp.float64), axis=0)
        else:
            head = head.astype(np.float64).mean(axis=0)
        return np.append(self.origin, at_home(head))

    def there(self, rows: int) -> Iterator[Block]:
        """Yield the rows where they lie."""
        for i in range(0, self.n_rows, rows):
            j = min(i + rows, self.n_rows)
            yield Block(self.X[i:j, ...], **{k: a[i:j, ...] for k, a in self.beside.items()}, start=i)

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield the rows, brought here one block at a time."""
        step, i = rows or BLOCK_ROWS, 0
        far, farthest = step, FETCHED // max(1, 8 * self.n_columns)
        while i < self.n_rows:  # the first journey is short: some want to see a few rows only
            here = at_home(self.X[i : min(i + far, self.n_rows), ...])
            beside = {k: a[i : i + far] for k, a in self.beside_here.items()}
            for j in range(0, len(here), step):
                yield Block(here[j : j + step], **{k: a[j : j + step] for k, a in beside.items()}, start=i + j)
            i, far = i + far, max(far, min(4 * far, farthest // step * step))

    def taken(self, rows: np.ndarray) -> ArraySource:
        """Return some rows by their places, here."""
        there = like(np.asarray(rows, dtype=np.int64), self.X)
        beside = {k: a[rows] for k, a in self.beside_here.items()}
        return ArraySource(at_home(select_rows(self.X, there)), **beside)

    def head(self) -> Block | None:
        """Return the first 256 rows, None where there are none."""
        return next(iter(self.between(0, min(256, self.n_rows)).blocks()), None)

    def between(self, i: int, j: int) -> ElsewhereSource:
        """Return rows ``i`` to ``j - 1``."""
        parts = (None if a is None else a[i:j, ...] for a in (self.y, self.weight, self.fold, self.group))
        return ElsewhereSource(self.X[i:j, ...], *parts)

    def having(self, **parts: Any) -> ElsewhereSource:
        """Return the same rows with other things beside them: ``source.having(fold=folds)``."""
        beside = {"y": self.y, "weight": self.weight, "fold": self.fold, "group": self.group} | parts
        found = ElsewhereSource(self.X, **beside)
        found.asked_by = self.asked_by
        if "group" not in parts:
            found._counts = self._counts
        if "origin" in vars(self):
            found.origin = self.origin
        return found

    @property
    def narrow_weight(self) -> float:
        """The weight of all rows."""
        return float(self.n_rows) if self.weight is None else float(self.weight.sum())

    def narrow(self) -> Any:
        """Return what lies beside the rows, here, with no input at all."""
        return ArraySource(np.zeros((self.n_rows, 0)), **self.beside_here)

    def group_sizes(self, n_groups: int) -> np.ndarray:
        """Return how many rows each group has, (n_groups,)."""
        if self._counts is not None and len(self._counts) == n_groups:
            return self._counts
        if not is_elsewhere(self.group):
            return np.bincount(np.asarray(self.group), minlength=n_groups)
        xp = namespace(self.group)
        places = numbers_like(n_groups, self.group, self.group.dtype)
        return np.diff(at_home(xp.searchsorted(xp.sort(self.group), places, side="right")), prepend=0)

    def coded(self, classes: Labels | None = None) -> tuple[ElsewhereSource, Labels]:
        """Return the source with codes of sorted classes in the group axis, and the classes."""
        if self.y is None:
            raise DataError("requires y to be passed, but the target y is None.")
        if classes is None and is_elsewhere(self.y) and kind_of(self.y) in "iu" and self.y.ndim == 1:
            return self._coded_there()
        y = at_home(self.y)
        y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
        labels = np.unique(y) if classes is None else classes
        return self.having(group=codes_of(y, labels), y=None), labels

    def _coded_there(self) -> tuple[ElsewhereSource, Labels]:
        """Do the same for whole numbers there: a few that lie together are counted, which is sooner done than to sort them."""
        y, xp, low = self.y, namespace(self.y), 0
        codes = as_type(y, xp.int64)
        counts = self._labels_counted(codes, LIKELY_LABELS)
        if counts.sum() < self.n_rows or not self.n_rows:
            low, high = (int(xp.min(codes)), int(xp.max(codes))) if self.n_rows else (0, FEW_LABELS)
            if high - low >= FEW_LABELS:
                found = xp.unique_inverse(y)
                return self.having(group=xp.reshape(found.inverse_indices, (-1,)), y=None), at_home(found.values)
            codes = codes - low
            counts = self._labels_counted(codes, high - low + 1)
        counts = counts[: np.flatnonzero(counts)[-1] + 1]
        present = counts > 0
        if not present.all():
            codes = taken(like(np.cumsum(present) - 1, codes), codes)
        coded = self.having(group=codes, y=None)
        coded._counts = counts[present]
        return coded, (np.flatnonzero(present) + low).astype(name_of_type(y.dtype))

    @staticmethod
    def _labels_counted(codes: Any, n: int) -> np.ndarray:
        """Return how many rows have each label 0, ..., n - 1, (n,), here; others are not counted."""
        counts: np.ndarray = np.rint(at_home(sum_of_rows(indicators(codes, n, namespace(codes).float64))))
        return counts.astype(np.int64)


FETCHED = 64 << 20  # bytes that travel at once
LIKELY_LABELS = 16  # from 0 on: codes of classes
FEW_LABELS = 64  # whole numbers from the least to the largest, whose rows are counted one label beside the other
