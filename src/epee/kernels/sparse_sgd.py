r"""Stochastic descent of linear classifiers on sparse rows: :mod:`epee.kernels.linear_sgd`, with steps that cost the cells of a row.

What changes every weight at every step is put off. The factor of L2 is kept apart. A weight pays the L1 term it owes when a row next
meets it, before its score is taken. The mean of the iterates :math:`w_t = s_t v_t`, where row :math:`t` adds :math:`\delta_t` to
:math:`v`, is found from sums: with :math:`C_t = \sum_{u \le t} s_u`,

.. math:: \sum_{u \le t} s_u v_u = C_t v_t - \sum_{u \le t} C_{u-1}\, \delta_u. \tag{1}
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import kernel
from epee.kernels.linear_step import length_of_step, loss_of, scale_all, slope_of, slopes_of_scores
from epee.kernels.reordering import REORDER


@kernel
def _settle(w, scale, total, behind, past):
    """Multiply the weights by their factor, and add what (1) has gathered to ``total``; the gathering begins again."""
    for j in range(len(w)):
        total[j] += past * w[j] - behind[j]
        behind[j] = 0.0
        w[j] *= scale


@kernel(fastmath=REORDER)
def sparse_sgd_pass(
    data,
    indices,
    indptr,
    t,
    weight,
    order,
    w,
    state,
    mean,
    paid,
    loss,
    kind,
    eta,
    power,
    start,
    l2,
    l1,
    bias,
    averaging,
):
    """Do one pass over the rows in ``order``; return the mean loss met on the way. Arguments as in :func:`sgd_pass`."""
    p = len(w)
    scale, past = 1.0, 0.0
    b, k, owed = state[0], state[1], state[2]
    total, count, biases = 0.0, 0.0, 0.0
    behind, gathered = np.zeros(p if averaging else 0), np.zeros(p if averaging else 0)
    for position in range(len(order)):
        i = order[position]
        first, last = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        if l1 > 0.0:
            for c in range(first, last):
                j = np.uint64(indices[c])
                before = scale * w[j]
                if before > 0.0:
                    after = max(0.0, before - (owed + paid[j]))
                elif before < 0.0:
                    after = min(0.0, before + (owed - paid[j]))
                else:
                    continue
                paid[j] += after - before
                if averaging:
                    behind[j] += past * (after / scale - w[j])
                w[j] = after / scale
        s = 0.0
        for c in range(first, last):
            s += data[c] * w[np.uint64(indices[c])]
        m = t[i] * (scale * s + b)
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
                if averaging:
                    _settle(w, scale, gathered, behind, past)
                    past = 0.0
                else:
                    for q in range(p):
                        w[q] *= scale
                scale = 1.0
        if g != 0.0:
            move = -step * t[i] * g
            share = move / scale
            for c in range(first, last):
                j = np.uint64(indices[c])
                w[j] += share * data[c]
                if averaging:
                    behind[j] += past * share * data[c]
            if bias:
                b += move
        owed += step * l1
        if averaging:
            past += scale
            biases += b
    if averaging:
        made = state[4]
        state[4] += len(order)
        _settle(w, scale, gathered, behind, past)
        for q in range(p):
            mean[q] = (made * mean[q] + gathered[q]) / state[4]
        state[3] = (made * state[3] + biases) / state[4]
    else:
        for q in range(p):
            w[q] *= scale
    if l1 > 0.0:  # everyone pays at the end of a pass
        for q in range(p):
            before = w[q]
            w[q] = max(0.0, before - (owed + paid[q])) if before > 0.0 else min(0.0, before + (owed - paid[q]))
            paid[q] += w[q] - before
    state[0], state[1], state[2] = b, k, owed
    return total / count if count > 0 else 0.0


@kernel
def sparse_sgd_pass_many(
    data, indices, indptr, codes, weight, order, W, biases, state, loss, form, kind, eta, power, start, l2, l1, bias
):
    """Do one pass with one score a class; arguments as in :func:`sgd_pass_many`, but ``W`` is (p, K): the weights of a column together."""
    p, K = W.shape
    scores, g, owing = np.empty(K), np.empty(K), np.zeros(p)
    k, total, count, scale, owed = state[1], 0.0, 0.0, 1.0, 0.0
    for position in range(len(order)):
        i = order[position]
        truth = codes[i]
        first, last = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        scores[:] = 0.0
        for a in range(first, last):
            j = np.uint64(indices[a])
            if l1 > 0.0:
                cut = (owed - owing[j]) / scale
                owing[j] = owed
                for c in range(K):
                    v = W[j, c]
                    W[j, c] = v - cut if v > cut else (v + cut if v < -cut else 0.0)
            for c in range(K):
                scores[c] += data[a] * W[j, c]
        for c in range(K):
            scores[c] = scale * scores[c] + biases[c]
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
        moved = False
        for c in range(K):
            g[c] = -step * weight[i] * max(min(g[c], 1e12), -1e12)
            moved = moved or g[c] != 0.0
            if bias:
                biases[c] += g[c]
        if moved:
            for a in range(first, last):
                j, x = np.uint64(indices[a]), data[a] / scale
                for c in range(K):
                    W[j, c] += g[c] * x
        owed += step * l1
    scale_all(W, scale)
    if l1 > 0.0:
        for q in range(p):
            cut = owed - owing[q]
            for c in range(K):
                v = W[q, c]
                W[q, c] = v - cut if v > cut else (v + cut if v < -cut else 0.0)
    state[1] = k
    return total / count if count > 0 else 0.0
