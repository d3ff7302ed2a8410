"""Do the error bars keep their word? A hundred simulations each, with wide limits; ``make honesty`` runs a thousand."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.risk.honesty import Case, null_alarms, simulate
from epee import LinearDiscriminantAnalysis, LinearRegression, LogisticRegression, Ridge
from epee.risk import cross_validate, holdout_error


@pytest.mark.parametrize("case", [
    Case("least squares", 100, 20, LinearRegression(), "line", repeats=10),
    Case("ridge", 100, 20, Ridge(10.0), "line", repeats=10),
    Case("LDA", 100, 20, LinearDiscriminantAnalysis(), "clouds", repeats=10),
    Case("logistic regression", 100, 10, LogisticRegression(), "logit", repeats=10),
], ids=lambda c: c.name)  # fmt: skip
def test_nested_intervals_cover(case):
    found = simulate(case, 100)
    assert 0.80 <= found.nested <= 0.98
    assert found.nested > found.naive and found.width_nested > found.width_naive


def test_the_corrected_test_keeps_its_level():
    corrected, naive = null_alarms(100, repeats=5)
    assert corrected <= 0.13 and naive >= 0.3


def test_holdout_rates_cover():
    rng, held = np.random.default_rng(0), []
    X = rng.normal(size=(60, 2))
    model = LinearDiscriminantAnalysis().fit(X, (X[:, 0] + 0.7 * rng.normal(size=60) > 0).astype(int))
    fresh = rng.normal(size=(100_000, 2))
    truth = (model.predict(fresh) != (fresh[:, 0] + 0.7 * rng.normal(size=100_000) > 0)).mean()
    for _ in range(200):
        X = rng.normal(size=(80, 2))
        found = holdout_error(model, X, (X[:, 0] + 0.7 * rng.normal(size=80) > 0).astype(int), level=0.9)
        held.append(found.low <= truth <= found.high)
    assert 0.84 <= np.mean(held) <= 0.96


def test_winners_look_better_than_they_are():
    """On pure noise the best of ten columns seems to predict; corrected for the choice, it does not."""
    from epee.risk.winner import winner_optimism

    rng, looks, corrected = np.random.default_rng(0), [], []
    for s in range(30):
        X, y = rng.normal(size=(100, 10)), rng.integers(0, 2, 100)
        losses = np.column_stack(
            [cross_validate(LinearDiscriminantAnalysis(), X[:, [j]], y, random_state=s).losses for j in range(10)]
        )
        best = losses.mean(axis=0).min()
        looks.append(best)
        corrected.append(best + winner_optimism(losses, draws=200).value)
    assert np.mean(looks) < 0.45 and abs(np.mean(corrected) - 0.5) < abs(np.mean(looks) - 0.5) / 1.5
