from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from epee import FisherDiscriminant, LeastSquaresClassifier
from epee.errors import ConditionWarning, SingularProblem, WrongUse
from tests.predictors.generative.leaving import check_left_out

rng = np.random.default_rng(0)
y3 = rng.integers(0, 3, 60)
X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4)) + y3[:, None] + 3
y2 = (y3 > 0).astype(int)
w = rng.integers(1, 4, 60).astype(float)


@pytest.mark.parametrize("alpha", [0.0, 5.0])
@pytest.mark.parametrize(("targets", "low"), [("signed", -1.0), ("one_hot", 0.0)])
def test_is_ridge_on_the_targets(alpha, targets, low):
    T = np.where(np.eye(3)[y3] > 0, 1.0, low)
    ours, theirs = LeastSquaresClassifier(alpha, targets).fit(X, y3, w), Ridge(alpha=alpha).fit(X, T, w)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-9)
    two = LeastSquaresClassifier(alpha, targets).fit(X, y2)
    np.testing.assert_allclose(two.coef_[0], Ridge(alpha=alpha).fit(X, np.where(y2 == 1, 1.0, low)).coef_, atol=1e-9)


def test_scores_add_up():
    np.testing.assert_allclose(LeastSquaresClassifier().fit(X, y3).decision_function(X).sum(axis=1), -1, atol=1e-10)
    np.testing.assert_allclose(
        LeastSquaresClassifier(targets="one_hot").fit(X, y3).decision_function(X).sum(axis=1), 1, atol=1e-10
    )


def test_fisher_targets_obey_the_five_identities():
    m = LeastSquaresClassifier(targets="fisher").fit(X, y2)
    a, b = X[y2 == 1], X[y2 == 0]  # class 1 of the exercise is the one with positive scores
    n, n1, n2 = len(X), len(a), len(b)
    t = np.where(y2 == 1, n / n1, -n / n2)
    coef, w0, mean = m.coef_[0], m.intercept_[0], X.mean(axis=0)
    m1, m2 = a.mean(axis=0), b.mean(axis=0)
    SW = (a - m1).T @ (a - m1) + (b - m2).T @ (b - m2)
    SB = np.outer(m1 - m2, m1 - m2)
    assert abs(t.sum()) < 1e-9
    np.testing.assert_allclose(mean, (n1 * m1 + n2 * m2) / n)
    assert np.isclose(w0, -coef @ mean)
    np.testing.assert_allclose((SW + n1 * n2 / n * SB) @ coef, n * (m1 - m2), rtol=1e-8)
    direction = np.linalg.solve(SW, m1 - m2)
    assert np.isclose(abs(coef @ direction), np.linalg.norm(coef) * np.linalg.norm(direction))
    fisher = FisherDiscriminant(threshold="weighted").fit(X, y2)
    assert (fisher.predict(X) == m.predict(X)).all()


def test_penalised_intercept_is_the_augmented_ridge():
    A, T = np.hstack([np.ones((60, 1)), X]), np.where(np.eye(3)[y3] > 0, 1.0, -1.0)
    V = np.linalg.solve(A.T @ A + 4 * np.eye(5), A.T @ T)
    m = LeastSquaresClassifier(4.0, penalise_intercept=True).fit(X, y3)
    np.testing.assert_allclose(np.vstack([m.intercept_, m.coef_.T]), V, atol=1e-9)
    wide = np.hstack([X, rng.normal(size=(60, 80))])
    A = np.hstack([np.ones((60, 1)), wide])
    V = np.linalg.solve(A.T @ A + 4 * np.eye(85), A.T @ T)
    m = LeastSquaresClassifier(4.0, penalise_intercept=True).fit(wide, y3)
    np.testing.assert_allclose(np.vstack([m.intercept_, m.coef_.T]), V, atol=1e-8)


def test_either_side_gives_the_same():
    wide = rng.normal(size=(20, 50))
    labels = np.arange(20) % 3
    ours = LeastSquaresClassifier(0.5).fit(wide, labels)
    theirs = Ridge(alpha=0.5).fit(wide, np.where(np.eye(3)[labels] > 0, 1.0, -1.0))
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-8)
    sums = LeastSquaresClassifier(0.5).fit_moments(LeastSquaresClassifier(0.5).moments(wide, labels))
    np.testing.assert_allclose(ours.coef_, sums.coef_, atol=1e-8)
    parts = LeastSquaresClassifier(0.5).partial_fit(wide[:9], labels[:9]).partial_fit(wide[9:], labels[9:])
    np.testing.assert_allclose(parts.coef_, sums.coef_, atol=1e-8)


@pytest.mark.parametrize("targets", ["signed", "one_hot", "fisher"])
@pytest.mark.parametrize(("alpha", "penalised"), [(0.0, False), (3.0, False), (3.0, True)])
@pytest.mark.parametrize("codes", [y2, y3], ids=["two", "three"])
def test_left_out(targets, alpha, penalised, codes):
    for weights in (None, w):
        check_left_out(
            lambda: LeastSquaresClassifier(alpha, targets, penalise_intercept=penalised), X, codes, weights, every=13
        )


def test_left_out_of_few_rows():
    wide = rng.normal(size=(20, 50))
    check_left_out(lambda: LeastSquaresClassifier(2.0, "fisher"), wide, np.arange(20) % 2, every=3)


def test_bad_input():
    for alpha in (-1.0, np.nan, np.inf):
        with pytest.raises(WrongUse, match="alpha"):
            LeastSquaresClassifier(alpha).fit(X, y2)
    with pytest.raises(WrongUse, match="targets 'hot'"):
        LeastSquaresClassifier(targets="hot").fit(X, y2)
    with pytest.warns(ConditionWarning, match="rank 4 of 5.*alpha above 0"):
        LeastSquaresClassifier().fit(np.hstack([X, X[:, :1] - X[:, 1:2]]), y2)
    with pytest.raises(SingularProblem, match="row .*leverage 1"):
        LeastSquaresClassifier().left_out(rng.normal(size=(10, 20)), np.arange(10) % 2)
