r"""Products of the columns of sparse rows, from their non-zeros alone.

A product of columns :math:`j_1 \le \dots \le j_d` is not 0 only where all of them are not, so a row with :math:`k` non-zeros has
:math:`\binom{k + d - 1}{d}` products of degree :math:`d`. Among all of that degree, in the order of their columns, it stands at place

.. math:: \sum_{i=1}^{d} \bigl[ M_{d-i+1}(j_{i-1}) - M_{d-i+1}(j_i) \bigr], \qquad M_k(v) = \binom{p - v + k - 1}{k}, \quad j_0 = 0, \tag{1}

where :math:`M_k(v)` counts the products of :math:`k` columns from :math:`v` on; without repetition it is :math:`\binom{p - v}{k}`, and
each next column begins one further.
"""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from math import comb, factorial
from typing import Any

import numpy as np

from epee.typing import Codes


def places(columns: Codes, p: int, repeated: bool) -> Codes:
    """Return (1) for the products whose columns are the last axis of ``columns``, in increasing order.

    >>> places(np.array([[0, 0], [0, 2], [1, 1], [2, 2]]), 3, True)
    array([0, 2, 3, 5])
    """
    d = columns.shape[-1]
    kind: Any = np.int64 if float(p + d) ** d / factorial(d - 1) < 2.0**62 else object  # whole numbers of any size
    total = np.zeros(columns.shape[:-1], dtype=kind)
    columns = columns.astype(kind)
    for i in range(d):
        before = np.zeros_like(total) if i == 0 else columns[..., i - 1] + (0 if repeated else 1)
        k, more = d - i, d - i - 1 if repeated else 0
        total = total + binomial(p - before + more, k) - binomial(p - columns[..., i] + more, k)
    return total.astype(np.int64)


def binomial(n: np.ndarray, k: int) -> np.ndarray:
    """Return n over k for whole numbers n >= -1; every step is itself such a number, so no division leaves a rest.

    >>> binomial(np.array([1, 2, 5]), 2)
    array([ 0,  1, 10])
    """
    out = np.ones_like(n)
    for i in range(1, k + 1):
        out = out * (n - k + i) // i
    return out


def sparse_products(X: Any, degrees: tuple[int, int], bias: bool, repeated: bool) -> Any:
    """Return the products of the columns of a CSR matrix, of degrees ``low`` to ``high``, a one before them if asked."""
    from scipy.sparse import csr_array, csr_matrix

    low, high = degrees
    n, p = X.shape
    X = X.sorted_indices()
    held = np.diff(X.indptr)
    rows, columns, cells = [], [], []
    first = 0
    if bias:
        rows.append(np.arange(n))
        columns.append(np.zeros(n, dtype=np.int64))
        cells.append(np.ones(n, dtype=X.dtype))
        first = 1
    for d in range(max(low, 1), high + 1):
        for k in np.unique(held):
            if k == 0 or (not repeated and k < d):
                continue
            some = np.flatnonzero(held == k)
            at = X.indptr[some][:, None] + np.arange(k)
            choose = combinations_with_replacement if repeated else combinations
            which = np.array(list(choose(range(int(k)), d)))  # (products, d)
            rows.append(np.repeat(some, len(which)))
            columns.append((first + places(X.indices[at].astype(np.int64)[:, which], p, repeated)).ravel())
            cells.append(X.data[at][:, which].prod(axis=2).ravel())
        first += comb(p + d - 1, d) if repeated else comb(p, d)
    kind = csr_matrix if isinstance(X, csr_matrix) else csr_array
    empty = np.empty(0, dtype=np.int64)
    index = np.int32 if max(first, n) <= np.iinfo(np.int32).max else np.int64
    where = (np.concatenate([empty, *rows]).astype(index), np.concatenate([empty, *columns]).astype(index))
    return kind((np.concatenate([np.empty(0, X.dtype), *cells]), where), shape=(n, first))
