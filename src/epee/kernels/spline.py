"""The smoothing spline in O(n): Reinsch's banded equations, and the diagonal of the smoother matrix; bases of natural splines.

Arrays in, arrays out; ``h`` (n-1,) are gaps between knots, ``w`` (n,) weights, ``y`` (n,) values, ``lam`` the penalty.
"""

from __future__ import annotations

import numpy as np

from epee.kernels import spline_twin as twin
from epee.kernels.compiling import FEW_CELLS, bearable, kernel


@kernel(meanwhile=bearable)
def smooth(h, w, y, lam):
    """Return the fit g (n,), second derivatives gamma (n,), leverages (n,): the diagonal of the smoother matrix."""
    n = len(y)
    m = n - 2
    d = np.empty(m)  # the pentadiagonal matrix R + lam Q'W^-1 Q, then its factor L D L'
    e = np.zeros(m)
    f = np.zeros(m)
    r = np.empty(m)
    for j in range(m):
        a, b = 1.0 / h[j], 1.0 / h[j + 1]
        mid = -a - b
        d[j] = (h[j] + h[j + 1]) / 3.0 + lam * (a * a / w[j] + mid * mid / w[j + 1] + b * b / w[j + 2])
        if j + 1 < m:
            c = 1.0 / h[j + 2]
            e[j] = h[j + 1] / 6.0 + lam * (mid * b / w[j + 1] + b * (-b - c) / w[j + 2])
        if j + 2 < m:
            f[j] = lam * b / h[j + 2] / w[j + 2]
        r[j] = (y[j + 2] - y[j + 1]) * b - (y[j + 1] - y[j]) * a
    l1 = np.zeros(m)  # l[j+1, j] and l[j+2, j]
    l2 = np.zeros(m)
    for j in range(m):
        if j >= 1:
            d[j] -= l1[j - 1] * l1[j - 1] * d[j - 1]
        if j >= 2:
            d[j] -= l2[j - 2] * l2[j - 2] * d[j - 2]
        up = e[j]
        if j >= 1:
            up -= l1[j - 1] * l2[j - 1] * d[j - 1]
        l1[j] = up / d[j]
        l2[j] = f[j] / d[j]
    gamma = np.zeros(n)
    z = r.copy()
    for j in range(m):
        if j >= 1:
            z[j] -= l1[j - 1] * z[j - 1]
        if j >= 2:
            z[j] -= l2[j - 2] * z[j - 2]
    for j in range(m - 1, -1, -1):
        z[j] /= d[j]
        if j + 1 < m:
            z[j] -= l1[j] * z[j + 1]
        if j + 2 < m:
            z[j] -= l2[j] * z[j + 2]
        gamma[j + 1] = z[j]
    g = np.empty(n)
    for i in range(n):
        bend = 0.0
        if i >= 2:
            bend += gamma[i - 1] / h[i - 1]
        if 1 <= i <= m:
            bend -= gamma[i] * (1.0 / h[i - 1] + 1.0 / h[i])
        if i < m:
            bend += gamma[i + 1] / h[i]
        g[i] = y[i] - lam * bend / w[i]
    b0 = np.zeros(m + 2)  # bands of the inverse, from the bottom up
    b1 = np.zeros(m + 2)
    b2 = np.zeros(m + 2)
    for j in range(m - 1, -1, -1):
        b1[j] = -l1[j] * b0[j + 1] - l2[j] * b1[j + 1]
        b2[j] = -l1[j] * b1[j + 1] - l2[j] * b0[j + 2]
        b0[j] = 1.0 / d[j] - l1[j] * b1[j] - l2[j] * b2[j]
    leverage = np.empty(n)
    for i in range(n):
        left = 1.0 / h[i - 1] if i >= 2 else 0.0  # entries of row i of Q, in columns i-2, i-1, i of the inner knots
        mid = -1.0 / h[i - 1] - 1.0 / h[i] if 1 <= i <= m else 0.0
        right = 1.0 / h[i] if i < m else 0.0
        s = 0.0
        if i >= 2:
            s += left * left * b0[i - 2]
        if 1 <= i <= m:
            s += mid * mid * b0[i - 1]
        if i < m:
            s += right * right * b0[i]
        if i >= 2 and i <= m:
            s += 2.0 * left * mid * b1[i - 2]
        if 1 <= i < m:
            s += 2.0 * mid * right * b1[i - 1]
        if 2 <= i < m:
            s += 2.0 * left * right * b2[i - 2]
        leverage[i] = 1.0 - lam * s / w[i]
    return g, gamma, leverage


@kernel(meanwhile=bearable)
def evaluate(x, knots, g, gamma, start, stop, out):
    """Write the values of the natural cubic spline at x[start:stop]; linear outside the knots."""
    n = len(knots)
    for i in range(start, stop):
        t = x[i]
        if t <= knots[0]:
            h = knots[1] - knots[0]
            slope = (g[1] - g[0]) / h - h / 6.0 * gamma[1]
            out[i] = g[0] + (t - knots[0]) * slope
        elif t >= knots[n - 1]:
            h = knots[n - 1] - knots[n - 2]
            slope = (g[n - 1] - g[n - 2]) / h + h / 6.0 * gamma[n - 2]
            out[i] = g[n - 1] + (t - knots[n - 1]) * slope
        else:
            k = np.searchsorted(knots, t) - 1
            h = knots[k + 1] - knots[k]
            a, b = t - knots[k], knots[k + 1] - t
            out[i] = (a * g[k + 1] + b * g[k]) / h - a * b / 6.0 * (
                (1.0 + a / h) * gamma[k + 1] + (1.0 + b / h) * gamma[k]
            )


def few_cells(X, *others):
    """Tell whether NumPy makes the bases of a table sooner than numba is met."""
    return X.size <= FEW_CELLS


@kernel(twin=twin.natural_rows, small=few_cells, meanwhile=twin.few_rows)
def natural_rows(X, low, span, knots, lasts, C, slopes, starts, out):
    """Write the bases of natural cubic splines of all columns of rows (n, p) side by side to ``out`` (n, q).

    Those of column j begin at ``starts[j]``. Its ``knots[j]`` (K,), scaled to [0, 1] by ``low`` and ``span``, end with the one at
    ``lasts[j]``; a column that has fewer than three is written as it is. ``C`` (p, K, K) are second derivatives at the knots and
    ``slopes`` (p, 2, K) first ones at the outer knots, of the splines that are 1 at one knot and 0 at the others; that of the first
    knot is left out.
    """
    n, p = X.shape
    for i in range(n):
        for j in range(p):
            at, last = starts[j], lasts[j]
            if last < 2:
                out[i, at] = X[i, j]
                continue
            t = (X[i, j] - low[j]) / span[j]
            inside = min(max(t, 0.0), 1.0)
            k = 0
            for m in range(1, last):
                k += inside >= knots[j, m]
            left, right = knots[j, k], knots[j, k + 1]
            h, a, b = right - left, inside - left, right - inside
            bend = -a * b / 6
            u, v = bend * (1 + a / h), bend * (1 + b / h)
            for m in range(1, last + 1):
                out[i, at + m - 1] = C[j, k + 1, m] * u + C[j, k, m] * v
            out[i, at + k] += a / h
            if k > 0:
                out[i, at + k - 1] += b / h
            if t != inside:
                side = 1 if inside > 0.5 else 0
                for m in range(1, last + 1):
                    out[i, at + m - 1] += (t - inside) * slopes[j, side, m]
