"""Smoothing splines and sums of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline, make_smoothing_spline

from epee import AdditiveSplines, SmoothingSpline, samples
from epee.errors import DataError, MissingValues, WrongUse
from epee.predictors.regression.natural_splines import natural_bases

rng = np.random.default_rng(0)
x = np.sort(rng.random(80) * 5)
y = np.sin(2 * x) + 0.3 * rng.normal(size=80)
w = rng.integers(1, 4, 80).astype(float)


def smoother(lam, weight=None):
    """The smoother matrix, column by column."""
    return np.column_stack([SmoothingSpline(lam).fit(x, e, sample_weight=weight).predict(x) for e in np.eye(80)])


@pytest.mark.parametrize("lam", [1e-6, 1e-3, 0.1, 10.0])
@pytest.mark.parametrize("weight", [None, w], ids=["plain", "weighted"])
def test_agrees_with_scipy(lam, weight):
    ours, theirs = SmoothingSpline(lam).fit(x, y, sample_weight=weight), make_smoothing_spline(x, y, weight, lam=lam)
    grid = np.linspace(x[0], x[-1], 300)
    np.testing.assert_allclose(ours.predict(grid), theirs(grid), atol=1e-6)


def test_agrees_with_r_on_cars():
    """smooth.spline(cars$speed, cars$dist) of R: df 2.635278, GCV 244.1044."""
    cars = samples.load("cars")
    ours = SmoothingSpline().fit(cars["speed"].to_numpy(), cars["dist"].to_numpy())
    assert ours.effective_dof_ == pytest.approx(2.635278, abs=2e-3)
    assert ours.gcv_ == pytest.approx(244.1044, abs=1e-3)


def test_leverages_are_the_diagonal_of_the_smoother():
    for weight in (None, w):
        S = smoother(0.05, weight)
        ours = SmoothingSpline(0.05).fit(x, y, sample_weight=weight)
        np.testing.assert_allclose(ours.leverages_, np.diag(S), atol=1e-9)
        assert ours.effective_dof_ == pytest.approx(np.trace(S))
    np.testing.assert_allclose(S @ x, x, atol=1e-8)  # straight lines come through


def test_limits_interpolate_and_straighten():
    np.testing.assert_allclose(SmoothingSpline(0.0).fit(x, y).predict(x), y, atol=1e-10)
    line = SmoothingSpline(np.inf).fit(x, y)
    np.testing.assert_allclose(line.predict(x), np.polyval(np.polyfit(x, y, 1), x), atol=1e-9)
    assert line.effective_dof_ == pytest.approx(2)
    dofs = [SmoothingSpline(lam).fit(x, y).effective_dof_ for lam in 10.0 ** np.arange(-8, 8)]
    assert (np.diff(dofs) < 0).all() and dofs[0] < 80 and dofs[-1] > 2


@pytest.mark.parametrize("criterion", ["gcv", "loo"])
def test_leave_one_out_in_closed_form_equals_brute_force(criterion):
    xs, ys = np.append(x, x[:10]), np.append(y, y[:10] + 0.2)  # with repeated x
    fitted = SmoothingSpline(criterion=criterion).fit(xs, ys)
    brute = np.array([
        SmoothingSpline(fitted.lam_).fit(np.delete(xs, i), np.delete(ys, i)).predict(xs[i : i + 1])[0] for i in range(len(xs))
    ])  # fmt: skip
    np.testing.assert_allclose(fitted.left_out(xs[:, None], ys, None), brute, atol=1e-8)
    assert fitted.loo_ == pytest.approx(np.mean((ys - brute) ** 2), rel=1e-8)
    nearby = [getattr(SmoothingSpline(fitted.lam_ * f).fit(xs, ys), f"{criterion}_") for f in (0.8, 1.25)]
    assert getattr(fitted, f"{criterion}_") <= min(nearby)


def test_degrees_of_freedom_on_request_and_units():
    fitted = SmoothingSpline(dof=7.5).fit(x, y)
    assert fitted.effective_dof_ == pytest.approx(7.5, abs=1e-6)
    scaled = SmoothingSpline(dof=7.5).fit(1000 * x + 7, y)
    assert scaled.lam_ == pytest.approx(fitted.lam_ * 1e9, rel=1e-5)
    np.testing.assert_allclose(scaled.predict(1000 * x + 7), fitted.predict(x), atol=1e-6)


def test_weights_are_counts_and_rows_may_repeat():
    a = SmoothingSpline(0.1).fit(x, y, sample_weight=w)
    b = SmoothingSpline(0.1).fit(np.repeat(x, w.astype(int)), np.repeat(y, w.astype(int)))
    np.testing.assert_allclose(a.predict(x), b.predict(x), atol=1e-10)
    assert a.gcv_ == pytest.approx(b.gcv_)


def test_outside_the_knots_the_curve_is_straight():
    fitted = SmoothingSpline(0.01).fit(x, y)
    out = fitted.predict(np.array([6.0, 7.0, 8.0, -1.0, -2.0, -3.0]))
    assert out[2] - out[1] == pytest.approx(out[1] - out[0])
    assert out[5] - out[4] == pytest.approx(out[4] - out[3])
    slope = (fitted.predict(x[-1:] + 1e-6) - fitted.predict(x[-1:] - 1e-6)) / 2e-6
    assert out[1] - out[0] == pytest.approx(slope[0], rel=1e-4)


def test_bands_cover_the_truth():
    hits = []
    for seed in range(40):
        r = np.random.default_rng(seed)
        t = np.sort(r.random(100) * 5)
        fitted = SmoothingSpline().fit(t, np.sin(2 * t) + 0.3 * r.normal(size=100))
        ends = fitted.predict_interval(t, 0.9)
        hits.append(np.mean((ends[:, 0] < np.sin(2 * t)) & (np.sin(2 * t) < ends[:, 1])))
    assert 0.82 < np.mean(hits) < 0.96


def test_a_hundred_thousand_rows_in_any_spacing():
    t = np.sort(np.random.default_rng(1).random(50_000))
    fitted = SmoothingSpline().fit(t, np.sin(10 * t) + 0.3 * np.random.default_rng(2).normal(size=50_000))
    assert np.abs(fitted.predict(t) - np.sin(10 * t)).max() < 0.05
    assert 8 < fitted.effective_dof_ < 40


@pytest.mark.parametrize(
    ("model", "rows", "error", "words"),
    [
        (SmoothingSpline(), [1.0, 1.0, 2.0, 3.0], DataError, "only 3 distinct values"),
        (SmoothingSpline(-1.0), x, WrongUse, "lam is -1.0"),
        (SmoothingSpline(1.0, dof=3), x, WrongUse, "not both"),
        (SmoothingSpline(dof=1), x, WrongUse, "above 2"),
        (SmoothingSpline(criterion="aic"), x, WrongUse, "'gcv' or 'loo'"),
        (SmoothingSpline(), np.ones((80, 2)), DataError, "AdditiveSplines takes several"),
    ],
)
def test_what_makes_no_spline(model, rows, error, words):
    with pytest.raises(error, match=words):
        model.fit(rows, y[: len(rows)])


def test_an_interpolating_spline_has_no_bands():
    with pytest.raises(DataError, match="no residual degrees of freedom"):
        SmoothingSpline(0.0).fit(x, y).predict_interval(x)


X = rng.uniform(-2, 2, size=(400, 3))
F = np.sin(2 * X[:, 0]) + X[:, 1] ** 2
Y = F + 0.2 * rng.normal(size=400)


def test_additive_curves_are_found():
    model = AdditiveSplines(dof=6).fit(X, Y)
    assert np.corrcoef(model.predict(X), F)[0, 1] > 0.99
    curves = model.curves(X)
    assert np.corrcoef(curves[:, 0], np.sin(2 * X[:, 0]))[0, 1] > 0.99
    assert curves[:, 2].std() < 0.1
    assert model.effective_dof_ == pytest.approx(18, abs=1.0)


def test_one_degree_of_freedom_is_the_plane():
    model = AdditiveSplines(dof=1).fit(X, Y)
    A = np.column_stack([np.ones(400), X])
    np.testing.assert_allclose(model.predict(X), A @ np.linalg.lstsq(A, Y, rcond=None)[0], atol=1e-4)


def test_one_column_is_near_the_smoothing_spline():
    t = np.sort(rng.random(300) * 5)
    z = np.sin(2 * t) + 0.2 * rng.normal(size=300)
    a, b = AdditiveSplines(dof=7, n_knots=30).fit(t[:, None], z), SmoothingSpline(dof=8).fit(t, z)
    np.testing.assert_allclose(a.predict(t[:, None]), b.predict(t), atol=0.03)


def test_additive_blocks_add_up_and_odd_columns_are_taken():
    odd = np.column_stack([X, np.ones(400), (X[:, 0] > 0).astype(float)])
    whole = AdditiveSplines().fit(odd, Y)
    assert np.isfinite(whole.coef_).all()
    pieces = AdditiveSplines().fit(odd, Y)
    pieces.forget(odd[:50], Y[:50]).partial_fit(odd[:50], Y[:50])
    np.testing.assert_allclose(pieces.predict(odd), whole.predict(odd), atol=1e-6)


def test_a_constant_column_gets_nothing_whatever_the_others_are():
    for seed in range(20):
        own = np.random.default_rng(seed)
        Z, z = own.normal(size=(60, 3)), own.normal(size=60)
        alone = AdditiveSplines().fit(Z, z)
        beside = AdditiveSplines().fit(np.column_stack([Z, np.full(60, 7.0)]), z)
        assert beside.coef_[-1] == 0
        np.testing.assert_allclose(beside.coef_[:-1], alone.coef_, atol=1e-8)


def test_additive_parameters_that_make_no_sense():
    with pytest.raises(WrongUse, match="at least 1"):
        AdditiveSplines(dof=0).fit(X, Y)
    with pytest.raises(WrongUse, match="n_knots is 2"):
        AdditiveSplines(n_knots=2).fit(X, Y)


def test_additive_splines_name_the_missing_cell_and_one_number_of_freedom():
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(40, 2)), rng.normal(size=40)
    X[7, 1] = np.nan
    with pytest.raises(MissingValues, match="column 1: 1 missing value .* row 7"):
        AdditiveSplines().fit(X, y)
    with pytest.raises(WrongUse, match="dof is .* one number"):
        AdditiveSplines(dof=[3, 4]).fit(X, y)


@given(st.integers(0, 10_000), st.integers(3, 12), st.sampled_from([1, 30, 4_000]))
@settings(deadline=None, max_examples=20)
def test_bases_are_natural_splines_that_are_one_at_one_knot(seed, n_knots, n):
    rng = np.random.default_rng(seed)
    knots = [np.sort(rng.choice(200, n_knots, replace=False)) / 7.0, np.empty(0), np.array([0.0, 1.0, 4.0])]
    X = np.column_stack([rng.uniform(knots[0][0], knots[0][-1], n), rng.normal(size=n), rng.uniform(0, 4, n)])
    B = natural_bases(X, knots)
    first = CubicSpline(knots[0], np.eye(n_knots), bc_type="natural")(X[:, 0])
    third = CubicSpline(knots[2], np.eye(3), bc_type="natural")(X[:, 2])
    np.testing.assert_allclose(B, np.column_stack([first[:, 1:], X[:, 1], third[:, 1:]]), atol=1e-9)


def test_bases_go_on_straight_beyond_the_knots():
    knots = [np.array([0.0, 1.0, 3.0, 4.0])]
    for a in (4.0, -3.0):
        B = natural_bases(np.linspace(a, a + 3, 4)[:, None], knots)
        np.testing.assert_allclose(np.diff(B, 2, axis=0), 0, atol=1e-12)


def test_what_dof_leaves_alone_is_found_once_for_all_variants(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.sin(2 * X[:, 0]) + rng.normal(size=200)
    model = AdditiveSplines(dof=4).fit(X, y)
    plain = [AdditiveSplines(dof=dof).fit(X, y).predict(X) for dof in (2, 3, 6)]
    monkeypatch.setattr("epee.predictors.regression.additive.spectrum", None)
    for variant, expected in zip(model.variants("dof", [2, 3, 6]), plain):
        np.testing.assert_allclose(variant.predict(X), expected, atol=1e-9)


def test_the_curves_that_were_solved_last_are_not_solved_again(monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    y = np.sin(2 * X[:, 0]) + rng.normal(size=200)
    model = AdditiveSplines(dof=4).fit(X, y)
    solved = []
    solve = AdditiveSplines._solve
    monkeypatch.setattr(AdditiveSplines, "_solve", lambda self, m: solved.append(self.dof) or solve(self, m))
    same, other = model.variants("dof", [4, 6])
    assert solved == [6] and same is not model and same.dof == 4 and other.effective_dof_ > same.effective_dof_
    np.testing.assert_array_equal(same.predict(X), model.predict(X))
    np.testing.assert_array_equal(other.variants("dof", [4])[0].predict(X), model.predict(X))
    moved = model.set_params(dof=6).variants("dof", [6, 4])  # it is still the fit of 4
    assert solved == [6, 4, 6]
    np.testing.assert_array_equal(moved[0].predict(X), other.predict(X))
    np.testing.assert_array_equal(moved[1].predict(X), same.predict(X))
