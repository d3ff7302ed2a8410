"""Forward chaining says where rows to come will not err as those that were tested."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression as Theirs

from epee import LinearRegression, Ridge
from epee.risk import compare, complexity_curve, cross_validate


@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize("gap", [0, 3, 20])
def test_a_gap_gives_the_errors_of_predictors_that_learned_earlier(ours, gap):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = X.sum(axis=1) + rng.normal(size=120)
    found = cross_validate(LinearRegression() if ours else Theirs(), X, y, folds=5, time=True, gap=gap)
    assert f"forecasts {gap + 1} to {gap + 16} moments ahead" in found.how
    for k, rows in enumerate(np.split(np.arange(40, 120), 5)):
        losses = (y[rows] - Theirs().fit(X[: rows[0] - gap], y[: rows[0] - gap]).predict(X[rows])) ** 2
        np.testing.assert_allclose(found.losses[rows], losses)
        assert found.per_fold[k] == pytest.approx(losses.mean())


def test_a_gap_is_that_of_comparisons_and_curves_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = X.sum(axis=1) + rng.normal(size=120)
    alone = cross_validate(Ridge(1.0), X, y, folds=5, time=True, gap=20)
    assert compare([Ridge(1.0), Ridge(50.0)], X, y, folds=5, time=True, gap=20).risks[0].value == pytest.approx(
        alone.value
    )
    curve = complexity_curve(Ridge(), X, y, "alpha", [1.0, 50.0], folds=5, time=True, gap=20)
    assert curve.cv[0] == pytest.approx(alone.per_fold.mean()) and "21 to" in curve.how


def series(rho: float, n: int = 150, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    e, X = rng.normal(size=n), rng.normal(size=(n, 2))
    for i in range(1, n):
        e[i] = rho * e[i - 1] + np.sqrt(1 - rho**2) * e[i]
    return X, X[:, 0] + e


@pytest.mark.parametrize("rho", [0.0, 0.9])
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_compared_predictors_have_the_error_bar_that_each_has_alone(rho, loss):
    X, y = series(rho)
    models = [LinearRegression(), Ridge(5.0)]
    for model, found in zip(models, compare(models, X, y, time=True, loss=loss).risks, strict=True):
        alone = cross_validate(model, X, y, time=True, loss=loss)
        told = [(r.value, r.stderr, *r.interval, *r.at(0.8).interval, r.dof) for r in (found, alone)]
        np.testing.assert_allclose(*told, rtol=1e-9)
        assert (found.caution, found.how) == (alone.caution, alone.how) and "error bar for rows in time" in found.how


@pytest.mark.parametrize("model", [Ridge(), Theirs()])
def test_a_curve_in_time_has_the_error_bar_of_its_best_value(model):
    X, y = series(0.9)
    name, values = ("alpha", [0.1, 5.0, 500.0]) if isinstance(model, Ridge) else ("fit_intercept", [True, False])
    curve = complexity_curve(model, X, y, name, values, time=True)
    alone = cross_validate(clone(model).set_params(**{name: curve.best}), X, y, time=True)
    assert curve.stderr[curve.best_index] == pytest.approx(alone.stderr)
    assert (curve.caution, curve.how) == (alone.caution, alone.how) and curve.caution
    bars = curve.per_fold.std(axis=0, ddof=1)
    np.testing.assert_allclose(curve.stderr / curve.stderr[0], bars / bars[0])


@pytest.mark.parametrize(("trend", "off"), [(0.0, False), (4.0, True), (-4.0, True)])
def test_forecasts_that_err_on_one_side_are_told(trend, off):
    rng = np.random.default_rng(0)
    X, place = rng.normal(size=(160, 2)), np.arange(160) / 160
    y = X.sum(axis=1) + rng.normal(size=160) + trend * place
    found = cross_validate(LinearRegression(), X, y, time=True)
    assert ("same side" in found.caution) == off
    with_time = cross_validate(LinearRegression(), np.column_stack([X, place]), y, time=True)
    assert "same side" not in with_time.caution


@pytest.mark.parametrize("law", ["normal", "t(3)"])
def test_normal_errors_in_time_are_seldom_said_to_have_a_heavy_tail(law):
    """Of 67 rows that were tested, normal ones were marked in 28 of 100 tables."""
    marked = []
    for i in range(100):
        rng = np.random.default_rng([21, i])
        X = rng.normal(size=(100, 2))
        y = X.sum(axis=1) + (rng.normal(size=100) if law == "normal" else rng.standard_t(3, 100))
        marked.append(bool(cross_validate(LinearRegression(), X, y, time=True).caution))
    assert np.mean(marked) < 0.05 + 0.03 + 2 * np.sqrt(0.08 / 100) if law == "normal" else np.mean(marked) > 0.7
