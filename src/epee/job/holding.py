"""A small table is read once; a large one stays where it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from epee.errors import EmptyTable
from epee.job.memory import refuse_beyond_limit
from epee.job.policy import Policy
from epee.settings import progress
from epee.table.frames import FrameBatches
from epee.table.prefetch import ahead
from epee.table.raw import RawBlock
from epee.table.source import TableSource
from epee.words.job_words import say


def hold(source: TableSource, policy: Policy) -> tuple[TableSource, bool]:
    """Return the table, read into memory where it is small enough, and whether it is."""
    names = list(source.batches.fields.names)
    if source.is_away:
        source.count()  # there, rather than by reading rows here until they are too many
    if source.n_rows is not None and not policy.holds(source.n_rows, len(names)):
        return source, False
    refuse_beyond_limit(source.n_rows * len(names) if source.n_rows is not None else 0)
    if isinstance(source.batches, FrameBatches):
        return source, True
    import pyarrow as pa

    parts: list[Any] = []
    rows = 0
    with progress(say("reading"), source.n_rows) as tick:
        for batch in ahead(lambda: source.batches.read(names, 1 << 16)):
            rows += batch.num_rows
            if not policy.holds(rows, len(names)):
                return source, False
            parts.append(batch)
            tick(batch.num_rows)
    if not rows:
        raise EmptyTable(f"{source.label} has a header but no rows.")
    held = FrameBatches(pa.Table.from_batches(parts), source.label)
    held.kinds, held.notes, held.where = source.batches.kinds, source.batches.notes, source.batches.where  # type: ignore[method-assign]
    return TableSource(held, types=source.types), True


def columns_of(source: TableSource, names: Sequence[str]) -> RawBlock:
    """Return some columns of all rows: the target, groups, times; or, of a table at hand, all."""
    narrow = TableSource(source.batches, types=source.types, columns=list(names))
    return joined(list(narrow.raw_blocks(1 << 16)), source.label)


def joined(blocks: Sequence[RawBlock], label: str = "the table") -> RawBlock:
    """Return the rows of several blocks as one."""
    if not blocks:
        raise EmptyTable(f"{label} has a header but no rows.")
    every = blocks[0].followed_by(*blocks[1:])
    numbers = {n: c.astype(np.float64, copy=False) for n, c in every.columns.items() if isinstance(c, np.ndarray)}
    return every.having(columns={**every.columns, **numbers})


def take(raw: RawBlock, rows: np.ndarray) -> RawBlock:
    """Return some rows of a block, column by column."""
    columns = {n: c[rows] if isinstance(c, np.ndarray) else c.take(rows) for n, c in raw.columns.items()}
    return RawBlock(columns, rows=len(rows))
