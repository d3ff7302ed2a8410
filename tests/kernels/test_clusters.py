"""Allocations, medoids, trees of clusters and mean shift against brute force and SciPy."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.sparse.csgraph import minimum_spanning_tree, shortest_path
from scipy.spatial.distance import cdist

from epee.kernels import cluster_links as links
from epee.kernels import cluster_lloyd as lloyd
from epee.kernels import cluster_medoids as medoids
from epee.kernels import cluster_shift as shift
from epee.kernels import cluster_tree as tree
from epee.kernels import mixture_sums as mixture
from epee.kernels.paths import shortest_paths

NONE = np.empty(0)


@pytest.fixture(params=[0, 1])
def rng(request):
    return np.random.default_rng(request.param)


def test_two_nearest(rng):
    centres, x = rng.normal(size=(5, 3)), rng.normal(size=(3, lloyd.TILE))
    C, c2 = -2 * centres, (centres**2).sum(axis=1)
    best, second, index = np.empty(lloyd.TILE), np.empty(lloyd.TILE), np.zeros(lloyd.TILE)
    lloyd.two_nearest(C, c2, x, np.empty((5, lloyd.TILE)), best, second, index)
    D = np.sort(cdist(x.T, centres, "sqeuclidean") - (x**2).sum(axis=0)[:, None], axis=1)
    np.testing.assert_allclose(np.column_stack([best, second]), D[:, :2], atol=1e-12)
    assert (index == cdist(x.T, centres).argmin(axis=1)).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_allocations(rng, weighted):
    X, origin, k = rng.normal(size=(300, 3)) + 5, np.full(3, 5.0), 4
    w = rng.random(300) if weighted else NONE
    u, D = (w if weighted else np.ones(300)), X - origin
    centres = rng.normal(size=(k, 3))
    labels, upper, lower, count, sums, squares = (
        np.zeros(300, np.int64), np.zeros(300), np.zeros(300), np.zeros(k), np.zeros((k, 3)), np.zeros(1),
    )  # fmt: skip
    slack = 1e-12

    def check(c):
        d = np.sort(cdist(D, c), axis=1)
        assert (labels == cdist(D, c).argmin(axis=1)).all()
        assert (upper >= cdist(D, c)[np.arange(300), labels] - 1e-9).all() and (lower <= d[:, 1] + 1e-9).all()
        np.testing.assert_allclose(
            sums, [(u[labels == j, None] * D[labels == j]).sum(axis=0) for j in range(k)], atol=1e-9
        )
        np.testing.assert_allclose(count, np.bincount(labels, u, minlength=k), atol=1e-9)

    lloyd.first_allocation(
        X, w, origin, -2 * centres, (centres**2).sum(axis=1), slack, labels, upper, lower, count, sums, squares
    )
    check(centres)
    assert squares[0] == pytest.approx(u @ (D**2).sum(axis=1))
    before, moved = labels.copy(), centres + rng.normal(scale=0.3, size=centres.shape)
    drift = np.linalg.norm(moved - centres, axis=1)
    others = np.array([np.delete(drift, j).max() for j in range(k)])
    apart = cdist(moved, moved) + np.diag(np.full(k, np.inf))
    changed = lloyd.next_allocation(
        X, w, origin, moved, -2 * moved, (moved**2).sum(axis=1), slack, drift, others, apart.min(axis=1) / 2, labels, upper, lower,
        count, sums,
    )  # fmt: skip
    check(moved)
    assert changed == (before != labels).sum()


def test_nearest_centres_and_clouds(rng):
    X, origin, centres = rng.normal(size=(200, 2)), rng.normal(size=2), rng.normal(size=(3, 2))
    labels, squared = np.zeros(200, np.int64), np.zeros(200)
    lloyd.nearest(X, origin, -2 * centres, (centres**2).sum(axis=1), labels, squared)
    D = cdist(X - origin, centres, "sqeuclidean")
    assert (labels == D.argmin(axis=1)).all()
    np.testing.assert_allclose(squared, D.min(axis=1), atol=1e-12)
    assert lloyd.squared_distance(X[0], origin, centres[1]) == pytest.approx(D[0, 1])
    own = np.zeros(200)
    lloyd.own_distances(X, origin, centres, labels, own)
    np.testing.assert_allclose(own, squared)
    out = np.zeros((3, 200))
    lloyd.closer(X, centres, squared, out)
    np.testing.assert_allclose(out, np.minimum(squared, cdist(centres, X, "sqeuclidean")))
    w, count, sums, last = rng.random(200), np.zeros(3), np.zeros((3, 2)), np.full(3, -1)
    total = lloyd.add_to_clouds(X, labels, squared, w, origin, count, sums, last)
    assert total == pytest.approx(w @ ((X - origin) ** 2).sum(axis=1))
    np.testing.assert_allclose(count, np.bincount(labels, w, minlength=3))
    assert all(squared[last[j]] == squared[labels == j].max() for j in range(3))


def cost(D, w, chosen):
    return (w * D[chosen].min(axis=0)).sum()


def test_medoids(rng):
    X, w = rng.normal(size=(40, 2)), rng.random(40)
    D = cdist(X, X)
    near, gain = D[3].copy(), np.zeros(40)
    medoids.build_gains(D, w, near, 0, 40, gain)
    np.testing.assert_allclose(gain, (w * np.maximum(near - D, 0)).sum(axis=1))
    chosen = np.array([3, 11, 25])
    first, second, d1, d2 = np.zeros(40, np.int64), np.zeros(40, np.int64), np.zeros(40), np.zeros(40)
    medoids.two_medoids(D, chosen, first, second, d1, d2)
    order = D[chosen].argsort(axis=0, kind="stable")
    np.testing.assert_array_equal(np.stack([first, second]), order[:2])
    np.testing.assert_allclose(np.stack([d1, d2]), np.sort(D[chosen], axis=0)[:2])
    loss = np.zeros(3)
    medoids.removal_costs(w, first, d1, d2, loss)
    np.testing.assert_allclose(loss, [cost(D, w, np.delete(chosen, j)) - cost(D, w, chosen) for j in range(3)])
    change, place = medoids.swap_gain(D, w, 7, first, d1, d2, loss, np.empty(3), np.empty(41, np.int64))
    swapped = [cost(D, w, np.where(np.arange(3) == j, 7, chosen)) - cost(D, w, chosen) for j in range(3)]
    assert change == pytest.approx(min(swapped)) and place == int(np.argmin(swapped))
    medoids.do_swap(D, w, chosen, place, 7, first, second, d1, d2)
    np.testing.assert_allclose(np.stack([d1, d2]), np.sort(D[chosen], axis=0)[:2])
    taken, trace, before = np.isin(np.arange(40), chosen), np.zeros(100), cost(D, w, chosen)
    *_, swaps, settled = medoids.swap_until_settled(D, w, chosen, taken, first, second, d1, d2, 0, 10_000, 1e-12, trace)
    assert settled and cost(D, w, chosen) == pytest.approx(before + trace[:swaps].sum())
    better = [cost(D, w, np.where(np.arange(3) == j, c, chosen)) for j in range(3) for c in range(40)]
    assert min(better) >= cost(D, w, chosen) - 1e-9


def test_spanning_tree_and_its_names(rng):
    X = rng.normal(size=(30, 3))
    P = np.ascontiguousarray(X.T)
    out = np.empty(30)
    links.distances_from(P, 30, 4, out)
    np.testing.assert_allclose(out, cdist(X, X[[4]], "sqeuclidean")[:, 0])
    low, high, length = np.empty(29, np.int64), np.empty(29, np.int64), np.empty(29)
    links.spanning_tree(P, low, high, length)
    assert length.sum() == pytest.approx(minimum_spanning_tree(cdist(X, X)).sum())
    by = np.argsort(length, kind="stable")
    Z = np.empty((29, 4))
    links.name_merges(low[by], high[by], length[by], Z)
    theirs = linkage(X, "single")
    np.testing.assert_allclose(Z[:, 2:], theirs[:, 2:])
    labels = np.empty(30, np.int64)
    links.cut_tree(Z, 25, labels)
    assert labels.max() == 4 and labels[0] == 0  # 30 rows, 25 merges


def test_centroid_tree(rng):
    X = rng.normal(size=(25, 2))
    D = cdist(X, X, "sqeuclidean") + np.diag(np.full(25, np.inf))
    Z = np.empty((24, 4))
    links.centroid_tree(np.ascontiguousarray(X.T), np.ones(25), D.argmin(axis=1), D.min(axis=1), Z)
    np.testing.assert_allclose(Z, linkage(X, "centroid"))


@pytest.mark.parametrize("ward", [False, True])
def test_nearest_clusters_by_boxes(rng, ward):
    X, size = rng.normal(size=(200, 3)), rng.random(200) + 0.1
    order, P, S, span, box, least = tree.build_tree(X, size)
    assert sorted(order) == list(range(200)) and (X[order] == P.T).all() and (size[order] == S).all()
    for (low, high, _), corners, smallest in zip(span, box, least, strict=True):
        assert (corners[0] == P[:, low:high].min(axis=1)).all() and (corners[1] == P[:, low:high].max(axis=1)).all()
        assert smallest == S[low:high].min()
    x = rng.normal(size=3)
    beyond = np.maximum(np.maximum(box[1, 0] - x, x - box[1, 1]), 0)
    assert tree.box_distance(x, box[1]) == pytest.approx((beyond**2).sum())
    far = np.maximum(abs(box[1, 0] - x), abs(box[1, 1] - x))
    assert shift.far_corner(x, box[1]) == pytest.approx((far**2).sum())
    jump = cdist(X, X, "sqeuclidean")
    if ward:
        jump *= size[:, None] * size / (size[:, None] + size)
    out = np.empty(10)
    tree.scan(X[0], size[0], P, S, 5, 15, ward, out)
    np.testing.assert_allclose(out, jump[0, order[5:15]])
    np.fill_diagonal(jump, np.inf)
    best, name = np.full(200, np.inf), np.full(200, -1)
    none = np.empty((3, 0)), NONE, np.empty(0, np.int64)
    tree.nearest_clusters(np.arange(200), X, size, order, P, S, span, box, least, *none, ward, best, name)
    assert (name == jump.argmin(axis=1)).all()
    np.testing.assert_allclose(best, jump.min(axis=1))


def test_mutual_neighbours_merge():
    X, size = np.array([[0.0], [1.0], [5.0]]), np.array([1.0, 3.0, 1.0])
    active, fresh = np.ones(3, bool), np.zeros(3, np.int64)
    left, right, height = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2)
    done = tree.merge_pairs(
        X, size, active, np.array([1, 0, 1]), np.array([1.0, 1.0, 16.0]), np.arange(3), fresh, left, right, height, 0
    )
    assert done == 1 and X[0, 0] == 0.75 and size[0] == 4 and active.tolist() == [True, False, True] and height[0] == 1
    assert tree.merge_two(X, size, active, 0, 2, 18.0625, fresh, left, right, height, 1, 1) == 2 and X[
        0, 0
    ] == pytest.approx(1.6)


@pytest.mark.parametrize("gaussian", [False, True])
def test_mean_shift(rng, gaussian):
    X, weight, radius = rng.normal(size=(150, 2)), rng.random(150), 0.7
    reach = 10.0 if gaussian else radius
    order, P, S, span, box, _ = tree.build_tree(X, weight)
    total, sums = shift.node_sums(P, S, span)
    for node, (low, high, _) in enumerate(span):
        assert total[node] == pytest.approx(S[low:high].sum())
        np.testing.assert_allclose(sums[node], P[:, low:high] @ S[low:high], atol=1e-12)

    def kernel(x):
        d = ((X - x) ** 2).sum(axis=1)
        return weight * (np.exp(-d / 2 / radius**2) if gaussian else d <= radius**2)

    x, mean = X[3].copy(), np.empty(2)
    mass = shift.ball_mean(
        x,
        P,
        S,
        span,
        box,
        total,
        sums,
        radius**2,
        reach**2,
        gaussian,
        np.empty(256, np.int64),
        np.empty(tree.LEAF),
        mean,
    )
    assert mass == pytest.approx(kernel(x).sum())
    np.testing.assert_allclose(mean, kernel(x) @ X / kernel(x).sum())
    for move in (shift.shift_seeds.compiled, shift.shift_seeds.plainly):
        seeds, masses, steps = X[:5].copy(), np.empty(5), np.empty(5, np.int64)
        move(seeds, P, S, span, box, total, sums, radius, reach, gaussian, 1e-9, 2000, masses, steps)
        for seed, around in zip(seeds, masses):  # a seed that stopped is the mean of what is around it
            np.testing.assert_allclose(kernel(seed) @ X / kernel(seed).sum(), seed, atol=1e-7)
            assert around == pytest.approx(kernel(seed).sum())


def test_shortest_paths(rng):
    from scipy.sparse import csr_matrix

    dense = np.where(rng.random((25, 25)) < 0.15, rng.random((25, 25)), 0.0)
    graph, out = csr_matrix(dense), np.empty((25, 25))
    width = 0.1
    shortest_paths(graph.indptr, graph.indices, graph.data, width, int(1 / width) + 2, np.arange(25), 0, 25, out)
    np.testing.assert_allclose(out, shortest_path(graph))


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("noise", [np.nan, -3.0])
def test_sums_of_a_mixture(rng, flat, noise):
    X, w, origin, K = rng.normal(size=(50, 2)), rng.random(50), rng.normal(size=2), 3
    D = X - origin
    Z = np.vstack([D.T**2 if flat else [D[:, 0] ** 2, D[:, 0] * D[:, 1], D[:, 1] ** 2], D.T])
    mine = np.empty_like(Z)
    mixture.products(X, origin, flat, mine)
    np.testing.assert_allclose(mine, Z)
    slopes, constants = rng.normal(size=(K, len(Z))), rng.normal(size=K)
    L = slopes @ Z + constants[:, None]
    out = np.empty((50, K))
    mixture.expanded_log_joint(X, origin, slopes, constants, flat, 16, out)
    np.testing.assert_allclose(out, L.T)
    everything = L if np.isnan(noise) else np.vstack([L, np.full(50, noise)])
    density = np.logaddexp.reduce(everything, axis=0)
    found = np.empty(50)
    mixture.expanded_log_density(X, origin, slopes, constants, noise, flat, 16, found)
    np.testing.assert_allclose(found, density)
    R = w * np.exp(L - density)
    N, totals, room = np.zeros(K), np.zeros(2), slopes @ Z
    np.testing.assert_allclose(mixture.softmax_columns(room, constants, noise, w, N, totals), density)
    np.testing.assert_allclose(room, R)
    G, N, totals = np.zeros((len(Z), K)), np.zeros(K), np.zeros(2)
    mixture.expanded_sums(X, w, origin, slopes, constants, noise, flat, 16, G, N, totals)
    np.testing.assert_allclose(G, Z @ R.T, atol=1e-12)
    np.testing.assert_allclose(N, R.sum(axis=1))
    np.testing.assert_allclose(totals, [w @ density, 0 if np.isnan(noise) else w @ np.exp(noise - density)])
