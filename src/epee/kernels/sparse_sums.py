r"""Sums over sparse rows, each read once: arrays of a CSR matrix in, arrays out.

Row :math:`i` has the cells ``data[k]`` in the columns ``indices[k]`` for ``k`` from ``indptr[i]`` to ``indptr[i + 1] - 1``. What a row is
multiplied by is known as soon as its product with the weights is, so a product :math:`X^\top f(Xv)` takes one reading of the cells in
place of two. An empty ``w`` stands for weights of one. Places are taken as unsigned: a signed one is asked first whether it counts
from the end, which costs as much as the product.
"""

from __future__ import annotations

import math

import numpy as np

from epee.kernels.compiling import kernel
from epee.kernels.linear_sums import logistic_term
from epee.kernels.reordering import REORDER


@kernel
def cell_totals(data, indices, indptr, cell, w, sums):
    """Add each row, times its weight, to the row of ``sums`` (cells, p) that is its cell."""
    for i in range(len(indptr) - 1):
        u = w[i] if w.size else 1.0
        into = sums[cell[i]]
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            into[np.uint64(indices[k])] += u * data[k]


@kernel(fastmath=REORDER)
def row_products(data, indices, indptr, v, out):
    """Write Xv to ``out`` (n,)."""
    for i in range(len(indptr) - 1):
        s = 0.0
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            s += data[k] * v[np.uint64(indices[k])]
        out[i] = s


@kernel(fastmath=REORDER)
def row_scores(data, indices, indptr, W, out):
    """Write XW to ``out`` (n, K), for W (p, K): two scores at a time, whose sums stay in the processor."""
    K = W.shape[1]
    for i in range(len(indptr) - 1):
        first, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        for m in range(0, K - 1, 2):
            s, t = 0.0, 0.0
            for k in range(first, end):
                x, j = data[k], np.uint64(indices[k])
                s += x * W[j, m]
                t += x * W[j, m + 1]
            out[i, m], out[i, m + 1] = s, t
        if K % 2:
            s = 0.0
            for k in range(first, end):
                s += data[k] * W[np.uint64(indices[k]), K - 1]
            out[i, K - 1] = s


@kernel(fastmath=REORDER)
def normal_product(data, indices, indptr, w, m, c, both):
    """Add X'W(Xv - cm) to the second column of ``both`` (p, 2), whose first is v; return m'W(Xv - cm). An empty ``m`` is ones.

    A cell finds what it reads and what it adds to side by side, in one line of the cache: half of the way when these are long.
    """
    total = 0.0
    for i in range(len(indptr) - 1):
        s = 0.0
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            s += data[k] * both[np.uint64(indices[k]), 0]
        level = m[i] if m.size else 1.0
        s = (s - c * level) * (w[i] if w.size else 1.0)
        total += s * level
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            both[np.uint64(indices[k]), 1] += s * data[k]
    return total


@kernel(fastmath=REORDER)
def sparse_logistic_sums(data, indices, indptr, codes, w, bias, both):
    """Add the gradient of two-class cross-entropies to the second column of ``both`` (p, 2), whose first holds the weights.

    Return the sums of losses, of weights and of slopes, which is that by the bias. See :func:`normal_product` for the two columns.
    """
    value, count, level = 0.0, 0.0, 0.0
    for i in range(len(indptr) - 1):
        s = bias
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            s += data[k] * both[np.uint64(indices[k]), 0]
        u = w[i] if w.size else 1.0
        loss, slope = logistic_term(s, np.float64(codes[i]))
        value += u * loss
        count += u
        r = u * slope
        level += r
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            both[np.uint64(indices[k]), 1] += r * data[k]
    return value, count, level


@kernel
def sparse_softmax_sums(data, indices, indptr, codes, w, coef, biases, gradient):
    """Add the gradient of K-class cross-entropies to ``gradient`` (p + 1, K); ``coef`` is (p, K). Return the sums of losses and weights."""
    p, K = coef.shape
    s = np.empty(K)
    value, count = 0.0, 0.0
    for i in range(len(indptr) - 1):
        s[:] = biases
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            x, j = data[k], np.uint64(indices[k])
            for m in range(K):
                s[m] += x * coef[j, m]
        top = s[0]
        for m in range(1, K):
            top = max(top, s[m])
        own, total = s[codes[i]], 0.0
        for m in range(K):
            s[m] = math.exp(s[m] - top)
            total += s[m]
        u = w[i] if w.size else 1.0
        value += u * (math.log(total) + top - own)
        count += u
        for m in range(K):
            s[m] *= u / total
        s[codes[i]] -= u
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            x, j = data[k], np.uint64(indices[k])
            for m in range(K):
                gradient[j, m] += s[m] * x
        for m in range(K):
            gradient[p, m] += s[m]
    return value, count


@kernel
def nearest_of_sparse(data, indices, indptr, centres, squares, labels, scores):
    """Write the centre of least |c|² - 2x'c to ``labels`` and that score to ``scores``, for centres in the columns of ``centres`` (p, K);
    return how many labels changed.
    """
    K, changed = centres.shape[1], 0
    s = np.empty(K)
    for i in range(len(indptr) - 1):
        s[:] = 0.0
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            x, j = data[k], np.uint64(indices[k])
            for m in range(K):
                s[m] += x * centres[j, m]
        best, least = 0, squares[0] - 2.0 * s[0]
        for m in range(1, K):
            if squares[m] - 2.0 * s[m] < least:
                best, least = m, squares[m] - 2.0 * s[m]
        if labels[i] != best:
            changed += 1
            labels[i] = best
        scores[i] = least
    return changed
