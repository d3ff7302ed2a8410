from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

from epee import FisherDiscriminant, LinearDiscriminantAnalysis
from epee.errors import ConditionWarning, DataError, WrongUse
from tests.predictors.generative.leaving import check_left_out

rng = np.random.default_rng(0)
y3 = rng.permutation(np.repeat([0, 1, 2], [30, 20, 10]))
X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4)) * (1 + y3[:, None]) + 2 * y3[:, None] + 3
y2 = (y3 == 2).astype(int)
w = rng.integers(1, 4, 60).astype(float)


def parts():
    a, b = X[y2 == 1], X[y2 == 0]
    return a, b, a.mean(axis=0), b.mean(axis=0)


def test_direction_and_criterion():
    a, b, m1, m2 = parts()
    SW = (a - m1).T @ (a - m1) + (b - m2).T @ (b - m2)
    f = FisherDiscriminant().fit(X, y2)
    direction, coef = np.linalg.solve(SW, m1 - m2), f.coef_[0]
    np.testing.assert_allclose(coef / np.linalg.norm(coef), direction / np.linalg.norm(direction), rtol=1e-8)
    top = (m1 - m2) @ direction
    assert (
        np.isclose(f.criterion_, top) and np.isclose(f.criterion(coef), top) and np.isclose(f.criterion(-7 * coef), top)
    )
    for _ in range(20):
        assert f.criterion(rng.normal(size=4)) <= top + 1e-12
    np.testing.assert_allclose(np.outer(m1 - m2, m1 - m2) @ coef, top * SW @ coef, rtol=1e-8)  # stationary


def test_variances_give_another_direction_when_classes_differ_in_size():
    a, b, m1, m2 = parts()
    f = FisherDiscriminant(within="variance").fit(X, y2)
    direction = np.linalg.solve(np.cov(a.T, bias=True) + np.cov(b.T, bias=True), m1 - m2)
    coef = f.coef_[0] / np.linalg.norm(f.coef_)
    np.testing.assert_allclose(coef, direction / np.linalg.norm(direction), rtol=1e-8)
    assert not np.allclose(
        coef, FisherDiscriminant().fit(X, y2).coef_[0] / np.linalg.norm(FisherDiscriminant().fit(X, y2).coef_)
    )
    plain = FisherDiscriminant(within="identity").fit(X, y2).coef_[0]
    np.testing.assert_allclose(plain / np.linalg.norm(plain), (m1 - m2) / np.linalg.norm(m1 - m2), rtol=1e-10)
    assert np.isclose(f.criterion_, f.criterion(f.coef_))


def test_signs_and_thresholds():
    a, b, m1, m2 = parts()
    for within in ("scatter", "variance", "identity"):
        for threshold, at in (("midpoint", (m1 + m2) / 2), ("weighted", X.mean(axis=0))):
            f = FisherDiscriminant(within, threshold).fit(X, y2)
            assert f.decision_function([m1]) > 0 > f.decision_function([m2])  # the sign that the course prints reversed
            assert abs(f.decision_function([at])[0]) < 1e-9
    f, lda = FisherDiscriminant(threshold="bayes").fit(X, y2), LinearDiscriminantAnalysis(solver="lsqr").fit(X, y2)
    np.testing.assert_allclose(f.coef_, lda.coef_, rtol=1e-8)
    np.testing.assert_allclose(f.intercept_, lda.intercept_, rtol=1e-8)


def test_more_classes():
    f = FisherDiscriminant().fit(X, y3)
    means = np.array([X[y3 == k].mean(axis=0) for k in range(3)])
    SW = sum((X[y3 == k] - means[k]).T @ (X[y3 == k] - means[k]) for k in range(3))
    SB = sum((y3 == k).sum() * np.outer(means[k] - X.mean(axis=0), means[k] - X.mean(axis=0)) for k in range(3))
    values, axes = eigh(SB, SW)
    assert f.scalings_.shape == (4, 2) and np.isclose(f.criterion_, values.sum())
    for j in range(2):
        u, v = f.scalings_[:, j], axes[:, ::-1][:, j]
        assert np.isclose(abs(u @ SW @ v), np.sqrt((u @ SW @ u) * (v @ SW @ v)))
    assert f.transform(X).shape == (60, 2)
    lda = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y3)
    assert (FisherDiscriminant(threshold="bayes").fit(X, y3).predict(X) == lda.predict(X)).all()
    near = np.argmin([[r @ np.linalg.solve(SW, r) for r in x - means] for x in X], axis=1)
    assert (f.predict(X) == near).all()
    two = FisherDiscriminant().fit(X, y2)
    assert (
        two.transform(X).shape == (60, 1)
        and np.corrcoef(two.transform(X)[:, 0], two.decision_function(X))[0, 1] > 1 - 1e-9
    )


@pytest.mark.parametrize("within", ["scatter", "variance", "identity"])
@pytest.mark.parametrize("threshold", ["midpoint", "weighted", "bayes"])
@pytest.mark.parametrize("codes", [y2, y3], ids=["two", "three"])
def test_left_out(within, threshold, codes):
    for weights in (None, w):
        check_left_out(lambda: FisherDiscriminant(within, threshold), X, codes, weights, every=17)


def test_bad_input():
    with pytest.raises(WrongUse, match="within 'none'"):
        FisherDiscriminant("none").fit(X, y2)
    with pytest.raises(WrongUse, match="threshold 'none'"):
        FisherDiscriminant(threshold="none").fit(X, y2)
    with pytest.warns(ConditionWarning, match="rank 4 of 5"):
        FisherDiscriminant().fit(np.hstack([X, X[:, :1] - X[:, 1:2]]), y2)
    with pytest.raises(DataError, match="constant within its class"):
        FisherDiscriminant().fit([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1])
