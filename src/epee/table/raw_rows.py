"""The rows of a table column by column, whatever their kinds: the source behind a view that makes numbers of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, cast

import numpy as np

from epee.table.block import Source
from epee.table.parts import BlockSource, Part
from epee.table.raw import RawBlock


class RawTable(Source, Protocol):
    """A table that can be read column by column."""

    @property
    def divided(self) -> bool:
        """Whether other processes can read parts of it by themselves."""

    def raw_head(self) -> RawBlock | None:
        """Return the first rows."""

    def raw_blocks(self, rows: int | None = None) -> Iterator[RawBlock]:
        """Yield the rows, exactly ``rows`` at a time but for the last block."""


class NoRows(BlockSource):
    """A part without rows."""

    n_rows, divided = 0, True

    def __init__(self, names: Sequence[str]) -> None:
        self.names, self.n_columns, self.origin = names, len(names), np.zeros(len(names))

    def blocks(self, rows: int | None = None) -> Iterator[Any]:
        """Yield nothing."""
        return iter(())

    raw_blocks = blocks

    def raw_head(self) -> None:
        """Return nothing."""


class RawRows(BlockSource):
    """The rows of a table column by column, whatever their kinds: what a view makes numbers of."""

    def __init__(self, source: RawTable) -> None:
        self.source, self.names, self.n_columns = source, source.names, source.n_columns

    n_rows = property(lambda self: self.source.n_rows)
    origin = property(lambda self: self.source.origin)
    home = property(lambda self: self.source.home)
    passes = property(lambda self: self.source.passes)
    in_order = property(lambda self: self.source.in_order)
    target_levels = property(lambda self: self.source.target_levels)

    @contextmanager
    def held(self) -> Iterator[Any]:
        """Keep the rows of the table."""
        with self.source.held() as table:
            yield self if table is self.source else RawRows(cast(RawTable, table))

    def head(self) -> Any:
        """Return the first rows."""
        return self.source.raw_head()

    def blocks(self, rows: int | None = None) -> Iterator[Any]:
        """Yield raw blocks."""
        return self.source.raw_blocks(rows)

    def parts(self, wanted: int, rows: int | None = None, numbered: bool = False) -> Iterator[Part]:
        """Yield the parts of the table; what can only be read here travels as raw blocks."""
        if not self.source.divided:
            yield from super().parts(wanted, rows, numbered)
            return
        for piece in self.source.parts(wanted, rows, numbered):
            yield piece.then(RawRows)
