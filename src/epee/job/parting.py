r"""The sealed split of the main job, for everyone.

A predictor is learned on one part of the rows and tested on the other, which share no row:
:math:`D_{app} \cap D_{gen} = \emptyset`. Classes keep their shares in both, groups stay whole, and with times the last rows are
tested. The test rows are sealed: each look at them through :meth:`Parts.test_error` is counted, and the :math:`k`-th has an interval
of level :math:`1 - (1 - \text{level})/k`, since whoever chooses by a test sample has begun to learn from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from epee.errors import DataError, WrongUse
from epee.estimator.base import encode_labels, say
from epee.job.cells import in_gap
from epee.job.copying import copies_in
from epee.job.sealing import check_seed, seal
from epee.job.understanding import FEW_INTEGERS
from epee.risk.copies import copies_of
from epee.risk.estimate import Risk
from epee.risk.holdout import holdout_error
from epee.risk.splitting import check_gap, places_in_time
from epee.table.block import refuse_bad_cells
from epee.table.doors import is_stream
from epee.table.frames import is_frame, taken_apart
from epee.table.source import TableSource, as_source
from epee.table.sparse import is_sparse
from epee.table.taking import take_rows
from epee.typing import Codes


@dataclass(eq=False)
class Parts:
    """Learning and test rows; unpacks as ``X_train, X_test, y_train, y_test``.

    Parameters
    ----------
    X, y : array, frame or list
        Learning rows and their targets.
    X_test, y_test : array, frame or list
        Sealed ones.
    sealed : array (n,) of bool
        Which rows of the table are sealed.
    how : str
        By what they were chosen.
    uses : int
        How often :meth:`test_error` was asked.
    """

    X: Any
    X_test: Any
    y: Any
    y_test: Any
    sealed: np.ndarray
    how: str
    uses: int = 0

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.X_test, self.y, self.y_test))

    def test_error(self, model: Any, *, loss: Any = None, level: float = 0.95) -> Risk:
        """Return the error of a fitted model on the sealed rows; each look is counted, and widens the interval of the next.

        Parameters
        ----------
        model : fitted estimator
        loss : name, costs or Loss, default=None
        level : float in (0, 1)
            What all looks so far hold together.
        """
        risk = holdout_error(model, self.X_test, self.y_test, loss=loss, level=1 - (1 - level) / (self.uses + 1))
        self.uses += 1
        return risk


def split(
    X: Any, y: Any, *, test_size: float = 0.2, groups: Any = None, time: Any = None, random_state: int = 0, gap: int = 0
) -> Parts:  # fmt: skip
    """Part rows into a learning and a test sample, as :func:`learn` does: sealed, with the shares of the classes kept.

    Parameters
    ----------
    X : array, sparse matrix or frame with n rows
    y : array (n,) or (n, m), or the name of a column of the frame
        Texts, booleans and few whole numbers are classes; of other numbers the rows are dealt by chance.
    test_size : float in [0, 1), default=0.2
        Share of the test rows; more makes the test surer and the predictor poorer.
    groups : array (n,), or the name of a column of the frame, optional
        Rows of one group are never parted. Without it, rows that are copies stay together where chance does not explain them.
    time : array (n,), True, or the name of a column of the frame, optional
        The last rows are tested; True is the order of the rows.
    random_state : int, default=0
        Seed of the deal; the same table and seed give the same rows, in whatever form the table comes.
    gap : int, default=0
        With ``time``, moments between the last that is learned from and the first that is tested: their rows are in neither part.

    Examples
    --------
    >>> X, y = np.arange(20.0).reshape(10, 2), list("aaaaabbbbb")
    >>> parts = split(X, y, test_size=0.4)
    >>> sorted(parts.y_test), len(parts.X)
    (['a', 'a', 'b', 'b'], 6)
    """
    if is_stream(X):
        raise WrongUse(
            "split parts rows in memory; a file is parted by learn(path, target), which keeps its rows sealed."
        )
    check_seed(random_state)
    if isinstance(y, str):
        X, y = _column(X, y)
    X, groups, time = taken_apart(X, groups, time)
    n = int(X.shape[0]) if hasattr(X, "shape") else len(X)
    if n != len(y):
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {n} rows and y has {len(y)}."
        )
    if n < 2:
        raise DataError(f"there are {n} rows (n_samples = {n}): at least two are needed, to learn from and to test.")
    beside = {"groups": groups, "time": None if time is True else time}
    for name, values in beside.items():
        if values is not None and len(values) != n:
            raise DataError(f"{name} has {len(values)} values for {n} rows.")
    check_gap(gap, time)
    if groups is not None and time is not None:
        say("the test rows are the last ones: a group may lie on both sides. Give groups or time, not both.")
    moments = None if time is None else places_in_time(time, n)
    if moments is not None and moments.dtype.kind in "fc":
        refuse_bad_cells(moments.astype(float), what="time")
    codes = _classes(y, n)
    copies = _copies(X, y, codes, n) if groups is None and time is None else None
    first: Any = slice(None) if copies is None else np.unique(copies, return_index=True)[1]
    sealed, how = seal(
        n if copies is None else len(first), test_size, int(random_state), codes=None if codes is None else codes[first],
        groups=None if groups is None else np.asarray(groups), time=moments,
    )  # fmt: skip
    sealed = sealed if copies is None else sealed[copies]
    apart, rest = np.flatnonzero(sealed), np.flatnonzero(~sealed & ~in_gap(moments, sealed, int(gap)))
    return Parts(_take(X, rest), _take(X, apart), _take(y, rest), _take(y, apart), sealed, how)


def _classes(y: Any, n: int) -> Codes | None:
    """Return the code of each row's class, None where the target is a number."""
    values = np.asarray(y)
    if values.ndim != 1:
        return None
    if values.dtype.kind not in "biuf":
        return encode_labels(y, n)[1]
    if values.dtype.kind == "f":
        refuse_bad_cells(values, what="y")
        if not (values == np.floor(values)).all():
            return None
    found, codes = np.unique(values, return_inverse=True)
    return None if len(found) > FEW_INTEGERS or len(found) * 5 > n else codes.reshape(-1)


def _copies(X: Any, y: Any, codes: Codes | None, n: int) -> Codes | None:
    """Return a number for each row, equal for copies that stay on one side, as :func:`learn` sees them; None where there are none."""
    if not is_frame(X):
        return copies_of(X, y, n)
    target = np.asarray(y) if codes is None else codes
    if target.dtype.kind not in "fiub":
        return None
    source = cast(TableSource, as_source(X))
    return copies_in(source, source.names, {}, target.astype(np.float64).reshape(n, -1), codes, np.arange(n))


def _column(X: Any, name: str) -> tuple[Any, Any]:
    """Return a frame without a column, and the column."""
    names = list(X.column_names) if hasattr(X, "column_names") else list(getattr(X, "columns", ()))
    if name not in names:
        raise WrongUse(f"there is no column {name!r} in the table; y is an array, or the name of a column of a frame.")
    if hasattr(X, "iloc"):
        return X.drop(columns=[name]), X[name]
    if hasattr(X, "drop_columns"):  # Arrow
        return X.drop_columns([name]), X.column(name).to_numpy(zero_copy_only=False)
    return X.drop(name), X[name]


def _take(values: Any, rows: np.ndarray) -> Any:
    """Return some rows of an array, a sparse matrix, a frame or a list, as what it is."""
    if hasattr(values, "column_names"):  # Arrow
        return values.take(rows)
    return take_rows(values.tocsr() if is_sparse(values) else values, rows)
