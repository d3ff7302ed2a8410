r"""How the columns of a table become numbers: a map of rows that needs no data, then an affine map that does.

Write :math:`o` for "the cell is there" (0 or 1) and :math:`c` for any constant of the column. Every row becomes

.. math:: z = \bigl(o\,(x - c),\; 1 - o,\; \text{one-hot of every level}\bigr),                         \tag{1}

which looks at no other row. Filling a missing cell with the mean of the training rows is affine in :math:`z`:

.. math:: \hat x = c + z_x + (1 - o)\, \frac{E[z_x]}{E[o]}.                                           \tag{2}

So one pass that keeps the moments of :math:`z` serves every fold: each fills with the mean of its own rows. Which levels
are rare, and share a column, is a property of the whole table, so that all folds have the same columns; a level that is absent
from a fold is a column of zeros there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epee.errors import DataError
from epee.table.raw import RawBlock
from epee.table.schema import CLOCK, PAIRS, WORDS, Column, Schema
from epee.table.words import hashed_names, hashed_text, hashed_width
from epee.typing import Codes, Matrix, Vector

Kept = Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]  # of each category: levels with a column, rare ones


@dataclass(frozen=True)
class Layout:
    """Where each column of a schema goes in :math:`z` and in the encoded row.

    ``max_levels`` is the number of levels of a category that get a column of their own; ``indicator`` adds a column 1 - o for
    each column with missing cells; ``dates`` is ``"parts"`` or ``"ordinal"``; ``drop_first`` leaves out each first level; ``words`` is
    the number of columns that the words of a text fall into; ``codes`` adds, behind the levels of a category that has rare ones, a column
    that tells all of them apart: 1, 2, ... and 0 for none.
    """

    schema: Schema
    max_levels: int = 50
    indicator: bool = False
    dates: str = "parts"
    drop_first: bool = False
    words: int = 0
    codes: bool = False

    def parts(self, c: Column) -> tuple[str, ...]:
        """Return the names of the numbers that a column gives before its levels: one, or the parts of a date."""
        if c.kind in ("number", "boolean"):
            return (c.name,)
        if c.kind != "date":
            return ()
        if self.dates == "ordinal":
            return (f"{c.name}:days",)
        clock = (f"{c.name}:hour",) if c.note == CLOCK else ()
        return (f"{c.name}:days", f"{c.name}:month", f"{c.name}:weekday", *clock)

    @cached_property
    def used(self) -> tuple[Column, ...]:
        """The columns that are encoded: all but texts of which nothing can be read."""
        return tuple(c for c in self.schema if c.kind != "text" or (self.words and c.note in (WORDS, PAIRS)))

    @property
    def texts(self) -> tuple[Column, ...]:
        """The columns whose words are read."""
        return tuple(c for c in self.used if c.kind == "text")

    def width(self, c: Column) -> int:
        """Return how many columns a text takes; other columns take none of this kind."""
        return hashed_width(c, self.words) if c.kind == "text" else 0

    @property
    def cell_names(self) -> tuple[str, ...]:
        """The names of the numbers of a row: columns and parts of dates."""
        return tuple(name for c in self.used for name in self.parts(c))

    @property
    def holes(self) -> tuple[Column, ...]:
        """The columns that have missing cells, or may have."""
        return tuple(c for c in self.used if c.missing is None or c.missing > 0)

    @property
    def categories(self) -> tuple[Column, ...]:
        """The columns with levels."""
        return tuple(c for c in self.used if c.kind == "category")

    @property
    def row_names(self) -> tuple[str, ...]:
        """The names of the columns of :math:`z`."""
        levels = (f"{c.name}={level}" for c in self.categories for level in c.levels or ())
        words = (name for c in self.texts for name in hashed_names(c, self.words))
        return (*self.cell_names, *(f"{c.name}=(missing)" for c in self.holes), *levels, *words)

    def kept(self, counts: Mapping[str, Vector] | None = None) -> Kept:
        """Return the levels of each category that get a column, the most frequent, and the rare ones.

        The frequencies are those of the schema, or ``counts`` of each level; they are the same in all folds.
        """
        found = {}
        for c in self.categories:
            levels = np.array(c.levels or (), dtype=object)
            often = np.asarray(c.counts if counts is None else counts[c.name], dtype=np.float64)
            order = np.argsort(-often, kind="stable") if len(often) == len(levels) else np.arange(len(levels))
            own, rare = np.sort(order[: self.max_levels]), np.sort(order[self.max_levels :])
            found[c.name] = (tuple(levels[own].tolist()), tuple(levels[rare].tolist()))
        return found


def cells_of(layout: Layout, raw: RawBlock) -> Matrix:
    """Return the numbers (n, m) of the rows with NaN where missing: columns, and parts of dates."""
    out = np.empty((len(layout.cell_names), len(raw))).T  # each column together, as it came
    j = 0
    for c in layout.used:
        parts = layout.parts(c)
        if not parts:
            continue
        values = np.asarray(raw.columns[c.name], dtype=np.float64)
        for part in parts:
            out[:, j] = values if c.kind != "date" else date_part(values, part.rpartition(":")[2])
            j += 1
    return out


def date_part(days: Vector, part: str) -> Vector:
    """Return a part of dates given as days since 1 January 1970: itself, month 1-12, weekday 0-6 (Monday 0), hour of the day.

    >>> date_part(np.array([0.0, 31.5]), "month"), date_part(np.array([0.0, np.nan]), "weekday")
    (array([1., 2.]), array([ 3., nan]))
    """
    if part == "days":
        return days
    whole = np.floor(days)
    if part == "weekday":
        return (whole + 3) % 7
    if part == "hour":
        return (days - whole) * 24
    there = np.isfinite(whole)
    dates = np.where(there, whole, 0).astype("datetime64[D]")
    month = dates.astype("datetime64[M]").astype(np.int64) % 12 + 1
    return np.where(there, month, np.nan)


def codes_of_levels(column: Any, levels: Sequence[str]) -> np.ndarray:
    """Return the place (n,) of each text among the levels, -1 for a missing cell or a level never seen."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = column if isinstance(column, pa.Array) else pa.array(list(column), pa.string())
    codes = pc.fill_null(pc.index_in(texts, pa.array(levels, pa.string()), skip_nulls=True), -1)
    return np.asarray(codes.to_numpy(zero_copy_only=False), dtype=np.intp)


def missing_of(raw: RawBlock, c: Column) -> Vector:
    """Return 1 (n,) where the cell of a column is missing."""
    column = raw.columns[c.name]
    if isinstance(column, np.ndarray):
        return np.isnan(column).astype(np.float64) if column.dtype.kind == "f" else np.zeros(len(column))
    return np.asarray(column.is_null().to_numpy(zero_copy_only=False), dtype=np.float64)


def map_rows(layout: Layout, centre: Vector, raw: RawBlock) -> Matrix:
    """Return :math:`z` (n, q) of equation (1)."""
    cells = cells_of(layout, raw)
    m, h = cells.shape[1], len(layout.holes)
    q = len(layout.row_names)
    Z = np.zeros((len(raw), q))
    there = ~np.isnan(cells)
    np.subtract(cells, centre, out=Z[:, :m], where=there)
    for j, c in enumerate(layout.holes):
        Z[:, m + j] = missing_of(raw, c)
    known = {c.name for c in layout.holes}
    for c in layout.used:
        if c.name not in known and missing_of(raw, c).any():
            row = raw.start + int(np.flatnonzero(missing_of(raw, c))[0])
            raise DataError(
                f"column {c.name!r} has a missing cell in row {row}, but had none when the table was first read."
            )
    at = m + h
    for c in layout.categories:
        levels = c.levels or ()
        codes = codes_of_levels(raw.columns[c.name], levels)
        seen = np.flatnonzero(codes >= 0)
        Z[seen, at + codes[seen]] = 1.0
        at += len(levels)
    for c in layout.texts:
        Z[:, at : at + layout.width(c)] = hashed_text(raw.columns[c.name], c, layout.words, raw.start)
        at += layout.width(c)
    return Z


def sum_rows(layout: Layout, centre: Vector, raw: RawBlock) -> Vector:
    """Return the weighted sum (q,) of the rows of :func:`map_rows`, without making them."""
    w = np.ones(len(raw)) if raw.weight is None else raw.weight
    apart = cells_of(layout, raw)
    apart -= centre
    sums = [w @ apart]
    if np.isnan(sums[0]).any():
        apart[np.isnan(apart)] = 0.0
        sums = [w @ apart]
    sums.append(np.array([w @ missing_of(raw, c) for c in layout.holes]))
    for c in layout.categories:
        levels = c.levels or ()
        codes = codes_of_levels(raw.columns[c.name], levels)
        sums.append(np.bincount(codes + 1, weights=w, minlength=len(levels) + 1)[1:].astype(np.float64))
    sums += [w @ hashed_text(raw.columns[c.name], c, layout.words, raw.start) for c in layout.texts]
    return np.concatenate(sums)


def entries_of(
    layout: Layout, kept: Kept, centre: Vector, mean: np.ndarray, targets: int = 0
) -> tuple[Codes, Codes, np.ndarray, np.ndarray]:
    r"""Return the entries of ``A`` (..., e, q), and ``b`` (..., e), of the map :math:`z \mapsto A z + b` to encoded rows, equation (2).

    Entries are a row, a column and a weight (..., entries), row after row; all others are zero. ``mean`` (..., q) is the mean of
    :math:`z` over the training rows; leading axes are folds. All folds have the same encoded columns: that of a level which a fold never
    saw is zero there. The last ``targets`` columns pass through.
    """
    mean = np.asarray(mean, dtype=np.float64)
    lead, q = mean.shape[:-1], mean.shape[-1] - targets
    takes, codes, filled, shift = _pattern(layout, kept, centre)
    last = np.arange(targets)
    taken = [len(columns) for columns in takes]
    row = np.concatenate([np.repeat(np.arange(len(takes)), taken), [r for r, _, _ in filled], len(takes) + last])
    column = np.concatenate([*takes, [hole for _, _, hole in filled], q + last])
    weight = np.ones((*lead, len(row)))
    for j in codes:
        at = sum(taken[:j])
        weight[..., at : at + taken[j]] = np.arange(1.0, taken[j] + 1)
    if filled:
        _, cell, hole = np.array(filled).T
        there = 1.0 - mean[..., hole]
        seen = there > 1e-12
        weight[..., sum(taken) : sum(taken) + len(filled)] = np.where(
            seen, mean[..., cell] / np.where(seen, there, 1.0), 0.0
        )
    order = np.argsort(row, kind="stable")
    b = np.broadcast_to(np.append(shift, np.zeros(targets)), (*lead, len(takes) + targets)).copy()
    return row[order].astype(np.intp), column[order].astype(np.intp), weight[..., order], b


def _pattern(
    layout: Layout, kept: Kept, centre: Vector
) -> tuple[list[list[int]], list[int], list[tuple[int, int, int]], Vector]:
    """Return which columns of :math:`z` each encoded column adds up, which of those count them, (encoded, cell, hole) where one fills, and
    what it adds.
    """
    m, holes = len(layout.cell_names), {c.name: j for j, c in enumerate(layout.holes)}
    takes: list[list[int]] = []
    codes: list[int] = []
    filled: list[tuple[int, int, int]] = []
    shift: list[float] = []
    cell, level = 0, m + len(holes)
    word = level + sum(len(c.levels or ()) for c in layout.categories)
    for c in layout.used:
        hole = None if c.name not in holes else m + holes[c.name]
        for _ in layout.parts(c):
            if hole is not None:
                filled.append((len(takes), cell, hole))
            takes.append([cell])
            shift.append(float(centre[cell]))
            cell += 1
        if c.kind == "category":
            place = {text: level + k for k, text in enumerate(c.levels or ())}
            own, rare = kept[c.name]
            takes += [[place[text]] for text in (own[1:] if layout.drop_first else own)]
            takes += [[place[text] for text in rare]] if rare else []
            if rare and layout.codes:
                codes.append(len(takes))
                takes.append([place[text] for text in own + rare])
            level += len(place)
        elif c.kind == "text":
            takes += [[word + h] for h in range(layout.width(c))]
            word += layout.width(c)
        if layout.indicator and hole is not None:
            takes.append([hole])
        shift += [0.0] * (len(takes) - len(shift))
    return takes, codes, filled, np.array(shift)


def encoded_columns(layout: Layout, kept: Kept) -> dict[str, range]:
    """Return which encoded columns come from which column of the table."""
    found, at = {}, 0
    holes = {c.name for c in layout.holes}
    for c in layout.used:
        width = len(layout.parts(c)) + (layout.indicator and c.name in holes)
        if c.kind == "category":
            own, rare = kept[c.name]
            width += len(own) + bool(rare) * (1 + layout.codes) - layout.drop_first
        width += layout.width(c)
        found[c.name] = range(at, at + width)
        at += width
    return found


def encoded_names(layout: Layout, kept: Kept) -> list[str]:
    """Return the names of the encoded columns, each different from the others."""
    names: list[str] = []
    holes = {c.name for c in layout.holes}
    for c in layout.used:
        names += layout.parts(c)
        if c.kind == "category":
            own, rare = kept[c.name]
            names += [f"{c.name}={level}" for level in (own[1:] if layout.drop_first else own)]
            names += [f"{c.name}=(rare)"] if rare else []
            names += [f"{c.name}=(code)"] if rare and layout.codes else []
        elif c.kind == "text":
            names += hashed_names(c, layout.words)
        if layout.indicator and c.name in holes:
            names.append(f"{c.name}=(missing)")
    seen: set[str] = set()
    for i, name in enumerate(names):
        while name in seen:
            name += "'"
        names[i] = name
        seen.add(name)
    return names
