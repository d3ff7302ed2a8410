"""Linear discriminant analysis: scikit-learn's digits from sums that merge."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.discriminant_analysis
from sklearn.covariance import OAS
from sklearn.datasets import load_digits, load_iris

from epee import LinearDiscriminantAnalysis, Moments
from epee.errors import DataError, DataWarning, SingularProblem, WrongUse
from tests.older import as_of

IRIS = load_iris(return_X_y=True)
TWO = tuple(a[:100] for a in IRIS)
DIGITS = load_digits(return_X_y=True)
SETTINGS = [
    {},
    {"solver": "lsqr"},
    {"solver": "eigen"},
    {"solver": "lsqr", "shrinkage": 0.3},
    {"solver": "lsqr", "shrinkage": "auto"},
    {"solver": "lsqr", "covariance_estimator": OAS()},
    {"store_covariance": True},
    {"n_components": 1},
]


@pytest.mark.filterwarnings("ignore::epee.errors.DataWarning")
@pytest.mark.parametrize("data", [IRIS, TWO, DIGITS], ids=["iris", "two", "digits"])
@pytest.mark.parametrize("kw", SETTINGS, ids=str)
@as_of("1.9")
def test_agrees_with_scikit_learn(data, kw):
    X, y = data
    if data is DIGITS and kw.get("solver") == "eigen":
        with pytest.raises(np.linalg.LinAlgError):
            sklearn.discriminant_analysis.LinearDiscriminantAnalysis(**kw).fit(X, y)
        assert np.isfinite(LinearDiscriminantAnalysis(**kw).fit(X, y).coef_).all()
        return
    ours = LinearDiscriminantAnalysis(**kw).fit(X, y)
    theirs = sklearn.discriminant_analysis.LinearDiscriminantAnalysis(**kw).fit(X, y)
    scale = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-9 * scale)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-6, atol=1e-6)
    if kw.get("solver") != "lsqr":
        np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-7)
        np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, atol=1e-9)
    if hasattr(theirs, "covariance_"):
        np.testing.assert_allclose(ours.covariance_, theirs.covariance_, atol=1e-9)


@as_of("1.9")
def test_given_priors_weigh_the_class_covariances():
    X, y = IRIS
    for kw in ({"solver": "lsqr"}, {"store_covariance": True}):
        kw = {**kw, "priors": [0.5, 0.3, 0.2]}
        ours = LinearDiscriminantAnalysis(**kw).fit(X, y)
        theirs = sklearn.discriminant_analysis.LinearDiscriminantAnalysis(**kw).fit(X, y)
        np.testing.assert_allclose(ours.covariance_, theirs.covariance_, atol=1e-12)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)


def test_the_score_is_the_log_odds_of_two_gaussians():
    X, y = TWO
    lda = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    P = lda.predict_proba(X)
    with np.errstate(divide="ignore"):
        ratio = np.log(P[:, 1]) - np.log(P[:, 0])
    ok = np.isfinite(ratio)
    np.testing.assert_allclose(lda.decision_function(X)[ok], ratio[ok], rtol=1e-6)


def test_pieces_merge_and_rows_are_forgotten():
    X, y = IRIS
    whole = LinearDiscriminantAnalysis().fit(X, y)
    order = np.random.default_rng(0).permutation(len(X))
    a, b = order[:60], order[60:]
    piecewise = LinearDiscriminantAnalysis().partial_fit(X[a], y[a]).partial_fit(X[b], y[b])
    np.testing.assert_allclose(piecewise.coef_, whole.coef_, rtol=1e-9)
    forgot = LinearDiscriminantAnalysis().fit(X, y).forget(X[b], y[b])
    np.testing.assert_allclose(forgot.coef_, LinearDiscriminantAnalysis().fit(X[a], y[a]).coef_, rtol=1e-7)
    m = LinearDiscriminantAnalysis().moments(X[a], y[a]) + LinearDiscriminantAnalysis().moments(X[b], y[b])
    np.testing.assert_allclose(LinearDiscriminantAnalysis().fit_moments(m).coef_, whole.coef_, rtol=1e-9)


def test_a_class_that_comes_late_is_added():
    X, y = IRIS
    first = y < 2
    lda = LinearDiscriminantAnalysis().partial_fit(X[first], y[first]).partial_fit(X[~first], y[~first])
    assert lda.classes_.tolist() == [0, 1, 2]
    np.testing.assert_allclose(lda.coef_, LinearDiscriminantAnalysis().fit(X, y).coef_, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::epee.errors.DataWarning")
def test_folds_from_one_pass_equal_refits():
    X, y = DIGITS
    X = X[:, X.std(axis=0) > 0]
    fold = np.arange(len(X)) % 5
    lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1)
    for k, fitted in enumerate(lda.solve_each(lda.moments(X, y, fold=fold).leave_one_out("fold"))):
        refit = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1).fit(X[fold != k], y[fold != k])
        np.testing.assert_allclose(fitted.coef_, refit.coef_, atol=1e-10 * np.abs(refit.coef_).max())


def test_far_means_cost_no_digits():
    X, y = IRIS
    near = LinearDiscriminantAnalysis().fit(X, y)
    far = LinearDiscriminantAnalysis().fit(X + 2.0**30, y)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-4)


def test_what_often_is_a_mistake_is_said():
    X, y = IRIS
    for extra, words in ((np.ones((150, 1)), "column 4 is constant"), (X[:, :1], "column 4 is an exact copy")):
        with pytest.warns(DataWarning, match=words):
            LinearDiscriminantAnalysis().fit(np.hstack([X, extra]), y)
    labels = y.astype(str)
    labels[0] = "lonely"
    with pytest.warns(DataWarning, match="'lonely' has one member"):
        LinearDiscriminantAnalysis().fit(X, labels)


@pytest.mark.parametrize(
    ("kw", "words"),
    [
        ({"solver": "qr"}, "unknown solver 'qr'"),
        ({"shrinkage": 0.5}, "shrinkage not supported with 'svd'"),
        ({"solver": "lsqr", "shrinkage": 2}, "between 0 and 1"),
        ({"n_components": 5}, "n_components cannot be larger"),
        ({"priors": [0.5, 0.5]}, "one for each of the 3 classes"),
        ({"covariance_estimator": OAS()}, "not supported with svd"),
        ({"solver": "lsqr", "covariance_estimator": OAS(), "shrinkage": 0.5}, "Only one of the two"),
    ],
)
def test_parameters_that_make_no_sense(kw, words):
    with pytest.raises(WrongUse, match=words):
        LinearDiscriminantAnalysis(**kw).fit(*IRIS)


def test_data_that_cannot_be_used():
    X, y = IRIS
    with pytest.raises(DataError, match="only one class"):
        LinearDiscriminantAnalysis().fit(X, np.zeros(150))
    with pytest.raises(DataError, match="more than the number of classes"):
        LinearDiscriminantAnalysis().fit(X[:3], [0, 1, 2])
    with pytest.raises(SingularProblem, match="constant within its class"):
        LinearDiscriminantAnalysis().fit(np.repeat([[0.0], [1.0]], 3, axis=0), [0, 0, 0, 1, 1, 1])
    with pytest.raises(WrongUse, match="need the rows"):
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit_moments(Moments.of(X, group=y))
    with pytest.warns(DataWarning, match="do not sum to 1"):
        LinearDiscriminantAnalysis(priors=[1, 1, 1]).fit(X, y)
