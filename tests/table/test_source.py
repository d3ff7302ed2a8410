"""One source for every table: the same blocks whatever it came from."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from epee.errors import BadFile, DataError, DataWarning, MissingValues, WrongUse
from epee.table.block import Source
from epee.table.source import TableSource, as_source, is_table
from epee.table.sparse import is_sparse

rng = np.random.default_rng(0)
N = 9001
X = rng.normal(size=(N, 3)).round(3) + 1e3
LABELS = np.array(["cat", "dog", "eel"])[rng.integers(0, 3, N)]
TABLE = pa.table(
    {"a": X[:, 0], "b": X[:, 1], "label": LABELS, "c": X[:, 2], "w": rng.integers(0, 4, N), "g": rng.integers(0, 5, N)}
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables")
    pq.write_table(TABLE, path / "t.parquet", row_group_size=1234)
    TABLE.to_pandas().to_csv(path / "t.csv", index=False)
    TABLE.to_pandas().to_csv(path / "fr.csv.gz", index=False, sep=";", decimal=",")
    (path / "parts").mkdir()
    for k in range(3):
        pq.write_table(TABLE.slice(3001 * k, 3001), path / "parts" / f"{k}.parquet")
    return path


def tables(folder):
    yield from (folder / "t.parquet", str(folder / "t.csv"), folder / "fr.csv.gz", folder / "parts")
    yield f"SELECT * FROM '{folder}/t.parquet'"
    yield from (TABLE, TABLE.to_pandas(), pl.from_arrow(TABLE), pl.from_arrow(TABLE).lazy())


def test_every_table_gives_the_same_blocks(folder):
    reference = as_source(X, LABELS)
    for table in tables(folder):
        assert is_table(table)
        source = as_source(table, "label", sample_weight="w", groups="g")
        assert isinstance(source, Source) and source.names == ("a", "b", "c") and source.numeric
        np.testing.assert_allclose(source.origin, reference.origin, rtol=1e-14)
        for rows in (None, 1000):
            blocks = list(source.blocks(rows))
            assert [len(b) for b in blocks] == [len(b) for b in reference.blocks(rows)]
            assert [b.start for b in blocks] == [b.start for b in reference.blocks(rows)]
            np.testing.assert_array_equal(np.concatenate([b.X for b in blocks]), X)
            np.testing.assert_array_equal(np.concatenate([b.y for b in blocks]), LABELS)
            np.testing.assert_array_equal(np.concatenate([b.weight for b in blocks]), TABLE["w"].to_numpy())
        assert source.n_rows == source.count() == N
        assert source.target_levels.tolist() == ["cat", "dog", "eel"]


def test_fingerprint_is_of_the_contents(folder, tmp_path):
    pq.write_table(TABLE, tmp_path / "other.parquet", row_group_size=1234)
    pq.write_table(TABLE.slice(1), tmp_path / "less.parquet")
    assert as_source(tmp_path / "other.parquet").fingerprint == as_source(folder / "t.parquet").fingerprint
    assert as_source(tmp_path / "less.parquet").fingerprint != as_source(folder / "t.parquet").fingerprint


@given(st.lists(st.integers(0, 30), max_size=8), st.integers(1, 25))
def test_any_cut_of_the_rows_gives_the_same_blocks(sizes, step):
    n = sum(sizes)
    rows, y = np.arange(2.0 * n).reshape(n, 2), np.arange(n)
    if not n:
        return
    table = pa.table({"a": rows[:, 0], "b": rows[:, 1], "y": y})
    starts = np.cumsum([0, *sizes[:-1]])
    table = pa.concat_tables([table.slice(i, size) for i, size in zip(starts.tolist(), sizes, strict=True)])
    blocks = list(as_source(table, "y").blocks(step))
    assert [len(b) for b in blocks] == [step] * (n // step) + ([n % step] if n % step else [])
    np.testing.assert_array_equal(np.concatenate([b.X for b in blocks]), rows)
    np.testing.assert_array_equal(np.concatenate([b.y for b in blocks]), y)
    assert [b.start for b in blocks] == list(range(0, n, step))


def test_targets():
    table = pa.table(
        {"x": [1.0, 2.0, 3.0], "i": [3, 1, 3], "f": [0.5, 1.5, 0.5], "b": [True, False, True], "s": ["v", "u", "v"]}
    )
    y = lambda name, kind=None: next(as_source(table, name, target_kind=kind, columns=["x"]).blocks()).y  # noqa: E731
    assert y("i").tolist() == [3, 1, 3] and y("i").dtype == np.int64
    assert y("i", "class").tolist() == [1, 0, 1] and y("s", "class").tolist() == [1, 0, 1]
    assert y("b").tolist() == [True, False, True] and y("f", "class").tolist() == [0, 1, 0]
    assert y("i", "number").dtype == np.float64 and y("s", "label").tolist() == ["v", "u", "v"]
    np.testing.assert_array_equal(y(["i", "f"]), [[3, 0.5], [1, 1.5], [3, 0.5]])
    assert next(as_source(table, np.array([7, 8, 9]), columns=["x"]).blocks()).y.tolist() == [7, 8, 9]
    with pytest.raises(DataError, match="column 's': 'v' in row 0 is not a number.*could not convert string to float"):
        y("s", "number")
    with pytest.raises(WrongUse, match="target_kind is 'odd'"):
        y("s", "odd")


def test_schema_and_profile(folder):
    table = pa.table(
        {
            "n": [1.0, np.nan, None, 4.0],
            "c": ["u", "v", None, "u"],
            "b": [True, None, False, True],
            "d": [datetime.date(2020, 1, k + 1) for k in range(4)],
            "t": [datetime.datetime(2020, 1, 1, 10), None, None, None],
            "y": [1, 2, 3, 4],
        }
    )
    schema = as_source(table, "y").profile()
    assert schema.kinds == ("number", "category", "boolean", "date", "date")
    assert [c.missing for c in schema] == [2, 1, 1, 0, 3]
    assert schema["c"].levels == ("u", "v") and schema["c"].counts == (2, 1)
    assert (schema["d"].note, schema["t"].note) == ("", "with a time of day")
    source = as_source(folder / "t.csv")
    assert source.schema["label"].kind == "category" and source.column_schema("label").levels == ("cat", "dog", "eel")
    texts = pa.table({"name": [f"n{k}" for k in range(50)], "x": np.arange(50.0)})
    assert as_source(texts).schema["name"].kind == "text"
    assert as_source(texts, types={"name": "category"}).schema["name"].kind == "category"


def test_types_change_kinds():
    table = pa.table({"i": [1, 2, 1], "s": ["1.5", None, "3"], "z": [0, 1, None], "d": ["2020-01-02"] * 3})
    source = as_source(table, types={"i": "category", "s": "number", "z": "boolean", "d": "date"})
    block = next(source.raw_blocks())
    assert block.columns["i"].to_pylist() == ["1", "2", "1"] and source.schema["i"].levels == ("1", "2")
    np.testing.assert_array_equal(block.columns["s"], [1.5, np.nan, 3])
    np.testing.assert_array_equal(block.columns["z"], [0, 1, np.nan])
    assert block.columns["d"][0] == 18263
    with pytest.raises(DataError, match="column 'i': 2 in row 1 is neither 0 nor 1"):
        next(as_source(table.select(["i"]), types={"i": "boolean"}).blocks())
    with pytest.raises(DataError, match="which is no date"):
        next(as_source(table.select(["i"]), types={"i": "date"}).raw_blocks())


@pytest.mark.parametrize(
    ("table", "arguments", "error", "sentence"),
    [
        ({"a": [1.0]}, {"y": "b"}, WrongUse, "there is no target 'b'"),
        ({"price": [1.0], "x": [1]}, {"y": "pirce"}, WrongUse, "did you mean 'price'"),
        ({"a": [1.0], "y": [1]}, {"y": "y", "sample_weight": "ww"}, WrongUse, "there is no weight column 'ww'"),
        ({"a": [1.0], "y": [1]}, {"y": "y", "columns": ["a", "y"]}, WrongUse, "column 'y' is the target"),
        ({"y": [1]}, {"y": "y"}, DataError, r"no input column: 0 feature\(s\)"),
        ({"a": [[1, 2]]}, {}, DataError, "column 'a' holds list.*neither number, text"),
        ({"a": [1.0, 2.0]}, {"y": [1, 2, 3]}, DataError, "inconsistent numbers of samples: 2 rows, but 3 in y"),
        ({"a": ["u", "u"], "x": [1, 2]}, {}, DataError, "column 'a' holds text, not numbers.*TableEncoder"),
        ({"a": [1.0, 2.0], "y": ["u", None]}, {"y": "y"}, MissingValues, "column 'y': 1 missing label, first in row 1"),
        (
            {"a": [1.0, 2.0], "y": [1.0, None]},
            {"y": "y", "target_kind": "class"},
            MissingValues,
            "y contains NaN.*first in row 1",
        ),
        ({"a": [1.0], "w": [-1]}, {"sample_weight": "w"}, DataError, "sample_weight: column 'w' is -1.*row 0"),
        (
            {"a": [1.0], "w": [None]},
            {"sample_weight": "w"},
            DataError,
            r"sample_weight: column 'w' is missing \(NaN\) in row 0",
        ),
        ({"a": [1.0]}, {"types": {"a": "float"}}, WrongUse, "no kind 'float'"),
        ({"a": [1.0]}, {"types": {"b": "number"}}, WrongUse, "no column 'b'"),
    ],
)
def test_faults(table, arguments, error, sentence):
    with pytest.raises(error, match=sentence):
        list(as_source(pa.table(table), **arguments).blocks())


def test_a_missing_label_of_a_csv_has_its_line(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n1,u\n2,\n")
    with pytest.raises(MissingValues, match="first in line 3"):
        list(as_source(tmp_path / "t.csv", "y").blocks())


def test_an_array_of_another_length_on_a_stream(tmp_path):
    pq.write_table(TABLE.select(["a"]), tmp_path / "t.parquet")
    source = as_source(f"SELECT * FROM '{tmp_path}/t.parquet'", np.zeros(5))
    with pytest.raises(DataError, match="inconsistent numbers of samples: 9001 rows, but 5 in y"):
        list(source.blocks())


def test_missing_cells_do_not_spoil_the_origin():
    origin = as_source(pa.table({"a": [None, 1.0, 3.0], "b": pa.nulls(3)})).origin
    np.testing.assert_array_equal(origin, [2, 0])
    mixed = as_source(pa.table({"a": [1.0, 3.0], "s": ["u", "v"]}))
    assert isinstance(mixed, Source) and mixed.origin.tolist() == [2, 0]


def test_float32_stays():
    table = pa.table({"a": pa.array([1.0, 2.0], pa.float32()), "b": pa.array([1, None], pa.int8())})
    block = next(as_source(table).blocks())
    assert block.X.dtype == np.float32
    np.testing.assert_array_equal(block.X, np.array([[1, 1], [2, np.nan]], np.float32))


def test_long_whole_numbers_are_said(tmp_path):
    source = as_source(pa.table({"id": [2**60, 3], "x": [1, 2**53]}))
    with pytest.warns(DataWarning, match="column 'id' holds whole numbers above 2.53") as said:
        list(source.blocks())
    assert len(said) == 1
    (tmp_path / "t.csv").write_text("id,x\n12345678901234567,1e300\n3,2\n")
    with pytest.warns(DataWarning, match="column 'id': whole numbers above 2.53") as said:
        as_source(tmp_path / "t.csv")
    assert len(said) == 1


def test_arrays_and_sparse():
    assert not is_table(X) and as_source(X).n_rows == N
    S = scipy.sparse.random(300, 4, density=0.2, random_state=0, format="csc")
    with pytest.raises(TypeError, match="sparse matrix .*Sparse data was passed"):
        as_source(S)
    blocks = list(as_source(S, np.arange(300), accept_sparse=True).blocks(100))
    np.testing.assert_array_equal(np.concatenate([b.X for b in blocks]), S.toarray())
    np.testing.assert_array_equal(np.concatenate([b.y for b in blocks]), np.arange(300))
    with pytest.raises(DataError, match="Complex data not supported"):
        as_source(S.astype(complex), accept_sparse=True)


def test_dask():
    dd = pytest.importorskip("dask.dataframe")
    da = pytest.importorskip("dask.array")
    frame = pd.DataFrame({"a": np.arange(10.0), "y": ["u", "v"] * 5})
    source = as_source(dd.from_pandas(frame, npartitions=3), "y")
    assert is_table(dd.from_pandas(frame, npartitions=3)) and source.n_rows is None
    blocks = list(source.blocks(4))
    assert np.concatenate([b.X for b in blocks]).ravel().tolist() == frame["a"].tolist() and source.n_rows == 10
    array = da.from_array(X[:100], chunks=(30, 2))
    np.testing.assert_array_equal(next(as_source(array).blocks(100)).X, X[:100])


def test_damage_reaches_the_reader(folder, tmp_path):
    data = bytearray((folder / "t.parquet").read_bytes())
    data[1000:30_000] = b"\xff" * 29_000
    (tmp_path / "bad.parquet").write_bytes(bytes(data))
    with pytest.raises(BadFile, match="damaged after row"):
        list(as_source(tmp_path / "bad.parquet", "label").blocks())


def test_leaving_early_is_clean(folder):
    for _ in range(3):
        assert isinstance(as_source(folder / "t.parquet"), TableSource)
        assert len(next(as_source(folder / "t.parquet", "label").blocks(10))) == 10


def test_kinds_and_counts_in_public(tmp_path):
    table = pa.table({"x": [1.0, None, 3.0], "town": ["a", "b", "a"], "n": ["1", "2", "3"]})
    source = as_source(table, types={"n": "category"})
    assert [source.kind(name) for name in source.names] == ["number", "text", "category"]
    x, town = source.counted(["x", "town"])
    assert x.missing == 1 and town.levels == ("a", "b") and town.counts == (2, 1)
    assert not source.weighted and as_source(table, sample_weight="x").weighted


def test_a_frame_that_answers_to_every_name_is_not_sparse():
    """Remote frames of Spark take any name for that of a column."""

    class Remote:
        def __getattr__(self, name):
            return f"column {name}"

    assert not is_sparse(Remote())
    assert all(
        is_sparse(kind(np.eye(2))) for kind in (scipy.sparse.csr_array, scipy.sparse.coo_matrix, scipy.sparse.dia_array)
    )
