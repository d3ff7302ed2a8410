from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import expon, multivariate_normal, norm, uniform

from epee import QuadraticDiscriminantAnalysis
from epee.errors import WrongUse
from epee.predictors.generative.optimal import OptimalClassifier, OptimalRegressor, best_prediction, expected_loss

COURSE = OptimalClassifier(posterior=lambda x: x**2, support=(0, 1))


def test_the_exercise_of_the_course():
    assert abs(COURSE.epe() - (2 - np.sqrt(2)) / 3) < 1e-14
    assert abs(COURSE.epe("squared") - 2 / 15) < 1e-14
    assert COURSE.predict([0.70, 0.7072]).tolist() == [0, 1]
    X, y = COURSE.sample(200_000, random_state=0)
    assert abs((COURSE.predict(X) != y).mean() - COURSE.epe()) < 4 * np.sqrt(0.2 * 0.8 / 200_000)


def test_nobody_does_better():
    class Cut:
        def __init__(self, at):
            self.at = at

        def predict(self, X):
            return (np.asarray(X)[:, 0] > self.at).astype(int)

    risks = [COURSE.risk(Cut(at)) for at in np.linspace(0, 1, 21)]
    assert min(risks) >= COURSE.epe() - 1e-12
    assert np.isclose(COURSE.risk(Cut(np.sqrt(0.5))), COURSE.epe(), atol=1e-12)
    exact = 0.3**3 / 3 + (0.7 - (1 - 0.3**3) / 3)  # ones below the cut, zeros above
    assert np.isclose(COURSE.risk(Cut(0.3)), exact, atol=1e-12)


def test_costs_move_the_cut():
    careful = OptimalClassifier(
        posterior=lambda x: x**2, support=(0, 1), costs=[[0, 3], [1, 0]]
    )  # missing a one costs three
    assert careful.predict([0.49, 0.51]).tolist() == [0, 1]  # cut where 3 x² = 1 - x²


def test_densities_in_one_and_two_dimensions():
    one = OptimalClassifier([norm(0, 1), norm(2, 1)], [0.5, 0.5], support=(-9, 11), classes=["a", "b"])
    assert np.isclose(one.epe(), norm.cdf(-1), atol=1e-12) and one.predict([0.9, 1.1]).tolist() == ["a", "b"]
    laws = [multivariate_normal([0, 0]), multivariate_normal([2, 0])]
    two = OptimalClassifier(laws, support=[(-7, 9), (-7, 7)])
    assert np.isclose(two.epe(), norm.cdf(-1), atol=1e-4)
    X, y = two.sample(4000, random_state=1)
    learned = QuadraticDiscriminantAnalysis().fit(X, y)
    assert two.epe() - 1e-4 <= two.risk(learned) < two.epe() + 0.01


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0, 3.0])
def test_power_losses_balance(power):
    law = expon()
    h = best_prediction(law, power)
    y = np.linspace(0, 60, 2_000_001)
    side = np.abs(y - h) ** (power - 1) * np.exp(-y)
    left, right = np.trapezoid(np.where(y < h, side, 0), y), np.trapezoid(np.where(y > h, side, 0), y)
    assert np.isclose(left, right, rtol=1e-3)
    for other in (h - 0.05, h + 0.05):
        assert expected_loss(law, other, power) > expected_loss(law, h, power)
    assert np.isclose(best_prediction(expon(), 1), np.log(2)) and np.isclose(best_prediction(expon(), 2), 1)


def test_regressors():
    best = OptimalRegressor(np.sin, norm(0, 0.5), support=(0, 3))
    assert np.isclose(best.epe(), 0.25)

    class Line:
        def predict(self, X):
            return 0.5 * np.asarray(X)[:, 0]

    x = np.linspace(0, 3, 300_001)
    excess = np.trapezoid((np.sin(x) - 0.5 * x) ** 2, x) / 3
    assert np.isclose(best.risk(Line()), 0.25 + excess, rtol=1e-8)  # R(h) = R(r) + E(r - h)²
    spread = OptimalRegressor(conditional=lambda x: uniform(0, x), power=1, support=(1, 2))
    np.testing.assert_allclose(spread.predict([1.0, 2.0]), [0.5, 1.0])
    assert np.isclose(spread.epe(), 1.5 / 4, rtol=1e-6)


def test_bad_input():
    with pytest.raises(WrongUse, match="either densities"):
        OptimalClassifier(support=(0, 1))
    with pytest.raises(WrongUse, match="finite interval"):
        OptimalClassifier(posterior=lambda x: x, support=(0, np.inf))
    with pytest.raises(WrongUse, match="sum to 1"):
        OptimalClassifier([norm(), norm(1)], [0.5, 0.6], support=(-5, 5))
    with pytest.raises(WrongUse, match="2 x 2"):
        OptimalClassifier([norm(), norm(1)], support=(-5, 5), costs=np.eye(3))
    with pytest.raises(WrongUse, match="power"):
        OptimalRegressor(np.sin, norm(), power=0.5)
    with pytest.raises(WrongUse, match="regression and noise"):
        OptimalRegressor(np.sin)
