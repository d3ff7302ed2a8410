"""Figures of merit: scikit-learn's values, weights as counts, and standard errors that simulation confirms."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from epee import GaussianNB, LinearDiscriminantAnalysis, LinearRegression
from epee.errors import DataError, WrongUse
from epee.risk import average_precision, brier, confusion_matrix, f1, r2, roc_auc


def clouds(n, seed, K=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    return rng.normal(size=(n, 2)) + np.array([[0, 0], [1.3, 0], [0, 1.3]])[y], np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("K", [2, 3])
def test_values_agree_with_scikit_learn(K):
    model = LinearDiscriminantAnalysis().fit(*clouds(100, 0, K))
    X, y = clouds(150, 1, K)
    w = np.random.default_rng(2).integers(1, 4, 150)
    P = model.predict_proba(X)
    one_hot = (y[:, None] == model.classes_).astype(int)
    score = P[:, 1] if K == 2 else P
    truth = (y == "b").astype(int) if K == 2 else one_hot
    average = None if K == 2 else "macro"
    for weight in (None, w):
        assert roc_auc(model, X, y, sample_weight=weight).value == pytest.approx(
            metrics.roc_auc_score(truth, score, sample_weight=weight, average=average or "macro")
        )
        assert average_precision(model, X, y, sample_weight=weight, draws=20).value == pytest.approx(
            metrics.average_precision_score(truth, score, sample_weight=weight)
        )
        assert f1(model, X, y, sample_weight=weight).value == pytest.approx(
            metrics.f1_score(
                y, model.predict(X), sample_weight=weight, **({"pos_label": "b"} if K == 2 else {"average": "macro"})
            )
        )
    if K == 2:
        assert brier(model, X, y).value == pytest.approx(metrics.brier_score_loss(truth, score))


def test_weights_are_repeats():
    model = GaussianNB().fit(*clouds(80, 0))
    X, y = clouds(60, 1)
    w = np.random.default_rng(2).integers(1, 4, 60)
    for figure in (roc_auc, brier, f1):
        each = np.arange(w.sum())  # they are no copies of one row
        a, b = (
            figure(model, X, y, sample_weight=w),
            figure(model, np.repeat(X, w, axis=0), np.repeat(y, w), groups=each),
        )
        np.testing.assert_allclose([a.value, a.stderr, a.low, a.high], [b.value, b.stderr, b.low, b.high], rtol=1e-9)


@pytest.mark.parametrize("figure", [roc_auc, brier, f1, average_precision, r2], ids=lambda f: f.__name__)
def test_standard_errors_are_those_of_simulation(figure):
    regression = figure is r2
    more = {"draws": 100} if figure is average_precision else {}

    def draw(seed):
        X, y = clouds(120, seed)
        return (X, X[:, 0] + np.random.default_rng(seed).normal(size=120)) if regression else (X, y)

    model = (LinearRegression() if regression else LinearDiscriminantAnalysis()).fit(*draw(0))
    found = [figure(model, *draw(seed), **more) for seed in range(1, 61 if more else 151)]
    spread = np.std([f.value for f in found])
    assert np.mean([f.stderr for f in found]) == pytest.approx(spread, rel=0.25)
    truth = np.mean([f.value for f in found])
    assert np.mean([f.low <= truth <= f.high for f in found]) > 0.87


def test_perfect_figures_still_have_intervals():
    X = np.linspace(-1, 1, 20)[:, None]
    model = LinearDiscriminantAnalysis().fit(X, X[:, 0] > 0)
    found = roc_auc(model, X[::2] + 0.01, X[::2, 0] > 0)
    assert found.value == 1 and found.low < 0.8


def test_confusion():
    model = LinearDiscriminantAnalysis().fit(*clouds(100, 0, 3))
    X, y = clouds(200, 1, 3)
    found = confusion_matrix(model, X, y)
    np.testing.assert_array_equal(found.counts, metrics.confusion_matrix(y, model.predict(X)))
    np.testing.assert_allclose(found.rates.sum(axis=1), 1)
    assert (found.low <= found.rates).all() and (found.rates <= found.high).all() and "a" in str(found)


def test_bad_input():
    from sklearn.svm import LinearSVC

    X, y = clouds(60, 0)
    model = LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(DataError, match="one class only"):
        roc_auc(model, X[y == "a"], y[y == "a"])
    with pytest.raises(DataError, match="never saw"):
        roc_auc(model, X + 1, np.full(60, "z"))
    with pytest.raises(DataError, match="learned from"):
        roc_auc(model, X, y)
    with pytest.raises(WrongUse, match="predict_proba"):
        brier(LinearSVC().fit(X, y), X, y)
    assert roc_auc(LinearSVC().fit(X, y), X, y).value > 0.5
    with pytest.raises(DataError, match="constant"):
        r2(LinearRegression().fit(X, X[:, 0]), X + 1, np.ones(60))


def test_figures_of_labels_and_of_numbers_are_not_confused():
    X, y = clouds(100, 0)
    numbers, labels = LinearRegression().fit(X, X[:, 0]), LinearDiscriminantAnalysis().fit(X, y)
    X, y = clouds(50, 1)
    for figure in (roc_auc, average_precision, brier, f1, confusion_matrix):
        with pytest.raises(WrongUse, match="LinearRegression is not a classifier"):
            figure(numbers, X, y)
    with pytest.raises(WrongUse, match="LinearDiscriminantAnalysis is a classifier: r2 is for numbers"):
        r2(labels, X, y)
    with pytest.raises(DataError, match="first in row 3"):
        r2(numbers, X, np.where(np.arange(50) == 3, np.nan, X[:, 1]))


def test_bootstraps_take_whole_weights_for_copies():
    from epee.risk import holdout_error

    model, (X, y) = LinearDiscriminantAnalysis().fit(*clouds(100, 0)), clouds(150, 1)
    line = LinearRegression().fit(X[:50], np.arange(50.0))
    w = np.random.default_rng(2).integers(0, 4, 150)
    again = np.repeat(np.arange(150), w)
    each = np.arange(len(again))  # they are no copies of one row
    a, b = average_precision(model, X, y, sample_weight=w), average_precision(model, X[again], y[again], groups=each)
    assert (a.value, a.stderr) == pytest.approx((b.value, b.stderr), rel=1e-12)
    z = X[:, 0] ** 2
    a = holdout_error(line, X, z, sample_weight=w, interval="bootstrap")
    b = holdout_error(line, X[again], z[again], interval="bootstrap", groups=np.arange(len(again)))
    assert (a.low, a.high) == pytest.approx((b.low, b.high), rel=1e-12)
    assert average_precision(model, X, y, sample_weight=w + 0.5).stderr > 0


def test_samples_that_are_looked_at_together_are_those_of_each_alone():
    from epee.risk.ranking import precision_over_recall
    from epee.risk.scores import _curve, _mean_of_known, _precision

    rng = np.random.default_rng(0)
    score, positive = np.round(rng.random(50), 1), rng.random(50) < 0.3  # ties
    w = rng.integers(0, 3, (50, 8)).astype(float)
    w[positive, 5] = 0.0  # a sample without a positive
    found = _precision(score, positive, w)
    for d in range(8):
        tp, fp = _curve(score, positive, w[:, d])
        np.testing.assert_allclose(found[d], precision_over_recall(tp, fp), rtol=1e-12)
    assert np.isnan(found[5]) and np.isfinite(np.delete(found, 5)).all()
    np.testing.assert_array_equal(_mean_of_known(np.array([[1.0, np.nan, np.nan], [3.0, 2.0, np.nan]])), [2, 2, np.nan])
