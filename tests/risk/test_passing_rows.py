"""A table that stays in its file is judged as in memory: same folds, same figures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from epee import GaussianNB, LinearDiscriminantAnalysis, LinearRegression, Ridge, StandardScaler
from epee.risk import compare, complexity_curve, cross_validate, holdout_error, loo
from epee.risk.opening import open_route
from epee.table.arrays import ArraySource


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    X = rng.normal(size=(300, 3)) + rng.normal(size=(3, 3))[y]
    frame = pd.DataFrame(X, columns=list("abc")).assign(
        label=np.array(["u", "v", "w"])[y], value=X.sum(axis=1) + rng.normal(size=300)
    )
    frame[["a", "b", "c", "label"]].to_csv(tmp_path / "classes.csv", index=False)
    frame[["a", "b", "c", "value"]].to_parquet(tmp_path / "values.parquet")
    return tmp_path, X, frame


@pytest.mark.parametrize(
    "model",
    [LinearDiscriminantAnalysis(), GaussianNB(), make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())],
    ids=str,
)
@pytest.mark.parametrize("loss", ["zero_one", "log"])
def test_classes_of_a_file(table, model, loss):
    folder, X, frame = table
    there = cross_validate(model, str(folder / "classes.csv"), "label", loss=loss)
    here = cross_validate(model, X, frame["label"].to_numpy(), loss=loss)
    assert there.one_pass
    np.testing.assert_array_equal(there.folds, here.folds)
    np.testing.assert_allclose(there.losses, here.losses, rtol=1e-7, atol=1e-9)


def test_values_of_a_file(table):
    folder, X, frame = table
    path, y = folder / "values.parquet", frame["value"].to_numpy()
    assert not open_route(Ridge(), path, "value").at_hand
    there, here = cross_validate(Ridge(2.0), path, "value", repeats=2), cross_validate(Ridge(2.0), X, y, repeats=2)
    np.testing.assert_allclose(there.per_fold, here.per_fold, rtol=1e-10)
    np.testing.assert_allclose(there.predictions, here.predictions, rtol=1e-9)
    curve = complexity_curve(Ridge(), path, "value", "alpha", [0.1, 10.0, 1000.0])
    np.testing.assert_allclose(curve.cv, complexity_curve(Ridge(), X, y, "alpha", [0.1, 10.0, 1000.0]).cv, rtol=1e-10)
    nested = cross_validate(LinearRegression(), path, "value", interval="nested", repeats=2)
    assert nested.value == pytest.approx(
        cross_validate(LinearRegression(), X, y, interval="nested", repeats=2).value, rel=1e-9
    )
    assert loo(LinearRegression(), path, "value").value == pytest.approx(loo(LinearRegression(), X, y).value)


def test_sources_and_comparison(table):
    folder, X, frame = table
    labels = frame["label"].to_numpy()
    models = {"line": LinearDiscriminantAnalysis(), "naive": GaussianNB()}
    there, here = compare(models, folder / "classes.csv", "label", repeats=2), compare(models, X, labels, repeats=2)
    assert there.verdict == here.verdict
    source = cross_validate(LinearDiscriminantAnalysis(), ArraySource(X, labels), None)
    assert source.value == cross_validate(LinearDiscriminantAnalysis(), X, labels).value


def test_held_out_file(table):
    folder, X, frame = table
    model = LinearDiscriminantAnalysis().fit(X[:50] + 0.1, frame["label"].to_numpy()[:50])
    a, b = holdout_error(model, folder / "classes.csv", "label"), holdout_error(model, X, frame["label"].to_numpy())
    assert (a.value, a.high) == pytest.approx((b.value, b.high))
