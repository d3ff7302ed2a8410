"""Networks: backpropagation is the derivative; the same steps as scikit-learn's from the same seed."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import sklearn.neural_network as theirs

from epee import MLPClassifier, MLPRegressor
from epee.errors import DataError, SearchWarning, WrongUse
from epee.predictors.networks.layers import Network, start_values

RNG = np.random.RandomState(0)
X = RNG.normal(size=(150, 4))
Y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]


@pytest.fixture(autouse=True)
def _short_of_convergence():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a few passes are enough to compare
        yield


@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic", "identity"])
@pytest.mark.parametrize("end", ["identity", "logistic", "softmax", "exp"])
def test_backpropagation_is_the_derivative(activation, end):
    r = np.random.RandomState(1)
    network = Network(activation, end, 0.3)
    weights, biases = start_values((4, 5, 3), activation, r)
    T = {"softmax": np.eye(3)[r.randint(0, 3, 20)], "logistic": r.randint(0, 2, (20, 3)).astype(float)}.get(
        end, r.poisson(2, (20, 3)) + 0.0
    )
    w = r.uniform(0.5, 2, 20)
    _, by_weight, by_bias = Network(activation, end, 0.0).gradient(X[:20], T, w, weights, biases)

    def value():
        return float(np.average(network.losses(network.forward(X[:20], weights, biases)[-1], T), weights=w))

    for parameter, slope in (
        (weights[0], by_weight[0]),
        (weights[1], by_weight[1]),
        (biases[0], by_bias[0]),
        (biases[1], by_bias[1]),
    ):
        at = (0,) * parameter.ndim
        before = parameter[at]
        parameter[at] = before + 1e-6
        up = value()
        parameter[at] = before - 1e-6
        down = value()
        parameter[at] = before
        assert slope[at] == pytest.approx((up - down) / 2e-6, abs=1e-6)


@pytest.mark.parametrize("given", [
    {}, {"solver": "sgd"}, {"solver": "sgd", "learning_rate": "invscaling", "nesterovs_momentum": False},
    {"solver": "sgd", "learning_rate": "adaptive", "learning_rate_init": 0.2}, {"hidden_layer_sizes": (7, 3), "activation": "tanh"},
    {"activation": "logistic", "alpha": 1.0}, {"batch_size": 16, "shuffle": False}, {"early_stopping": True, "n_iter_no_change": 3},
])  # fmt: skip
def test_the_same_steps_as_scikit_learn(given):
    given = {"hidden_layer_sizes": (8,), "max_iter": 25, "random_state": 4} | given
    for ours, rival, y in (
        (MLPRegressor, theirs.MLPRegressor, Y),
        (MLPClassifier, theirs.MLPClassifier, (Y > 0).astype(int)),
        (MLPClassifier, theirs.MLPClassifier, np.digitize(Y, [-0.5, 0.5])),
    ):
        if "early_stopping" in given and len(np.unique(y)) == 3:
            continue  # rows are kept aside by class here, at random there
        a, b = ours(**given).fit(X, y), rival(**given).fit(X, y)
        assert a.n_iter_ == b.n_iter_
        for u, v in zip(a.coefs_ + a.intercepts_, b.coefs_ + b.intercepts_):
            np.testing.assert_allclose(u, v, atol=1e-8)
        np.testing.assert_allclose(a.loss_curve_, b.loss_curve_, atol=1e-8)


@pytest.mark.parametrize("given", [
    {}, {"tol": 0.5, "n_iter_no_change": 1}, {"solver": "sgd"}, {"solver": "lbfgs"}, {"early_stopping": True}, {"shuffle": False},
])  # fmt: skip
def test_networks_side_by_side_take_the_steps_they_would_take_alone(given):
    given = {"hidden_layer_sizes": (6,), "max_iter": 12, "batch_size": 32} | given
    labels = np.digitize(Y, [-0.5, 0.5])
    w = np.random.RandomState(5).uniform(0.5, 2, 150)
    for make, y in ((MLPRegressor, Y), (MLPClassifier, labels)):
        samples = [(X, y, None), (X[:140], y[:140], None), (X[10:], y[10:], None), (X[10:], y[10:], w[10:])]
        pairs = [(sample, alpha, seed) for sample in samples for alpha, seed in ((1.0, 0), (0.01, 0), (0.01, 1))]
        models = [make(alpha=alpha, random_state=seed, **given) for _, alpha, seed in pairs]
        make.fit_together(models, [sample for sample, _, _ in pairs])
        for model, (sample, alpha, seed) in zip(models, pairs):
            alone = make(alpha=alpha, random_state=seed, **given).fit(*sample)
            assert model.n_iter_ == alone.n_iter_
            for a, b in zip(model.coefs_ + model.intercepts_, alone.coefs_ + alone.intercepts_):
                np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(model.loss_curve_, alone.loss_curve_, rtol=1e-9)


def test_weights_as_scikit_learn():
    w = np.random.RandomState(5).uniform(0, 2, 150)
    given = {"hidden_layer_sizes": (6,), "max_iter": 10, "random_state": 1}
    a, b = MLPRegressor(**given).fit(X, Y, w), theirs.MLPRegressor(**given).fit(X, Y, w)
    np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-8)


def test_lbfgs_goes_as_low():
    given = {
        "hidden_layer_sizes": (5,),
        "activation": "tanh",
        "solver": "lbfgs",
        "alpha": 0.1,
        "max_iter": 400,
        "random_state": 2,
    }
    a, b = MLPRegressor(**given).fit(X, Y), theirs.MLPRegressor(**given).fit(X, Y)
    assert a.loss_ < b.loss_ * 1.05
    assert a.loss_curve_[0] > a.loss_curve_[-1]


def test_weight_two_is_the_row_twice_when_all_rows_go_at_once():
    w = np.random.RandomState(6).randint(0, 3, 150).astype(float)
    twice = np.repeat(np.arange(150), w.astype(int))
    given = {"hidden_layer_sizes": (4,), "solver": "lbfgs", "activation": "tanh", "max_iter": 20, "random_state": 3}
    a, b = MLPRegressor(**given).fit(X, Y, w), MLPRegressor(**given).fit(X[twice], Y[twice])
    np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-5)


def test_poisson_several_targets_warm_start_and_pickle():
    counts = np.random.RandomState(7).poisson(np.exp(X[:, 0] / 2))
    model = MLPRegressor("poisson", (10,), max_iter=30, random_state=0).fit(X, counts)
    assert (model.predict(X) > 0).all()
    two = MLPRegressor(hidden_layer_sizes=(5,), max_iter=5, random_state=0, warm_start=True).fit(
        X, np.column_stack([Y, -Y])
    )
    assert two.predict(X).shape == (150, 2)
    before = two.loss_
    assert two.fit(X, np.column_stack([Y, -Y])).loss_ < before
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_what_is_wrong_is_said():
    for given, words in (
        ({"solver": "x"}, "solver"),
        ({"activation": "x"}, "activation"),
        ({"hidden_layer_sizes": (0,)}, "hidden"),
        ({"alpha": -1}, "alpha"),
    ):
        with pytest.raises(WrongUse, match=words):
            MLPClassifier(**given).fit(X, Y > 0)
    with pytest.raises(DataError, match="row"):
        MLPRegressor("poisson").fit(X, Y)
    with pytest.warns(SearchWarning, match="passes"):
        MLPRegressor(max_iter=2, random_state=0).fit(X, Y)


@pytest.mark.parametrize("solver", ["adam", "sgd"])
def test_rows_that_come_in_turns_take_the_steps_of_a_fit(solver):
    given = {"hidden_layer_sizes": (6,), "solver": solver, "random_state": 3, "tol": 0.0}
    whole = MLPRegressor(**given, max_iter=12).fit(X, Y)
    parts = MLPRegressor(**given)
    for _ in range(12):
        parts = pickle.loads(pickle.dumps(parts.partial_fit(X, Y)))
    for u, v in zip(whole.coefs_, parts.coefs_, strict=True):
        np.testing.assert_allclose(u, v, rtol=1e-9)
    assert parts.n_iter_ == 12
    assert parts.t_ == 12 * len(X)


def test_labels_that_come_later_were_named_at_first():
    model = MLPClassifier(random_state=0, hidden_layer_sizes=(5,))
    model.partial_fit(X[:3], ["a", "b", "c"], classes=["a", "b", "c", "d"])
    model.partial_fit(X[3:4], ["d"])
    assert model.predict_proba(X[:2]).shape == (2, 4)
    with pytest.raises(DataError, match="labels that classes does not"):
        model.partial_fit(X[:1], ["e"])
    with pytest.raises(DataError, match="first call"):
        MLPClassifier().partial_fit(X[:2], ["a", "b"])
    assert not hasattr(MLPClassifier(solver="lbfgs"), "partial_fit")


def test_several_labels_at_once():
    marks = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, X[:, 0] + X[:, 1] > 1]).astype(int)
    given = {"hidden_layer_sizes": (8,), "max_iter": 30, "random_state": 4}
    ours, rival = MLPClassifier(**given).fit(X, marks), theirs.MLPClassifier(**given).fit(X, marks)
    np.testing.assert_allclose(ours.predict_proba(X), rival.predict_proba(X), atol=1e-8)
    np.testing.assert_array_equal(ours.predict(X), rival.predict(X))


@pytest.mark.parametrize("weighted", [False, True])
def test_passes_of_many_rows_are_one_call_and_the_same_network(monkeypatch, weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2100, 3))
    y, w = np.digitize(X[:, 0] * X[:, 1], [-0.3, 0.3]), rng.integers(1, 4, 2100).astype(float) if weighted else None
    made = {"hidden_layer_sizes": (8,), "max_iter": 4, "random_state": 0}
    quick = MLPClassifier(**made).fit(X, y, w)
    more = MLPClassifier(**made).partial_fit(X, y, [0, 1, 2], w)
    alone = [MLPClassifier(**made, alpha=a) for a in (0.1, 1.0)]
    MLPClassifier.fit_together(alone, [(X, y, w)] * 2)
    monkeypatch.setattr("epee.predictors.networks.training.FEW_ROWS", 10**9)
    steps = MLPClassifier(**made).fit(X, y, w)
    other = MLPClassifier(**made, alpha=1.0).fit(X, y, w)
    np.testing.assert_allclose(quick.loss_curve_, steps.loss_curve_, rtol=1e-10)
    np.testing.assert_allclose(quick.coefs_[0], steps.coefs_[0], rtol=1e-8)
    np.testing.assert_allclose(alone[1].coefs_[0], other.coefs_[0], rtol=1e-8)
    np.testing.assert_allclose(more.loss_curve_, steps.loss_curve_[:1], rtol=1e-10)
