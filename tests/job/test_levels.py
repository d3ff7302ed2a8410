"""Categories as trees like them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import epee
from epee import TableEncoder
from epee.job.levels import TreeColumns, level_means


def rows(n=400, rich=20, seed=0):
    rng = np.random.default_rng(seed)
    number = rng.normal(size=(n, 1))
    few, many = rng.integers(0, 3, n), rng.integers(0, rich, n)
    X = np.column_stack([number, np.eye(3)[few], np.eye(rich)[many]])
    return X, few, many, rng


def test_levels_become_codes_and_many_have_means():
    X, few, many, rng = rows()
    y = many * 1.0 + rng.normal(size=len(X))
    step = TreeColumns([(1, 4), (4, 24)]).fit(X, y)
    Z = step.transform(X)
    assert Z.shape == (400, 4)
    np.testing.assert_array_equal(Z[:, 1:3], np.column_stack([few, many]))
    assert np.corrcoef(Z[:, 3], many)[0, 1] > 0.99
    wide = TreeColumns([(1, 4), (4, 24)], codes=False).fit(X, y).transform(X)
    np.testing.assert_array_equal(wide, np.column_stack([X, Z[:, 3]]))
    gone = step.transform(np.zeros((1, 24)))  # no level: a missing cell, or one never seen
    assert np.isnan(gone[0, 1:3]).all() and gone[0, 3] == pytest.approx(y.mean())


def test_a_row_does_not_tell_its_own_target():
    """With a target of pure noise, what other folds say of a level knows nothing of it; the means of all rows do."""
    X, _, _, rng = rows(300, 60)
    y = rng.normal(size=300)
    step = TreeColumns([(1, 4), (4, 64)])
    blind, sighted = step.fit_transform(X, y)[:, -1], step.fit(X, y).transform(X)[:, -1]
    assert np.corrcoef(blind, y)[0, 1] < 0.1
    leaky = level_means(np.argmax(X[:, 4:], axis=1), 60, y[:, None], None)
    assert np.abs(leaky).max() < np.abs(y).max() / 2  # drawn towards the mean of all: nothing tells the levels apart
    assert np.corrcoef(sighted, y)[0, 1] >= np.corrcoef(blind, y)[0, 1]


def test_weight_two_is_the_row_twice():
    X, _, many, rng = rows(200)
    y, w = many % 5 + rng.normal(size=200), rng.integers(1, 3, 200)
    twice = np.repeat(np.arange(200), w)
    a, b = TreeColumns([(4, 24)]).fit(X, y, w), TreeColumns([(4, 24)]).fit(X[twice], y[twice])
    np.testing.assert_allclose(a.transform(X), b.transform(X), rtol=1e-9)


def test_classes_have_a_mean_each():
    X, _, many, _ = rows()
    labels = np.array(list("abc"))[many % 3]
    Z = TreeColumns([(1, 4), (4, 24)], by_class=True).fit_transform(X, labels)
    assert Z.shape == (400, 6)
    assert (np.argmax(Z[:, 3:], axis=1) == many % 3).mean() > 0.95


def towns(n=300, levels=90, seed=1, classes=False):
    """A table whose target hangs on a category of many levels: 50 have a column of their own, the others share one."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, levels, n)
    height = 3.0 * rng.normal(size=levels)
    x = rng.normal(size=n)
    y = height[code] + x + 0.5 * rng.normal(size=n)
    town = np.array([f"t{k:03}" for k in range(levels)])[code]
    return pa.table({"x": x, "town": town, "y": np.where(y > 0, "haut", "bas") if classes else y})


def test_rare_levels_are_told_apart_by_codes():
    table = towns()
    encoder = TableEncoder().fit(table.drop_columns(["y"]))
    coded = encoder.coded()
    (raw,) = coded.open(table.drop_columns(["y"])).raw_blocks()
    X, Z = encoder.encode(raw), coded.encode(raw)
    (at,) = coded.code_columns
    np.testing.assert_array_equal(np.delete(Z, at, axis=1), X)
    names = coded.get_feature_names_out()
    assert names[at] == "town=(code)" and names[at - 1] == "town=(rare)" and len(names) == Z.shape[1]
    assert coded.encoded_columns["town"].stop == at + 1
    seen = {}
    for town, code in zip(table["town"].to_pylist(), Z[:, at], strict=True):
        assert seen.setdefault(town, code) == code
    assert len(set(seen.values())) == len(seen) and min(seen.values()) >= 1
    A, b = coded.fill_map(coded.row_map(raw).mean(axis=0))  # the same from what one pass keeps
    np.testing.assert_allclose(coded.row_map(raw) @ A.T + b, Z, atol=1e-9)
    again = TableEncoder.from_state(coded.to_state())
    np.testing.assert_array_equal(again.encode(raw), Z)


def test_means_of_coded_levels_are_those_of_columns_for_all_of_them():
    X, few, many, rng = rows(300, 60)
    y = many % 7 + rng.normal(size=300)
    wide = TreeColumns([(4, 64)]).fit(X, y)
    # ten levels and the rest, then the code
    narrow = np.column_stack([X[:, :4], X[:, 4:14], X[:, 14:].sum(axis=1), many + 1])
    coded = TreeColumns([(4, 15)], few=5, told=[15]).fit(narrow, y)
    np.testing.assert_allclose(coded.transform(narrow)[:, -1], wide.transform(X)[:, -1], rtol=1e-12)
    np.testing.assert_allclose(coded.fit_transform(narrow, y)[:, -1], wide.fit_transform(X, y)[:, -1], rtol=1e-12)
    unknown = narrow[:1].copy()
    unknown[0, 15] = 999
    assert coded.transform(unknown)[0, -1] == pytest.approx(y.mean())


@pytest.mark.parametrize("classes", [False, True])
def test_trees_learn_rare_levels_and_every_road_answers_alike(tmp_path, classes):
    table, new = towns(classes=classes), towns(seed=2, n=80, classes=classes)
    keys = ["logistic" if classes else "ridge", "forest", "boosting", "combination"]
    learned = epee.learn(table, "y", predictors=keys, folds=4, prefer="accuracy")
    errors = {row["key"]: row["value"] for row in learned.facts["leaderboard"]}
    assert set(errors) == {"baseline", *keys}
    saved = epee.load(learned.save(tmp_path / "towns.epee"))
    np.testing.assert_array_equal(saved.predictor.predict(new), learned.predictor.predict(new))
    shares = learned.predictor.contributions(new)
    assert shares.columns == ["x", "town"]
    for entry in learned.contest.entries[1:]:
        if entry.candidate.key in ("forest", "boosting"):
            steps = [type(step).__name__ for _, step in entry.route.model.steps]
            assert "TreeColumns" in steps and "WithoutCodes" not in steps
    pq = tmp_path / "towns.parquet"
    pyarrow.parquet.write_table(table, pq)
    by_file = epee.learn(pq, "y", predictors=keys, folds=4, prefer="accuracy")
    np.testing.assert_allclose(
        [row["value"] for row in by_file.facts["leaderboard"]], [row["value"] for row in learned.facts["leaderboard"]]
    )


def test_codes_lower_the_error_of_trees(monkeypatch):
    """Against the same trees that see one column for all rare levels."""
    told = epee.learn(towns(800), "y", predictors=["boosting"], folds=3).facts["leaderboard"]
    monkeypatch.setattr(TableEncoder, "code_columns", ())
    monkeypatch.setattr(TableEncoder, "coded", lambda self: self)
    blind = epee.learn(towns(800), "y", predictors=["boosting"], folds=3).facts["leaderboard"]
    error = {
        name: {row["key"]: row["value"] for row in rows}["boosting"]
        for name, rows in (("told", told), ("blind", blind))
    }
    assert error["told"] < 0.7 * error["blind"]


@pytest.mark.parametrize("law", ["sum", "product"])
def test_levels_and_means_together_are_nearer_to_the_better_of_the_two(law):
    """A sum of a level and a number needs means; a slope for each level needs levels: on average over tables."""
    seen = {"levels": 0.0, "both": 0.0, "means": 0.0}
    for seed in range(5, 9):
        rng = np.random.default_rng(seed)
        code, x = rng.integers(0, 30, 700), rng.normal(size=700)
        height, slope = rng.normal(size=(2, 30))
        y = (height[code] + x if law == "sum" else slope[code] * x) + 0.3 * rng.normal(size=700)
        X = np.column_stack([x, np.eye(30)[code]])
        levels, both = (TreeColumns([(1, 31)], False, **few) for few in ({"few": 50}, {}))
        tables = {
            name: (s.fit_transform(X[:300], y[:300]), s.transform(X[300:]))
            for name, s in (("levels", levels), ("both", both))
        }
        tables["means"] = tuple(table[:, [0, -1]] for table in tables["both"])
        for name, (learned, tested) in tables.items():
            model = epee.ExtraTreesRegressor(40, random_state=0).fit(learned, y[:300])
            seen[name] += np.mean((model.predict(tested) - y[300:]) ** 2)
    better, worse = sorted([seen["levels"], seen["means"]])
    assert seen["both"] < 0.5 * (better + worse)
