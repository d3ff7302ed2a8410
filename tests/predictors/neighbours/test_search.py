"""The search is exact, whatever the route, the metric, the scale and the ties."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from epee.errors import DataError, SingularProblem, WrongUse
from epee.predictors.neighbours import screening
from epee.predictors.neighbours.search import Search


def by_definition(X, Q, k, metric="euclidean", **extra):
    D = cdist(Q, X, metric, **extra)
    order = np.lexsort((np.broadcast_to(np.arange(len(X)), D.shape), D), axis=1)[:, :k]
    return np.take_along_axis(D, order, axis=1), order


CASES = {
    "euclidean": ({"metric": "euclidean"}, {"metric": "euclidean"}),
    "manhattan": ({"metric": "l1"}, {"metric": "cityblock"}),
    "chebyshev": ({"metric": "chebyshev"}, {"metric": "chebyshev"}),
    "minkowski 3": ({"p": 3}, {"metric": "minkowski", "p": 3}),
    "minkowski 1.5": ({"p": 1.5}, {"metric": "minkowski", "p": 1.5}),
    "cosine": ({"metric": "cosine"}, {"metric": "cosine"}),
    "canberra": ({"metric": "canberra"}, {"metric": "canberra"}),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("shape", [(700, 3), (900, 20)])
def test_all_metrics_agree_with_their_definition(name, shape):
    ours, theirs = CASES[name]
    rng = np.random.default_rng(1)
    X, Q = rng.normal(size=shape), rng.normal(size=(50, shape[1]))
    d, rows = Search(X, **ours).nearest(Q, 7)
    expected, order = by_definition(X, Q, 7, **theirs)
    np.testing.assert_allclose(d, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(rows, order)


def test_mahalanobis_and_standardised_distances():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 4)) @ rng.normal(size=(4, 4))
    V = np.cov(X.T)
    d, _ = Search(X, "mahalanobis").nearest(X[:9], 5)
    np.testing.assert_allclose(
        d, by_definition(X, X[:9], 5, "mahalanobis", VI=np.linalg.inv(V))[0], rtol=1e-7, atol=1e-9
    )
    d, _ = Search(X, "mahalanobis", params={"VI": np.linalg.inv(V)}).nearest(X[:9], 5)
    np.testing.assert_allclose(
        d, by_definition(X, X[:9], 5, "mahalanobis", VI=np.linalg.inv(V))[0], rtol=1e-7, atol=1e-9
    )
    d, _ = Search(X, "seuclidean").nearest(X[:9], 5)
    np.testing.assert_allclose(d, by_definition(X, X[:9], 5, "seuclidean", V=X.var(axis=0, ddof=1))[0], atol=1e-9)


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), p=st.integers(1, 30), k=st.integers(1, 20), coarse=st.booleans())
def test_boxes_and_products_return_the_same_bits(seed, p, k, coarse):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, p))
    if coarse:
        X = np.round(X)  # many equal distances: row numbers decide
    Q = np.vstack([X[:20], rng.normal(size=(20, p))])
    a, rows_a = Search(X, algorithm="kd_tree").nearest(Q, k)
    b, rows_b = Search(X, algorithm="brute").nearest(Q, k)
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(rows_a, rows_b)
    D = ((Q[:, None] - X) ** 2).sum(axis=2)
    np.testing.assert_allclose(a**2, np.sort(D, axis=1)[:, :k], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("algorithm", ["kd_tree", "brute"])
@pytest.mark.parametrize(("scale", "offset"), [(1e-150, 0.0), (1e140, 0.0), (1.0, 1e7), (1e-6, 1e3)])
def test_scale_and_offset_cost_no_neighbour(algorithm, scale, offset):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(800, 18)) * scale + offset
    _, rows = Search(X, algorithm=algorithm).nearest(X[:30], 6)
    centred = (X - offset) / scale
    _, expected = by_definition(centred, centred[:30], 6)
    assert (rows == expected).mean() > 0.999
    assert (rows[:, 0] == np.arange(30)).all()


def test_a_query_far_beyond_the_range_of_float32_still_finds_rows():
    X = np.random.default_rng(4).normal(size=(600, 20))
    for algorithm in ("kd_tree", "brute"):
        d, rows = Search(X, algorithm=algorithm).nearest(np.full((1, 20), 1e60), 3)
        assert np.isfinite(d).all()
        assert set(rows[0]) <= set(range(600))


def test_a_search_survives_pickling():
    X = np.random.default_rng(5).normal(size=(50, 3))
    search = Search(X, "mahalanobis")
    first = search.nearest(X, 3)
    again = pickle.loads(pickle.dumps(search)).nearest(X, 3)
    np.testing.assert_array_equal(first[1], again[1])


def test_sentences():
    X = np.array([[1.0, 1.0], [0.0, 0.0], [2.0, 2.0], [3.0, 3.0]])
    with pytest.raises(DataError, match="row 1 is zero"):
        Search(X, "cosine")
    with pytest.raises(SingularProblem, match="singular"):
        Search(X, "mahalanobis")
    with pytest.raises(WrongUse, match="must be positive"):
        Search(X, p=-1)
    with pytest.raises(WrongUse, match="one a column"):
        Search(X, params={"w": [1.0]})


@pytest.mark.parametrize("values", ["normal", "few"])
def test_the_tiles_of_a_screen_change_nothing(values, monkeypatch):
    rng = np.random.default_rng(5)
    X, Q = rng.normal(size=(1500, 17)), rng.normal(size=(300, 17))
    if values == "few":  # many rows are equally far
        X, Q = np.round(X / 2), np.round(Q / 2)
    whole = Search(X).nearest(Q, 40)
    monkeypatch.setattr(screening, "WHOLE", 0)
    for tiled, known in zip(Search(X).nearest(Q, 40), whole, strict=True):
        np.testing.assert_array_equal(tiled, known)
