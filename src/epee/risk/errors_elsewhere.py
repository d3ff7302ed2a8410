r"""The errors of linear classifiers on rows that lie elsewhere, counted there.

The scores of all models are one product :math:`X [\beta_1 \dots \beta_T]`, of which each row keeps those of the model that it tests.
With :math:`E` (n, T) the indicators of the models, :math:`[\mathbf 1\; e]^\top W E` are weights and errors: only these come back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.arrays import affine_rows, at_home, like, namespace, numbers_like, taken
from epee.estimator.stack import Linear
from epee.table.block import Block
from epee.typing import Matrix


def count_errors(block: Block, models: Linear, tested_by: np.ndarray, by_cell: bool) -> Matrix:
    """Return the weight, the errors and their squares (3, T) of each model, or (3, C) of each cell, as sums over a block."""
    X: Any = block.X
    xp, (T, k, p), n = namespace(X), models.coef.shape, X.shape[0]
    there = namespace(models.coef)
    scores = affine_rows(X, there.reshape(models.coef, (T * k, p)).T, there.reshape(models.intercept, (-1,)))
    scores = xp.reshape(scores, (n * T, k))
    fold, truth = like(block.fold, X), like(block.group, X)
    w = None if block.weight is None else xp.astype(like(block.weight, X), xp.float64)
    counts = fold >= 0
    cell = xp.where(counts, fold, 0)
    first = numbers_like(n, fold, fold.dtype) * T
    places = numbers_like(tested_by.shape[1] if by_cell else T, fold, fold.dtype)
    sums = []
    for by in tested_by:  # a repeat
        model = taken(like(by, fold, fold.dtype), cell)
        tested = counts if (by >= 0).all() else counts & (model >= 0)
        own = taken(scores, first + xp.where(tested, model, 0))  # (n, k)
        wrong = xp.astype(xp.argmax(own, axis=1) != truth, xp.float64)
        E = xp.astype(((cell if by_cell else model)[:, None] == places[None, :]) & tested[:, None], xp.float64)
        E = E if w is None else E * w[:, None]
        sums.append(xp.stack([xp.ones_like(wrong), wrong]) @ E)  # (2, T)
    weight, errors = at_home(sums[0] if len(sums) == 1 else xp.sum(xp.stack(sums), axis=0))
    return np.stack([weight, errors, errors])  # an error is 0 or 1, and so is its square
