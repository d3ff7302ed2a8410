from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn import naive_bayes

from epee import GaussianNB
from epee.errors import DataError, SingularProblem, WrongUse
from tests.predictors.generative.leaving import check_left_out


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    return rng.normal(size=(90, 4)) * [1, 2, 0.1, 30] + y[:, None], y, rng.integers(1, 4, 90).astype(float)


@pytest.mark.parametrize("options", [{}, {"var_smoothing": 0.1}, {"priors": [0.2, 0.3, 0.5]}])
def test_agrees_with_scikit_learn(rows, options):
    X, y, w = rows
    ours, theirs = GaussianNB(**options).fit(X, y, w), naive_bayes.GaussianNB(**options).fit(X, y, w)
    np.testing.assert_allclose(
        ours.var_ - ours.epsilon_, theirs.var_ - theirs.epsilon_, rtol=1e-6
    )  # theirs forgets the weights in epsilon_
    ours, theirs = GaussianNB(**options).fit(X, y), naive_bayes.GaussianNB(**options).fit(X, y)
    for name in ("theta_", "var_", "class_prior_", "class_count_", "epsilon_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-10)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-9)
    np.testing.assert_allclose(ours._score(X), theirs.predict_joint_log_proba(X), atol=1e-9)


def test_is_the_product_of_normal_laws(rows):
    X, y, _ = rows
    m = GaussianNB(var_smoothing=0).fit(X, y)
    for k in range(3):
        logs = norm.logpdf(X, X[y == k].mean(axis=0), X[y == k].std(axis=0)).sum(axis=1) + np.log((y == k).mean())
        np.testing.assert_allclose(m._score(X)[:, k], logs, rtol=1e-10)


def test_rows_by_parts_are_rows_at_once(rows):
    X, y, w = rows
    whole = GaussianNB(var_smoothing=0.01).fit(X, y, w)
    parts = GaussianNB(var_smoothing=0.01)
    for i in range(0, 90, 30):
        parts.partial_fit(X[i : i + 30], y[i : i + 30], classes=[0, 1, 2], sample_weight=w[i : i + 30])
    np.testing.assert_allclose(parts.var_, whole.var_, rtol=1e-10)
    assert np.isclose(parts.epsilon_, whole.epsilon_)
    forgot = GaussianNB(var_smoothing=0.01).fit(X, y, w).forget(X[:20], y[:20], sample_weight=w[:20])
    np.testing.assert_allclose(forgot.var_, GaussianNB(var_smoothing=0.01).fit(X[20:], y[20:], w[20:]).var_, rtol=1e-8)


@pytest.mark.parametrize("smoothing", [1e-9, 0.1])
def test_left_out(rows, smoothing):
    X, y, w = rows
    check_left_out(lambda: GaussianNB(var_smoothing=smoothing), X, y, every=7)
    check_left_out(lambda: GaussianNB(var_smoothing=smoothing), X, y, w, every=7)
    check_left_out(lambda: GaussianNB(priors=[0.2, 0.2, 0.6]), X, y, every=11)


def test_far_classes_keep_their_digits():
    rng = np.random.default_rng(1)
    y = np.arange(200) % 2
    X = 1e9 + np.column_stack([rng.normal(size=200), 1e5 * y + 1e-2 * rng.normal(size=200)])
    m = GaussianNB(var_smoothing=0).fit(X, y)
    direct = -0.5 * (((X[:, None] - m.theta_) ** 2 / m.var_) + np.log(2 * np.pi * m.var_)).sum(axis=2) + np.log(0.5)
    own = np.arange(200), y
    np.testing.assert_allclose(m._score(X)[own], direct[own], atol=1e-5)  # 1e9 keeps seven digits of a cell
    assert (m.predict(X) == y).all()


def test_a_class_still_to_come():
    m = GaussianNB().partial_fit([[0.0], [1.0]], ["a", "b"], classes=["a", "b", "c"])
    P = m.predict_proba([[0.4]])
    assert np.isfinite(P).all() and P[0, 2] == 0


def test_sampling_comes_back():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    m = GaussianNB().fit(rng.normal(size=(300, 2)) + 2 * y[:, None], y)
    X, labels = m.sample(20_000, random_state=0)
    again = GaussianNB().fit(X, labels)
    np.testing.assert_allclose(again.theta_, m.theta_, atol=0.05)
    np.testing.assert_allclose(again.var_, m.var_, atol=0.06)
    assert np.array_equal(m.sample(5, 3)[0], m.sample(5, 3)[0])


def test_bad_input():
    X, y = [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 4.0]], ["a", "a", "b", "b"]
    with pytest.raises(SingularProblem, match="class .*'a'.*column 0 is constant.*var_smoothing"):
        GaussianNB(var_smoothing=0).fit(X, y)
    with pytest.raises(WrongUse, match="sum of the priors should be 1"):
        GaussianNB(priors=[0.5, 0.6]).fit([[0.0], [1.0], [2.0], [5.0]], y)
    with pytest.raises(WrongUse, match="Number of priors must match"):
        GaussianNB(priors=[1.0]).fit([[0.0], [1.0], [2.0], [5.0]], y)
    with pytest.raises(WrongUse, match="non-negative.*'b'"):
        GaussianNB(priors=[1.5, -0.5]).fit([[0.0], [1.0], [2.0], [5.0]], y)
    with pytest.raises(WrongUse, match="var_smoothing"):
        GaussianNB(var_smoothing=-1).fit([[0.0], [1.0], [2.0], [5.0]], y)


def test_labels_that_were_never_learned_cannot_be_forgotten():
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = GaussianNB().fit(X, np.arange(20) % 2)
    with pytest.raises(DataError, match=r"labels \[7\], which were never learned"):
        model.forget(X[:2], [7, 0])
    assert model.classes_.tolist() == [0, 1]
    assert model.forget(X[:2], [0, 1]).class_count_.tolist() == [9, 9]
