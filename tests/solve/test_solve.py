"""Factors, shortest solutions, paths, bounds and refinement against their definitions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from epee.errors import ConditionWarning, SingularProblem
from epee.kernels import compensated as dd
from epee.solve.box import box_quadratic
from epee.solve.cholesky import Cholesky
from epee.solve.minimum_norm import MinimumNorm, weakest
from epee.solve.positive import non_negative
from epee.solve.refine import plain_step, refine
from epee.solve.ridge_path import RidgeSpectrum, ridge_path
from epee.table.arrays import ArraySource

numbers = st.floats(-1e10, 1e10, allow_nan=False).filter(lambda v: v == 0 or abs(v) > 1e-10)


@given(numbers, numbers, numbers, numbers)
def test_pairs_are_exact(a, b, c, d):
    s, e = dd.two_sum(a, b)
    assert Fraction(s) + Fraction(e) == Fraction(a) + Fraction(b)
    p, f = dd.two_product(a, b)
    assert Fraction(p) + Fraction(f) == Fraction(a) * Fraction(b)
    x, y = dd.two_sum(a, 1e-17 * b), dd.two_sum(c, 1e-17 * d)
    exact = (Fraction(x[0]) + Fraction(x[1])) * (Fraction(y[0]) + Fraction(y[1]))
    h, low = dd.multiply(x, y)
    assert abs(Fraction(h) + Fraction(low) - exact) <= abs(exact) * Fraction(1, 10**30) + Fraction(1, 10**60)


@given(st.floats(1e-5, 1e5), st.floats(1e-5, 1e5))
def test_quotients_and_roots_have_thirty_digits(a, b):
    h, low = dd.divide((a, 0.0), (b, 0.0))
    exact = Fraction(a) / Fraction(b)
    assert abs(Fraction(h) + Fraction(low) - exact) <= exact / 10**29
    h, low = dd.root((np.float64(a), 0.0))
    assert abs((Fraction(float(h)) + Fraction(float(low))) ** 2 - Fraction(a)) <= Fraction(a) / 10**29


def test_total_loses_nothing():
    x = np.array([1e16, 1.0, -1e16, 3.0, 1e-9])
    h, low = dd.total((x, np.zeros(5)))
    assert Fraction(float(h)) + Fraction(float(low)) == pytest.approx(4 + 1e-9, rel=1e-15)
    assert dd.total((np.zeros((0, 2)), np.zeros((0, 2))))[0].tolist() == [0, 0]


def positive_definite(seed, p=5):
    A = np.random.default_rng(seed).normal(size=(p + 3, p))
    return A.T @ A, A


@given(st.integers(0, 1000), st.integers(-6, 6))
def test_cholesky(seed, exponent):
    S, A = positive_definite(seed)
    D = 10.0 ** (exponent * np.arange(5) / 4)
    S = D[:, None] * S * D  # other units
    L = Cholesky(S)
    b = np.arange(1.0, 6)
    np.testing.assert_allclose(S @ L.solve(b) / D, b / D, rtol=1e-8, atol=1e-8)
    H = L.half_solve(np.eye(5))
    np.testing.assert_allclose(H.T @ H, L.inverse())
    np.testing.assert_allclose(L.root.T @ L.root, S, rtol=1e-10, atol=1e-12 * S.max())
    assert L.logdet == pytest.approx(np.linalg.slogdet(S)[1], rel=1e-9, abs=1e-9)
    other = Cholesky.of_factor(np.linalg.qr(A, mode="r") * D)
    np.testing.assert_allclose(other.solve(b), L.solve(b), rtol=1e-7)
    assert 0.01 < other.condition / L.condition < 100
    assert L.condition == pytest.approx(Cholesky(S / D[:, None] / D).condition, rel=1e-6)  # units do not matter


def test_cholesky_names_what_is_singular():
    with pytest.raises(SingularProblem, match="column 1 is a combination"):
        Cholesky(np.array([[1.0, 1.0], [1.0, 1.0]]))
    with pytest.raises(SingularProblem, match="diagonal entry 1"):
        Cholesky(np.diag([1.0, 0.0]))
    assert Cholesky(np.zeros((0, 0))).solve(np.zeros((0, 2))).shape == (0, 2)


def test_minimum_norm_is_the_pseudo_inverse():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(20, 3)) @ rng.normal(size=(3, 6)) * [1, 1e3, 1, 1e-3, 1, 1]
    y = rng.normal(size=20)
    solved = MinimumNorm(A)
    assert solved.rank == 3
    np.testing.assert_allclose(solved.solve(A.T @ y), np.linalg.pinv(A, rcond=1e-10) @ y, rtol=1e-6, atol=1e-12)
    V = solved.inverse()
    np.testing.assert_allclose(V, np.linalg.pinv(A.T @ A, rcond=1e-14), rtol=1e-3, atol=1e-6 * np.abs(V).max())
    np.testing.assert_allclose(solved.root.T @ solved.root, A.T @ A, atol=1e-9 * np.abs(A.T @ A).max())
    np.testing.assert_allclose(
        MinimumNorm.of_scatter(A.T @ A).solve(A.T @ y), solved.solve(A.T @ y), rtol=1e-5, atol=1e-9
    )


@pytest.mark.parametrize("power", [0, 4, 8, 12])
@pytest.mark.parametrize("solver", ["rows", "scatter"])
def test_the_shortest_solution_does_not_feel_how_far_apart_scales_are(power, solver):
    rng = np.random.default_rng(power)
    a, b, c = rng.normal(size=(3, 40))
    scale = 10.0**power
    X = np.column_stack([a, scale * a, np.zeros(40), b / scale, b, c])  # two pairs that depend, and a column of zeros
    t = 2 * a + 3 * b - c
    factor = MinimumNorm(X) if solver == "rows" else MinimumNorm.of_scatter(X.T @ X)
    assert factor.rank == 3
    one, other = 2.0 * np.array([1, scale]) / (1 + scale**2), 3.0 * np.array([1 / scale, 1]) / (1 + 1 / scale**2)
    found, shortest = factor.solve(X.T @ t), np.array([*one, 0.0, *other, -1.0])
    np.testing.assert_allclose(X @ found, t, atol=1e-9)
    assert np.linalg.norm(found) <= np.linalg.norm(shortest) * (1 + 1e-9)
    np.testing.assert_allclose(found[[1, 4, 5]], shortest[[1, 4, 5]], rtol=1e-9)


def test_columns_of_zeros_alone_have_the_answer_zero():
    for factor in (MinimumNorm(np.zeros((3, 2))), MinimumNorm.of_scatter(np.zeros((2, 2)))):
        assert factor.rank == 0 and factor.zero.tolist() == [0, 1]
        np.testing.assert_array_equal(factor.solve(np.ones((2, 1))), np.zeros((2, 1)))


def test_dependent_columns_are_found():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 4))
    X[:, 3] = X[:, 0] - 2 * X[:, 2]
    assert MinimumNorm(X).dependent().tolist() == [0, 2, 3]
    X[:, 3] += 1e-4 * rng.normal(size=30)
    assert weakest(X.T @ X).tolist() == [0, 2, 3]


def test_non_negative_is_nnls():
    rng = np.random.default_rng(2)
    A, y = rng.normal(size=(40, 6)), rng.normal(size=40)
    found = non_negative(Cholesky(A.T @ A), (A.T @ y)[:, None])[:, 0]
    np.testing.assert_allclose(found, nnls(A, y)[0], atol=1e-12)


@given(st.integers(0, 1000))
def test_ridge_path_in_batches(seed):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(3, 12, 4)) * [1, 10, 0.1, 1], rng.normal(size=(3, 12, 2))
    S, C = X.swapaxes(1, 2) @ X, X.swapaxes(1, 2) @ Y
    alphas = np.array([0.0, 0.3, 50.0])
    coef = ridge_path(S, C, alphas)
    assert coef.shape == (3, 3, 4, 2)
    for f in range(3):
        spectrum = RidgeSpectrum.of_scatter(S[f], C[f], (Y[f] ** 2).sum(axis=0))
        for a, alpha in enumerate(alphas):
            direct = np.linalg.solve(S[f] + alpha * np.eye(4), C[f])
            np.testing.assert_allclose(coef[f, a], direct, rtol=1e-8, atol=1e-10)
            np.testing.assert_allclose(spectrum.rss([alpha])[0], ((Y[f] - X[f] @ direct) ** 2).sum(axis=0), rtol=1e-7)
            trace = np.trace(X[f] @ np.linalg.solve(S[f] + alpha * np.eye(4), X[f].T))
            assert spectrum.dof([alpha])[0] == pytest.approx(trace, rel=1e-8)


def test_ridge_path_under_a_change_of_units():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 3)) * [1e-7, 1.0, 1e7], rng.normal(size=(30, 1))
    alpha = 1e-20  # an eigenvector of S knows nothing of the first column
    coef = ridge_path(X.T @ X, X.T @ y, [alpha])[0]
    D = np.array([1e-7, 1.0, 1e7])
    reference = np.linalg.lstsq(X / D, y, rcond=None)[0] / D[:, None]
    np.testing.assert_allclose(coef, reference, rtol=1e-5)


def test_rows_and_scatter_give_one_spectrum():
    rng = np.random.default_rng(4)
    Z, T = rng.normal(size=(6, 9)), rng.normal(size=(6, 2))
    a, b = RidgeSpectrum.of_rows(Z, T), RidgeSpectrum.of_scatter(Z.T @ Z, Z.T @ T, (T**2).sum(axis=0))
    for alpha in (0.1, 5.0):
        np.testing.assert_allclose(a.coef([alpha]), b.coef([alpha]), atol=1e-10)
        np.testing.assert_allclose(a.rss([alpha]), b.rss([alpha]), rtol=1e-8)


@given(st.integers(0, 500))
def test_box_quadratic_meets_the_conditions_of_optimality(seed):
    rng = np.random.default_rng(seed)
    p = 5
    S, _ = positive_definite(seed, p)
    b, centre, kink = 5 * rng.normal(size=p), rng.normal(size=p), rng.integers(0, 2, p) * rng.gamma(2, size=p)
    low, high = centre - rng.gamma(1, size=p), centre + rng.gamma(1, size=p)
    theta, _ = box_quadratic(S, b, centre, kink, low, high, np.zeros(p))
    assert (theta >= low).all() and (theta <= high).all()
    value = lambda t: 0.5 * t @ S @ t - b @ t + kink @ np.abs(t - centre)  # noqa: E731
    for j in range(p):
        for step in (1e-4, -1e-4):
            other = theta.copy()
            other[j] = np.clip(theta[j] + step, low[j], high[j])
            assert value(other) >= value(theta) - 1e-10 * (1 + abs(value(theta)))


def test_refinement_reaches_the_solution_of_the_table():
    x = np.linspace(0, 1, 30)
    X = np.column_stack([x**j for j in range(1, 8)])
    y = np.round(np.cos(3 * x), 6)
    mean = X.mean(axis=0)
    S = Cholesky((X - mean).T @ (X - mean))
    start = S.solve((X - mean).T @ (y - y.mean()))[:, None]
    done = refine(ArraySource(X, y[:, None]), S, mean, start, np.array([y.mean()]), 30.0, 1e-16 * S.condition)
    A = [[Fraction(1), *map(Fraction, row)] for row in X.tolist()]
    G = [
        [sum(a[i] * a[j] for a in A) for j in range(8)] + [sum(a[i] * Fraction(v) for a, v in zip(A, y.tolist()))]
        for i in range(8)
    ]
    for k in range(8):
        G[k] = [v / G[k][k] for v in G[k]]
        G = [row if i == k else [u - row[k] * v for u, v in zip(row, G[k])] for i, row in enumerate(G)]
    exact = np.array([float(row[8]) for row in G])
    np.testing.assert_allclose(done.coef[:, 0], exact[1:], rtol=1e-14)
    np.testing.assert_allclose(done.intercept, exact[:1], rtol=1e-13)
    assert np.abs(start[:, 0] / exact[1:] - 1).max() > 1e-10  # it was not there before


def test_a_plain_step_finds_tiny_residuals():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 3))
    noise = 1e-9 * rng.normal(size=200)
    y = X @ [1.0, 2.0, 3.0] + noise
    S = Cholesky(X.T @ X)
    done = plain_step(ArraySource(X, y), S, np.zeros(3), S.solve(X.T @ y)[:, None], None, 200.0)
    reference = noise - X @ np.linalg.lstsq(X, noise, rcond=None)[0]
    assert done.rss[0] == pytest.approx((reference**2).sum(), rel=1e-5)


def test_a_stack_of_dependent_columns_has_the_shortest_solutions():
    from epee import LinearRegression
    from epee.moments.moments import Moments
    from epee.solve.stacked import stacked_least_squares

    rng = np.random.default_rng(5)
    a, b, fold = rng.integers(0, 4, 300), rng.integers(0, 3, 300), np.arange(300) % 5
    X = np.column_stack([rng.normal(size=(300, 2)) * [1, 1000] + [0, 5000], np.eye(4)[a], np.eye(3)[b]])
    y = X[:, 0] + a + rng.normal(size=300)
    coef, level = stacked_least_squares(Moments.of(X, y, fold=fold).leave_one_out())
    for t in range(5):
        with pytest.warns(ConditionWarning):
            one = LinearRegression().fit(X[fold != t], y[fold != t])
        np.testing.assert_allclose(coef[t, 0], one.coef_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(level[t, 0], one.intercept_, rtol=1e-9)


@pytest.mark.parametrize("alpha", [0.0, 3.0])
@pytest.mark.parametrize("p", [2, 7])
def test_a_stack_is_solved_some_at_a_time_as_one_by_one(p, alpha, monkeypatch):
    from epee.moments.moments import Moments
    from epee.solve import stacked

    rng = np.random.default_rng(6)
    X, Y, fold = rng.normal(size=(4000, p)), rng.normal(size=(4000, 2)), np.arange(4000) % 200
    m = Moments.of(X, Y, fold=fold)
    monkeypatch.setattr(stacked, "AT_ONCE", 70 * p**2)  # three parts, the last by LAPACK
    coef, level = stacked.stacked_least_squares(m, alpha)
    for t in range(200):
        A, B = X[fold == t], Y[fold == t]
        A, B = A - A.mean(axis=0), B - B.mean(axis=0)
        np.testing.assert_allclose(
            coef[t].T, np.linalg.solve(A.T @ A + alpha * np.eye(p), A.T @ B), rtol=1e-9, atol=1e-11
        )
        np.testing.assert_allclose(level[t], (Y[fold == t] - X[fold == t] @ coef[t].T).mean(axis=0), atol=1e-11)


def test_a_stack_of_nearly_dependent_columns_goes_back_to_the_rows():
    from epee.moments.moments import Moments
    from epee.solve.stacked import stacked_least_squares

    rng = np.random.default_rng(6)
    x = rng.normal(size=(300, 1))
    for near in (1e-4, 1e-5, 1e-6):  # a correlation of 1 but for some digits
        X = np.hstack([x, x + near * rng.normal(size=(300, 1))])
        assert stacked_least_squares(Moments.of(X, x[:, 0], fold=np.arange(300) % 5).leave_one_out()) is None


def test_a_factor_of_no_digits_has_an_infinite_condition():
    from epee.solve.cholesky import Cholesky

    R = np.triu(np.ones((3, 3)))
    R[2, 2] = 1e-200
    assert Cholesky.of_factor(R).condition == np.inf


@pytest.mark.parametrize("alpha", [0.0, 1e-8, 1.0])
def test_dependent_columns_get_the_shortest_solution_from_sums(alpha):
    from epee.solve.dependent import Dependent

    rng = np.random.default_rng(0)
    A = np.eye(6)[rng.integers(0, 6, 80)]
    X = np.column_stack([A, 3 * A[:, 0] - A[:, 4], rng.normal(size=(80, 2))])
    X, y = X - X.mean(axis=0), rng.normal(size=(80, 2))
    coef = Dependent(X.T @ X).solve(X.T @ y, alpha)
    U, s, V = np.linalg.svd(X, full_matrices=False)
    kept = s > 1e-10 * s[0]
    direct = (V[kept].T * (s / (s**2 + alpha))[kept]) @ (U[:, kept].T @ y)
    np.testing.assert_allclose(coef, direct, atol=1e-10)


@given(st.integers(0, 60), st.sampled_from([0.0, 1e-3, 5.0]))
def test_the_order_of_another_sample_changes_no_solution(seed, alpha):
    """Where it holds it is taken; where a level is missing or a column has come free, pivots are asked again."""
    from epee.solve.dependent import Dependent

    rng = np.random.default_rng(seed)
    levels, other = rng.integers(0, 5, 90), rng.integers(0, 3, 90)
    X = np.column_stack([np.eye(5)[levels], np.eye(3)[other], rng.normal(size=(90, 3))])
    X = np.column_stack([X, X[:, 8] - 2 * X[:, 9]])
    y = rng.normal(size=(90, 1))
    before = Dependent(np.cov(X.T))
    for rows in (rng.permutation(90)[:70], np.flatnonzero(levels != seed % 5), np.flatnonzero(other != 1)):
        Z, t = X[rows] - X[rows].mean(axis=0), y[rows] - y[rows].mean(axis=0)
        varies = (Z**2).sum(axis=0) > 1e-9
        tried = Dependent(Z.T @ Z, varies, before)
        np.testing.assert_allclose(
            tried.solve(Z.T @ t, alpha), Dependent(Z.T @ Z, varies).solve(Z.T @ t, alpha), atol=1e-9
        )
        assert len(tried.first) == np.linalg.matrix_rank(Z)
    free = X.copy()
    free[:, 11] = rng.normal(size=90)  # it depended on two others
    free -= free.mean(axis=0)
    assert len(Dependent(free.T @ free, like=before).first) == len(before.first) + 1


def test_a_scatter_without_a_column_that_varies_has_the_solution_zero():
    from epee.solve.dependent import Dependent

    assert Dependent(np.zeros((2, 2)), np.zeros(2, dtype=bool)).solve(np.zeros((2, 1))).tolist() == [[0.0], [0.0]]


@given(st.integers(0, 60), st.sampled_from([1e-9, 1e-2, 30.0]), st.sampled_from([3, 60]))
def test_a_stack_of_ridges_is_each_ridge(seed, alpha, p):
    """A penalty bounds the condition where the determinant does not; small ones leave copies to the other road."""
    from epee.moments.moments import Moments
    from epee.solve.stacked import stacked_least_squares

    rng = np.random.default_rng(seed)
    X = rng.normal(size=(240, p)) * 10.0 ** rng.uniform(-2, 2, p)
    X = np.column_stack([X, X[:, 0]])
    y, fold = rng.normal(size=240), np.arange(240) % 4
    coef, level = stacked_least_squares(Moments.of(X, y, fold=fold).leave_one_out(), alpha)
    for t in range(4):
        Z, own = X[fold != t], y[fold != t]
        Zc, yc = Z - Z.mean(axis=0), own - own.mean()
        wide = np.vstack([Zc, np.sqrt(alpha) * np.eye(p + 1)])
        direct = np.linalg.lstsq(wide, np.append(yc, np.zeros(p + 1)), rcond=None)[0]
        np.testing.assert_allclose(Zc @ coef[t, 0], Zc @ direct, atol=1e-7)
        assert level[t, 0] == pytest.approx(own.mean() - Z.mean(axis=0) @ coef[t, 0], abs=1e-9)
