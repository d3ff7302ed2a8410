r"""Coordinate descent for the elastic net on the Gram matrix: arrays in, arrays out.

Minimises :math:`\frac12 w^\top G w - c^\top w + \alpha\rho\|w\|_1 + \frac12\alpha(1-\rho)\|w\|^2` for a decreasing sequence of
:math:`\alpha`, each started from the last, over a working set screened by the sequential strong rule and checked on all columns.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import kernel


@kernel(fastmath=False)
def gap_of(w, q, c, yy, l1, l2):
    """Return the duality gap of w, with q = c - G w and yy = y'y, all divided by n."""
    p = len(w)
    largest, cw, qw, norm1, norm2 = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(p):
        slope = abs(q[j] - l2 * w[j])
        largest = max(largest, slope)
        cw += c[j] * w[j]
        qw += q[j] * w[j]
        norm1 += abs(w[j])
        norm2 += w[j] * w[j]
    rr = max(yy - cw - qw, 0.0)  # ||y - X w||^2 / n
    ry = yy - cw  # (y - X w)'y / n
    const = l1 / largest if largest > l1 else 1.0
    return 0.5 * rr * (1.0 + const * const) + l1 * norm1 - const * ry + 0.5 * l2 * (1.0 + const * const) * norm2


def sweep_in_numpy(G, w, q, members, count, l1, l2, positive):
    """Do what :func:`sweep` does, a row of G at a time."""
    largest = 0.0
    for j in members[:count].tolist():
        d, old = G[j, j], w[j]
        if d <= 0.0:
            continue
        z = q[j] + d * old
        new = (z - l1) / (d + l2) if z > l1 else (z + l1) / (d + l2) if z < -l1 and not positive else 0.0
        if new != old:
            w[j] = new
            q -= (new - old) * G[j]
            largest = max(largest, d * (new - old) * (new - old))
    return largest


def few_columns(G, c, yy, alphas, *others):
    """Tell whether a path of penalties is short enough for NumPy while the loops are compiled."""
    return len(c) * len(alphas) <= 20_000


@kernel(twin=sweep_in_numpy)
def sweep(G, w, q, members, count, l1, l2, positive):
    """Update the working set once; return the largest change of a fitted value."""
    p = len(w)
    largest = 0.0
    for i in range(count):
        j = members[i]
        d = G[j, j]
        if d <= 0.0:
            continue
        old = w[j]
        z = q[j] + d * old
        if positive:
            new = (z - l1) / (d + l2) if z > l1 else 0.0
        elif z > l1:
            new = (z - l1) / (d + l2)
        elif z < -l1:
            new = (z + l1) / (d + l2)
        else:
            new = 0.0
        if new != old:
            step = new - old
            w[j] = new
            row = G[j]
            for k in range(p):
                q[k] -= step * row[k]
            largest = max(largest, d * step * step)
    return largest


@kernel(meanwhile=few_columns)
def gram_path(G, c, yy, alphas, ratio, tol, max_iter, positive, start):
    """Return coefficients (A, p), gaps (A,) and sweeps (A,) along decreasing penalties."""
    p, A = len(c), len(alphas)
    W = np.zeros((A, p))
    gaps = np.zeros(A)
    sweeps = np.zeros(A, dtype=np.int64)
    w = start.copy()
    q = c - G @ w
    members = np.empty(p, dtype=np.int64)
    inside = np.zeros(p, dtype=np.bool_)
    before = np.max(np.abs(c)) if p else 0.0
    goal = tol * yy
    for a in range(A):
        l1, l2 = alphas[a] * ratio, alphas[a] * (1.0 - ratio)
        if a == 0 and np.any(w != 0.0):  # where the search starts may be where it ends
            gaps[a] = gap_of(w, q, c, yy, l1, l2) if not positive else positive_gap(w, q, c, yy, l1, l2)
            if gaps[a] <= goal and (not positive or np.all(w >= 0.0)):
                W[a], before = w, l1
                continue
        bar = 2.0 * l1 - min(before, 2.0 * l1)
        count = 0
        for j in range(p):
            inside[j] = w[j] != 0.0 or abs(q[j]) >= bar
            if inside[j]:
                members[count] = j
                count += 1
        before = l1
        done = 0
        inner = max(goal * 1e-2, 1e-30)
        while True:
            while done < max_iter:
                done += 1
                if sweep(G, w, q, members, count, l1, l2, positive) <= inner:
                    break
            added = 0
            for j in range(p):  # what the rule left out must satisfy the conditions of the optimum, too
                if not inside[j] and (q[j] if positive else abs(q[j])) > l1 * (1.0 + 1e-12):
                    inside[j] = True
                    members[count] = j
                    count += 1
                    added += 1
            gaps[a] = gap_of(w, q, c, yy, l1, l2) if not positive else positive_gap(w, q, c, yy, l1, l2)
            if done >= max_iter or (added == 0 and (gaps[a] <= goal or inner <= 1e-28 * (yy + 1e-300))):
                break
            if added == 0:
                inner *= 1e-2
        if a % 10 == 9:  # rounding gathers in q: count it again from time to time
            q = c - G @ w
        W[a] = w
        sweeps[a] = done
    return W, gaps, sweeps


@kernel
def positive_gap(w, q, c, yy, l1, l2):
    """Return the duality gap under w >= 0: only positive slopes bind."""
    p = len(w)
    largest, cw, qw, norm1, norm2 = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(p):
        largest = max(largest, q[j] - l2 * w[j])
        cw += c[j] * w[j]
        qw += q[j] * w[j]
        norm1 += w[j]
        norm2 += w[j] * w[j]
    rr = max(yy - cw - qw, 0.0)
    ry = yy - cw
    const = l1 / largest if largest > l1 else 1.0
    return 0.5 * rr * (1.0 + const * const) + l1 * norm1 - const * ry + 0.5 * l2 * (1.0 + const * const) * norm2
