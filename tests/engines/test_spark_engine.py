"""The same sums on Spark: any partition of the rows gives the local result."""

from __future__ import annotations

import datetime
import decimal
import os
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import epee
from epee import (
    PCA,
    GaussianMixture,
    GaussianNB,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    KMeans,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
    StandardScaler,
    TableEncoder,
)
from epee.engines.choice import engine_for
from epee.engines.spark_engine import SparkEngine
from epee.errors import DataError, EmptyTable, EngineLost, WrongUse
from epee.moments.passes import Summation
from epee.moments.taken import take, take_every
from epee.risk import cross_validate
from epee.table.arrays import ArraySource
from epee.table.changes import Celled
from epee.table.doors import open_source
from epee.table.spark_frames import SparkBatches
from epee.table.spark_kept import KeptBatches
from epee.table.view import View
from tests.sparks import SPARK, cut

pytestmark = [SPARK, pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")]
N, P = 1200, 4


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    codes = np.sort(rng.integers(0, 3, N))  # sorted: most partitions lack a class
    X = rng.normal(size=(N, P)) + 2 * rng.normal(size=(3, P))[codes] + [0, 1e4, 0, 0]
    cells = {name: X[:, j] for j, name in enumerate("abcd")}
    cells["label"] = np.array(["u", "v", "w"])[codes]
    cells["value"] = X @ [1.0, 0.01, -1.0, 0.5] + rng.normal(size=N)
    cells["w"] = np.arange(N) % 3 + 1.0
    return X, pa.table(cells)


SIZES = {"1": [N], "2": [500, 700], "7": [1, 0, 300, 0, 1, 399, 499], "200": [0, 1, *[6] * 197, 17]}


@pytest.fixture(scope="module")
def frames(spark, rows):
    found = {name: cut(spark, rows[1], sizes).persist() for name, sizes in SIZES.items()}
    yield found
    for frame in found.values():
        frame.unpersist()


@pytest.mark.parametrize("sizes", ["1", "2", "7", pytest.param("200", marks=pytest.mark.long)])
def test_closed_forms_of_partitions(frames, rows, sizes):
    X, table = rows
    labels, values = (table[name].to_numpy(zero_copy_only=False) for name in ("label", "value"))
    there = frames[sizes]
    ours, local = LinearRegression().fit(there.select(*"abcd", "value"), "value"), LinearRegression().fit(X, values)
    np.testing.assert_allclose(ours.moments_.scatter, local.moments_.scatter, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(ours.coef_, local.coef_, rtol=1e-10)
    ours = LinearDiscriminantAnalysis().fit(there.select(*"abcd", "label"), "label")
    local = LinearDiscriminantAnalysis().fit(X, labels)
    assert ours.classes_.tolist() == ["u", "v", "w"] and ours.n_features_in_ == P
    np.testing.assert_allclose(ours.moments_.mean, local.moments_.mean, rtol=1e-13)
    np.testing.assert_allclose(ours.moments_.scatter, local.moments_.scatter, rtol=1e-12, atol=1e-9)


def test_more_closed_forms(frames, rows):
    X, table = rows
    labels, values = (table[name].to_numpy(zero_copy_only=False) for name in ("label", "value"))
    there = frames["7"]
    for model in (QuadraticDiscriminantAnalysis(), GaussianNB()):
        ours, local = type(model)().fit(there.select(*"abcd", "label"), "label"), type(model)().fit(X, labels)
        np.testing.assert_allclose(ours.moments_.scatter, local.moments_.scatter, rtol=1e-12, atol=1e-9)
    ours, local = Ridge(2.0).fit(there.select(*"abcd", "value"), "value"), Ridge(2.0).fit(X, values)
    np.testing.assert_allclose(ours.coef_, local.coef_, rtol=1e-10)
    np.testing.assert_allclose(StandardScaler().fit(there.select(*"abcd")).var_, X.var(axis=0), rtol=1e-12)
    ours, local = PCA().fit(there.select(*"abcd")), PCA().fit(X)
    np.testing.assert_allclose(ours.moments_.scatter, local.moments_.scatter, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(ours.explained_variance_, local.explained_variance_, rtol=1e-11)


def test_boosted_trees_to_the_last_bit(frames, rows):
    _, table = rows
    labels, values = (table[name].to_numpy(zero_copy_only=False) for name in ("label", "value"))
    there = frames["7"]
    for model, target, y in (
        (HistGradientBoostingRegressor(max_iter=5), "value", values),
        (HistGradientBoostingClassifier(max_iter=3), "label", labels),
    ):
        here = table.select(list("abcd")).to_pandas()
        ours, local = clone(model).fit(there.select(*"abcd", target), target), clone(model).fit(here, y)
        answer = "predict_proba" if target == "label" else "predict"
        np.testing.assert_array_equal(getattr(ours, answer)(here), getattr(local, answer)(here))


def test_weights_and_folds(frames, rows):
    X, table = rows
    labels, values, w = (table[name].to_numpy(zero_copy_only=False) for name in ("label", "value", "w"))
    there = frames["7"]
    here = cross_validate(LinearDiscriminantAnalysis(), X, labels, folds=5, loss="log")
    found = cross_validate(LinearDiscriminantAnalysis(), there.select(*"abcd", "label"), "label", folds=5, loss="log")
    np.testing.assert_allclose(found.per_fold, here.per_fold, rtol=1e-9)
    here = cross_validate(Ridge(), X, values, folds=5, sample_weight=w)
    found = cross_validate(Ridge(), there.select(*"abcd", "value", "w"), "value", folds=5, sample_weight="w")
    np.testing.assert_allclose(found.per_fold, here.per_fold, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::epee.errors.SearchWarning")  # a few steps are enough to be the same
@pytest.mark.long
def test_iterative_methods_take_the_same_steps_and_the_driver_never_collects_rows(frames, rows, monkeypatch):
    X, _ = rows

    def refuse(*given):
        raise AssertionError("rows would come here")

    there, labelled = frames["7"].select(*"abcd"), frames["2"].select(*"acd", "label")

    def both(make, *data):
        with monkeypatch.context() as patch:
            patch.setattr(SparkBatches, "read", refuse)
            ours = make().fit(*data)
        with epee.engine("local"):  # the rows come here, for once
            return ours, make().fit(*data)

    start = {"init": X[[0, 600, 1199]], "max_iter": 2, "tol": 0}
    with monkeypatch.context() as patch:
        patch.setattr(SparkBatches, "read", refuse)
        ours, local = KMeans(3, **start).fit(there), KMeans(3, **start).fit(X)
    np.testing.assert_allclose(ours.cluster_centers_, local.cluster_centers_, rtol=1e-8)
    np.testing.assert_array_equal(ours.labels_, local.labels_)
    ours, local = both(lambda: GaussianMixture(2, random_state=0, max_iter=1, tol=0, noise=True), there)
    np.testing.assert_allclose(ours.means_, local.means_, rtol=1e-8)
    ours, local = both(lambda: LogisticRegression(solver="newton", max_iter=1), labelled, "label")
    np.testing.assert_allclose(ours.coef_, local.coef_, rtol=1e-8)


def test_rows_that_are_kept_give_the_same(frames, rows, monkeypatch):
    source, engine = open_source(frames["7"].select(*"abcd", "value"), "value"), SparkEngine()
    keep = Summation(source.origin, "full")
    before = engine.reduce(source, keep)
    with View(source, Celled(np.arange(N) % 5)).held() as kept:
        assert isinstance(kept.source.batches, KeptBatches) and kept.n_rows == N and kept.is_away
        assert kept.source.batches.lengths() == SIZES["7"]  # the empty ones too
        for few in (16, 2):  # merged here, and by the tasks of two more stages
            monkeypatch.setattr("epee.engines.spark_engine.FEW", few)
            monkeypatch.setattr("epee.engines.spark_engine.FAN", 3)
            after = engine.reduce(kept.source, keep)
            assert after.count == N
            np.testing.assert_array_equal(after.scatter, before.scatter)
        with kept.held() as again:
            assert again is kept or again.source.batches is kept.source.batches
        found = take(kept, np.array([0, 1, 700, 1199]))
        np.testing.assert_array_equal(found.X, rows[0][[0, 1, 700, 1199]])
        np.testing.assert_array_equal(take_every(kept, 97).X, rows[0][::97])
        with pytest.raises(ZeroDivisionError, match="partition 6: "):
            engine.reduce(kept, lambda block: 1 // (0 if (block.X[:, 0] == rows[0][1000, 0]).any() else 1))
        assert [len(block) for block in kept.blocks(700)] == [700, 500]
    shuffled = open_source(frames["2"].select(*"abcd").repartition(2))
    assert not shuffled.in_order and source.in_order


@pytest.mark.filterwarnings("ignore::epee.errors.DataWarning")  # some parts of the dates are constant
def test_cells_of_every_kind(spark):
    n = 90
    rng = np.random.default_rng(1)
    town = [None if k % 11 == 0 else "Apt" if k < 4 else ["Lyon", "Nice"][k % 2] for k in range(n)]
    table = pa.table({
        "town": town,
        "price": pa.array([None if k % 7 == 0 else decimal.Decimal(k) / 4 for k in range(n)], pa.decimal128(10, 2)),
        "at": pa.array([datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=5 * k) for k in range(n)], pa.timestamp("us", "UTC")),
        "day": [datetime.date(2024, 1, 1) + datetime.timedelta(days=k) for k in range(n)],
        "few": pa.array(np.arange(n) % 5, pa.int16()), "yes": np.arange(n) % 3 == 0, "x": rng.normal(size=n),
    })  # fmt: skip
    there = cut(spark, table, [4, 0, 1, 50, 35])  # the first partition alone has Apt, and no other town
    ours, local = TableEncoder().fit(there), TableEncoder().fit(table)
    assert list(ours.get_feature_names_out()) == list(local.get_feature_names_out())
    np.testing.assert_allclose(ours.fill_, local.fill_, rtol=1e-12)
    full = table.drop_columns(["town", "day"])
    there = cut(spark, full, [30, 60])
    line = LinearRegression().fit(TableEncoder().fit(there, "x").encoded(open_source(there, "x")), None)
    same = TableEncoder().fit(full.drop_columns(["x"]))
    right = LinearRegression().fit(same.transform(full.drop_columns(["x"])), full["x"].to_numpy())
    np.testing.assert_allclose(line.moments_.scatter, right.moments_.scatter, rtol=1e-9, atol=1e-9)


def test_cells_that_are_no_cells_are_named(spark):
    from pyspark.ml.linalg import Vectors

    table = pa.table({"a": [1.0, 2.0], "l": [[1], [2, 3]], "s": [{"p": 1}, {"p": 2}], "y": [0.0, 1.0]})
    there = cut(spark, table, [1, 1])
    for name, kind in (("l", "list"), ("s", "struct")):
        with pytest.raises(DataError, match=rf"column '{name}' holds {kind}.*neither number"):
            LinearRegression().fit(there.select("a", name, "y"), "y")
    vectors = spark.createDataFrame([(Vectors.dense([1.0, 2.0]), 1.0)], ["features", "y"])
    with pytest.raises(DataError, match="column 'features' holds"):
        LinearRegression().fit(vectors, "y")
    mapped = spark.sql("SELECT map('k', 1) AS m, 1.0D AS y")
    with pytest.raises(DataError, match="column 'm' holds map"):
        LinearRegression().fit(mapped, "y")


def test_bad_tables(spark, frames, rows):
    _, table = rows
    holed = table.select(["a", "b", "value"]).to_pandas()
    holed.loc[700, "a"] = np.nan
    with pytest.raises(DataError, match="contains NaN: column 'a': 1 missing value"):
        LinearRegression().fit(cut(spark, pa.Table.from_pandas(holed), [600, 600]), "value")
    with pytest.raises(EmptyTable, match="0 sample"):
        PCA().fit(frames["2"].select("a").where("a > 1e9"))
    with pytest.raises(DataError, match="the Spark frame, y, sample_weight and groups must be columns of it"):
        GaussianNB().fit(frames["2"].select("a"), np.arange(N) % 2)
    stream = spark.readStream.format("rate").load()
    with pytest.raises(DataError, match="is a stream"):
        PCA().fit(stream)
    with pytest.raises(WrongUse, match="only Spark can add"):  # as any other engine would send a part
        pickle.dumps(next(open_source(frames["2"].select(*"abcd")).parts(2)).payload)


def test_an_order_that_does_not_hold_is_refused(spark, frames, rows):
    X, table = rows
    there = frames["7"].select(*"abcd", "value")
    shuffled = there.repartition(3)
    np.testing.assert_allclose(  # a sum needs no order
        LinearRegression().fit(shuffled, "value").coef_, LinearRegression().fit(X, table["value"]).coef_, rtol=1e-9
    )
    with pytest.raises(DataError, match=r"come out of a shuffle.*orderBy\('a'\).persist\(\)"):
        cross_validate(LinearRegression(), shuffled, "value", folds=3)
    with pytest.raises(DataError, match=r"sorted by 'a' anew at each pass.*df.persist\(\)"):
        cross_validate(LinearRegression(), shuffled.orderBy("a"), "value", folds=3)
    kept = shuffled.orderBy("a").persist()
    try:
        order = np.argsort(X[:, 0])
        here = cross_validate(LinearRegression(), X[order], table["value"].to_numpy()[order], folds=3)
        found = cross_validate(LinearRegression(), kept, "value", folds=3)
        np.testing.assert_allclose(found.per_fold, here.per_fold, rtol=1e-9)
    finally:
        kept.unpersist()
    tied = frames["7"].select("a", "w", "value").orderBy("w").persist()
    try:
        with pytest.raises(DataError, match=r"rows \d+ and \d+ have the same 'w'.*sort by more columns"):
            cross_validate(LinearRegression(), tied, "value", folds=3)
    finally:
        tied.unpersist()
    grouped = frames["7"].groupBy("w").avg("a", "b")
    with pytest.raises(DataError, match=r"orderBy\('w'\)"):
        cross_validate(LinearRegression(), grouped, "avg(a)", folds=3)


def test_rows_that_change_between_passes(frames):
    source = open_source(frames["7"].select(*"abcd"))
    engine = SparkEngine()
    assert len(list(engine.map(source, len))) >= 5
    source.batches._lengths[2] -= 1
    with pytest.raises(DataError, match="partition 2: the rows are not the same at each pass"):
        list(engine.map(source, len))
    source.batches._lengths = [N]
    with pytest.raises((DataError, EngineLost), match="partition"):
        list(engine.map(source, len))


def test_faults_name_their_partition(frames, rows, monkeypatch):
    X, _ = rows

    def fail(block):
        if (block.X[:, 0] == X[1000, 0]).any():
            raise ZeroDivisionError("no luck")
        return 1

    def broken(block):
        if (block.X[:, 0] == X[1000, 0]).any():
            raise OSError("no disk")
        return 1

    there = open_source(frames["7"].select(*"abcd"))
    for few in (16, 2):  # merged here, and by the tasks of two more stages
        monkeypatch.setattr("epee.engines.spark_engine.FEW", few)
        monkeypatch.setattr("epee.engines.spark_engine.FAN", 3)
        with pytest.raises(ZeroDivisionError, match="partition 6: no luck"):
            SparkEngine().reduce(there, fail)
    with pytest.raises(ZeroDivisionError, match="partition 6: no luck"):
        list(SparkEngine().map(there, fail))
    with pytest.raises(EngineLost, match="partition 6: no disk .*as often as it may"):
        SparkEngine().reduce(there, broken)


def test_a_task_that_is_tried_again_counts_no_row_twice(frames, tmp_path, rows):
    X, _ = rows
    source = open_source(frames["7"].select(*"abcd"))
    keep, marker = Summation(source.origin, "full"), str(tmp_path / "failed")

    def once(block):
        if (block.X[:, 0] == X[1000, 0]).any():
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                raise OSError("the disk is full, for now")
        return keep(block)

    before = SparkEngine().reduce(source, keep)
    after = SparkEngine().reduce(source, once)
    assert os.path.exists(marker) and after.count == N
    np.testing.assert_array_equal(after.scatter, before.scatter)


def test_map_keeps_the_order_and_the_numbers_of_the_rows(frames, rows, monkeypatch):
    X, _ = rows
    there = open_source(frames["7"].select(*"abcd"))
    assert isinstance(engine_for(there), SparkEngine)
    for most in (10**9, 1):  # by one job, and a partition at a time
        monkeypatch.setattr("epee.engines.spark_engine.ROWS_AT_ONCE", most)
        found = list(SparkEngine().map(there, lambda block: (block.start, block.X[:, 0]), rows=130))
        np.testing.assert_array_equal(np.concatenate([x for _, x in found]), X[:, 0])
        assert [start for start, _ in found] == list(np.cumsum([0] + [len(x) for _, x in found])[:-1])


def test_parts_that_carry_much_go_by_broadcast(frames, monkeypatch):
    from epee.engines import spark_engine

    monkeypatch.setattr(spark_engine, "LIGHT", 100)
    monkeypatch.setattr(spark_engine, "HEAVY", 4000)
    cell = np.random.default_rng(0).integers(0, 5, N)
    view = View(open_source(frames["7"].select(*"abcd")), Celled(cell))
    found = SparkEngine().reduce(view, lambda block: np.bincount(block.fold, minlength=5))
    np.testing.assert_array_equal(found, np.bincount(cell))


@pytest.mark.parametrize("kind", ["parquet", "csv", "array"])
def test_files_and_arrays_by_spark(spark, rows, tmp_path, kind):
    X, table = rows
    labels = table["label"].to_numpy(zero_copy_only=False)
    small = table.select([*"abcd", "label"])
    pq.write_table(small, tmp_path / "t.parquet", row_group_size=97)
    pa.csv.write_csv(small, tmp_path / "t.csv")
    data = (X, labels) if kind == "array" else (tmp_path / f"t.{kind}", "label")
    local = LinearDiscriminantAnalysis().fit(X, labels)
    with epee.engine(spark if kind == "parquet" else "spark") as chosen:
        assert isinstance(chosen, SparkEngine) and chosen.session is spark
        ours = LinearDiscriminantAnalysis().fit(*data)
    np.testing.assert_allclose(ours.moments_.scatter, local.moments_.scatter, rtol=1e-12, atol=1e-9)


def test_answers_stand_beside_the_rows(frames, rows):
    X, table = rows
    there, here = frames["2"].select(*"abcd", "label"), table.select(list("abcd")).to_pandas()
    labels = table["label"].to_numpy(zero_copy_only=False)
    model = LinearDiscriminantAnalysis().fit(there, "label")

    def columns(frame):
        assert frame.columns[:5] == [*"abcd", "label"]
        return {name: np.array([row[name] for row in frame.collect()]) for name in ("a", *frame.columns[5:])}

    found = columns(model.predict(there))
    np.testing.assert_array_equal(found["a"], X[:, 0])
    assert found["predict"].tolist() == model.predict(here).tolist()
    found = columns(model.predict_proba(there))
    np.testing.assert_allclose(
        np.column_stack([found[f"predict_proba_{k}"] for k in "uvw"]), model.predict_proba(here), atol=1e-12
    )
    found = columns(StandardScaler().fit(here).transform(there))
    np.testing.assert_allclose(found["transform_b"], (X[:, 1] - X[:, 1].mean()) / X[:, 1].std(), rtol=1e-9)
    encoder = TableEncoder().fit(table.select(["a", "label"]).to_pandas())
    np.testing.assert_array_equal(columns(encoder.transform(there))["transform_label=v"], labels == "v")
    with pytest.raises(DataError, match="no column 'd'"):
        model.predict(there.drop("d"))
    with pytest.raises(DataError, match="has a column 'predict'"):
        model.predict(there.withColumnRenamed("label", "predict"))


def test_which_session(spark):
    assert SparkEngine().session is spark
    assert SparkEngine(spark).reduce(ArraySource(np.ones((5, 1))), len) == 5
    with pytest.raises(WrongUse, match="no Spark answers at 'sc://127.0.0.1:1'"), epee.engine("sc://127.0.0.1:1"):
        pass
