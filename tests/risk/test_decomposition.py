"""Noise, bias and variance add up, and agree with the course's closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from epee import KNeighborsClassifier, KNeighborsRegressor, LinearDiscriminantAnalysis, LinearRegression
from epee.errors import DataError, WrongUse
from epee.risk import bias_variance


def curve(X):
    return np.sin(3 * X[:, 0])


def test_an_identity_over_the_simulated_samples():
    found = bias_variance(KNeighborsRegressor(4), curve, noise=0.4, x=np.linspace(0, 2, 11), n=40, repeats=60)
    np.testing.assert_allclose(found.noise + found.bias2 + found.variance, found.epe, rtol=1e-12)
    a = found.average
    assert a.epe == pytest.approx(a.noise + a.bias2 + a.variance, rel=1e-12) and a.epe >= 0.16 == pytest.approx(a.noise)


def test_against_direct_simulation():
    rng = np.random.default_rng(0)
    x, errors = np.linspace(0.2, 1.8, 5)[:, None], []
    for _ in range(400):
        X = rng.uniform(0.2, 1.8, (30, 1))
        model = KNeighborsRegressor(3).fit(X, curve(X) + 0.3 * rng.normal(size=30))
        errors.append(((curve(x) + 0.3 * rng.normal(size=5) - model.predict(x)) ** 2).mean())
    found = bias_variance(KNeighborsRegressor(3), curve, noise=0.3, x=x, n=30, repeats=400)
    assert found.average.epe == pytest.approx(np.mean(errors), abs=4 * np.hypot(np.std(errors) / 20, found.stderr))


@pytest.mark.parametrize("k", [1, 4, 10])
def test_neighbours_on_a_fixed_design(k):
    """Variance sigma² / k, and the bias of the mean of the k nearest values of f."""
    X = np.linspace(0, 2, 41)[:, None]
    x = np.array([[0.51], [1.23]])
    found = bias_variance(KNeighborsRegressor(k), curve, noise=0.5, x=x, inputs=X, repeats=600)
    np.testing.assert_allclose(found.variance, 0.25 / k, rtol=0.25)
    near = np.argsort(np.abs(X[:, 0] - x), axis=1)[:, :k]
    bias = np.abs(curve(x) - curve(X)[near].mean(axis=1))
    error = 4 * 0.5 / np.sqrt(600 * k)  # four standard errors of the mean prediction
    assert (np.abs(np.sqrt(found.bias2) - bias) < error).all()


def test_linear_model():
    """Test error sigma² (1 + p / (n - p - 1)) for centred Gaussian inputs without intercept; no bias."""
    p, n = 5, 40
    points = np.random.default_rng(9).normal(size=(300, p))
    found = bias_variance(
        LinearRegression(fit_intercept=False), lambda X: X @ np.ones(p), noise=1.0, x=points, n=n, repeats=600,
        inputs=lambda rng, n: rng.normal(size=(n, p)),
    )  # fmt: skip
    assert found.average.bias2 < 0.01
    assert found.average.epe == pytest.approx(1 + p / (n - p - 1), abs=4 * found.stderr + 0.02)


def test_domingos_for_labels():
    def chance(X):
        return 1 / (1 + np.exp(-6 * np.sin(2 * X[:, 0])))

    x = np.linspace(0, 3, 9)
    found = bias_variance(LinearDiscriminantAnalysis(), chance, x=x, n=30, repeats=80, loss="zero_one")
    np.testing.assert_allclose(found.noise + found.bias2 + found.variance, found.epe, atol=1e-12)
    assert (
        set(found.bias2) <= {0.0, 1.0}
        and (found.variance[found.bias2 == 1] <= 0).all()
        and (found.variance[found.bias2 == 0] >= 0).all()
    )
    rough = bias_variance(
        KNeighborsClassifier(1), lambda X: np.full(len(X), 0.3), x=x, n=60, repeats=80, loss="zero_one"
    ).average
    assert rough.bias2 == 0 and rough.variance == pytest.approx(0.3, abs=0.06)  # one neighbour draws a label at random


def test_three_classes_and_known_epe():
    def chances(X):
        return np.tile([0.2, 0.5, 0.3], (len(X), 1))

    found = bias_variance(KNeighborsClassifier(1), chances, x=np.linspace(0, 1, 4), n=40, repeats=150, loss="zero_one")
    assert found.average.epe == pytest.approx(
        1 - (0.04 + 0.25 + 0.09), abs=0.06
    )  # one neighbour draws a label at random


def test_real_rows_by_bootstrap():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    found = bias_variance(LinearRegression(), y, inputs=X, repeats=40)
    np.testing.assert_allclose(found.bias2 + found.variance, found.epe, rtol=1e-10)
    assert "bootstrap" in found.how and "noise counts as bias" in found.how
    labels = bias_variance(
        LinearDiscriminantAnalysis(), np.where(y > 0, "a", "b"), inputs=X, repeats=40, loss="zero_one"
    )
    assert 0 < labels.average.epe < 0.5


def test_bad_input():
    for change, sentence in (({"noise": None}, "noise is missing"), ({"x": None}, "x is missing"), ({"n": None}, "n is missing"),
                             ({"loss": "huber"}, "'squared' and 'zero_one'"), ({"repeats": 1}, "at least 2")):  # fmt: skip
        with pytest.raises(WrongUse, match=sentence):
            bias_variance(LinearRegression(), curve, **({"noise": 0.1, "x": [0.0, 1.0], "n": 10} | change))


def test_what_makes_no_sense_is_refused():
    given = {"x": np.linspace(0, 2, 5), "n": 20, "repeats": 5}
    for noise in (-1, np.nan, np.inf):
        with pytest.raises(WrongUse, match="noise is"):
            bias_variance(LinearRegression(), curve, noise=noise, **given)
    X = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(WrongUse, match="rows as inputs"):
        bias_variance(LinearRegression(), (X, X[:, 0]))
    with pytest.raises(DataError, match="inputs has 30 rows and target has 29"):
        bias_variance(LinearRegression(), X[1:, 0], inputs=X)
