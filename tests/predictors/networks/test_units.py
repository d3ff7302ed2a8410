"""A network that learns its target in the target's own units answers for a y + b as for y, times a, plus b."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn.neural_network as theirs
from sklearn.compose import TransformedTargetRegressor
from sklearn.preprocessing import StandardScaler

from epee import MLPRegressor
from epee.predictors.networks.layers import start_values
from epee.predictors.networks.units import Units

RNG = np.random.RandomState(0)
X = RNG.normal(size=(120, 3))
Y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RNG.normal(size=120)
Y = np.round(Y * 2**20) / 2**20  # so that a billion and a target have room in one number
BATCHES = {"hidden_layer_sizes": (8,), "max_iter": 25, "random_state": 4}
WHOLE = {"hidden_layer_sizes": (6,), "activation": "tanh", "solver": "lbfgs", "alpha": 1.0, "max_iter": 60, "random_state": 4}  # fmt: skip


@pytest.fixture(autouse=True)
def _short_of_convergence():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def scaled(given, y, w=None, **more):
    return MLPRegressor(**given, **more, scale_target=True).fit(X, y, w)


@pytest.mark.parametrize("given", [BATCHES, WHOLE, BATCHES | {"early_stopping": True}])
@pytest.mark.parametrize("a", [2.0**40, 2.0**-40])
def test_a_power_of_two_changes_no_bit(given, a):
    np.testing.assert_array_equal(scaled(given, a * Y).predict(X), a * scaled(given, Y).predict(X))


@pytest.mark.parametrize("given", [BATCHES, WHOLE])
@pytest.mark.parametrize(("a", "b"), [(-3.5, 1e4), (1e-9, 0.0), (1.0, 1e9), (2.0**40, -(2.0**46))])
def test_an_affine_target_is_learned_alike(given, a, b):
    """As near as an answer can be written: a billion leaves seven of its sixteen digits."""
    plain, other = scaled(given, Y).predict(X), (scaled(given, a * Y + b).predict(X) - b) / a
    if a < 0:  # the network of -y is another one: the start breaks the symmetry
        plain = scaled(given, -Y).predict(X) * -1
    np.testing.assert_allclose(other, plain, atol=1e-6)


def test_it_is_the_scaled_target_of_scikit_learn():
    a = scaled(BATCHES, 1e6 + 300 * Y)
    b = TransformedTargetRegressor(theirs.MLPRegressor(**BATCHES), transformer=StandardScaler()).fit(X, 1e6 + 300 * Y)
    np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-9)


def test_weights_several_outputs_and_a_constant_one():
    w = np.random.RandomState(6).randint(0, 3, 120).astype(float)
    twice = np.repeat(np.arange(120), w.astype(int))
    a = scaled(WHOLE, 1e3 * Y, w)
    b = MLPRegressor(**WHOLE, scale_target=True).fit(X[twice], 1e3 * Y[twice])
    np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-2)
    both = np.column_stack([Y, np.full(120, 7.5)])
    model = scaled(WHOLE, both)
    assert model.predict(X).shape == (120, 2)
    assert abs(model.predict(X)[:, 1].mean() - 7.5) < 0.1
    stretched = scaled(WHOLE, both * [1e6, 1.0] + [1e7, 0.0]).predict(X)
    np.testing.assert_allclose((stretched[:, 0] - 1e7) / 1e6, model.predict(X)[:, 0], atol=1e-4)


def test_counts_are_divided_by_their_mean():
    counts = np.random.RandomState(7).poisson(np.exp(X[:, 0] / 2)).astype(float)
    one, many = (scaled(BATCHES, a * counts, loss="poisson").predict(X) for a in (1.0, 2.0**20))
    np.testing.assert_allclose(many, 2.0**20 * one, rtol=1e-9)
    assert np.isfinite(scaled(BATCHES, np.zeros(120), loss="poisson").predict(X)).all()


def test_a_warm_start_goes_on_from_where_it_was():
    model = scaled(BATCHES, 1e5 * Y + 1e6, warm_start=True)
    before = model.loss_
    assert model.fit(X, 1e5 * Y + 1e6).loss_ < before


@pytest.mark.parametrize("counts", [False, True])
def test_forth_is_the_way_back_undone(counts):
    layers = start_values((3, 4, 2), "relu", np.random.RandomState(0))
    units = Units.of(np.random.RandomState(1).gamma(2.0, 30.0, (50, 2)), None, counts)
    again = units.forth(*units.back(*layers))
    for a, b in zip(layers[0] + layers[1], again[0] + again[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def test_targets_too_large_to_square_have_units():
    units = Units.of(np.array([[1e200], [3e200], [5e200]]), None, counts=False)
    np.testing.assert_allclose(units.scaled(np.array([[3e200]])), 0.0)
    assert units.spread[0] == pytest.approx(1e200 * np.sqrt(8 / 3))
