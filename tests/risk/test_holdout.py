"""The risk of a fitted predictor on rows, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier

from epee import LinearDiscriminantAnalysis, LinearRegression
from epee.errors import DataError, DataWarning, WrongUse
from epee.risk import empirical_risk, holdout_error, repeated_rows


@pytest.fixture
def halves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.where(X[:, 0] + rng.normal(size=200) > 0, "yes", "no")
    return X[:100], y[:100], X[100:], y[100:]


def test_zero_one_is_one_minus_the_success_rate(halves):
    X, y, Xt, yt = halves
    model = LinearDiscriminantAnalysis().fit(X, y)
    found = holdout_error(model, Xt, yt)
    assert found.value == pytest.approx(1 - model.score(Xt, yt))
    assert found.stderr == pytest.approx(np.sqrt(found.value * (1 - found.value) / 100))
    assert found.low > 0 and found.n == 100 and found.loss == "zero_one"
    assert empirical_risk(model, Xt, yt) == pytest.approx(found.value)


def test_an_error_of_zero_still_has_an_interval(halves):
    X, _, Xt, _ = halves
    y, yt = X[:, 0] > 0, Xt[:, 0] > 0
    model = KNeighborsClassifier(1).fit(np.sign(X), y)
    found = holdout_error(model, np.sign(Xt), yt)
    assert found.value == 0 and found.low == 0 and 0.03 < found.high < 0.05


@pytest.mark.parametrize("loss", ["zero_one", "log", "hinge", [[0, 5], [1, 0]]])
def test_weights_are_repeats(halves, loss, monkeypatch):
    monkeypatch.setattr(
        "epee.risk.holdout.watched", lambda found, *seen, **by: found
    )  # of the long table each row is declared alone
    X, y, Xt, yt = halves
    model = LinearDiscriminantAnalysis().fit(X, y)
    w = np.random.default_rng(1).integers(1, 4, 100)
    a = holdout_error(model, Xt, yt, loss=loss, sample_weight=w)
    each = np.arange(w.sum())  # copies that are no kin
    b = holdout_error(model, np.repeat(Xt, w, axis=0), np.repeat(yt, w), loss=loss, groups=each)
    np.testing.assert_allclose([a.value, a.stderr, a.low, a.high], [b.value, b.stderr, b.low, b.high], rtol=1e-9)


def test_intervals_by_name(halves):
    X, y, Xt, yt = halves
    model = LinearDiscriminantAnalysis().fit(X, y)
    exact, quick = (holdout_error(model, Xt, yt, interval=i) for i in ("exact", "wilson"))
    assert exact.low < quick.low and exact.high > quick.high
    skewed = holdout_error(model, Xt, yt, loss="log", interval="bootstrap")
    assert skewed.low < skewed.value < skewed.high
    with pytest.raises(WrongUse, match="for rates"):
        holdout_error(model, Xt, yt, loss="log", interval="wilson")


def test_training_rows_are_refused(halves):
    X, y, _, _ = halves
    with pytest.raises(DataError, match="learned from"):
        holdout_error(LinearDiscriminantAnalysis().fit(X, y), X, y)
    with pytest.raises(DataError, match="learned from"):
        holdout_error(LinearRegression().fit(X, X[:, 0] ** 2), X.copy()[::-1], (X[:, 0] ** 2)[::-1])


def test_rows_seen_in_training_are_told(halves):
    X, y, Xt, yt = halves
    Xt, yt = np.vstack([Xt, X[:25]]), np.append(yt, y[:25])
    assert repeated_rows(Xt, X) == pytest.approx(0.2)
    with pytest.warns(DataWarning, match="20.0% of the test rows"):
        holdout_error(LinearDiscriminantAnalysis().fit(X, y), Xt, yt, training=X)


def test_bad_input(halves):
    X, y, Xt, yt = halves
    model = LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(NotFittedError, match="not fitted"):
        holdout_error(LinearDiscriminantAnalysis(), Xt, yt)
    with pytest.raises(WrongUse, match="'zero_one'.*'log'"):
        holdout_error(model, Xt, yt, loss="nonsense")
    with pytest.raises(WrongUse, match="classifier does not give"):
        holdout_error(model, Xt, yt, loss="squared")
    with pytest.raises(DataError, match="inconsistent"):
        holdout_error(model, Xt, yt[:50])
    with pytest.raises(DataError, match="'maybe' is none of"):
        holdout_error(model, Xt, np.full(100, "maybe"), loss="log")


def test_predictions_that_are_not_numbers_are_refused(halves):
    class Broken(LinearRegression):
        def _predict(self, X):
            return np.full(len(X), np.nan)

    X, _, Xt, _ = halves
    with pytest.raises(DataError, match="predicts NaN for 100 of 100"):
        holdout_error(Broken().fit(X, X[:, 0] ** 2), Xt, Xt[:, 0] ** 2)


def test_missing_targets_are_refused(halves):
    X, y, Xt, yt = halves
    numbers = np.where(np.arange(100) == 7, np.nan, Xt[:, 1])
    with pytest.raises(DataError, match="1 of 100 rows, first in row 7"):
        holdout_error(LinearRegression().fit(X, X[:, 0]), Xt, numbers)
    for nothing in (None, np.nan):
        labels = yt.astype(object)
        labels[4] = nothing
        with pytest.raises(DataError, match="first in row 4"):
            holdout_error(LinearDiscriminantAnalysis().fit(X, y), Xt, labels)


def test_wrappers_and_pipelines_remember_their_training_rows(halves):
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline

    from epee import BayesDecision, Calibrated, StandardScaler

    X, y, Xt, yt = halves
    lda = LinearDiscriminantAnalysis()
    for model in (
        BayesDecision(lda), BayesDecision(GaussianNB()), Calibrated(lda), make_pipeline(StandardScaler(), lda), make_pipeline(lda),
    ):  # fmt: skip
        model.fit(X, y)
        with pytest.raises(DataError, match="learned from"):
            holdout_error(model, X.copy(), y)
        assert 0 < holdout_error(model, Xt, yt).value < 0.5
    with pytest.raises(DataError, match="learned from"):
        BayesDecision(LinearDiscriminantAnalysis().fit(X, y)).risk(X, y)


def test_no_error_lies_below_zero():
    """Few rows and skewed losses: the interval of a squared error ends at 0."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + 0.1 * rng.standard_t(2, size=40)
    found = holdout_error(LinearRegression().fit(X[:34], y[:34]), X[34:], y[34:])
    half = (found.high - found.value) if found.low == 0 else 0
    assert found.low == 0 < found.value < half


def test_a_pipeline_that_ends_in_a_regressor_is_no_classifier():
    """It has a property ``classes_`` that fails, which Python 3.12 takes for an attribute."""
    from sklearn.pipeline import make_pipeline

    from epee import LinearRegression, StandardScaler
    from epee.risk import empirical_risk, r2, roc_auc

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    model, plain = make_pipeline(StandardScaler(), LinearRegression()).fit(X, y), LinearRegression().fit(X, y)
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    assert holdout_error(model, X, y).value == pytest.approx(holdout_error(plain, X, y).value)
    assert float(empirical_risk(model, X, y)) == pytest.approx(float(empirical_risk(plain, X, y)))
    assert r2(model, X, y).value == pytest.approx(r2(plain, X, y).value)
    with pytest.raises(WrongUse, match="not a classifier"):
        roc_auc(model, X, y > 0)
