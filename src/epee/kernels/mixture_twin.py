"""The E-step of a mixture on a block in NumPy: what :mod:`epee.kernels.mixture_sums` means, and what answers while it is compiled.

Exponentials and sums over rows may differ in their last bits, by some 1e-15 of what they are.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import FEW_ROWS


def few(X, *others):
    """Tell whether a block is done here while the loop is compiled."""
    return len(X) < FEW_ROWS


def products(X, origin, flat):
    """Return the products of the cells of rows (m, p) about the origin, and the cells last (q, m)."""
    D = np.ascontiguousarray((X - origin).T)
    j, k = (np.arange(len(D)),) * 2 if flat else np.triu_indices(len(D))
    return np.concatenate([D[j] * D[k], D])


def softmax_columns(L, constants, log_noise, w, N, totals):
    """Turn log-densities (K, m) into weighted responsibilities; add up N (K,) and ``totals``; return the log-sum-exp of each row."""
    noisy = log_noise == log_noise
    L += constants[:, None]
    top = np.maximum(L.max(axis=0), log_noise) if noisy else L.max(axis=0)
    np.exp(L - top, out=L)
    total, u = L.sum(axis=0), w if w.size else np.ones(L.shape[1])
    if noisy:
        other = np.exp(log_noise - top)
        total += other
        totals[1] += (u * other / total).sum()
    top = top + np.log(total)
    totals[0] += (u * top).sum()
    L *= u / total
    N += L.sum(axis=1)
    return top


def expanded_sums(X, w, origin, slopes, constants, log_noise, flat, some, G, N, totals):
    """Add the sums of the rows of a block: ``G`` (q, K) of the products, ``N`` (K,), ``totals`` (2,)."""
    Z = products(X, origin, flat)
    L = slopes @ Z
    softmax_columns(L, constants, log_noise, w, N, totals)
    G += Z @ L.T


def expanded_log_joint(X, origin, slopes, constants, flat, some, out):
    """Write the log of weight and density of each row and component to ``out`` (n, K)."""
    out[:] = (slopes @ products(X, origin, flat) + constants[:, None]).T


def expanded_log_density(X, origin, slopes, constants, log_noise, flat, some, out):
    """Write the log-density of each row under the mixture to ``out`` (n,)."""
    none, N, totals = np.empty(0), np.zeros(len(slopes)), np.zeros(2)
    out[:] = softmax_columns(slopes @ products(X, origin, flat), constants, log_noise, none, N, totals)
