"""What small tables use gives what the compiled loops give."""

import numpy as np
import pytest

import epee
from epee.kernels import class_sums, cluster_lloyd, neighbours_tree, neighbours_twin, trees_grow, trees_walk
from epee.kernels.compiling import FEW_CELLS


@pytest.fixture(params=[0, 1])
def rng(request):
    return np.random.default_rng(request.param)


def both(kernel, *arguments):
    """Return the arguments after the compiled loop wrote to them, and after the twin did, with what each returned."""
    roads = []
    for run in (kernel.compiled, kernel.twin):
        mine = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
        roads.append((run(*mine), mine))
    return roads


def same(kernel, *arguments, exact=True):
    (a, compiled), (b, twin) = both(kernel, *arguments)
    assert a == b
    for x, y in zip(compiled, twin):
        if isinstance(x, np.ndarray):
            (np.testing.assert_array_equal if exact else np.testing.assert_allclose)(x, y)


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_by_cell_have_the_same_bits(rng, weighted):
    X, cell, origin = rng.normal(size=(90, 5)), rng.integers(0, 4, 90), rng.normal(size=5)
    w, count, sums = rng.random(90) if weighted else np.empty(0), np.zeros(4), np.zeros((4, 5))
    same(class_sums.class_sums, X, cell, w, origin, count, sums)
    same(class_sums.class_squares, X, cell, w, origin, count, sums, sums)
    X[rng.random(X.shape) < 0.1] = np.nan
    same(class_sums.class_scatter, X, cell, w, origin, rng.normal(size=(4, 5)), sums)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
def test_allocations_are_the_same(rng, dtype, weighted, monkeypatch):
    X, w = rng.normal(size=(200, 4)).astype(dtype), rng.integers(1, 3, 200).astype(float) if weighted else None
    found = []
    for few in (lambda *a: True, lambda *a: False):
        for name in ("first_allocation", "next_allocation", "nearest", "own_distances", "closer"):
            monkeypatch.setattr(getattr(cluster_lloyd, name), "small", few)
        found.append(epee.KMeans(5, n_init=3, random_state=0).fit(X, sample_weight=w))
    twin, compiled = found
    np.testing.assert_array_equal(twin.labels_, compiled.labels_)
    tight = {"rtol": 1e-9} if dtype == np.float64 else {"rtol": 1e-4}
    np.testing.assert_allclose(twin.cluster_centers_, compiled.cluster_centers_, **tight)
    np.testing.assert_allclose(twin.inertia_, compiled.inertia_, **tight)
    np.testing.assert_array_equal(twin.predict(X), compiled.predict(X))


@pytest.mark.parametrize(("metric", "power"), [(0, 2.0), (1, 1.0), (2, 2.0), (3, 3.0)])
def test_neighbours_are_the_same_ties_included(rng, metric, power):
    X = rng.integers(0, 4, size=(120, 3)) / 4.0
    Q, k, depth = rng.integers(0, 4, size=(40, 3)) / 4.0, 7, 2
    centre = X.mean(axis=0)
    rows, boxes, leaves = np.arange(120), np.empty((7, 2, 3)), np.empty(360, dtype=np.float32)
    neighbours_tree.build(X, centre, rows, boxes, leaves, 0, 0, 0, depth)
    dist, found = np.empty((40, k)), np.empty((40, k), dtype=np.int64)
    spread = float(np.abs(X - centre).sum(axis=1).max())
    neighbours_tree.search(Q, X, centre, spread, rows, boxes, leaves, depth, metric, power, dist, found)
    d, who = neighbours_twin.search_all(Q, X, k, metric, power)
    np.testing.assert_array_equal(who, found)
    np.testing.assert_allclose(d, dist, rtol=1e-15)


def test_few_looks_at_sizes_alone():
    assert neighbours_twin.few(np.zeros((5, 2)), np.zeros((FEW_CELLS // 2, 2)))
    assert not neighbours_twin.few(np.zeros((5, 2)), np.zeros((FEW_CELLS, 2)))
    assert not neighbours_twin.few(np.zeros((FEW_CELLS, 2)), np.zeros((5, 2)))


OPTIONS = [
    {}, {"max_depth": 3}, {"min_samples_leaf": 5}, {"min_samples_split": 20}, {"min_weight_fraction_leaf": 0.05},
    {"min_impurity_decrease": 0.01}, {"max_leaf_nodes": 6},
]  # fmt: skip


def two_trees(monkeypatch, make, X, y, w):
    """Return the tree grown in NumPy, then the one grown by the compiled loops."""
    grown = []
    before = {k: k.small for k in (trees_grow.grow, trees_grow.describe, trees_walk.walk)}
    for kernel in before:
        monkeypatch.setattr(kernel, "small", lambda *a: True)
    grown.append(make().fit(X, y, sample_weight=w))
    answers = [grown[0].predict(X)]
    for kernel in before:
        monkeypatch.setattr(kernel, "small", None)
    grown.append(make().fit(X, y, sample_weight=w))
    answers.append(grown[1].predict(X))
    np.testing.assert_array_equal(*answers)
    return grown


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("criterion", ["gini2", "gini", "entropy", "error", "squared_error"])
@pytest.mark.parametrize("kind", ["plain", "weighted", "holes", "ties"])
def test_trees_are_the_same(monkeypatch, rng, criterion, options, kind):
    X = rng.normal(size=(120, 4))
    w = rng.random(120) if kind == "weighted" else None
    if kind == "ties":
        X = np.round(2 * X)
    score = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=120)
    if kind == "holes":
        X[rng.random(X.shape) < 0.15] = np.nan
    if criterion == "squared_error":
        twin, compiled = two_trees(monkeypatch, lambda: epee.DecisionTreeRegressor(**options), X, score, w)
    else:
        y = np.digitize(score, [0.5] if criterion == "gini2" else [-0.5, 0.5, 2.0])
        named = criterion.rstrip("2")
        twin, compiled = two_trees(
            monkeypatch, lambda: epee.DecisionTreeClassifier(criterion=named, **options), X, y, w
        )
    a, b = twin.tree_, compiled.tree_
    assert a.node_count == b.node_count > 2
    np.testing.assert_array_equal(a.children_left, b.children_left)
    np.testing.assert_array_equal(a.feature, b.feature)
    np.testing.assert_array_equal(a.missing_go_to_left, b.missing_go_to_left)
    np.testing.assert_array_equal(a.threshold, b.threshold)
    exact = criterion != "entropy"  # NumPy's logarithm may differ from the compiler's in its last bit
    for name in ("impurity", "value", "gain", "weighted_n_node_samples"):
        (np.testing.assert_array_equal if exact else np.testing.assert_allclose)(getattr(a, name), getattr(b, name))


def test_loops_over_few_nodes_are_python_itself(rng):
    left, right = np.array([1, -1, 3, -1, 5, -1, -1]), np.array([2, -1, 4, -1, 6, -1, -1])
    risk = np.array([4.0, 1.0, 2.5, 0.5, 1.5, 0.2, 0.3])
    for kernel, arguments in (
        (trees_walk.preorder, (left, right)), (trees_walk.depths, (left, right)), (trees_walk.weakest_links, (left, right, risk, 1e-12)),
    ):  # fmt: skip
        np.testing.assert_array_equal(kernel.compiled(*arguments), kernel.py_func(*arguments))
