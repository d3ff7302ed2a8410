"""Multidimensional scaling, Isomap, locally linear embedding, t-SNE."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.manifold
from scipy.sparse.csgraph import shortest_path
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist
from sklearn.datasets import make_s_curve

from epee import MDS, PCA, TSNE, ClassicalMDS, Isomap, LocallyLinearEmbedding
from epee.errors import DataError, DataWarning, WrongUse
from epee.structure.neighbour_graph import distance_graph, geodesics, neighbour_search

rng = np.random.default_rng(0)
CURVE, ALONG = make_s_curve(400, random_state=0)
FLAT = rng.random((300, 2)) * [4, 1]


def test_classical_scaling_of_distances_is_pca():
    X = rng.normal(size=(50, 4)) * [5, 3, 2, 1]
    mds = ClassicalMDS(4).fit(X)
    np.testing.assert_allclose(np.abs(mds.embedding_), np.abs(PCA(4).fit_transform(X)), atol=1e-8)
    np.testing.assert_allclose(cdist(mds.embedding_, mds.embedding_), cdist(X, X), atol=1e-7)
    table = ClassicalMDS(2, metric="precomputed").fit(cdist(X, X))
    np.testing.assert_allclose(table.embedding_, mds.embedding_[:, :2], atol=1e-8)
    new = rng.normal(size=(5, 4))
    np.testing.assert_allclose(cdist(mds.transform(new), mds.embedding_), cdist(new, X), atol=1e-6)


def test_large_tables_take_the_leading_axes_only():
    X = rng.normal(size=(2100, 3)) * [5, 3, 1]
    np.testing.assert_allclose(np.abs(ClassicalMDS(2).fit_transform(X)), np.abs(PCA(2).fit_transform(X)), atol=1e-6)


def test_tables_that_are_no_dissimilarities_are_refused():
    good = cdist(FLAT[:4], FLAT[:4])
    for change, words in (
        (lambda D: D.__setitem__((0, 1), 9.0), "must be symmetric: row 0, column 1"),
        (lambda D: D.__setitem__((2, 2), 1.0), "diagonal.*row 2 holds 1"),
        (lambda D: D.__setitem__((1, 3), -1.0), "row 1, column 3 is -1"),
    ):
        for model in (ClassicalMDS(metric="precomputed"), MDS(metric="precomputed", n_init=1, init="random")):
            bad = good.copy()
            change(bad)
            with pytest.raises(DataError, match=words):
                model.fit(bad)
    with pytest.raises(DataError, match="square"):
        ClassicalMDS(metric="precomputed").fit(good[:, :3])
    ring = np.array([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0.0]])
    with pytest.warns(DataWarning, match="not Euclidean"):
        ClassicalMDS(metric="precomputed").fit(ring)


def test_isomap_agrees_with_scikit_learn_on_the_s_curve():
    ours, theirs = Isomap(n_neighbors=10).fit(CURVE), sklearn.manifold.Isomap(n_neighbors=10).fit(CURVE)
    assert procrustes(ours.embedding_, theirs.embedding_)[2] < 1e-6
    assert procrustes(ours.transform(CURVE[:40] + 0.01), theirs.transform(CURVE[:40] + 0.01))[2] < 1e-6
    np.testing.assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, atol=1e-9)


def test_paths_are_shortest_and_longer_than_straight_lines():
    graph = distance_graph(neighbour_search(CURVE, 7, None), 7)
    D = geodesics(graph)
    np.testing.assert_allclose(D, shortest_path(graph, directed=False), rtol=1e-12)
    assert (cdist(CURVE, CURVE) - 1e-9 <= D).all()


def test_a_flat_sheet_comes_back_and_landmarks_suffice():
    sheet = np.column_stack([FLAT, np.zeros(300)])
    whole = Isomap(n_neighbors=12).fit_transform(sheet)
    assert procrustes(whole, FLAT)[2] < 0.01
    marks = Isomap(n_neighbors=12, n_landmarks=60).fit_transform(sheet)
    assert procrustes(marks, whole)[2] < 0.01


def test_a_graph_in_pieces_is_reported():
    apart = np.vstack([FLAT, FLAT + 100])
    with pytest.warns(DataWarning, match="in 2 pieces of 300, 300 rows"):
        fitted = Isomap(n_neighbors=5).fit(apart)
    assert fitted.n_pieces_ == 2 and np.isfinite(fitted.embedding_).all()
    for model in (Isomap(disconnected="raise"), LocallyLinearEmbedding(disconnected="raise")):
        with pytest.raises(DataError, match="in 2 pieces"):
            model.fit(apart)


@pytest.mark.parametrize("method", ["standard", "hessian", "modified", "ltsa"])
def test_lle_agrees_with_scikit_learn_on_the_s_curve(method):
    kw = {"n_neighbors": 12, "method": method, "eigen_solver": "dense"}
    ours, theirs = LocallyLinearEmbedding(**kw).fit(CURVE), sklearn.manifold.LocallyLinearEmbedding(**kw).fit(CURVE)
    assert procrustes(ours.embedding_, theirs.embedding_)[2] < 1e-6
    assert procrustes(ours.transform(CURVE[:40] + 0.01), theirs.transform(CURVE[:40] + 0.01))[2] < 1e-6


def test_lle_is_centred_with_unit_columns_and_unrolls():
    fitted = LocallyLinearEmbedding(n_neighbors=12).fit(CURVE)
    np.testing.assert_allclose(fitted.embedding_.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(fitted.embedding_.T @ fitted.embedding_, np.eye(2), atol=1e-6)
    assert max(abs(np.corrcoef(fitted.embedding_[:, k], ALONG)[0, 1]) for k in range(2)) > 0.9


def test_smacof_lowers_the_stress():
    X = rng.normal(size=(40, 5))
    kw = {"n_init": 1, "init": "random", "random_state": 0}
    few, many = MDS(max_iter=3, **kw).fit(X), MDS(max_iter=300, **kw).fit(X)
    assert many.stress_ < few.stress_


def test_tsne_keeps_clusters_apart_and_is_reproducible():
    X = np.repeat(np.eye(3), 15, axis=0) * 20 + rng.normal(size=(45, 3))
    Y = TSNE(perplexity=8, random_state=0, max_iter=400).fit_transform(X)
    labels = np.repeat([0, 1, 2], 15)
    D = cdist(Y, Y) + 1e9 * np.eye(45)
    assert (labels[D.argmin(axis=1)] == labels).mean() > 0.95
    np.testing.assert_array_equal(Y, TSNE(perplexity=8, random_state=0, max_iter=400).fit_transform(X))
    with pytest.raises(DataError, match=r"perplexity \(.*\) must be less than n_samples"):
        TSNE(perplexity=50).fit(X)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Isomap(n_components=0), "n_components is 0"),
        (Isomap(n_neighbors=400), "n_neighbors is 400"),
        (Isomap(n_landmarks=2), "n_landmarks is 2"),
        (Isomap(n_neighbors=None), "one of the two"),
        (LocallyLinearEmbedding(n_components=5), "less than or equal to 3"),
        (LocallyLinearEmbedding(method="fast"), "standard, hessian"),
        (ClassicalMDS(0), "n_components is 0"),
    ],
)
def test_parameters_that_make_no_sense(model, words):
    with pytest.raises((WrongUse, DataError), match=words):
        model.fit(CURVE)


@pytest.mark.parametrize("method", ["standard", "ltsa"])
def test_local_lines_say_that_their_graph_is_in_pieces(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) + np.repeat([[0.0] * 3, [100.0] * 3], 30, axis=0)
    with pytest.warns(DataWarning, match="2 pieces of 30, 30 rows"):
        model = LocallyLinearEmbedding(n_neighbors=6, method=method, random_state=0, eigen_solver="dense").fit(X)
    assert model.n_pieces_ == 2
    with pytest.raises(DataError, match="2 pieces"):
        LocallyLinearEmbedding(n_neighbors=6, method=method, disconnected="raise").fit(X)


@pytest.mark.parametrize("q", [1, 2])
def test_the_error_of_isomap_is_what_its_coordinates_miss(q):
    ours, theirs = (cls(n_neighbors=6, n_components=q).fit(CURVE[:120]) for cls in (Isomap, sklearn.manifold.Isomap))
    assert ours.reconstruction_error() == pytest.approx(theirs.reconstruction_error(), rel=1e-6)
