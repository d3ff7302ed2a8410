"""The kinds of the columns of a table, as laws of naive Bayes, and the codes of their categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.stateful import Part
from epee.table.block import column_name
from epee.table.sparse import is_sparse
from epee.typing import Codes, Matrix

KINDS = {"gaussian": "gaussian", "number": "gaussian", "bernoulli": "bernoulli", "boolean": "bernoulli", "categorical": "categorical",
         "category": "categorical", "poisson": "poisson", "count": "poisson"}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Columns(Part):
    """One kind for each column.

    >>> Columns.of({1: "category"}, ["gaussian", "gaussian"], None).kinds
    ('gaussian', 'categorical')
    """

    kinds: tuple[str, ...]

    @classmethod
    def of(cls, given: Any, found: Sequence[str], names: Sequence[str] | None) -> Columns:
        """Return the kinds that the user gave, and those that were found where nothing was said."""
        p = len(found)
        if isinstance(given, str):
            wanted = list(found) if given == "auto" else [given] * p
        elif isinstance(given, Mapping):
            wanted = list(found)
            for column, kind in given.items():
                if not isinstance(column, str) and 0 <= int(column) < p:
                    wanted[int(column)] = kind
                elif names is not None and column in list(names):
                    wanted[list(names).index(column)] = kind
                else:
                    raise WrongUse(
                        f"kinds names the column {column!r}, and there is none; there are {list(names or range(p))[:8]}."
                    )
        else:
            wanted = list(given)
            if len(wanted) != p:
                raise WrongUse(f"kinds has {len(wanted)} entries and there are {p} columns.")
        for j, kind in enumerate(wanted):
            if kind not in KINDS:
                raise WrongUse(f"{column_name(names, j)}: there is no kind {kind!r}; the kinds are {', '.join(KINDS)}.")
        return cls(tuple(KINDS[kind] for kind in wanted))

    def is_kind(self, kind: str) -> np.ndarray:
        """Return which columns are of a kind (p,)."""
        return np.array([k == kind for k in self.kinds], dtype=bool)

    @property
    def categorical(self) -> Codes:
        """The places of the categorical columns."""
        return np.flatnonzero(self.is_kind("categorical")).astype(np.int64)

    def checked(self, codes: bool = True) -> tuple[Codes, Codes]:
        """Return the columns whose cells are not free, with or without those of codes, and the number of their kind (p',)."""
        numbers = np.array(
            [("gaussian", "bernoulli", "poisson", "categorical").index(kind) for kind in self.kinds], dtype=np.int64
        )
        columns = np.flatnonzero((numbers > 0) & (codes | (numbers < 3))).astype(np.int64)
        return columns, numbers[columns]

    def check(self, X: Matrix, names: Sequence[str] | None, start: int = 0, codes: bool = True) -> None:
        """Refuse cells that their kind does not allow."""
        from epee.kernels.class_sums import any_bad_cell, first_bad_cell

        X = np.ascontiguousarray(X)
        columns, numbers = self.checked(codes)
        if not codes and not any_bad_cell(X, columns[numbers == 1], columns[numbers == 2]):
            return
        row, j = first_bad_cell(X, columns, numbers)
        if row >= 0:
            what = {
                "bernoulli": "is neither 0 nor 1",
                "poisson": "is negative, and a count cannot be",
                "categorical": "is no code of a category (0, 1, 2, ...)",
            }[self.kinds[j]]
            raise DataError(
                f"{column_name(names, j)}: {X[row, j]:g} in row {start + row} {what}. Recode it, or give the column another kind."
            )

    @staticmethod
    def is_frame(X: Any) -> bool:
        """Tell whether X is a data frame of pandas, polars or Arrow."""
        return (
            hasattr(X, "columns")
            and not is_sparse(X)
            and type(X).__module__.partition(".")[0] in ("pandas", "polars", "pyarrow")
        )

    @staticmethod
    def open_frame(X: Any) -> Any:
        """Return a frame behind narwhals' one face."""
        import narwhals as nw

        return nw.from_native(X, eager_only=True)

    @staticmethod
    def kinds_of_frame(frame: Any) -> list[str]:
        """Return the kind that the type of each column suggests."""
        return [_kind_of_type(column.dtype, column.name) for column in map(frame.get_column, frame.columns)]

    @staticmethod
    def kinds_of_schema(schema: Any) -> list[str]:
        """Return the kind of each column of a table that was read."""
        for column in schema:
            if column.kind in ("date", "text"):
                raise DataError(
                    f"column {column.name!r} holds {column.kind}, which naive Bayes has no law for: turn it into numbers "
                    "or a few categories, or leave it out."
                )
        return [column.kind for column in schema]

    @staticmethod
    def learn_levels(schema: Any, categories: dict[int, list[Any]]) -> None:
        """Add the levels of the columns of texts to those that are known, in order."""
        for j, column in enumerate(schema):
            if column.levels is not None:
                known = categories.setdefault(j, [])
                known.extend(level for level in column.levels if level not in set(known))

    @staticmethod
    def matrix(raw: Any, levels: Mapping[int, list[Any]]) -> Matrix:
        """Return the rows of a table with texts as codes, ``len(levels)`` for one that is unknown, NaN for a missing cell."""
        X = np.empty((len(raw), len(raw.columns)))
        for j, column in enumerate(raw.columns.values()):
            if isinstance(column, np.ndarray):
                X[:, j] = column
                continue
            import pyarrow as pa
            import pyarrow.compute as pc

            known = levels.get(j, [])
            codes = pc.fill_null(pc.index_in(column, value_set=pa.array(known, pa.string())), len(known))
            X[:, j] = np.where(np.asarray(column.is_null()), np.nan, np.asarray(codes, dtype=np.float64))
        return X

    def encode(self, frame: Any, categories: dict[int, list[Any]], *, grows: bool) -> Matrix:
        """Return the frame as numbers with NaN for what is missing; new categories are learned when it ``grows``, unknown else."""
        X = np.empty(frame.shape)
        for j, column in enumerate(map(frame.get_column, frame.columns)):
            numeric = column.dtype.is_numeric()
            if self.kinds[j] == "categorical" and not (numeric and j not in categories):
                X[:, j] = _codes(column, categories.setdefault(j, []), grows)
                continue
            try:
                X[:, j] = _numbers(column)
            except (TypeError, ValueError) as error:
                raise DataError(
                    f"column {column.name!r} holds {column.dtype}, which is no number: give it the kind 'categorical'."
                ) from error
        return X


def _kind_of_type(dtype: Any, name: str) -> str:
    import narwhals as nw

    if dtype.is_numeric():
        return "gaussian"
    if dtype == nw.Boolean:
        return "bernoulli"
    if dtype in (nw.String, nw.Categorical, nw.Object) or isinstance(dtype, nw.Enum):
        return "categorical"
    raise DataError(
        f"column {name!r} holds {dtype}, which naive Bayes has no law for: turn it into numbers or texts, or drop it."
    )


def _numbers(column: Any) -> np.ndarray:
    import narwhals as nw

    return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _codes(column: Any, levels: list[Any], grows: bool) -> np.ndarray:
    """Return the code of each cell, NaN for a missing one, ``len(levels)`` for one that is unknown."""
    cells = np.asarray(column.to_numpy(), dtype=object)
    missing = np.array([c is None or c != c for c in cells], dtype=bool)
    seen, where = np.unique(cells[~missing].astype(str), return_inverse=True)
    if grows:
        levels.extend(level for level in seen.tolist() if level not in set(levels))
    place = {level: float(i) for i, level in enumerate(levels)}
    codes = np.full(len(cells), np.nan)
    codes[~missing] = (
        np.array([place.get(level, float(len(levels))) for level in seen.tolist()])[where] if len(seen) else 0.0
    )
    return codes
