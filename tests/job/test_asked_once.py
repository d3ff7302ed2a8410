"""A label that follows from probabilities is not asked for again."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pytest

from epee import BayesDecision, Combination, GaussianNB, LinearDiscriminantAnalysis, learn
from epee.estimator.protocol import Decides
from epee.job.answers import Answers

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
CODES = np.argmax(X + RNG.normal(size=(300, 3)), axis=1)
LETTERS = np.array(list("abc"))[CODES]
COSTS = np.array([[0.0, 5, 1], [1, 0, 9], [2, 1, 0]])


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (Combination([GaussianNB(), LinearDiscriminantAnalysis()]), LETTERS),
        (BayesDecision(LinearDiscriminantAnalysis(), costs=COSTS), LETTERS),
        (BayesDecision(GaussianNB(), reject_cost=0.2), LETTERS),
        (BayesDecision(GaussianNB(), priors=[0.2, 0.3, 0.5]), CODES),
        (BayesDecision(Combination([GaussianNB(), LinearDiscriminantAnalysis()]), costs=COSTS), CODES),
    ],
)
def test_what_is_decided_from_probabilities_is_what_is_predicted(model, y):
    model.fit(X, y)
    assert isinstance(model, Decides)
    np.testing.assert_array_equal(model.decided(model.predict_proba(X)), model.predict(X))


@pytest.mark.parametrize("threshold", [None, 0.3])
def test_a_combination_is_asked_once_about_each_row(threshold, monkeypatch):
    table = pa.table({"x": X[:, 0], "z": X[:, 1], "y": np.where(X[:, 0] + RNG.normal(size=300) > 0, "b", "a")})
    predictor = learn(table, "y", predictors=["lda"], folds=3).predictor
    own = predictor.model
    mixed = Combination.around([own, own], [0.25, 0.75])
    predictor.model = type(own)([("step0", mixed)])
    told = predictor.predict(table, threshold=threshold), predictor.predict_proba(table)
    asked = []
    combined = Combination._combined
    monkeypatch.setattr(Combination, "_combined", lambda self, X: asked.append(len(X)) or combined(self, X))
    out = io.StringIO()
    Answers(predictor, table, threshold=threshold).write_csv(out)
    assert sum(asked) == 300
    cells = np.array([line.split(",") for line in out.getvalue().splitlines()[1:]])
    np.testing.assert_array_equal(cells[:, 1], told[0])
    np.testing.assert_allclose(cells[:, 2:].astype(float), told[1], atol=1e-6)
