"""The logistic risk and its gradient over a block of rows, in one call that needs no Python: threads do not wait for each other.

An empty ``w`` stands for weights of one. The bias, where there is one, is the last row of the weights.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import kernel
from epee.kernels.reordering import REORDER


@kernel(fastmath=REORDER)
def logistic_term(s, t):
    """Return the cross-entropy of a score ``s`` where the class is ``t``, 0 or 1, and its slope."""
    small = np.exp(-abs(s))
    inverse = 1.0 / (1.0 + small)
    chance = inverse if s >= 0.0 else small * inverse
    return max(s, 0.0) - t * s + np.log1p(small), chance - t


@kernel(fastmath=REORDER)
def logistic_sums(X, codes, w, coef, bias, gradient):
    """Add the gradient of two-class cross-entropies to ``gradient`` (p + 1,); return the sum of losses and of weights.

    Four rows at a time: each number of ``coef`` and of ``gradient`` is fetched for all of them.
    """
    n, p = X.shape
    fours = n - n % 4
    value, count = 0.0, 0.0
    r = np.empty(4)
    for i in range(0, fours, 4):
        a, b, c, d = X[i], X[i + 1], X[i + 2], X[i + 3]
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for j in range(p):
            s0 += a[j] * coef[j]
            s1 += b[j] * coef[j]
            s2 += c[j] * coef[j]
            s3 += d[j] * coef[j]
        r[0], r[1], r[2], r[3] = s0, s1, s2, s3
        for k in range(4):
            u = w[i + k] if w.size else 1.0
            loss, slope = logistic_term(r[k] + bias, np.float64(codes[i + k]))
            value += u * loss
            count += u
            r[k] = u * slope
        s0, s1, s2, s3 = r[0], r[1], r[2], r[3]
        for j in range(p):
            gradient[j] += s0 * a[j] + s1 * b[j] + s2 * c[j] + s3 * d[j]
        gradient[p] += s0 + s1 + s2 + s3
    for i in range(fours, n):
        s = bias
        for j in range(p):
            s += X[i, j] * coef[j]
        u = w[i] if w.size else 1.0
        loss, slope = logistic_term(s, np.float64(codes[i]))
        value += u * loss
        count += u
        for j in range(p):
            gradient[j] += u * slope * X[i, j]
        gradient[p] += u * slope
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
