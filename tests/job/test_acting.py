"""The job acts on what it knows: rare classes, dates, the edge of a grid, a search that stops early."""

import datetime
import warnings

import numpy as np
import pyarrow as pa
import pytest

import epee
from epee import errors
from epee.job.contest import PATIENCE
from epee.job.widening import beyond
from tests.job.conftest import blobs, line


def test_rare_classes_are_left_out_aloud():
    table = blobs()
    y = np.array(table.column("y").to_pylist(), dtype=object)
    y[:2], y[2] = "odd", "strange"
    learned = epee.learn(table.set_column(3, "y", pa.array(y)), "y", predictors=["lda"], folds=3)
    said = " ".join(learned.notes)
    assert "2 classes have fewer than 3 rows" in said and "odd (2), strange (1); 3 rows are left out" in said
    assert "no value of y" not in said and learned.facts["classes"] == ["ham", "spam"]
    rows = learned.facts["rows"]
    assert rows["training"] + rows["sealed"] == 237 and rows["dropped"] == 3
    with pytest.raises(errors.DataError, match="at least 3 are needed"):
        epee.learn(pa.table({"a": np.arange(40.0) ** 2, "y": ["u"] * 39 + ["v"]}), "y")


def dated(n=300, seed=0):
    rng = np.random.default_rng(seed)
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=int(d)) for d in range(n)]
    x = rng.normal(size=n)
    weekend = np.array([d.weekday() >= 5 for d in days])
    return pa.table({"day": days, "x": x, "y": x + 3.0 * weekend + rng.normal(size=n)})


def test_dates_bring_a_hint_and_time_keeps_the_calendar():
    plain = epee.learn(dated(), "y", predictors=["tree"], folds=3)
    assert any("say --time day" in note for note in plain.notes)
    learned = epee.learn(dated(), "y", predictors=["tree"], folds=3, time="day")
    assert not any("say --time" in note for note in learned.notes)
    assert learned.predictor.feature_names_in_ == ["day", "x"]
    role = next(c["role"] for c in learned.facts["columns"] if c["name"] == "day")
    uses = {item["column"]: item["value"] for item in learned.facts["uses"]["items"]}
    assert role == "time" and uses["day"] > 0.5  # weekends matter
    named = epee.learn(dated(), "y", predictors=["linear"], folds=3, time="day", types={"day": "date"})
    assert named.facts["chosen"]["key"] == "linear"  # whether it is shown, two degrees of freedom of three folds decide


def test_what_is_missing_is_filled_in_words_of_its_kind():
    t = pa.table({"a": [1.0, None] * 30, "s": ["u", None, "v"] * 20, "y": np.arange(60.0)})
    said = epee.learn(t, "y", predictors=["linear"], folds=3).notes
    assert any("in a: filled with the mean" in note for note in said)
    assert any("in s: taken as none of the categories" in note for note in said)


def test_the_grid_goes_on_where_its_last_value_is_best():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 60, 800))
    table = pa.table({"x": x, "z": rng.normal(size=800), "y": 4 * np.sin(x / 3) + 0.3 * rng.normal(size=800)})
    learned = epee.learn(table, "y", predictors=["additive"], folds=4)
    curve = learned.facts["curves"]["additive"]
    assert curve["values"] == [2, 3, 4, 6, 9] and curve["values"][curve["chosen"]] == 9
    assert len(curve["cv"]) == len(curve["dof"]) == len(curve["train"]) == 5
    assert np.isclose(curve["cv"][curve["best"]], min(curve["cv"]))


def test_a_network_decays_less_where_there_is_hardly_any_noise():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(160, 3))
    table = pa.table({f"x{j}": X[:, j] for j in range(3)} | {"y": 1e4 * (np.sin(X[:, 0]) + X[:, 1] * X[:, 2])})
    curve = epee.learn(table, "y", predictors=["network"], folds=3).facts["curves"]["network"]
    assert curve["values"][:3] == [10.0, 1.0, 0.1] and curve["values"][curve["chosen"]] <= 0.1


def test_a_flat_or_inner_best_ends_the_search():
    rng = np.random.default_rng(1)
    losses = rng.random((50, 4))
    assert beyond("alpha", [8.0, 4.0, 2.0, 1.0], losses, 1) == ([], False)
    flat = np.tile(rng.random((50, 1)), (1, 4)) + 1e-3 * rng.normal(size=(50, 4))
    assert beyond("alpha", [8.0, 4.0, 2.0, 1.0], flat, 3) == ([], False)
    falling = np.array([4.0, 3.0, 2.0, 1.0]) + 0.01 * losses
    assert beyond("shrinkage", [1.0, 0.5, 0.25, 0.125], falling[:, ::-1], 0) == ([], True)  # 1 is the most
    assert beyond("n_neighbors", [9, 5, 3, 1], falling, 3) == ([], False)


def test_a_search_that_stops_early_gets_more_steps(monkeypatch):
    from epee.predictors.linear.logistic import LogisticRegression

    tried = []
    plain = LogisticRegression._fit_from  # alone or side by side

    def fit(self, *args, **keywords):
        tried.append(self.max_iter)
        if self.max_iter < 1000:
            warnings.warn("stopped early", errors.SearchWarning, stacklevel=2)
        return plain(self, *args, **keywords)

    monkeypatch.setattr(LogisticRegression, "_fit_from", fit)
    learned = epee.learn(blobs(), "y", predictors=["logistic"], folds=3)
    assert max(tried) == 300 * PATIENCE and learned.predictor.model.steps[-1][1].max_iter == 300 * PATIENCE
    assert not any("stopped early" in note for note in learned.notes)


def test_dependent_columns_are_no_degrees_of_freedom():
    learned = epee.learn(blobs(), "y", predictors=["lda"], folds=3)
    assert learned.facts["leaderboard"][1]["dof"] == 5.0  # two numbers, two of three towns, a constant
    assert epee.learn(line(), "y", predictors=["linear"], folds=3).facts["leaderboard"][1]["dof"] == 4.0


def test_a_combination_names_the_columns_that_make_it_and_a_certainty_has_no_interval():
    rng = np.random.default_rng(0)
    a, b, c, d = rng.normal(size=(4, 400))
    parts = {"far": c + 0.4 * a + 0.4 * b, "a": a, "b": b, "c": c, "d": d}  # "far" is near no single column but c
    table = pa.table({**parts, "sum": a + b - c, "y": a + rng.normal(size=400)})
    found = epee.learn(table, "y", predictors=["linear"], folds=3).findings
    e = next(f for f in found if f.code == "E006")
    named = e.evidence["names"]
    X = np.column_stack([table.column(n).to_numpy() for n in named[1:]])
    target = table.column(named[0]).to_numpy()
    left = target - X @ np.linalg.lstsq(X, target, rcond=None)[0]
    assert left.std() < 1e-8 and "exact combination" in e.sentence and "%" not in e.sentence and "d" not in named


def test_one_row_that_makes_half_of_the_error_is_named():
    table = line(60)
    y = table.column("y").to_numpy().copy()
    y[17] = 80.0
    found = epee.learn(
        table.set_column(3, "y", pa.array(y)), "y", predictors=["linear"], folds=3, random_state=1
    ).findings
    told = [f.sentence for f in found if f.code == "E018"]
    assert told == [] or ("One row of" in told[0] and "80" in told[0])
    assert any(f.code in ("E018", "E012") for f in found)


def test_a_table_of_more_columns_than_rows_takes_the_side_of_its_rows(monkeypatch):
    monkeypatch.setattr("epee.job.contest.MOST_WORK", 1e6)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 240))
    wide = {f"c{j}": X[:, j] for j in range(240)}
    learned = epee.learn(
        pa.table({**wide, "y": np.where(X[:, 0] > 0, "u", "v")}), "y", predictors=["least_squares", "lda"], folds=3
    )
    assert [row["key"] for row in learned.facts["leaderboard"]] == ["baseline", "least_squares"]
    assert "240 columns need a matrix" in learned.facts["dropped"][0]["why"]
    assert len(learned.facts["uses"]["items"]) == 200  # of so many columns not all are shuffled


def test_a_class_of_three_rows_does_not_cost_the_others_their_folds():
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b", "c"], [100, 97, 3])
    X = rng.normal(size=(200, 2)) + 3.0 * (y == "a")[:, None]
    learned = epee.learn(pa.table({"u": X[:, 0], "v": X[:, 1], "y": y}), "y", predictors=["lda", "naive_bayes"])
    assert "5 folds instead of 10: class c has only 2 training rows." in learned.notes
    assert learned.facts["conclusive"]  # on two folds nothing could be shown
    ranked = epee.learn(pa.table({"u": X[:, 0], "v": X[:, 1], "y": y}), "y", predictors=["lda"], loss="auc")
    assert "2 folds instead of 10: class c has only 2 training rows." in ranked.notes  # each must rank all classes


def test_an_error_of_rounding_agrees_with_another():
    rng = np.random.default_rng(2)
    x, z = rng.normal(size=(2, 120))
    learned = epee.learn(pa.table({"x": x, "z": z, "copy": 2.0 * x, "y": x}), "y", predictors=["linear"], folds=4)
    assert learned.facts["test"]["agrees"] and learned.risk.value < 1e-20
    assert "E004" not in [f.code for f in learned.findings]
