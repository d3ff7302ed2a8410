from __future__ import annotations

import csv
import io

import numpy as np
import pyarrow as pa
import pytest

import epee
from epee.errors import WrongUse
from epee.job.answers import Answers
from epee.job.drift import Tally, by_chance, drifts, tally
from tests.job.conftest import blobs, line


def rows_of(answers):
    out = io.StringIO()
    n = answers.write_csv(out)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert len(rows) == n
    return rows


def test_order_is_kept_and_extra_columns_are_ignored(classifier):
    t = blobs(seed=6)
    shuffled = t.select(["town", "b", "a"]).append_column("note", pa.array([f"={k}" for k in range(240)]))
    rows = rows_of(Answers(classifier.predictor, shuffled, keep=["note"]))
    assert [row["predicted_y"] for row in rows] == classifier.predictor.predict(t).tolist()
    assert rows[3]["note"] == "'=3"  # a spreadsheet shows it and does not run it
    P = np.array([[float(row["p(ham)"]), float(row["p(spam)"])] for row in rows])
    np.testing.assert_allclose(P, classifier.predictor.predict_proba(t), atol=5.1e-7)  # six decimals are written


def test_intervals_of_numbers(regressor):
    rows = rows_of(Answers(regressor.predictor, line(seed=6), level=0.8))
    wide = np.array(
        [
            [float(row["high"]) - float(row[k]), float(row[k]) - float(row["low"])]
            for row in rows
            for k in ["predicted_y"]
        ]
    )
    usual = regressor.predictor.half_width(0.5)
    np.testing.assert_allclose(
        wide, regressor.predictor.half_width(0.8), atol=usual / 1000
    )  # what is not written is not worth reading
    assert max(len(row["predicted_y"].partition(".")[2]) for row in rows) <= 4
    assert list(rows_of(Answers(regressor.predictor, line(seed=6), details=False))[0]) == ["predicted_y"]


def test_rows_are_numbered_or_told_by_what_is_kept(regressor, classifier):
    assert [row["row"] for row in rows_of(Answers(regressor.predictor, line(5)))] == ["1", "2", "3", "4", "5"]
    rows = rows_of(Answers(regressor.predictor, line(5), keep=["y", "a", "y"]))
    assert list(rows[0]) == ["y", "a", "predicted_y", "low", "high"]
    with pytest.raises(WrongUse, match="no probabilities"):
        Answers(regressor.predictor, line(5), details="proba")
    with pytest.raises(WrongUse, match="--proba"):
        Answers(classifier.predictor, blobs(5), details="interval")
    odd = line(5).append_column("low", line(5)["a"])
    with pytest.raises(WrongUse, match="'low'"):
        Answers(regressor.predictor, odd, keep=["low"])


def test_all_missing_columns_are_named_at_once(classifier, tmp_path):
    import pyarrow.csv

    table = blobs().select(["a"]).rename_columns(["A"])
    pyarrow.csv.write_csv(table, tmp_path / "t.csv")
    for given in (table, str(tmp_path / "t.csv")):
        with pytest.raises(WrongUse, match=r"no columns 'a' \(did you mean 'A'\?\), 'b', 'town'"):
            Answers(classifier.predictor, given)


def test_few_rows_with_strange_levels_or_values_are_said(classifier):
    answers = Answers(classifier.predictor, pa.table({"a": [0.0, 99.0], "b": [0.0, 0.1], "town": ["Lille", "Paris"]}))
    rows_of(answers)
    said = answers.drift()
    assert (
        len(said) == 2
        and "'Lille'" in said[1]
        and said[0].startswith("a: 1 of its values lies outside")
        and "99" in said[0]
    )
    usual = Answers(classifier.predictor, blobs(6))
    rows_of(usual)
    assert usual.drift() == []


def test_a_missing_column_is_named(classifier):
    with pytest.raises(WrongUse, match="'town'"):
        Answers(classifier.predictor, blobs().drop_columns(["town"]))


def test_drift_is_said_where_it_is_and_not_elsewhere(classifier):
    schema, then = classifier.predictor.encoder.schema_, classifier.predictor.drift

    def said(table):
        answers = Answers(classifier.predictor, table)
        answers.write_csv(io.StringIO())
        return " ".join(answers.drift())

    assert said(blobs(seed=3)) == ""
    t = blobs(seed=3)
    far = t.set_column(0, "a", pa.array(t.column("a").to_numpy() + 3))
    assert said(far).startswith("a has drifted: its mean")
    strange = t.set_column(2, "town", pa.array(["Oslo"] * 240))
    assert "'Oslo'" in said(strange)
    holes = t.set_column(1, "b", pa.array([None if k % 2 else 0.1 for k in range(240)], pa.float64()))
    assert "b has drifted: 50 % of its cells are missing" in said(holes)
    assert drifts(then, Tally(schema)) == [] and tally is not None


def test_as_many_numbers_lie_outside_the_range_as_chance_says():
    rng = np.random.default_rng(0)
    k = [
        int(((new < old.min()) | (new > old.max())).sum())
        for old, new in (rng.normal(size=(2, 60)) for _ in range(4000))
    ]
    for most in (1, 3, 8):
        assert np.mean(np.array(k) >= most) == pytest.approx(by_chance(most, 60, 60), abs=0.03)


def test_new_dates_are_read_in_the_order_of_those_learned_from(tmp_path):
    days = [f"{d:02}/{m:02}/2020" for m in range(1, 13) for d in range(1, 29, 3)]  # some above 12
    text = "day,y\n" + "".join(f"{day},{int(day[3:5])}\n" for day in days)
    (tmp_path / "t.csv").write_text(text)
    learned = epee.learn(str(tmp_path / "t.csv"), "y", types={"y": "number"}, predictors=["linear"], folds=3)
    learned.save(tmp_path / "t.epee")
    (tmp_path / "new.csv").write_text("day\n01/11/2020\n11/01/2020\n")  # which do not tell
    for predictor in (learned.predictor, epee.load(tmp_path / "t.epee").predictor):
        answers = Answers(predictor, str(tmp_path / "new.csv"), details=False)
        rows = [float(next(iter(row.values()))) for row in rows_of(answers)]
        assert rows[0] > 9 and rows[1] < 3 and answers.source.notes == []


def test_assessing_names_all_missing_columns_too(classifier):
    from epee.job.assessment import labelled_rows

    with pytest.raises(WrongUse, match="no columns 'b', 'town'"):
        labelled_rows(classifier, blobs().select(["a", "y"]))
