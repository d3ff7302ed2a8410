"""What a result must keep, and the signs of axes in every layout."""

from __future__ import annotations

import numpy as np
import pytest

from epee.errors import SingularProblem
from epee.solve.soundness import insist_finite, orthonormal, stationary
from epee.solve.spectral import fix_signs

rng = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", ["C", "F", "every other row", "backwards"])
def test_signs_are_fixed_in_every_layout(dtype, layout):
    for p in range(1, 41):
        A = rng.normal(size=(2 * p, p)).astype(dtype)
        view = {"C": A, "F": np.asfortranarray(A), "every other row": A[::2], "backwards": A[::-1]}[layout]
        expected = [[-x for x in row] if -min(row) > max(row) else row for row in view.tolist()]
        turned = fix_signs(view)
        assert turned.dtype == dtype
        np.testing.assert_array_equal(turned, np.array(expected, dtype=dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("p", [1, 2, 8, 40, 300])
def test_one_random_vector_tells_orthonormal_axes(p, dtype):
    Q = np.linalg.qr(rng.normal(size=(p, p)))[0].astype(dtype)
    assert orthonormal(Q)
    assert orthonormal(Q[: p // 2])
    Q[p // 2] = Q[0] * (1 + (p == 1))
    assert p // 2 == 0 < p - 1 or not orthonormal(Q)


def test_parameters_that_are_no_numbers_are_refused_by_name():
    insist_finite(coef_=np.ones(3), intercept_=0.0)
    with pytest.raises(SingularProblem, match="intercept_ came out with 1 value"):
        insist_finite(coef_=np.ones(3), intercept_=np.inf)


def test_normal_equations_tell_a_solution_from_another_vector():
    A = rng.normal(size=(50, 4))
    S, c = A.T @ A, rng.normal(size=(4, 1))
    assert stationary(S, np.linalg.solve(S, c), c)
    assert not stationary(S, np.linalg.solve(S, c) + 0.1, c)
