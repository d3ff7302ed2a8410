"""Where a mixture starts: responsibilities from k-means, from seeds or at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.structure.kmeans_starts import surely_distinct
from epee.typing import Matrix, Vector

LOOKED_AT = 2000  # rows in which the distinct ones are counted first


def too_few_points(X: Matrix, K: int) -> str:
    """Return the sentence about more components than distinct points among the rows a start is made from; empty if there are enough.

    >>> too_few_points(np.array([[0.0], [0.0]]), 2)
    'n_components is 2, but the rows have only 1 distinct points. Use fewer components.'
    """
    if K == 1 or surely_distinct(X, K) or len(np.unique(X[:LOOKED_AT], axis=0)) >= K:
        return ""
    distinct = len(np.unique(X, axis=0))
    return (
        ""
        if distinct >= K
        else f"n_components is {K}, but the rows have only {distinct} distinct points. Use fewer components."
    )


def first_responsibilities(X: Matrix, w: Vector | None, K: int, how: str, rng: Any) -> Matrix:
    """Return responsibilities (n, K): hard from k-means or seeds, soft at random.

    >>> R = first_responsibilities(np.array([[0.0], [9.0]]), None, 2, "kmeans", np.random.RandomState(0))
    >>> R.sum(axis=1)
    array([1., 1.])
    """
    n = len(X)
    if K == 1:
        return np.ones((n, 1))
    if how == "random":
        R = rng.uniform(size=(n, K))
        return R / R.sum(axis=1, keepdims=True)
    if (
        n <= 20_000 and not surely_distinct(X, K) and len(np.unique(X, axis=0)) < K
    ):  # too few distinct rows for as many centres: each is shared by several
        point = np.unique(X, axis=0, return_inverse=True)[1].reshape(-1)
        R = (np.arange(K) % (point.max() + 1) == point[:, None]).astype(np.float64)
        return R / R.sum(axis=1, keepdims=True)
    if how == "random_from_data":
        R = np.zeros((n, K))
        R[rng.choice(n, K, replace=False), np.arange(K)] = 1
        return R
    if how == "k-means++":
        from sklearn.cluster import kmeans_plusplus

        R = np.zeros((n, K))
        R[kmeans_plusplus(X, K, sample_weight=w, random_state=rng)[1], np.arange(K)] = 1
        return R
    from epee.structure.kmeans import cluster_of_rows

    return np.eye(K)[cluster_of_rows(X, w, K, 1 if how == "kmeans" else 10, rng.randint(2**31))]
