"""Searches of neighbours against the whole table of distances."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from epee.kernels import neighbours_heap as heap
from epee.kernels import neighbours_screen as screen
from epee.kernels import neighbours_tree as tree

METRICS = [(0, 2.0), (1, 1.0), (2, 2.0), (3, 3.0)]


def table(A, B, metric, power):
    D = np.abs(A[:, None] - B[None])
    return ((D**2).sum(axis=2), D.sum(axis=2), D.max(axis=2), (D**power).sum(axis=2))[metric]


def nearest(D, k):
    """Return the k smallest of each row, and of equals the first."""
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, order, axis=1), order


@pytest.fixture(params=[0, 1])
def rng(request):
    return np.random.default_rng(request.param)


def test_the_heap_keeps_the_nearest(rng):
    d, best, who = rng.integers(0, 9, 60).astype(float), np.full(7, np.inf), np.full(7, 60)
    for row in rng.permutation(60):
        if heap.farther(best[0], who[0], d[row], row):
            heap.sink(best, who, 0, 7, d[row], row)
    heap.unwind(best, who)
    expected = sorted((v, i) for i, v in enumerate(d))[:7]
    assert list(zip(best, who, strict=True)) == expected
    assert heap.farther(1.0, 2, 1.0, 1) and not heap.farther(1.0, 1, 1.0, 2) and heap.farther(2.0, 0, 1.0, 9)


@pytest.mark.parametrize(("metric", "power"), METRICS)
def test_distances(rng, metric, power):
    q, x, box = rng.random(6), rng.random(6), np.sort(rng.random((2, 6)), axis=0)
    d = table(q[None], x[None], metric, power)[0, 0]
    assert tree.exact(q, x, metric, power) == pytest.approx(d)
    inside = np.clip(q, *box)
    assert tree.gap(q, box, metric, power) == pytest.approx(table(q[None], inside[None], metric, power)[0, 0])
    assert tree.root(d, metric, power) == pytest.approx([d**0.5, d, d, d ** (1 / 3)][metric])
    assert tree.loosened(d, 0.0, 6, metric, power) >= d
    block = rng.random((6, 9)).astype(np.float32)
    out = np.empty(9, np.float32)
    tree.rough(q.astype(np.float32), block.ravel(), 9, metric, np.float32(power), out)
    np.testing.assert_allclose(out, table(q[None], block.T, metric, power)[0], rtol=1e-5)


@pytest.mark.parametrize(("metric", "power"), METRICS)
def test_search_by_boxes(rng, metric, power):
    X, Q, depth, k = rng.integers(0, 5, (300, 3)) / 5.0, rng.random((20, 3)), 3, 6  # many ties
    centre = X.mean(axis=0)
    rows, boxes, leaves = np.arange(300), np.empty((2 ** (depth + 1) - 1, 2, 3)), np.empty(900, np.float32)
    tree.build(X, centre, rows, boxes, leaves, 0, 0, 0, depth)
    assert sorted(rows) == list(range(300))
    for place in range(2**depth):
        mine = X[rows[(300 * place) >> depth : (300 * (place + 1)) >> depth]]
        assert (boxes[2**depth - 1 + place] == [mine.min(axis=0), mine.max(axis=0)]).all()
    spread = float(np.abs(X - centre).sum(axis=1).max())
    dist, found = np.empty((20, k)), np.empty((20, k), np.int64)
    tree.search(Q, X, centre, spread, rows, boxes, leaves, depth, metric, power, dist, found)
    d, order = nearest(np.array([[tree.exact(q, x, metric, power) for x in X] for q in Q]), k)
    assert (found == order).all() and (dist == d).all()


def test_search_by_products(rng):
    X, Q, k, candidates = rng.normal(size=(200, 4)), rng.normal(size=(15, 4)), 3, 10
    S = (-2 * Q @ X.T).astype(np.float32)
    norms = (X**2).sum(axis=1).astype(np.float32)
    best, who = np.full((15, candidates), np.inf, np.float32), np.full((15, candidates), -1)
    for first in range(0, 200, 50):
        screen.screen(np.ascontiguousarray(S[:, first : first + 50]), norms, first, best, who)
    _, order = nearest((S + norms).astype(float), candidates)
    assert (np.sort(who, axis=1) == np.sort(order, axis=1)).all()
    lengths, error = (Q**2).sum(axis=1), np.full(15, 1e-4)
    dist, found, doubtful = np.empty((15, k)), np.empty((15, k), np.int64), np.empty(15, bool)
    screen.settle(Q, X, best, who, error, lengths, dist, found, doubtful)
    d, order = nearest(cdist(Q, X, "sqeuclidean"), k)
    assert not doubtful.any() and (found == order).all()
    np.testing.assert_allclose(dist, d)
    screen.settle(Q, X, best, who, np.full(15, 1e9), lengths, dist, found, doubtful)
    assert doubtful.all()


@pytest.mark.parametrize("candidates", [1, 2, 7, 40])
@pytest.mark.parametrize("width", [3, 64, 150, 290, 300])
def test_screening_keeps_the_smallest_and_the_largest_of_them_first(rng, candidates, width):
    S, norms = rng.integers(0, 50, (9, 300)).astype(np.float32), rng.integers(0, 9, 300).astype(np.float32)  # many ties
    S[3] = np.sort(S[3])[::-1]  # always a smaller one to come
    S[4] = np.nan
    best, who = np.full((9, candidates), np.inf, np.float32), np.full((9, candidates), -1)
    for first in range(0, 300, width):
        screen.screen(np.ascontiguousarray(S[:, first : first + width]), norms, first, best, who)
    total = np.where(np.isnan(S), np.inf, S + norms)
    np.testing.assert_array_equal(np.sort(best, axis=1), np.sort(total, axis=1)[:, :candidates])
    np.testing.assert_array_equal(best[:, 0], best.max(axis=1))
    for line, rows, all_of_them in zip(best, who, total, strict=True):
        there = rows >= 0
        assert len(set(rows[there].tolist())) == there.sum() and (line[~there] == np.inf).all()
        np.testing.assert_array_equal(line[there], all_of_them[rows[there]])
