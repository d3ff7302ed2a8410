from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from epee import BayesDecision, GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from epee.decision.costs import check_costs, read_costs
from epee.errors import BadFile, WrongUse

rng = np.random.default_rng(0)
N = 600
y = rng.integers(0, 3, N)
X = rng.normal(size=(N, 2)) + np.array([[0, 0], [1.5, 0], [0, 1.5]])[y]
TRAIN, TEST = slice(0, 300), slice(300, N)


class Known(ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities are its inputs."""

    classes_ = np.arange(3)
    n_features_in_ = 3

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        return np.asarray(X)

    def __sklearn_is_fitted__(self):
        return True


@given(st.integers(0, 999))
def test_decides_by_least_expected_cost(seed):
    r = np.random.default_rng(seed)
    P, costs = r.dirichlet(np.ones(3), 20), r.uniform(0, 5, (4, 3))
    d = BayesDecision(Known(), costs=costs)
    expected = np.array([[sum(costs[g, t] * p[t] for t in range(3)) for g in range(4)] for p in P])
    assert (np.where(d.predict(P) == -1, 3, d.predict(P)) == expected.argmin(axis=1)).all()
    np.testing.assert_allclose(d.expected_cost(P), expected.min(axis=1))
    np.testing.assert_allclose(d.expected_cost(P, of_all=True), expected)
    moved = BayesDecision(Known(), costs=costs + r.uniform(0, 3, 3))  # a constant for each true class
    assert (moved.predict(P) == d.predict(P)).all()


@given(st.integers(0, 999), st.floats(0, 1))
def test_chow_rule(seed, c):
    P = np.random.default_rng(seed).dirichlet(np.ones(3), 40)
    found = BayesDecision(Known(), reject_cost=c).predict(P)
    top = P.max(axis=1)
    clear = np.abs(top - (1 - c)) > 1e-9
    assert (found[clear] == np.where(top < 1 - c, -1, P.argmax(axis=1))[clear]).all()
    if c >= 2 / 3:
        assert (found >= 0).all()


def test_rejection_decreases_with_its_cost():
    P = rng.dirichlet(np.ones(3), 500)
    rates = [(BayesDecision(Known(), reject_cost=c).predict(P) == -1).mean() for c in np.linspace(0, 0.7, 15)]
    assert rates[0] == 1 and rates[-1] == 0 and (np.diff(rates) <= 0).all()


@pytest.mark.parametrize(
    "model",
    [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), LogisticRegression(), KNeighborsClassifier(15)],
)
def test_zero_one_costs_change_nothing(model):
    d = BayesDecision(model).fit(X[TRAIN], y[TRAIN])
    inner = d.estimator_
    assert (d.predict(X[TEST]) == inner.classes_[inner.predict_proba(X[TEST]).argmax(axis=1)]).all()
    assert d.n_features_in_ == 2


@pytest.mark.parametrize("kind", [GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_changed_priors_are_those_of_a_model_with_them(kind):
    new = np.array([0.7, 0.2, 0.1])
    changed = BayesDecision(kind(), priors=new).fit(X, y).predict_proba(X)
    options = {"solver": "lsqr"} if kind is LinearDiscriminantAnalysis else {}
    if kind is LinearDiscriminantAnalysis:  # given priors also weigh its covariance: move the scores instead
        old = np.bincount(y) / N
        P = kind(**options).fit(X, y).predict_proba(X) * new / old
        expected = P / P.sum(axis=1, keepdims=True)
    else:
        expected = kind(priors=new, **options).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(changed, expected, atol=1e-9)
    logistic = BayesDecision(LogisticRegression(), priors=np.bincount(y) / N).fit(X, y)
    np.testing.assert_allclose(logistic.predict_proba(X), logistic.estimator_.predict_proba(X), atol=1e-12)


def test_risk_has_an_interval():
    costs = [[0, 1, 1], [1, 0, 5], [5, 1, 0], [0.3, 0.3, 0.3]]
    d = BayesDecision(LinearDiscriminantAnalysis(), costs=costs).fit(X[TRAIN], y[TRAIN])
    r = d.risk(X[TEST], y[TEST])
    decided = np.where(d.predict(X[TEST]) == -1, 3, d.predict(X[TEST]))
    assert (
        np.isclose(r.value, np.asarray(costs)[decided, y[TEST]].mean())
        and r.low < r.value < r.high
        and r.loss == "costs"
    )
    assert abs(d.expected_cost(X[TEST]).mean() - r.value) < 4 * r.stderr
    plain = BayesDecision(LinearDiscriminantAnalysis()).fit(X[TRAIN], y[TRAIN]).risk(X[TEST], y[TEST])
    assert plain.loss == "zero_one"
    argmax = np.asarray(costs)[LinearDiscriminantAnalysis().fit(X[TRAIN], y[TRAIN]).predict(X[TEST]), y[TEST]].mean()
    assert r.value <= argmax


def test_error_reject_curve():
    d = BayesDecision(LinearDiscriminantAnalysis(), reject_cost=0.3).fit(X[TRAIN], y[TRAIN])
    curve = d.error_reject_curve(X[TEST], y[TEST])
    assert curve.is_rate and curve.chosen == 0.3
    assert np.isclose(curve.reject_rate[-1], 0) and (np.diff(curve.reject_rate) < 0).all()
    full = d.estimator_.predict(X[TEST])
    assert np.isclose(curve.error[-1], (full != y[TEST]).mean())
    rate, error = curve.at(0.3)
    decided = d.predict(X[TEST])
    assert np.isclose(rate, (decided == -1).mean()) and np.isclose(error, (decided != y[TEST])[decided != -1].mean())
    assert ((curve.low <= curve.error) & (curve.error <= curve.high)).all()
    assert curve.at(-1.0) == (1.0, 0.0)
    ax = curve.plot()
    assert ax.get_xlabel() == "rate of rejection"
    asymmetric = BayesDecision(LinearDiscriminantAnalysis(), costs=[[0, 1, 9], [1, 0, 1], [1, 1, 0]]).fit(
        X[TRAIN], y[TRAIN]
    )
    curve = asymmetric.error_reject_curve(X[TEST], y[TEST], sample_weight=np.full(300, 2.0))
    assert not curve.is_rate and curve.chosen is None


def test_labels_of_rejection():
    names = np.array(["ham", "spam", "x"])[y]
    text = BayesDecision(LinearDiscriminantAnalysis(), reject_cost=0.0).fit(X, names)
    assert set(text.predict(X)) == {"reject"} and text.predict(X).dtype.kind == "U"
    own = BayesDecision(LinearDiscriminantAnalysis(), reject_cost=0.0, reject_label="ask a human").fit(X, names)
    assert set(own.predict(X)) == {"ask a human"}
    assert BayesDecision(LinearDiscriminantAnalysis()).fit(X, names).predict(X).dtype == names.dtype
    with pytest.raises(WrongUse, match="reject_label -1 is one of the classes"):
        BayesDecision(LinearDiscriminantAnalysis(), reject_cost=0.1).fit(X, y - 1)
    yes = BayesDecision(LinearDiscriminantAnalysis(), reject_cost=0.0).fit(X, y > 0)
    assert set(yes.predict(X)) == {-1}


def test_a_fitted_model_will_do():
    inner = LinearDiscriminantAnalysis().fit(X, y)
    assert (BayesDecision(inner).predict(X) == inner.predict(X)).all()
    with pytest.raises(NotFittedError):
        BayesDecision(LinearDiscriminantAnalysis()).predict(X)
    with pytest.raises(WrongUse, match="priors it learned with"):
        BayesDecision(LogisticRegression().fit(X, y), priors=[0.2, 0.2, 0.6]).predict(X)


def test_weights_reach_the_model():
    w = rng.integers(1, 4, N).astype(float)
    a = BayesDecision(QuadraticDiscriminantAnalysis()).fit(X, y, sample_weight=w)
    k = w.astype(int)
    np.testing.assert_allclose(
        a.predict_proba(X),
        BayesDecision(QuadraticDiscriminantAnalysis()).fit(X.repeat(k, axis=0), y.repeat(k)).predict_proba(X),
    )
    with pytest.raises(WrongUse, match="takes no sample_weight"):
        BayesDecision(KNeighborsClassifier()).fit(X, y, sample_weight=w)


CLASSES = np.array(["healthy", "ill"])


@pytest.mark.parametrize(
    "text",
    [
        "decide,healthy,ill\nhealthy,0,10\nill,1,0\nreject,0.5,0.5\n",
        "x,ill,healthy\nreject,0.5,0.5\nill,0,1\nhealthy,10,0\n",
        "﻿;healthy;ill\r\nhealthy;0;10\r\nill;1;0\r\nrejet;0,5;0,5\r\n",
        "\thealthy\till\nhealthy\t0\t10\nill\t1\t0\nreject\t0.5\t0.5\n",
    ],
)
def test_costs_from_a_file(tmp_path, text):
    path = tmp_path / "costs.csv"
    path.write_text(text, encoding="utf-8")
    np.testing.assert_allclose(read_costs(path, CLASSES), [[0, 10], [1, 0], [0.5, 0.5]])
    two = (y > 0).astype(int)
    d = BayesDecision(LinearDiscriminantAnalysis(), costs=str(path)).fit(X, CLASSES[two])
    assert d.costs_.shape == (3, 2)


def test_costs_from_a_frame():
    frame = pd.DataFrame([[0, 1], [10, 0]], index=["ill", "healthy"], columns=["ill", "healthy"])
    np.testing.assert_allclose(check_costs(frame, CLASSES), [[0, 10], [1, 0]])


@pytest.mark.parametrize(
    ("text", "words", "kind"),
    [
        ("d,healthy,ill\nhealthy,0,10\nill,1\n", "line 3: 2 cells where 3", BadFile),
        ("d,healthy,ill\nhealthy,0,ten\nill,1,0\n", "line 2, column 'ill': 'ten' is not a number", BadFile),
        ("d,healthy,dead\nhealthy,0,1\ndead,1,0\n", "class 'ill' has no column", WrongUse),
        ("d,healthy,ill\nhealthy,0,1\nhealthy,1,0\n", "two rows are called 'healthy'", WrongUse),
        ("d,healthy,ill\nhealthy,0,1\nill,1,0\nmaybe,1,1\n", "'maybe' is no class", WrongUse),
        ("d,healthy,ill\n", "line of class names", BadFile),
    ],
)
def test_bad_files_of_costs(tmp_path, text, words, kind):
    path = tmp_path / "costs.csv"
    path.write_text(text)
    with pytest.raises(kind, match=words):
        read_costs(path, CLASSES)


def test_bad_input(tmp_path):
    with pytest.raises(BadFile, match="cannot be read"):
        read_costs(tmp_path / "absent.csv", CLASSES)

    def fit(**options):
        return BayesDecision(LinearDiscriminantAnalysis(), **options).fit(X, y)

    with pytest.raises(WrongUse, match=r"shape \(2, 2\); with 3 classes they must be 3 x 3, or 4 x 3"):
        fit(costs=np.eye(2))
    with pytest.raises(WrongUse, match=r"costs\[1, 2\] .*is -1"):
        fit(costs=[[0, 1, 1], [1, 0, -1], [1, 1, 0]])
    with pytest.raises(WrongUse, match=r"costs\[0, 1\] .*is nan"):
        fit(costs=[[0, np.nan, 1], [1, 0, 1], [1, 1, 0]])
    with pytest.raises(WrongUse, match="reject_cost is -0.1"):
        fit(reject_cost=-0.1)
    with pytest.raises(WrongUse, match="already"):
        fit(costs=np.ones((4, 3)), reject_cost=0.1)
    with pytest.raises(WrongUse, match="priors sum to"):
        fit(priors=[0.5, 0.5, 0.5])
    with pytest.raises(WrongUse, match="not a table of numbers"):
        fit(costs=[["a", "b"], ["c"]])
    with pytest.raises(WrongUse, match="SVC has no predict_proba"):
        BayesDecision(SVC()).fit(X, y)
