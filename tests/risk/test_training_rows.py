"""What was learned from is no test; new targets at the same inputs are one, of the error where the predictor has learned."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from epee import (
    BayesDecision,
    Calibrated,
    Combination,
    DecisionTreeClassifier,
    KNeighborsRegressor,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    StandardScaler,
)  # fmt: skip
from epee.errors import DataError
from epee.risk import holdout_error, r2, roc_auc
from epee.table.fingerprints import target_fingerprint

rng = np.random.default_rng(0)
N = 300
DESIGN = np.random.default_rng(1).normal(size=(N, 3))
REGRESSORS = [
    LinearRegression(), Ridge(1.0), KNeighborsRegressor(), PoissonRegressor(), make_pipeline(StandardScaler(), LinearRegression()),
    Combination([LinearRegression(), Ridge(5.0)]),
]  # fmt: skip
CLASSIFIERS = [
    LinearDiscriminantAnalysis(), LogisticRegression(), DecisionTreeClassifier(max_depth=3), Calibrated(LinearDiscriminantAnalysis()),
    BayesDecision(GaussianNB()), make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
]  # fmt: skip


def named(model):
    return type(model[-1] if hasattr(model, "steps") else model).__name__ + (
        "-steps" if hasattr(model, "steps") else ""
    )


def counts():
    return rng.poisson(np.exp(0.4 * DESIGN[:, 0])).astype(float)


def labels():
    return np.where(DESIGN[:, 0] + rng.normal(size=N) > 0, "yes", "no")


@pytest.mark.parametrize(
    ("model", "measured"),
    [*((model, counts) for model in REGRESSORS), *((model, labels) for model in CLASSIFIERS)],
    ids=lambda part: named(part) if hasattr(part, "fit") else "",
)
def test_measured_again_is_a_test_and_learned_from_is_none(model, measured):
    first, again = measured(), measured()
    model.fit(DESIGN, first)
    found = holdout_error(model, DESIGN.copy(), again)
    assert "at new inputs is larger" in found.caution
    with pytest.raises(DataError, match="learned from"):
        holdout_error(model, DESIGN.copy(), list(first))
    new = holdout_error(model, rng.normal(size=(N, 3)), again)
    assert "at new inputs" not in new.caution


@pytest.mark.parametrize("model", [LinearRegression(), LinearDiscriminantAnalysis()], ids=named)
def test_rows_in_another_order_are_known_by_their_moments(model):
    first, again = (labels(), labels()) if hasattr(model, "priors") else (counts(), counts())
    turn = rng.permutation(N)
    model.fit(DESIGN, first)
    with pytest.raises(DataError, match="learned from"):
        holdout_error(model, DESIGN[turn], first[turn])
    assert "at new inputs" in holdout_error(model, DESIGN[turn], again[turn]).caution


@pytest.mark.parametrize(
    ("model", "measured"), [(LinearRegression(), counts), (KNeighborsRegressor(), counts)], ids=["moments", "rows"]
)
def test_a_model_that_was_saved_without_its_targets(model, measured):
    """What moments tell is told; else the rows are refused, as they were."""
    first, again = measured(), measured()
    state = model.fit(DESIGN, first).to_state()
    state["fitted"].pop("_trained_for", None)
    old = type(model).from_state(state)
    with pytest.raises(DataError, match="learned from"):
        holdout_error(old, DESIGN, first)
    if isinstance(model, LinearRegression):
        assert "at new inputs" in holdout_error(old, DESIGN, again).caution
    else:
        with pytest.raises(DataError, match="learned from"):
            holdout_error(old, DESIGN, again)
    told = type(model).from_state(model.to_state())
    assert "at new inputs" in holdout_error(told, DESIGN, again).caution


def test_scores_say_it_too():
    line = LinearRegression().fit(DESIGN, counts())
    assert "at new inputs" in r2(line, DESIGN, counts()).caution
    cloud = LinearDiscriminantAnalysis().fit(DESIGN, labels())
    assert "at new inputs" in roc_auc(cloud, DESIGN, labels()).caution
    with pytest.raises(DataError, match="learned from"):
        r2(LinearRegression().fit(DESIGN, DESIGN[:, 0]), DESIGN, DESIGN[:, 0])


def test_the_error_at_the_inputs_learned_from_is_the_smaller_one():
    """By Mallows: of n rows and p columns the error at the same inputs is 1 + p / n noises, that at new ones nearer 1 + p / (n - p)."""
    n, p, there, elsewhere = 40, 15, [], []
    X = rng.normal(size=(n, p))
    for _ in range(200):
        model = LinearRegression(fit_intercept=False).fit(X, rng.normal(size=n))
        there.append(float(holdout_error(model, X, rng.normal(size=n))))
        elsewhere.append(float(holdout_error(model, rng.normal(size=(n, p)), rng.normal(size=n))))
    assert np.mean(there) == pytest.approx(1 + p / n, rel=0.05) and np.mean(elsewhere) > 1.1 * np.mean(there)


@given(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=30), st.integers(0, 29))
def test_targets_are_known_however_they_are_held(values, place):
    print_ = target_fingerprint(values)
    for held in (np.array(values), np.array(values, dtype=object), pd.Series(values), pd.Categorical(values)):
        assert target_fingerprint(held) == print_
    other = list(values)
    other[place % len(values)] = "d"
    assert target_fingerprint(other) != print_
    digits = [str(ord(v)) for v in values]
    assert (
        target_fingerprint(digits)
        == target_fingerprint(pd.Series(digits))
        != target_fingerprint(list(map(int, digits)))
    )
    numbers = [float(ord(v)) for v in values]
    assert target_fingerprint(numbers) == target_fingerprint(np.array(numbers, dtype=np.int64)[:, None])
    assert target_fingerprint(None) is None
