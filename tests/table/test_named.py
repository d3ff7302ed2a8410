"""What goes with the rows by the names of its columns: any kind of table, any estimate, the same figures as by arrays."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from epee import LinearDiscriminantAnalysis, Ridge
from epee.errors import DataError, WrongUse
from epee.risk import compare, complexity_curve, cross_validate, f1, holdout_error, importance, learning_curve, loo, r2
from epee.table.named import named_columns

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 2))
Y = X[:, 0] + RNG.normal(size=120)
FRAME = pd.DataFrame(X, columns=["a", "b"]).assign(
    y=Y, g=[f"patient {i // 4}" for i in range(120)], t=np.arange(120) // 2, w=RNG.uniform(0.5, 2, 120)
)
KINDS = ["pandas", "polars", "arrow", "csv", "parquet"]
BESIDE = {"groups": "g", "sample_weight": "w"}


def table(kind, tmp_path, *without):
    frame = FRAME.drop(columns=list(without))
    if kind == "csv":
        frame.to_csv(tmp_path / "t.csv", index=False)
        return str(tmp_path / "t.csv")
    if kind == "parquet":
        frame.to_parquet(tmp_path / "t.parquet")
        return tmp_path / "t.parquet"
    return (
        frame if kind == "pandas" else pl.from_pandas(frame) if kind == "polars" else pl.from_pandas(frame).to_arrow()
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "estimate",
    [cross_validate, loo, lambda *a, **more: compare([a[0]], *a[1:], **more).risks[0],
     lambda *a, **more: learning_curve(*a, folds=5, **more).extrapolate(200)],
    ids=["folds", "loo", "compared", "curve"],
)  # fmt: skip
def test_names_say_the_same_as_arrays(kind, estimate, tmp_path):
    by_name = estimate(Ridge(), table(kind, tmp_path, "t"), "y", **BESIDE)
    by_array = estimate(Ridge(), X, Y, groups=FRAME["g"].to_numpy(), sample_weight=FRAME["w"].to_numpy())
    assert [by_name.value, *by_name.interval] == pytest.approx([by_array.value, *by_array.interval])


@pytest.mark.parametrize("kind", KINDS)
def test_time_is_a_column_too(kind, tmp_path):
    by_name = cross_validate(Ridge(), table(kind, tmp_path, "g", "w"), "y", time="t", folds=5)
    assert by_name.value == pytest.approx(cross_validate(Ridge(), X, Y, time=FRAME["t"].to_numpy(), folds=5).value)
    curve = complexity_curve(Ridge(), table(kind, tmp_path, "g", "w"), "y", "alpha", [0.1, 1.0], time="t", folds=5)
    assert curve.cv[1] == pytest.approx(by_name.value)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_held_out_frames_know_their_columns(kind, tmp_path):
    learned = pd.DataFrame(RNG.normal(size=(40, 2)), columns=["a", "b"])
    model = Ridge().fit(learned, learned["a"])
    held, g = table(kind, tmp_path, "t", "w"), FRAME["g"].to_numpy()
    for figure in (holdout_error, r2):
        found, told = figure(model, held, "y", groups="g"), figure(model, FRAME[["a", "b"]], Y, groups=g)
        assert [found.value, found.stderr] == pytest.approx([told.value, told.stderr])
    if kind != "arrow":  # shuffled, it would lose its names
        assert importance(Ridge(), held, "y", groups="g", repeats=2).names == ["a", "b"]
    rule = LinearDiscriminantAnalysis().fit(learned, learned["a"] > 0)
    frame = FRAME[["a", "b", "g"]].assign(c=Y > 0)
    assert f1(rule, frame, "c", groups="g").value == pytest.approx(f1(rule, FRAME[["a", "b"]], Y > 0).value)


@pytest.mark.parametrize("kind", KINDS)
def test_an_absent_column_is_named(kind, tmp_path):
    with pytest.raises(WrongUse, match="nobody"):
        cross_validate(Ridge(), table(kind, tmp_path), "y", groups="nobody")


def test_texts_are_no_times(tmp_path):
    with pytest.raises(DataError, match="column 'g' holds '.*' in row 0, which is no date and no number"):
        named_columns(table("csv", tmp_path), "y", time="g")
