from __future__ import annotations

import csv
import io

import numpy as np
import pyarrow as pa
import pytest

import epee
from epee.errors import WrongUse
from epee.job.answers import Answers
from epee.job.drift import Tally, drifts, tally
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
    assert [row["y"] for row in rows] == classifier.predictor.predict(t).tolist()
    assert rows[3]["note"] == "'=3"  # a spreadsheet shows it and does not run it
    P = np.array([[float(row["p(ham)"]), float(row["p(spam)"])] for row in rows])
    np.testing.assert_array_equal(P, classifier.predictor.predict_proba(t))


def test_intervals_of_numbers(regressor):
    rows = rows_of(Answers(regressor.predictor, line(seed=6), level=0.8))
    half = {round(float(row["high"]) - float(row["y"]), 9) for row in rows}
    assert len(half) == 1 and half.pop() == pytest.approx(regressor.predictor.half_width(0.8))
    assert list(rows_of(Answers(regressor.predictor, line(seed=6), details=False))[0]) == ["y"]


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
