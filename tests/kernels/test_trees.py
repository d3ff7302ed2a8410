"""Splits, walks and prunings of trees against brute force over all cuts, all sets and all subtrees."""

from itertools import combinations

import numpy as np
import pytest

from epee import DecisionTreeClassifier, DecisionTreeRegressor
from epee.kernels import trees_levels as levels
from epee.kernels import trees_several as several
from epee.kernels import trees_split as split
from epee.kernels import trees_walk as walk
from epee.kernels.trees_grow import Nodes, describe, is_final

N = 40


def impurity(criterion, y, w, K):
    """Return W I by its definition."""
    W = w.sum()
    if criterion in (split.GINI, split.ENTROPY, split.ERROR):
        c = np.bincount(y.astype(int), w, minlength=K)
        p = c[c > 0] / W
        return W * (1 - (p**2).sum(), -(p * np.log2(p)).sum(), 1 - p.max())[criterion]
    if criterion == split.SQUARED:
        return w @ (y - w @ y / W) ** 2
    if criterion == split.ABSOLUTE:
        return min(w @ np.abs(y - m) for m in y)
    return -(w @ y) * np.log(w @ y / W)


def data_of(y, w, column, K):
    """Return the packed order of one column, and what the kernels are told of it."""
    values, rank = np.unique(column, return_inverse=True)
    order = np.sort((rank.astype(np.int64) << 32) | np.arange(len(y)))
    z, zero = np.zeros(1, np.int64), np.full(1, -1, np.int64)
    data = split.Data(
        y.astype(float), y.astype(np.int64) if K else np.zeros(len(y), np.int64), w, np.ones(len(y)), values,
        np.array([0, len(values)]), zero, np.zeros(1, np.uint8), z,
    )  # fmt: skip
    return order, data


def rules_of(criterion, K):
    return split.Rules(criterion, K, False, False, 2.0, 1.0, 0.0, 10, 1, False, 0.0, 0.0)


@pytest.fixture(params=[0, 1, 2])
def rng(request):
    return np.random.default_rng(request.param)


def best_cut(criterion, y, w, column, K):
    found = (-np.inf, None)
    for value in np.unique(column)[:-1]:
        left = column <= value
        gain = (
            impurity(criterion, y, w, K)
            - impurity(criterion, y[left], w[left], K)
            - impurity(criterion, y[~left], w[~left], K)
        )
        found = max(found, (gain, int(left.sum())), key=lambda g: g[0])
    return found


@pytest.mark.parametrize("criterion", [split.SQUARED, split.ABSOLUTE, split.POISSON])
def test_the_best_cut_of_a_number(rng, criterion):
    y, w, column = rng.random(N) + 0.1, rng.random(N) + 0.1, rng.integers(0, 12, N).astype(float)
    order, data = data_of(y, w, column, 0)
    W, mu, rules = w.sum(), w @ y / w.sum(), rules_of(criterion, 0)
    total = impurity(criterion, y, w, 0)
    if criterion == split.ABSOLUTE:
        gain, cut = split.sweep_absolute(order, N, False, -1, data, rules, W, total, 0, -np.inf, np.inf, -np.inf, 0.0)
    else:
        gain, cut = split.sweep_values(order, N, False, -1, data, rules, W, mu, 0, -np.inf, np.inf, -np.inf, 0.0, 1.0)
    expected = best_cut(criterion, y, w, column, 0)
    assert (gain, cut) == (pytest.approx(expected[0]), expected[1])


@pytest.mark.parametrize("criterion", [split.GINI, split.ENTROPY, split.ERROR])
def test_the_best_cut_of_classes(rng, criterion):
    y, w, column = rng.integers(0, 3, N), rng.random(N) + 0.1, rng.integers(0, 12, N).astype(float)
    order, data = data_of(y, w, column, 3)
    totals = np.bincount(y, w, minlength=3)
    total = impurity(criterion, y, w, 3)
    assert levels.impurity_of(criterion, totals, w.sum()) == pytest.approx(total)
    gain, cut = split.sweep_classes(
        order, N, False, -1, data, rules_of(criterion, 3), totals, w.sum(), total, -np.inf, 0.0, np.empty(3)
    )
    expected = best_cut(criterion, y, w, column, 3)
    assert gain == pytest.approx(expected[0]) and cut == expected[1]


@pytest.mark.parametrize("K", [0, 3])
def test_the_best_set_of_levels(rng, K):
    y = rng.integers(0, 3, N) if K else rng.normal(size=N)
    criterion = split.GINI if K else split.SQUARED
    w, column = rng.random(N) + 0.1, rng.permutation(np.arange(N) % 5).astype(float)
    order, data = data_of(y, w, column, K)
    totals, mu = (np.bincount(y, w, minlength=3) if K else np.zeros(1)), w @ y / w.sum()
    total, chosen = impurity(criterion, y, w, K), np.zeros(5, np.uint8)
    gain = levels.sweep_levels(
        order, -1, data, rules_of(criterion, K), w.sum(), mu, total, totals, -np.inf, 0.0, chosen, 1.0
    )
    gains = []
    for size in range(1, 5):
        for some in combinations(range(5), size):
            left = np.isin(column, some)
            sides = impurity(criterion, y[left], w[left], K) + impurity(criterion, y[~left], w[~left], K)
            gains.append(total - sides)
    assert gain == pytest.approx(max(gains))
    left = chosen[column.astype(int)] == 1
    assert total - impurity(criterion, y[left], w[left], K) - impurity(
        criterion, y[~left], w[~left], K
    ) == pytest.approx(gain)


def test_medians(rng):
    y, w = rng.integers(0, 9, 25).astype(float), rng.random(25)
    median, spread = levels.spread_around_median(y, w)
    assert spread == pytest.approx(impurity(split.ABSOLUTE, y, w, 0)) == pytest.approx(w @ np.abs(y - median))
    order, data = data_of(y, w, np.arange(25) % 4.0, 0)
    left = np.isin(np.arange(25) % 4, [1, 2])
    sides = levels.absolute_sides(order, np.array([1, 2]), 4, data)
    assert sides == pytest.approx(
        impurity(split.ABSOLUTE, y[left], w[left], 0) + impurity(split.ABSOLUTE, y[~left], w[~left], 0)
    )
    ladder = np.sort(y)
    tree, sums = np.zeros(26), np.zeros(26)
    for at, i in enumerate(np.argsort(y, kind="stable")):
        split.add_to(tree, sums, at, w[i], w[i] * y[i])
    by = np.argsort(y, kind="stable")
    goal = w.sum() / 2
    at, below, sum_below = split.descend(tree, sums, goal, False)
    reached = np.cumsum(w[by])
    assert at == np.searchsorted(reached, goal) and below == pytest.approx(reached[at - 1])
    assert sum_below == pytest.approx((w * y)[by][:at].sum())
    middle, deviations = split.deviation(tree, sums, ladder, w.sum(), w @ y)
    assert (middle, deviations) == (pytest.approx(median), pytest.approx(spread))


def test_small_functions():
    assert (
        split.xlogx(0.0) == 0
        and split.xlogx(3.0) == pytest.approx(3 * np.log(3))
        and split.bits(8.0) == pytest.approx(24)
    )
    assert (
        split.allowed(1.0, 2.0, 1, 0.0, 3.0)
        and not split.allowed(2.0, 1.0, 1, 0.0, 3.0)
        and not split.allowed(-1.0, 2.0, 1, 0.0, 3.0)
    )


def test_a_node_is_described_and_stopped(rng):
    y, w = rng.normal(size=N), rng.random(N)
    order, data = data_of(y, w, rng.random(N), 0)
    whole, real = (lambda: np.zeros(2, np.int64)), (lambda: np.zeros(2))
    nodes = Nodes(whole(), whole(), whole(), np.zeros(2, np.uint8), whole(), *(real() for _ in range(7)),
                  np.zeros((2, 1)), np.zeros((2, 0), np.uint8))  # fmt: skip
    go = (rng.random(N) < 0.5).astype(np.uint8)
    rules = rules_of(split.SQUARED, 0)
    describe(order, go, 1, data, rules, nodes, 1, None, None)
    mine = go == 1
    assert nodes.rows[1] == mine.sum() and nodes.weight[1] == pytest.approx(w[mine].sum())
    assert nodes.impurity[1] * nodes.weight[1] == pytest.approx(impurity(split.SQUARED, y[mine], w[mine], 0))
    assert not is_final(rules, nodes, 1, 3) and is_final(rules, nodes, 1, 10) and is_final(rules, nodes, 0, 0)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_a_stump_takes_the_best_of_all_columns(rng, criterion):
    """``find_split`` and ``grow``, from outside: depth 1 is the best cut of the best column."""
    X, y = rng.integers(0, 9, (N, 3)).astype(float), rng.integers(0, 3, N)
    tree = DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(X, y).tree_
    code = {"gini": split.GINI, "entropy": split.ENTROPY}[criterion]
    gains = [best_cut(code, y, np.ones(N), X[:, j], 3)[0] for j in range(3)]
    assert tree.feature[0] == int(np.argmax(gains))


@pytest.fixture
def grown(rng):
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    tree = DecisionTreeRegressor(max_depth=4).fit(X, y).tree_
    return X, y, tree


def test_walks(grown):
    X, _, tree = grown
    left, right, feature, threshold = tree.children_left, tree.children_right, tree.feature, tree.threshold
    n = len(left)
    byte, none, where = np.zeros(n, np.uint8), np.zeros((0, 0), np.uint8), np.full(n, -1)
    rest = byte, byte, where, none, np.zeros(0), np.zeros(3, np.int64)
    out = np.empty(60, np.int64)
    walk.walk(X, left, right, feature, threshold, *rest, out)
    for x, leaf in zip(X, out, strict=True):
        node = 0
        while left[node] >= 0:
            assert walk.goes_left(x, node, feature, threshold, *rest) == (x[feature[node]] <= threshold[node])
            node = left[node] if x[feature[node]] <= threshold[node] else right[node]
        assert node == leaf

    def visit(node, depth):
        yield node, depth
        if left[node] >= 0:
            yield from visit(left[node], depth + 1)
            yield from visit(right[node], depth + 1)

    pairs = list(visit(0, 0))
    assert walk.preorder(left, right).tolist() == [node for node, _ in pairs]
    assert [walk.depths(left, right)[node] for node, _ in pairs] == [depth for _, depth in pairs]


def test_weakest_links(grown):
    """The tree left at alpha minimises R(T) + alpha |T| over all its prunings."""
    *_, tree = grown
    left, right = tree.children_left, tree.children_right
    risk = tree.impurity * tree.weighted_n_node_samples
    ceases = walk.weakest_links(left, right, risk, 1e-12)

    def best(node, alpha):
        if left[node] < 0:
            return risk[node] + alpha
        return min(risk[node] + alpha, best(left[node], alpha) + best(right[node], alpha))

    def kept(node, alpha):
        if left[node] < 0 or ceases[node] <= alpha:
            return risk[node] + alpha
        return kept(left[node], alpha) + kept(right[node], alpha)

    for alpha in np.unique(ceases[np.isfinite(ceases)]):
        for nearby in (0.999 * alpha, 1.001 * alpha):
            assert kept(0, nearby) == pytest.approx(best(0, nearby))


def test_losses_along_the_path_of_prunings(grown):
    X, y, tree = grown
    left, right = tree.children_left, tree.children_right
    ceases = walk.weakest_links(left, right, tree.impurity * tree.weighted_n_node_samples, 1e-12)
    alphas = np.unique(np.append(0.0, ceases[np.isfinite(ceases)]))
    A, w, value = len(alphas), np.linspace(0.5, 1.5, 60), tree.value.reshape(-1)
    first = np.where(np.isfinite(ceases), np.searchsorted(alphas, ceases), 0)
    byte, where = np.zeros(len(left), np.uint8), np.full(len(left), -1)
    rest = byte, byte, where, np.zeros((0, 0), np.uint8), np.zeros(0), np.zeros(3, np.int64)
    sums, squares = np.zeros(A + 1), np.zeros(A + 1)
    walk.path_losses(
        X, np.arange(60), y, np.zeros(60, np.int64), w, 0, left, right, tree.feature, tree.threshold, *rest, first, value,
        np.zeros((len(left), 1)), False, sums, squares,
    )  # fmt: skip
    for a in range(A):
        said = np.empty(60)
        for i, x in enumerate(X):
            node = 0
            while left[node] >= 0 and first[node] > a:
                node = left[node] if x[tree.feature[node]] <= tree.threshold[node] else right[node]
            said[i] = value[node]
        np.testing.assert_allclose(np.cumsum(sums)[a], w @ (y - said) ** 2)
        np.testing.assert_allclose(np.cumsum(squares)[a], w @ (y - said) ** 4)


@pytest.mark.parametrize(
    "criterion", [split.GINI, split.ENTROPY, split.ERROR, split.SQUARED, split.ABSOLUTE, split.POISSON]
)
def test_several_outputs_are_the_mean_of_each(rng, criterion):
    """``describe_several``, ``sweep_several`` and ``add_deviations``: one output after the other, by brute force."""
    classes = criterion <= split.ERROR
    Y = np.column_stack([rng.integers(0, 2, N), rng.integers(0, 3, N)]) if classes else rng.random((N, 2)) + 0.1
    w, column = rng.random(N) + 0.1, rng.integers(0, 12, N).astype(float)
    order, data = data_of(np.zeros(N), w, column, 0)
    rules = rules_of(criterion, 5 if classes else 0)
    outputs = several.Several(
        np.zeros((0, 2)) if classes else Y, Y if classes else np.zeros((0, 2), np.int64), np.array([0, 2, 5] if classes else [0, 1, 2])
    )  # fmt: skip
    whole, real = (lambda: np.zeros(1, np.int64)), (lambda: np.zeros(1))
    nodes = Nodes(whole(), whole(), whole(), np.zeros(1, np.uint8), whole(), *(real() for _ in range(7)),
                  np.zeros((1, 5 if classes else 2)), np.zeros((1, 0), np.uint8))  # fmt: skip
    several.describe_several(order, np.zeros(N, np.uint8), -1, data, rules, nodes, 0, outputs)

    def total(rows):
        return sum(impurity(criterion, y[rows], w[rows], 3) for y in Y.T) / 2

    every = np.ones(N, bool)
    at_node = nodes.impurity[0] * nodes.weight[0]
    if criterion != split.POISSON:  # which is known here up to a constant
        assert at_node == pytest.approx(total(every))
    gain, cut = several.sweep_several(
        order, N, False, -1, data, rules, outputs, nodes.value[0], w.sum(), at_node, -np.inf, 0.0, np.zeros(5)
    )
    best = max(
        (total(every) - total(column <= v) - total(column > v), int((column <= v).sum()))
        for v in np.unique(column)[:-1]
    )
    assert (gain, cut) == (pytest.approx(best[0]), best[1])
    if criterion == split.ABSOLUTE:
        out = np.zeros(N)
        several.add_deviations(order, N, False, Y[:, 0], w, out)
        left = column <= np.sort(column)[cut - 1]
        sides = [impurity(criterion, Y[rows, 0], w[rows], 0) for rows in (left, ~left)]
        assert out[cut - 1] == pytest.approx(sum(sides))
