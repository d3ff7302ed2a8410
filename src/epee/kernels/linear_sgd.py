r"""Stochastic descent of linear classifiers, one row at a time.

For a row :math:`(x, t)` with margin :math:`m = t(w^\top x + b)` and slope :math:`\ell'(m)`, update number :math:`k` of
length :math:`\eta_k` is

.. math:: w \leftarrow (1 - \eta_k \alpha_2)\, w - \eta_k\, \omega\, t\, \ell'(m)\, x, \qquad b \leftarrow b - \eta_k\,
          \omega\, t\, \ell'(m),

the factor of :math:`w` being kept apart so that a step costs one scalar product and one addition. The L1 term is paid
by each coordinate down to 0 and not beyond (cumulative penalty of Tsuruoka, Tsujii and Ananiadou, 2009).

What losses and steps the numbers stand for is in :mod:`epee.kernels.linear_step`. Scalar products are added in four lanes, so that the
processor adds several terms at once and the sum is the same wherever it is taken (:mod:`epee.kernels.sgd_twin`).
"""

from __future__ import annotations

import numpy as np

from epee.kernels import sgd_twin as twin
from epee.kernels.compiling import kernel
from epee.kernels.linear_step import length_of_step, loss_of, scale_all, slope_of, slopes_of_scores

NEAR = 64  # rows that are fetched together: one by one the processor would wait for each


@kernel
def lane_sum(w, x):
    """Return the scalar product of weights and a row: column j adds to lane j mod 4, in order, then the lanes add up."""
    p = w.shape[0]
    m = p - p % 4
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for j in range(0, m, 4):
        a += w[j] * x[j]
        b += w[j + 1] * x[j + 1]
        c += w[j + 2] * x[j + 2]
        d += w[j + 3] * x[j + 3]
    if m < p:
        a += w[m] * x[m]
    if m + 1 < p:
        b += w[m + 1] * x[m + 1]
    if m + 2 < p:
        c += w[m + 2] * x[m + 2]
    return (a + b) + (c + d)


@kernel
def lane_total(products):
    """Return the same sum of products (p,) that are at hand."""
    p = products.shape[0]
    m = p - p % 4
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for j in range(0, m, 4):
        a += products[j]
        b += products[j + 1]
        c += products[j + 2]
        d += products[j + 3]
    if m < p:
        a += products[m]
    if m + 1 < p:
        b += products[m + 1]
    if m + 2 < p:
        c += products[m + 2]
    return (a + b) + (c + d)


@kernel(twin=twin.sgd_pass, meanwhile=twin.few)
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
    many = max(1, min(NEAR, NEAR * 1024 // max(p, 1)))
    near, products = np.empty((many, p)), np.empty(p)
    for position in range(len(order)):
        i, r = order[position], position % many
        if r == 0:
            for later in range(min(many, len(order) - position)):
                i_later = order[position + later]
                for j in range(p):
                    near[later, j] = X[i_later, j]
        for j in range(p):
            products[j] = w[j] * near[r, j]
        m = t[i] * (scale * lane_total(products) + b)
        k += 1.0
        step = length_of_step(kind, eta, power, start, l2 + l1, k)
        total += weight[i] * loss_of(loss, m)
        count += weight[i]
        g = weight[i] * slope_of(loss, m)
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
                w[j] += share * near[r, j]
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


@kernel(twin=twin.sgd_pass_many, meanwhile=twin.few)
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
            scores[c] = scale * lane_sum(W[c], X[i]) + biases[c]
        value = slopes_of_scores(loss, form, scores, truth, g)
        k += 1.0
        step = length_of_step(kind, eta, power, start, l2 + l1, k)
        total += weight[i] * value
        count += weight[i]
        if l2 > 0.0:
            scale *= max(1.0 - step * l2, 1e-9)
            if scale < 1e-6:
                scale_all(W, scale)
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
    scale_all(W, scale)
    state[1] = k
    return total / count if count > 0 else 0.0
