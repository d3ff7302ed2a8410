"""SQL on files: one SELECT, our reading of CSV, a stable order."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epee.errors import BadFile, DataError, EmptyTable, WrongUse
from epee.table.query import QueryBatches, is_query


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    n = 50_000
    pq.write_table(pa.table({"a": np.arange(n), "g": np.arange(n) % 7}), "t.parquet", row_group_size=5000)
    (tmp_path / "fr.csv").write_text("code;prix\n007;1 234,5\n012;2,5\n")
    return tmp_path


def content(sql):
    batches = QueryBatches(sql)
    first = pa.Table.from_batches(list(batches.read(batches.fields.names, 1000)))
    again = pa.Table.from_batches(list(batches.read(batches.fields.names, 777)))
    assert first == again
    assert batches.n_rows == first.num_rows
    return first.to_pydict()


def test_is_query(folder):
    assert (
        is_query("  with t as (select 1) select * from t") and is_query("FROM 't.parquet'") and is_query("(select 1)")
    )
    assert not is_query("select.csv") and not is_query("t.parquet")
    (folder / "select me").write_text("")
    assert not is_query("select me")


def test_scan_keeps_the_order_of_the_file():
    rows = content("SELECT a, a * 2 AS b FROM 't.parquet' WHERE g = 3;")
    assert rows["a"] == list(range(3, 50_000, 7)) and rows["b"][1] == 20


def test_groups_and_samples_are_kept_once():
    assert sorted(content("SELECT g, count(*) AS n FROM 't.parquet' GROUP BY g")["g"]) == list(range(7))
    content("SELECT a, random() AS r FROM 't.parquet'")
    content("SELECT * FROM 't.parquet' USING SAMPLE 100")


def test_csv_is_read_by_our_rules():
    assert content("SELECT * FROM 'fr.csv'") == {"code": ["007", "012"], "prix": [1234.5, 2.5]}
    assert content("SELECT t.a, f.prix FROM 't.parquet' t JOIN 'fr.csv' f ON t.a = f.code::int ORDER BY 1")["prix"] == [
        1234.5,
        2.5,
    ]


@pytest.mark.parametrize(
    ("sql", "error", "sentence"),
    [
        ("SELECT nope FROM 't.parquet'", WrongUse, "the query cannot be run: .*nope.* not found"),
        ("SELECT a FRM 't.parquet'", WrongUse, "the query cannot be run: "),
        ("SELECT 1; DROP TABLE x", WrongUse, "one SELECT statement"),
        ("SELECT * FROM 'absent.parquet'", FileNotFoundError, "there is no file 'absent.parquet'"),
        ("SELECT * FROM 'absent*.parquet'", FileNotFoundError, "names a file that is not there"),
        ("SELECT * FROM nowhere", WrongUse, "nowhere"),
        ("SELECT a::varchar || 'x' AS s FROM 't.parquet' WHERE (s::int) > 0", DataError, "the query (failed|met)"),
    ],
)
def test_faults(sql, error, sentence):
    with pytest.raises(error, match=sentence):
        content(sql)


def test_no_rows():
    with pytest.raises(EmptyTable, match="0 sample"):
        content("SELECT * FROM 't.parquet' WHERE a < 0")
    with pytest.raises(EmptyTable, match="0 sample"):
        content("SELECT g, count(*) FROM 't.parquet' WHERE a < 0 GROUP BY g")


def test_a_damaged_csv_is_named(folder):
    (folder / "bad.csv").write_text("a,b\n1\n")
    with pytest.raises(BadFile, match="bad.csv, line 2"):
        QueryBatches("SELECT * FROM 'bad.csv'")


def test_the_result_goes_with_its_files(folder):
    batches = QueryBatches("SELECT * FROM 't.parquet'")
    assert batches.fingerprint() == QueryBatches("SELECT * FROM 't.parquet'").fingerprint()
    assert batches.fingerprint() != QueryBatches("SELECT a FROM 't.parquet'").fingerprint()
    pq.write_table(pa.table({"a": [1], "g": [2]}), "t.parquet")
    with pytest.raises(BadFile, match="changed or removed"):
        list(batches.read(["a"], 10))
