"""k-medoids: the cost falls with each swap and ends where no single exchange helps."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from epee import KMedoids
from epee.errors import SearchWarning
from epee.structure.kmedoids import build, pam


def cost(D, medoids, w=None):
    return float((D[:, list(medoids)].min(axis=1) * (1.0 if w is None else w)).sum())


@given(st.integers(0, 10_000), st.integers(1, 5), st.booleans())
@settings(max_examples=15)
def test_local_optimum_for_single_swaps(seed, k, weighted):
    rng = np.random.default_rng(seed)
    D = rng.random((25, 25))
    D = D + D.T  # not even a metric
    np.fill_diagonal(D, 0)
    w = rng.integers(1, 4, 25).astype(float) if weighted else np.ones(25)
    medoids, labels, distance, trace, _ = pam(D, w, rng.choice(25, k, replace=False), 100)
    assert (np.diff(trace) < 0).all()
    np.testing.assert_allclose(trace[-1], cost(D, medoids, w), rtol=1e-10)
    np.testing.assert_array_equal(D[np.arange(25), medoids[labels]], D[:, medoids].min(axis=1))
    np.testing.assert_allclose(distance, D[:, medoids].min(axis=1))
    for m in range(k):
        for c in set(range(25)) - set(medoids.tolist()):
            other = medoids.copy()
            other[m] = c
            assert cost(D, other, w) >= trace[-1] - 1e-9


def test_the_best_of_all_on_a_small_table():
    X = np.random.default_rng(3).normal(size=(14, 2)) + np.repeat([[0, 0], [6, 0]], 7, axis=0)
    D = cdist(X, X)
    km = KMedoids(2).fit(X)
    assert np.isclose(km.inertia_, min(cost(D, pair) for pair in combinations(range(14), 2)))
    assert set(map(tuple, km.cluster_centers_)) <= set(map(tuple, X))


def test_build_is_greedy():
    D = cdist(*[np.random.default_rng(0).normal(size=(30, 2))] * 2)
    chosen = build(D, np.ones(30), 3)
    so_far = []
    for c in chosen:
        assert np.isclose(cost(D, [*so_far, c]), min(cost(D, [*so_far, i]) for i in range(30)))
        so_far.append(c)


def test_agrees_with_the_kmedoids_package():
    kmedoids = pytest.importorskip("kmedoids")
    X = (
        np.random.default_rng(0).normal(size=(300, 3))
        + 4 * np.random.default_rng(1).normal(size=(6, 3))[np.arange(300) % 6]
    )
    D = cdist(X, X)
    theirs = kmedoids.fasterpam(D, 6, init="build", random_state=0)
    assert KMedoids(6, "precomputed").fit(D).inertia_ <= theirs.loss * (1 + 1e-9)


@pytest.mark.parametrize("metric", ["cityblock", "euclidean", lambda a, b: float(np.abs(a - b).max())])
def test_any_metric_and_predict(metric):
    X = np.random.default_rng(0).normal(size=(60, 2))
    km = KMedoids(4, metric, init="random", random_state=0).fit(X)
    np.testing.assert_array_equal(km.predict(X), km.labels_)
    D = cdist(X, X, metric)
    again = KMedoids(4, "precomputed", init=km.medoid_indices_).fit(D)
    np.testing.assert_allclose(again.inertia_, km.inertia_)
    np.testing.assert_array_equal(again.predict(D), again.labels_)


def test_weights_are_counts():
    X, w = np.random.default_rng(0).normal(size=(40, 2)), np.random.default_rng(1).integers(0, 3, 40)
    a, b = KMedoids(3).fit(X, sample_weight=w), KMedoids(3).fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(a.inertia_, b.inertia_)
    np.testing.assert_allclose(a.cluster_centers_, b.cluster_centers_)


def bad(change):
    D = 1.0 - np.eye(5)
    change(D)
    return D


@pytest.mark.parametrize(
    ("X", "arguments", "sentence"),
    [
        (np.ones((4, 3)), {"metric": "precomputed"}, r"should be square, got matrix of shape \(4, 3\)"),
        (bad(lambda D: D.__setitem__((1, 2), -1)), {"metric": "precomputed"}, "dissimilarity of rows 1 and 2 is -1"),
        (bad(lambda D: D.__setitem__((3, 3), 2)), {"metric": "precomputed"}, "row 3 to itself is 2; it must be 0"),
        (
            bad(lambda D: D.__setitem__((1, 2), 7)),
            {"metric": "precomputed"},
            "rows 1 and 2 are 7 and 1: the table must be symmetric",
        ),
        (1.0 - np.eye(2), {"metric": "precomputed", "n_clusters": 3}, "only 2 rows"),
        (np.ones((4, 2)), {}, "only 1 distinct row "),
        (np.eye(4), {"n_clusters": 0}, "n_clusters is 0"),
        (np.eye(4), {"metric": "nonsense"}, "metric is 'nonsense'"),
        (np.eye(4), {"init": "far"}, "init is 'far'"),
        (np.eye(4), {"init": [0, 0]}, "2 different row numbers"),
        (np.eye(4), {"metric": lambda a, b: np.nan}, "must be a finite number"),
    ],
)
def test_bad_input(X, arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        KMedoids(**({"n_clusters": 2} | arguments)).fit(X)


def test_too_many_rows_are_refused_before_the_table():
    with pytest.raises(ValueError, match="table of dissimilarities of 5 GB"):
        KMedoids(2).fit(np.zeros((25_000, 1)))


def test_unfinished_search_is_said():
    D = np.random.default_rng(0).random((200, 200))  # far from a metric: many swaps
    D = D + D.T
    np.fill_diagonal(D, 0)
    model = KMedoids(20, "precomputed", init=np.arange(20), max_iter=2)
    with pytest.warns(SearchWarning, match="max_iter=2"):
        model.fit(D)
