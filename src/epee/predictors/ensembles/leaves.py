r"""The training rows that share the leaves of a row: how near they are, and what law of the target they make.

The weight of training row i for an input x is how often they meet, by the size of the leaf,

.. math:: \alpha_i(x) = \frac1T \sum_t \frac{1[i \in \ell_t(x)]}{|\ell_t(x)|}; \tag{1}

the weighted values :math:`y_i` are an estimate of the law of the target at x, and their quantiles are its quantiles (Meinshausen, 2006).
"""

from __future__ import annotations

import numpy as np

from epee.errors import TooLarge
from epee.predictors.ensembles.forest_structure import Forest
from epee.typing import Codes, Matrix, Vector


def proximity(a: Codes, b: Codes) -> Matrix:
    """Return the share of the trees in which two rows share a leaf, (n, m), from their leaves (n, T) and (m, T)."""
    if len(a) * len(b) > 400_000_000:
        raise TooLarge(
            f"the proximities of {len(a)} and {len(b)} rows would take {8 * len(a) * len(b) / 1e9:.0f} GB; sample the rows."
        )
    out = np.zeros((len(a), len(b)))
    for t in range(a.shape[1]):
        out += a[:, t, None] == b[:, t]
    return out / a.shape[1]


def law(forest: Forest, leaves: np.ndarray, keep: np.ndarray | None = None) -> tuple[Codes, Codes, Vector]:
    """Return (row, training row, weight) of (1), sorted by nothing, for rows in leaves (n, T); ``keep`` (n, T) drops trees."""
    n, T = leaves.shape
    use = np.ones((n, T), dtype=bool) if keep is None else keep
    at = leaves[use]
    size = forest.held[at]
    row = np.repeat(np.nonzero(use)[0], size)
    ends = np.cumsum(size)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - size, size)
    trees = use.sum(axis=1)
    return row, forest.rows[np.repeat(forest.starts[at], size) + within], np.repeat(1.0 / size, size) / trees[row]


def quantiles(forest: Forest, leaves: np.ndarray, y: Vector, levels: Vector, keep: np.ndarray | None = None) -> Matrix:
    """Return the quantiles (n, levels) of the laws of the rows."""
    out = np.empty((len(leaves), len(levels)))
    step = 512
    for s in range(0, len(leaves), step):
        row, train, weight = law(forest, leaves[s : s + step], None if keep is None else keep[s : s + step])
        order = np.lexsort((y[train], row))
        below = np.cumsum(weight[order])  # goes from m to m + 1 within row m
        values, m = y[train[order]], min(step, len(leaves) - s)
        for j, level in enumerate(levels):
            at = np.searchsorted(below, np.arange(m) + np.clip(level, 1e-9, 1 - 1e-9))
            out[s : s + m, j] = values[np.minimum(at, len(values) - 1)]
    return out
