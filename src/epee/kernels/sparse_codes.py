"""Lasso codes of many rows on one dictionary: arrays in, arrays out."""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import FEW_ROWS, kernel


def few(G, C, *others):
    """Tell whether the rows are few enough for NumPy while the loop is compiled."""
    return len(C) < FEW_ROWS


def codes_in_numpy(G, C, alpha, tol, max_iter, W, start, stop):
    """Do what :func:`codes` does, all rows that still move at once."""
    going = np.arange(start, stop)
    Q = C[going].astype(np.float64)
    for m in range(len(G)):
        Q -= G[:, m] * W[going, m, None]
    for _ in range(max_iter):
        largest = np.zeros(len(going))
        for j in range(len(G)):
            d = G[j, j]
            if d <= 0.0:
                continue
            old = W[going, j]
            z = Q[:, j] + d * old
            new = np.where(z > alpha, (z - alpha) / d, np.where(z < -alpha, (z + alpha) / d, 0.0))
            step = new - old
            W[going, j] = new
            Q -= step[:, None] * G[j]
            largest = np.maximum(largest, np.abs(step))
        on = largest > tol
        going, Q = going[on], Q[on]
        if not len(going):
            break


@kernel(twin=codes_in_numpy, meanwhile=few)
def codes(G, C, alpha, tol, max_iter, W, start, stop):
    """Improve the codes W[start:stop] (n, k) in place: min 1/2 ||x - D'w||^2 + alpha ||w||_1 with G = D D', C = X D'."""
    k = G.shape[0]
    q = np.empty(k)
    for i in range(start, stop):
        for j in range(k):
            s = C[i, j]
            for m in range(k):
                s -= G[j, m] * W[i, m]
            q[j] = s
        for _ in range(max_iter):
            largest = 0.0
            for j in range(k):
                d = G[j, j]
                if d <= 0.0:
                    continue
                old = W[i, j]
                z = q[j] + d * old
                new = (z - alpha) / d if z > alpha else ((z + alpha) / d if z < -alpha else 0.0)
                if new != old:
                    step = new - old
                    W[i, j] = new
                    for m in range(k):
                        q[m] -= step * G[j, m]
                    largest = max(largest, abs(step))
            if largest <= tol:
                break
