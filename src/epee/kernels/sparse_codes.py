"""Lasso codes of many rows on one dictionary: arrays in, arrays out."""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import kernel


@kernel
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
