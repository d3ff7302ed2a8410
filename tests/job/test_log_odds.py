"""Predictors of two classes as quadratic forms: the same answers as the predictors themselves."""

from __future__ import annotations

import numpy as np
import pytest

from epee import GaussianNB, LeastSquaresClassifier, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from epee.job.log_odds import Errors, log_odds


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
    U = X - origin
    for o, m in zip(odds, models, strict=True):
        form = U @ o.slope + o.level + (0 if o.squares is None else U**2 @ o.squares)
        form += 0 if o.bend is None else np.einsum("ij,jk,ik->i", U, o.bend, U)
        np.testing.assert_allclose(form, m.decision_function(Z), rtol=1e-7, atol=1e-7)
    cell, w = rng.integers(0, 3, 400), rng.integers(1, 4, 400).astype(float)
    wrong, weights = Errors([odds, odds[::-1]], origin)(X, cell, y, w, 1, 3)
    for c, row in ((1, models), (2, models[::-1])):
        mine = cell == c
        assert weights[c] == w[mine].sum()
        for k, m in enumerate(row):
            assert wrong[k, c] == w[mine & (m.predict(Z) != y)].sum()
    assert weights[0] == 0 and not wrong[:, 0].any()


def test_others_are_not_of_that_form():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), np.arange(90) % 3
    assert log_odds(QuadraticDiscriminantAnalysis().fit(X, y), None, None, np.zeros(2)) is None
    assert log_odds(LinearDiscriminantAnalysis().fit(X, y), None, None, np.zeros(2)) is None
