"""Bases of natural splines in NumPy: what :func:`epee.kernels.spline.natural_rows` writes, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np

ROWS = 512  # of a block, so that what is made of it stays in the cache
BEARABLE = 2_000_000  # numbers in a table, which take a fifth of a second


def few_rows(X: Any, *others: Any) -> bool:
    """Tell whether a table is small enough to wait for NumPy while the loop is compiled."""
    return bool(X.size <= BEARABLE)


def natural_rows(
    X: Any, low: Any, span: Any, knots: Any, lasts: Any, C: Any, slopes: Any, starts: Any, out: Any
) -> None:
    """Write the bases of the columns of rows side by side."""
    straight, curved = np.flatnonzero(lasts < 2), np.flatnonzero(lasts >= 2)
    out[:, starts[straight]] = X[:, straight]
    if not len(curved):
        return
    K = knots.shape[1]
    of = low[curved], span[curved], knots[curved], lasts[curved], C[curved], slopes[curved]
    real = (np.arange(K) > 0) & (np.arange(K) <= lasts[curved][:, None])  # (c, K): all but that of the first knot
    places = (starts[curved][:, None] + np.arange(-1, K - 1))[real]
    for start in range(0, len(X), ROWS):
        rows = slice(start, start + ROWS)
        out[rows, places] = _bases(X[rows][:, curved], *of)[:, real]


def _bases(X: Any, low: Any, span: Any, knots: Any, lasts: Any, C: Any, slopes: Any) -> Any:
    """Return the value of every basis function (n, c, K) of the columns of a block (n, c)."""
    c, K = knots.shape
    t = (X - low) / span
    inside = np.clip(t, 0.0, 1.0)
    k = np.zeros(X.shape, dtype=np.intp)
    for m in range(1, K - 1):
        k += inside >= np.where(m < lasts, knots[:, m], np.inf)
    at = k + np.arange(c) * K
    left, right = knots.ravel().take(at), knots.ravel().take(at + 1)
    h, a, b = right - left, inside - left, right - inside
    bend = -a * b / 6
    out = C.reshape(c * K, K).take(at + 1, axis=0)
    out *= (bend * (1 + a / h))[..., None]
    other = C.reshape(c * K, K).take(at, axis=0)
    other *= (bend * (1 + b / h))[..., None]
    out += other
    cell = np.arange(0, out.size, K).reshape(X.shape) + k
    flat = out.reshape(-1)
    flat[cell + 1] += a / h
    flat[cell] += b / h
    beyond = np.nonzero(t != inside)
    side = (inside[beyond] > 0.5).astype(np.intp)
    out[beyond] += (t - inside)[beyond][:, None] * slopes[beyond[1], side]
    return out
