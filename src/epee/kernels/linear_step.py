"""One update of a linear classifier: what a row costs, how steep that is, and how far to go.

Losses: 0 hinge, 1 log, 2 squared hinge, 3 perceptron, 4 squares. Steps: 0 constant, 1 inverse, 2 power, 3 optimal (1 / (alpha (t0 + k))).
The passes over dense and sparse rows (:mod:`epee.kernels.linear_sgd`, :mod:`epee.kernels.sparse_sgd`) differ only in how they read a row.
All say ``fastmath=False``: numba would else take the rule of whichever caller has them compiled first.
"""

from __future__ import annotations

import math

from epee.kernels.compiling import kernel


@kernel(fastmath=False)
def slope_of(loss, m):
    """Return the derivative of a loss by the margin."""
    if loss == 0:
        return -1.0 if m < 1.0 else 0.0
    if loss == 1:
        if m > 0:
            e = math.exp(-m)
            return -e / (1.0 + e)
        return -1.0 / (1.0 + math.exp(m))
    if loss == 2:
        return -2.0 * (1.0 - m) if m < 1.0 else 0.0
    if loss == 3:
        return -1.0 if m <= 0.0 else 0.0
    return -2.0 * (1.0 - m)


@kernel(fastmath=False)
def loss_of(loss, m):
    """Return a loss of the margin."""
    if loss == 0:
        return max(0.0, 1.0 - m)
    if loss == 1:
        return math.log1p(math.exp(-m)) if m > 0 else -m + math.log1p(math.exp(m))
    if loss == 2:
        return max(0.0, 1.0 - m) ** 2
    if loss == 3:
        return max(0.0, -m)
    return (1.0 - m) ** 2


@kernel(fastmath=False)
def length_of_step(kind, eta, power, start, alpha, k):
    """Return the length of update k: eta, eta / k, eta / k^power, or 1 / (alpha (start + k - 1))."""
    if kind == 0:
        return eta
    if kind == 1:
        return eta / k
    if kind == 2:
        return eta / k**power
    return 1.0 / (alpha * (start + k - 1.0))


@kernel(fastmath=False)
def scale_all(W, scale):
    """Multiply all weights by ``scale``."""
    for c in range(W.shape[0]):
        for j in range(W.shape[1]):
            W[c, j] *= scale


@kernel(fastmath=False)
def slopes_of_scores(loss, form, scores, truth, g):
    """Put the slopes of a loss by the scores (K,) of one row into ``g``, and return the loss.

    Form 0 sums over wrong classes, 1 takes the worst. Losses 0, 2, 3 are the multi-class hinge, squared hinge and perceptron, 1 the
    softmax cross-entropy, 4 squares to -1 and +1.
    """
    K = len(scores)
    for c in range(K):
        g[c] = 0.0
    value = 0.0
    if loss == 1:
        top = scores[0]
        for c in range(1, K):
            top = max(top, scores[c])
        z = 0.0
        for c in range(K):
            g[c] = math.exp(scores[c] - top)
            z += g[c]
        value = math.log(z) + top - scores[truth]
        for c in range(K):
            g[c] /= z
        g[truth] -= 1.0
    elif loss == 4:
        for c in range(K):
            target = 1.0 if c == truth else -1.0
            g[c] = 2.0 * (scores[c] - target)
            value += (scores[c] - target) ** 2
    else:
        worst = -1
        for c in range(K):
            if c != truth and (worst < 0 or scores[c] > scores[worst]):
                worst = c
        for c in range(K):
            if c == truth or (form == 1 and c != worst):
                continue
            m = scores[truth] - scores[c]  # the slope by s_c is minus that by this margin
            d = -slope_of(loss, m)
            g[c] = d
            g[truth] -= d
            value += loss_of(loss, m)
    return value
