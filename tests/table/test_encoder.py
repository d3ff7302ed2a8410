"""Tables to numbers: the same as scikit-learn's parts, in one pass as in two, and every fold with its own means."""

from __future__ import annotations

import datetime
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from epee import Moments, TableEncoder
from epee.errors import BadFile, DataError, DataWarning, MissingValues, WrongUse
from epee.table.source import as_source

N = 600
rng = np.random.default_rng(0)
HOLES = rng.random((N, 2)) < 0.2
FRAME = pd.DataFrame(
    {
        "age": np.where(HOLES[:, 0], np.nan, rng.normal(40, 10, N)),
        "town": np.where(HOLES[:, 1], None, np.array(["Lyon", "Paris", "Brest"])[rng.integers(0, 3, N)]),
        "smoker": rng.random(N) < 0.3,
        "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, N), unit="D"),
        "size": rng.normal(1e9, 1, N),
    }
)


def test_agrees_with_scikit_learn():
    columns = ["age", "size"]
    ours = TableEncoder().fit_transform(FRAME[[*columns, "town"]])
    theirs = SimpleImputer().fit_transform(FRAME[columns])
    np.testing.assert_allclose(ours[:, :2], theirs, rtol=1e-14)
    hot = OneHotEncoder(sparse_output=False, categories=[["Brest", "Lyon", "Paris"]], handle_unknown="ignore")
    full = FRAME["town"].notna()
    np.testing.assert_array_equal(ours[full, 2:], hot.fit_transform(FRAME.loc[full, ["town"]]))
    np.testing.assert_array_equal(ours[~full, 2:], 0)


@pytest.mark.parametrize(
    "options",
    [{}, {"indicator": True}, {"drop": "first"}, {"max_levels": 2, "indicator": True}, {"dates": "ordinal"}],
)
def test_one_pass_gives_the_same_rows(options):
    source = as_source(FRAME)
    encoder = TableEncoder(**options).fit(FRAME)
    Z = np.concatenate([encoder.row_map(raw) for raw in source.raw_blocks()])
    A, b = encoder.fill_map(Moments.of(Z))
    expected = encoder.transform(FRAME)
    np.testing.assert_allclose(Z @ A.T + b, expected, rtol=1e-12, atol=1e-9)
    assert len(encoder.get_feature_names_out()) == expected.shape[1] == len(set(encoder.get_feature_names_out()))
    again = TableEncoder(**options).plan(source).fit_mean(Moments.of(Z))
    np.testing.assert_allclose(again.transform(FRAME), expected, rtol=1e-12)


def test_each_fold_fills_with_its_own_mean():
    """The moments of a fold's training rows, mapped, are those of an encoder fitted on these rows alone."""
    encoder = TableEncoder(indicator=True).plan(as_source(FRAME))
    fold = np.arange(N) % 4
    Z = np.concatenate([block.X for block in encoder.rows(as_source(FRAME)).blocks(100)])
    y = rng.normal(size=N)
    training = Moments.of(Z, y, fold=fold).leave_one_out("fold")
    A, b = encoder.fill_map(training)
    mapped = training.affine(A, b)
    for k in range(4):
        rows = FRAME[fold != k]
        alone = TableEncoder(indicator=True).fit(rows).transform(rows)
        expected = Moments.of(alone, y[fold != k])
        np.testing.assert_allclose(mapped.mean[k], expected.mean, rtol=1e-9)
        np.testing.assert_allclose(
            mapped.scatter[k], expected.scatter, rtol=1e-6, atol=1e-6 * np.abs(expected.scatter).max()
        )


def test_rare_levels_are_the_same_in_all_folds():
    """Which levels share a column follows from the whole table; a level absent from a fold is a column of zeros there."""
    towns = np.repeat(["a", "b", "c", "d"], [40, 30, 4, 3])
    frame = pd.DataFrame({"town": towns, "x": np.where(np.arange(77) % 9 == 0, np.nan, np.arange(77.0))})
    fold = np.where(towns == "b", 0, np.where(towns == "d", 2, 1))  # fold 0 has all of b, which is then rare elsewhere
    for options in ({}, {"drop": "first"}, {"indicator": True}):
        encoder = TableEncoder(max_levels=2, **options).plan(as_source(frame))
        assert encoder.kept_["town"] == (("a", "b"), ("c", "d"))
        Z = np.concatenate([block.X for block in encoder.rows(as_source(frame)).blocks()])
        training = Moments.of(Z, frame["x"].fillna(0), fold=fold).leave_one_out("fold")
        A, b = encoder.fill_map(training)
        whole = encoder.fit_mean(Moments.of(Z))
        assert A.shape[-2:] == (len(whole.get_feature_names_out()) + 1, Z.shape[1] + 1)
        for k in range(3):
            one = encoder.fill_map(training.at("fold", k))
            np.testing.assert_array_equal(A[k], one[0])
            np.testing.assert_array_equal(b[k], one[1])
            kept = fold != k
            alone = encoder.fit_mean(Moments.of(Z[kept])).transform(frame[kept])
            np.testing.assert_allclose(Z[kept] @ A[k, :-1, :-1].T + b[k, :-1], alone, rtol=1e-12)
        place = whole.encoded_columns["town"][0 if "drop" in options else 1]
        assert whole.get_feature_names_out()[place] == "town=b"
        assert training.affine(A, b).mean[0, place] == pytest.approx(0.0, abs=1e-15)  # sums are taken about an origin


def test_a_counted_schema_needs_no_reading():
    source = as_source(FRAME)
    plan = TableEncoder(max_levels=2, indicator=True).plan(source)
    again = TableEncoder(max_levels=2, indicator=True).planned(source.profile(), source.origin)
    assert again.row_names == plan.row_names and again.kept_ == plan.kept_
    np.testing.assert_array_equal(again.centre_, plan.centre_)
    sums, weight = np.zeros(len(plan.row_names)), 0.0
    for raw in source.raw_blocks(100):
        more, w = again.row_sums(raw)
        sums, weight = sums + more, weight + w
    expected = TableEncoder(max_levels=2, indicator=True).fit(FRAME)
    np.testing.assert_allclose(again.fit_mean(sums / weight).fill_, expected.fill_, rtol=1e-12)
    about_zero = TableEncoder(max_levels=2, indicator=True).planned(source.profile())
    assert not about_zero.centre_.any() and about_zero.feature_names_in_.tolist() == list(FRAME.columns)


@pytest.mark.parametrize(
    "options", [{}, {"indicator": True}, {"drop": "first"}, {"max_levels": 1}, {"dates": "ordinal"}]
)
def test_where_encoded_columns_come_from(options):
    encoder = TableEncoder(**options).fit(FRAME)
    places = encoder.encoded_columns
    names = encoder.get_feature_names_out()
    assert list(places) == list(FRAME.columns)
    assert [j for at in places.values() for j in at] == list(range(len(names)))
    for column, at in places.items():
        assert all(name.startswith(column) for name in names[list(at)])


def test_a_holed_encoder_leaves_holes():
    encoder = TableEncoder(indicator=True).fit(FRAME)
    holed = encoder.holed()
    filled, open_ = encoder.transform(FRAME), holed.transform(FRAME)
    np.testing.assert_array_equal(np.isnan(open_[:, 0]), FRAME["age"].isna())
    np.testing.assert_array_equal(np.where(np.isnan(open_), filled, open_), filled)
    assert np.isfinite(encoder.fill_).all()  # the copy has changed nothing


def test_a_large_mean_costs_no_digits():
    frame = pd.DataFrame({"x": np.where(HOLES[:, 0], np.nan, rng.normal(1e9, 1, N))})
    encoder = TableEncoder().plan(as_source(frame))
    Z = np.concatenate([encoder.row_map(raw) for raw in as_source(frame).raw_blocks()])
    m = Moments.of(Z)
    variance = m.affine(*encoder.fill_map(m)).covariance()[0, 0]
    np.testing.assert_allclose(variance, np.var(frame["x"].fillna(frame["x"].mean())), rtol=1e-6)


def test_weights_are_counts():
    w = rng.integers(0, 3, N)
    weighted = TableEncoder(max_levels=1).fit(FRAME, sample_weight=w)
    repeated = TableEncoder(max_levels=1).fit(FRAME.loc[np.repeat(np.arange(N), w)])
    np.testing.assert_allclose(weighted.transform(FRAME), repeated.transform(FRAME), rtol=1e-12)


def test_unseen_rare_and_missing_levels():
    encoder = TableEncoder(max_levels=2, indicator=True).fit(pa.table({"c": ["a", "a", "b", "b", "z", "y", None]}))
    assert encoder.get_feature_names_out().tolist() == ["c=a", "c=b", "c=(rare)", "c=(missing)"]
    rows = encoder.transform(pa.table({"c": ["a", "y", "new", None]}))
    np.testing.assert_array_equal(rows, [[1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 1]])


def test_dates_and_booleans():
    table = pa.table({"d": [datetime.date(2024, 2, 29), None], "b": [True, None]})
    encoder = TableEncoder().fit(table)
    assert encoder.get_feature_names_out().tolist() == ["d:days", "d:month", "d:weekday", "b"]
    np.testing.assert_array_equal(encoder.transform(table), [[19782, 2, 3, 1]] * 2)
    clock = pa.table({"d": [datetime.datetime(2024, 2, 29, 18)]})
    np.testing.assert_array_equal(TableEncoder().fit_transform(clock), [[19782.75, 2, 3, 18]])


def test_names_stay_different():
    table = pa.table({"a": ["u", "v"], "a=u": [1.0, 2.0]})
    assert TableEncoder().fit(table).get_feature_names_out().tolist() == ["a=u", "a=v", "a=u'"]


def test_from_files_in_blocks(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.Table.from_pandas(FRAME.assign(y=1), preserve_index=False), path, row_group_size=100)
    FRAME.assign(y=1).to_csv(tmp_path / "t.csv", index=False)
    expected = TableEncoder().fit_transform(FRAME)
    for table in (path, tmp_path / "t.csv"):
        encoder = TableEncoder().fit(table, "y")
        assert encoder.schema_.names == tuple(FRAME.columns)
        np.testing.assert_allclose(encoder.transform(table), expected, rtol=1e-9)
        blocks = list(encoder.encoded(encoder.open(table, "y")).blocks(77))
        assert [len(b) for b in blocks] == [77] * 7 + [61] and blocks[0].y.tolist() == [1] * 77
        np.testing.assert_allclose(np.concatenate([b.X for b in blocks]), expected, rtol=1e-9)


def test_a_raw_table_later(tmp_path):
    encoder = TableEncoder().fit(FRAME)
    shuffled = FRAME[FRAME.columns[::-1]].assign(extra=1)
    blocks = encoder.encoded(encoder.open(shuffled)).blocks()
    np.testing.assert_allclose(np.concatenate([b.X for b in blocks]), encoder.transform(FRAME))
    with pytest.raises(WrongUse, match="there is no column 'town'; did you mean 'towns'"):
        encoder.open(FRAME.rename(columns={"town": "towns"}))
    (tmp_path / "t.csv").write_text("age,town,smoker,when,size\nold,Lyon,true,2020-01-01,1\n")
    with pytest.raises(BadFile, match="line 2: column 'age': 'old' is not a number"):
        encoder.transform(tmp_path / "t.csv")


def test_state_survives_json_and_arrays():
    encoder = TableEncoder(max_levels=2, types={"smoker": "boolean"}).fit(FRAME)
    state = encoder.to_state()
    plain = json.loads(json.dumps({k: v for k, v in state.items() if not isinstance(v, np.ndarray)}))
    back = TableEncoder.from_state({**state, **plain})
    np.testing.assert_array_equal(back.transform(FRAME), encoder.transform(FRAME))
    assert back.get_feature_names_out().tolist() == encoder.get_feature_names_out().tolist()
    with pytest.raises(DataError, match="does not fit its schema"):
        TableEncoder.from_state({**state, "fill": np.zeros(1)})


def test_in_a_pipeline_with_frames_out():
    y = (FRAME["size"] > 1e9).astype(int)
    pipe = make_pipeline(TableEncoder(), LogisticRegression(max_iter=10))
    assert pipe.fit(FRAME, y).predict(FRAME).shape == (N,)
    out = TableEncoder().set_output(transform="pandas").fit_transform(FRAME)
    assert list(out.columns)[:2] == ["age", "town=Brest"] and len(out) == N
    assert TableEncoder().set_output(transform="polars").fit_transform(FRAME).shape == out.shape


def test_arrays():
    X = np.array([[1.0, np.nan], [3.0, 4.0]])
    encoder = TableEncoder().fit(X)
    np.testing.assert_array_equal(encoder.transform(X), [[1, 4], [3, 4]])
    assert encoder.transform(X.astype(np.float32)).dtype == np.float32
    assert encoder.get_feature_names_out().tolist() == ["x0", "x1"]
    mixed = np.array([["u", 1], ["v", None]], dtype=object)
    np.testing.assert_array_equal(TableEncoder().fit_transform(mixed), [[1, 0, 1], [0, 1, 1]])
    with pytest.raises(TypeError, match="argument must be a string or a number"):
        TableEncoder().fit(np.array([[{}], [1]], dtype=object))


def test_texts_are_left_out_aloud():
    table = pa.table({"name": [f"n{k}" for k in range(50)], "x": np.arange(50.0)})
    with pytest.warns(DataWarning, match="column 'name': texts that hardly come back"):
        assert TableEncoder().fit(table).get_feature_names_out().tolist() == ["x"]
    with pytest.raises(DataError, match="no other column"):
        TableEncoder().fit(table.select(["name"]))
    assert TableEncoder(types={"name": "category"}).fit_transform(table).shape == (50, 51)


def test_an_all_missing_column_is_refused():
    with pytest.raises(MissingValues, match="column 'x': all its 3 cells are missing; drop it"):
        TableEncoder().fit(pa.table({"x": pa.nulls(3), "y": [1, 2, 3]}))


def test_a_hole_that_was_not_there():
    encoder = TableEncoder().fit(pa.table({"x": [1.0, 2.0]}))
    assert encoder.transform(pa.table({"x": [None]})).tolist() == [[1.5]]
    with pytest.raises(DataError, match="column 'x' has a missing cell in row 1, but had none"):
        encoder.row_map(next(as_source(pa.table({"x": [1.0, None]})).raw_blocks()))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [({"dates": "x"}, "dates is 'x'"), ({"drop": "all"}, "drop is 'all'"), ({"max_levels": 0}, "max_levels is 0")],
)
def test_wrong_parameters(options, sentence):
    with pytest.raises(WrongUse, match=sentence):
        TableEncoder(**options).fit(FRAME)
