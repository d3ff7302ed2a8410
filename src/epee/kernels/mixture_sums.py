r"""The E-step of a mixture on a block, in one call that needs no Python: threads then do not wait for each other.

See :mod:`epee.structure.gaussian_products` for the mathematics: products of cells, two products of matrices, a softmax between them.
"""

from __future__ import annotations

import numpy as np

from epee.kernels import mixture_twin as twin
from epee.kernels.compiling import kernel


@kernel
def products(X, origin, flat, Z):
    """Write the products of the cells of rows (m, p) about the origin, and the cells last, to ``Z`` (q, m)."""
    m, p = X.shape
    q = Z.shape[0]
    for j in range(p):
        cells = Z[q - p + j]
        for i in range(m):
            cells[i] = X[i, j] - origin[j]
    at = 0
    for j in range(p):
        a = Z[q - p + j]
        for k in range(j, j + 1 if flat else p):
            b, out = Z[q - p + k], Z[at]
            for i in range(m):
                out[i] = a[i] * b[i]
            at += 1


@kernel
def softmax_columns(L, constants, log_noise, w, N, totals):
    """Turn log-densities (K, m) into weighted responsibilities; add up N (K,), and to ``totals`` the log-likelihood and the noise.

    Returns the log-sum-exp of each row. An empty ``w`` stands for weights of one, a NaN for no noise.
    """
    K, m = L.shape
    top = np.empty(m)
    total = np.zeros(m)
    for i in range(m):
        top[i] = log_noise if log_noise == log_noise else -np.inf
    for k in range(K):
        row, c = L[k], constants[k]
        for i in range(m):
            row[i] += c
            top[i] = max(top[i], row[i])
    for k in range(K):
        row = L[k]
        for i in range(m):
            row[i] = np.exp(row[i] - top[i])
            total[i] += row[i]
    for i in range(m):
        u = w[i] if w.size else 1.0
        if log_noise == log_noise:
            other = np.exp(log_noise - top[i])
            total[i] += other
            totals[1] += u * other / total[i]
        top[i] += np.log(total[i])
        totals[0] += u * top[i]
        total[i] = u / total[i]
    for k in range(K):
        row, add = L[k], 0.0
        for i in range(m):
            row[i] *= total[i]
            add += row[i]
        N[k] += add
    return top


@kernel(twin=twin.expanded_sums, meanwhile=twin.few)
def expanded_sums(X, w, origin, slopes, constants, log_noise, flat, some, G, N, totals):
    """Add the sums of the rows of a block: ``G`` (q, K) of the products, ``N`` (K,), ``totals`` (2,); ``some`` rows at a time."""
    n, q = X.shape[0], slopes.shape[1]
    for start in range(0, n, some):
        end = min(start + some, n)
        Z = np.empty((q, end - start))
        products(X[start:end], origin, flat, Z)
        L = np.dot(slopes, Z)
        softmax_columns(L, constants, log_noise, w[start:end], N, totals)
        G += np.dot(Z, L.T)


@kernel(twin=twin.expanded_log_joint, meanwhile=twin.few)
def expanded_log_joint(X, origin, slopes, constants, flat, some, out):
    """Write the log of weight and density of each row and component to ``out`` (n, K)."""
    n, q = X.shape[0], slopes.shape[1]
    for start in range(0, n, some):
        end = min(start + some, n)
        Z = np.empty((q, end - start))
        products(X[start:end], origin, flat, Z)
        L = np.dot(slopes, Z)
        for k in range(L.shape[0]):
            for i in range(end - start):
                out[start + i, k] = L[k, i] + constants[k]


@kernel(twin=twin.expanded_log_density, meanwhile=twin.few)
def expanded_log_density(X, origin, slopes, constants, log_noise, flat, some, out):
    """Write the log-density of each row under the mixture to ``out`` (n,)."""
    n, q, K = X.shape[0], slopes.shape[1], slopes.shape[0]
    none, N, totals = np.empty(0), np.zeros(K), np.zeros(2)
    for start in range(0, n, some):
        end = min(start + some, n)
        Z = np.empty((q, end - start))
        products(X[start:end], origin, flat, Z)
        out[start:end] = softmax_columns(np.dot(slopes, Z), constants, log_noise, none, N, totals)
