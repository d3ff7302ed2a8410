r"""Coordinate descent on a quadratic with an L1 term.

Minimises :math:`g^\top d + \frac12 d^\top H d + \sum_j \lambda_j |w_j + d_j|` over :math:`d`: each coordinate in turn takes its
exact minimum, a soft threshold, while :math:`H d` is kept up to date. One sweep costs :math:`O(q\,r)` for :math:`r` coordinates that move.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import bearable, kernel


@kernel(meanwhile=bearable)
def threshold_sweeps(H, g, w, lam, tol, sweeps):
    """Return the minimiser v = w + d; H (q, q), g, w and lam (q,). Stops when no coordinate moves its slope by more than tol."""
    q = len(g)
    v = w.copy()
    Hd = np.zeros(q)
    for _ in range(sweeps):
        largest = 0.0
        for j in range(q):
            h = H[j, j]
            if h <= 0.0:
                continue
            slope = g[j] + Hd[j]
            z = v[j] - slope / h
            cut = lam[j] / h
            new = z - cut if z > cut else (z + cut if z < -cut else 0.0)
            move = new - v[j]
            if move != 0.0:
                v[j] = new
                for i in range(q):
                    Hd[i] += H[j, i] * move  # H is symmetric: a row lies together
                if abs(move) * h > largest:
                    largest = abs(move) * h
        if largest <= tol:
            break
    return v
