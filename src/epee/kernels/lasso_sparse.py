r"""Coordinate descent for the elastic net on sparse columns: arrays in, arrays out.

Minimises :math:`\frac1{2n}\sum_i w_i (y_i - (x_i - \bar x)^\top\beta)^2 + \alpha\rho\|\beta\|_1 + \frac12\alpha(1-\rho)\|\beta\|^2` with
:math:`n = \sum_i w_i`, without a centred copy: the residual is held as :math:`r_i + s`, where a step :math:`d` of coordinate :math:`j`
changes :math:`r` at the non-zeros of its column by :math:`-d x_{ij}` and :math:`s` by :math:`d \bar x_j`. The weighted residuals add up
to 0, so
:math:`\sum_i w_i (x_{ij} - \bar x_j)(r_i + s) = \sum_i w_i x_{ij} r_i + s\, n \bar x_j`.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import kernel
from epee.kernels.reordering import REORDER


@kernel(fastmath=REORDER)
def _slope(j, data, indices, indptr, weight, r, s, mean, n):
    """Return the product of centred column j with the residual, by n; an empty ``weight`` is ones."""
    total = 0.0
    first, end = np.uint64(indptr[j]), np.uint64(indptr[j + 1])
    if weight.size:
        for k in range(first, end):
            i = np.uint64(indices[k])
            total += weight[i] * data[k] * r[i]
    else:
        for k in range(first, end):
            total += data[k] * r[np.uint64(indices[k])]
    return total / n + s * mean[j]


@kernel
def _move(j, step, data, indices, indptr, r, state, mean):
    """Take a step of coordinate j out of the residual."""
    for k in range(np.uint64(indptr[j]), np.uint64(indptr[j + 1])):
        r[np.uint64(indices[k])] -= step * data[k]
    state[0] += step * mean[j]


@kernel
def _sweep(columns, count, data, indices, indptr, weight, mean, norms, n, r, state, beta, l1, l2, positive):
    """Update some coordinates once; return the largest change of the mean square of the fit."""
    largest = 0.0
    for c in range(count):
        j = columns[c]
        d = norms[j]
        if d <= 0.0:
            continue
        old = beta[j]
        z = _slope(j, data, indices, indptr, weight, r, state[0], mean, n) + d * old
        if z > l1:
            new = (z - l1) / (d + l2)
        elif z < -l1 and not positive:
            new = (z + l1) / (d + l2)
        else:
            new = 0.0
        if new != old:
            beta[j] = new
            _move(j, new - old, data, indices, indptr, r, state, mean)
            largest = max(largest, d * (new - old) ** 2)
    return largest


@kernel
def _gap(slopes, beta, rr, ry, l1, l2, positive):
    """Return the duality gap from the slopes of all columns, all sums divided by n."""
    largest, norm1, norm2 = 0.0, 0.0, 0.0
    for j in range(len(beta)):
        q = slopes[j] - l2 * beta[j]
        largest = max(largest, q if positive else abs(q))
        norm1 += abs(beta[j])
        norm2 += beta[j] * beta[j]
    const = l1 / largest if largest > l1 else 1.0
    return 0.5 * rr * (1.0 + const * const) + l1 * norm1 - const * ry + 0.5 * l2 * (1.0 + const * const) * norm2


@kernel
def sparse_path(data, indices, indptr, weight, mean, norms, y, alphas, ratio, tol, max_iter, positive, start):
    """Return coefficients (A, p), gaps (A,) and sweeps (A,) along decreasing penalties; ``y`` is centred, ``norms`` divided by n."""
    p, A, rows = len(mean), len(alphas), len(y)
    n = weight.sum() if weight.size else float(rows)
    found, gaps, sweeps = np.zeros((A, p)), np.zeros(A), np.zeros(A, dtype=np.int64)
    beta, r, state = start.copy(), y.copy(), np.zeros(1)
    for j in range(p):
        if beta[j] != 0.0:
            _move(j, beta[j], data, indices, indptr, r, state, mean)
    yy = 0.0
    for i in range(rows):
        yy += (weight[i] if weight.size else 1.0) * y[i] * y[i] / n
    slopes, columns, goal = np.empty(p), np.empty(p, dtype=np.int64), tol * yy
    for a in range(A):
        l1, l2 = alphas[a] * ratio, alphas[a] * (1.0 - ratio)
        done, inner = 0, max(goal * 1e-2, 1e-30)
        while True:
            rr, ry = 0.0, 0.0
            for i in range(rows):
                e, u = r[i] + state[0], weight[i] if weight.size else 1.0
                rr += u * e * e / n
                ry += u * e * y[i] / n
            count = 0
            for j in range(p):
                slopes[j] = _slope(j, data, indices, indptr, weight, r, state[0], mean, n)
                if beta[j] != 0.0 or (slopes[j] if positive else abs(slopes[j])) > l1:
                    columns[count] = j  # the others stay at 0, as long as the slopes do
                    count += 1
            gaps[a] = _gap(slopes, beta, rr, ry, l1, l2, positive)
            if done >= max_iter or (done > 0 and gaps[a] <= goal) or inner <= 1e-28 * (yy + 1e-300):
                break
            while done < max_iter:
                done += 1
                if (
                    _sweep(
                        columns, count, data, indices, indptr, weight, mean, norms, n, r, state, beta, l1, l2, positive
                    )
                    <= inner
                ):
                    break
            inner *= 0.1
        found[a], sweeps[a] = beta, done
    return found, gaps, sweeps
