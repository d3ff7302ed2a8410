"""Where a mixture starts: responsibilities from k-means, from seeds or at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.typing import Matrix, Vector


def first_responsibilities(X: Matrix, w: Vector | None, K: int, how: str, rng: Any) -> Matrix:
    """Return responsibilities (n, K): hard from k-means or seeds, soft at random.

    >>> R = first_responsibilities(np.array([[0.0], [9.0]]), None, 2, "kmeans", np.random.RandomState(0))
    >>> R.sum(axis=1)
    array([1., 1.])
    """
    n = len(X)
    if K == 1:
        return np.ones((n, 1))
    if how == "random" or (n <= 20_000 and len(np.unique(X, axis=0)) < K):  # too few distinct rows for as many centres
        R = rng.uniform(size=(n, K))
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
    from epee.structure.kmeans import KMeans

    labels = (
        KMeans(K, n_init=1 if how == "kmeans" else 10, random_state=rng.randint(2**31)).fit(X, sample_weight=w).labels_
    )
    return np.eye(K)[labels]
