"""Drawn answers: their frequencies, their risk, and the same answer on every road."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from epee import GaussianNB, LinearDiscriminantAnalysis, RandomisedClassifier
from epee.errors import WrongUse
from epee.risk import cross_validate, empirical_risk
from epee.table.fingerprints import row_uniforms

RNG = np.random.default_rng(1)
X = RNG.standard_normal((400, 2)) + (np.arange(400) % 3)[:, None]
Y = np.array(["a", "b", "c"])[np.arange(400) % 3]


def test_draws_have_the_frequencies_of_the_posterior():
    model = RandomisedClassifier(GaussianNB()).fit(X, Y)
    P, drawn = model.law(X[:5]), model.draw(X[:5], 4000, random_state=0)
    for i in range(5):
        shares = [(drawn[:, i] == label).mean() for label in model.classes_]
        np.testing.assert_allclose(shares, P[i], atol=4 * np.sqrt(0.25 / 4000))
    many = RNG.standard_normal((5000, 2)) + 1
    said = model.predict(many)
    for k, label in enumerate(model.classes_):  # over rows, what is drawn adds up to the probabilities
        assert (said == label).mean() == pytest.approx(model.law(many)[:, k].mean(), abs=0.03)


def test_a_row_is_drawn_alike_wherever_it_stands():
    model = RandomisedClassifier(GaussianNB(), random_state=5).fit(X, Y)
    whole = model.predict(X)
    np.testing.assert_array_equal(np.concatenate([model.predict(X[i : i + 7]) for i in range(0, 400, 7)]), whole)
    assert (model.set_params(random_state=6).predict(X) != whole).any()


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_no_draw_beats_the_best_class(seed):
    rng = np.random.default_rng(seed)
    model = RandomisedClassifier(LinearDiscriminantAnalysis()).fit(X, Y)
    costs = rng.random((3, 3))
    np.fill_diagonal(costs, 0)
    truth = rng.dirichlet(np.ones(3), 20)
    drawn = model.expected_cost(X[:20], costs=costs, proba=truth)
    assert (drawn >= (truth @ costs.T).min(axis=1) - 1e-12).all()
    P = model.law(X[:20])
    plain = model.expected_cost(X[:20])
    np.testing.assert_allclose(plain, 1 - (P**2).sum(axis=1))
    assert (plain <= 2 * (1 - P.max(axis=1)) + 1e-12).all()


def test_its_risk_is_what_the_formula_says():
    model = RandomisedClassifier(GaussianNB()).fit(X, Y)
    fresh = RNG.standard_normal((20_000, 2)) + (np.arange(20_000) % 3)[:, None]
    drawn = (RNG.random((20_000, 1)) > model.law(fresh).cumsum(axis=1)).sum(
        axis=1
    )  # by the law that the model believes
    labels = model.classes_[drawn]
    far = 4 * np.sqrt(0.25 / 20_000)
    assert empirical_risk(model, fresh, labels) == pytest.approx(model.expected_cost(fresh).mean(), abs=far)
    assert cross_validate(model, X, Y).value > cross_validate(GaussianNB(), X, Y).value


def test_texts_and_refusals():
    u = row_uniforms(np.array([["a", "b"], ["b", "a"], ["a", "b"]], dtype=object))
    assert u[0] == u[2] != u[1]
    with pytest.raises(WrongUse, match="predict_proba"):
        RandomisedClassifier(LinearSVC()).fit(X, Y)
    with pytest.raises(WrongUse, match="shape"):
        RandomisedClassifier(GaussianNB()).fit(X, Y).expected_cost(X, proba=[[1.0]])
