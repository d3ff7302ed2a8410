"""A large table gives, in blocks, the numbers of the same table in memory."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import epee
from epee.errors import DataError, WrongUse
from epee.job import streaming
from epee.job.assessment import assess
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
    with pytest.raises(WrongUse, match="in memory"):
        epee.learn(line(500), "y", predictors=[epee.Ridge()])
    with pytest.raises(WrongUse, match="target of this table is a number"):
        epee.learn(line(500), "y", reject_cost=0.1)


def test_time_is_chained_forward_as_in_memory(monkeypatch):
    t = line(13_000)
    t = t.append_column("when", pa.array(np.random.default_rng(1).permutation(13_000)))
    small, big = both(t, monkeypatch, predictors=["linear", "ridge"], time="when")
    for a, b in zip(small.contest.entries, big.contest.entries, strict=True):
        assert len(b.risk.per_fold) == 10 and "forward" in b.risk.how
        np.testing.assert_allclose(b.risk.per_fold, a.risk.per_fold, rtol=1e-8)
    assert big.risk.value == pytest.approx(small.risk.value, rel=1e-6)
    assert "stretches of time" in big.card["how"][0]


def test_classes_in_time_agree_with_memory(monkeypatch):
    t = blobs(13_000)
    t = t.append_column("when", pa.array(np.arange(13_000.0)))
    small, big = both(t, monkeypatch, predictors=["naive_bayes"], time="when")
    for a, b in zip(small.contest.entries, big.contest.entries, strict=True):
        np.testing.assert_allclose(b.risk.per_fold, a.risk.per_fold, atol=1e-9)


def test_a_class_that_comes_late_is_refused(large):
    t = line(600).append_column("when", pa.array(np.arange(600)))
    t = t.set_column(t.schema.get_field_index("y"), "y", pa.array(["old"] * 300 + ["new", "old"] * 150))
    with pytest.raises(DataError, match="'new' hardly occurs"):
        epee.learn(t, "y", time="when")


def test_costs_and_rejection_agree_with_memory(monkeypatch, tmp_path):
    settings = {"costs": [[0.0, 5.0], [1.0, 0.0]], "reject_cost": 0.3, "predictors": ["naive_bayes", "fisher"]}
    small, big = both(blobs(13_000, gap=1.0), monkeypatch, **settings)
    assert big.facts["loss"] == "costs" and big.facts["dropped"] == small.facts["dropped"]
    for a, b in zip(small.contest.entries, big.contest.entries, strict=True):
        np.testing.assert_allclose(b.risk.per_fold, a.risk.per_fold, rtol=1e-8)
    assert (big.risk.value, big.risk.stderr) == pytest.approx((small.risk.value, small.risk.stderr), rel=1e-6)
    new = blobs(300, seed=5, gap=1.0)
    again = epee.load(big.save(tmp_path / "t.epee")).predictor
    assert "reject" in again.predict(new)
    np.testing.assert_array_equal(again.predict(new), small.predictor.predict(new))


@pytest.mark.parametrize(("table", "keys"), [(line(13_000), ["ridge"]), (blobs(13_000), ["naive_bayes"])])
def test_refit_learns_from_the_sealed_rows_as_in_memory(table, keys, monkeypatch, tmp_path):
    plain = epee.learn(table, "y", predictors=keys)
    small, big = both(table, monkeypatch, predictors=keys, refit=True)
    assert big.facts["chosen"]["value"] == small.facts["chosen"]["value"]
    values = [
        p.predict(table) if keys == ["ridge"] else p.predict_proba(table)
        for p in (plain.predictor, small.predictor, epee.load(big.save(tmp_path / "t.epee")).predictor)
    ]
    np.testing.assert_allclose(values[2], values[1], rtol=1e-6, atol=1e-9)
    assert np.abs(values[0] - values[1]).max() > 1e-5
    assert "conservative" in big.verdict and not len(big.sealed_rows)
    assert set(big.training_rows.tolist()) == set(plain.sealed_rows.tolist())


def test_sealed_rows_of_a_stream_with_categories_are_known_again(monkeypatch):
    small, big = both(blobs(2000), monkeypatch, predictors=["lda"])
    assert len(big.sealed_rows) == 400
    assert sorted(big.sealed_rows.tolist()) == sorted(small.sealed_rows.tolist())


def test_a_spent_budget_names_what_it_dropped(large):
    learned = epee.learn(line(1500), "y", predictors=["linear", "ridge"], budget=1e-9)
    assert [row["key"] for row in learned.leaderboard] == ["baseline"]
    assert all("budget" in d["why"] for d in learned.card["dropped"]) and len(learned.card["dropped"]) == 2


def test_a_stream_says_that_findings_are_not_looked_for(large):
    assert any("findings" in note for note in epee.learn(line(500), "y", predictors=["linear"]).notes)


def test_rare_classes_and_missing_targets_are_said(large):
    t = blobs(1500)
    labels = [None if k < 40 else "rare" if k % 300 == 0 else v for k, v in enumerate(t.column("y").to_pylist())]
    learned = epee.learn(t.set_column(3, "y", pa.array(labels)), "y", predictors=["lda"])
    said = " ".join(learned.notes)
    assert "40 rows have no value of y" in said and "instead of 10: class rare" in said
    assert learned.facts["settings"]["folds"] == len(learned.contest.entries[0].risk.per_fold) < 10


def test_missing_targets_at_the_head_of_a_stream(large):
    t = line(1500)
    y = t.column("y").to_numpy().copy()
    y[:300] = np.nan
    learned = epee.learn(t.set_column(3, "y", pa.array(y)), "y", predictors=["linear"])
    assert learned.facts["rows"]["dropped"] == 300 and learned.risk.value == pytest.approx(1.0, abs=0.3)


def test_a_constant_cost_has_no_spread(large):
    learned = epee.learn(blobs(3000, gap=1.0), "y", reject_cost=0.1, predictors=["naive_bayes"])
    row = learned.leaderboard[0]
    assert (row["value"], row["stderr"]) == (pytest.approx(0.1), 0.0)
    assert "0.100000" not in str(learned) and "600 rows" in learned.verdict


@pytest.mark.parametrize("refit", [False, True])
def test_assess_says_that_the_rows_of_a_stream_are_not_known_again(refit, large, tmp_path):
    path = epee.learn(line(1500), "y", predictors=["linear"], refit=refit).save(tmp_path / "t.epee")
    assert any("not known again" in sentence for sentence in assess(path, line(200, seed=9)).sentences())
