"""The elastic net on sparse columns against its formulas on the centred table laid out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from epee.kernels.lasso_sparse import _gap, _move, _slope, _sweep, sparse_path


@pytest.fixture(params=["weighted", "plain"])
def table(request):
    rng = np.random.default_rng(3)
    X = sparse.random(40, 7, density=0.3, random_state=rng, format="csc")
    w = rng.uniform(0.5, 2.0, size=40) if request.param == "weighted" else np.ones(40)
    n, dense = w.sum(), X.toarray()
    mean = w @ dense / n
    Z = dense - mean
    y = Z[:, 0] * 3 - Z[:, 2] + 0.1 * rng.normal(size=40)
    y = y - w @ y / n
    given = w if request.param == "weighted" else np.empty(0)  # which stands for ones
    return (X.data, X.indices, X.indptr, given), w, mean, (w[:, None] * Z**2).sum(axis=0) / n, Z, y


def test_slopes_and_steps(table):
    columns, w, mean, _, Z, y = table
    r, state = y.copy(), np.zeros(1)
    for j, step in ((0, 0.7), (3, -1.3)):
        _move(j, step, *columns[:3], r, state, mean)
    left = y - 0.7 * Z[:, 0] + 1.3 * Z[:, 3]
    assert_allclose(r + state[0], left, atol=1e-14)
    slopes = [_slope(j, *columns, r, state[0], mean, w.sum()) for j in range(7)]
    assert_allclose(slopes, Z.T @ (w * left) / w.sum(), atol=1e-14)


@pytest.mark.parametrize("positive", [False, True])
def test_a_sweep_minimises_along_each_coordinate(table, positive):
    columns, w, mean, norms, Z, y = table
    l1, l2, r, state, beta = 0.02, 0.01, y.copy(), np.zeros(1), np.zeros(7)
    largest = _sweep(np.arange(7), 7, *columns, mean, norms, w.sum(), r, state, beta, l1, l2, positive)
    b, changes = np.zeros(7), []
    for j in range(7):
        z = Z[:, j] @ (w * (y - Z @ b)) / w.sum() + norms[j] * b[j]
        b[j] = max(z - l1, 0.0) / (norms[j] + l2) if z > 0 or positive else min(z + l1, 0.0) / (norms[j] + l2)
        changes.append(norms[j] * b[j] ** 2)
    assert_allclose(beta, b, atol=1e-14)
    assert_allclose(largest, max(changes))


@pytest.mark.parametrize("positive", [False, True])
def test_the_path_ends_where_the_gap_is_small(table, positive):
    columns, w, mean, norms, Z, y = table
    n, ratio, alphas = w.sum(), 0.7, np.array([0.1, 0.01, 0.001])
    found, gaps, sweeps = sparse_path(*columns, mean, norms, y, alphas, ratio, 1e-12, 10_000, positive, np.zeros(7))
    assert (sweeps < 10_000).all() and (not positive or found.min() >= 0)
    for a, alpha in enumerate(alphas):
        l1, l2, b = alpha * ratio, alpha * (1 - ratio), found[a]
        e = y - Z @ b
        slopes = Z.T @ (w * e) / n
        assert_allclose(gaps[a], _gap(slopes, b, w @ e**2 / n, w @ (e * y) / n, l1, l2, positive), atol=1e-15)
        q = slopes - l2 * b  # Karush, Kuhn and Tucker
        assert_allclose(q[b != 0], l1 * np.sign(b[b != 0]), atol=1e-7)
        assert (q[b == 0] <= l1 + 1e-7).all() and (positive or (q[b == 0] >= -l1 - 1e-7).all())
