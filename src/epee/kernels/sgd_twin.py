"""The passes of :mod:`epee.kernels.linear_sgd` in NumPy, with the same bits: what answers for few rows while the loops are compiled.

An update takes some microseconds, whatever the width.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import FEW_ROWS
from epee.kernels.linear_step import length_of_step, loss_of, slope_of, slopes_of_scores

LANES = 4


def few(X, *others):
    """Tell whether the rows are few."""
    return len(X) < FEW_ROWS


def in_lanes(A):
    """Return the rows or weights (..., p) with columns of zeros up to a multiple of the lanes."""
    over = -A.shape[-1] % LANES
    return np.concatenate([A, np.zeros((*A.shape[:-1], over))], axis=-1) if over else A


def lane_sum(products):
    """Return the sums (...) of products (..., p): column j adds to lane j mod 4, in order, then (a + b) + (c + d)."""
    lanes = np.add.reduce(products.reshape(*products.shape[:-1], -1, LANES), axis=-2)
    return (lanes[..., 0] + lanes[..., 1]) + (lanes[..., 2] + lanes[..., 3])


def sgd_pass(X, t, weight, order, w, state, mean, paid, loss, kind, eta, power, start, l2, l1, bias, averaging):
    """Do one pass over the rows in ``order``; return the mean loss met on the way."""
    p = X.shape[1]
    rows, v = in_lanes(X), in_lanes(w.copy())
    b, k, owed, average, made = state.tolist()
    scale, total, count = 1.0, 0.0, 0.0
    signs, weights = t.tolist(), weight.tolist()
    for i in order.tolist():
        x, sign, omega = rows[i], signs[i], weights[i]
        m = sign * (scale * lane_sum(v * x) + b)  # NumPy's number, whose square may be infinite
        k += 1.0
        step = length_of_step.py_func(kind, eta, power, start, l2 + l1, k)
        total += omega * loss_of.py_func(loss, m)
        count += omega
        g = min(max(omega * slope_of.py_func(loss, m), -1e12), 1e12)
        if l2 > 0.0:
            scale *= max(1.0 - step * l2, 1e-9)
            if scale < 1e-6:
                v *= scale
                scale = 1.0
        if g != 0.0:
            move = -step * sign * g
            v += (move / scale) * x
            if bias:
                b += move
        if l1 > 0.0:
            owed += step * l1
            before = scale * v[:p]
            down, up = before - (owed + paid), before + (owed - paid)
            after = np.where(before > 0.0, np.where(down > 0.0, down, 0.0), np.where(up < 0.0, up, 0.0))
            there = (before > 0.0) | (before < 0.0)
            paid[there] += (after - before)[there]
            v[:p][there] = after[there] / scale
        if averaging:
            made += 1.0
            mean += (scale * v[:p] - mean) / made
            average += (b - average) / made
    w[:] = v[:p] * scale
    state[:] = b, k, owed, average, made
    return total / count if count > 0 else 0.0


def sgd_pass_many(X, codes, weight, order, W, biases, state, loss, form, kind, eta, power, start, l2, l1, bias):
    """Do one pass with one score a class; ``W`` (K, p) and ``biases`` (K,) in place."""
    K, p = W.shape
    rows, V, g = in_lanes(X), in_lanes(W.copy()), [0.0] * K
    truths, weights, b = codes.tolist(), weight.tolist(), biases.copy()
    k, total, count, scale = float(state[1]), 0.0, 0.0, 1.0
    for i in order.tolist():
        x, omega = rows[i], weights[i]
        scores = list(scale * lane_sum(V * x) + b)
        value = slopes_of_scores.py_func(loss, form, scores, truths[i], g)
        k += 1.0
        step = length_of_step.py_func(kind, eta, power, start, l2 + l1, k)
        total += omega * value
        count += omega
        if l2 > 0.0:
            scale *= max(1.0 - step * l2, 1e-9)
            if scale < 1e-6:
                V *= scale
                scale = 1.0
        for c in range(K):
            if g[c] != 0.0:
                move = -step * omega * max(min(g[c], 1e12), -1e12)
                V[c] += (move / scale) * x
                if bias:
                    b[c] += move
        if l1 > 0.0:
            cut = step * l1 / scale
            V[:] = np.where(cut < V, V - cut, np.where(-cut > V, V + cut, 0.0))
    W[:] = V[:, :p] * scale
    biases[:] = b
    state[1] = k
    return total / count if count > 0 else 0.0
