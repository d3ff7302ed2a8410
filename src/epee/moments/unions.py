r"""Training samples as unions of cells: sums of moments, many at a time.

:func:`unions` is :meth:`Moments.regroup` a few unions at a time. :func:`raw_unions` takes sums of squares about the overall mean,

.. math:: S_U = \sum_{c \in U} (S_c + n_c s_c s_c^\top) - n_U s_U s_U^\top, \qquad s = \bar x - \bar x_{all}, \tag{1}

so that all unions are one product of matrices. Cells that were dealt at random have means near the overall one: what (1) subtracts is
small, and no digits are lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from epee.arrays import at_home
from epee.engines.local import in_order
from epee.moments.moments import Moments, brought_here, share
from epee.typing import Matrix


def select(m: Moments, which: Any) -> Moments:
    """Return some entries of the fold axis, which is always the first."""
    return replace(
        m, count=m.count[which], shift=m.shift[which], scatter=None if m.scatter is None else m.scatter[which]
    )


def unions(m: Moments, learns: np.ndarray) -> Moments:
    """Return the moments of unions of cells, (T,) along the fold axis, a few unions at a time."""
    T, C = learns.shape
    size = C * int(np.prod(m.shift.shape[1:]))
    step = max(1, 8_000_000 // size)
    if step >= T:
        return m.regroup("fold", learns)
    return joined(list(in_order(lambda i: m.regroup("fold", learns[i : i + step]), range(0, T, step))))


def joined(parts: Sequence[Moments]) -> Moments:
    """Return moments about one origin behind each other along the fold axis."""
    count, shift = (np.concatenate([getattr(part, name) for part in parts]) for name in ("count", "shift"))
    scatter = None if parts[0].scatter is None else np.concatenate([part.scatter for part in parts])
    return replace(parts[0], count=count, shift=shift, scatter=scatter)


def flattened(m: Moments) -> Moments:
    """Return moments in which a column that varies by less than the rounding of its origin is constant.

    A level that a training sample lacks is such a column: all zeros there, but summed about the mean of all rows.
    """
    if m.scatter is None:
        return m
    eps, variances = np.finfo(float).eps, m.variances
    tiny = (16 * eps * m.origin) ** 2
    if "group" not in m.axes:  # (1) subtracts the squares of shifts; those of groups lie apart by right
        tiny = tiny + 64 * eps * at_home(m.shift) ** 2
    flat = (variances > 0) & (variances <= tiny)
    if not flat.any():
        return m
    m = brought_here(m)
    none = flat if m.kind == "diagonal" else flat[..., :, None] | flat[..., None, :]
    return replace(m, scatter=np.where(none, 0.0, m.scatter))  # type: ignore[arg-type]


def dealt_unions(m: Moments, fold: np.ndarray, K: int) -> Moments:
    """Return the moments of the folds (R K,) that each repeat makes of the cells by dealing them at random, ``fold`` (R, C).

    Sums of squares are taken about the overall mean, near which that of every random fold lies, so one product of matrices
    does it without losing digits.
    """
    R, C = fold.shape
    A = (fold[:, None, :] == np.arange(K)[None, :, None]).reshape(R * K, C).astype(float)
    return raw_unions(select(m, None), A, 1)


def raw_unions(m: Moments, A: Matrix, R: int) -> Moments:
    """Return unions ``A`` (P, K) of the K cells within each of R repeats, (R P,) along the fold axis, from sums about the overall mean."""
    P, K = A.shape
    lead = m.count.shape[2:] if m.count.shape[:2] == (R, K) else m.count.shape[1:]  # groups
    count = m.count.reshape(R, K, *lead)
    weight, q = count[..., None], m.n_columns
    shift = m.shift.reshape(R, K, *lead, q)
    first = weight[0].sum(axis=0)
    centre = share((weight[0] * shift[0]).sum(axis=0), np.broadcast_to(first, (*lead, q)))
    s = np.where(weight > 0, shift - centre, 0.0)  # (R, K, groups, q)

    def add(a: np.ndarray) -> np.ndarray:
        return np.matmul(A, a.reshape(R, K, -1)).reshape(R, P, *a.shape[2:])

    total = add(count)
    mean = share(add(weight * s), np.broadcast_to(total[..., None], (R, P, *lead, q)))
    scatter = None
    if m.scatter is not None:
        inner = m.scatter.shape[-1:] if m.kind == "diagonal" else m.scatter.shape[-2:]
        inner = (*(lead if m.kind != "pooled" else ()), *inner)
        S = m.scatter.reshape(R, K, *inner)
        scatter = add(S + products(count, s, m.kind))
        for r in range(R):  # some at a time stay in the cache
            scatter[r] -= products(total[r : r + 1], mean[r : r + 1], m.kind)[0]
        scatter = scatter.reshape(R * P, *inner)
    shift = np.where(total[..., None] > 0, mean + centre, 0.0).reshape(R * P, *lead, q)
    return replace(m, count=total.reshape(R * P, *lead), shift=shift, scatter=scatter)


def products(count: np.ndarray, s: np.ndarray, kind: str | None) -> np.ndarray:
    """Return n s s', added over groups when the scatter is pooled, squares alone when it is diagonal."""
    if kind == "diagonal":
        return count[..., None] * s**2
    if kind == "pooled" and s.ndim == 4:
        return np.matmul((count[..., None] * s).swapaxes(-1, -2), s)
    return (count[..., None] * s)[..., :, None] * s[..., None, :]


def known_classes(m: Moments, present: np.ndarray) -> Moments:
    """Return moments without the classes that have no rows."""
    scatter = m.scatter if m.scatter is None or m.kind == "pooled" else m.scatter[present]
    labels = None if m.labels is None else m.labels[present]
    return replace(m, count=m.count[present], shift=m.shift[present], scatter=scatter, labels=labels)
