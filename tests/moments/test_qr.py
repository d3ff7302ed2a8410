"""The laws of a merging factor, and what it knows that a scatter does not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epee.errors import SingularProblem, WrongUse
from epee.moments.exact import ExactGram, exact_cholesky, exact_solve
from epee.moments.moments import Moments
from epee.moments.qr import QRFactor


def same(a, b, tol=1e-10):
    b = b.about(a.origin)
    np.testing.assert_allclose(a.R.T @ a.R, b.R.T @ b.R, rtol=tol, atol=tol * max(1.0, np.abs(a.R).max() ** 2))


@given(st.integers(0, 2**32 - 1), st.integers(0, 30), st.integers(1, 4))
def test_laws(seed, cut, p):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(30, p)) * 10.0 ** rng.integers(-2, 3, p) + 5
    w = rng.integers(0, 3, 30).astype(float)
    origin = rows[:3].mean(axis=0)
    whole = QRFactor.of(rows, weight=w, origin=origin)
    a, b = QRFactor.of(rows[:cut], weight=w[:cut], origin=origin), QRFactor.of(rows[cut:], weight=w[cut:])
    same(a + b, whole)
    same(b + a, whole)
    same(whole + QRFactor.zero(origin), whole)
    same(QRFactor.of(np.repeat(rows, w.astype(int), axis=0), origin=origin), whole)
    same(QRFactor.from_bytes(whole.to_bytes()), whole)
    m = Moments.of(rows, sample_weight=w) if w.any() else None
    if m is not None:
        np.testing.assert_allclose(whole.count, m.count)
        np.testing.assert_allclose(whole.mean, m.mean, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(
            whole.centred.T @ whole.centred, m.scatter, rtol=1e-8, atol=1e-8 * np.abs(m.scatter).max()
        )
        U = whole.uncentred
        np.testing.assert_allclose(U.T @ U, (w[:, None] * rows).T @ rows, rtol=1e-8, atol=1e-8 * np.abs(U).max() ** 2)


def test_shift_moves_the_means_only():
    rows = np.random.default_rng(1).normal(size=(20, 3))
    a, b = QRFactor.of(rows), QRFactor.of(rows + 7.0)
    np.testing.assert_allclose(b.mean, a.mean + 7)
    np.testing.assert_allclose(b.centred, a.centred, atol=1e-12)


def test_it_knows_directions_that_a_scatter_loses():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(60, 1))
    rows = np.hstack([x, x + 1e-11 * rng.normal(size=(60, 1))])
    f = QRFactor.of(rows[:20]) + QRFactor.of(rows[20:])
    smallest = np.linalg.svd(f.centred, compute_uv=False)[-1]
    exact = np.linalg.svd(rows - rows.mean(axis=0), compute_uv=False)[-1]
    assert smallest == pytest.approx(exact, rel=1e-3)
    assert np.linalg.eigvalsh(Moments.of(rows).scatter)[0] < 1e-14  # nothing of 1e-21 is left there


def test_other_columns_are_refused():
    with pytest.raises(WrongUse, match="cannot add"):
        QRFactor.zero(np.zeros(2)) + QRFactor.zero(np.zeros(3))


def test_exact_sums_solve_what_double_precision_cannot():
    x = np.linspace(1, 2, 12)
    rows = np.column_stack([x**j for j in range(1, 9)])
    target = rows @ np.ones(8)  # rounded, so ones only to the condition of the problem
    G = ExactGram.of(np.column_stack([rows, target])[:5], np.zeros(9)) + ExactGram.of(
        np.column_stack([rows, target])[5:], np.zeros(9)
    )
    S = G.scatter()
    beta = exact_solve(exact_cholesky((S[0][:8, :8], S[1][:8, :8])), (S[0][:8, 8:], S[1][:8, 8:]))
    reference = np.linalg.lstsq(np.column_stack([np.ones(12), rows]), target, rcond=None)[0][1:]
    assert np.abs(beta[0][:, 0] - 1).max() < 10 * max(np.abs(reference - 1).max(), 1e-6)
    back = G - ExactGram.of(np.column_stack([rows, target])[5:], np.zeros(9))
    np.testing.assert_array_equal(back.pair[0], ExactGram.of(np.column_stack([rows, target])[:5], np.zeros(9)).pair[0])


def test_exact_cholesky_names_the_column():
    with pytest.raises(SingularProblem, match="column 1"):
        exact_cholesky((np.ones((2, 2)), np.zeros((2, 2))))
