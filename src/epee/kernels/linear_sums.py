"""The logistic risk and its gradient over a block of rows, in one call that needs no Python: threads do not wait for each other.

An empty ``w`` stands for weights of one. The bias, where there is one, is the last row of the weights.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import kernel
from epee.kernels.reordering import REORDER


@kernel(fastmath=REORDER)
def logistic_sums(X, codes, w, coef, bias, gradient):
    """Add the gradient of two-class cross-entropies to ``gradient`` (p + 1,); return the sum of losses and of weights."""
    n, p = X.shape
    value, count = 0.0, 0.0
    for i in range(n):
        x = X[i]
        s = 0.0
        for j in range(p):
            s += x[j] * coef[j]
        s += bias
        u = w[i] if w.size else 1.0
        t = np.float64(codes[i])
        small = np.exp(-abs(s))
        inverse = 1.0 / (1.0 + small)
        chance = inverse if s >= 0.0 else small * inverse
        value += u * (max(s, 0.0) - t * s + np.log1p(small))
        count += u
        r = u * (chance - t)
        for j in range(p):
            gradient[j] += r * x[j]
        gradient[p] += r
    return value, count


@kernel
def softmax_sums(X, codes, w, coef, biases, some, gradient):
    """Add the gradient of K-class cross-entropies to ``gradient`` (K, p + 1); return the sum of losses and of weights."""
    n, p = X.shape
    K = coef.shape[1]
    value, count = 0.0, 0.0
    for start in range(0, n, some):
        part = X[start : min(start + some, n)]
        S = np.dot(part, coef)  # (m, K): scores, then weighted probabilities minus the truth
        for i in range(part.shape[0]):
            s, top = S[i], -np.inf
            for k in range(K):
                s[k] += biases[k]
                top = max(top, s[k])
            own = s[codes[start + i]]
            total = 0.0
            for k in range(K):
                s[k] = np.exp(s[k] - top)
                total += s[k]
            u = w[start + i] if w.size else 1.0
            value += u * (np.log(total) + top - own)
            count += u
            scale = u / total
            for k in range(K):
                s[k] *= scale
            s[codes[start + i]] -= u
            for k in range(K):
                gradient[k, p] += s[k]
        slopes = np.dot(S.T, part)
        for k in range(K):
            for j in range(p):
                gradient[k, j] += slopes[k, j]
    return value, count
