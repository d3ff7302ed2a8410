"""Trees of clusters: SciPy's digits with and without the table, hclust's heights, the laws of Ward's jump."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import AgglomerativeClustering as Theirs
from sklearn.metrics import adjusted_rand_score

from epee import AgglomerativeClustering, linkage
from epee.structure.hierarchy import LINKAGES, centroid_tree, cut, largest_gap, single_tree, ward_jumps, ward_tree

STORED = Path(__file__).parents[1] / "agreement" / "clusters"
TREES = {"ward": ward_tree, "single": single_tree, "centroid": centroid_tree}


@pytest.mark.parametrize("method", LINKAGES)
def test_heights_of_hclust_on_usarrests(method):
    X = np.loadtxt(STORED / "usarrests.csv", delimiter=",", skiprows=1, usecols=(1, 2, 3, 4))
    table = np.genfromtxt(STORED / "usarrests_heights.csv", delimiter=",", names=True)
    np.testing.assert_allclose(linkage(X, method)[:, 2], table[method], rtol=1e-11)
    if method in TREES:
        np.testing.assert_allclose(np.sort(TREES[method](X, np.ones(50))[:, 2]), np.sort(table[method]), rtol=1e-11)


@pytest.mark.parametrize("method", sorted(TREES))
@pytest.mark.parametrize(("n", "p"), [(2, 1), (3, 2), (40, 2), (700, 3), (1500, 8)])
def test_trees_without_the_table_are_scipys(method, n, p):
    X = (
        np.random.default_rng(n).normal(size=(n, p))
        + 5 * np.random.default_rng(p).normal(size=(4, p))[np.arange(n) % 4]
        + 1e3
    )
    ours, theirs = TREES[method](X, np.ones(n)), hierarchy.linkage(X, method)
    np.testing.assert_allclose(ours[:, 2], theirs[:, 2], rtol=1e-9)
    np.testing.assert_array_equal(ours[:, [0, 1, 3]], theirs[:, [0, 1, 3]])


@pytest.mark.parametrize("method", LINKAGES)
def test_linkage_of_rows_and_of_distances(method):
    X = np.random.default_rng(0).normal(size=(1100 if method in TREES else 60, 2))
    np.testing.assert_allclose(linkage(X, method), hierarchy.linkage(X, method), rtol=1e-9, atol=1e-12)
    d = pdist(X[:50])
    np.testing.assert_array_equal(linkage(d, method), hierarchy.linkage(d, method))


@pytest.mark.parametrize(
    "X", [np.zeros((50, 2)), np.repeat(np.arange(30.0), 3)[:, None], np.indices((12, 12)).reshape(2, -1).T * 1.0]
)
def test_equal_distances_still_give_a_tree(X):
    for method, tree in TREES.items():
        Z = tree(np.asarray(X, float), np.ones(len(X)))
        assert hierarchy.is_valid_linkage(Z)
        if method == "single":  # the heights of single linkage do not depend on how ties are broken
            np.testing.assert_allclose(Z[:, 2], hierarchy.linkage(X, "single")[:, 2], atol=1e-12)
        if method == "ward":
            np.testing.assert_allclose(ward_jumps(Z).sum(), ((X - X.mean(axis=0)) ** 2).sum(), atol=1e-9)
            assert hierarchy.is_monotonic(Z)


def test_points_that_merge_one_at_a_time():
    X = np.cumsum(1.2 ** np.arange(60.0))[:, None]  # each gap is wider than the last: a chain
    X = np.concatenate([X, -X - 1.0])
    for method, tree in TREES.items():
        np.testing.assert_allclose(
            np.sort(tree(X, np.ones(120))[:, 2]), np.sort(hierarchy.linkage(X, method)[:, 2]), rtol=1e-9
        )


@given(st.integers(0, 10_000), st.integers(2, 30))
@settings(max_examples=15)
def test_laws_of_ward(seed, n):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, 2)), rng.integers(1, 5, n).astype(float)
    Z = linkage(X, "ward", sample_weight=w)
    centre = w @ X / w.sum()
    np.testing.assert_allclose(ward_jumps(Z).sum(), (w @ (X - centre) ** 2).sum())  # the jumps are all the inertia
    assert (np.diff(Z[:, 2]) >= -1e-9).all()
    for k in range(1, n):  # a jump is the growth of the inertia within
        within = [
            sum(
                (w[a] @ (X[a] - np.average(X[a], axis=0, weights=w[a])) ** 2).sum()
                for a in (np.flatnonzero(cut(Z, c) == g) for g in range(c))
            )
            for c in (k, k + 1)
        ]
        np.testing.assert_allclose(within[0] - within[1], ward_jumps(Z)[n - 1 - k], rtol=1e-6, atol=1e-9)


def test_a_weight_is_the_row_so_many_times():
    X, w = np.random.default_rng(0).normal(size=(30, 2)), np.random.default_rng(1).integers(1, 4, 30)
    for method in ("ward", "centroid", "single"):
        whole = linkage(np.repeat(X, w, axis=0), method)[:, 2]
        np.testing.assert_allclose(
            np.sort(linkage(X, method, sample_weight=w)[:, 2]), np.sort(whole)[w.sum() - 30 :], rtol=1e-9
        )


@pytest.mark.parametrize("method", ["ward", "complete", "average", "single"])
def test_estimator_cuts_as_scikit_learn(method):
    X = np.random.default_rng(0).normal(size=(200, 3))
    for k in (1, 2, 5, 200):
        ours, theirs = AgglomerativeClustering(k, linkage=method).fit(X), Theirs(k, linkage=method).fit(X)
        assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1
    high = float(ours.distances_[-4]) * 1.0001
    ours = AgglomerativeClustering(None, distance_threshold=high, linkage=method).fit(X)
    theirs = Theirs(None, distance_threshold=high, linkage=method).fit(X)
    assert ours.n_clusters_ == theirs.n_clusters_
    np.testing.assert_allclose(ours.distances_, theirs.distances_)
    np.testing.assert_array_equal(ours.children_, np.sort(theirs.children_, axis=1))


def test_connectivity_and_precomputed():
    from sklearn.neighbors import kneighbors_graph

    X = np.random.default_rng(0).normal(size=(60, 2))
    graph = kneighbors_graph(X, 8)
    ours, theirs = AgglomerativeClustering(4, connectivity=graph).fit(X), Theirs(4, connectivity=graph).fit(X)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1
    D = squareform(pdist(X, "cityblock"))
    a = AgglomerativeClustering(3, metric="precomputed", linkage="average").fit(D)
    b = AgglomerativeClustering(3, metric="cityblock", linkage="average").fit(X)
    np.testing.assert_array_equal(a.labels_, b.labels_)


def test_cut_and_gap():
    X = np.concatenate(
        [np.random.default_rng(k).normal(size=(20, 2)) + 30 * np.array([k % 2, k // 2]) for k in range(4)]
    )
    model = AgglomerativeClustering("gap").fit(X)
    assert model.n_clusters_ == largest_gap(model.linkage_) == 4
    np.testing.assert_array_equal(model.labels_, np.repeat(np.arange(4), 20))
    for k in range(1, 81):
        assert len(np.unique(cut(model.linkage_, k))) == k


def test_centroid_may_invert():
    X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 1.75]])
    Z = centroid_tree(X, np.ones(3))
    np.testing.assert_allclose(Z, hierarchy.linkage(X, "centroid"))
    assert Z[1, 2] < Z[0, 2]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda X: linkage(X, "wrad"), "method is 'wrad'"),
        (lambda X: linkage(X[:1], "ward"), "at least 2 rows; X has 1 sample"),
        (lambda X: linkage(X, "ward", "cityblock"), "about Euclidean distances"),
        (lambda X: linkage(np.where(X > 1, np.nan, X), "ward"), "contains NaN"),
        (lambda X: linkage(np.ones(4), "single"), "not condensed"),
        (lambda X: linkage(-np.ones(3), "single"), "distance 0 is -1"),
        (lambda X: linkage(np.zeros((40_000, 1)), "average"), "need a table of 6 GB"),
        (lambda X: linkage(X, "ward", sample_weight=np.zeros(20)), "all the weights"),
        (lambda X: linkage(X, "ward", sample_weight=np.arange(20)), "weight of row 0 is 0"),
        (lambda X: linkage(X, "average", sample_weight=np.ones(20)), "sample_weight goes with"),
        (lambda X: AgglomerativeClustering(0).fit(X), "n_clusters is 0"),
        (lambda X: AgglomerativeClustering(21).fit(X), "cannot be cut into 21 clusters"),
        (lambda X: AgglomerativeClustering(None).fit(X), "Exactly one of n_clusters and distance_threshold"),
        (lambda X: AgglomerativeClustering(None, distance_threshold=-1).fit(X), "distance_threshold is -1"),
        (lambda X: AgglomerativeClustering(linkage="far").fit(X), "linkage is 'far'"),
        (lambda X: AgglomerativeClustering(metric="precomputed").fit(X @ X.T), "needs the rows themselves"),
        (
            lambda X: AgglomerativeClustering(metric="precomputed", linkage="single").fit(X @ X.T),
            "dissimilarity of row",
        ),
    ],
)
def test_bad_input(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call(np.random.default_rng(0).normal(size=(20, 2)))
