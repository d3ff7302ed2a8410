"""Ridge by products with sparse rows: the normal equations are met, on either side, and unsafe penalties are left to others."""

import numpy as np
import pytest
from scipy import sparse

from epee.solve.sparse_conjugate import ShortSide, conjugate_gradients
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
    side = ShortSide.of(Z)
    square = full @ full.T if side.dual else full.T @ full
    v = rng.normal(size=len(square))
    np.testing.assert_allclose(side.times(v), square @ v, atol=1e-11)
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
    whole = ShortSide.of(Z).times(v)
    monkeypatch.setattr("epee.solve.sparse_conjugate.AT_ONCE", 300)
    assert len(ShortSide.of(Z).parts) > 5
    np.testing.assert_allclose(ShortSide.of(Z).times(v), whole, rtol=1e-12)
