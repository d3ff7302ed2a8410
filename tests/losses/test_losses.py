"""Values, derivatives and laws of every loss."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from epee.errors import DataError, WrongUse
from epee.losses import (
    LOSSES,
    Costs,
    CrossEntropy,
    GemanMcClure,
    HingeLoss,
    Huber,
    LogLoss,
    Loss,
    PerceptronLoss,
    Power,
    SignedSquares,
    SquaredHinge,
    Tukey,
    Welsch,
    ZeroOne,
    resolve,
    resolve_margin,
    sigmoid,
    softmax,
)  # fmt: skip

REGRESSION = [
    Power(2),
    Power(1),
    Power(1.5),
    Power(3),
    Huber(),
    Huber(0.7),
    Tukey(),
    Tukey(1.1),
    Welsch(),
    GemanMcClure(),
]
MARGINS = [PerceptronLoss(), PerceptronLoss("sum"), HingeLoss(), HingeLoss("max"), SquaredHinge(), SquaredHinge("max"),
           SignedSquares(), CrossEntropy(), CrossEntropy(base=2)]  # fmt: skip
SMOOTH = [SquaredHinge(), SignedSquares(), CrossEntropy()]


def numeric(f, z, h=1e-6):
    """Central differences of a per-row function by its argument of shape (n,) or (n, K)."""
    out = np.empty(z.shape)
    for j in np.ndindex(z.shape[1:]):
        e = np.zeros(z.shape)
        e[(slice(None), *j)] = h
        out[(slice(None), *j)] = (f(z + e) - f(z - e)) / (2 * h)
    return out


@pytest.mark.parametrize("loss", REGRESSION, ids=repr)
def test_regression_derivatives_are_finite_differences(loss):
    rng = np.random.default_rng(0)
    prediction, y = rng.normal(size=60) * 3, rng.normal(size=60)
    assert_allclose(loss.gradient(prediction, y), numeric(lambda z: loss.value(z, y), prediction), atol=1e-7)
    if not (isinstance(loss, Power) and loss.power == 1):
        assert_allclose(loss.second(prediction, y), numeric(lambda z: loss.gradient(z, y), prediction), atol=1e-6)
    table, truth = prediction.reshape(20, 3), y.reshape(20, 3)
    assert_allclose(loss.value(table, truth), loss.value(prediction, y).reshape(20, 3).sum(axis=1))
    assert loss.gradient(table, truth).shape == (20, 3)


@pytest.mark.parametrize("loss", MARGINS, ids=repr)
@pytest.mark.parametrize("K", [1, 2, 3, 5])
def test_margin_gradients_are_finite_differences(loss, K):
    rng = np.random.default_rng(K)
    scores = rng.normal(size=50) * 2 if K == 1 else rng.normal(size=(50, K)) * 2
    y = rng.integers(0, max(K, 2), 50)
    assert_allclose(loss.gradient(scores, y), numeric(lambda z: loss.value(z, y), scores), atol=1e-7)
    assert (loss.value(scores, y) >= 0).all()
    if K > 1 and not isinstance(loss, SignedSquares):
        assert_allclose(loss.gradient(scores, y).sum(axis=1), 0, atol=1e-12)
        assert_allclose(loss.value(scores + 7.0, y), loss.value(scores, y), atol=1e-12)


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
def test_margin_hessians_are_finite_differences(loss):
    rng = np.random.default_rng(3)
    s, y = rng.normal(size=40) * 2, rng.integers(0, 2, 40)
    assert_allclose(loss.second(s, y), numeric(lambda z: loss.gradient(z, y), s), atol=1e-6)
    scores, y = rng.normal(size=(40, 4)), rng.integers(0, 4, 40)
    H = loss.second(scores, y)
    for k in range(4):
        assert_allclose(H[:, k], numeric(lambda z, k=k: loss.gradient(z, y)[:, k], scores), atol=1e-6)


def test_margin_losses_agree_on_two_classes():
    rng = np.random.default_rng(1)
    s, y = rng.normal(size=30), rng.integers(0, 2, 30)
    for loss in (PerceptronLoss(), CrossEntropy()):
        assert_allclose(loss.value(np.column_stack([np.zeros(30), s]), y), loss.value(s, y))
    assert_allclose(HingeLoss().value(np.column_stack([-s / 2, s / 2]), y), HingeLoss().value(s, y))
    assert_allclose(HingeLoss().value(s, 2 * y - 1), HingeLoss().value(s, y))  # signs and codes


def test_course_hinge_leaves_out_the_true_class():
    scores = np.array([[0.0, 0.0, 0.0], [2.0, 1.5, -3.0]])
    assert_allclose(HingeLoss().value(scores, [0, 0]), [2.0, 0.5])
    assert_allclose(HingeLoss("max").value(scores, [0, 0]), [1.0, 0.5])


def test_two_forms_of_the_perceptron_differ_when_two_wrong_classes_win():
    scores, y = np.array([[0.0, 1.0, 3.0], [0.0, -1.0, 2.0]]), [0, 0]
    assert_allclose(PerceptronLoss("max").value(scores, y), [3.0, 2.0])
    assert_allclose(PerceptronLoss("sum").value(scores, y), [4.0, 2.0])


@given(st.floats(-50, 50))
@settings(max_examples=50, deadline=None)
def test_bounds_of_the_zero_one_loss(m):
    wrong = float(m <= 0)
    assert HingeLoss().value([m], [1])[0] >= wrong
    assert SquaredHinge().value([m], [1])[0] >= wrong
    assert CrossEntropy(base=2).value([m], [1])[0] >= wrong - 1e-12
    assert PerceptronLoss().value([2 * m], [1])[0] == 2 * PerceptronLoss().value([m], [1])[0]


@given(st.floats(-20, 20), st.floats(-20, 20), st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_convexity(a, b, t):
    for loss in (
        Power(1),
        Power(1.5),
        Power(2),
        Huber(),
        HingeLoss(),
        SquaredHinge(),
        CrossEntropy(),
        PerceptronLoss(),
    ):
        assert loss.convex
        left, right, middle = loss.value([a, b, t * a + (1 - t) * b], [1.0, 1.0, 1.0])[[0, 1, 2]]
        assert middle <= t * left + (1 - t) * right + 1e-9


@pytest.mark.parametrize("loss", [Tukey(), Welsch(), GemanMcClure(), Huber()], ids=repr)
def test_robust_losses(loss):
    small = np.array([1e-3, -2e-3])
    assert_allclose(loss.value(small, [0, 0]), small**2 / 2, rtol=1e-5)
    far = loss.gradient([1e6, 1e200], [0.0, 0.0])
    if loss.convex:
        assert_allclose(far, loss.c)
    else:
        assert np.abs(far).max() < 1e-10
        top = {"tukey": loss.c**2 / 6}.get(loss.name, loss.c**2 / 2)
        assert_allclose(loss.value([1e8], [0.0]), top, rtol=1e-6)
    r = np.linspace(-9, 9, 51)
    assert_allclose(loss.weight(r) * r, loss.gradient(r, 0 * r))
    assert loss.value(r, 0 * r) == pytest.approx(loss.value(-r, 0 * r))


def test_entropy_is_stable_and_matches_scipy():
    from scipy.special import expit, log_softmax

    assert_allclose(CrossEntropy().value([-1000.0, 1000.0], [1, 1]), [1000.0, 0.0])
    a = np.linspace(-40, 40, 81)
    assert_allclose(sigmoid(a), expit(a), rtol=1e-14)
    assert_allclose(sigmoid(-a), 1 - sigmoid(a), atol=1e-15)
    S = np.random.default_rng(0).normal(size=(20, 4)) * 300
    assert_allclose(softmax(S).sum(axis=1), 1)
    assert_allclose(
        CrossEntropy().value(S, np.arange(20) % 4), -log_softmax(S, axis=1)[np.arange(20), np.arange(20) % 4], atol=1e-9
    )
    P = softmax(S / 300)
    assert_allclose(LogLoss().value(P, np.arange(20) % 4), CrossEntropy().value(S / 300, np.arange(20) % 4))
    assert_allclose(LogLoss().gradient(P[:, :2] / P[:, :2].sum(1, keepdims=True), np.zeros(20, int))[:, 1], 0)
    assert np.isfinite(LogLoss().value([[1.0, 0.0]], [1])).all()


def test_costs():
    costs = Costs([[0, 10, 3], [1, 0, 3], [5, 5, 0], [0.5, 0.6, 0.7]]).bind(["a", "b", "c"])
    assert_allclose(costs.value(["b", "a", "reject", "c"], ["a", "b", "c", "c"]), [1, 10, 0.7, 0])
    numeric_labels = Costs([[0, 1], [2, 0], [0.1, 0.2]]).bind([5, 9])
    assert_allclose(numeric_labels.value([9, -1, 5], [5, 9, 5]), [2, 0.2, 0])
    assert_allclose(Costs(1 - np.eye(3)).value([0, 1, 2], [0, 2, 2]), ZeroOne().value([0, 1, 2], [0, 2, 2]))
    with pytest.raises(DataError, match="row 1 is rejected"):
        Costs([[0, 1], [1, 0]], classes=["a", "b"]).value(["a", "reject"], ["a", "b"])
    with pytest.raises(DataError, match="row 1: the label 'z'"):
        costs.value(["a", "b"], ["a", "z"])
    with pytest.raises(WrongUse, match="K x K"):
        Costs([[0, 1, 2]])
    with pytest.raises(WrongUse, match=r"costs\[0, 1\] is -1"):
        Costs([[0, -1], [1, 0]])
    with pytest.raises(WrongUse, match="2 columns and there are 3 classes"):
        Costs(1 - np.eye(2)).bind([1, 2, 3])


def test_resolve():
    for name in LOSSES:
        assert isinstance(resolve(name), Loss)
        assert resolve(name).name == name
    assert resolve(None, "classifier").name == "zero_one"
    assert resolve(None, "regressor").name == "squared"
    assert resolve([[0, 1], [1, 0]], "classifier").name == "costs"
    assert resolve("l2").name == "squared"
    mine = Huber(3.0)
    assert resolve(mine, "regressor") is mine
    assert resolve_margin("hinge", "max").form == "max"
    for bad in ("0-1", "lx", 3.0):
        with pytest.raises(WrongUse, match=r"zero_one.*hinge"):
            resolve(bad)
    for bad in ("zero_one", "hinge", "log", [[0, 1], [1, 0]]):
        with pytest.raises(WrongUse, match="regressor does not give"):
            resolve(bad, "regressor")
    with pytest.raises(WrongUse, match="classifier does not give"):
        resolve("squared", "classifier")
    with pytest.raises(WrongUse, match="must be positive"):
        resolve("l-1")
    with pytest.raises(WrongUse, match="cannot minimise"):
        resolve_margin("zero_one")


def test_losses_of_a_predictor():
    from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
    from sklearn.metrics import hinge_loss, log_loss

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, "yes", "no")
    model = LogisticRegression().fit(X, y)
    assert resolve("log").of(model, X, y).mean() == pytest.approx(log_loss(y, model.predict_proba(X)))
    assert resolve("hinge").of(model, X, y).mean() == pytest.approx(hinge_loss(y, model.decision_function(X)))
    assert resolve("zero_one").of(model, X, y).mean() == pytest.approx(1 - model.score(X, y))
    assert resolve([[0, 1], [1, 0]]).of(model, X, y).mean() == pytest.approx(1 - model.score(X, y))
    with pytest.raises(WrongUse, match="needs probabilities, and Perceptron"):
        resolve("log").of(Perceptron().fit(X, y), X, y)
    line = LinearRegression().fit(X, X[:, 0])
    assert resolve("absolute").of(line, X, X[:, 0]).max() < 1e-12
    with pytest.raises(WrongUse, match="shape"):
        resolve("squared").value(np.ones((3, 1)), np.ones(3))


def test_flat_losses_have_no_gradient():
    with pytest.raises(WrongUse, match="flat"):
        ZeroOne().gradient([0], [1])
    with pytest.raises(WrongUse, match="straight pieces"):
        HingeLoss().second([0.0], [1])


def test_what_others_call_a_loss():
    for typed, name in (
        ("log_loss", "log"),
        ("MSE", "squared"),
        ("mae", "absolute"),
        ("error_rate", "zero_one"),
        ("svm", "hinge"),
    ):
        assert resolve(typed).name == name
    with pytest.raises(WrongUse, match="'hubber' is unknown; did you mean 'huber'"):
        resolve("hubber")
