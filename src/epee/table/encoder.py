r"""Any table to numbers, learned from the training rows only; the mathematics is in :mod:`epee.table.encoding`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from epee.arrays import at_home, is_elsewhere
from epee.errors import DataError, DataWarning, MissingValues, WrongUse
from epee.table.block import check_weights
from epee.table.encoding import (
    Layout,
    cells_of,
    codes_of_levels,
    encoded_columns,
    encoded_names,
    entries_of,
    map_rows,
    missing_of,
    sum_rows,
)
from epee.table.frames import FrameBatches, columns_of_array, is_away, numbered_names
from epee.table.partitions import by_partition
from epee.table.raw import RawBlock
from epee.table.schema import Column, Schema
from epee.table.source import TableSource, is_table, open_table
from epee.table.view import View
from epee.table.words import COLUMNS, hashed_text
from epee.typing import Codes, Matrix, Vector


class TableEncoder(TransformerMixin, BaseEstimator):
    r"""Categories, booleans, dates and missing cells to numbers.

    A missing number is filled with the mean of the training rows, :math:`\hat x = o\,x + (1 - o)\,\bar x`. A category gives one
    column a level, 1 where the row has it; a level that was never seen, like a missing cell, gives zeros in all of them. A
    boolean is 0 or 1. A date gives its days since 1970, its month and its weekday (and its hour, if it has one). A text of several
    words, or a column that ``types`` calls a text, gives its words and pairs of words, hashed (:mod:`epee.table.words`); other texts that
    hardly come back, names and identifiers, are left out, with a warning.

    Parameters
    ----------
    types : dict, optional
        Kinds of columns that the table does not tell, ``{"zip": "category"}``: "number", "category", "boolean", "date", "text".
    max_levels : int, default=50
        Levels of a category that get a column of their own, the most frequent first; the others share one column. A larger
        number keeps rarer levels apart. All folds of a cross-validation have the same ones.
    indicator : bool, default=False
        Add a column that is 1 where a cell is missing, for each column that had missing cells.
    dates : {"parts", "ordinal"}, default="parts"
        "ordinal" keeps only the days since 1 January 1970.
    words : int, default=256
        Columns that the words of each text fall into; more keep words apart that would share one. 0 leaves texts out.
    drop : {None, "first"}, default=None
        "first" leaves out the first level of every category, so that the columns of a category do not add up to 1.

    Attributes
    ----------
    schema_ : Schema
        The columns that were seen, with their kinds and levels.
    fill_ : ndarray
        What stands for a missing cell, for each number, boolean and part of a date.
    feature_names_in_, n_features_in_ : as in scikit-learn

    Notes
    -----
    Two passes over a file: levels and missing cells, then means. On the one-pass route, :meth:`plan` reads the schema,
    :meth:`row_map` is independent of the data and :meth:`fill_map` gives what depends on the training rows.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning* (2009), section 9.6.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"age": [30.0, None, 50.0], "town": ["Lyon", "Paris", "Lyon"]})
    >>> encoder = TableEncoder().fit(table)
    >>> encoder.transform(table)
    array([[30.,  1.,  0.],
           [40.,  0.,  1.],
           [50.,  1.,  0.]])
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'town=Lyon', 'town=Paris']
    """

    _codes = False  # whether rare levels are told apart, too

    def __init__(
        self,
        *,
        types: Mapping[str, str] | None = None,
        max_levels: int = 50,
        indicator: bool = False,
        dates: str = "parts",
        drop: str | None = None,
        words: int = COLUMNS,
    ) -> None:
        self.types = types
        self.max_levels = max_levels
        self.indicator = indicator
        self.dates = dates
        self.drop = drop
        self.words = words

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> TableEncoder:
        """Learn levels and means from the rows of a table, an array, a frame, a path or a source.

        ``y`` is set aside when it is the name of a column of ``X``, and ignored otherwise.
        """
        self._check_parameters()
        source = self._open(X, y, sample_weight, reset=True)
        self._plan(source)
        total, count = self._sum(source)
        if source.weighted:
            self.kept_ = self._layout.kept(self._level_sums(total))
        return self.fit_mean(total / count)

    def plan(self, source: Any) -> TableEncoder:
        """Take the schema of a table, without its means: enough for :meth:`row_map`."""
        self._check_parameters()
        source = source if isinstance(source, TableSource) else self._open(source, None, None, reset=True)
        self._plan(source)
        if source.weighted and any(
            rare for _, rare in self.kept_.values()
        ):  # weight 2 is the row twice, for levels too
            self.kept_ = self._layout.kept(self._level_sums(self._sum(source)[0]))
        return self

    def _plan(self, source: TableSource) -> None:
        schema = source.profile()
        for c in schema:
            if c.missing is not None and c.missing == source.n_rows:
                raise MissingValues(f"column {c.name!r}: all its {c.missing} cells are missing; drop it.")
        self.planned(schema, source.origin, named=source.named)

    def planned(self, schema: Schema, origin: Vector | None = None, *, named: bool = True) -> TableEncoder:
        """Take a schema that somebody has counted, without reading the table again: enough for :meth:`row_map`.

        Parameters
        ----------
        schema : Schema
            With levels, their counts and the missing cells.
        origin : array, optional
            A value of each column near which numbers lie, 0 by default; only the digits of sums depend on it.
        named : bool, default=True
            Whether the names are the user's.
        """
        self._check_parameters()
        self.schema_ = schema
        self.n_features_in_ = len(schema)
        if named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        self._say_texts()
        layout = self._layout
        near = dict(zip(schema.names, np.zeros(len(schema)) if origin is None else origin, strict=True))
        about = [(c, near[c.name] if c.kind == "number" else 0.0) for c in layout.used]
        self.centre_ = np.array([value for c, value in about for _ in layout.parts(c)], dtype=np.float64)
        self.kept_ = layout.kept()
        return self

    def _say_texts(self) -> None:
        used = {c.name for c in self._layout.used}
        left = [name for name in self.schema_.names if name not in used]
        if len(left) == len(self.schema_):
            raise DataError(
                f"column {left[0]!r} holds texts that hardly come back, and there is no other column to learn from."
            )
        if left:
            warnings.warn(
                f"column {left[0]!r}{f' and {len(left) - 1} more' if len(left) > 1 else ''}: texts that hardly come back (names, "
                f"identifiers) are left out; say types={{{left[0]!r}: 'category'}} to keep them, or 'text' to read their words.",
                DataWarning, stacklevel=5,
            )  # fmt: skip

    def row_sums(self, raw: RawBlock) -> tuple[Vector, float]:
        """Return the weighted sums (q,) of the rows :meth:`row_map` of a block, without making them, and its weight."""
        return sum_rows(self._layout, self.centre_, raw), float(len(raw) if raw.weight is None else raw.weight.sum())

    def _sum(self, source: TableSource) -> tuple[Vector, float]:
        total, count = np.zeros(len(self.row_names)), 0.0
        for sums, weight in source.each_raw(self.row_sums):
            total += sums
            count += weight
        return total, count

    def _level_sums(self, total: Vector) -> dict[str, Vector]:
        """Return the weight of each level of each category from the sums of the rows :meth:`row_map`."""
        layout = self._layout
        at, found = len(layout.cell_names) + len(layout.holes), {}
        for c in layout.categories:
            n = len(c.levels or ())
            found[c.name] = total[at : at + n]
            at += n
        return found

    def fit_mean(self, moments: Any) -> TableEncoder:
        """Finish a fit that :meth:`plan` began, from the moments (or the mean) of the rows :meth:`row_map`."""
        layout = self._layout
        mean = _mean_of(moments)[: len(layout.row_names)]
        m, holes = len(layout.cell_names), {c.name: j for j, c in enumerate(layout.holes)}
        there = np.array(
            [
                1.0 if c.name not in holes else 1.0 - mean[m + holes[c.name]]
                for c in layout.used
                for _ in layout.parts(c)
            ]
        )
        seen = there > 1e-12
        self.fill_ = self.centre_ + np.where(seen, mean[:m] / np.where(seen, there, 1.0), 0.0)
        return self

    def holed(self) -> TableEncoder:
        """Return a copy that leaves NaN where a number is missing, for methods that deal with missing cells themselves."""
        other = copy(self)
        other.fill_ = np.full(len(self.centre_), np.nan)
        return other

    def coded(self) -> TableEncoder:
        """Return a copy that tells all levels of rich categories apart, the rare ones too, in one more column each: 1, 2, ..., 0 for none.

        The column is no number: it is for methods that look up what they know of a level.
        """
        other = copy(self)
        other._codes = True
        return other

    @property
    def code_columns(self) -> tuple[int, ...]:
        """Which encoded columns of :meth:`coded` are codes."""
        layout = replace(self._layout, codes=True)
        places = encoded_columns(layout, self.kept_)
        return tuple(
            places[name].start + len(own) + 1 - layout.drop_first for name, (own, rare) in self.kept_.items() if rare
        )

    @by_partition
    def transform(self, X: Any) -> Matrix:
        """Return the rows as numbers (n, e); a table may have its columns in another order, and others besides."""
        check_is_fitted(self, "fill_")
        if not is_table(X) and not isinstance(X, TableSource):
            X = validate_data(self, X, reset=False, dtype=None, ensure_all_finite="allow-nan")
            if X.dtype.kind == "f" and all(c.kind == "number" for c in self.schema_) and not self.indicator:
                return np.where(np.isnan(X), self.fill_.astype(X.dtype), X)
        source = self._open(X, None, None, reset=False)
        if source.n_rows is None:
            return np.concatenate([self.encode(raw) for raw in source.raw_blocks()])
        out = np.empty((source.n_rows, self._width))
        for raw in source.raw_blocks():
            self.encode(raw, out[raw.start : raw.start + len(raw)])
        return out

    def encode(self, raw: RawBlock, out: Matrix | None = None) -> Matrix:
        """Return one block of rows as numbers (n, e)."""
        layout = self._layout
        out = np.empty((len(raw), self._width)) if out is None else out
        cells = cells_of(layout, raw)
        np.copyto(cells, self.fill_, where=np.isnan(cells))
        holes = {c.name for c in layout.holes}
        cell, at = 0, 0
        for c in layout.used:
            width = len(layout.parts(c))
            out[:, at : at + width] = cells[:, cell : cell + width]
            cell, at = cell + width, at + width
            if c.kind == "category":
                own, rare = self.kept_[c.name]
                every = codes_of_levels(raw.columns[c.name], own + rare)
                codes = np.minimum(every, len(own)) - layout.drop_first  # rare ones share a column
                width = len(own) + bool(rare) - layout.drop_first
                wide = out[:, at : at + width]
                wide[...] = 0.0
                seen = np.flatnonzero(codes >= 0)
                wide[seen, codes[seen]] = 1.0
                at += width
                if rare and layout.codes:
                    out[:, at] = every + 1
                    at += 1
            elif c.kind == "text":
                width = layout.width(c)
                out[:, at : at + width] = hashed_text(raw.columns[c.name], c, layout.words, raw.start)
                at += width
            if layout.indicator and c.name in holes:
                out[:, at] = missing_of(raw, c)
                at += 1
        return out

    @property
    def row_names(self) -> tuple[str, ...]:
        """The names of the columns of :meth:`row_map`."""
        return self._layout.row_names

    @property
    def empty_row(self) -> Vector:
        """A row (e,) whose cells are all missing, encoded: what fills the numbers, and no level."""
        import pyarrow as pa

        nothing: dict[str, Any] = {
            c.name: pa.array([None], pa.string()) if c.kind in ("category", "text") else np.array([np.nan])
            for c in self.schema_
        }
        row: Vector = self.encode(RawBlock(nothing, rows=1))[0]
        return row

    @property
    def encoded_columns(self) -> dict[str, range]:
        """Which encoded columns come from which column of the table."""
        return encoded_columns(self._layout, self.kept_)

    @property
    def _width(self) -> int:
        """The number of encoded columns."""
        return sum(map(len, self.encoded_columns.values()))

    def _learn(self, mean: Vector) -> TableEncoder:
        self.kept_ = self._layout.kept(self._level_sums(mean))
        return self.fit_mean(mean)

    def row_map(self, raw: RawBlock) -> Matrix:
        """Return :math:`z` (n, q): observed cells about a constant, 1 where missing, one-hot of every level of the schema."""
        return map_rows(self._layout, self.centre_, raw)

    def fill_map(self, moments: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return ``(A, b)`` such that :math:`A z + b` is the encoded row, filled with the means that the moments hold.

        ``moments`` are those of the rows :meth:`row_map`, with a leading axis of folds or without, targets last; or their mean.
        """
        row, column, weight, b = self.fill_entries(moments)
        A = np.zeros((*b.shape, np.shape(_mean_of(moments))[-1]))
        A[..., row, column] = weight
        return A, b

    def fill_entries(self, moments: Any) -> tuple[Codes, Codes, np.ndarray, np.ndarray]:
        """Return the same ``A`` by its entries: rows, columns and weights (..., entries), and ``b``; nearly all of ``A`` is zero."""
        targets = getattr(moments, "targets", 0)
        return entries_of(self._layout, self.kept_, self.centre_, _mean_of(moments), targets)

    def rows(self, source: TableSource) -> View:
        """Return the source of the rows :meth:`row_map`."""
        return source.mapped(self.row_map, self.row_names)

    def encoded(self, source: TableSource) -> View:
        """Return the source of the encoded rows: a table of any kinds becomes blocks of numbers."""
        check_is_fitted(self, "fill_")
        return source.mapped(self.encode, tuple(self.get_feature_names_out()))

    def open(self, X: Any, y: Any = None, sample_weight: Any = None, **reading: Any) -> TableSource:
        """Return a source of ``X`` with the columns that this encoder knows, in their order; absent ones are named."""
        return self._open(X, y, sample_weight, reset=False, strict=False, **reading)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the encoded columns."""
        check_is_fitted(self, "fill_")
        given = _check_feature_names_in(self, input_features)
        rename = dict(zip(self.schema_.names, given, strict=True))
        schema = Schema(tuple(replace(c, name=str(rename[c.name])) for c in self.schema_))
        kept = {str(rename[name]): levels for name, levels in self.kept_.items()}
        return np.array(encoded_names(replace(self._layout, schema=schema), kept), dtype=object)

    state_version = 1

    def to_state(self) -> dict[str, Any]:
        """Return what was learned as plain JSON values and arrays."""
        check_is_fitted(self, "fill_")
        return {
            "parameters": {**self.get_params(), "types": dict(self.types) if self.types else None},
            "schema": self.schema_.to_json(),
            "named": hasattr(self, "feature_names_in_"),
            "kept": {name: [list(own), list(rare)] for name, (own, rare) in self.kept_.items()},
            "centre": self.centre_,
            "fill": self.fill_,
            "codes": self._codes,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> TableEncoder:
        """Return the encoder that :meth:`to_state` described."""
        encoder = cls(**state["parameters"])
        encoder.schema_ = Schema.from_json(state["schema"])
        encoder.n_features_in_ = len(encoder.schema_)
        if state["named"]:
            encoder.feature_names_in_ = np.array(encoder.schema_.names, dtype=object)
        encoder.kept_ = {name: (tuple(own), tuple(rare)) for name, (own, rare) in state["kept"].items()}
        encoder.centre_ = np.asarray(state["centre"], dtype=np.float64)
        encoder.fill_ = np.asarray(state["fill"], dtype=np.float64)
        encoder._codes = bool(state.get("codes", False))
        if len(encoder.fill_) != len(encoder._layout.cell_names) or len(encoder.centre_) != len(encoder.fill_):
            raise DataError("the saved encoder does not fit its schema; the file was edited or is damaged.")
        return encoder

    @property
    def _layout(self) -> Layout:
        return Layout(
            self.schema_,
            self.max_levels,
            self.indicator,
            self.dates,
            self.drop == "first",
            int(self.words),
            self._codes,
        )

    def _check_parameters(self) -> None:
        if self.dates not in ("parts", "ordinal"):
            raise WrongUse(f"dates is {self.dates!r}; it must be 'parts' or 'ordinal'.")
        if self.drop not in (None, "first"):
            raise WrongUse(f"drop is {self.drop!r}; it must be None or 'first'.")
        if not (isinstance(self.max_levels, int | np.integer) and self.max_levels >= 1):
            raise WrongUse(f"max_levels is {self.max_levels!r}; it must be a whole number of at least 1.")
        if not (isinstance(self.words, int | np.integer) and self.words >= 0):
            raise WrongUse(f"words is {self.words!r}; it must be a number of columns, or 0 to leave texts out.")

    def _open(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool, strict: bool = True, **reading: Any
    ) -> TableSource:
        """Return a source of raw blocks, with the columns of the schema once there is one."""
        X = at_home(X) if is_elsewhere(X) else X
        columns = None if reset else self.schema_.names
        types = dict(self.types or {}) if reset else {c.name: c.kind for c in self.schema_}
        if isinstance(X, TableSource):
            if reset:
                return X
            return TableSource(X.batches, y=X.targets[0] if len(X.targets) == 1 else list(X.targets) or X.y,
                               sample_weight=X.weight_name or X.weight, groups=X.group_name or X.groups, fold=X.fold,
                               target_kind=X.target_kind, types=types, columns=columns)  # fmt: skip
        if is_table(X):
            frame = not isinstance(X, str) and not hasattr(X, "__fspath__") and not is_away(X) and hasattr(X, "shape")
            if frame and strict and not isinstance(y, str):
                validate_data(self, X, reset=reset, skip_check_array=True)
            batches = open_table(X, types=types, **reading)
            y = (
                y
                if isinstance(y, str) or (isinstance(y, list) and set(map(str, y)) <= set(batches.fields.names))
                else None
            )
            return TableSource(batches, y=y, sample_weight=sample_weight, types=types, columns=columns)
        if reset:
            X = validate_data(self, X, reset=True, dtype=None, ensure_all_finite="allow-nan")
        names = numbered_names(X.shape[1]) if columns is None else columns
        weight = check_weights(sample_weight, len(X))
        source = TableSource(FrameBatches(columns_of_array(X, names)), sample_weight=weight, types=types, columns=names)
        source.named = False  # the names are ours, not the user's
        return source

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _mean_of(moments: Any) -> np.ndarray:
    """Return the mean that moments hold, or the mean itself."""
    return np.asarray(moments if isinstance(moments, np.ndarray | list) else moments.mean, dtype=np.float64)


__all__ = ["Column", "Schema", "TableEncoder"]
