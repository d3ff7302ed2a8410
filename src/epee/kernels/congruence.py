"""Scatters of columns that are sums of a few others: A S A', where A has few entries and they lie in the same places for every sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.kernels.compiling import FEW_CELLS, kernel

BEARABLE = 2_000_000  # numbers in a stack, which take a tenth of a second


def congruence_twin(S: Any, starts: Any, column: Any, weight: Any, out: Any) -> None:
    """Write what :func:`congruence` writes, in NumPy, to the last bit."""
    half = _summed(S, starts, column, weight).swapaxes(1, 2)
    both = _summed(half, starts, column, weight).swapaxes(1, 2)
    lower = np.tri(both.shape[1], dtype=bool)
    out[:] = np.where(lower, both, both.swapaxes(1, 2))


def _summed(S: Any, starts: Any, column: Any, weight: Any) -> Any:
    """Return A S for stacks of either, entry after entry."""
    first, many = starts[:-1], np.diff(starts)
    B = S[:, column[first]] * weight[:, first, None]
    for k in range(1, int(many.max(initial=1))):
        more = np.flatnonzero(many > k)
        at = first[more] + k
        B[:, more] += S[:, column[at]] * weight[:, at, None]
    return B


def few_cells(S: Any, *others: Any) -> bool:
    """Tell whether NumPy maps a stack sooner than numba is met."""
    return bool(S.size <= FEW_CELLS)


def bearable(S: Any, *others: Any) -> bool:
    """Tell whether a stack is small enough to wait for NumPy while the loop is compiled."""
    return bool(S.size <= BEARABLE)


@kernel(twin=congruence_twin, small=few_cells, meanwhile=bearable, brief=bearable)
def congruence(S, starts, column, weight, out):
    """Write A S A' (T, e, e) of symmetric S (T, p, p): entries ``starts[i]`` to ``starts[i + 1]`` of row i of A, one at least, lie in
    ``column`` and weigh ``weight`` (T, entries).
    """
    e, p = starts.size - 1, S.shape[1]
    row = np.empty(p)
    for t in range(S.shape[0]):
        for i in range(e):
            a = starts[i]
            w, c = weight[t, a], column[a]
            for k in range(p):
                row[k] = S[t, c, k] * w
            for a in range(starts[i] + 1, starts[i + 1]):
                w, c = weight[t, a], column[a]
                for k in range(p):
                    row[k] += S[t, c, k] * w
            for j in range(i + 1):
                b = starts[j]
                total = row[column[b]] * weight[t, b]
                for b in range(starts[j] + 1, starts[j + 1]):
                    total += row[column[b]] * weight[t, b]
                out[t, i, j] = total
                out[t, j, i] = total
