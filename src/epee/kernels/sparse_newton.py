r"""Sweeps over the coordinates of a quadratic model whose matrix is :math:`X^\top \mathrm{diag}(h)\, X`, by the cells of sparse columns.

The model at weights :math:`w` is :math:`g^\top X d + \tfrac12 (Xd)^\top \mathrm{diag}(h)\, Xd` with penalties of :math:`w + d`. What a
coordinate needs of it is :math:`r = g + h \circ Xd`, which a step changes at the non-zeros of its column only.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import kernel
from epee.kernels.reordering import REORDER


@kernel(fastmath=REORDER)
def model_sweeps(data, indices, indptr, columns, h, r, w, d, bias, l1, l2, goal, most):
    """Sweep over ``columns`` and the bias until no coordinate is farther than ``goal`` from its best; return the sweeps made.

    Most columns stay at 0. So a sweep over all is followed by sweeps over those that are off it, until these have settled, and the next
    over all tells whether another has to leave. ``r`` (n,), ``d`` (p,) and ``bias`` = [weight, step, L1, L2, whether there is one] are
    changed in place.
    """
    n, m = len(r), len(columns)
    bends, off, some, whole_table = np.zeros(m), np.arange(m), m, True
    for c in range(m):
        for k in range(np.uint64(indptr[columns[c]]), np.uint64(indptr[columns[c] + 1])):
            bends[c] += h[np.uint64(indices[k])] * data[k] * data[k]
    whole = h.sum() + bias[3]
    for sweep in range(most):
        largest = 0.0
        if bias[4] > 0.0:
            here = bias[0] + bias[1]
            a, cut = here - (r.sum() + bias[3] * here) / whole, bias[2] / whole
            new = a - cut if a > cut else (a + cut if a < -cut else 0.0)
            step = new - here
            largest = abs(step) * whole
            bias[1] += step
            for row in range(n):
                r[row] += h[row] * step
        left = 0
        for place in range(m if whole_table else some):
            c = place if whole_table else off[place]
            j, bend = columns[c], bends[c] + l2
            if bend <= 0.0:
                continue
            first, last = np.uint64(indptr[j]), np.uint64(indptr[j + 1])
            slope = 0.0
            for k in range(first, last):
                slope += data[k] * r[np.uint64(indices[k])]
            here = w[j] + d[j]
            a, cut = here - (slope + l2 * here) / bend, l1 / bend
            new = a - cut if a > cut else (a + cut if a < -cut else 0.0)
            step = new - here
            if step != 0.0:
                largest = max(largest, abs(step) * bend)
                d[j] += step
                for k in range(first, last):
                    i = np.uint64(indices[k])
                    r[i] += h[i] * data[k] * step
            if new != 0.0:
                off[left] = c  # never ahead of the place that is read
                left += 1
        some = left
        if largest <= goal:
            if whole_table:
                return sweep + 1
            whole_table = True
        else:
            whole_table = False
    return most
