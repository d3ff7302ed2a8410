"""One source for every kind of table: blocks of rows in a fixed order, with a schema and a common origin.

:func:`as_source` takes an array, a frame, a path, a folder, SQL on files or ``-`` and returns a source; rows come in blocks of
exactly the same size whatever the batches they were read in, so a sum over blocks has the same bits for every kind of table.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from epee.errors import DataError, TableWarning, WrongUse
from epee.settings import progress
from epee.table.arrays import ArraySource
from epee.table.batches import BATCH_BYTES, Away, Batches, Divided, Kept
from epee.table.block import BLOCK_ROWS, Block, ColumnBlock, Source, check_weights, cut, rows_for
from epee.table.cells import kind_of_texts
from epee.table.changes import Mapped
from epee.table.dask_frames import DaskBatches
from epee.table.dask_sparse import DaskSparse, has_sparse_blocks
from epee.table.delimited import Reading
from epee.table.files import open_path
from epee.table.frames import FrameBatches, is_away, is_dask, is_frame, is_spark, passes_once
from epee.table.parts import BlockSource, Part
from epee.table.places import frequent
from epee.table.prefetch import ahead
from epee.table.query import QueryBatches, is_query
from epee.table.raw import BESIDE, RawBlock, common_dtype, kind_of_type, refuse_type
from epee.table.raw_rows import NoRows, RawRows
from epee.table.schema import CLOCK, PAIRS, WORDS, Column, Schema
from epee.table.spark_frames import SparkBatches
from epee.table.sparse import SparseSource, is_sparse, refuse_sparse
from epee.table.streams import StreamBatches
from epee.table.tally import MOST_LEVELS, in_total, labels_in, labels_in_table, tally, tally_table
from epee.table.values import labels_of, values_of, weights_of
from epee.table.view import View
from epee.typing import Matrix, Vector
from epee.words.progress_words import say as say_progress
from epee.words.table_words import say

if TYPE_CHECKING:
    import pyarrow as pa


def is_table(X: Any) -> bool:
    """Tell whether ``X`` is a path, SQL, a frame, a stream of them, a Dask collection or a Spark frame, rather than an array.

    >>> is_table("iris.csv"), is_table([[1, 2]])
    (True, False)
    """
    return isinstance(X, str | os.PathLike) or is_frame(X) or passes_once(X) or is_away(X)


def as_source(
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    fold: np.ndarray | None = None,
    block_rows: int | None = None,
    target_kind: str | None = None,
    types: Mapping[str, str] | None = None,
    columns: Sequence[str] | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    accept_sparse: bool = False,
) -> Source:
    """Return the source of any kind of table.

    Parameters
    ----------
    X : array, frame, path, SQL text, "-", stream of frames, Dask collection or Spark frame
    y, sample_weight, groups : column names (``y`` may be a list of them) or arrays
    fold : (n,) array of int, optional
    block_rows : int, optional
        Rows in a block; more use more memory and fewer calls.
    target_kind : {"class", "number", "label"}, optional
        What blocks carry as ``y``: codes into ``source.classes``, floats, labels as they are; None takes labels for texts and
        booleans and numbers for numbers.
    types : mapping, optional
        Kinds that the user gave, ``{"zip": "category"}``.
    columns : sequence of str, optional
        The inputs; all the other columns by default.
    encoding, delimiter, decimal, header : optional
        What the user says about a text file.
    accept_sparse : bool
        Take a SciPy sparse matrix, one dense block at a time, rather than refuse it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> source = as_source(pa.table({"a": [1.0, 2.0], "b": [3.0, 4.0], "y": ["u", "v"]}), "y", target_kind="class")
    >>> block = next(source.blocks())
    >>> source.names, block.X.shape, block.y, source.classes
    (('a', 'b'), (2, 2), array([0, 1]), array(['u', 'v'], dtype='<U1'))
    """
    if not is_table(X):
        if is_sparse(X):
            if not accept_sparse:
                raise refuse_sparse(X)
            return cast(Source, SparseSource(X, y, check_weights(sample_weight, X.shape[0]), fold))
        X = np.asarray(X)
        return ArraySource(X, None if y is None else np.asarray(y), check_weights(sample_weight, len(X)), fold)
    reading = Reading(encoding, delimiter, decimal, header)
    if is_dask(X) and has_sparse_blocks(X):
        return cast(Source, DaskSparse(X, y, sample_weight))
    if is_dask(X):
        batches, y, sample_weight, groups = _beside_dask(X, y, sample_weight, groups)
    else:
        batches = open_table(X, reading, types)
    source = TableSource(
        batches, y=y, sample_weight=sample_weight, groups=groups, fold=fold, block_rows=block_rows,
        target_kind=target_kind, types=types, columns=columns,
    )  # fmt: skip
    return cast(Source, source)


def open_table(X: Any, reading: Reading | None = None, types: Mapping[str, str] | None = None) -> Batches:
    """Return the batches of a table."""
    if isinstance(X, str) and is_query(X):
        return QueryBatches(X)
    if isinstance(X, str | os.PathLike):
        return open_path(X, reading, types)
    if is_spark(X):
        return SparkBatches(X)
    if passes_once(X):
        return StreamBatches(X)
    return DaskBatches(X) if is_dask(X) else FrameBatches(X)


def _beside_dask(X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Batches, Any, Any, Any]:
    """Return the batches of a Dask collection with the collections that go beside it as columns, and their names."""
    given = {"y": y, "sample_weight": sample_weight, "groups": groups}
    beside = {name: column for name, column in given.items() if is_dask(column)}
    batches = DaskBatches(X, beside)
    found = {
        name: names if name == "y" and len(names) > 1 else names[0] for name, names in batches.beside_names.items()
    }
    return batches, *(found.get(name, column) for name, column in given.items())


class TableSource(BlockSource):
    """The rows of a table as blocks; see :func:`as_source` for the parameters.

    Attributes
    ----------
    names : tuple of str
        The inputs, in the order of the columns of a block.
    notes : list of str
        How the table was read, to be said aloud.
    named : bool
        Whether the names are the user's.
    """

    named = True

    def __init__(
        self,
        batches: Batches,
        *,
        y: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        fold: np.ndarray | None = None,
        block_rows: int | None = None,
        target_kind: str | None = None,
        types: Mapping[str, str] | None = None,
        columns: Sequence[str] | None = None,
    ) -> None:
        if target_kind not in (None, "class", "number", "label"):
            raise WrongUse(f"target_kind is {target_kind!r}; it must be 'class', 'number', 'label' or None.")
        self.batches, self.target_kind, self.fold, self.block_rows = batches, target_kind, fold, block_rows
        self.types = dict(types or {})
        self._long: set[str] = set()
        self.label, self.notes = batches.label, batches.notes
        everything = Schema(tuple(Column(name, self.kind(name) or "text") for name in batches.fields.names))
        everything.override(self.types)
        self.targets = self._names(y, everything, "target")
        self.y = None if self.targets else _array(y, batches.n_rows, "y")
        self.weight_name = next(iter(self._names(sample_weight, everything, "weight column")), None)
        self.weight = None if self.weight_name else _weights(sample_weight, batches.n_rows)
        self.group_name = next(iter(self._names(groups, everything, "group column")), None)
        self.groups = None if self.group_name else _array(groups, batches.n_rows, "groups")
        aside = {*self.targets, *filter(None, (self.weight_name, self.group_name))}
        if columns is None:
            self.names: tuple[str, ...] = tuple(name for name in everything.names if name not in aside)
        else:
            self.names = tuple(columns)
            for name in self.names:
                everything.find(name, "column")
                if name in aside:
                    raise WrongUse(
                        f"column {name!r} is the target, the weight or the group, and cannot be an input too."
                    )
        for name in (*self.names, *self.targets):
            if self.kind(name) is None:
                raise refuse_type(name, batches.fields.field(name).type)
        if not self.names:
            raise DataError(f"{self.label} has no input column: 0 feature(s) while a minimum of 1 is required.")
        self.n_columns = len(self.names)

    @staticmethod
    def _names(given: Any, schema: Schema, what: str) -> tuple[str, ...]:
        if isinstance(given, str):
            given = [given]
        elif not (
            isinstance(given, list | tuple)
            and given
            and all(isinstance(name, str) and name in schema.places for name in given)
        ):
            return ()
        for name in given:
            schema.find(name, what)
        return tuple(given)

    def kind(self, name: str) -> str | None:
        """Return the kind of a column by what the user said, by its cells or by its type."""
        return (
            self.types.get(name) or self.batches.kinds.get(name) or kind_of_type(self.batches.fields.field(name).type)
        )

    _kind = kind

    @property
    def weighted(self) -> bool:
        """Tell whether rows have weights."""
        return self.weight is not None or self.weight_name is not None

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, None before a pass has counted them."""
        return self.batches.n_rows

    @property
    def home(self) -> str:
        """Where the rows lie."""
        return self.batches.home if isinstance(self.batches, Away) else "local"

    @property
    def in_order(self) -> bool:
        """Tell whether rows have the same numbers at each pass."""
        return bool(getattr(self.batches, "in_order", True))

    @contextmanager
    def held(self) -> Iterator[Source]:
        """Keep the columns in use where they lie, where the table has a form that a pass reads faster."""
        if not isinstance(self.batches, Kept):
            yield cast(Source, self)
            return
        with self.batches.kept(self._wanted()) as batches:
            held = copy(self)
            held.batches = batches
            held.passes += batches is not self.batches
            yield cast(Source, held)
            self.passes = held.passes

    @property
    def divided(self) -> bool:
        """Tell whether other processes can read parts of the table by themselves."""
        return isinstance(self.batches, Divided)

    def count(self) -> int:
        """Return how many rows there are, by a pass over one column if nobody has counted."""
        if isinstance(self.batches, Away):
            return sum(self.batches.lengths())
        if self.batches.n_rows is None:
            return sum(batch.num_rows for batch in self.batches.read(self.batches.fields.names[:1], 1 << 16))
        return self.batches.n_rows

    @cached_property
    def schema(self) -> Schema:
        """The inputs: names, kinds, and the levels of categories (which takes a pass over the columns of text, if any)."""
        texts = [name for name in self.names if self.kind(name) in ("text", "category")]
        counted = {c.name: c for c in self.counted(texts)} if texts else {}
        return Schema(tuple(counted.get(name) or Column(name, str(self.kind(name))) for name in self.names))

    @cached_property
    def numeric(self) -> bool:
        """Tell whether all inputs are numbers or booleans, so that a block is a matrix as it is."""
        return all(self.kind(name) in ("number", "boolean") for name in self.names)

    def profile(self) -> Schema:
        """Return the schema of the inputs with all missing cells and levels counted, in one pass; kept for later."""
        if any(c.missing is None for c in self.__dict__.get("schema", ())) or "schema" not in self.__dict__:
            self.__dict__["schema"] = Schema(tuple(self.counted(self.names)))
        return self.schema

    def column_schema(self, name: str) -> Column:
        """Return one column of the table (the target, say) with its levels and missing cells counted."""
        self.batches.fields.names.index(name)
        return next(iter(self.counted([name])))

    def counted(self, names: Sequence[str]) -> Iterator[Column]:
        """Yield some columns of the table with their levels and missing cells counted, by one pass over them."""
        kinds = {name: str(self.kind(name)) for name in names}
        if isinstance(self.batches, Away):
            total = in_total(list(self.batches.each(partial(tally_table, kinds=kinds), names)))
        else:
            total = tally(self._shown(names), kinds, self.batches.where)
        n, missing, seen, clocks = total.n, total.missing, total.seen, total.clocks
        for name in names:
            kind = kinds[name]
            if name not in seen:
                yield Column(name, kind, missing=missing[name], note=CLOCK if clocks[name] else "")
                continue
            counts = seen[name]
            note = WORDS if self.types.get(name) == "text" else ""
            if name not in self.types:
                kind = "text" if counts is None else kind_of_texts(len(counts), n - missing[name])
                note = total.read[name].note if kind == "text" else ""
            elif note and total.read[name].note == PAIRS:
                note = PAIRS
            if kind == "category" and counts is None:
                raise DataError(
                    f"column {name!r} has more than {MOST_LEVELS:,} different texts: too many for a category; drop it."
                )
            levels = sorted(counts) if counts is not None and kind == "category" else None
            yield Column(name, kind, None if levels is None else tuple(levels),
                         None if levels is None or counts is None else tuple(counts[level] for level in levels), missing[name],
                         note, frequent(total.read[name].places) if note == PAIRS else None)  # fmt: skip

    _count = counted

    def _shown(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield batches of some columns, read ahead, with progress."""
        with progress(say_progress("reading {label}", label=self.label), self.n_rows) as tick:
            for batch in ahead(lambda: self.batches.read(names, self._batch_rows(BLOCK_ROWS))):
                yield batch
                tick(batch.num_rows)

    @cached_property
    def classes(self) -> np.ndarray:
        """The different labels of the target in their sorted order; takes a pass over that column."""
        if len(self.targets) != 1:
            if self.y is None:
                raise WrongUse("there are classes only where there is one target.")
            return np.unique(self.y)
        name = self.targets[0]
        if isinstance(self.batches, Away):
            found = set().union(*self.batches.each(partial(labels_in_table, name=name), [name]))
        else:
            found = labels_in(self._shown(self.targets), name, self.batches.where)
        return np.array(sorted(found))

    @property
    def target_levels(self) -> np.ndarray | None:
        """The classes, or None where there is not one target."""
        return self.classes if len(self.targets) == 1 or self.y is not None else None

    @cached_property
    def origin(self) -> Vector:
        """The mean (p,) of the first 256 rows, missing cells aside; sums are taken about it. 0 for what is no number."""
        head = self.head().X if self.numeric else self._head()
        with np.errstate(over="ignore", invalid="ignore"):
            there = np.isfinite(head)
            totals = np.where(there, head, 0).astype(np.float64).mean(axis=0) * len(head)
            means = totals / np.maximum(there.sum(axis=0), 1)
        return np.where(np.isfinite(means), means, 0.0)

    def head(self) -> Block:
        """Return the first 256 rows, or fewer where the first partition of a cluster has fewer."""
        return self._first_rows

    @cached_property
    def _first_rows(self) -> Block:
        """They are read once: origins are asked for again and again."""
        return next(cut(self._short()._numbers(256), 256))

    def _short(self) -> TableSource:
        """Return the first rows of what lies on a cluster, which are already here, as a source; any other table as it is."""
        if not isinstance(self.batches, Away):
            return self
        short = copy(self)
        short.batches = FrameBatches(self.batches.head, self.label)
        return short

    def raw_head(self) -> RawBlock:
        """Return the first 256 rows column by column."""
        return next(cut(self._short()._raw(256), 256))

    def _head(self) -> np.ndarray:
        """Return the first rows of a table of several kinds; texts count as missing."""
        block = self.raw_head()
        hole = np.full(len(block), np.nan)
        return np.column_stack([c if isinstance(c, np.ndarray) else hole for c in block.columns.values()])

    @cached_property
    def fingerprint(self) -> str:
        """A short text that changes when the table does."""
        return self.batches.fingerprint()

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield the rows in order, exactly ``rows`` at a time but for the last block; reading runs ahead in a thread."""
        step = rows or self.block_rows or BLOCK_ROWS
        self.refuse_words()
        yield from cut(ahead(lambda: self._numbers(self._batch_rows(step))), step)
        self.passes += 1

    def raw_blocks(self, rows: int | None = None) -> Iterator[RawBlock]:
        """Yield the rows column by column, whatever their kinds, exactly ``rows`` at a time but for the last block."""
        step = rows or self.block_rows or BLOCK_ROWS
        yield from cut(ahead(lambda: self._raw(self._batch_rows(step))), step)
        self.passes += 1

    def each_raw(self, work: Callable[[RawBlock], Any]) -> Iterator[Any]:
        """Yield ``work(raw)`` for each raw block, in order; on a cluster where the partitions lie."""
        if not isinstance(self.batches, Away):
            yield from map(work, self.raw_blocks(rows_for(self.n_columns)))
            return
        bare = copy(self)
        bare.batches = None  # type: ignore[assignment]
        for found in self.batches.each(partial(_work_on, bare=bare, work=work), self._wanted()):
            yield from found

    def refuse_words(self) -> None:
        """Say which inputs are no numbers."""
        words = [name for name in self.names if self.kind(name) not in ("number", "boolean")]
        if words:
            name = words[0]
            more = f" (and {len(words) - 1} more)" if len(words) > 1 else ""
            raise DataError(
                f"column {name!r}{more} holds {self.kind(name)}, not numbers: could not convert string to float. "
                "Put a TableEncoder before this method, or leave the column out."
            )

    def _batch_rows(self, step: int) -> int:
        return step * max(1, BATCH_BYTES // (8 * self.n_columns * step))

    def _wanted(self) -> list[str]:
        aside = [*self.targets, *filter(None, (self.weight_name, self.group_name))]
        return [*self.names, *(name for name in dict.fromkeys(aside) if name not in self.names)]

    def _numbers(self, rows: int) -> Iterator[Block]:
        """Yield batches of numbers."""
        import pyarrow as pa

        p = self.n_columns
        plain = all(kind_of_type(self.batches.fields.field(n).type) == self.kind(n) for n in self.names)
        dtype = (
            common_dtype([self.batches.fields.field(name).type for name in self.names])
            if plain
            else np.dtype(np.float64)
        )
        start = 0
        for batch in self.batches.read(self._wanted(), rows):
            columns = batch.columns[:p]
            self._warn_long(columns)
            if not plain:
                columns = [
                    pa.array(values_of(c, str(self.kind(name)), name, self.batches.where, start))
                    for name, c in zip(self.names, columns, strict=True)
                ]
            cells = pa.RecordBatch.from_arrays(columns, names=list(self.names))
            y, weight, fold, _ = self._aside(batch, start)
            yield ColumnBlock(cells, dtype, y=y, weight=weight, fold=fold, start=start)
            start += batch.num_rows
        self._check_length(start)

    def _warn_long(self, columns: Sequence[pa.Array]) -> None:
        """Say once that a column holds whole numbers that float64 cannot tell apart."""
        import pyarrow.compute as pc

        for name, column in zip(self.names, columns, strict=True):
            if str(column.type) not in ("int64", "uint64") or name in self._long:
                continue
            ends = pc.min_max(column)
            if max(abs(ends["min"].as_py() or 0), abs(ends["max"].as_py() or 0)) > 2**53:
                self._long.add(name)
                warnings.warn(say("long_column", name=name), TableWarning, stacklevel=2)

    def _raw(self, rows: int) -> Iterator[RawBlock]:
        """Yield batches column by column."""
        start = 0
        for batch in self.batches.read(self._wanted(), rows):
            columns = {
                name: values_of(batch.column(j), str(self.kind(name)), name, self.batches.where, start)
                for j, name in enumerate(self.names)
            }
            y, weight, fold, groups = self._aside(batch, start)
            yield RawBlock(columns, y, weight, fold, groups, start, batch.num_rows)
            start += batch.num_rows
        self._check_length(start)

    def _aside(self, batch: pa.RecordBatch, start: int) -> tuple[Any, Any, Any, Any]:
        """Return target, weight, fold and group of the rows of a batch."""
        rows = slice(start, start + batch.num_rows)
        where = self.batches.where
        y = self._target(batch, start) if self.targets else None if self.y is None else self.y[rows]
        weight = None if self.weight is None else self.weight[rows]
        if self.weight_name:
            weight = weights_of(batch.column(self.weight_name), self.weight_name, where, start)
        groups = None if self.groups is None else self.groups[rows]
        if self.group_name:
            groups = labels_of(batch.column(self.group_name), self.group_name, where, start)
        return y, weight, None if self.fold is None else self.fold[rows], groups

    def _target(self, batch: pa.RecordBatch, start: int) -> np.ndarray:
        where, kinds = self.batches.where, self.target_kind
        if len(self.targets) > 1:
            return np.column_stack(
                [values_of(batch.column(name), "number", name, where, start) for name in self.targets]
            )
        name = self.targets[0]
        column = batch.column(name)
        if kinds is None:
            kinds = "number" if self.kind(name) == "number" else "label"
            if kinds == "number" and kind_of_type(column.type) == "number":
                return np.asarray(values_of(column, "number", name, where, start))
        if kinds == "number":
            return np.asarray(values_of(column, "number", name, where, start), dtype=np.float64)
        labels = labels_of(column, name, where, start)
        if kinds == "label":
            return labels
        return np.searchsorted(self.classes, labels)

    def _check_length(self, n: int) -> None:
        for what, given in (
            ("y", self.y),
            ("sample_weight", self.weight),
            ("groups", self.groups),
            ("fold", self.fold),
        ):
            if given is not None and len(given) != n:
                raise DataError(
                    f"Found input variables with inconsistent numbers of samples: {n} rows, but {len(given)} in {what}."
                )

    def narrow(self) -> Source:
        """Return the same rows with one input of numbers, if there is any."""
        first = next((name for name in self.names if self.kind(name) in ("number", "boolean")), None)
        if first is None:
            return self
        narrow = copy(self)
        for known in ("schema", "numeric", "origin", "_first_rows"):
            narrow.__dict__.pop(known, None)
        narrow.names, narrow.n_columns = (first,), 1
        return narrow

    def mapped(self, row: Callable[[RawBlock], Matrix], names: Sequence[str]) -> View:
        """Return the view of the rows made numbers by ``row``, a picklable function of a raw block."""
        return View(RawRows(self), Mapped(row), names=tuple(names))

    def parts(self, wanted: int, rows: int | None = None, numbered: bool = False) -> Iterator[Part]:
        """Yield parts of the table as it can be cut: row groups of files, partitions; else the blocks themselves."""
        if not isinstance(self.batches, Divided):
            yield from super().parts(wanted, rows, numbered)
            return
        beside = {name: a for name in BESIDE if (a := getattr(self, name)) is not None}
        if beside and self.home != "local":
            raise DataError(f"with {self.label}, y, sample_weight and groups must be columns of it: give their names.")
        template = self._template()
        for piece in self.batches.parts(wanted, self._wanted(), numbered):
            at = slice(piece.start, piece.start + (piece.rows or 0))
            mine = {name: a[at] for name, a in beside.items()}
            yield piece.then(partial(_placed, template=template, beside=mine))
        self.passes += 1

    def _template(self) -> TableSource:
        """Return a copy without its table, with what all parts must agree on already found."""
        bare = copy(self)
        if len(self.targets) == 1 and self.target_kind == "class":
            bare.__dict__["classes"] = self.classes
        bare.batches = None  # type: ignore[assignment]
        bare.__dict__.pop("_first_rows", None)
        for name in BESIDE:
            setattr(bare, name, None)
        return bare


def _placed(batches: Batches | None, template: TableSource, beside: dict[str, np.ndarray]) -> Source:
    """Return the template over a part of the table, with the part of the arrays that go beside it."""
    if batches is None:
        return NoRows(template.names)
    source = copy(template)
    source.batches = batches
    source.__dict__.update(beside)
    return source


def _work_on(table: pa.Table, bare: TableSource, work: Callable[[RawBlock], Any]) -> list[Any]:
    """Return ``work(raw)`` for each raw block of one partition."""
    if not table.num_rows:
        return []
    here = copy(bare)
    here.batches = FrameBatches(table, "the partition")
    return [work(raw) for raw in here.raw_blocks()]


def _array(given: Any, n: int | None, what: str) -> np.ndarray | None:
    if given is None:
        return None
    values = np.asarray(given)
    if n is not None and len(values) != n:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: {n} rows, but {len(values)} in {what}."
        )
    return values


def _weights(given: Any, n: int | None) -> Vector | None:
    return None if given is None else check_weights(given, len(given) if n is None else n)
