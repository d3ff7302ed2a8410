"""The order in which columns enter the path of an L1 penalty."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from epee.moments.moments import Moments
from epee.solve.elastic_net import Quadratic, penalty_grid
from epee.typing import Matrix, Vector


def entry_penalties(estimator: Any, X: Matrix, y: np.ndarray, w: Vector | None) -> Vector:
    """Return, for each standardised column, the largest penalty at which it has a coefficient; 0 when it never has.

    A regression takes the lasso of the moments. A classifier with an L1 penalty of its own is fitted along a path of ``alpha`` or
    ``C``; any other is replaced by the lasso on one-hot targets, which ranks columns alike.

    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    >>> entry_penalties(None, X, X[:, 0], None).argmax()
    np.int64(0)
    """
    sd = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(sd > 0, sd, 1.0)
    if (
        estimator is not None
        and is_classifier(estimator)
        and "penalty" in estimator.get_params()
        and "alpha" in estimator.get_params()
    ):
        return _by_fitting(estimator, Z, y, w)
    target = y
    if estimator is not None and is_classifier(estimator):
        target = (np.unique(y)[None] == np.asarray(y)[:, None]).astype(float)
    quadratic = Quadratic.of(Moments.of(Z, target, sample_weight=w))
    alphas = penalty_grid(quadratic.largest_alpha(1.0), 200, 1e-3)
    W = quadratic.path(alphas, 1.0, tol=1e-8, max_iter=10_000)[0]  # (A, m, p)
    return _first(alphas, (np.abs(W).max(axis=1) > 0), np.abs(W[-1]).max(axis=0))


def _by_fitting(estimator: Any, Z: Matrix, y: np.ndarray, w: Vector | None) -> Vector:
    alphas = np.geomspace(1.0, 1e-4, 25)
    used = []
    for alpha in alphas:
        fitted = (
            clone(estimator)
            .set_params(penalty="l1", alpha=alpha)
            .fit(Z, y, **({} if w is None else {"sample_weight": w}))
        )
        used.append(np.abs(np.atleast_2d(fitted.coef_)).max(axis=0))
    table = np.array(used)
    return _first(alphas, table > 1e-10, table[-1])


def _first(alphas: Vector, used: np.ndarray, last: Vector) -> Vector:
    """Return the penalty of entry; columns that enter together are ranked by their last size."""
    entered = used.any(axis=0)
    at = np.where(entered, alphas[used.argmax(axis=0)], 0.0)
    return at * (1 + 1e-9 * last / max(float(last.max(initial=0.0)), 1e-300))
