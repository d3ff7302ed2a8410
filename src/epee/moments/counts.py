r"""Counts of the levels of categorical columns, which add.

Column :math:`j` holds codes :math:`0, \dots, L_j - 1`; a missing cell is NaN and counted nowhere. For each fold and
group,

.. math:: n = \sum_i w_i, \qquad c_{j\ell} = \sum_i w_i\, \mathbf 1[x_{ij} = \ell].

Counts add term by term; a level that one side has not seen is a zero there. A binary column is one with two levels.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, ClassVar, Self

import numpy as np

from epee.errors import DataError, WrongUse
from epee.moments.class_sums import cells_of, weights_of
from epee.moments.moments import AXES, share
from epee.stateful import Part
from epee.table.block import BLOCK_ROWS, Block
from epee.typing import ArrayLike, Codes, Tensor, Vector

ROOM = 16  # levels a column has room for before they are looked at


class Additive(Part):
    """The axes of something that adds: its arrays are named in ``_stacked``, each with the axes in front."""

    _stacked: ClassVar[tuple[str, ...]] = ("count",)
    count: Tensor
    axes: tuple[str, ...]
    labels: np.ndarray | None

    def _each(self, change: Any) -> dict[str, Any]:
        return {name: change(getattr(self, name)) for name in self._stacked}

    def _axis(self, axis: str) -> int:
        if axis not in self.axes:
            raise WrongUse(f"these counts have no axis {axis!r}; they have {self.axes or 'none'}.")
        return self.axes.index(axis)

    def at(self, axis: str, k: int) -> Self:
        """Return one fold or group."""
        i = self._axis(axis)
        labels = None if axis == "group" else self.labels
        axes = tuple(a for a in self.axes if a != axis)
        return replace(self, **self._each(lambda a: a.take(k, axis=i)), axes=axes, labels=labels)  # type: ignore[type-var]

    def merge(self, axis: str) -> Self:
        """Collapse an axis."""
        return reduce(lambda a, b: a + b, [self.at(axis, k) for k in range(self.count.shape[self._axis(axis)])])  # type: ignore[operator]

    def leave_one_out(self, axis: str = "fold") -> Self:
        """Return, for each fold, the sum of all the others; nothing is subtracted."""
        parts = [self.at(axis, k) for k in range(self.count.shape[self._axis(axis)])]
        zero = replace(parts[0], **parts[0]._each(np.zeros_like))  # type: ignore[type-var]
        before, after = [zero], [zero]
        for part in parts[:-1]:
            before.append(before[-1] + part)  # type: ignore[operator]
        for part in parts[:0:-1]:
            after.append(part + after[-1])  # type: ignore[operator]
        return stack([a + b for a, b in zip(before, reversed(after), strict=True)], axis)  # type: ignore[operator]

    def labelled(self, labels: np.ndarray) -> Self:
        """Return the same with groups laid out as ``labels``; a group that is absent is empty."""
        if self.labels is None or np.array_equal(labels, self.labels):
            return self
        i, where = self._axis("group"), np.searchsorted(labels, self.labels)

        def spread(a: Tensor) -> Tensor:
            out = np.zeros((*a.shape[:i], len(labels), *a.shape[i + 1 :]))
            out[(slice(None),) * i + (where,)] = a
            return out

        return replace(self, **self._each(spread), labels=labels)  # type: ignore[type-var]

    def _same_groups(self, other: Self) -> tuple[Self, Self]:
        if self.axes != other.axes:
            raise WrongUse(f"counts with axes {self.axes} cannot add to counts with axes {other.axes}.")
        if self.labels is None or other.labels is None or np.array_equal(self.labels, other.labels):
            return self, other
        both = np.union1d(self.labels, other.labels)
        return self.labelled(both), other.labelled(both)

    @property
    def frequencies(self) -> Tensor:
        """Share of each group in the count, (axes)."""
        return share(self.count, np.broadcast_to(self.count.sum(axis=-1, keepdims=True), self.count.shape))

    def is_finite(self) -> bool:
        """Tell whether every sum is a number."""
        return all(bool(np.isfinite(getattr(self, name)).all()) for name in self._stacked)


def stack(parts: Sequence[Any], axis: str = "fold") -> Any:
    """Put counts side by side along a new axis."""
    first = parts[0]
    axes = tuple(a for a in AXES if a in (*first.axes, axis))
    i = axes.index(axis)
    arrays = {name: np.stack([getattr(part, name) for part in parts], axis=i) for name in first._stacked}
    return replace(first, **arrays, axes=axes)


@dataclass(frozen=True, eq=False)
class Counts(Additive):
    """How often each level of each column was seen, for each fold and group.

    Parameters
    ----------
    count : array (axes)
        Sum of weights, of all rows.
    cells : array (axes, L)
        Counts of the levels, column after column: those of column j lie at ``offsets[j]`` to ``offsets[j + 1]``.
    levels : array (p,) of int
        How many levels each column has.

    Examples
    --------
    >>> a, b = Counts.of([[0.0, 1.0], [1.0, 1.0]]), Counts.of([[2.0, 0.0]])
    >>> (a + b).cells, (a + b).offsets
    (array([1., 1., 1., 1., 2.]), array([0, 3, 5]))
    """

    _stacked: ClassVar[tuple[str, ...]] = ("count", "cells")
    scatter: ClassVar[None] = None
    targets: ClassVar[int] = 0
    count: Tensor
    cells: Tensor
    levels: Codes
    axes: tuple[str, ...] = ()
    labels: np.ndarray | None = None

    @classmethod
    def zero(cls, levels: ArrayLike, *, folds: int | None = None, groups: int | None = None) -> Counts:
        """Return the counts of no rows: neutral for ``+``."""
        levels = np.asarray(levels, dtype=np.int64)
        sizes = [(axis, size) for axis, size in zip(AXES, (folds, groups), strict=True) if size is not None]
        lead = tuple(size for _, size in sizes)
        return cls(np.zeros(lead), np.zeros((*lead, int(levels.sum()))), levels, tuple(axis for axis, _ in sizes))

    def cut(self, levels: Codes) -> Counts:
        """Return the counts of the first so many levels of each column; those after them must be empty."""
        if not (self.levels > levels).any():
            return self
        inside = np.concatenate([np.arange(k) < kept for k, kept in zip(self.levels, levels, strict=True)])
        return replace(self, cells=np.ascontiguousarray(self.cells[..., inside]), levels=levels)

    @classmethod
    def of(
        cls, X: ArrayLike, *, sample_weight: ArrayLike | None = None, fold: ArrayLike | None = None,
        group: ArrayLike | None = None, folds: int | None = None, groups: int | None = None, levels: ArrayLike | None = None,
    ) -> Counts:  # fmt: skip
        """Return the counts of rows of codes (n, p); a level is known to exist when ``levels`` says so or a row shows it."""
        X = np.asarray(X, dtype=np.float64)
        w = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        fold, group = (None if a is None else np.asarray(a, dtype=np.int64) for a in (fold, group))
        folds = folds if fold is None or folds is not None else int(fold.max(initial=-1)) + 1
        groups = groups if group is None or groups is not None else int(group.max(initial=-1)) + 1
        start = np.zeros(X.shape[1], dtype=np.int64) if levels is None else np.asarray(levels, dtype=np.int64)
        return Counting(np.arange(X.shape[1]), start, folds, groups)(Block(X, None, w, fold, group))

    @property
    def offsets(self) -> Codes:
        """Where each column begins among the cells, and where the last one ends (p + 1,)."""
        return np.concatenate([[0], np.cumsum(self.levels)])

    @property
    def p(self) -> int:
        """Number of columns."""
        return len(self.levels)

    @property
    def origin(self) -> Vector:
        """Zero: counts are about nothing."""
        return np.zeros(self.p)

    def widened(self, levels: Codes) -> Counts:
        """Return the same counts with at least ``levels`` levels in each column."""
        levels = np.maximum(self.levels, levels)
        if np.array_equal(levels, self.levels):
            return self
        cells = np.zeros((*self.count.shape, int(levels.sum())))
        at = np.concatenate(
            [start + np.arange(L) for start, L in zip(np.cumsum(levels) - levels, self.levels, strict=True)]
        )
        cells[..., at.astype(np.intp)] = self.cells
        return replace(self, cells=cells, levels=levels)

    def _aligned(self, other: Counts) -> tuple[Counts, Counts]:
        if self.p != other.p:
            raise WrongUse(f"counts of {self.p} columns cannot add to counts of {other.p} columns.")
        a, b = self._same_groups(other)
        return a.widened(b.levels), b.widened(a.levels)

    def __add__(self, other: Counts) -> Counts:
        """Add term by term."""
        a, b = self._aligned(other)
        return replace(a, count=a.count + b.count, cells=a.cells + b.cells)

    def without(self, other: Counts) -> Counts:
        """Take rows out again."""
        a, b = self._aligned(other)
        left = replace(a, count=a.count - b.count, cells=a.cells - b.cells)
        slack = 1e-9 * max(float(a.count.max(initial=0.0)), 1e-300)
        if (left.count < -slack).any() or (left.cells < -slack).any():
            raise DataError("more rows are to be forgotten than were learned; refit on the rows that remain.")
        return replace(left, count=np.maximum(left.count, 0.0), cells=np.where(left.cells > slack, left.cells, 0.0))

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Return the counts as plain arrays."""
        arrays = {
            "count": self.count,
            "cells": self.cells,
            "levels": self.levels,
            "axes": np.array(self.axes, dtype="U5"),
        }
        return arrays if self.labels is None else arrays | {"labels": self.labels}

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> Counts:
        """Return the counts that :meth:`to_arrays` wrote."""
        return cls(
            arrays["count"], arrays["cells"], arrays["levels"], tuple(map(str, arrays["axes"])), arrays.get("labels")
        )

    def to_bytes(self) -> bytes:
        """Return the counts as bytes that run no code when read."""
        out = io.BytesIO()
        np.savez(out, **self.to_arrays())  # type: ignore[arg-type]
        return out.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Counts:
        """Return the counts that :meth:`to_bytes` wrote."""
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return cls.from_arrays(dict(arrays))


@dataclass(frozen=True)
class Counting:
    """What a block is reduced to: the counts of its categorical ``columns``."""

    columns: Codes
    levels: Codes  # at least so many for each of these columns
    folds: int | None = None
    groups: int | None = None
    labels: np.ndarray | None = None
    names: Sequence[str] | None = None
    method: str = "Counts"

    def rows(self) -> int:
        """Return how many rows a block should have."""
        return 4 * BLOCK_ROWS

    def __call__(self, block: Block) -> Counts:
        from epee.kernels.class_sums import count_levels, highest_levels

        X, top = np.ascontiguousarray(block.X), self.levels - 1
        cell, w = cells_of(block, self.folds, self.groups), weights_of(block)
        room = self.room()
        while True:
            zero = Counts.zero(room, folds=self.folds, groups=self.groups)
            count = zero.count.reshape(-1)
            if count_levels(X, cell, w, self.columns, zero.offsets, count, zero.cells.reshape(len(count), -1), top):
                break
            row, column = highest_levels(X, self.columns, top)
            if row >= 0:
                self._refuse(X[row, column], block.start + row, column)
            room = top + 1
        return replace(zero.cut(top + 1), labels=self.labels)

    def room(self) -> Codes:
        """Return how many levels each column has room for before they are looked at."""
        cells = (self.folds or 1) * (self.groups or 1)
        return np.maximum(self.levels, ROOM if cells * len(self.columns) < 50_000 else 0)

    def _refuse(self, x: float, row: int, column: int) -> None:
        name = column if self.names is None else repr(str(self.names[column]))
        what = "too many categories" if x > 1e7 else "no code of a category"
        if x < 0:
            what = f"Negative values in data passed to {self.method} (input X)"
        raise DataError(
            f"{what}: column {name} holds {x:g} in row {row}; the codes of categories are 0, 1, 2, ... (at most ten million)."
        )
