"""What the sums that one estimator keeps tell of those of another that keeps less of the same rows: no second pass.

Full scatters by class hold the pooled one, the variances and the means; so the widest summation of a pass serves all of them.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from epee.moments.class_sums import ClassSummation
from epee.moments.moments import Moments, brought_here
from epee.moments.passes import Summation
from epee.table.arrays import ArraySource
from epee.typing import Matrix


def numbers_in(m: Moments) -> int:
    """Return how many numbers moments hold."""
    return int(np.prod(m.shift.shape)) + (0 if m.scatter is None else int(np.prod(m.scatter.shape)))


def widest(keep: Any) -> Any:
    """Return the summation from which all that keep less of the classes can be had: one pass for all of them."""
    plain = _plain(keep)
    return keep if plain is None or plain.groups is None or plain.scatter == "full" else replace(plain, scatter="full")


def _plain(keep: Any) -> Summation | None:
    """Return a summation of rows as they are, however it is computed; None for one of something else."""
    if type(keep) not in (Summation, ClassSummation):
        return None
    return Summation(keep.origin, keep.scatter, keep.folds, keep.groups, keep.targets, keep.labels)


def narrowed(m: Moments, keep: Any, known: Any) -> Moments | None:
    """Return from the moments that ``known`` summed those that ``keep`` would; None where they do not hold them."""
    if same_sums(known, keep):
        return m
    mine, theirs, m = _plain(keep), _plain(known), brought_here(m)
    if mine is None or theirs is None or theirs.scatter != "full" or m.scatter is None:
        return None
    if not same_sums(replace(theirs, scatter=mine.scatter), mine):
        return None
    if keep.scatter is None:
        return replace(m, scatter=None, kind=None)
    if keep.scatter == "diagonal":
        return replace(m, scatter=np.ascontiguousarray(np.diagonal(m.scatter, axis1=-2, axis2=-1)), kind="diagonal")
    if "group" not in m.axes:
        return None
    return replace(m, scatter=m.scatter.sum(axis=m.axes.index("group")), kind="pooled")


def same_sums(a: Any, b: Any) -> bool:
    """Tell whether two summations keep the same of a block."""
    return type(a) is type(b) and all(np.array_equal(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))


def plain_gather(source: ArraySource, keep: Any) -> Any:
    """Return a function from rows to their moments, for a large plain table with a full scatter; None for all others."""
    X, y = source.X, source.y
    if type(keep) is not Summation or keep.scatter != "full" or keep.groups is not None or source.weight is not None:
        return None
    if X.size < 2_000_000 or X.dtype != np.float64 or not X.flags.c_contiguous or (y is not None) != bool(keep.targets):
        return None
    from epee.kernels.gathered_rows import centred_rows

    Y: Matrix = np.zeros((len(X), 0)) if y is None else np.ascontiguousarray(y, dtype=np.float64).reshape(len(X), -1)
    q = X.shape[1] + Y.shape[1]

    def gather(rows: np.ndarray) -> Moments:
        B, mean = np.empty((len(rows), q)), np.empty(q)
        centred_rows(X, Y, rows, keep.origin, B, mean)
        with np.errstate(over="ignore", invalid="ignore"):
            return Moments(
                np.array(float(len(rows))), mean, B.T @ B, keep.origin, (), "full", keep.targets, keep.labels
            )

    return gather
