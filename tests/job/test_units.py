"""The error of a candidate is in the units of the target: for a y + b it is that for y, a times as large."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pytest

import epee
from epee.estimator.method import Setting
from epee.estimator.registry import trials
from epee.job.hierarchy import Candidate, hierarchy

N, P = 220, 4


def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, P))
    y = 2 * X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.3 * rng.normal(size=N)
    return X, np.round(y * 2**20) / 2**20  # so that a billion and a target have room in one number


def candidates():
    """All that take numbers, but for logarithms, which have no offset, counts, which have one unit, and what is made of others."""
    losses = {"quantile": "absolute", "robust": "huber"}
    for entry, trial in trials("regressor"):
        if not (trial.of_others or trial.key.startswith("log_") or trial.key == "poisson"):
            yield pytest.param(Candidate(trial, entry), losses.get(trial.key, "squared"), id=trial.key)


def said(candidate, loss, X, y):
    setting = Setting("regression", N // 2, P, scale=float(y[: N // 2].std()), loss=loss)
    value = candidate.grid(setting)[-1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return candidate.model(setting, value).fit(X[: N // 2], y[: N // 2]).predict(X[N // 2 :])


def apart(candidate, loss, X, y, a, b):
    """Return how far what is said of a y + b, in the units of y, lies from what is said of y, and how the two errors compare."""
    plain, other = said(candidate, loss, X, y), (said(candidate, loss, X, a * y + b) - b) / a
    errors = [np.sqrt(np.mean((z - y[N // 2 :]) ** 2)) for z in (plain, other)]
    return np.sqrt(np.mean((plain - other) ** 2)) / y.std(), errors[1] / errors[0]


@pytest.mark.parametrize(("a", "b"), [(2.0**14, 0.0), (2.0**-17, 0.0), (1.0, 1e9), (256.0, -(2.0**20))])
@pytest.mark.parametrize(("candidate", "loss"), list(candidates()))
def test_every_candidate_follows_the_units_of_the_target(candidate, loss, a, b):
    """To the last bit under factors of two; a billion leaves its answers seven digits."""
    found, ratio = apart(candidate, loss, *table(), a, b)
    if (
        candidate.key == "boosting" and b
    ):  # which of two cuts that are as good is rounded, and the trees after it are others
        assert ratio == pytest.approx(1, abs=0.03)
    else:
        assert found <= (1e-6 if b else 0.0)


def test_the_logarithm_follows_a_factor():
    X, y = table()
    y = np.exp(y / 4)
    setting = Setting("regression", N // 2, P, scale=float(y.std()), loss="squared", skewed=True)
    logs = [c for c in hierarchy(setting) if c.key.startswith("log_") and c.suits(setting)]
    assert {c.key for c in logs} == {"log_ridge", "log_additive", "log_kernel", "log_forest", "log_boosting"}
    for candidate in logs:
        found, ratio = apart(candidate, "squared", X, y, 1e4, 0.0)
        assert ratio == pytest.approx(1, abs=0.03), candidate.key
        assert found < 1e-6 or candidate.key in ("log_forest", "log_boosting"), candidate.key


def test_the_board_of_a_target_with_an_offset_of_a_billion_is_the_board_without():
    X, y = table()
    columns = {f"x{j}": X[:, j] for j in range(P)}
    boards = [
        {row["key"]: row["value"] for row in epee.learn(
            pa.table(columns | {"y": y + b}), "y", predictors=["ridge", "network", "combination"], folds=5,
        ).facts["leaderboard"]}
        for b in (0.0, 1e9)
    ]  # fmt: skip
    for key, value in boards[0].items():
        assert boards[1][key] == pytest.approx(value, rel=1e-3), key
