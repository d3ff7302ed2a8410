r"""The moves of mean shift, over a k-d tree.

With the flat kernel a node whose box lies wholly within the ball around :math:`x` enters by its total weight and sum, so only
the leaves on the rim of the ball are scanned. With the Gaussian kernel rows beyond ``reach`` are left out.
"""

from __future__ import annotations

import math

import numpy as np

from epee.kernels import shift_twin as twin
from epee.kernels.cluster_tree import LEAF, box_distance, scan
from epee.kernels.compiling import bearable, kernel


@kernel(meanwhile=bearable)
def node_sums(P, w, span):
    """Return the total weight (N,) and the weighted sum (N, p) of the points of each node."""
    p = P.shape[0]
    total, sums = np.zeros(span.shape[0]), np.zeros((span.shape[0], p))
    for node in range(span.shape[0] - 1, -1, -1):
        left = span[node, 2]
        if left >= 0:
            total[node] = total[left] + total[left + 1]
            for j in range(p):
                sums[node, j] = sums[left, j] + sums[left + 1, j]
        else:
            for t in range(span[node, 0], span[node, 1]):
                total[node] += w[t]
                for j in range(p):
                    sums[node, j] += w[t] * P[j, t]
    return total, sums


@kernel
def far_corner(x, box):
    """Return the squared distance from x to the farthest corner of a box (2, p)."""
    s = 0.0
    for j in range(x.shape[0]):
        d = max(abs(box[0, j] - x[j]), abs(box[1, j] - x[j]))
        s += d * d
    return s


@kernel
def ball_mean(x, P, w, span, box, total, sums, radius2, reach2, gaussian, stack, out, mean):
    """Fill ``mean`` with the kernel-weighted mean of the points around x; return their kernel-weighted total."""
    p = P.shape[0]
    mass = 0.0
    mean[:] = 0.0
    depth = 1
    stack[0] = 0
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if box_distance(x, box[node]) > reach2:
            continue
        if not gaussian and far_corner(x, box[node]) <= reach2:
            mass += total[node]
            for j in range(p):
                mean[j] += sums[node, j]
            continue
        left = span[node, 2]
        if left >= 0:
            stack[depth], stack[depth + 1] = left, left + 1
            depth += 2
            continue
        low, high = span[node, 0], span[node, 1]
        scan(x, 1.0, P, w, low, high, False, out)
        for t in range(high - low):
            if out[t] <= reach2:
                v = w[low + t] * (math.exp(-0.5 * out[t] / radius2) if gaussian else 1.0)
                mass += v
                out[t] = v
            else:
                out[t] = 0.0
        for j in range(p):
            s = 0.0
            for t in range(high - low):
                s += out[t] * P[j, low + t]
            mean[j] += s
    if mass > 0:
        for j in range(p):
            mean[j] /= mass
    return mass


@kernel(twin=twin.shift_seeds, small=twin.dense, meanwhile=twin.few)
def shift_seeds(seeds, P, w, span, box, total, sums, radius, reach, gaussian, tol, max_iter, mass, steps):
    """Move each seed (s, p) in place until it stops; fill the mass around its end and the moves it made."""
    p = P.shape[0]
    stack, out, mean = np.empty(256, np.int64), np.empty(LEAF), np.empty(p)
    for i in range(seeds.shape[0]):
        x = seeds[i]
        mass[i] = 0.0
        for it in range(max_iter + 1):
            found = ball_mean(
                x, P, w, span, box, total, sums, radius * radius, reach * reach, gaussian, stack, out, mean
            )
            steps[i] = it
            if found <= 0:
                break
            mass[i] = found
            moved = 0.0
            for j in range(p):
                d = mean[j] - x[j]
                moved += d * d
                x[j] = mean[j]
            if math.sqrt(moved) <= tol or it == max_iter:
                break
