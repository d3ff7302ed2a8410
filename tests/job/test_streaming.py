"""A large table gives, in blocks, the numbers of the same table in memory."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import epee
from epee.errors import WrongUse
from epee.job import streaming
from tests.job.conftest import blobs, line


@pytest.fixture
def large(monkeypatch):
    monkeypatch.setattr(streaming, "MOST_CELLS", 10)


def both(table, monkeypatch, **settings):
    small = epee.learn(table, "y", **settings)
    monkeypatch.setattr(streaming, "MOST_CELLS", 10)
    return small, epee.learn(table, "y", **settings)


def test_regression_agrees_with_memory(monkeypatch, tmp_path):
    pq.write_table(line(13_000), tmp_path / "t.parquet", row_group_size=2000)
    small, big = both(str(tmp_path / "t.parquet"), monkeypatch, predictors=["linear", "ridge"])
    for a, b in zip(small.contest.entries, big.contest.entries, strict=True):
        np.testing.assert_allclose(b.risk.per_fold, a.risk.per_fold, rtol=1e-8)
    assert big.facts["chosen"]["key"] == small.facts["chosen"]["key"]
    assert big.risk.value == pytest.approx(small.risk.value, rel=1e-6)
    assert set(big.sealed_rows.tolist()) == set(small.sealed_rows.tolist())
    np.testing.assert_allclose(
        big.predictor.predict(line(50, seed=2)), small.predictor.predict(line(50, seed=2)), rtol=1e-7
    )


def test_classes_with_categories_and_holes_agree_with_memory(monkeypatch):
    small, big = both(blobs(13_000), monkeypatch, predictors=["naive_bayes", "lda", "qda"])
    same = [(a, b) for a, b in zip(small.contest.entries, big.contest.entries, strict=True) if a.value == b.value]
    assert len(same) >= 2  # complexities are chosen on a sample of the stream, and may be others
    for a, b in same:
        np.testing.assert_allclose(b.risk.per_fold, a.risk.per_fold, atol=1e-9)
    assert {row["key"] for row in big.leaderboard} == {"baseline", "naive_bayes", "lda", "qda"}
    assert big.risk.n == small.risk.n
    same = big.predictor.predict(blobs(300, seed=5)) == small.predictor.predict(blobs(300, seed=5))
    assert same.mean() > 0.97


def test_holes_in_a_numeric_stream(large):
    t = line(1500)
    a = t.column("a").to_numpy().copy()
    a[700] = np.nan
    learned = epee.learn(t.set_column(0, "a", pa.array(a)), "y", predictors=["linear"])
    assert learned.risk.value == pytest.approx(1.0, abs=0.25)


def test_a_stream_is_saved_and_predicts_the_same(large, tmp_path):
    for table, keys in ((line(1500), ["ridge"]), (blobs(1500), ["lda"])):
        learned = epee.learn(table, "y", predictors=keys)
        again = epee.load(learned.save(tmp_path / "t.epee"))
        np.testing.assert_array_equal(again.predictor.predict(table), learned.predictor.predict(table))


def test_weights_groups_and_dropped_predictors(large):
    t = line(1200)
    t = t.append_column("w", pa.array(np.tile([1.0, 2.0], 600))).append_column("g", pa.array(np.arange(1200) // 10))
    learned = epee.learn(t, "y", weight="w", groups="g")
    assert {d["name"] for d in learned.card["dropped"]} >= {"decision tree", "nearest neighbours"}
    assert learned.contest.entries[0].risk.n == pytest.approx(1440, rel=0.05)


def test_what_a_stream_cannot_do(large):
    with pytest.raises(WrongUse, match="too large"):
        epee.learn(blobs(500), "y", reject_cost=0.1)
    with pytest.raises(WrongUse, match="in memory"):
        epee.learn(line(500), "y", predictors=[epee.Ridge()])
