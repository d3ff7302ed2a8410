r"""The moments of a block, written against the namespace of its arrays: the road of rows that lie elsewhere.

A device multiplies matrices far faster than it does anything else, so everything is a product. The rows are sorted by cell
(fold and group); with :math:`E` (n, C) the indicators of the cells,

.. math:: s = E^\top W B, \qquad D = B - E\,(s / n), \qquad S_c = D_c^\top W_c D_c, \tag{1}

are the sums, the rows about the mean of their cell, and the scatters. There are no atomic sums: the same rows in blocks of the same
size give the same bits. Rows of 32 bits are multiplied in 32 bits, and what rounding left of the mean is taken out of the scatter;
sums of blocks are of 64 bits in any case.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.arrays import at_home, like, namespace, numbers_like
from epee.moments.moments import Moments, share

if TYPE_CHECKING:
    from epee.moments.passes import Summation
    from epee.table.block import Block


def moments_anywhere(block: Block, keep: Summation) -> Moments:
    """Return the moments of a block whose arrays are of any library, as arrays of that library.

    >>> import numpy as np
    >>> from epee.moments.passes import Summation
    >>> from epee.table.block import Block
    >>> moments_anywhere(Block(np.array([[0.0], [2.0], [7.0]])), Summation(np.zeros(1))).covariance().round(6)
    array([[8.666667]])
    """
    X: Any = block.X
    xp = namespace(X)
    B = X
    if keep.targets and block.y is not None:
        y = xp.astype(like(block.y, X), X.dtype)
        B = xp.concat([X, xp.reshape(y, (X.shape[0], -1))], axis=1)
    B = B - like(keep.origin, X, X.dtype)
    w = None if block.weight is None else xp.astype(like(block.weight, X), X.dtype)
    cell = keep.cell_of(block)
    found = _of_all(xp, B, w, keep) if cell is None else _of_cells(xp, B, w, like(cell, X), keep)
    return replace(found, labels=keep.labels)


def _of_all(xp: Any, B: Any, w: Any, keep: Summation) -> Moments:
    """Return the moments of all rows together."""
    count = _full(xp, B, float(B.shape[0])) if w is None else xp.sum(_double(xp, w))
    least = xp.where(count > 0, count, xp.ones_like(count))
    mean = xp.astype(_double(xp, _total(xp, B, w)) / least, B.dtype)
    B = B - mean
    rest = _double(xp, _total(xp, B, w)) / least  # what rounding left: nothing to speak of in 64 bits
    scatter = None
    if keep.scatter is not None:
        weighted = B if w is None else B * w[:, None]
        if keep.scatter == "diagonal":
            scatter = _double(xp, xp.sum(weighted * B, axis=0)) - count * rest * rest
        else:
            scatter = _double(xp, weighted.T @ B) - count * rest[:, None] * rest[None, :]
    return Moments(count, _double(xp, mean) + rest, scatter, keep.origin, (), keep.scatter, keep.targets)


def _of_cells(xp: Any, B: Any, w: Any, cell: Any, keep: Summation) -> Moments:
    """Return the moments of each cell, equation (1)."""
    q = B.shape[1]
    folds, groups = keep.folds, keep.groups
    C = (folds or 1) * (groups or 1)
    lead = tuple(size for size in (folds, groups) if size is not None)
    axes = tuple(axis for axis, size in (("fold", folds), ("group", groups)) if size is not None)
    order = xp.argsort(cell, stable=True)
    cell, B = xp.take(cell, order), xp.take(B, order, axis=0)
    w = None if w is None else xp.take(w, order)
    places = numbers_like(C, cell, cell.dtype)
    E = xp.astype(cell[:, None] == places[None, :], B.dtype)  # (n, C)
    count = _double(xp, _total(xp, E, w))
    least = xp.where(count > 0, count, xp.ones_like(count))[:, None]
    weighted = B if w is None else B * w[:, None]
    mean = xp.astype(_double(xp, E.T @ weighted) / least, B.dtype)  # (C, q)
    D = B - xp.take(mean, cell, axis=0)
    weighted = D if w is None else D * w[:, None]
    rest = _double(xp, E.T @ weighted) / least
    shift = _double(xp, mean) + rest
    made = Moments(
        xp.reshape(count, lead), xp.reshape(shift, (*lead, q)), None, keep.origin, axes, keep.scatter, keep.targets
    )
    if keep.scatter is None:
        return made
    if keep.scatter == "diagonal":
        squares = _double(xp, E.T @ (weighted * D)) - count[:, None] * rest * rest
        return replace(made, scatter=xp.reshape(squares, (*lead, q)))
    strip = groups if keep.scatter == "pooled" and groups is not None else 1  # one product a fold, whatever the groups
    ends = [0, *at_home(xp.searchsorted(cell, places, side="right")).tolist()]
    S = [
        _double(xp, weighted[i:j, ...].T @ D[i:j, ...])
        for i, j in zip(ends[:-1:strip], ends[strip::strip], strict=True)
    ]
    if B.dtype != xp.float64:
        rest, count = (xp.reshape(a, (-1, strip, *a.shape[1:])) for a in (rest, count))
        S = [s - (count[k, :, None] * rest[k, ...]).T @ rest[k, ...] for k, s in enumerate(S)]
    within = lead if strip == 1 else lead[:-1]
    return replace(made, scatter=xp.reshape(xp.stack(S), (*within, q, q)))


def unions_anywhere(m: Moments, members: np.ndarray) -> Moments:
    """Return the moments of unions of folds, ``members`` (M, F), as :meth:`Moments.regroup` does, in a few products.

    For moments whose one axis is that of the folds.
    """
    xp, F = namespace(m.count), m.count.shape[0]
    A = like(members, m.shift)
    count = A @ m.count  # (M,)
    mean = share(A @ (m.count[:, None] * m.shift), xp.broadcast_to(count[:, None], (A.shape[0], m.n_columns)))
    back = replace(m, count=count, shift=mean)
    if m.scatter is None:
        return back
    within = xp.reshape(A @ xp.reshape(m.scatter, (F, -1)), (A.shape[0], *m.scatter.shape[1:]))
    d = m.shift[None, :, :] - mean[:, None, :]  # (M, F, p)
    weighted = (A * m.count[None, :])[:, :, None] * d
    between = xp.sum(weighted * d, axis=1) if m.kind == "diagonal" else xp.matrix_transpose(weighted) @ d
    return replace(back, scatter=within + between)


def _total(xp: Any, B: Any, w: Any) -> Any:
    """Return the weighted sum of rows."""
    return xp.sum(B, axis=0) if w is None else w @ B


def _double(xp: Any, a: Any) -> Any:
    return a if a.dtype == xp.float64 else xp.astype(a, xp.float64)


def _full(xp: Any, there: Any, value: float) -> Any:
    """Return a number as an array without axes, where another one lies."""
    return like(value, there, xp.float64)
