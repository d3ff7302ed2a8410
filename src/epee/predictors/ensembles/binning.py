r"""Columns as bytes: each value becomes the number of its bin.

A column of few distinct values has a bin for each, cut half way between neighbours; one of many has bins that hold equally many rows,
cut at the quantiles :math:`k / B`. The last bin, 255, is for missing cells. A category has the rank of its level among the levels;
beyond :math:`B` of them, the rarest share a bin, and a level never seen counts as missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.engines.local import in_order
from epee.kernels.boosting import bin_rows
from epee.predictors.ensembles.soundness import refuse_strange
from epee.stateful import Part
from epee.typing import Codes, Matrix, Vector

SAMPLE = 200_000  # rows that the quantiles are taken from
STEP = 16_384  # rows binned by one call
MISSING = 255  # the bin of a missing cell


@dataclass(frozen=True)
class Bins(Part):
    """The cuts of all columns, those of column f at ``starts[f] .. starts[f + 1]``; of a category, its levels and their bins."""

    cuts: Vector
    starts: Codes
    n_bins: Codes  # (p,) without that of missing cells
    categorical: np.ndarray  # (p,) uint8
    level_bins: Codes  # beside ``cuts``: the bin of each level; 0 for numbers

    def check_state(self) -> None:
        """Refuse arrays that are no bins: a bin is a byte, and rows are binned by compiled code."""
        p, numbers = len(self.n_bins), self.categorical == 0
        refuse_strange(
            self.starts.shape == (p + 1,)
            and self.starts[0] == 0
            and self.starts[-1] == len(self.cuts) == len(self.level_bins)
            and (np.diff(self.starts) >= 0).all()
            and self.categorical.shape == (p,)
            and ((self.n_bins >= 1) & (self.n_bins <= MISSING)).all()
            and (np.diff(self.starts) + 1 == self.n_bins)[numbers].all()
            and ((self.level_bins >= 0) & (self.level_bins < np.repeat(self.n_bins, np.diff(self.starts)))).all(),
            "bins",
        )

    @property
    def groups(self) -> int:
        """Words of eight columns that a row takes."""
        return -(-len(self.n_bins) // 8)

    def cut(self, f: int) -> Vector:
        """Return the cuts or levels of one column."""
        return self.cuts[self.starts[f] : self.starts[f + 1]]

    def coded(self, X: Matrix) -> Matrix:
        """Return the rows with the bins of their levels in place of categories, NaN for a level never seen."""
        X = np.ascontiguousarray(X, dtype=np.float64)
        if not self.categorical.any():
            return X
        X = X.copy()
        for f in np.flatnonzero(self.categorical).tolist():
            levels, v = self.cut(f), X[:, f]
            if not len(levels):
                X[:, f] = np.nan
                continue
            at = np.minimum(np.searchsorted(levels, v), len(levels) - 1)
            X[:, f] = np.where(levels[at] == v, self.level_bins[self.starts[f] + at], np.nan)
        return X

    def fill(self, X: Matrix, out: np.ndarray) -> None:
        """Write the bins of coded rows (n, p) to words (n, groups)."""
        starts, cuts = self.starts, self.cuts
        if self.categorical.any():  # codes are their own bins: cut them half way between whole numbers
            pieces = [
                np.arange(m - 1) + 0.5 if c else self.cut(f)
                for f, (m, c) in enumerate(zip(self.n_bins, self.categorical))
            ]
            starts = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])])
            cuts = np.concatenate(pieces)
        bin_rows(X, cuts, starts, out.view(np.uint8))


def find_bins(X: Matrix, w: Vector | None, most: int, categorical: np.ndarray) -> Bins:
    """Return the bins of rows (m, p), at most ``most`` a column; weights are counts."""

    def one(f: int) -> tuple[Vector, Codes]:
        v = np.asarray(X[:, f], dtype=np.float64)
        known = ~np.isnan(v) if w is None else ~np.isnan(v) & (w > 0)
        weight = None if w is None else w[known]
        return (
            levels_of(v[known], weight, most) if categorical[f] else (cuts_of(v[known], weight, most), np.zeros(0, int))
        )

    parts = list(in_order(one, range(X.shape[1])))
    sizes = np.array([len(cuts) for cuts, _ in parts])
    bins = [codes if c else np.zeros(len(cuts), int) for (cuts, codes), c in zip(parts, categorical)]
    n_bins = [int(codes.max(initial=0)) + 1 if c else len(cuts) + 1 for (cuts, codes), c in zip(parts, categorical)]
    return Bins(
        np.concatenate([cuts for cuts, _ in parts]), np.concatenate([[0], np.cumsum(sizes)]), np.array(n_bins),
        np.asarray(categorical, dtype=np.uint8), np.concatenate(bins),
    )  # fmt: skip


def cuts_of(v: Vector, w: Vector | None, most: int) -> Vector:
    """Return where a column is cut into at most ``most`` bins; a bin holds what lies above its lower cut, up to its upper one.

    >>> cuts_of(np.array([1.0, 3.0, 2.0, 3.0]), None, 255)
    array([1.5, 2.5])
    """
    order = np.argsort(v) if w is not None else None
    v = np.sort(v) if order is None else v[order]
    new = np.concatenate([[True], v[1:] > v[:-1]]) if len(v) else np.zeros(0, bool)
    distinct = v[new]
    if len(distinct) <= 1:
        return distinct[:0]
    if len(distinct) <= most:
        a, b = distinct[:-1], distinct[1:]
        middle = _between(a, b)
        return np.where((a < middle) & (middle < b), middle, a)
    below = np.arange(1.0, len(v) + 1) if order is None else np.cumsum(w[order])  # type: ignore[index]
    wanted = np.arange(1, most) * below[-1] / most  # the quantile k / B lies where this much weight lies below
    at = np.searchsorted(below, wanted)
    onto = np.minimum(at + (below[at] == wanted), len(v) - 1)  # on an edge: half way to the next row
    cuts = np.unique(_between(v[at], v[onto]))
    return cuts[cuts < np.inf]  # nothing lies above infinity


def _between(a: Vector, b: Vector) -> Vector:
    """Return what lies half way from ``a`` up to ``b``; ``a`` itself where one of them is infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(a) & np.isfinite(b), a / 2 + b / 2, a)


def levels_of(v: Vector, w: Vector | None, most: int) -> tuple[Vector, Codes]:
    """Return the sorted levels of a category and the bin of each: the rarest share the last one.

    >>> levels_of(np.array([7.0, 3.0, 7.0, 5.0]), None, 2)
    (array([3., 5., 7.]), array([1, 1, 0]))
    """
    levels, code = np.unique(v, return_inverse=True)
    if len(levels) <= most:
        return levels, np.arange(len(levels))
    counts = np.bincount(code, weights=w, minlength=len(levels))
    rank = np.empty(len(levels), dtype=int)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(levels))
    return levels, np.minimum(rank, most - 1)


def sampled(start: int, stop: int, n: int, seed: int) -> np.ndarray:
    """Return which of the rows ``start .. stop`` of a table of n the quantiles are taken from: a rule of the number alone.

    >>> sampled(0, 3, 10, 0).all()
    np.True_
    """
    if n <= SAMPLE:
        return np.ones(stop - start, dtype=bool)
    x = np.arange(start, stop, dtype=np.uint64) + np.uint64(seed % 2**31) * np.uint64(2**32)
    with np.errstate(over="ignore"):  # splitmix64 of the number of the row
        x = (x + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
    return x < np.uint64(int(2.0**64 * SAMPLE / n))


@dataclass(frozen=True)
class Binned:
    """A table of bytes, twice: eight columns a word for the sums of a row, and column by column for the cuts."""

    words: np.ndarray  # (n, groups) uint64
    columns: np.ndarray  # (p, n) uint8
    make: Callable[..., np.ndarray] = np.empty  # room for what goes beside the rows: where they lie

    def rows(self, a: int, b: int) -> Binned:
        """Return the rows ``a .. b``, as views."""
        return Binned(self.words[a:b], self.columns[:, a:b])

    @classmethod
    def room(cls, n: int, bins: Bins, make: Any = np.empty) -> Binned:
        """Return room for n rows."""
        return cls(make((n, bins.groups), dtype=np.uint64), make((len(bins.n_bins), n), dtype=np.uint8), make)

    def put(self, words: np.ndarray, start: int) -> None:
        """Put words (m, groups) at the rows from ``start`` on."""
        self.words[start : start + len(words)] = words
        self.turn(start, start + len(words))

    def turn(self, a: int, b: int) -> None:
        """Write the words of the rows ``a .. b`` column by column."""
        self.columns[:, a:b] = self.words[a:b].view(np.uint8)[:, : len(self.columns)].T


@dataclass(frozen=True)
class Binning:
    """The words (m, groups) of the rows of a block; travels to workers."""

    bins: Bins

    def __call__(self, block: Any) -> np.ndarray:
        """Return the words of a block, or of rows (m, p)."""
        X = block if isinstance(block, np.ndarray) else block.X
        words = np.zeros((len(X), self.bins.groups), dtype=np.uint64)
        self.bins.fill(self.bins.coded(X), words)
        return words


def bin_table(bins: Bins, X: Matrix) -> Binned:
    """Return the bytes of rows (n, p) in memory."""
    table, work = Binned.room(len(X), bins), Binning(bins)
    list(in_order(lambda s: table.put(work(X[s : s + STEP]), s), range(0, len(X), STEP)))
    return table
