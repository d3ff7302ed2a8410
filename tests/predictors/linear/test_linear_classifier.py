"""Linear classifiers by loss and penalty: against scikit-learn, and against perturbations of the minimum."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from epee import LinearClassifier, LogisticRegression, Perceptron
from epee.errors import DataError, SearchWarning, WrongUse
from epee.losses import HingeLoss, resolve_margin


def draw(n=300, p=3, K=2, seed=0, strength=2.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (strength * X @ rng.normal(size=(p, K)) + rng.gumbel(size=(n, K))).argmax(axis=1)


def objective(model, X, y, coef, intercept):
    loss = resolve_margin(model.loss, model.form)
    S = X @ coef.T + intercept
    penalty = {"l2": (coef**2).sum() / 2, "l1": np.abs(coef).sum()}[model.penalty]
    return loss.value(S[:, 0] if S.shape[1] == 1 else S, y).mean() + model.alpha * penalty


COMBINATIONS = [
    *(
        (K, loss, penalty, "sum")
        for K in (2, 3)
        for loss in ("hinge", "squared_hinge", "log", "squared")
        for penalty in ("l2", "l1")
    ),
    (3, "hinge", "l2", "max"),
    (3, "hinge", "l1", "max"),
]


@pytest.mark.parametrize(("K", "loss", "penalty", "form"), COMBINATIONS)
def test_no_perturbation_lowers_the_objective(K, loss, penalty, form):
    X, y = draw(K=K)
    model = LinearClassifier(loss, penalty, alpha=0.02, form=form).fit(X, y)
    here = objective(model, X, y, model.coef_, model.intercept_)
    assert model.risk_ == pytest.approx(here, rel=1e-3)
    rng = np.random.default_rng(1)
    slack = 2e-3 if loss == "hinge" and (K > 2 or penalty == "l1") else 1e-4 if loss == "hinge" else 1e-7
    for size in (1e-3, 1e-2, 0.1):
        for _ in range(15):
            d, e = size * rng.normal(size=model.coef_.shape), size * rng.normal(size=model.intercept_.shape)
            assert objective(model, X, y, model.coef_ + d, model.intercept_ + e) >= here - slack * here


def test_log_is_logistic_regression():
    X, y = draw(K=3, n=200)
    model = LinearClassifier("log", alpha=0.01).fit(X, y)
    other = LogisticRegression(C=1 / (0.01 * 200)).fit(X, y)
    assert_allclose(model.coef_, other.coef_, atol=1e-6)
    assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-6)
    assert not hasattr(LinearClassifier("hinge"), "predict_proba")


def test_hinge_is_the_support_vector_machine():
    X, y = draw(n=250, p=4, seed=2)
    alpha = 0.01
    model = LinearClassifier(alpha=alpha, tol=1e-8).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        best = LinearSVC(
            loss="hinge", C=1 / (alpha * 250), intercept_scaling=30, max_iter=100_000, tol=1e-6, random_state=0
        ).fit(X, y)
    assert_allclose(model.coef_, best.coef_, atol=2e-3)  # theirs penalises a part of the bias
    ours, svc = (objective(model, X, y, m.coef_, m.intercept_) for m in (model, best))
    assert ours <= svc + 1e-9
    # the optimality conditions: margins beyond 1 have no say, and the weights are the sum of the others
    t = np.where(y > 0, 1.0, -1.0)
    margin = t * model.decision_function(X)
    inside = X[margin < 1 - 1e-4]
    gap = alpha * model.coef_[0] - (t[margin < 1 - 1e-4] @ inside) / 250
    edge = np.abs(margin - 1) <= 1e-4
    share, *_ = np.linalg.lstsq((t[edge][:, None] * X[edge]).T / 250, gap, rcond=None)
    assert_allclose((t[edge][:, None] * X[edge]).T @ share / 250, gap, atol=1e-5)


def test_crammer_singer_agrees_with_liblinear():
    X, y = draw(n=300, p=4, K=4, seed=3)
    model = LinearClassifier("hinge", form="max", alpha=0.01).fit(X, y)
    other = LinearSVC(
        multi_class="crammer_singer", C=1 / (0.01 * 300), intercept_scaling=100, max_iter=200_000, tol=1e-7
    ).fit(X, y)
    ours, theirs = (objective(model, X, y, m.coef_, m.intercept_) for m in (model, other))
    assert ours <= theirs * 1.001


def test_squared_hinge_agrees_with_liblinear():
    X, y = draw(seed=4)
    model = LinearClassifier("squared_hinge", alpha=0.01).fit(X, y)
    other = LinearSVC(
        C=1 / (2 * 0.01 * 300) * 1.0, intercept_scaling=1000, dual=False, tol=1e-10, max_iter=100_000
    ).fit(X, y)
    assert (
        objective(model, X, y, model.coef_, model.intercept_)
        <= objective(model, X, y, other.coef_, other.intercept_) + 1e-9
    )


def test_l1_gives_zeros_and_a_large_alpha_all_of_them():
    X, y = draw(p=8, seed=5)
    few = LinearClassifier("squared_hinge", "l1", alpha=0.2).fit(X, y)
    assert 0 < (few.coef_ == 0).sum() < 8
    assert (LinearClassifier("log", "l1", alpha=10.0).fit(X, y).coef_ == 0).all()
    norms = [np.linalg.norm(LinearClassifier("hinge", alpha=a).fit(X, y).coef_) for a in (1e-3, 1e-1, 10.0)]
    assert norms[0] > norms[1] > norms[2]


def test_weights_are_counts():
    X, y = draw(n=80, seed=6)
    w = np.random.default_rng(0).integers(0, 3, 80)
    rows = np.repeat(np.arange(80), w)
    for loss in ("hinge", "squared_hinge"):
        a = LinearClassifier(loss, alpha=0.05, tol=1e-9).fit(X, y, w)
        b = LinearClassifier(loss, alpha=0.05, tol=1e-9).fit(X[rows], y[rows])
        assert_allclose(a.coef_, b.coef_, atol=1e-5)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "log", "squared", "perceptron"])
def test_stochastic_descent_learns(K, loss):
    X, y = draw(n=2000, K=K, seed=7, strength=4.0)
    best = LinearClassifier("log", alpha=1e-3).fit(X, y).score(X, y)
    model = LinearClassifier(loss, alpha=1e-3, solver="sgd", random_state=0, max_iter=30, tol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SearchWarning)
        model.fit(X, y)
    assert model.score(X, y) > best - (0.2 if loss == "perceptron" else 0.08)


def test_partial_fit_streams():
    X, y = draw(n=3000, K=3, seed=8, strength=4.0)
    labels = np.array(["a", "b", "c"])[y]
    model = LinearClassifier("log", random_state=0, alpha=1e-3)
    for i in range(0, 3000, 300):
        model.partial_fit(X[i : i + 300], labels[i : i + 300], classes=["a", "b", "c"])
    assert model.score(X, labels) > 0.8
    with pytest.raises(DataError, match="not among the classes"):
        model.partial_fit(X[:2], ["a", "z"])
    two = LinearClassifier(random_state=0).partial_fit(X, y > 0)
    assert two.partial_fit(X, y > 0).score(X, y > 0) > 0.8


def test_l1_of_stochastic_descent_gives_zeros():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 10))
    y = X[:, 0] + 0.5 * rng.normal(size=3000) > 0
    model = LinearClassifier("log", "l1", alpha=0.05, solver="sgd", random_state=0, max_iter=40).fit(X, y)
    assert (model.coef_[0, 1:] == 0).sum() >= 5
    assert model.coef_[0, 0] > 0.3


def test_the_perceptron_criterion_takes_the_stochastic_rule():
    X, y = draw(n=200, seed=9, strength=50.0)
    model = LinearClassifier("perceptron", None, random_state=0, max_iter=200, tol=0).fit(X, y)
    assert model.score(X, y) > 0.95


def test_a_loss_object_and_sentences():
    X, y = draw(n=60)
    assert_allclose(LinearClassifier(HingeLoss()).fit(X, y).coef_, LinearClassifier("hinge").fit(X, y).coef_)
    for options, words in (
        ({"loss": "zero_one"}, "cannot minimise"), ({"penalty": "l0"}, "'l2', 'l1'"), ({"alpha": -1}, "alpha is -1"),
        ({"eta0": 0}, "eta0"), ({"form": "all"}, "'max'"),
        ({"solver": "x"}, "'sgd'"), ({"schedule": "x"}, "'optimal'"),
    ):  # fmt: skip
        with pytest.raises(WrongUse, match=words):
            LinearClassifier(**options).fit(X, y)
    with pytest.raises(ValueError, match="only one class"):
        LinearClassifier().fit(X, np.zeros(60))
    with pytest.warns(SearchWarning, match="diverged"):
        wild = LinearClassifier("squared", None, solver="sgd", schedule="constant", eta0=1e6, random_state=0).fit(
            X * 1e3, y
        )
    assert np.isfinite(wild.coef_).all()


def test_the_worst_of_one_wrong_class_is_their_sum():
    X = np.random.default_rng(3).normal(size=(80, 3))
    two, three = (X[:, 0] > 0.2).astype(int), np.digitize(X[:, 0], [-0.4, 0.4])
    worst, both = (LinearClassifier("squared_hinge", alpha=0.1, form=form).fit(X, two) for form in ("max", "sum"))
    assert_allclose(worst.coef_, both.coef_)
    with pytest.raises(WrongUse, match="corners"):
        LinearClassifier("squared_hinge", alpha=0.1, form="max").fit(X, three)


def test_given_weights_decide_as_the_worked_examples_do():
    line = LinearClassifier.from_weights([-5.5, 4.4], 2.2, classes=["behind", "in front"])
    assert_allclose(line.decision_function([[3.0, 7.0], [6.0, 1.0]]), [16.5, -26.4])
    assert line.predict([[3.0, 7.0], [6.0, 1.0]]).tolist() == ["in front", "behind"]
    turned = LinearClassifier.from_weights([-5.5, 4.4], 2.2, classes=["z", "a"])  # positive is "a", which sorts first
    assert turned.predict([[3.0, 7.0], [6.0, 1.0]]).tolist() == ["a", "z"]
    W, b = np.array([[3.6, 0.5], [2.4, 4.1], [4.0, -4.9]]), np.array([-2.0, -4.0, -6.0])
    model = Perceptron.from_weights(W, b)
    assert_allclose(model.decision_function([[0.4, -1.0]]), [[-1.06, -7.14, 0.5]])
    model.partial_fit([[0.4, -1.0]], [0])  # class 2 won: rows 0 and 2 change
    assert_allclose(model.coef_, [[4.0, -0.5], [2.4, 4.1], [3.6, -3.9]])
    assert_allclose(model.intercept_, [-1.0, -4.0, -7.0])
    shuffled = LinearClassifier.from_weights(W[[2, 0, 1]], b[[2, 0, 1]], classes=[2, 0, 1])
    assert_allclose(shuffled.coef_, W)
    for bad in (
        {"coef": W[:2]},
        {"coef": [np.nan]},
        {"coef": [1.0], "classes": [1, 1]},
        {"coef": W, "classes": [0, 1]},
    ):
        with pytest.raises(WrongUse):
            LinearClassifier.from_weights(**bad)


def test_given_weights_are_where_a_fit_goes_on_from():
    X, y = draw(n=100)
    fitted = LogisticRegression().fit(X, y)
    again = LogisticRegression.from_weights(fitted.coef_, fitted.intercept_, classes=[0, 1])
    assert_allclose(again.predict_proba(X), fitted.predict_proba(X))
