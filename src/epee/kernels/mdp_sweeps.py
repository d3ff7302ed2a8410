r"""Loops of dynamic programming over the pairs (state, action) of a decision process.

The pairs of state :math:`s` are ``first[s] .. first[s+1]``; the transitions of pair :math:`k` are ``ptr[k] .. ptr[k+1]``,
each with a successor ``succ[j]`` and a weight ``flow[j]``. A backup of :math:`s` is

.. math:: (TV)(s) = \max_{k \in s} \Big( r_k + \gamma \sum_{j \in k} f_j\, V(s'_j) \Big).

A state without pairs is terminal and is worth 0. The loops read only their own slice of states and release the
interpreter's lock, so slices run in threads.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import kernel


@kernel
def gather(rows, indptr, indices, data, start, succ, prob):
    """Copy the non-zero entries of some rows of a CSR matrix to where their pairs start."""
    for i in range(rows.shape[0]):
        at = start[i]
        for j in range(indptr[rows[i]], indptr[rows[i] + 1]):
            if data[j] != 0.0:
                succ[at] = indices[j]
                prob[at] = data[j]
                at += 1


@kernel
def row_sums(ptr, prob, sums):
    """Sum every row; return the first transition that is negative or not finite, or -1."""
    bad = -1
    for k in range(ptr.shape[0] - 1):
        total = 0.0
        for j in range(ptr[k], ptr[k + 1]):
            if not (prob[j] >= 0.0 and prob[j] < np.inf) and bad < 0:
                bad = j
            total += prob[j]
        sums[k] = total
    return bad


@kernel
def normalise(ptr, prob, sums):
    """Divide every row by its sum (which is 1 but for rounding)."""
    for k in range(ptr.shape[0] - 1):
        if sums[k] != 1.0:
            for j in range(ptr[k], ptr[k + 1]):
                prob[j] /= sums[k]


@kernel
def expected(ptr, weight, amount, out):
    """Expected amount of every row."""
    for k in range(ptr.shape[0] - 1):
        total = 0.0
        for j in range(ptr[k], ptr[k + 1]):
            total += weight[j] * amount[j]
        out[k] = total


@kernel
def lookahead(k, ptr, succ, flow, reward, discount, V):
    """Value of taking pair k, then V."""
    total = 0.0
    for j in range(ptr[k], ptr[k + 1]):
        total += flow[j] * V[succ[j]]
    return reward[k] + discount * total


@kernel
def bellman(lo, hi, first, ptr, succ, flow, reward, discount, V, out, best):
    """Jacobi sweep of states lo..hi into ``out``; the pair chosen goes to ``best``. Returns the range of TV - V."""
    low, high = np.inf, -np.inf
    for s in range(lo, hi):
        if first[s] == first[s + 1]:
            out[s] = 0.0
            best[s] = -1
            continue
        top, where = -np.inf, -1
        for k in range(first[s], first[s + 1]):
            value = lookahead(k, ptr, succ, flow, reward, discount, V)
            if value > top:
                top, where = value, k
        out[s] = top
        best[s] = where
        change = top - V[s]
        low = min(low, change)
        high = max(high, change)
    return low, high


@kernel
def follow(lo, hi, pair, ptr, succ, flow, reward, discount, V, out):
    """Jacobi sweep of a fixed policy, given as one pair a state (-1: terminal). Returns the range of the change."""
    low, high = np.inf, -np.inf
    for s in range(lo, hi):
        if pair[s] < 0:
            out[s] = 0.0
            continue
        out[s] = lookahead(pair[s], ptr, succ, flow, reward, discount, V)
        change = out[s] - V[s]
        low = min(low, change)
        high = max(high, change)
    return low, high


@kernel
def pair_values(lo, hi, ptr, succ, flow, reward, discount, V, out):
    """Look-ahead value of pairs lo..hi."""
    for k in range(lo, hi):
        out[k] = lookahead(k, ptr, succ, flow, reward, discount, V)


@kernel
def gauss_seidel(backwards, first, ptr, succ, flow, reward, discount, V):
    """One sweep in place, each state seeing the new values of those before it. Returns the largest change."""
    worst = 0.0
    n = first.shape[0] - 1
    for i in range(n):
        s = n - 1 - i if backwards else i
        if first[s] == first[s + 1]:
            continue
        top = -np.inf
        for k in range(first[s], first[s + 1]):
            top = max(top, lookahead(k, ptr, succ, flow, reward, discount, V))
        worst = max(worst, abs(top - V[s]))
        V[s] = top
    return worst


@kernel
def predecessors(first, ptr, succ, flow):
    """Transitions sorted by successor: pointers, the state each comes from, its weight."""
    n = first.shape[0] - 1
    start = np.zeros(n + 1, np.int64)
    for j in range(succ.shape[0]):
        start[succ[j] + 1] += 1
    for s in range(n):
        start[s + 1] += start[s]
    at = start[:-1].copy()
    source = np.empty(succ.shape[0], np.int32)
    weight = np.empty(succ.shape[0])
    for s in range(n):
        for j in range(ptr[first[s]], ptr[first[s + 1]]):
            source[at[succ[j]]] = s
            weight[at[succ[j]]] = flow[j]
            at[succ[j]] += 1
    return start, source, weight


@kernel
def _sink(heap, place, key, i):
    """Let entry i of a heap by ``key``, largest on top, sink to its place; ``place`` is where each state lies."""
    n = heap.shape[0]
    while True:
        child = 2 * i + 1
        if child >= n:
            return
        if child + 1 < n and key[heap[child + 1]] > key[heap[child]]:
            child += 1
        if key[heap[child]] <= key[heap[i]]:
            return
        heap[i], heap[child] = heap[child], heap[i]
        place[heap[i]], place[heap[child]] = i, child
        i = child


@kernel
def _rise(heap, place, key, i):
    """Let entry i rise to its place."""
    while i > 0:
        above = (i - 1) // 2
        if key[heap[above]] >= key[heap[i]]:
            return
        heap[i], heap[above] = heap[above], heap[i]
        place[heap[i]], place[heap[above]] = i, above
        i = above


@kernel
def prioritised(first, ptr, succ, flow, reward, discount, V, start, source, weight, threshold, budget):
    """Back up the state whose residual may be the largest, until none can exceed the threshold.

    The key of a state bounds its residual: it is set to 0 by a backup, and grows by the discounted weight of every
    change of a successor. Returns the number of backups and the largest key left.
    """
    n = first.shape[0] - 1
    key = np.zeros(n)
    for s in range(n):
        if first[s] < first[s + 1]:
            top = -np.inf
            for k in range(first[s], first[s + 1]):
                top = max(top, lookahead(k, ptr, succ, flow, reward, discount, V))
            key[s] = abs(top - V[s])
    heap = np.arange(n)
    place = np.arange(n)
    for i in range(n // 2, -1, -1):
        _sink(heap, place, key, i)
    done = 0
    while done < budget and key[heap[0]] > threshold:
        s = heap[0]
        top = -np.inf
        for k in range(first[s], first[s + 1]):
            top = max(top, lookahead(k, ptr, succ, flow, reward, discount, V))
        change = abs(top - V[s])
        V[s] = top
        key[s] = 0.0
        _sink(heap, place, key, 0)
        done += 1
        if change == 0.0:
            continue
        for j in range(start[s], start[s + 1]):
            t = source[j]
            if first[t] < first[t + 1] and weight[j] > 0.0:
                key[t] += discount * weight[j] * change
                _rise(heap, place, key, place[t])
    return done, key[heap[0]]


@kernel
def relative(lo, hi, first, ptr, succ, flow, reward, stay, V, out, best):
    """Undiscounted sweep of the process that stays put with probability ``stay`` (so no chain is periodic)."""
    low, high = np.inf, -np.inf
    for s in range(lo, hi):
        top, where = 0.0, -1
        if first[s] < first[s + 1]:
            top = -np.inf
            for k in range(first[s], first[s + 1]):
                value = lookahead(k, ptr, succ, flow, reward, 1.0, V)
                if value > top:
                    top, where = value, k
        else:
            top = V[s]
        change = (1.0 - stay) * (top - V[s])
        out[s] = V[s] + change
        best[s] = where
        low = min(low, change)
        high = max(high, change)
    return low, high
