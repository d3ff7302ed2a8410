"""The moves of mean shift for many seeds at once in NumPy: what answers for few rows while the loops are compiled, with the same bits.

The Gaussian kernel of few rows is always taken here, where its exponentials and two products of matrices are quicker than loops. Else all
seeds go through the nodes in the order in which :mod:`epee.kernels.cluster_shift` takes them for one, and a sum over rows or columns is
the last of its partial sums.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import FEW_ROWS


def few(seeds, P, w, span, box, total, sums, radius, reach, gaussian, *others):
    """Tell whether few points are moved among by the flat kernel; exponentials of NumPy are not those of the loops."""
    return P.shape[1] < FEW_ROWS and not gaussian


def dense(seeds, P, w, span, box, total, sums, radius, reach, gaussian, *others):
    """Tell whether few points are moved among by the Gaussian kernel, which reaches most of them."""
    return P.shape[1] < FEW_ROWS and bool(gaussian)


def gaussian_means(x, P, w, squares, radius2, reach2):
    """Return the weight under the Gaussian kernel of the points around each of ``x`` (m, p), and their mean; ``squares`` (n,) of points."""
    d2 = np.maximum((x * x).sum(axis=1)[:, None] + squares - 2 * (x @ P), 0.0)
    held = np.where(d2 <= reach2, w * np.exp(-0.5 / radius2 * d2), 0.0)  # (m, n)
    mass, mean = held.sum(axis=1), held @ P.T
    there = mass > 0
    mean[there] /= mass[there, None]
    return mass, mean


def last(parts):
    """Return the sums along the last axis, each term added to those before it."""
    return np.cumsum(parts, axis=-1)[..., -1]


def ball_means(x, P, w, span, box, total, sums, reach2):
    """Return the weight of the points around each of ``x`` (m, p), and their mean."""
    mass, mean = np.zeros(len(x)), np.zeros(x.shape)
    stack = [(0, np.arange(len(x)))]
    while stack:
        node, who = stack.pop()
        low, high = box[node]
        beyond = np.maximum(np.maximum(low - x[who], x[who] - high), 0.0)
        who = who[last(beyond * beyond) <= reach2]
        farthest = np.maximum(np.abs(low - x[who]), np.abs(high - x[who]))
        inside = last(farthest * farthest) <= reach2
        mass[who[inside]] += total[node]
        mean[who[inside]] += sums[node]
        who = who[~inside]
        if not len(who):
            continue
        start, end, left = span[node]
        if left >= 0:
            stack += [(left, who), (left + 1, who)]
            continue
        d2 = np.zeros((len(who), end - start))
        for j in range(x.shape[1]):
            d = P[j, start:end] - x[who, j, None]
            d2 += d * d
        held = np.where(d2 <= reach2, w[start:end], 0.0)
        mass[who] = last(np.column_stack([mass[who], held]))
        mean[who] += last(held[:, None] * P[:, start:end])
    there = mass > 0
    mean[there] /= mass[there, None]
    return mass, mean


def shift_seeds(seeds, P, w, span, box, total, sums, radius, reach, gaussian, tol, max_iter, mass, steps):
    """Move each seed (s, p) in place until it stops; fill the mass around its end and the moves it made."""
    mass[:] = 0.0
    going, squares = np.arange(len(seeds)), (P * P).sum(axis=0)
    for it in range(max_iter + 1):
        steps[going] = it
        if gaussian:
            found, mean = gaussian_means(seeds[going], P, w, squares, radius * radius, reach * reach)
        else:
            found, mean = ball_means(seeds[going], P, w, span, box, total, sums, reach * reach)
        going, found, mean = going[found > 0], found[found > 0], mean[found > 0]
        mass[going] = found
        moved = last((mean - seeds[going]) ** 2)
        seeds[going] = mean
        going = going[np.sqrt(moved) > tol]
        if not len(going):
            break
