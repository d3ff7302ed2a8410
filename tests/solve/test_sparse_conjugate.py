"""Ridge by products with sparse rows: the normal equations are met, on either side, and unsafe penalties are left to others."""

import numpy as np
import pytest
from scipy import sparse

from epee.solve.sparse_conjugate import Side, conjugate_gradients
from epee.solve.sparse_rows import CentredRows, least_squares


@pytest.mark.parametrize("shape", [(60, 25), (25, 60)])
@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_products_and_solution(shape, centred, weighted):
    rng = np.random.default_rng(0)
    X = sparse.random_array(shape, density=0.2, rng=rng, format="csr") * 3.0
    w = rng.uniform(0.0, 2.0, shape[0]) if weighted else None
    Z = CentredRows.of(X, w, centred)
    full = Z.root[:, None] * (X.toarray() - Z.mean)
    for dual, square in ((True, full @ full.T), (False, full.T @ full)):
        v = rng.normal(size=len(square))
        np.testing.assert_allclose(Side.of(Z, dual).times(v), square @ v, atol=1e-11)
    T, alphas = rng.normal(size=(shape[0], 2)), np.array([0.5, 20.0])
    found = conjugate_gradients(Z, T, alphas)
    for k, alpha in enumerate(alphas):
        exact = np.linalg.solve(full.T @ full + alpha * np.eye(shape[1]), full.T @ T[:, k])
        np.testing.assert_allclose(found.coef[:, k], exact, atol=1e-8 * np.linalg.norm(exact))
    np.testing.assert_allclose(found.coef, least_squares(Z, T, alphas).coef, atol=1e-7)


@pytest.mark.parametrize("alpha", [0.0, 1e-12])
def test_what_squares_would_cost_is_left_to_the_other_way(alpha):
    X = sparse.random_array((40, 30), density=0.3, rng=np.random.default_rng(1), format="csr")
    assert conjugate_gradients(CentredRows.of(X, None, True), np.ones((40, 1)), np.array([alpha])) is None


def test_cells_are_cut_for_the_threads_without_a_change(monkeypatch):
    rng = np.random.default_rng(2)
    Z = CentredRows.of(sparse.random_array((200, 90), density=0.2, rng=rng, format="csr"), None, True)
    v = rng.normal(size=90)
    whole = Side.of(Z).times(v)
    monkeypatch.setattr("epee.solve.sparse_conjugate.AT_ONCE", 300)
    assert len(Side.of(Z).parts) > 5
    np.testing.assert_allclose(Side.of(Z).times(v), whole, rtol=1e-12)


@pytest.mark.parametrize("dual", [False, True])
def test_a_search_stops_where_it_is_told_and_no_sooner(dual, monkeypatch):
    rng = np.random.default_rng(3)
    X = sparse.random_array((300, 700), density=0.05, rng=rng, format="csr")
    monkeypatch.setattr("epee.solve.sparse_conjugate.FILLED", 1000 if dual else 0)
    Z, t, alpha = CentredRows.of(X, None, True), rng.normal(size=(300, 1)), np.array([0.3])
    t -= t.mean()  # so that the rows say all of it
    assert Side.of(Z).dual == dual
    full = X.toarray() - Z.mean
    square, right = (full @ full.T, t) if dual else (full.T @ full, full.T @ t)
    steps = []
    for tol in (1e-2, 1e-4, 1e-9):
        found = conjugate_gradients(Z, t, alpha, tol=tol)
        steps.append(found.iterations)
        x = np.linalg.lstsq(full.T, found.coef)[0] if dual else found.coef
        left = np.linalg.norm(square @ x + alpha * x - right) / np.linalg.norm(right)
        assert found.converged and found.solver == "sparse_cg" and left <= 1.01 * tol
    assert steps[0] < steps[1] < steps[2]
    short = conjugate_gradients(Z, t, alpha, tol=1e-9, max_iter=steps[0])
    assert (short.iterations, short.converged) == (steps[0], False)
    np.testing.assert_array_equal(short.coef, conjugate_gradients(Z, t, alpha, tol=1e-2).coef)


def test_both_sides_come_to_slopes_of_the_same_exactness(monkeypatch):
    rng = np.random.default_rng(4)
    X = sparse.random_array((200, 500), density=0.05, rng=rng, format="csr")
    Z, t, alpha = CentredRows.of(X, None, True), rng.normal(size=(200, 1)), np.array([0.3])

    def price(side: int, k: int) -> float:
        monkeypatch.setattr("epee.solve.sparse_conjugate.FILLED", side)
        coef = conjugate_gradients(Z, t, alpha, tol=0.0, max_iter=k).coef[:, 0]
        return float(((t[:, 0] - Z.times(coef)) ** 2).sum() + alpha[0] * (coef**2).sum())

    for k in (1, 3, 10):
        assert price(0, k) <= price(1000, k) * (1 + 1e-12)  # the least in the space that both have reached
