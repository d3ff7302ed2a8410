"""The symmetric product of narrow matrices."""

import numpy as np
import pytest

from epee.moments.gram import gram


@pytest.mark.parametrize("p", [1, 2, 3, 5, 8, 13, 29, 30, 64, 65, 100])
@pytest.mark.parametrize("n", [1, 7, 100, 2049, 16384])
@pytest.mark.parametrize("order", ["C", "F"])
def test_product(n, p, order):
    B = np.asarray(np.random.default_rng(n + p).normal(size=(n, p)), order=order)
    S = gram(B)
    np.testing.assert_array_equal(S, S.T)
    np.testing.assert_allclose(S, np.einsum("ij,ik->jk", B, B), rtol=1e-11, atol=1e-11 * n)


def test_a_view_of_some_columns():
    B = np.random.default_rng(0).normal(size=(9000, 40))[:, 3:30]
    np.testing.assert_allclose(gram(B), B.T @ B, rtol=1e-11, atol=1e-8)


def test_no_rows_and_no_columns():
    assert gram(np.empty((0, 3))).tolist() == np.zeros((3, 3)).tolist()
    assert gram(np.empty((5, 0))).shape == (0, 0)


def test_what_is_not_finite_stays_so():
    B = np.ones((5000, 10))
    B[4321, 7] = np.nan
    assert np.isnan(gram(B)[7]).all()
