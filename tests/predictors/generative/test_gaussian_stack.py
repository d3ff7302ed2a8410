"""Scores of all models of a split at once: those of the models one by one."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.pipeline import make_pipeline

from epee import BaselineClassifier, GaussianNB, LeastSquaresClassifier, QuadraticDiscriminantAnalysis, StandardScaler
from epee.estimator.stack import Linear
from epee.moments.affine import Affine
from epee.moments.entries import Entries
from epee.predictors.generative.gaussian_stack import FAR, AxisGaussians, Gaussians
from epee.risk.nested import nested_interval, nested_splits
from epee.risk.opening import open_route
from epee.risk.splitting import Split, make_plan

MODELS = [
    GaussianNB(),
    GaussianNB(priors=[0.2, 0.3, 0.5], var_smoothing=1e-3),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(tying=0.3, rounding=0.2, reg_param=0.1),
    QuadraticDiscriminantAnalysis(covariance_type="tied"),
    QuadraticDiscriminantAnalysis(covariance_type="diagonal"),
    QuadraticDiscriminantAnalysis(covariance_type="spherical"),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.4),
    LeastSquaresClassifier(),
    LeastSquaresClassifier(30.0, "one_hot", penalise_intercept=True),
    LeastSquaresClassifier(3.0, "fisher"),
]


def table(K, seed=0, n=240):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    X = rng.normal(size=(n, 4)) * (1 + 0.3 * y[:, None]) + 0.6 * y[:, None] * [1, -1, 0, 2]
    return X * [1, 100, 1e-3, 1] + [0, 5, 1e3, 0], y


def both(model, X, y, w=None, loss="zero_one", folds=5):
    route = open_route(model, X, y, w, loss)
    split = nested_splits(make_plan(folds, len(y), codes=y))[0]
    scores = route.scores(route.training(split))
    assert scores is not None
    return route.test(split, scores), route.test(split, route.models(split))


@pytest.mark.parametrize("weights", [None, "counts", "shares"])
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_at_once_or_one_by_one(model, scaled, weights):
    X, y = table(3)
    rng = np.random.default_rng(1)
    w = {None: None, "counts": rng.integers(1, 4, 240).astype(float), "shares": rng.random(240)}[weights]
    loss = "log" if isinstance(model, GaussianNB | QuadraticDiscriminantAnalysis) else "zero_one"
    at_once, alone = both(make_pipeline(StandardScaler(), model) if scaled else model, X, y, w, loss)
    assert_allclose(at_once.losses, alone.losses, rtol=1e-9, atol=1e-9)
    assert_allclose(at_once.predictions, alone.predictions, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("loss", ["zero_one", "brier"])
@pytest.mark.parametrize("strategy", ["frequencies", "most_frequent"])
def test_constants(strategy, loss):
    X, y = table(3)
    at_once, alone = both(BaselineClassifier(strategy), X, y, None, loss)
    assert_allclose(at_once.losses, alone.losses, rtol=1e-12)


@pytest.mark.parametrize("model", [m for m in MODELS if getattr(m, "priors", None) is None], ids=repr)
def test_two_classes(model):
    X, y = table(2)
    at_once, alone = both(model, X, y)
    np.testing.assert_array_equal(at_once.predictions, alone.predictions)


@pytest.mark.parametrize("targets", ["signed", "one_hot", "fisher"])
@pytest.mark.parametrize("bent", [False, True])
@pytest.mark.parametrize("K", [2, 3])
def test_linear_scores_are_those_of_each_fold(targets, bent, K):
    X, y = table(K)
    model = LeastSquaresClassifier(7.0, targets, penalise_intercept=bent)
    train = model.moments(X, y, fold=np.arange(len(y)) % 4).leave_one_out("fold")
    stack = model.solve_scores(train)
    assert isinstance(stack, Linear)
    for t in range(4):
        one = LeastSquaresClassifier(7.0, targets, penalise_intercept=bent)
        one.classes_ = np.arange(K)
        one.fit_moments(train.at("fold", t))
        assert_allclose(stack.raw(X, [t])[:, 0], one._score(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("model", [GaussianNB(), QuadraticDiscriminantAnalysis()], ids=repr)
def test_columns_far_from_zero_keep_their_digits(model):
    X, y = table(3)
    at_once, alone = both(model, X + np.array([0, 0, 1e6, 1e9]), y, loss="log")
    assert_allclose(at_once.losses, alone.losses, rtol=1e-6, atol=1e-6)


def test_means_far_apart_are_not_expanded():
    X, y = table(3)
    X[:, 0] += 1e4 * y
    route = open_route(GaussianNB(var_smoothing=0.0), X, y, None, "log")
    split = nested_splits(make_plan(5, len(y), codes=y))[0]
    scores = route.scores(route.training(split))
    assert isinstance(scores, Gaussians)
    assert_allclose(
        route.test(split, scores).losses, route.test(split, route.models(split)).losses, rtol=1e-9, atol=1e-9
    )
    assert (((X[:, 0] - X[:, 0].mean()) / X[y == 0, 0].std()) ** 2).max() > FAR


def test_behind_maps_that_scale_or_mix():
    rng = np.random.default_rng(2)
    half, means, level = np.exp(rng.normal(size=(3, 2, 4))), rng.normal(size=(3, 2, 4)), rng.normal(size=(3, 2))
    full = np.linalg.inv(np.linalg.cholesky(np.eye(4) + 0.3)) * np.ones((3, 2, 1, 1))
    scale = Affine(rng.normal(size=(3, 4)), rng.normal(size=(3, 4)))
    mix = Affine(rng.normal(size=(3, 4, 6)), rng.normal(size=(3, 4)))
    few = Affine(Entries(np.arange(4), np.array([5, 0, 2, 2]), rng.normal(size=(3, 4)), 6), rng.normal(size=(3, 4)))
    for stack in (AxisGaussians.of(half, means, level), Gaussians.of(full, means, level)):
        for before, p in ((scale, 4), (mix, 6), (few, 6)):
            Z, moved = rng.normal(size=(7, p)), stack.behind(before, rng.normal(size=p))
            assert len(moved) == 3
            for t in range(3):
                assert_allclose(moved.raw(Z, [t]), stack.raw(before.at(t).rows(Z), [t]), rtol=1e-9, atol=1e-9)


def test_one_by_one_where_matrices_would_be_large(monkeypatch):
    from epee.predictors.generative import gaussian_stack
    from epee.risk import route

    rng = np.random.default_rng(2)
    stack = AxisGaussians.of(np.ones((3, 2, 4)), rng.normal(size=(3, 2, 4)), np.zeros((3, 2)))
    monkeypatch.setattr(gaussian_stack, "MOST_MIXED", 3 * 2 * 4 * 6 - 1)
    assert stack.behind(Affine(rng.normal(size=(3, 4, 6)), np.zeros((3, 4))), np.zeros(6)) is None
    X, y = table(3)
    wide = open_route(MODELS[0], X, y)
    split = nested_splits(make_plan(5, len(y), codes=y))[0]
    at_once = wide.evaluate(split).losses
    monkeypatch.setattr(route, "MOST_AT_ONCE", 10)
    assert wide.scores(wide.training(split)) is None
    np.testing.assert_array_equal(wide.evaluate(split).losses, at_once)


@pytest.mark.parametrize("model", [MODELS[2], MODELS[4], MODELS[8]], ids=repr)
def test_one_by_one_where_columns_are_dependent(model):
    X, y = table(3)
    X = np.column_stack([X, X[:, 0]])
    route = open_route(model, X, y)
    split = nested_splits(make_plan(5, len(y), codes=y))[0]
    assert route.scores(route.training(split)) is None


@pytest.mark.parametrize("model", [m for m in MODELS if getattr(m, "priors", None) is None], ids=repr)
def test_one_by_one_where_a_training_sample_lacks_a_class(model):
    X, y = table(3)
    cell = np.where(y == 2, 0, np.arange(len(y)) % 4)
    split = Split(cell, ~np.eye(4, dtype=bool), np.arange(4)[None])
    route = open_route(model, X, y)
    assert route.scores(route.training(split)) is None
    assert np.isfinite(route.evaluate(split).losses).all()


def test_a_constant_column_is_refused_as_ever():
    X, y = table(3)
    X[:, 1] = y
    route = open_route(GaussianNB(var_smoothing=0.0), X, y)
    split = nested_splits(make_plan(5, len(y), codes=y))[0]
    assert route.scores(route.training(split)) is None
    with pytest.raises(np.linalg.LinAlgError, match="constant"):
        route.evaluate(split)


@pytest.mark.parametrize("model", [MODELS[0], MODELS[2], MODELS[8]], ids=repr)
def test_nested_intervals_are_the_same(model, monkeypatch):
    X, y = table(3)
    plan = make_plan(5, len(y), codes=y, repeats=3)
    at_once = nested_interval(open_route(model, X, y), plan, 0.9)
    monkeypatch.setattr(type(model), "solve_scores", lambda *_: None)
    alone = nested_interval(open_route(model, X, y), plan, 0.9)
    assert_allclose([at_once.value, at_once.stderr], [alone.value, alone.stderr], rtol=1e-12)
    np.testing.assert_array_equal(at_once.losses, alone.losses)
