"""What a pass over the cells of a table counts: missing cells, the texts of each column, times of day. Tallies add.

So a file is counted batch by batch, and the partitions of a cluster where they lie: the levels of a category and
the classes of a target are those of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.table.values import labels_of, values_of
from epee.table.words import Reading

if TYPE_CHECKING:
    import pyarrow as pa

MOST_LEVELS = 100_000  # different texts that are counted; a column with more is a text


@dataclass(frozen=True)
class Tally:
    """Rows, missing cells of each column, how often each text occurs (None above the most), how texts read, whether dates have a time."""

    n: int
    missing: dict[str, int]
    seen: dict[str, dict[str, int] | None]
    read: dict[str, Reading]
    clocks: dict[str, bool]

    def __add__(self, other: Tally) -> Tally:
        seen: dict[str, dict[str, int] | None] = {}
        for name, mine in self.seen.items():
            theirs = other.seen[name]
            both = None if mine is None or theirs is None else dict(mine)
            if both is not None and theirs is not None:
                for text, k in theirs.items():
                    both[text] = both.get(text, 0) + k
            seen[name] = None if both is None or len(both) > MOST_LEVELS else both
        return Tally(
            self.n + other.n, {name: k + other.missing[name] for name, k in self.missing.items()}, seen,
            {name: read + other.read[name] for name, read in self.read.items()},
            {name: clock or other.clocks[name] for name, clock in self.clocks.items()},
        )  # fmt: skip


def tally(batches: Iterable[pa.RecordBatch], kinds: Mapping[str, str], where: Callable[[int], str]) -> Tally:
    """Count batches of the columns of ``kinds``, in that order."""
    import pyarrow.compute as pc

    names = list(kinds)
    missing, clocks = dict.fromkeys(names, 0), dict.fromkeys(names, False)
    seen: dict[str, dict[str, int] | None] = {name: {} for name in names if kinds[name] in ("text", "category")}
    read = {name: Reading() for name in seen}
    n = 0
    for batch in batches:
        for name, column in zip(names, batch.columns, strict=True):
            if name not in seen:
                floating = "float" in str(column.type) or "double" in str(column.type)
                missing[name] += column.null_count + (pc.sum(pc.is_nan(column)).as_py() or 0 if floating else 0)
                if kinds[name] == "date" and not clocks[name]:
                    days = values_of(column, "date", name, where, n)
                    clocks[name] = bool((np.nan_to_num(days) % 1 != 0).any())
                continue
            texts = values_of(column, "text", name, where, n)
            missing[name] += texts.null_count
            counts, found = seen[name], pc.value_counts(texts.drop_null())
            read[name] += Reading.of(found.field(0), found.field(1))
            if counts is not None:
                for text, k in zip(found.field(0).to_pylist(), found.field(1).to_pylist(), strict=True):
                    counts[text] = counts.get(text, 0) + k
                if len(counts) > MOST_LEVELS:
                    seen[name] = None
        n += batch.num_rows
    return Tally(n, missing, seen, read, clocks)


def tally_table(table: pa.Table, kinds: Mapping[str, str]) -> Tally:
    """Count a whole table: a partition."""
    return tally(table.select(list(kinds)).to_batches(1 << 16), kinds, row_number)


def labels_in(batches: Iterable[pa.RecordBatch], name: str, where: Callable[[int], str]) -> set[Any]:
    """Return the different labels of the one column of some batches; a missing one is named."""
    found: set[Any] = set()
    start = 0
    for batch in batches:
        column = batch.column(0)
        if column.null_count:
            labels_of(column, name, where, start)  # raises the sentence
        found.update(labels_of(column.unique(), name, where, start).tolist())
        start += batch.num_rows
    return found


def labels_in_table(table: pa.Table, name: str) -> set[Any]:
    """Return the different labels of a column of a whole table: a partition."""
    return labels_in(table.select([name]).to_batches(), name, row_number)


def row_number(row: int) -> str:
    """Return how to call a row of a partition."""
    return f"row {row} of the partition"


def in_total(parts: Sequence[Tally]) -> Tally:
    """Return the sum of some tallies, pair by pair."""
    while len(parts) > 1:
        parts = [parts[i] + parts[i + 1] if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)]
    return parts[0]
