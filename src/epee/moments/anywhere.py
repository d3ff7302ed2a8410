r"""The moments of a block, written against the namespace of its arrays: the road of rows that lie elsewhere.

A device multiplies matrices far faster than it does anything else, so everything is a product. With :math:`E` (n, C) the indicators of
the cells (fold and group),

.. math:: s = E^\top W B, \qquad D = B - E\,(s / n), \qquad S_c = D_c^\top W_c D_c, \tag{1}

are the sums, the rows about the mean of their cell, and the scatters. Rows are sorted only where there are several scatters, for
then the rows of each lie together. A scatter is symmetric, so of a wide one only the blocks on and above the diagonal are multiplied.

There are no atomic sums: the same rows in blocks of the same size give the same bits. Rows of 32 bits are multiplied in 32 bits, and
what rounding left of the mean is taken out of the scatter; sums of blocks are of 64 bits in any case.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.arrays import as_type, at_home, indicators, less_own_line, like, namespace, numbers_like, sum_of_rows, taken
from epee.moments.moments import Moments

if TYPE_CHECKING:
    from epee.moments.passes import Summation
    from epee.table.block import Block

WIDE, STRIPS = (
    1000,
    4,
)  # columns from which on a symmetric product is made of blocks, and how many there are along a side


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
    parts = [X]
    if keep.targets and block.y is not None:
        parts.append(xp.reshape(as_type(like(block.y, X), X.dtype), (X.shape[0], -1)))
    w = None if block.weight is None else as_type(like(block.weight, X), X.dtype)
    origin, cell = like(keep.origin, X, X.dtype), keep.cell_of(block)
    if cell is None:
        found = _of_all(xp, _beside(xp, parts) - origin, w, keep)
    else:
        found = _of_cells(xp, parts, w, like(cell, X), origin, keep)
    return replace(found, labels=keep.labels)


def _beside(xp: Any, parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else xp.concat(parts, axis=1)


def _of_all(xp: Any, B: Any, w: Any, keep: Summation) -> Moments:
    """Return the moments of all rows together; ``B`` is ours to change."""
    count = _full(xp, B, float(B.shape[0])) if w is None else xp.sum(_double(xp, w))
    least = float(max(B.shape[0], 1)) if w is None else xp.where(count > 0, count, 1.0)
    mean = as_type(_double(xp, _total(B, w)) / least, B.dtype)
    shift, scatter, rest = _double(xp, mean), None, None
    if B.dtype != xp.float64 or keep.scatter is not None:
        B -= mean
    if B.dtype != xp.float64:
        rest = _double(xp, _total(B, w)) / least
        shift = shift + rest
    if keep.scatter is not None:
        weighted = B if w is None else B * w[:, None]
        diagonal = keep.scatter == "diagonal"
        scatter = _double(xp, sum_of_rows(weighted * B) if diagonal else symmetric_product(weighted, B))
        if rest is not None:
            scatter = scatter - count * (rest * rest if diagonal else rest[:, None] * rest[None, :])
    return Moments(count, shift, scatter, keep.origin, (), keep.scatter, keep.targets)


def _of_cells(xp: Any, parts: list[Any], w: Any, cell: Any, origin: Any, keep: Summation) -> Moments:
    """Return the moments of each cell, equation (1)."""
    folds, groups = keep.folds, keep.groups
    C = (folds or 1) * (groups or 1)
    lead = tuple(size for size in (folds, groups) if size is not None)
    axes = tuple(axis for axis, size in (("fold", folds), ("group", groups)) if size is not None)
    matrices = keep.scatter in ("full", "pooled")
    strip = (
        groups if keep.scatter == "pooled" and groups is not None else 1
    )  # cells of one scatter, whatever the groups
    B = _beside(xp, parts) - origin
    q, exact = B.shape[1], B.dtype == xp.float64
    E = indicators(cell, C, B.dtype)  # (n, C)
    count = _double(xp, _total(E, w))
    least = xp.where(count > 0, count, 1.0)[:, None]
    mean = as_type(_double(xp, E.T @ (B if w is None else B * w[:, None])) / least, B.dtype)  # (C, q)
    shift, rest = _double(xp, mean), None
    alone = exact and matrices and strip == 1  # each scatter has one mean
    if not alone and (keep.scatter is not None or not exact):
        B = less_own_line(B, mean, cell, E)
    if not exact:
        rest = _double(xp, E.T @ (B if w is None else B * w[:, None])) / least
        shift = shift + rest
    made = Moments(
        xp.reshape(count, lead), xp.reshape(shift, (*lead, q)), None, keep.origin, axes, keep.scatter, keep.targets
    )
    if keep.scatter is None:
        return made
    if keep.scatter == "diagonal":
        squares = _double(xp, E.T @ (B * B if w is None else B * B * w[:, None]))
        squares = squares if rest is None else squares - count[:, None] * rest * rest
        return replace(made, scatter=xp.reshape(squares, (*lead, q)))
    S, ends = [], [0, int(cell.shape[0])]
    if strip < C:
        B, w, ends = _by_strips(xp, B, w, cell, strip, count)
    for k, (i, j) in enumerate(pairwise(ends)):
        D = B[i:j, ...] - mean[k, ...] if alone else B[i:j, ...]
        s = _double(xp, symmetric_product(D if w is None else D * w[i:j, None], D))
        if rest is not None:
            own = slice(k * strip, (k + 1) * strip)
            s = s - (count[own, None] * rest[own, :]).T @ rest[own, :]
        S.append(s)
    within = lead if strip == 1 else lead[:-1]
    return replace(made, scatter=xp.reshape(S[0] if len(S) == 1 else xp.stack(S), (*within, q, q)))


def _by_strips(xp: Any, B: Any, w: Any, cell: Any, strip: int, count: Any) -> tuple[Any, Any, list[int]]:
    """Return rows and weights with those of each scatter together, and where these begin and end; ``count`` (C,) are sums of weights."""
    n, C = int(count.shape[0]) // strip, int(count.shape[0])
    which = as_type(cell if strip == 1 else cell // strip, xp.int16 if C < 2**15 else cell.dtype)  # sorted sooner
    order = xp.argsort(which, stable=True)
    B = taken(B, order)
    if w is None:
        last = np.cumsum(np.rint(at_home(count)).astype(np.int64).reshape(n, strip).sum(axis=1))
    else:
        w = taken(w, order)
        last = at_home(xp.searchsorted(taken(which, order), numbers_like(n, which, which.dtype), side="right"))
    return B, w, [0, *last.tolist()]


def symmetric_product(A: Any, D: Any) -> Any:
    """Return A'D (q, q), of which it is known that it is symmetric: of a wide one the half above the diagonal is multiplied.

    >>> import numpy as np
    >>> D = np.arange(12.0).reshape(4, 3)
    >>> bool((symmetric_product(D, D) == D.T @ D).all())
    True
    """
    xp, q = namespace(D), D.shape[1]
    if q < WIDE:
        return A.T @ D
    cuts = [q * k // STRIPS for k in range(STRIPS + 1)]
    above: list[tuple[int, Any]] = []
    lines = []
    for a, b in pairwise(cuts):
        known = [part[:, a - c : b - c].T for c, part in above]
        above.append((a, A[:, a:b].T @ D[:, a:]))
        lines.append(xp.concat([*known, above[-1][1]], axis=1))
    return xp.concat(lines, axis=0)


def _total(B: Any, w: Any) -> Any:
    """Return the weighted sum of rows."""
    return sum_of_rows(B) if w is None else w @ B


def _double(xp: Any, a: Any) -> Any:
    return a if a.dtype == xp.float64 else xp.astype(a, xp.float64)


def _full(xp: Any, there: Any, value: float) -> Any:
    """Return a number as an array without axes, where another one lies."""
    return like(value, there, xp.float64)
