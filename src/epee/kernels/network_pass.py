r"""One pass of a network over its rows by the steps of Adam, in one call that needs no Python: networks then learn beside each other.

The mathematics is that of :mod:`epee.predictors.networks.layers` and :mod:`epee.optimize.updates`. All parameters lie in one vector, the
weights of all layers first, then their biases; hidden units are max(z, 0).
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import kernel

EPS = np.finfo(np.float64).eps


@kernel(fastmath=False, error_model="numpy")
def end_rows(z, end):
    """Turn the last layer (m, K) into the mean of the target: ``end`` 0 leaves it, 1 is logistic, 2 softmax, 3 exponential."""
    m, K = z.shape
    for i in range(m if end > 0 else 0):
        top = z[i, 0]
        for k in range(1, K):
            top = max(top, z[i, k])
        total = 0.0
        for k in range(K):
            if end == 1:
                z[i, k] = 1.0 / (1.0 + np.exp(-z[i, k]))
            else:
                z[i, k] = np.exp(z[i, k] - top if end == 2 else z[i, k])
                total += z[i, k]
        if end == 2:
            for k in range(K):
                z[i, k] /= total


@kernel(fastmath=False, error_model="numpy")
def cell_loss(said, true, end):
    """Return the loss of one output of one row: half the squared error, the log loss, or Poisson's."""
    if end == 0:
        return 0.5 * (said - true) * (said - true)
    if end == 3:
        return (true * np.log(true / said) if true > 0.0 else 0.0) - true + said
    p = EPS if said < EPS else 1.0 - EPS if said > 1.0 - EPS else said
    loss = -true * np.log(p) if true != 0.0 else 0.0 * p
    if end == 1 and true != 1.0:
        loss -= (1.0 - true) * np.log(1.0 - p)
    return loss


@kernel(fastmath=False, error_model="numpy")
def adam(x, g, mean, square, length, rates):
    """Take one step of Adam from the gradient ``g``; ``rates`` are (kept of the mean, of the squares, what keeps the division finite)."""
    b1, b2, eps = rates
    for j in range(x.shape[0]):
        mean[j] = mean[j] * b1 + (1.0 - b1) * g[j]
        square[j] = square[j] * b2 + (1.0 - b2) * g[j] * g[j]
        x[j] -= mean[j] / (np.sqrt(square[j]) + eps) * length


@kernel(fastmath=False, error_model="numpy")
def adam_pass(X, Y, w, order, batch, sizes, end, alpha, rate, rates, steps, x, mean, square):
    """Change the parameters ``x`` by a pass over the rows in this ``order``, ``batch`` at a time; return the objective, summed over them.

    ``sizes`` are the units of the layers, the input first; an empty ``w`` stands for weights of one; ``steps`` were made before.
    """
    n, L, units = order.shape[0], sizes.shape[0] - 1, 0
    for k in range(L + 1):
        units += sizes[k]
    room, back, gradient = np.empty(batch * units), np.empty(batch * units), np.empty(x.shape[0])
    objective, biases = 0.0, x.shape[0] - (units - sizes[0])
    for begin in range(0, n, batch):
        m = min(batch, n - begin)
        layer = room[: m * sizes[0]].reshape((m, sizes[0]))
        for i in range(m):
            row = order[begin + i]
            for j in range(sizes[0]):
                layer[i, j] = X[row, j]
        at, of_weight, of_bias = batch * sizes[0], 0, biases
        for k in range(L):  # forwards
            a, b = sizes[k], sizes[k + 1]
            after = room[at : at + m * b].reshape((m, b))
            np.dot(layer, x[of_weight : of_weight + a * b].reshape((a, b)), after)
            bias = x[of_bias : of_bias + b]
            for i in range(m):
                for j in range(b):
                    after[i, j] += bias[j]
            if k < L - 1:
                for i in range(m):
                    for j in range(b):
                        after[i, j] = 0.0 if after[i, j] <= 0.0 else after[i, j]  # what is no number stays none
            layer, at, of_weight, of_bias = after, at + batch * b, of_weight + a * b, of_bias + b
        end_rows(layer, end)
        total, loss, K = 1.0 * m, 0.0, sizes[L]
        at -= batch * K
        if w.size:
            total = 0.0
            for i in range(m):
                total += w[order[begin + i]]
        delta = back[at : at + m * K].reshape((m, K))
        for i in range(m):
            row, mine = order[begin + i], 0.0
            share = w[row] if w.size else 1.0
            for k in range(K):
                mine += cell_loss(layer[i, k], Y[row, k], end)
                delta[i, k] = (layer[i, k] - Y[row, k]) * share / total
            loss += mine * share
        squares = 0.0
        for k in range(L - 1, -1, -1):  # backwards
            a, b = sizes[k], sizes[k + 1]
            of_weight -= a * b
            of_bias -= b
            at -= batch * a
            layer = room[at : at + m * a].reshape((m, a))
            W = x[of_weight : of_weight + a * b].reshape((a, b))
            by_weight = gradient[of_weight : of_weight + a * b].reshape((a, b))
            np.dot(layer.T, delta, by_weight)
            for i in range(a):
                for j in range(b):
                    by_weight[i, j] += alpha / total * W[i, j]
                    squares += W[i, j] * W[i, j]
            by_bias = gradient[of_bias : of_bias + b]
            by_bias[:] = 0.0
            for i in range(m):
                for j in range(b):
                    by_bias[j] += delta[i, j]
            if k > 0:
                before = back[at : at + m * a].reshape((m, a))
                np.dot(delta, W.T, before)
                for i in range(m):
                    for j in range(a):
                        before[i, j] *= 1.0 if layer[i, j] > 0.0 else 0.0
                delta = before
        steps += 1
        adam(x, gradient, mean, square, rate * np.sqrt(1.0 - rates[1] ** steps) / (1.0 - rates[0] ** steps), rates)
        objective += (loss / total + 0.5 * alpha * squares / total) * m
    return objective
