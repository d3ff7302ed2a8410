"""The perceptron: the corrected rules, the theorem, the pocket."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

import epee
from epee import Perceptron
from epee.errors import SearchWarning, WrongUse
from epee.losses import PerceptronLoss
from epee.optimize.linear_stochastic import Stochastic
from epee.predictors.linear import perceptron


def separable(n=60, K=2, gap=0.5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8 * n, 2))
    W = rng.normal(size=(2, K))
    S = np.sort(X @ W, axis=1)
    wide = S[:, -1] - S[:, -2] > gap
    return X[wide][:n], (X @ W).argmax(axis=1)[wide][:n]


@given(st.integers(0, 50), st.sampled_from([0.1, 1.0, 7.0]))
def test_updates_stay_below_the_bound(seed, eta):
    X, y = separable(seed=seed)
    if len(np.unique(y)) < 2:
        return
    model = Perceptron(tol=None, shuffle=False, fit_intercept=False, eta0=eta).fit(X, y)
    assert model.separated_
    assert model.score(X, y) == 1
    w, mistakes, t = np.zeros(2), 0, np.where(y == model.classes_[1], 1, -1)
    for _ in range(model.n_iter_):
        for x, sign in zip(X, t, strict=True):
            if sign * (w @ x) <= 0:
                w, mistakes = w + eta * sign * x, mistakes + 1
    assert mistakes <= model.margin_bound_
    assert_allclose(model.coef_[0], w, atol=1e-9)


@pytest.mark.parametrize("K", [2, 3, 4])
@pytest.mark.parametrize("mode", ["stochastic", "batch"])
@pytest.mark.parametrize("schedule", ["constant", "inverse"])
def test_separable_rows_end_without_errors(K, mode, schedule):
    X, y = separable(K=K, seed=K)
    model = Perceptron(mode=mode, schedule=schedule, tol=None, max_iter=5000).fit(X, y)
    assert model.separated_
    assert model.errors_ == 0
    assert model.score(X, y) == 1
    assert model.trace_.errors[-1] == 0
    assert model.trace_.criterion[-1] == 0
    assert len(model.trace_) == model.n_iter_ + 1


def test_the_first_update_leaves_zero():
    model = Perceptron(max_iter=1, tol=None, shuffle=False).fit([[1.0, 2.0], [-1.0, 0.5]], [1, 0])
    assert (model.coef_ != 0).any()


@given(st.integers(0, 200))
def test_an_update_raises_the_score_by_the_squared_norm(seed):
    rng = np.random.default_rng(seed)
    x, w, eta = rng.normal(size=3), rng.normal(size=3), 0.7
    t = -1.0 if w @ x > 0 else 1.0  # the row is wrong
    walk = Stochastic(w[None].copy(), np.zeros(1), PerceptronLoss(), bias=False, schedule="constant", eta=eta)
    walk.one_pass(x[None], np.array([int(t > 0)]), np.ones(1), np.arange(1))
    assert t * (walk.W[0] @ x) - t * (w @ x) == pytest.approx(eta * x @ x)


def test_worked_multiclass_update():
    """The course's example: class 2 wins, rows 0 and 2 change; its printed first score is wrong."""
    W = np.array([[-2, 3.6, 0.5], [-4, 2.4, 4.1], [-6, 4, -4.9]])
    x = np.array([1.0, 0.4, -1.0])
    assert W[0] @ x == pytest.approx(-2 + 3.6 * 0.4 - 0.5)
    assert (W @ x).argmax() == 2
    walk = Stochastic(np.ascontiguousarray(W[:, 1:]), W[:, 0].copy(), PerceptronLoss(), schedule="constant", eta=1.0)
    walk.one_pass(x[None, 1:].copy(), np.array([0]), np.ones(1), np.arange(1))
    after = np.column_stack([walk.biases, walk.W])
    assert_allclose(after, W + np.outer([1, 0, -1], x))
    assert_allclose(after.sum(axis=0), W.sum(axis=0))  # the sum of the rows is invariant


def test_two_classes_by_the_multiclass_rule():
    X, y = separable(seed=3)
    two = Stochastic(np.zeros((2, 2)), np.zeros(2), PerceptronLoss(), schedule="constant", eta=1.0)
    one = Stochastic(np.zeros((1, 2)), np.zeros(1), PerceptronLoss(), schedule="constant", eta=2.0)
    for walk in (two, one):
        walk.one_pass(X, y.astype(np.int64), np.ones(len(X)), np.arange(len(X)))
    assert_allclose(two.W[1] - two.W[0], one.W[0], atol=1e-9)


def test_toy_separation():
    """The course's plane (2.2, -5.5, 4.4): (3, 7) in front, (6, 1) behind."""
    w = np.array([2.2, -5.5, 4.4])
    assert w @ [1, 3, 7] > 0 > w @ [1, 6, 1]


def test_xor_keeps_the_pocket_and_says_so():
    X, y = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), [0, 0, 1, 1]
    with pytest.warns(SearchWarning, match=r"no plane that separates .* pocket"):
        model = Perceptron(max_iter=50, tol=None).fit(X, y)
    assert not model.separated_
    assert model.margin_bound_ == np.inf
    assert model.errors_ == min(model.trace_.errors)


def test_weights_multiply_corrections_and_classes_weigh():
    X, y = separable(seed=5)
    a = Perceptron(shuffle=False, mode="batch", tol=None).fit(X, y, sample_weight=np.full(len(X), 2.0))
    b = Perceptron(shuffle=False, mode="batch", tol=None, eta0=2.0).fit(X, y)
    assert_allclose(a.coef_, b.coef_, rtol=1e-12)


def test_penalty_partial_fit_early_stopping_and_warm_start():
    X, y = separable(n=200, K=3, seed=6)
    with pytest.warns(SearchWarning):
        shrunk = Perceptron(penalty="l1", alpha=1.0, max_iter=5, tol=None).fit(X, y)
    assert (shrunk.coef_ == 0).any()
    model = Perceptron()
    for _ in range(30):
        model.partial_fit(X, y, classes=[0, 1, 2])
    assert model.score(X, y) > 0.97
    assert Perceptron(early_stopping=True, tol=None).fit(X, y).score(X, y) > 0.9
    warm = Perceptron(warm_start=True, tol=None).fit(X, y)
    assert warm.fit(X, y).n_iter_ == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"eta0": 0}, "eta0 is 0"),
        ({"eta0": -1.0}, "larger than 0"),
        ({"mode": "online"}, "'batch'"),
        ({"schedule": "x"}, "'inverse'"),
    ],
)
def test_sentences(options, words):
    with pytest.raises(WrongUse, match=words):
        Perceptron(**options).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="only one class"):
        Perceptron().fit([[0.0], [1.0]], [1, 1])


@pytest.mark.parametrize("K", [2, 3])
def test_weights_to_begin_with(K):
    X, y = separable(K=K, seed=3)
    found = Perceptron().fit(X, y)
    again = Perceptron().fit(X, y, coef_init=found.coef_, intercept_init=found.intercept_)
    assert again.n_iter_ == 1  # nothing is left to correct
    assert_allclose(again.coef_, found.coef_)
    with pytest.raises(WrongUse, match="coef_init"):
        Perceptron().fit(X, y, coef_init=np.zeros((7, 2)))


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.filterwarnings("ignore::epee.errors.SearchWarning")
@pytest.mark.parametrize("gap", [0.5, 0.0])  # it ends without errors, or when it gains no more
def test_a_thread_that_looks_while_the_next_pass_is_under_way_changes_no_bit(K, gap, monkeypatch):
    X, y = separable(150, K, gap)
    y = y if gap else np.where(np.arange(len(y)) % 9, y, 0)
    monkeypatch.setattr(epee.options, "threads", 2)
    found = []
    for cells in (10**9, 0):
        monkeypatch.setattr(perceptron, "WORTH_A_THREAD", cells)
        model = Perceptron(random_state=0, max_iter=60).fit(csr_array(X), y)
        found.append((model.coef_, model.intercept_, model.n_iter_, model.errors_, model.trace_.errors, model.t_))
    for alone, beside in zip(*found, strict=True):
        np.testing.assert_array_equal(alone, beside)
