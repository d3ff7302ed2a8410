"""Criteria that price complexity: formulas, statsmodels, and simulation."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from epee import KNeighborsRegressor, LinearRegression, LogisticRegression, Ridge
from epee.errors import DataError, WrongUse
from epee.risk import aic, aicc, bic, gcv, loo, mallows_cp, optimism


@pytest.fixture
def line():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    return X, X[:, 0] + rng.normal(size=50)


def test_course_forms(line):
    X, y = line
    n, d = 50, 5
    err = ((LinearRegression().fit(X, y).predict(X) - y) ** 2).mean()
    assert gcv(LinearRegression(), X, y) == pytest.approx(err / (1 - d / n) ** 2)
    assert aic(LinearRegression(), X, y, sigma2=2.0) == pytest.approx(err + 2 * d / n * 2)
    assert mallows_cp(LinearRegression(), X, y, sigma2=2.0) == aic(LinearRegression(), X, y, sigma2=2.0)
    assert aicc(LinearRegression(), X, y, sigma2=2.0) == pytest.approx(err + 2 * (d + 1) / (n - d - 2) * 2)
    assert bic(LinearRegression(), X, y, sigma2=2.0) == pytest.approx(err + np.log(n) * d / n * 2)
    found = aic(LinearRegression(), X, y)
    assert (
        found.sigma2 == pytest.approx(err * n / (n - d))
        and found.dof == pytest.approx(d)
        and found.err == pytest.approx(err)
    )


def test_likelihood_forms_agree_with_statsmodels(line):
    X, y = line
    theirs = sm.OLS(
        y, sm.add_constant(X)
    ).fit()  # counts the coefficients only; R and we count the variance of the noise too
    assert aic(LinearRegression(), X, y, form="likelihood") == pytest.approx(theirs.aic + 2)
    assert bic(LinearRegression(), X, y, form="likelihood") == pytest.approx(theirs.bic + np.log(50))
    k = 6
    assert aicc(LinearRegression(), X, y, form="likelihood") == pytest.approx(
        theirs.aic + 2 + 2 * k * (k + 1) / (50 - k - 1)
    )
    assert mallows_cp(LinearRegression(), X, y, form="likelihood") == pytest.approx(5)


def test_classifiers_by_likelihood():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2))
    y = (rng.random(200) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
    theirs = sm.Logit(y, sm.add_constant(X)).fit(disp=0)
    assert aic(LogisticRegression(C=1e8, tol=1e-10), X, y) == pytest.approx(theirs.aic, rel=1e-6)
    assert bic(LogisticRegression(C=1e8, tol=1e-10), X, y) == pytest.approx(theirs.bic, rel=1e-6)
    with pytest.raises(WrongUse, match="regressions"):
        gcv(LogisticRegression(), X, y)


def test_gcv_is_loo_when_leverages_are_equal():
    X = np.array([[1.0], [-1.0]] * 6)
    y = np.random.default_rng(0).normal(size=12)
    assert gcv(LinearRegression(), X, y) == pytest.approx(loo(LinearRegression(), X, y).value)


def test_bic_is_heavier_from_eight_rows_on():
    for n in (7, 8, 20):
        X, y = np.random.default_rng(n).normal(size=(n, 1)), np.random.default_rng(0).normal(size=n)
        heavier = bic(LinearRegression(), X, y, sigma2=1.0) > aic(LinearRegression(), X, y, sigma2=1.0)
        assert heavier == (n >= 8)


def test_several_models_take_the_noise_of_the_largest(line):
    X, y = line
    models = [Ridge(a) for a in (1000.0, 10.0, 1e-9)]
    found = bic(models, X, y)
    assert found.sigma2 == pytest.approx(bic(LinearRegression(), X, y).sigma2, rel=1e-6)
    assert found.values[0] == pytest.approx(bic(models[0], X, y, sigma2=found.sigma2))
    assert found.best is models[found.best_index] and found.values.min() == found.values[found.best_index]


def test_optimism_is_what_simulation_finds():
    """2 tr(S) sigma² / n against fresh values at the same inputs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    f = X @ np.ones(4)
    gaps = []
    for _ in range(400):
        y = f + rng.normal(size=30)
        fit = LinearRegression().fit(X, y).predict(X)
        gaps.append((1 + (f - fit) ** 2).mean() - ((y - fit) ** 2).mean())
    formula = optimism(LinearRegression(), X, y, sigma2=1.0)
    assert formula == pytest.approx(2 * 5 / 30)
    assert np.mean(gaps) == pytest.approx(formula, abs=4 * np.std(gaps) / 20)


def test_bootstrap_optimism_for_any_regressor():
    rng = np.random.default_rng(0)
    x = np.linspace(0, 1, 60)[:, None]
    y = np.sin(4 * x[:, 0]) + 0.3 * rng.normal(size=60)
    found = optimism(KNeighborsRegressor(5), x, y, sigma2=0.09, method="bootstrap", repeats=200)
    assert found == pytest.approx(2 * 0.09 / 5, rel=0.25)  # tr S = n / k
    ridge = optimism(Ridge(2.0), x, y, sigma2=0.09, method="bootstrap", repeats=400)
    assert ridge == pytest.approx(optimism(Ridge(2.0), x, y, sigma2=0.09), rel=0.25)


def test_bad_input(line):
    X, y = line
    with pytest.raises(WrongUse, match="'course' or 'likelihood'"):
        aic(LinearRegression(), X, y, form="other")
    with pytest.raises(WrongUse, match="must be positive"):
        aic(LinearRegression(), X, y, sigma2=-1.0)
    with pytest.raises(DataError, match="n > d"):
        aicc(LinearRegression(), X[:7], y[:7], sigma2=1.0)
    with pytest.raises(DataError, match="no residual degrees"):
        aic(LinearRegression(), X[:5], y[:5])
    from sklearn.neighbors import KNeighborsRegressor as Theirs

    with pytest.raises(DataError, match="not known"):
        aic(Theirs(), X, y)


def test_the_courses_corrected_criterion_is_larger_by_the_noise():
    X = np.random.default_rng(2).standard_normal((20, 3))
    y = X @ [1.0, 2.0, 3.0] + np.random.default_rng(3).standard_normal(20)
    models = [LinearRegression(), Ridge(5.0)]
    for model in models:
        mine, course = aicc(model, X, y, sigma2=0.7), aicc(model, X, y, sigma2=0.7, form="course")
        assert course - mine == pytest.approx(0.7)
        assert course == pytest.approx(course.err + (20 + course.dof) / (20 - course.dof - 2) * 0.7)
    with pytest.raises(WrongUse, match="'course' or 'likelihood'"):
        aicc(models[0], X, y, form="comparable!")
