"""Descents, risks, lasso, codes and splines against their definitions in NumPy and SciPy."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize
from scipy.special import expit, logsumexp, softmax

from epee.kernels import lasso, linear_sgd, linear_step
from epee.kernels.linear_cd import threshold_sweeps
from epee.kernels.linear_sums import logistic_sums, logistic_term, softmax_sums
from epee.kernels.sparse_codes import codes
from epee.kernels.spline import evaluate, smooth

NONE = np.empty(0)


@pytest.fixture(params=[0, 1])
def rng(request):
    return np.random.default_rng(request.param)


@pytest.mark.parametrize("weighted", [False, True])
def test_logistic_risk(rng, weighted):
    X, y, coef = rng.normal(size=(50, 3)), rng.integers(0, 2, 50), rng.normal(size=3)
    w = rng.random(50) if weighted else NONE
    u, s = (w if weighted else np.ones(50)), X @ coef + 0.3
    gradient = np.zeros(4)
    value, count = logistic_sums(X, y, w, coef, 0.3, gradient)
    assert count == pytest.approx(u.sum()) and value == pytest.approx(u @ (np.logaddexp(0, s) - y * s))
    r = u * (expit(s) - y)
    np.testing.assert_allclose(gradient, np.append(r @ X, r.sum()), atol=1e-12)


def test_the_loss_and_slope_of_one_score(rng):
    for s in rng.normal(size=20) * np.geomspace(1e-3, 800, 20):
        for t in (0.0, 1.0):
            np.testing.assert_allclose(logistic_term(s, t), (np.logaddexp(0, s) - t * s, expit(s) - t), atol=1e-15)


@pytest.mark.parametrize("weighted", [False, True])
def test_softmax_risk(rng, weighted):
    X, y, coef, biases = rng.normal(size=(50, 3)), rng.integers(0, 4, 50), rng.normal(size=(3, 4)), rng.normal(size=4)
    w = rng.random(50) if weighted else NONE
    u, S = (w if weighted else np.ones(50)), X @ coef + biases
    gradient = np.zeros((4, 4))
    value, count = softmax_sums(X, y, w, coef, biases, 16, gradient)
    assert count == pytest.approx(u.sum()) and value == pytest.approx(u @ (logsumexp(S, axis=1) - S[np.arange(50), y]))
    R = u[:, None] * (softmax(S, axis=1) - np.eye(4)[y])
    np.testing.assert_allclose(gradient, np.column_stack([R.T @ X, R.sum(axis=0)]), atol=1e-11)


VALUES = [
    lambda m: np.maximum(0, 1 - m), lambda m: np.logaddexp(0, -m), lambda m: np.maximum(0, 1 - m) ** 2, lambda m: np.maximum(0, -m),
    lambda m: (1 - m) ** 2,
]  # fmt: skip


@pytest.mark.parametrize("loss", range(5))
def test_losses_of_margins_and_their_slopes(loss):
    for m in (-3.3, -0.2, 0.4, 2.7):
        assert linear_step.loss_of(loss, m) == pytest.approx(VALUES[loss](m))
        slope = (VALUES[loss](m + 1e-6) - VALUES[loss](m - 1e-6)) / 2e-6
        assert linear_step.slope_of(loss, m) == pytest.approx(slope, abs=1e-7)


def step(kind, eta, power, start, alpha, k):
    return (eta, eta / k, eta / k**power, 1 / (alpha * (start + k - 1)))[kind]


@pytest.mark.parametrize("kind", range(4))
def test_lengths_of_steps(kind):
    asked = (kind, 0.3, 0.6, 5.0, 0.1, 7.0)
    assert linear_step.length_of_step(*asked) == pytest.approx(step(*asked))
    W = np.ones((2, 3))
    linear_step.scale_all(W, 0.25)
    assert (W == 0.25).all()


@pytest.mark.parametrize("loss", range(5))
def test_a_stochastic_pass_is_the_plain_loop(rng, loss):
    X, t, weight, order = rng.normal(size=(30, 3)), rng.choice([-1.0, 1.0], 30), rng.random(30), rng.permutation(30)
    w, state, mean = np.zeros(3), np.zeros(5), np.zeros(3)
    met = linear_sgd.sgd_pass(
        X, t, weight, order, w, state, mean, np.zeros(3), loss, 1, 0.2, 1.0, 1.0, 0.05, 0.0, True, True
    )
    v, b, losses, path = np.zeros(3), 0.0, 0.0, []
    for k, i in enumerate(order, 1):
        m, eta = t[i] * (v @ X[i] + b), 0.2 / k
        losses += weight[i] * VALUES[loss](m)
        g = weight[i] * linear_step.slope_of.py_func(loss, m)
        v = (1 - eta * 0.05) * v - eta * t[i] * g * X[i]
        b -= eta * t[i] * g
        path.append([*v, b])
    np.testing.assert_allclose([*w, state[0]], [*v, b], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose([*mean, state[3]], np.mean(path, axis=0), rtol=1e-9, atol=1e-12)
    assert met == pytest.approx(losses / weight.sum()) and state[1] == 30


@pytest.mark.parametrize(("loss", "form"), [(0, 0), (0, 1), (1, 0), (2, 0), (3, 1), (4, 0)])
def test_a_stochastic_pass_of_many_classes(rng, loss, form):
    K, X, y, weight, order = 3, rng.normal(size=(20, 2)), rng.integers(0, 3, 20), rng.random(20), rng.permutation(20)
    W, biases, state = np.zeros((K, 2)), np.zeros(K), np.zeros(5)
    linear_sgd.sgd_pass_many(X, y, weight, order, W, biases, state, loss, form, 0, 0.1, 1.0, 1.0, 0.02, 0.0, True)
    V, b = np.zeros((K, 2)), np.zeros(K)
    for i in order:
        s, truth = V @ X[i] + b, y[i]
        if loss == 1:
            g = softmax(s) - np.eye(K)[truth]
        elif loss == 4:
            g = 2 * (s - (2 * np.eye(K)[truth] - 1))
        else:
            g, wrong = np.zeros(K), [c for c in range(K) if c != truth]
            for c in wrong if form == 0 else [max(wrong, key=lambda c: s[c])]:
                d = -linear_step.slope_of.py_func(loss, s[truth] - s[c])
                g[c] += d
                g[truth] -= d
        V = (1 - 0.1 * 0.02) * V - 0.1 * weight[i] * np.outer(g, X[i])
        b -= 0.1 * weight[i] * g
    np.testing.assert_allclose(np.column_stack([W, biases]), np.column_stack([V, b]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("loss", "form"), [(0, 0), (0, 1), (1, 0), (2, 0), (3, 1), (4, 0)])
def test_slopes_of_scores_are_those_of_the_loss(rng, loss, form):
    scores, g, away = rng.normal(size=4), np.full(4, 7.0), np.empty(4)
    linear_step.slopes_of_scores(loss, form, scores, 2, g)
    for c in range(4):
        ends = [linear_step.slopes_of_scores(loss, form, scores + h * np.eye(4)[c], 2, away) for h in (1e-6, -1e-6)]
        assert g[c] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-6)


def quadratic(rng, p=4):
    X, y = rng.normal(size=(40, p)), rng.normal(size=40)
    return X.T @ X / 40, X.T @ y / 40, float(y @ y / 40)


def test_soft_thresholds_reach_the_optimum(rng):
    H, g, _ = quadratic(rng)
    w, lam = rng.normal(size=4), np.full(4, 0.2)
    v = threshold_sweeps(H, g, w, lam, 1e-13, 1000)
    slope = g + H @ (v - w)  # 0 is in slope + lam d|v|
    np.testing.assert_allclose(slope[v != 0], -0.2 * np.sign(v[v != 0]), atol=1e-10)
    assert (np.abs(slope[v == 0]) <= 0.2 + 1e-10).all()


@pytest.mark.parametrize("positive", [False, True])
def test_the_lasso_path_reaches_its_optimum_and_knows_how_far_it_is(rng, positive):
    G, c, yy = quadratic(rng)
    alphas = np.array([0.3, 0.1, 0.02])
    W, gaps, _ = lasso.gram_path(G, c, yy, alphas, 0.8, 1e-12, 10_000, positive, np.zeros(4))
    gap = lasso.positive_gap if positive else lasso.gap_of
    for w, alpha, left in zip(W, alphas, gaps, strict=True):
        l1, l2 = 0.8 * alpha, 0.2 * alpha

        def cost(v):
            return v @ G @ v / 2 - c @ v + l1 * np.abs(v).sum() + l2 * v @ v / 2  # noqa: B023

        split = lambda u: cost(u[:4] - u[4:]) + l1 * (u.sum() - np.abs(u[:4] - u[4:]).sum())  # noqa: B023, E731
        bounds = [(0, None)] * 4 + [(0, 0) if positive else (0, None)] * 4
        best = minimize(
            split, np.full(8, 0.1), bounds=bounds, options={"ftol": 1e-15, "gtol": 1e-12, "maxiter": 5000}
        ).fun
        assert cost(w) <= best + 1e-8 and left <= 1e-12 * yy
        far = np.abs(rng.normal(size=4))
        assert (
            gap(far, c - G @ far, c, yy, l1, l2) >= cost(far) - cost(w) - 1e-9
        )  # a gap bounds the distance to the optimum


def test_one_sweep_is_one_round_of_soft_thresholds(rng):
    G, c, _ = quadratic(rng)
    w, q = np.zeros(4), c.copy()
    largest = lasso.sweep(G, w, q, np.arange(4), 4, 0.1, 0.05, False)
    v, moved = np.zeros(4), 0.0
    for j in range(4):
        z = c[j] - G[j] @ v + G[j, j] * v[j]
        new = np.sign(z) * max(abs(z) - 0.1, 0) / (G[j, j] + 0.05)
        moved, v[j] = max(moved, G[j, j] * (new - v[j]) ** 2), new
    np.testing.assert_allclose(w, v)
    np.testing.assert_allclose(q, c - G @ v, atol=1e-12)
    assert largest == pytest.approx(moved)


def test_codes_of_a_dictionary(rng):
    D, X = rng.normal(size=(5, 6)), rng.normal(size=(7, 6))
    G, C, W = D @ D.T, X @ D.T, np.zeros((7, 5))
    codes(G, C, 0.5, 1e-13, 10_000, W, 0, 7)
    slope = W @ G - C
    np.testing.assert_allclose(slope[W != 0], -0.5 * np.sign(W[W != 0]), atol=1e-9)
    assert (np.abs(slope[W == 0]) <= 0.5 + 1e-9).all()


def test_the_smoothing_spline_is_its_matrix(rng):
    """g = (W + lam Q R^-1 Q')^-1 W y, with Green and Silverman's bands written out."""
    n, lam = 12, 0.4
    x, y, w = np.sort(rng.random(n)) * 3, rng.normal(size=n), rng.random(n) + 0.2
    h = np.diff(x)
    Q, R = np.zeros((n, n - 2)), np.zeros((n - 2, n - 2))
    for j in range(n - 2):
        Q[j : j + 3, j] = 1 / h[j], -1 / h[j] - 1 / h[j + 1], 1 / h[j + 1]
        R[j, j] = (h[j] + h[j + 1]) / 3
        if j + 1 < n - 2:
            R[j, j + 1] = R[j + 1, j] = h[j + 1] / 6
    S = np.linalg.solve(np.diag(w) + lam * Q @ np.linalg.solve(R, Q.T), np.diag(w))
    g, gamma, leverage = smooth(h, w, y, lam)
    np.testing.assert_allclose(g, S @ y, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(leverage, np.diag(S), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(gamma[1:-1], np.linalg.solve(R, Q.T @ g), rtol=1e-6, atol=1e-6)
    natural, at = CubicSpline(x, g, bc_type="natural"), rng.uniform(x[0], x[-1], 40)
    out = np.empty(42)
    evaluate(np.append(at, [x[0] - 1, x[-1] + 1]), x, g, gamma, 0, 42, out)
    np.testing.assert_allclose(out[:40], natural(at), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(
        out[40:], [natural(x[0]) - natural(x[0], 1), natural(x[-1]) + natural(x[-1], 1)], rtol=1e-6, atol=1e-7
    )
