r"""Choosing a penalty on wide sparse rows: on the side of the rows, or fold by fold, never a p x p table.

With :math:`K = Z Z^\top = U D U^\top` of the centred rows, the coordinates of the rows on the axes of their scatter are
:math:`Z V = U D^{1/2}`, and those of the slopes :math:`V^\top Z^\top t = D^{1/2} U^\top t`: all that leaving rows out asks for, without
the axes :math:`V` themselves. Folds are solved by products with the cells of their training rows.
"""

from __future__ import annotations

import numpy as np

from epee.errors import WrongUse
from epee.predictors.regression.rows import solve_penalties
from epee.solve.ridge_path import RidgeSpectrum
from epee.solve.sparse_rows import CentredRows
from epee.solve.spectral import descending_eigh
from epee.table.arrays import ArraySource
from epee.table.sparse import SparseSource
from epee.typing import Codes, Tensor, Vector

MOST_ROWS = 6000  # whose n x n products are decomposed: 0.3 GB, a minute or two


def on_axes(source: SparseSource, centred: bool) -> tuple[RidgeSpectrum, ArraySource, Vector, float]:
    """Return the spectrum of sparse rows, the rows as coordinates on its axes, the level of the targets and the weight of all rows."""
    if source.n_rows > MOST_ROWS:
        raise WrongUse(
            f"leaving each of {source.n_rows:,} sparse rows of {source.n_columns:,} columns out takes a table of rows by rows or of "
            f"columns by columns, and more than {MOST_ROWS:,} are too many: give folds, cv=5 for instance."
        )
    if source.weight is not None and not source.weight.all():
        source = source.taking(np.flatnonzero(source.weight > 0))
    Z = CentredRows.of(source.X, source.weight, centred)
    Y = np.asarray(source.y, dtype=np.float64).reshape(source.n_rows, -1)
    weight = Z.root**2
    level = weight @ Y / weight.sum() if centred else np.zeros(Y.shape[1])
    T = Z.root[:, None] * (Y - level)
    at_mean = Z.X @ Z.mean
    K = np.asarray((Z.X @ Z.X.T).toarray()) - at_mean[:, None] - at_mean + Z.mean @ Z.mean
    K *= np.outer(Z.root, Z.root)
    values, U = descending_eigh((K + K.T) / 2)
    r = int((values > 1e-13 * values[0]).sum()) if values[0] > 0 else 0
    root, U = np.sqrt(values[:r]), U[:, :r]
    spectrum = RidgeSpectrum(values[:r], root[:, None] * (U.T @ T), (T**2).sum(axis=0))
    rows = ArraySource(U * root / Z.root[:, None], Y, source.weight)
    return spectrum, rows, level, float(weight.sum())


def fold_errors(source: SparseSource, fold: Codes, alphas: Vector, centred: bool) -> Tensor:
    """Return the mean squared error (F, A, m) of every fold for the penalties, each solved on the rows of the others."""
    Y = np.asarray(source.y, dtype=np.float64).reshape(source.n_rows, -1)
    m, errors = Y.shape[1], []
    for k in range(int(fold.max()) + 1):
        learn, judge = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        w = None if source.weight is None else source.weight[learn]
        Z = CentredRows.of(source.X[learn], w, centred)
        level = Z.root**2 @ Y[learn] / (Z.root**2).sum() if centred else np.zeros(m)
        T = np.tile(Z.root[:, None] * (Y[learn] - level), len(alphas))  # (n, A m)
        coef = solve_penalties(Z, T, np.repeat(alphas, m)).coef
        fitted = source.X[judge] @ coef - Z.mean @ coef + np.tile(level, len(alphas))
        left = (np.tile(Y[judge], len(alphas)) - fitted) ** 2
        errors.append(
            np.average(left, axis=0, weights=None if source.weight is None else source.weight[judge]).reshape(-1, m)
        )
    return np.array(errors)
