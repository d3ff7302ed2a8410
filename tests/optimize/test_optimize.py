"""Properties of descents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from epee.errors import DataError, SearchWarning, WrongUse
from epee.optimize import bfgs, gradient_descent, lbfgs, line_search, newton, schedules, stochastic_gradient_descent
from epee.optimize.quasi_newton import secant_update


def quadratic(p, seed=0, condition=50.0):
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(p, p)))[0]
    H = Q @ np.diag(np.geomspace(1, condition, p)) @ Q.T
    b = rng.normal(size=p)
    return (lambda x: x @ H @ x / 2 - b @ x), (lambda x: H @ x - b), H, np.linalg.solve(H, b)


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


def rosenbrock_slope(x):
    return np.array([-2 * (1 - x[0]) - 400 * x[0] * (x[1] - x[0] ** 2), 200 * (x[1] - x[0] ** 2)])


def logistic(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(n), rng.normal(size=n)])
    t = np.where(X @ [0.3, 1.0] + rng.logistic(size=n) > 0, 1.0, -1.0)
    share = lambda x: 1 / (1 + np.exp(np.clip(t * (X @ x), -700, 700)))  # noqa: E731

    def hessian(x):
        s = share(x)
        return X.T @ ((s * (1 - s))[:, None] * X)

    return (lambda x: np.logaddexp(0, -t * (X @ x)).sum()), (lambda x: -X.T @ (t * share(x))), hessian


@given(st.integers(0, 1000), st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_exact_step_on_a_quadratic(seed, p):
    f, g, H, _ = quadratic(p, seed)
    x = np.random.default_rng(seed).normal(size=p) * 10
    slope = g(x)
    step = line_search(f, x, -slope, g, kind="exact").step
    assert step == pytest.approx(slope @ slope / (slope @ H @ slope), rel=1e-8)


@pytest.mark.parametrize("kind", ["armijo", "wolfe"])
def test_accepted_steps_meet_their_inequality(kind):
    rng = np.random.default_rng(0)
    for _ in range(40):
        x = rng.normal(size=2) * 2
        slope = rosenbrock_slope(x)
        found = line_search(rosenbrock, x, -slope, rosenbrock_slope, kind=kind)
        assert found.met
        assert rosenbrock(x - found.step * slope) <= rosenbrock(x) - 1e-4 * found.step * slope @ slope
        if kind == "wolfe":
            assert rosenbrock_slope(found.x) @ -slope >= -0.9 * slope @ slope


def test_two_over_L_is_the_limit():
    f, g, _, best = quadratic(4, condition=20.0)
    limit = 2 / 20.0
    good = gradient_descent(f, np.ones(4), g, step=0.98 * limit, max_iter=5000)
    assert good.converged
    assert_allclose(good.x, best, atol=1e-6)
    with pytest.warns(SearchWarning, match="diverged"):
        bad = gradient_descent(f, np.ones(4), g, step=1.05 * limit, max_iter=5000)
    assert not bad.converged
    assert "too long" in bad.reason
    assert bad.value == bad.trace.value.min()
    assert bad.value == pytest.approx(f(bad.x))


def test_overflow_stops_and_keeps_the_best():
    with pytest.warns(SearchWarning, match="diverged"):
        d = gradient_descent(
            lambda x: float(np.exp(x[0] ** 2)), [2.0], lambda x: 2 * x * np.exp(x**2), step="inverse", eta=10.0
        )
    assert np.isfinite(d.value)
    assert d.value <= np.exp(4.0)


@pytest.mark.parametrize("step", ["armijo", "wolfe", "exact"])
def test_searched_steps_descend(step):
    f, g, _, best = quadratic(3)
    d = gradient_descent(f, np.full(3, 5.0), g, step=step, max_iter=3000)
    assert d.converged
    assert_allclose(d.x, best, atol=1e-5)
    assert (np.diff(d.trace.value) <= 0).all()
    assert len(d.trace) == d.iterations + 1 == len(d.trace.x) == len(d.trace.gradient_norm) == len(d.trace.step)
    assert_allclose(d.trace.x[-1], d.x)
    assert_allclose(d.trace.gradient_norm[-1], np.linalg.norm(d.gradient))


def test_decreasing_steps_converge():
    f, g, _, best = quadratic(2, condition=3.0)
    d = gradient_descent(f, [2.0, -1.0], g, step="inverse", eta=1.0, max_iter=4000, tol=1e-4)
    assert d.converged
    assert_allclose(d.x, best, atol=1e-3)
    assert_allclose(d.trace.step[1:4], 1 / np.arange(1, 4))


def test_newton_takes_one_step_on_a_quadratic():
    f, g, H, best = quadratic(6)
    d = newton(f, np.full(6, 9.0), g, lambda x: H)
    assert d.iterations == 1
    assert_allclose(d.x, best, atol=1e-10)


def test_newton_converges_quadratically():
    f, g, h = logistic()
    d = newton(f, [0.0, 0.0], g, h)
    error = np.linalg.norm(d.trace.x - d.x, axis=1)
    late = (error > 1e-7) & (error < 0.5)
    assert d.converged
    assert (error[1:][late[:-1]] < 2 * error[:-1][late[:-1]] ** 2 + 1e-10).all()


def test_far_start_of_logistic_regression():
    """The course's claim of global convergence is wrong: bare Newton overflows from a far start, the protected one does not."""
    f, g, h = logistic()
    far = np.array([30.0, -40.0])
    with pytest.warns(SearchWarning, match="diverged"):
        bare = newton(f, far, g, h, protect=False)
    assert not bare.converged
    assert bare.value <= f(far)
    safe = newton(f, far, g, h)
    assert safe.converged
    assert_allclose(safe.x, newton(f, [0.0, 0.0], g, h).x, atol=1e-6)
    assert (np.diff(safe.trace.value) < 0).all()


def test_newton_repairs_an_indefinite_hessian():
    f = lambda x: (x[0] ** 2 - 1) ** 2 + x[1] ** 2  # noqa: E731
    g = lambda x: np.array([4 * x[0] * (x[0] ** 2 - 1), 2 * x[1]])  # noqa: E731
    h = lambda x: np.diag([12 * x[0] ** 2 - 4, 2.0])  # noqa: E731
    d = newton(f, [0.1, 1.0], g, h)
    assert d.converged
    assert_allclose(np.abs(d.x), [1, 0], atol=1e-5)


@given(st.integers(0, 10_000), st.integers(2, 7))
@settings(max_examples=25, deadline=None)
def test_secant_equation(seed, p):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(p, p))
    B = A @ A.T + np.eye(p)
    s, g = rng.normal(size=p), rng.normal(size=p)
    g = g if g @ s > 0.05 else -g if g @ s < -0.05 else s
    new = secant_update(B, s, g)
    assert_allclose(new @ g, s, atol=1e-8 * np.abs(new).max())
    assert_allclose(new, new.T, atol=1e-9 * np.abs(new).max())
    assert np.linalg.eigvalsh(new).min() > -1e-9 * np.abs(new).max()
    assert secant_update(B, s, -g) is B


@pytest.mark.parametrize("p", [2, 4, 6])
def test_bfgs_is_exact_in_p_steps_on_a_quadratic(p):
    f, g, _, best = quadratic(p, seed=p, condition=30.0)
    d = bfgs(f, np.zeros(p), g, search="exact", tol=1e-7)
    assert d.converged
    assert d.iterations <= p
    assert_allclose(d.x, best, atol=1e-7)


@pytest.mark.parametrize("method", [bfgs, lbfgs])
def test_quasi_newton_reaches_newtons_optimum(method):
    f, g, h = logistic(seed=5)
    d = method(f, [3.0, -2.0], g)
    assert d.converged
    assert_allclose(d.x, newton(f, [0.0, 0.0], g, h).x, atol=1e-6)
    d = method(rosenbrock, [-1.2, 1.0], rosenbrock_slope)
    assert_allclose(d.x, [1, 1], atol=1e-5)
    assert d.iterations < 80


def test_short_memory_is_bfgs_while_it_lasts():
    f, g, _, _ = quadratic(5)
    full, short = bfgs(f, np.ones(5), g), lbfgs(f, np.ones(5), g, memory=100)
    assert_allclose(full.trace.x[:3], short.trace.x[:3], atol=1e-9)


def test_lbfgs_agrees_with_scipy_in_many_dimensions():
    from scipy.optimize import minimize

    f, g, _, best = quadratic(60, condition=1000.0)
    d = lbfgs(f, np.zeros(60), g, tol=1e-8)
    assert d.converged
    assert_allclose(d.x, best, atol=1e-7)
    assert d.value == pytest.approx(minimize(f, np.zeros(60), jac=g, method="L-BFGS-B").fun, abs=1e-6)


def test_stochastic_descent():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(150), rng.normal(size=150)])
    y = X @ [1.0, -2.0] + 0.1 * rng.normal(size=150)
    f = lambda w: ((X @ w - y) ** 2).mean() / 2  # noqa: E731
    g = lambda w, rows: X[rows].T @ (X[rows] @ w - y[rows]) / len(rows)  # noqa: E731
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    a = stochastic_gradient_descent(
        f, [0.0, 0.0], g, 150, eta=0.5, step="power", batch=5, passes=150, random_state=7, average=True
    )
    b = stochastic_gradient_descent(
        f, [0.0, 0.0], g, 150, eta=0.5, step="power", batch=5, passes=150, random_state=7, average=True
    )
    assert_allclose(a.trace.x, b.trace.x, rtol=0)
    assert_allclose(a.x, best, atol=2e-3)
    c = stochastic_gradient_descent(f, [0.0, 0.0], g, 150, passes=2, batch=50, every="update", random_state=1)
    assert len(c.trace) == 7
    whole = stochastic_gradient_descent(f, [0.0, 0.0], g, 150, passes=30, batch=150, step=0.5, shuffle=False)
    assert_allclose(
        whole.x, gradient_descent(f, [0.0, 0.0], lambda w: g(w, np.arange(150)), step=0.5, max_iter=30).x, atol=1e-12
    )
    stopped = stochastic_gradient_descent(f, [0.0, 0.0], g, 150, stop=lambda w: f(w) < 0.1, random_state=0, eta=0.5)
    assert stopped.converged
    with pytest.warns(SearchWarning, match="diverged"):
        stochastic_gradient_descent(f, [0.0, 0.0], g, 150, step=30.0, random_state=0)


def test_sentences():
    f, g, _, _ = quadratic(2)
    with pytest.raises(DataError, match="does not descend"):
        line_search(f, [5.0, 5.0], g(np.array([5.0, 5.0])), g)
    for eta in (0, -1.0, np.nan, "fast"):
        with pytest.raises(WrongUse, match="eta"):
            gradient_descent(f, [0.0, 0.0], g, eta=eta)
    with pytest.raises(WrongUse, match="positive"):
        gradient_descent(f, [0.0, 0.0], g, step=-0.1)
    with pytest.raises(WrongUse, match="'constant', 'inverse'"):
        gradient_descent(f, [0.0, 0.0], g, step="clever")
    with pytest.raises(WrongUse, match="'exact', 'armijo' or 'wolfe'"):
        line_search(f, [0.0, 0.0], [1.0, 0.0], g, kind="best")
    with pytest.raises(DataError, match="cannot start"):
        gradient_descent(lambda x: np.inf, [0.0], lambda x: x)
    with pytest.raises(DataError, match="no minimum"):
        line_search(lambda x: -x[0], [0.0], [1.0], lambda x: np.array([-1.0]), kind="exact")
    tired = gradient_descent(rosenbrock, [-1.2, 1.0], rosenbrock_slope, max_iter=3)
    assert not tired.converged
    assert "max_iter = 3" in tired.reason
    wrong = gradient_descent(lambda x: x @ x, [3.0], lambda x: -2 * x)  # the sign of the gradient is wrong
    assert not wrong.converged
    assert "is it the gradient" in wrong.reason


def test_schedules():
    assert [schedules.constant(0.3)(k) for k in (1, 9)] == [0.3, 0.3]
    assert schedules.power(1.0, 0.5)(4) == 0.5
    assert schedules.geometric(1.0, 0.5)(3) == 0.25
    steps = np.array([schedules.inverse(2.0)(k) for k in range(1, 2001)])
    assert steps.sum() > 14
    assert (steps**2).sum() < 4 * np.pi**2 / 6
    with pytest.raises(WrongUse, match=r"\(0, 1\]"):
        schedules.power(1.0, 2.0)


def test_pictures():
    import matplotlib.pyplot as plt

    from epee.figures.losses import plot_margin_losses, plot_residual_losses

    axes = bfgs(rosenbrock, [-1.2, 1.0], rosenbrock_slope).plot()
    assert len(axes) == 2
    f, g, _, _ = quadratic(3)
    ax = gradient_descent(f, np.ones(3), g, max_iter=20).plot()
    assert ax.get_xlabel() == "iteration"
    assert plot_margin_losses().get_legend().get_texts()[0].get_text() == "0-1"
    assert len(plot_residual_losses().lines) == 6
    plt.close("all")


@pytest.mark.parametrize("K", [2, 3, 6, 7])
def test_the_hessian_of_a_softmax_is_its_definition(K):
    from epee.optimize.linear_risk import _softmax_hessian

    rng = np.random.default_rng(K)
    B, P, w = rng.normal(size=(40, 3)), rng.dirichlet(np.ones(K), 40), rng.random(40)
    bends = w[:, None, None] * (P[:, :, None] * np.eye(K) - P[:, :, None] * P[:, None, :])
    wanted = np.einsum("ikj,ia,ib->kajb", bends, B, B).reshape(3 * K, 3 * K)
    np.testing.assert_allclose(_softmax_hessian(B, P * w[:, None], P), wanted, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_terms_of_a_softmax_are_those_of_each_row(order):
    """However the scores lie in memory: the loss is -log P of the true class, its slope P less one there."""
    from epee.losses.entropy import CrossEntropy
    from epee.optimize.linear_risk import row_terms

    rng = np.random.default_rng(0)
    S, codes = np.asarray(20 * rng.normal(size=(30, 4)), order=order), rng.integers(0, 4, 30)
    before = S.copy()
    value, slope, P = row_terms(CrossEntropy(), S, codes, True)
    wanted = np.exp(S) / np.exp(S).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(P, wanted, rtol=1e-13)
    np.testing.assert_allclose(value, -np.log(wanted[np.arange(30), codes]), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(slope, wanted - np.eye(4)[codes], atol=1e-14)
    again, bent, none = row_terms(CrossEntropy(), S, codes, False)
    np.testing.assert_array_equal(again, value)
    np.testing.assert_array_equal(bent, slope)
    np.testing.assert_array_equal(S, before)
    assert none is None
