"""Cross-validation in memory bounded by the block: the folds and figures of the same rows in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from epee import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    LinearRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
    RobustRegression,
    StandardScaler,
)
from epee.errors import DataError, WrongUse
from epee.risk import cross_validate
from epee.table.arrays import ArraySource
from epee.table.changes import Dealt
from epee.table.doors import coded
from epee.table.folds import assign_folds
from epee.table.view import View


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(1)
    n = 1500
    y = rng.choice(3, n, p=[0.7, 0.2, 0.1])
    X = rng.normal(size=(n, 3)) + rng.normal(size=(3, 3))[y]
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["label"], frame["value"], frame["w"] = (
        np.array(["u", "v", "w"])[y],
        X.sum(axis=1) + rng.normal(size=n),
        rng.integers(1, 4, n),
    )
    folder = tmp_path_factory.mktemp("bounded")
    frame[["a", "b", "c", "label"]].to_csv(folder / "classes.csv", index=False)
    frame[["a", "b", "c", "label", "w"]].to_parquet(folder / "classes.parquet", row_group_size=211)
    frame[["a", "b", "c", "value"]].to_parquet(folder / "values.parquet", row_group_size=211)
    return folder, X, frame


@pytest.mark.parametrize("rows", [1, 7, 4096])
def test_folds_dealt_in_passing_are_those_of_the_whole(table, rows):
    _, X, frame = table
    labels = frame["label"].to_numpy()
    codes = np.unique(labels, return_inverse=True)[1]
    folded = View(coded(ArraySource(X, labels))[0], Dealt(5, 3, 3))
    here = np.concatenate([block.fold for block in folded.blocks(rows)])
    np.testing.assert_array_equal(here, assign_folds(codes, len(X), 5, 3))
    np.testing.assert_array_equal(here, np.concatenate([block.fold for block in folded.blocks(100)]))  # and again


@pytest.mark.parametrize("loss", ["zero_one", "log"])
@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(),
        QuadraticDiscriminantAnalysis(),
        GaussianNB(),
        make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
    ],
    ids=["lda", "qda", "nb", "scaled"],
)
def test_classes(table, model, loss):
    folder, X, frame = table
    here = cross_validate(model, X, frame["label"].to_numpy(), loss=loss, folds=7, random_state=5)
    for name in ("classes.csv", "classes.parquet"):
        weight = "w" if name.endswith("parquet") else None
        if weight:
            here = cross_validate(
                model, X, frame["label"].to_numpy(), loss=loss, folds=7, random_state=5, sample_weight=frame["w"]
            )
        there = cross_validate(model, folder / name, "label", loss=loss, folds=7, random_state=5, sample_weight=weight)
        np.testing.assert_array_equal(there.folds, here.folds)  # found when asked for
        assert (there.n, there.how, there.n_folds) == (here.n, here.how, here.n_folds)
        np.testing.assert_allclose(there.per_fold, here.per_fold, rtol=1e-10)
        np.testing.assert_allclose(
            [there.value, there.stderr, there.pooled], [here.value, here.stderr, here.pooled], rtol=1e-10
        )
        np.testing.assert_allclose(there.losses, here.losses, rtol=1e-7, atol=1e-9)  # found when asked for


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize(
    "model", [LinearRegression(), Ridge(3.0), make_pipeline(StandardScaler(), Ridge(1.0))], ids=str
)
def test_values_and_repeats(table, model, loss):
    folder, X, frame = table
    for repeats in (1, 2):
        there = cross_validate(model, folder / "values.parquet", "value", loss=loss, folds=4, repeats=repeats)
        here = cross_validate(model, X, frame["value"].to_numpy(), loss=loss, folds=4, repeats=repeats)
        np.testing.assert_allclose(there.per_fold, here.per_fold, rtol=1e-9)
        assert there.how == here.how


def test_fine_folds_are_regrouped_as_in_memory(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6500, 2))
    y = X[:, 0] + rng.normal(size=6500)
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y}).to_parquet(tmp_path / "t.parquet")
    there = cross_validate(Ridge(), tmp_path / "t.parquet", "y", folds=5, repeats=6, loss="absolute")
    np.testing.assert_allclose(
        there.per_fold, cross_validate(Ridge(), X, y, folds=5, repeats=6, loss="absolute").per_fold, rtol=1e-10
    )


def test_a_hard_regression_goes_back_to_the_rows_of_its_folds(tmp_path):
    rng = np.random.default_rng(0)
    t = np.linspace(5, 6, 400)
    X = np.column_stack([t**k for k in range(1, 8)])
    y = np.sin(9 * t) + 0.1 * rng.normal(size=400)
    pd.DataFrame(X, columns=[f"t{k}" for k in range(7)]).assign(y=y).to_parquet(
        tmp_path / "t.parquet", row_group_size=90
    )
    there = cross_validate(LinearRegression(), tmp_path / "t.parquet", "y", folds=4)
    np.testing.assert_allclose(there.per_fold, cross_validate(LinearRegression(), X, y, folds=4).per_fold, rtol=1e-5)


def test_differences_need_the_same_folds(table):
    folder, _, _ = table
    path = folder / "classes.csv"
    a, b = (cross_validate(m, path, "label", folds=5) for m in (LinearDiscriminantAnalysis(), GaussianNB()))
    assert (a - b).value == pytest.approx(a.value - b.value)
    with pytest.raises(WrongUse, match="other rows or folds"):
        a - cross_validate(GaussianNB(), path, "label", folds=5, random_state=1)


def test_what_another_route_does_is_left_to_it(table):
    folder, X, frame = table
    path = folder / "values.parquet"
    for extra in ({"time": True}, {"folds": np.arange(1500) % 3}):
        there = cross_validate(Ridge(), path, "value", **extra)
        assert there.losses.shape == (1500,)
        np.testing.assert_allclose(
            there.value, cross_validate(Ridge(), X, frame["value"].to_numpy(), **extra).value, rtol=1e-9
        )
    rows = cross_validate(RobustRegression(), path, "value", folds=3)  # iterates over rows
    assert rows.losses.shape == (1500,)
    with pytest.raises(DataError, match="fewer than the folds"):
        cross_validate(Ridge(), path, "value", folds=2000)
