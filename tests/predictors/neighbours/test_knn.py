"""Nearest neighbours: the properties of the course, agreement with scikit-learn, leave-one-out of every k at once."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.neighbors
import sklearn.neighbors as theirs
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris

import epee
from epee import KNeighborsClassifier, KNeighborsRegressor
from epee.errors import DataError, WrongUse
from epee.predictors.neighbours.statistics import centre

iris = load_iris()
rng = np.random.default_rng(0)
X_train, y_train = rng.normal(size=(200, 3)), rng.integers(0, 4, 200)
X_test = rng.normal(size=(60, 3))


@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: np.exp(-d)])
@pytest.mark.parametrize("metric", ["minkowski", "manhattan", "chebyshev"])
def test_agrees_with_scikit_learn(weights, metric):
    ours = KNeighborsClassifier(7, weights=weights, metric=metric).fit(X_train, y_train)
    rival = theirs.KNeighborsClassifier(7, weights=weights, metric=metric).fit(X_train, y_train)
    np.testing.assert_allclose(ours.predict_proba(X_test), rival.predict_proba(X_test), atol=1e-12)
    np.testing.assert_array_equal(ours.predict(X_test), rival.predict(X_test))
    Y = np.column_stack([X_train.sum(axis=1), y_train])
    ours = KNeighborsRegressor(4, weights=weights, metric=metric).fit(X_train, Y)
    rival = theirs.KNeighborsRegressor(4, weights=weights, metric=metric).fit(X_train, Y)
    np.testing.assert_allclose(ours.predict(X_test), rival.predict(X_test), atol=1e-12)


def test_neighbours_and_graphs_agree_with_scikit_learn():
    ours, rival = KNeighborsClassifier().fit(X_train, y_train), theirs.KNeighborsClassifier().fit(X_train, y_train)
    for X in (None, X_test):
        for a, b in zip(ours.kneighbors(X, 9), rival.kneighbors(X, 9)):
            np.testing.assert_allclose(a, b, atol=1e-12)
        for mode in ("connectivity", "distance"):
            difference = ours.kneighbors_graph(X, mode=mode) - rival.kneighbors_graph(X, mode=mode)
            assert abs(difference).max() < 1e-12
    assert ours.kneighbors(X_test, 2, return_distance=False).shape == (60, 2)


def test_precomputed_and_sparse():
    from scipy.spatial.distance import cdist

    plain = KNeighborsClassifier().fit(X_train, y_train).predict(X_test)
    table = KNeighborsClassifier(metric="precomputed").fit(cdist(X_train, X_train), y_train)
    np.testing.assert_array_equal(table.predict(cdist(X_test, X_train)), plain)
    sparse = KNeighborsClassifier().fit(csr_matrix(X_train), y_train)
    np.testing.assert_array_equal(sparse.predict(csr_matrix(X_test)), plain)


def test_k_of_one_interpolates_and_k_of_n_is_the_mean():
    y = X_train @ [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(KNeighborsRegressor(1).fit(X_train, y).predict(X_train), y)
    np.testing.assert_allclose(KNeighborsRegressor(200).fit(X_train, y).predict(X_test), y.mean())
    assert KNeighborsClassifier(1).fit(X_train, y_train).score(X_train, y_train) == 1.0


def test_order_of_the_rows_does_not_matter():
    order = rng.permutation(200)
    a = KNeighborsClassifier().fit(X_train, y_train).predict_proba(X_test)
    b = KNeighborsClassifier().fit(X_train[order], y_train[order]).predict_proba(X_test)
    np.testing.assert_allclose(a, b)


def test_the_median_withstands_one_wild_value():
    X, y = np.arange(3.0)[:, None], np.array([1.0, 2.0, 3.0])
    for wild in (1e3, 1e9):
        y[2] = wild
        assert KNeighborsRegressor(3, statistic="median").fit(X, y).predict([[1.0]])[0] == 2.0
        assert KNeighborsRegressor(3).fit(X, y).predict([[1.0]])[0] > wild / 4


def test_power_statistics_minimise_their_loss():
    Y, mass = rng.normal(size=(20, 9)), rng.uniform(0.1, 2, size=(20, 9))
    from epee.losses.location import best_constant

    for power in (1.0, 1.5, 2.0, 4.0):
        expected = [best_constant(row, power, m) for row, m in zip(Y, mass)]
        np.testing.assert_allclose(centre(Y, mass, power), expected, atol=1e-9)
    np.testing.assert_allclose(centre(Y, None, 1.5), [best_constant(row, 1.5) for row in Y], atol=1e-9)


def test_an_even_k_has_a_stated_tie_rule():
    X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array(["a", "b", "b", "a"])
    assert KNeighborsClassifier(4).fit(X, y).predict([[1.4]])[0] == "a"
    assert KNeighborsClassifier(4, ties="nearest").fit(X, y).predict([[1.4]])[0] == "b"


def test_leave_one_out_knows_the_tie_rule_and_the_degrees_of_freedom():
    X, y = X_train[:40], y_train[:40]
    left = KNeighborsClassifier(4, ties="nearest").left_out(X, y).argmax(axis=1)
    for i in range(40):
        rest = np.arange(40) != i
        assert KNeighborsClassifier(4, ties="nearest").fit(X[rest], y[rest]).predict(X[i : i + 1])[0] == left[i]
    assert KNeighborsRegressor(4).fit(X, y).effective_dof_ == 10


def test_an_isolated_point_has_its_island_for_k_of_one_only():
    X = np.vstack([rng.normal(size=(50, 2)), [[0.0, 0.0]]])
    y = np.append(np.zeros(50, dtype=int), 1)
    assert KNeighborsClassifier(1).fit(X, y).predict([[0.0, 0.0]])[0] == 1
    assert KNeighborsClassifier(3).fit(X, y).predict([[0.0, 0.0]])[0] == 0


def test_weights_are_counts():
    w = rng.integers(0, 4, 200)
    again = np.repeat(np.arange(200), w)
    for k in (1, 4, 9):
        a = KNeighborsClassifier(k).fit(X_train, y_train, w).predict_proba(X_test)
        b = KNeighborsClassifier(k).fit(X_train[again], y_train[again]).predict_proba(X_test)
        np.testing.assert_allclose(a, b, atol=1e-12)
    half = KNeighborsClassifier(3).fit(X_train, y_train, np.full(200, 0.5)).predict_proba(X_test)
    np.testing.assert_allclose(half, KNeighborsClassifier(6).fit(X_train, y_train).predict_proba(X_test))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_left_out_predictions_are_those_of_refits(weights):
    X, y = np.round(X_train[:40], 1), y_train[:40]
    X[5] = X[6]
    ks = [1, 3, 4, 11]
    path = KNeighborsClassifier(weights=weights).left_out_path(X, y, None, "n_neighbors", ks)
    values = KNeighborsRegressor(weights=weights, statistic="median").left_out_path(X, X[:, 0], None, "n_neighbors", ks)
    means = KNeighborsRegressor(weights=weights).left_out_path(X, X[:, 0], None, "n_neighbors", ks)
    for i in range(40):
        rest = np.arange(40) != i
        for v, k in enumerate(ks):
            fitted = KNeighborsClassifier(k, weights=weights).fit(X[rest], y[rest])
            np.testing.assert_allclose(path[v, i], fitted.predict_proba(X[i : i + 1])[0], atol=1e-12)
            for statistic, found in (("median", values), ("mean", means)):
                one = KNeighborsRegressor(k, weights=weights, statistic=statistic).fit(X[rest], X[rest, 0])
                np.testing.assert_allclose(found[v, i], one.predict(X[i : i + 1])[0], atol=1e-12)


def test_left_out_with_counts_leaves_one_copy_out():
    w = rng.integers(1, 3, 30)
    again = np.repeat(np.arange(30), w)
    a = KNeighborsClassifier(4).left_out(X_train[:30], y_train[:30], w.astype(float))
    b = KNeighborsClassifier(4).left_out(X_train[again], y_train[again])
    np.testing.assert_allclose(a[again], b, atol=1e-12)


def test_variance_falls_as_one_over_k():
    x = np.linspace(0, 1, 60)[:, None]
    noise = np.random.default_rng(1).normal(size=(400, 60))
    spread = [np.var([KNeighborsRegressor(k).fit(x, e).predict([[0.5]])[0] for e in noise]) for k in (1, 4, 16)]
    np.testing.assert_allclose(spread, [1, 1 / 4, 1 / 16], rtol=0.25)


def test_it_tends_to_the_regression_function():
    errors = []
    for n in (100, 10_000):
        x = np.random.default_rng(2).uniform(size=(n, 1))
        y = np.sin(6 * x[:, 0]) + 0.3 * np.random.default_rng(3).normal(size=n)
        grid = np.linspace(0.1, 0.9, 50)[:, None]
        errors.append(np.mean((KNeighborsRegressor(int(n**0.6)).fit(x, y).predict(grid) - np.sin(6 * grid[:, 0])) ** 2))
    assert errors[1] < errors[0] / 4


def test_sentences():
    with pytest.raises(DataError, match="n_neighbors = 300, n_samples_fit = 200"):
        KNeighborsClassifier(300).fit(X_train, y_train).predict(X_test)
    with pytest.raises(WrongUse, match="n_neighbors is 0"):
        KNeighborsClassifier(0).fit(X_train, y_train)
    with pytest.raises(WrongUse, match="statistic is 'mode'"):
        KNeighborsRegressor(statistic="mode").fit(X_train, y_train)
    with pytest.raises(WrongUse, match="weights is 'far'"):
        KNeighborsClassifier(weights="far").fit(X_train, y_train).predict(X_test)
    with pytest.raises(WrongUse, match="metric is 'crow'; it must be one of 'euclidean'"):
        KNeighborsClassifier(metric="crow").fit(X_train, y_train)
    with pytest.raises(WrongUse, match="algorithm"):
        KNeighborsClassifier(algorithm="octree").fit(X_train, y_train)
    with pytest.raises(DataError, match="weights are counts"):
        KNeighborsClassifier(5).fit(X_train, y_train, np.full(200, 0.001)).predict(X_test)


def test_several_outputs_vote_apart():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    Y = np.column_stack([np.where(X[:, 0] > 0, "a", "b"), np.digitize(X[:, 1], [-0.5, 0.5]).astype(str)])
    ours, rival = epee.KNeighborsClassifier(4).fit(X, Y), sklearn.neighbors.KNeighborsClassifier(4).fit(X, Y)
    Q = rng.normal(size=(20, 3))
    np.testing.assert_array_equal(ours.predict(Q), rival.predict(Q))
    for P, R in zip(ours.predict_proba(Q), rival.predict_proba(Q), strict=True):
        np.testing.assert_allclose(P, R)
    assert [len(c) for c in ours.classes_] == [2, 3] and ours.outputs_2d_
    one = epee.KNeighborsClassifier(4).fit(X, Y[:, 1])
    np.testing.assert_array_equal(ours.predict(Q)[:, 1], one.predict(Q))
    assert epee.KNeighborsClassifier(1).fit(X, ["a"] * 60).predict(Q).tolist() == ["a"] * 20  # one class is learned


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "canberra"])
def test_rows_within_a_radius_are_scikit_learns(metric):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(50, 3)), rng.normal(size=(7, 3))
    ours = epee.KNeighborsClassifier(metric=metric).fit(X, np.arange(50) % 2)
    rival = sklearn.neighbors.NearestNeighbors(metric=metric).fit(X)
    for some in (Q, None):
        d, rows = ours.radius_neighbors(some, 1.2, sort_results=True)
        D, R = rival.radius_neighbors(some, 1.2, sort_results=True)
        for a, b, i, j in zip(d, D, rows, R, strict=True):
            np.testing.assert_allclose(a, b)
            np.testing.assert_array_equal(i, j)
        A = ours.radius_neighbors_graph(some, 1.2, mode="distance").toarray()
        np.testing.assert_allclose(A, rival.radius_neighbors_graph(some, 1.2, mode="distance").toarray(), atol=1e-12)
    with pytest.raises(WrongUse, match="radius"):
        ours.radius_neighbors(Q, -1.0)


def test_a_search_that_holds_rows_is_learned_from():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 3
    want = epee.KNeighborsClassifier(3).fit(X, y).predict(X)
    trees = sklearn.neighbors.KDTree(X), sklearn.neighbors.BallTree(X), sklearn.neighbors.NearestNeighbors().fit(X)
    for held in (*trees, epee.KNeighborsRegressor().fit(X, y)):
        np.testing.assert_array_equal(epee.KNeighborsClassifier(3).fit(held, y).predict(X), want)


def test_a_graph_of_distances_is_a_table_with_holes():
    X = np.random.default_rng(0).normal(size=(30, 2))
    graph = sklearn.neighbors.KNeighborsTransformer(n_neighbors=6, mode="distance").fit_transform(X)
    y = X[:, 0]
    by_graph = epee.KNeighborsRegressor(4, metric="precomputed").fit(graph, y)
    np.testing.assert_allclose(by_graph.predict(graph), epee.KNeighborsRegressor(4).fit(X, y).predict(X))
    with pytest.raises(DataError, match="neighbors are required"):
        by_graph.set_params(n_neighbors=9).predict(graph)


def test_training_rows_are_judged_without_themselves():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = (X[:, 0] > 0).astype(int)
    model = epee.KNeighborsClassifier(3).fit(X, y)
    alone = [
        epee.KNeighborsClassifier(3).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[[i]])[0] for i in range(30)
    ]
    np.testing.assert_array_equal(model.predict(None), alone)
    assert model.score(None, y) == pytest.approx(np.mean(np.array(alone) == y))


def test_parameters_that_speak_twice_and_weights_that_vanish_are_told():
    X = np.arange(8.0).reshape(4, 2)
    with pytest.warns(SyntaxWarning, match="Parameter p is found in metric_params"):
        model = epee.KNeighborsClassifier(2, metric_params={"p": 3}).fit(X, [0, 0, 1, 1])
    np.testing.assert_allclose(model.kneighbors([[1.0, 3.0]])[0][0], [1.0, 9 ** (1 / 3)])
    none = epee.KNeighborsClassifier(2, weights=lambda d: np.where(d > 0.5, 0.0, 1.0)).fit(X, [0, 0, 1, 1])
    with pytest.raises(DataError, match="getting zero weights.*row 1"):
        none.predict([[0.0, 1.0], [3.0, 2.0]])


@pytest.mark.parametrize("form", ["bsr", "dok", "dia"])
def test_distances_whose_zeros_are_lost_or_made_up_are_refused(form):
    from scipy.sparse import csr_array

    X = np.array([[0.0], [0.0], [1.0], [3.0]])  # the first two rows are equal: a distance of 0 that must be kept
    graph = csr_array(sklearn.neighbors.kneighbors_graph(X, 2, mode="distance", include_self=True))
    model = epee.KNeighborsRegressor(2, metric="precomputed").fit(graph, X[:, 0])
    with pytest.raises(TypeError, match="not supported due to its handling of explicit zeros"):
        model.predict(graph.asformat(form))
    with pytest.raises(TypeError, match="explicit zeros"):
        epee.Isomap(n_neighbors=1, metric="precomputed").fit(graph.asformat(form))
    with pytest.raises(RuntimeError, match="connected components"):
        epee.Isomap(n_neighbors=1, n_components=1, metric="precomputed").fit(
            sklearn.neighbors.kneighbors_graph(np.array([[0.0], [1], [2], [5], [6], [7]]), 2, mode="distance")
        )
