"""Every format gives the table that Arrow would: the same schema, the same cells, by its bytes and not by its name."""

from __future__ import annotations

import bz2
import datetime
import gzip
import io
import json
import lzma
import sqlite3
import sys
import warnings
import zipfile

import duckdb
import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import epee
from epee.errors import BadFile, DataError, EmptyTable, WrongUse
from epee.table.files import open_path
from epee.table.formats import FORMATS
from epee.table.source import as_source

N = 60
TOWNS = ["Orléans", "Besançon", "L'Haÿ-les-Roses", 'a "quoted", town', None, "Œuilly"]


def awkward(n=N):
    """Return French texts, missing cells, dates, times, booleans, large whole numbers, numbers of all sizes."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=n) * 10.0 ** rng.integers(-8, 8, n)
    days = [datetime.date(1969, 12, 30) + datetime.timedelta(days=k * 37) for k in range(n)]
    return pa.table({
        "ville": pa.array([TOWNS[k % 6] for k in range(n)]),
        "taille (m²)": pa.array(np.where(np.arange(n) % 7 == 0, None, x).tolist(), pa.float64()),
        "né le": pa.array([None if k % 5 == 0 else d for k, d in enumerate(days)]),
        "vu": pa.array([None if k % 9 == 0 else datetime.datetime(2024, 2, 29, k % 24, k % 60, 7) for k in range(n)], pa.timestamp("us")),
        "actif": pa.array([None if k % 8 == 0 else k % 3 == 0 for k in range(n)]),
        "grand": pa.array([2**53 + 1 + k for k in range(n)]),
        "n": pa.array(range(n)),
    })  # fmt: skip


TABLE = awkward()


def write_csv(table, path):
    import pyarrow.csv

    pyarrow.csv.write_csv(table, path)


def write_json(table, path):
    path.write_text(json.dumps(table.to_pylist(), default=str, ensure_ascii=False), encoding="utf-8")


def write_json_lines(table, path):
    lines = [json.dumps(row, default=str, ensure_ascii=False) for row in table.to_pylist()]
    path.write_text("\n".join(lines), encoding="utf-8")


def write_excel(table, path):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(table.column_names)
    for row in zip(*table.to_pydict().values(), strict=True):
        sheet.append(row)
    book.save(path)


def write_sqlite(table, path, name="t"):
    kinds = {"string": "TEXT", "double": "REAL", "int64": "INTEGER", "bool": "BOOLEAN"}
    declared = ", ".join(f'"{f.name}" {kinds.get(str(f.type), "TIMESTAMP")}' for f in table.schema)
    name = name.replace('"', '""')
    with sqlite3.connect(path) as base:
        base.execute(f'CREATE TABLE "{name}" ({declared})')
        rows = [[str(c) if isinstance(c, datetime.date) else c for c in row.values()] for row in table.to_pylist()]
        base.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * table.num_columns)})', rows)
    base.close()


def write_duckdb(table, path, name="t"):
    name = name.replace('"', '""')
    with duckdb.connect(str(path)) as base:
        base.register("given", table)
        base.execute(f'CREATE TABLE "{name}" AS SELECT * FROM given')


def write_arff(table, path):
    def cell(value):
        if value is None:
            return "?"
        if isinstance(value, str):
            return "'" + value.replace("'", "\\'") + "'"
        return str(value).lower() if isinstance(value, bool) else str(value)

    kinds = {"string": "string", "double": "numeric", "int64": "integer", "bool": "{true, false}"}
    kinds |= {"date32[day]": 'date "yyyy-MM-dd"', "timestamp[us]": 'date "yyyy-MM-dd HH:mm:ss"'}
    lines = ["% a remark", "@RELATION odd", ""]
    lines += [f"@ATTRIBUTE '{f.name}' {kinds[str(f.type)]}" for f in table.schema]
    lines += ["@DATA", *(",".join(map(cell, row.values())) for row in table.to_pylist())]
    path.write_text("\n".join(lines), encoding="utf-8")


def write_feather_one(table, path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pyarrow.feather.write_feather(table, path, version=1)


def write_ipc(table, path, **options):
    with pa.ipc.new_file(path, table.schema, **options) as writer:
        writer.write_table(table, max_chunksize=17)


def write_stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=17)


WRITERS = {
    "csv": write_csv,
    "parquet": lambda table, path: pq.write_table(table, path, row_group_size=17),
    "arrow": write_ipc,
    "arrow lz4": lambda table, path: write_ipc(table, path, options=pa.ipc.IpcWriteOptions(compression="lz4")),
    "stream": write_stream,
    "feather": lambda table, path: pyarrow.feather.write_feather(table, path),
    "feather 1": write_feather_one,
    "json lines": write_json_lines,
    "json": write_json,
    "excel": write_excel,
    "sqlite": write_sqlite,
    "duckdb": write_duckdb,
    "arff": write_arff,
}


def cells(source, rows=13):
    """Return all cells of a table as the source gives them, by column."""
    found = {name: [] for name in source.names}
    for raw in source.raw_blocks(rows):
        for name, column in raw.columns.items():
            found[name] += column.tolist() if isinstance(column, np.ndarray) else column.to_pylist()
    return found


def check_equal(source, table=TABLE):
    expected = as_source(table)
    assert source.names == expected.names
    ours, theirs = source.profile(), expected.profile()
    for a, b in zip(ours, theirs, strict=True):
        assert (a.name, a.kind, a.levels, a.counts, a.missing, a.note) == (
            b.name,
            b.kind,
            b.levels,
            b.counts,
            b.missing,
            b.note,
        )
    mine, right = cells(source), cells(expected)
    for name in expected.names:
        if isinstance(right[name][0], float | int):
            np.testing.assert_allclose(mine[name], right[name], rtol=1e-15, err_msg=name)
        else:
            assert mine[name] == right[name]
    assert source.n_rows == table.num_rows


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", epee.errors.DataWarning)
        yield


@pytest.mark.parametrize("name", ["table", "table.csv", "odd [1]*.parquets"])
@pytest.mark.parametrize("kind", WRITERS)
def test_round_trip_whatever_the_name(tmp_path, kind, name):
    WRITERS[kind](TABLE, tmp_path / name)
    batches = open_path(tmp_path / name)
    check_equal(as_source(tmp_path / name))
    check_equal(as_source(tmp_path / name))  # and again
    said = [note for note in batches.notes if "whatever its name says" in note]
    assert bool(said) == (name == "table.csv" and kind != "csv")
    assert batches.fingerprint() == open_path(tmp_path / name).fingerprint()


@pytest.mark.parametrize("kind", WRITERS)
def test_some_columns_in_any_order(tmp_path, kind):
    WRITERS[kind](TABLE, tmp_path / "t")
    some = ["n", "ville", "actif"]
    batches = open_path(tmp_path / "t")
    for rows in (7, 1000):
        read = pa.Table.from_batches(list(batches.read(some, rows)))
        assert read.column_names == some and read["n"].to_pylist() == list(range(N))
        assert read["ville"].to_pylist() == TABLE["ville"].to_pylist()


@pytest.mark.parametrize("kind", WRITERS)
def test_a_damaged_file_is_one_sentence(tmp_path, kind):
    path = tmp_path / "t.bin"
    WRITERS[kind](awkward(3000), path)
    whole = path.read_bytes()
    if kind == "csv":
        path.write_bytes(whole[: len(whole) // 2].rsplit(b",", 2)[0])
    elif kind == "arff":
        path.write_bytes(whole[: len(whole) // 2].rsplit(b",", 1)[0])
    else:
        path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError) as caught:
        for _ in as_source(path).raw_blocks():
            pass
    assert "t.bin" in str(caught.value) and "\n" not in str(caught.value)


def fault_of(path):
    """Return the sentence about a file, None where it can be read."""
    try:
        for _ in as_source(path).raw_blocks():
            pass
    except (DataError, WrongUse) as fault:
        return str(fault)
    return None


@pytest.mark.parametrize("kind", ["json lines", "arrow", "sqlite", "duckdb", "excel", "arff"])
def test_spoilt_bytes_are_read_or_are_a_sentence(tmp_path, kind):
    WRITERS[kind](TABLE, tmp_path / "t")
    whole = bytearray((tmp_path / "t").read_bytes())
    rng = np.random.default_rng(0)
    for _ in range(10):
        spoilt = whole.copy()
        for place in rng.integers(0, len(whole), 20):
            spoilt[place] = rng.integers(0, 256)
        (tmp_path / "spoilt").write_bytes(spoilt)
        sentence = fault_of(tmp_path / "spoilt")  # any other exception fails the test
        assert sentence is None or (sentence and "\n" not in sentence)


@pytest.mark.parametrize("kind", [kind for kind in WRITERS if kind not in ("excel",)])
def test_an_empty_table(tmp_path, kind):
    WRITERS[kind](TABLE.slice(0, 0), tmp_path / "t")
    with pytest.raises(EmptyTable):
        list(open_path(tmp_path / "t").read(["n"], 10))
    (tmp_path / "none").write_bytes(b"")
    with pytest.raises(EmptyTable, match=r"none is empty \(0 bytes\)"):
        open_path(tmp_path / "none")


PACK = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda b: pa.compress(b, "zstd", asbytes=True),
}


@pytest.mark.parametrize("pack", PACK)
@pytest.mark.parametrize("kind", ["csv", "json lines", "arff", "sqlite", "arrow"])
def test_packed(tmp_path, kind, pack):
    WRITERS[kind](TABLE, tmp_path / "t")
    whole = (tmp_path / "t").read_bytes()
    (tmp_path / f"t.{pack}").write_bytes(PACK[pack](whole))
    check_equal(as_source(tmp_path / f"t.{pack}"))
    (tmp_path / f"cut.{pack}").write_bytes(PACK[pack](whole)[:-12])
    with pytest.raises(DataError, match=f"cut.{pack}"):
        for _ in as_source(tmp_path / f"cut.{pack}").raw_blocks():
            pass


def test_zip_archives(tmp_path):
    write_csv(TABLE, tmp_path / "t.csv")
    write_json(TABLE, tmp_path / "t.json")
    with zipfile.ZipFile(tmp_path / "one.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(tmp_path / "t.csv", "folder/t.csv")
    check_equal(as_source(tmp_path / "one.zip"))
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.write(tmp_path / "t.csv", "t.csv")
        archive.write(tmp_path / "t.json", "t.json")
    with pytest.raises(WrongUse, match=r"two.zip holds 2 files: 't.csv', 't.json'; choose one: two.zip::t.csv"):
        open_path(tmp_path / "two.zip")
    check_equal(as_source(f"{tmp_path}/two.zip::t.json"))
    (tmp_path / "cut.zip").write_bytes((tmp_path / "one.zip").read_bytes()[:-30])
    with pytest.raises(BadFile, match="cut.zip is a damaged zip archive"):
        open_path(tmp_path / "cut.zip")


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_several_tables(tmp_path, kind):
    path = tmp_path / f"base.{kind}"
    WRITERS[kind](TABLE, path, "les ventes")
    check_equal(as_source(path))
    WRITERS[kind](TABLE.slice(0, 5), path, 'other"s')
    with pytest.raises(WrongUse, match=r"holds 2 tables: 'les ventes', 'other\"s'; choose one: base.\w+::les ventes"):
        open_path(path)
    check_equal(as_source(f"{path}::les ventes"))
    assert as_source(f'{path}::other"s').n_rows == 5
    with pytest.raises(WrongUse, match="holds no table 'nothing'; there are 'les ventes'"):
        open_path(f"{path}::nothing")


def test_several_sheets(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "vide"
    path = tmp_path / "book.xlsx"
    for title in ("2023", "2024"):
        sheet = book.create_sheet(title)
        sheet.append([])  # an empty line before the names
        sheet.append(["a", None, "b", "c"])
        sheet.append([1, None, "u", "#N/A"])
        sheet.append([])
        sheet.append([2.5, None, 3, 7])
        sheet.append(["-", None, None, None])
    book.save(path)
    with pytest.raises(WrongUse, match=r"book.xlsx holds 2 sheets: '2023', '2024'; choose one: book.xlsx::2023"):
        open_path(path)
    batches = open_path(f"{path}::2024")
    table = pa.Table.from_batches(list(batches.read(["a", "b", "c"], 10))).to_pydict()
    assert table == {"a": [1.0, 2.5, None], "b": ["u", "3", None], "c": [None, 7, None]}
    assert any("'b'" in note and "several types" in note for note in batches.notes)
    assert any("'c'" in note and "#N/A" in note for note in batches.notes)
    empty = openpyxl.Workbook()
    empty.save(tmp_path / "empty.xlsx")
    with pytest.raises(EmptyTable, match="empty.xlsx holds no sheet"):
        open_path(tmp_path / "empty.xlsx")


def test_folders_of_any_format(tmp_path):
    for kind in ("json lines", "arrow", "sqlite"):
        folder = tmp_path / kind
        folder.mkdir()
        end = {"json lines": "jsonl", "arrow": "arrow", "sqlite": "db"}[kind]
        for k in range(3):
            WRITERS[kind](TABLE.slice(20 * k, 20), folder / f"{k}.{end}")
        source = as_source(folder)
        check_equal(source)
        assert source.batches.where(25) == f"row 5 of 1.{end}"
    write_csv(TABLE, tmp_path / "json lines" / "t.csv")
    check_equal(
        as_source(tmp_path / "json lines")
    )  # a table in CSV is the table; what lies beside it in JSON is a note


@pytest.mark.parametrize("kind", ["json", "excel", "arrow", "duckdb"])
def test_standard_input(tmp_path, monkeypatch, kind):
    WRITERS[kind](TABLE, tmp_path / "t")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((tmp_path / "t").read_bytes())))
    check_equal(as_source("-"))


@pytest.mark.parametrize("address", ["https://x.org/t.csv", "s3://bucket/t.parquet", "ftp://x/t.csv", "HTTP://x/t"])
def test_addresses_are_refused(address):
    with pytest.raises(WrongUse, match="is an address, and only files are read here: fetch it first"):
        open_path(address)


def test_unknown_bytes_are_shown(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"\x01\x02XYZ\0\0\0\x07\x08")
    with pytest.raises(BadFile, match=r"t.csv is no table that is known here: it begins with b'\\x01\\x02XYZ"):
        open_path(tmp_path / "t.csv")


def test_svmlight(tmp_path):
    rng = np.random.default_rng(0)
    X, y = np.round(rng.normal(size=(30, 4)), 6) * (rng.random((30, 4)) < 0.5), rng.integers(0, 2, 30)
    for zero in (True, False):
        dump_svmlight_file(X, y, str(tmp_path / "t.csv"), zero_based=zero, query_id=np.arange(30) // 3)
        source = as_source(tmp_path / "t.csv", "target", groups="query")
        theirs, labels = load_svmlight_file(str(tmp_path / "t.csv"), n_features=4, zero_based=zero)
        block = next(source.blocks())
        np.testing.assert_allclose(block.X, theirs.toarray(), rtol=1e-15)
        np.testing.assert_array_equal(block.y, labels)
        assert source.names == tuple(f"x{j + (not zero)}" for j in range(4)) and source.n_rows == 30
        assert any("svmlight" in note for note in source.notes)
    (tmp_path / "bad").write_text("1 1:2\n1 2:3\n" + "0 1:1\n" * 3000 + "1 x:4\n")
    with pytest.raises(BadFile, match="bad, line 3003: '1 x:4' is not"):
        open_path(tmp_path / "bad")
    (tmp_path / "wide").write_text("1 1:2\n1 900000:3\n")
    assert open_path(tmp_path / "wide").fields.names == ["target", "x"]  # too many to look at one by one


def test_arff_as_it_comes(tmp_path):
    (tmp_path / "t.arff").write_text(
        "@relation r\n@attribute a real\n@attribute 'the class' {yes, 'not yet', \"no\"}\n@attribute s string\n@data\n"
        "% remark\n1.5, 'not yet', \"it's, so\"\n?,?,?\n{0 2, 1 no, 2 'x y'}\n{}\n"
    )
    table = pa.Table.from_batches(list(open_path(tmp_path / "t.arff").read(["a", "the class", "s"], 2))).to_pydict()
    assert table["a"] == [1.5, None, 2.0, 0.0]
    assert table["the class"] == ["not yet", None, "no", "yes"]
    assert table["s"][:3] == ["it's, so", None, "x y"]
    head = "@relation r\n@attribute a real\n@attribute c {u, v}\n@data\n"
    for line, words in (
        ("1", "line 5: 1 cell, but 2"),
        ("x, u", "column 'a': 'x' is not a number"),
        ("1, w", "'w' is not one of"),
    ):
        (tmp_path / "bad.arff").write_text(head + line + "\n")
        with pytest.raises(BadFile, match=words):
            list(open_path(tmp_path / "bad.arff").read(["a", "c"], 10))
    (tmp_path / "bad.arff").write_text("@relation r\n@attribute a relational\n@data\n")
    with pytest.raises(BadFile, match="attribute 'a' is of the type 'relational'"):
        open_path(tmp_path / "bad.arff")


def test_json_as_it_comes(tmp_path):
    (tmp_path / "t.json").write_text('{"a": 1, "b": "x"}\n{"b": 2}\n{"a": 2.5, "b": null, "c": true}\n')
    batches = open_path(tmp_path / "t.json")
    table = pa.Table.from_batches(list(batches.read(["a", "b", "c"], 2))).to_pydict()
    assert table == {"a": [1.0, None, 2.5], "b": ["x", "2", None], "c": [None, None, True]}
    assert any("'b'" in note and "several types" in note for note in batches.notes)
    (tmp_path / "t.json").write_text('[{"a": {"b": 1}}]')
    with pytest.raises(DataError, match="column 'a' holds struct"):
        as_source(tmp_path / "t.json")
    (tmp_path / "t.json").write_text("[[1, 2], [3, 4]]")
    with pytest.raises(BadFile, match="neither lines of objects nor an array of objects"):
        open_path(tmp_path / "t.json")


def test_sqlite_as_it_comes(tmp_path):
    with sqlite3.connect(tmp_path / "t.db") as base:
        base.execute("CREATE TABLE t (a, b, c, d)")
        base.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [(1, "", None, "x"), (2.5, 3, None, 4)])
    base.close()
    with pytest.raises(DataError, match="column 'd' of t.db mixes 1 numbers with 1 texts, 'x' for one"):
        open_path(tmp_path / "t.db")
    with sqlite3.connect(tmp_path / "t.db") as base:
        base.execute("ALTER TABLE t DROP COLUMN d")
    base.close()
    table = pa.Table.from_batches(list(open_path(tmp_path / "t.db").read(["a", "b", "c"], 1))).to_pydict()
    assert table == {"a": [1.0, 2.5], "b": [None, 3], "c": [None, None]}
    with sqlite3.connect(tmp_path / "t.db") as base:
        base.execute("UPDATE t SET c = x'00ff'")
    base.close()
    with pytest.raises(DataError, match="column 'c' of t.db holds 2 cells of bytes"):
        open_path(tmp_path / "t.db")


def test_a_database_in_use_is_no_damaged_one(tmp_path):
    path = tmp_path / "t.db"
    write_sqlite(TABLE, path)
    base = sqlite3.connect(path, isolation_level=None)
    base.execute("PRAGMA journal_mode = wal")
    base.execute("INSERT INTO t (n) VALUES (1000)")  # not yet in the file itself
    assert open_path(path).n_rows == N + 1
    base.execute("PRAGMA journal_mode = delete")
    base.execute("BEGIN EXCLUSIVE")
    with pytest.raises(BadFile, match="t.db is in use by another program: database is locked"):
        open_path(path)
    base.close()


@pytest.mark.parametrize("kind", ["json lines", "json", "sqlite", "duckdb", "arrow", "parquet", "arff"])
def test_order_and_numbers_of_a_long_table(tmp_path, kind):
    n = 70_000
    table = pa.table({"k": np.arange(n), "x": np.arange(n) / 7})
    WRITERS[kind](table, tmp_path / "t")
    batches = open_path(tmp_path / "t")
    seen = [batch.column(0).to_numpy() for batch in batches.read(["k"], 5000)]
    assert max(map(len, seen)) < n  # in blocks
    np.testing.assert_array_equal(np.concatenate(seen), np.arange(n))
    line = epee.LinearRegression().fit(tmp_path / "t", "x")
    assert line.coef_[0] == pytest.approx(1 / 7, rel=1e-12)


def test_one_line_a_format():
    assert len({f.looks for f in FORMATS}) == len(FORMATS)
    for f in FORMATS:
        assert f.reader is None or issubclass(f.reader(), epee.table.filebatches.FileBatches)
