"""What small tables use gives what the compiled loops give."""

from dataclasses import fields

import numpy as np
import pytest

import epee
from epee.kernels import (
    boosting,
    class_sums,
    cluster_links,
    cluster_lloyd,
    cluster_medoids,
    cluster_shift,
    cluster_tree,
    forest,
    forest_twin,
    lasso,
    linear_sgd,
    mixture_sums,
    neighbours_screen,
    neighbours_tree,
    neighbours_twin,
    paths,
    sparse_codes,
    spline,
    trees_grow,
    trees_levels,
    trees_twin,
    trees_walk,
)
from epee.kernels.compiling import FEW_CELLS
from epee.kernels.trees_split import Data


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
    np.testing.assert_equal(a, b)
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


def test_bases_of_splines_have_the_same_bits(rng):
    knots = [np.sort(rng.normal(size=k)) for k in (10, 3, 5)]
    C, slopes, ends = np.zeros((4, 10, 10)), np.zeros((4, 2, 10)), np.zeros((4, 10))
    low, span, lasts = np.zeros(4), np.ones(4), np.array([9, 2, -1, 4])  # the third column has no curve
    for j, k in zip((0, 1, 3), knots):
        low[j], span[j], ends[j, : len(k)] = k[0], k[-1] - k[0], (k - k[0]) / (k[-1] - k[0])
        C[j, : len(k), : len(k)], slopes[j, :, : len(k)] = (
            rng.normal(size=(len(k), len(k))),
            rng.normal(size=(2, len(k))),
        )
    X = np.vstack(
        [2 * rng.normal(size=(700, 4)), [[k[i % len(k)] for k in (*knots[:2], knots[2], knots[2])] for i in range(10)]]
    )
    starts = np.array([0, 9, 11, 12])
    same(spline.natural_rows, X, low, span, ends, lasts, C, slopes, starts, np.full((len(X), 16), np.nan))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
def test_allocations_are_the_same(rng, dtype, weighted, monkeypatch):
    X, w = rng.normal(size=(200, 4)).astype(dtype), rng.integers(1, 3, 200).astype(float) if weighted else None
    found = []
    for few in (lambda *a: True, lambda *a: False):
        for name in ("alternate", "first_allocation", "next_allocation", "nearest", "own_distances", "closer"):
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


def test_branches_go_the_way_of_their_tree(monkeypatch, rng):
    seen = []

    def small(*arguments):
        seen.append((arguments[6] - arguments[5], trees_twin.few(*arguments)))
        return seen[-1][1]

    monkeypatch.setattr(trees_grow.grow, "small", small)
    X = rng.normal(size=(5000, 3))
    with epee.options(threads=2):
        epee.DecisionTreeClassifier().fit(X, X[:, 0] + rng.normal(size=5000) > 0)
    assert min(rows for rows, _ in seen) * 3 <= FEW_CELLS and not any(is_small for _, is_small in seen)
    seen.clear()
    epee.DecisionTreeClassifier().fit(X[:1000], X[:1000, 0] > 0)
    assert seen == [(1000, True)]


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


def by_both(monkeypatch, kernels, work):
    """Return what some work gives with the compiled loops, and with their twins."""
    found = []
    for plain in (False, True):
        for one in kernels:
            monkeypatch.setattr(one, "small", lambda *arguments, plain=plain: plain)
        found.append(work())
    return found


def alike(a, b, names):
    for name in names:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def mixed_table(rng, n=230, gone=0.08):
    X = np.round(rng.normal(size=(n, 5)), 1)
    X[:, 1], X[:, 2] = rng.integers(0, 4, n), rng.integers(0, 12, n)
    y = X[:, 0] + 2.0 * np.isin(X[:, 1], [1, 3]) + rng.normal(size=n)
    X[rng.random(X.shape) < gone] = np.nan
    return X, y


@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize(
    ("maker", "options"),
    [
        ("RandomForest", {}), ("RandomForest", {"min_samples_leaf": 4, "max_features": 2, "max_depth": 5}), ("ExtraTrees", {}),
        ("RandomForest", {"class_weight": "balanced", "bootstrap": False}), ("RandomForest", {"min_impurity_decrease": 0.01}),
    ],
)  # fmt: skip
def test_forests_grow_the_same_trees_level_by_level(rng, monkeypatch, classes, maker, options):
    X, y = mixed_table(rng, gone=0.0 if maker == "ExtraTrees" else 0.08)
    w = rng.random(len(y)) if options else None
    if not classes:
        options = {k: v for k, v in options.items() if k != "class_weight"}
    target = np.digitize(y, [0.5, 1.5][: classes - 1]) if classes else y
    kind = getattr(epee, maker + ("Classifier" if classes else "Regressor"))

    def work():
        model = kind(3, random_state=1, **options).fit(X, target, w)
        return model.forest_, model.apply(X)

    (a, at), (b, also_at) = by_both(monkeypatch, [forest.grow, forest.reach], work)
    alike(a, b, [field.name for field in fields(a)])
    np.testing.assert_array_equal(at, also_at)


def test_whole_numbers_add_up_exactly_in_any_order(rng):
    v = forest_twin.whole(rng.normal(size=500) * 1e3)
    for _ in range(5):
        part = rng.permutation(v)
        assert np.cumsum(part)[-1] == v.sum() and (np.cumsum(part)[400] - np.cumsum(part)[99]) == part[100:401].sum()
    np.testing.assert_array_equal(forest_twin.whole(np.arange(9.0)), np.arange(9.0))


@pytest.mark.parametrize(
    ("classes", "options"),
    [
        (3, {"categorical_features": [1, 2]}), (2, {"categorical_features": [1, 2]}), (0, {"categorical_features": [1, 2]}),
        (3, {"max_features": 2}), (2, {"splitter": "random", "categorical_features": [1]}), (0, {"criterion": "poisson"}),
        (0, {"criterion": "absolute_error", "max_depth": 2}), (0, {"monotonic_cst": [1, 0, 0, 0, 0]}),
        (3, {"categorical_features": [1], "ccp_alpha": 0.01, "min_samples_leaf": 5}), (3, {"criterion": "entropy"}),
    ],
)  # fmt: skip
def test_trees_of_every_kind_are_the_same_while_they_are_compiled(rng, monkeypatch, classes, options):
    X, y = mixed_table(rng, 120)
    target = np.digitize(y, [0.5, 1.5][: classes - 1]) if classes else np.abs(y)
    kind = epee.DecisionTreeClassifier if classes else epee.DecisionTreeRegressor

    def work():
        model = kind(random_state=1, **options).fit(X, target)
        return model.tree_, model.apply(X)

    (a, at), (b, also_at) = by_both(monkeypatch, [trees_grow.grow, trees_grow.describe, trees_walk.walk], work)
    exact = [name for name, v in vars(a).items() if isinstance(v, np.ndarray)]
    if options.get("criterion") in ("entropy", "poisson"):  # a logarithm may differ in its last bit
        np.testing.assert_allclose(a.impurity, b.impurity, rtol=1e-14)
        exact = [name for name in exact if name not in ("impurity", "gain")]
    alike(a, b, exact)
    np.testing.assert_array_equal(at, also_at)


@pytest.mark.parametrize("K", [1, 3])
def test_sums_by_level_have_the_same_bits(rng, K):
    rows, n = rng.permutation(60), 60
    data = Data(rng.normal(size=n), rng.integers(0, K, n), rng.random(n), np.ones(n), *[None] * 5)
    seg = rng.integers(0, 4, n) << 32 | rows
    same(trees_levels.level_sums, seg, data, 0.3, np.zeros(5), np.zeros(5), np.zeros(5), np.zeros((5, K)))


def test_losses_along_a_path_of_pruned_trees_are_the_same(rng, monkeypatch):
    X, y = mixed_table(rng, 150)

    def work():
        return epee.DecisionTreeClassifier(categorical_features=[1, 2], pruning="cv").fit(X, y > 1).tree_

    kernels = [
        trees_walk.path_losses,
        trees_walk.weakest_links,
        trees_walk.preorder,
        trees_walk.depths,
        trees_grow.grow,
    ]
    a, b = by_both(monkeypatch, kernels, work)
    alike(a, b, ["feature", "threshold", "value"])


@pytest.mark.parametrize("k", [1, 5, 40])
def test_the_nearest_places_are_those_of_a_stable_sort(rng, k):
    D = rng.integers(0, 6, size=(20, 170)).astype(float)
    np.testing.assert_array_equal(neighbours_twin.nearest_places(D, k), np.argsort(D, axis=1, kind="stable")[:, :k])


def test_neighbours_in_many_columns_are_the_same(rng, monkeypatch):
    X = np.round(rng.normal(size=(700, 20)), 1)
    kernels = [neighbours_screen.screen, neighbours_screen.settle]
    a, b = by_both(monkeypatch, kernels, lambda: epee.KNeighborsClassifier().fit(X, X[:, 0] > 0).kneighbors(X[:90]))
    np.testing.assert_array_equal(a[0], b[0])
    np.testing.assert_array_equal(a[1], b[1])


def test_neighbours_in_few_columns_are_the_same_while_the_search_is_compiled(rng, monkeypatch):
    X = np.round(rng.normal(size=(1500, 5)), 1)
    found = []
    for there in (True, False):
        monkeypatch.setattr("epee.kernels.background.there", lambda kernel, arguments, there=there: there)
        found.append(epee.KNeighborsClassifier().fit(X, X[:, 0] > 0).kneighbors(X[:300]))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


@pytest.mark.parametrize("method", ["ward", "single"])
@pytest.mark.parametrize("weighted", [False, True])
def test_trees_of_clusters_are_the_same(rng, monkeypatch, method, weighted):
    X = np.round(rng.normal(size=(300, 3)), 1)
    w = rng.integers(1, 4, 300).astype(float) if weighted else None
    kernels = [
        cluster_tree.nearest_clusters, cluster_tree.build_tree, cluster_tree.merge_pairs, cluster_tree.merge_two,
        cluster_links.spanning_tree, cluster_links.name_merges, cluster_links.cut_tree,
    ]  # fmt: skip
    a, b = by_both(monkeypatch, kernels, lambda: epee.linkage(X, method, sample_weight=w))
    np.testing.assert_array_equal(a, b)


def test_paths_of_penalties_are_the_same_within_rounding(rng, monkeypatch):
    X = rng.normal(size=(80, 12))
    y = X[:, 0] - 2 * X[:, 3] + rng.normal(size=80)
    for positive in (False, True):
        a, b = by_both(
            monkeypatch, [lasso.gram_path], lambda positive=positive: epee.Lasso(0.1, positive=positive).fit(X, y)
        )
        np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("noise", [np.nan, -4.0])
def test_sums_of_mixtures_are_the_same_within_rounding(rng, flat, noise):
    X, p, K = rng.normal(size=(90, 3)), 3, 2
    q = 2 * p if flat else p * (p + 1) // 2 + p
    slopes, constants, w = -0.1 * rng.random((K, q)), rng.normal(size=K), rng.random(90)
    for one, arguments in (
        (
            mixture_sums.expanded_sums,
            (X, w, X[0], slopes, constants, noise, flat, 32, np.zeros((q, K)), np.zeros(K), np.zeros(2)),
        ),
        (mixture_sums.expanded_log_joint, (X, X[0], slopes, constants, flat, 32, np.zeros((90, K)))),
        (mixture_sums.expanded_log_density, (X, X[0], slopes, constants, noise, flat, 32, np.zeros(90))),
    ):
        (_, compiled), (_, twin) = both(one, *arguments)
        for x, y in zip(compiled, twin):
            if isinstance(x, np.ndarray):
                np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-13)


def test_codes_and_shortest_paths_are_the_same(rng, monkeypatch):
    X = rng.normal(size=(150, 6))
    a, b = by_both(monkeypatch, [sparse_codes.codes], lambda: epee.SparseCoding(8, tol=1e-2, random_state=0).fit(X))
    np.testing.assert_allclose(a.components_, b.components_, rtol=1e-12)
    a, b = by_both(monkeypatch, [paths.shortest_paths], lambda: epee.Isomap(n_neighbors=8).fit(X))
    np.testing.assert_array_equal(a.dist_matrix_, b.dist_matrix_)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("ties", [False, True])
def test_medoids_are_swapped_the_same_way(rng, monkeypatch, k, ties):
    X = rng.normal(size=(143, 3))
    X = X.round(0) if ties else X
    w = rng.random(143) * (rng.random(143) < 0.9)
    kernels = [getattr(cluster_medoids, name) for name in ("build_gains", "two_medoids", "swap_until_settled")]
    for init in ("build", rng.permutation(np.flatnonzero(w))[:k] if not ties else "build"):
        fits = by_both(monkeypatch, kernels, lambda init=init: epee.KMedoids(k, init=init).fit(X, sample_weight=w))
        assert len(fits[0].trace_) > 1 or isinstance(init, str)
        alike(*fits, ["medoid_indices_", "labels_", "inertia_", "trace_", "n_iter_"])


@pytest.mark.parametrize("bandwidth", [0.6, 2.0])
def test_seeds_climb_to_the_same_modes(rng, monkeypatch, bandwidth):
    X, w = np.concatenate([rng.normal(size=(150, 3)), 3 + rng.normal(size=(90, 3))]), rng.random(240)
    kernels = [cluster_shift.node_sums, cluster_shift.shift_seeds]
    fits = by_both(monkeypatch, kernels, lambda: epee.MeanShift(bandwidth=bandwidth).fit(X, sample_weight=w))
    alike(*fits, ["cluster_centers_", "labels_", "n_iter_"])
    alone = epee.MeanShift(bandwidth=bandwidth, seeds=[[90.0, 90.0, 90.0], [0.0, 0.0, 0.0]])
    assert len(by_both(monkeypatch, kernels, lambda: alone.fit(X).cluster_centers_)[1]) == 1


@pytest.mark.parametrize("loss", range(5))
@pytest.mark.parametrize(("l2", "l1"), [(0.0, 0.0), (0.3, 0.0), (0.01, 0.02)])
def test_passes_of_stochastic_descents_have_the_same_bits(rng, loss, l2, l1):
    X, codes, order, weight = rng.normal(size=(90, 7)), rng.integers(0, 3, 90), rng.permutation(90), rng.random(90)
    t, state, W = np.where(codes > 0, 1.0, -1.0), np.array([0.1, 3.0, 0.0, 0.2, 5.0]), rng.normal(size=(3, 7))
    for kind, power in ((0, 0.5), (2, 0.4), *([(3, 0.5)] if l2 + l1 else [])):
        steps = (kind, 0.5, power, 2.0, l2, l1, True)
        same(linear_sgd.sgd_pass, X, t, weight, order, W[0], state, rng.random(7), np.zeros(7), loss, *steps, True)
        for form in (0, 1):
            same(linear_sgd.sgd_pass_many, X, codes, weight, order, W, rng.random(3), state, loss, form, *steps)
    with np.errstate(all="ignore"):  # steps that leave all bounds
        far, steps = 1e300 * X, (loss, 0, 1.0, 1.0, 1.0, l2, l1, True, False)
        same(linear_sgd.sgd_pass, far, t, weight, order, W[0], state, W[1], W[2], *steps)


@pytest.mark.parametrize("p", range(10))
def test_scalar_products_are_added_in_four_lanes(rng, p):
    w, x = rng.normal(size=(2, p))
    lanes = [sum((w[j] * x[j] for j in range(k, p, 4)), 0.0) for k in range(4)]
    assert linear_sgd.lane_sum(w, x) == (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
    assert linear_sgd.lane_total(w * x) == linear_sgd.lane_sum(w, x)


@pytest.mark.parametrize("p", [1, 2, 7, 60])
def test_the_same_columns_are_drawn(rng, p):
    for wanted in {1, 2, p // 2 + 1, p}:
        for _ in range(20):
            allowed, key = (rng.random(p) < 0.8).astype(np.uint8), np.uint64(rng.integers(2**63))
            same(boosting.draw, allowed, wanted, key)
            boosting.draw(allowed, wanted, key)
            assert allowed.sum() <= wanted
