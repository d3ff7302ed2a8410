r"""Stochastic descent of linear classifiers, one row at a time.

For a row :math:`(x, t)` with margin :math:`m = t(w^\top x + b)` and slope :math:`\ell'(m)`, update number :math:`k` of
length :math:`\eta_k` is

.. math:: w \leftarrow (1 - \eta_k \alpha_2)\, w - \eta_k\, \omega\, t\, \ell'(m)\, x, \qquad b \leftarrow b - \eta_k\,
          \omega\, t\, \ell'(m),

the factor of :math:`w` being kept apart so that a step costs one scalar product and one addition. The L1 term is paid
by each coordinate down to 0 and not beyond (cumulative penalty of Tsuruoka, Tsujii and Ananiadou, 2009).

Losses: 0 hinge, 1 log, 2 squared hinge, 3 perceptron, 4 squares. Steps: 0 constant, 1 inverse, 2 power, 3 optimal (1 /
(alpha (t0 + k))).
"""

from __future__ import annotations

import math

import numpy as np

from epee.kernels.compiling import kernel


@kernel
def _slope(loss, m):
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


@kernel
def _value(loss, m):
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


@kernel
def _step(kind, eta, power, start, alpha, k):
    """Return the length of update k: eta, eta / k, eta / k^power, or 1 / (alpha (start + k - 1))."""
    if kind == 0:
        return eta
    if kind == 1:
        return eta / k
    if kind == 2:
        return eta / k**power
    return 1.0 / (alpha * (start + k - 1.0))


@kernel
def _shrink(W, scale):
    """Multiply all weights by ``scale``."""
    for c in range(W.shape[0]):
        for j in range(W.shape[1]):
            W[c, j] *= scale


@kernel(fastmath={"reassoc", "contract", "nsz"})
def sgd_pass(X, t, weight, order, w, state, mean, paid, loss, kind, eta, power, start, l2, l1, bias, averaging):
    """Do one pass over the rows in ``order``; return the mean loss met on the way.

    ``w`` (p,) is in place; ``state`` holds [bias, updates k, L1 owed so far, averaged bias, averages made]; ``mean``
    (p,) the averaged weights and ``paid`` (p,) the L1 paid by each coordinate. ``l2 + l1`` is the alpha of the optimal
    steps.
    """
    p = X.shape[1]
    scale = 1.0
    b, k, owed = state[0], state[1], state[2]
    total, count = 0.0, 0.0
    for position in range(len(order)):
        i = order[position]
        s = 0.0
        for j in range(p):
            s += w[j] * X[i, j]
        m = t[i] * (scale * s + b)
        k += 1.0
        step = _step(kind, eta, power, start, l2 + l1, k)
        total += weight[i] * _value(loss, m)
        count += weight[i]
        g = weight[i] * _slope(loss, m)
        if g < -1e12:
            g = -1e12
        elif g > 1e12:
            g = 1e12
        if l2 > 0.0:
            scale *= max(1.0 - step * l2, 1e-9)
            if scale < 1e-6:
                for j in range(p):
                    w[j] *= scale
                scale = 1.0
        if g != 0.0:
            move = -step * t[i] * g
            share = move / scale
            for j in range(p):
                w[j] += share * X[i, j]
            if bias:
                b += move
        if l1 > 0.0:
            owed += step * l1
            for j in range(p):
                before = scale * w[j]
                if before > 0.0:
                    after = max(0.0, before - (owed + paid[j]))
                elif before < 0.0:
                    after = min(0.0, before + (owed - paid[j]))
                else:
                    continue
                paid[j] += after - before
                w[j] = after / scale
        if averaging:
            state[4] += 1.0
            for j in range(p):
                mean[j] += (scale * w[j] - mean[j]) / state[4]
            state[3] += (b - state[3]) / state[4]
    for j in range(p):
        w[j] *= scale
    state[0], state[1], state[2] = b, k, owed
    return total / count if count > 0 else 0.0


@kernel(fastmath={"reassoc", "contract", "nsz"})
def sgd_pass_many(X, codes, weight, order, W, biases, state, loss, form, kind, eta, power, start, l2, l1, bias):
    """Do one pass with one score a class; ``W`` (K, p) and ``biases`` (K,) in place; form 0 sums over wrong classes, 1
    takes the worst.

    Losses 0, 2, 3 are the multi-class hinge, squared hinge and perceptron, 1 the softmax cross-entropy, 4 squares to -1
    and +1.
    """
    K, p = W.shape
    scores, g = np.empty(K), np.empty(K)
    k, total, count, scale = state[1], 0.0, 0.0, 1.0
    for position in range(len(order)):
        i = order[position]
        truth = codes[i]
        for c in range(K):
            s = 0.0
            for j in range(p):
                s += W[c, j] * X[i, j]
            scores[c] = scale * s + biases[c]
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
                m = (
                    scores[truth] - scores[c]
                )  # hinge of a difference of scores: the slope by s_c is minus that by the margin
                d = -_slope(loss, m)
                g[c] = d
                g[truth] -= d
                value += _value(loss, m)
        k += 1.0
        step = _step(kind, eta, power, start, l2 + l1, k)
        total += weight[i] * value
        count += weight[i]
        if l2 > 0.0:
            scale *= max(1.0 - step * l2, 1e-9)
            if scale < 1e-6:
                _shrink(W, scale)
                scale = 1.0
        for c in range(K):
            if g[c] != 0.0:
                move = -step * weight[i] * max(min(g[c], 1e12), -1e12)
                share = move / scale
                for j in range(p):
                    W[c, j] += share * X[i, j]
                if bias:
                    biases[c] += move
        if l1 > 0.0:
            cut = step * l1 / scale
            for c in range(K):
                for j in range(p):
                    v = W[c, j]
                    W[c, j] = v - cut if v > cut else (v + cut if v < -cut else 0.0)
    _shrink(W, scale)
    state[1] = k
    return total / count if count > 0 else 0.0
