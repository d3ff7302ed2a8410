r"""Products of the columns of sparse rows, from their non-zeros alone.

A product of columns :math:`j_1 \le \dots \le j_d` is not 0 only where all of them are not, so a row with :math:`k` non-zeros has
:math:`\binom{k + d - 1}{d}` products of degree :math:`d`. Among all of that degree, in the order of their columns, it stands at place

.. math:: \sum_{i=1}^{d} \bigl[ M_{d-i+1}(j_{i-1}) - M_{d-i+1}(j_i) \bigr], \qquad M_k(v) = \binom{p - v + k - 1}{k}, \quad j_0 = 0, \tag{1}

where :math:`M_k(v)` counts the products of :math:`k` columns from :math:`v` on; without repetition it is :math:`\binom{p - v}{k}`, and
each next column begins one further.
"""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
from scipy.special import comb

from epee.typing import Codes


def places(columns: Codes, p: int, repeated: bool) -> Codes:
    """Return (1) for the products whose columns are the last axis of ``columns``, in increasing order.

    >>> places(np.array([[0, 0], [0, 2], [1, 1], [2, 2]]), 3, True)
    array([0, 2, 3, 5])
    """
    d = columns.shape[-1]
    values, total = np.arange(p + 2), np.zeros(columns.shape[:-1], dtype=np.int64)
    for i in range(d):
        k = d - i
        count = comb(p - values + k - 1, k) if repeated else comb(p - values, k)
        count = np.rint(np.where(p - values >= (0 if not repeated else 1), count, 0)).astype(np.int64)
        before = np.zeros_like(columns[..., 0]) if i == 0 else columns[..., i - 1] + (0 if repeated else 1)
        total += count[before] - count[columns[..., i]]
    return total


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
        first += int(comb(p + d - 1, d, exact=True) if repeated else comb(p, d, exact=True))
    kind = csr_matrix if isinstance(X, csr_matrix) else csr_array
    empty = np.empty(0, dtype=np.int64)
    where = (np.concatenate([empty, *rows]), np.concatenate([empty, *columns]))
    return kind((np.concatenate([np.empty(0, X.dtype), *cells]), where), shape=(n, first))
