"""Sums of rows by cell in NumPy: what :mod:`epee.kernels.class_sums` means, and what small tables use.

:func:`numpy.bincount` adds in the order of the rows, as the loops do, so both give the same bits.
"""

from __future__ import annotations

import numpy as np


def by_cell(values, cell, cells):
    """Return the sums (cells, p) of the rows of ``values`` (n, p) by cell."""
    p = values.shape[1]
    place = (np.asarray(cell)[:, None] * p + np.arange(p)).ravel()
    return np.bincount(place, values.ravel(), cells * p)[: cells * p].reshape(cells, p)


def class_sums(X, cell, w, origin, count, first):
    """Add the rows (n, p) minus the origin to the sums ``first`` (cells, p), and their weights to ``count`` (cells,)."""
    u = w if w.size else np.ones(len(X))
    count += np.bincount(cell, u, len(count))
    first += by_cell(u[:, None] * (X - origin), cell, len(count))


def class_squares(X, cell, w, origin, count, first, second):
    """Do :func:`class_sums`, and add the squares to ``second`` (cells, p)."""
    u = w if w.size else np.ones(len(X))
    d = X - origin
    count += np.bincount(cell, u, len(count))
    first += by_cell(u[:, None] * d, cell, len(count))
    second += by_cell(u[:, None] * d * d, cell, len(count))


def class_scatter(X, cell, w, origin, shift, scatter):
    """Add the squares of the rows about the mean of their cell, ``origin + shift[cell]``; missing cells are skipped."""
    u = w if w.size else np.ones(len(X))
    d = (X - origin) - shift[cell]
    scatter += by_cell(np.where(d == d, u[:, None] * d * d, 0.0), cell, len(scatter))
