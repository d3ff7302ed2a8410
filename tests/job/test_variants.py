"""Fewer fits than folds times values give what all of them would."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from epee import AdditiveSplines, HistGradientBoostingRegressor, LandmarkRegressor, MLPRegressor, StandardScaler, learn
from epee.job import contest as contests
from epee.job.variants import together, varied, worth_trying
from epee.risk.refit import RefitRoute, side_by_side
from epee.risk.splitting import make_plan

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 4))
Y = X[:, 0] - np.abs(X[:, 1]) + RNG.normal(size=240)
SPLIT = make_plan(5, 240, random_state=0).splits[0]


@pytest.fixture(autouse=True)
def _short_of_convergence():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("weight", [None, RNG.uniform(0.5, 2, 240)], ids=["alike", "weighted"])
def test_networks_of_all_folds_and_decays_side_by_side(weight):
    def network(alpha):
        return make_pipeline(
            StandardScaler(), MLPRegressor(hidden_layer_sizes=(5,), alpha=alpha, max_iter=5, random_state=0)
        )

    routes = [RefitRoute(network(alpha), X, Y, weight) for alpha in (10.0, 0.1)]
    tried = together(routes, SPLIT)
    outcomes, ends = tried.outcomes, tried.ends
    for route, outcome, (train, _) in zip(routes, outcomes, ends):
        said = np.full(240, np.nan)
        for t in range(SPLIT.n_models):
            tested = np.flatnonzero(SPLIT.models_of_rows()[0] == t)
            fitted = route.fit_rows(SPLIT.training_rows(t))
            said[tested] = fitted.predict(X[tested])
        np.testing.assert_allclose(outcome.predictions[0], said, rtol=1e-9)
        np.testing.assert_allclose(route.evaluate(SPLIT).predictions[0], said, rtol=1e-9)
        losses = (route.fit_rows(None).predict(X) - Y) ** 2
        assert train == pytest.approx(float(np.average(losses, weights=weight)))


def test_samples_are_cut_where_they_are_many(monkeypatch):
    monkeypatch.setattr("epee.risk.refit.AT_ONCE", 2 * X.size)
    route = RefitRoute(MLPRegressor(hidden_layer_sizes=(3,), max_iter=3, random_state=0), X, Y)
    samples = [np.arange(200), np.arange(40, 240), None, np.arange(100)]
    found = [models[0].predict(X) for models in side_by_side([route], samples)]
    for rows, said in zip(samples, found):
        np.testing.assert_allclose(said, route.fit_rows(rows).predict(X), rtol=1e-9)


def test_rounds_that_only_do_harm_are_not_tried():
    grid = [5, 10, 20, 40, 80, 160, 320]
    model = make_pipeline(HistGradientBoostingRegressor(max_iter=320, learning_rate=0.5, early_stopping=False))
    tried = varied(RefitRoute(model, X, Y), SPLIT, "max_iter", grid)
    outcomes, ends = tried.outcomes, tried.ends
    assert 1 < len(outcomes) == len(ends) < len(grid)
    errors = []
    for value, outcome in zip(grid, outcomes):
        alone = make_pipeline(HistGradientBoostingRegressor(max_iter=value, learning_rate=0.5, early_stopping=False))
        expected = RefitRoute(alone, X, Y).evaluate(SPLIT).losses
        np.testing.assert_allclose(outcome.losses, expected)
        errors.append(expected.mean())
    longer = make_pipeline(HistGradientBoostingRegressor(max_iter=320, learning_rate=0.5, early_stopping=False))
    assert RefitRoute(longer, X, Y).evaluate(SPLIT).losses.mean() > min(errors)


def test_values_up_to_twice_the_best_are_worth_trying_and_those_as_good():
    route = RefitRoute(HistGradientBoostingRegressor(), X, Y)
    rows, grid = np.arange(240), [10, 20, 40, 80]

    def with_errors(*sizes):
        return worth_trying(route, [(rows, [Y + np.sqrt(size) * np.sign(X[:, 2]) for size in sizes])], grid)

    assert with_errors(1.0, 2.0, 3.0, 4.0) == 2
    assert with_errors(2.0, 1.0, 3.0, 4.0) == 3
    assert with_errors(4.0, 3.0, 2.0, 1.0) == 4
    assert with_errors(1.0, 2.0, 3.0, 1.0) == 4


def test_a_width_is_settled_once_where_rows_are_many(monkeypatch):
    monkeypatch.setattr(contests, "MANY", 100)
    monkeypatch.setattr(contests, "SOME", 80)
    seen = []
    fit = LandmarkRegressor._fit

    def counted(self, X, y, w):
        seen.append((len(X), self.gamma))
        fit(self, X, y, w)

    monkeypatch.setattr(LandmarkRegressor, "_fit", counted)
    import pandas as pd

    table = pd.DataFrame(X, columns=list("abcd")).assign(y=Y)
    learned = learn(table, "y", predictors=["kernel"], prefer="accuracy")
    searched = [n for n, gamma in seen if gamma is None]
    assert searched == [80]
    held = {gamma for _, gamma in seen if gamma is not None}
    assert len(held) == 1 and learned.predictor.model.steps[-1][1].gamma == held.pop()


@pytest.mark.parametrize("key", ["boosting", "network", "forest"])
def test_the_model_of_all_rows_is_not_fitted_twice(key, monkeypatch):
    import pandas as pd

    from epee.estimator import ensemble_trials
    from epee.job import finishing

    monkeypatch.setattr(ensemble_trials, "MANY", 100)  # forests out of the bag
    table = pd.DataFrame(X, columns=list("abcd")).assign(y=Y)
    kept = learn(table, "y", predictors=[key], prefer="accuracy")
    monkeypatch.setattr(finishing, "same_parameters", lambda a, b: False)
    again = learn(table, "y", predictors=[key], prefer="accuracy")
    assert kept.facts["chosen"]["key"] == key
    np.testing.assert_allclose(kept.predict(table), again.predict(table), rtol=1e-12)
    assert kept.risk.value == pytest.approx(again.risk.value, rel=1e-12)


def test_a_search_that_goes_on_takes_the_fits_it_has(monkeypatch):
    route = RefitRoute(make_pipeline(StandardScaler(), AdditiveSplines(n_knots=5)), X, Y)
    fits = {}
    varied(route, SPLIT, "dof", [2, 3], fits)
    assert sorted(fits) == [0, 1, 2, 3, 4, 5]  # the last on all rows
    plain = varied(route, SPLIT, "dof", [4])
    monkeypatch.setattr(RefitRoute, "fit_rows", None)
    again = varied(route, SPLIT, "dof", [4], fits)
    np.testing.assert_allclose(again.outcomes[0].predictions, plain.outcomes[0].predictions, rtol=1e-12)
    assert again.ends == plain.ends
