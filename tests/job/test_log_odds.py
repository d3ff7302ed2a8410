"""Predictors of two classes as quadratic forms: the same answers as the predictors themselves."""

from __future__ import annotations

import numpy as np
import pytest

from epee import GaussianNB, LeastSquaresClassifier, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from epee.job.log_odds import ManyLogOdds, log_odds


@pytest.mark.parametrize("mapping", ["none", "scaled", "matrix"])
def test_the_same_answers_behind_every_map(mapping):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)) + 50
    y = ((X - 50)[:, 0] ** 2 + 0.5 * rng.normal(size=400) > 0.7).astype(int)
    if mapping == "none":
        scale, shift, Z = None, None, X
    elif mapping == "scaled":
        scale, shift = np.array([2.0, 0.5, 3.0]), np.array([-1.0, 2.0, 0.0])
        Z = X * scale + shift
    else:
        scale, shift = rng.normal(size=(4, 3)), rng.normal(size=4)
        Z = X @ scale.T + shift
        Z[:, 3] = rng.normal(size=400)  # four columns that do not depend on each other, to fit
    models = [QuadraticDiscriminantAnalysis(), GaussianNB(), LinearDiscriminantAnalysis(), LeastSquaresClassifier()]
    models = [m.fit(Z, y) for m in models]
    Z = X if mapping == "none" else X * scale + shift if mapping == "scaled" else X @ scale.T + shift
    origin = X[:20].mean(axis=0)
    odds = [log_odds(m, scale, shift, origin) for m in models]
    assert all(o is not None for o in odds)
    found = ManyLogOdds(odds, origin)(X)
    for j, m in enumerate(models):
        np.testing.assert_allclose(found[:, j], m.decision_function(Z), rtol=1e-7, atol=1e-7)


def test_others_are_not_of_that_form():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), np.arange(90) % 3
    assert log_odds(QuadraticDiscriminantAnalysis().fit(X, y), None, None, np.zeros(2)) is None
    assert log_odds(LinearDiscriminantAnalysis().fit(X, y), None, None, np.zeros(2)) is None
