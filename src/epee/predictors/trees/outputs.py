"""Several answers from one tree: a table of targets, one output a column.

A leaf answers every output at once, and a node is as impure as its outputs are on average. Each output of classes has its own
``classes_``; predictions are tables (n, outputs), probabilities a list of tables.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.typing import Codes, Matrix, Tensor


def several_outputs(codes: Codes | None, values: Matrix | None, sizes: Any) -> Any:
    """Return what the kernels are told of outputs with so many classes each (one number each without classes)."""
    from epee.kernels.trees_several import Several

    starts = np.concatenate([[0], np.cumsum(np.asarray(sizes, dtype=np.int64))])
    none = len(starts) - 1
    return Several(
        np.zeros((0, none)) if values is None else np.ascontiguousarray(values, dtype=np.float64),
        np.zeros((0, none), dtype=np.int64) if codes is None else np.ascontiguousarray(codes),
        starts,
    )


def rounded_level(y: Any, w: Any) -> Any:
    """Return a number near the mean of each target that is subtracted without rounding: the mean, to a power of two near the spread.

    Subtracting it saves digits; that whole numbers stay whole, and halves halves, lets leaves of equal values say just that.

    >>> float(rounded_level(np.array([1.0, 2.0, 3.0, 4.0]), None))
    2.0
    """
    mean = np.average(y, axis=0, weights=w)
    spread = np.sqrt(np.average((y - mean) ** 2, axis=0, weights=w))
    with np.errstate(divide="ignore"):
        unit = np.exp2(np.floor(np.log2(np.where(spread > 0, spread, 1.0))))
    return np.where(spread > 0, np.round(mean / unit) * unit, y[0])


def by_output(value: Matrix, starts: Codes) -> Tensor:
    """Return the statistics of nodes (nodes, all) as (nodes, outputs, classes), zeros where an output has fewer classes."""
    sizes = np.diff(starts)
    out = np.zeros((len(value), len(sizes), int(sizes.max())))
    for o, (a, b) in enumerate(pairwise(starts)):
        out[:, o, : b - a] = value[:, a:b]
    return out


def refuse_with_several(model: Any, columns: Any) -> None:
    """Refuse what makes no sense for several outputs, or is not known for them."""
    if model.monotonic_cst is not None and np.any(
        list(model.monotonic_cst.values()) if isinstance(model.monotonic_cst, dict) else model.monotonic_cst
    ):
        raise WrongUse("Monotonicity constraints are not supported with multiple outputs")
    for name, usual in (("pruning", None), ("prune_on", "impurity"), ("costs", None)):
        if getattr(model, name, usual) is not usual and getattr(model, name) != usual:
            raise WrongUse(f"{name}={getattr(model, name)!r} takes one output; y has several columns.")
    if np.any(columns):
        raise DataError(
            "categories are split by sets for one output only; y has several columns. Encode the categories."
        )


def decided(shares: Tensor) -> Codes:
    """Return the commonest class (nodes, outputs) of each output."""
    return np.argmax(shares, axis=2)
