"""The weight column of `learn`: counts, or sampling weights whose scale means nothing; what is no weight is refused by its place."""

import shutil

import numpy as np
import pyarrow as pa
import pytest

import epee
from epee.errors import DataError
from epee.job import policy
from epee.job.assessment import assess
from epee.words.fault_words import in_french

SETTINGS = {"predictors": ["ridge", "mean"], "folds": 4}


def table(w: np.ndarray, n: int = 120) -> pa.Table:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, n))
    return pa.table({"a": a, "b": b, "y": a + rng.normal(size=n), "w": w})


def figures(found) -> list[float]:
    return [found.risk.value, found.risk.stderr, found.risk.low, found.risk.high, found.risk.n]


@pytest.mark.parametrize("held", [True, False])
def test_the_scale_of_sampling_weights_means_nothing(held, monkeypatch):
    if not held:
        monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10))
    w = np.random.default_rng(3).uniform(0.2, 3.0, 120)
    first, *others = (epee.learn(table(c * w), "y", weight="w", **SETTINGS) for c in (1.0, 2.0**-900, 1 / w.sum()))
    for other in others:
        np.testing.assert_allclose(figures(other), figures(first), rtol=1e-6)
        np.testing.assert_allclose(other.predictor.predict(table(w)), first.predictor.predict(table(w)), rtol=1e-6)


@pytest.mark.parametrize("held", [True, False])
def test_equal_shares_are_rows(held, monkeypatch):
    if not held:
        monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10))
    shares, ones = (epee.learn(table(w), "y", weight="w", **SETTINGS) for w in (np.full(120, 1 / 120), np.ones(120)))
    np.testing.assert_allclose(figures(shares), figures(ones))


@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize(("bad", "said"), [(-2.0, "is -2 in row 17"), (np.inf, "is inf in row 17")])
def test_what_is_no_weight_is_named(bad, said, held, monkeypatch):
    if not held:
        monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10))
    w = np.ones(120)
    w[17] = bad
    with pytest.raises(DataError, match=f"column 'w' {said}") as caught:
        epee.learn(table(w), "y", weight="w", **SETTINGS)
    assert in_french(str(caught.value)).startswith("la colonne de poids 'w' vaut")
    assert "en ligne 19 ;" in in_french(str(caught.value).replace("row 17", "line 19"))
    with pytest.raises(DataError, match="column 'w' is 0 in every row"):
        epee.learn(table(np.zeros(120)), "y", weight="w", **SETTINGS)


def test_an_assessment_reads_weights_as_learning_does(tmp_path):
    w = np.random.default_rng(3).uniform(0.2, 3.0, 120)
    kept = tmp_path / "a.epee"
    epee.learn(table(w), "y", weight="w", **SETTINGS).save(kept)
    rng = np.random.default_rng(9)
    a, b = rng.normal(size=(2, 60))
    new = {"a": a, "b": b, "y": a + rng.normal(size=60)}
    again = shutil.copy(kept, tmp_path / "b.epee")  # a file counts how often it was looked at
    one, other = (assess(f, pa.table({**new, "w": c * w[:60]})) for f, c in ((kept, 1.0), (again, 1e-3)))
    assert (one.risk.low, one.risk.high) == pytest.approx((other.risk.low, other.risk.high))
    with pytest.raises(DataError, match="column 'w' is -1 in row 0"):
        assess(kept, pa.table({**new, "w": -np.ones(60)}))
