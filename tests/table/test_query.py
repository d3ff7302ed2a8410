"""SQL on files: one SELECT, our reading of CSV, a stable order."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epee.errors import BadFile, DataError, EmptyTable, TooLarge, WrongUse
from epee.settings import options
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
        ("SELECT * FROM 'absent*.parquet'", FileNotFoundError, "there is no file"),
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


ENDLESS = "SELECT range AS a, 2 AS y FROM range(1000000000000000)"


@pytest.mark.parametrize(
    ("sql", "error", "sentence"),
    [
        ("SELECT nofun(a) FROM 't.parquet'", WrongUse, "nofun"),
        ("SELECT * FROM read_xlsx('a.xlsx')", WrongUse, "read_xlsx, which is not allowed"),
        ("SELECT * FROM sqlite_scan('a', 'b')", WrongUse, "not allowed"),
        ("SELECT st_point(1, 2) AS p", WrongUse, "extension"),
        ("SELECT * FROM read_text('/etc/passwd')", WrongUse, "not allowed"),
        ("SELECT * FROM read_blob('/etc/passwd')", WrongUse, "not allowed"),
        ("SELECT * FROM glob('/etc/*')", WrongUse, "not allowed"),
        ("SELECT * FROM duckdb_settings()", WrongUse, "not allowed"),
        ("SELECT * FROM query('SELECT 1')", WrongUse, "not allowed"),
        ("SELECT * FROM '/etc/passwd'", WrongUse, "no table"),
        ("SELECT * FROM read_parquet('/etc/passwd')", WrongUse, "no table"),
        ("SELECT * FROM read_csv('/etc/passwd')", WrongUse, "no table"),
        ("SELECT * FROM read_csv('fr.csv', header = true)", WrongUse, "options"),
        ("SELECT * FROM read_parquet(concat('/etc/', 'passwd'))", (DataError, WrongUse), "."),
        ("SELECT * FROM 'https://example.org/t.parquet'", WrongUse, "not on this machine"),
        ("SELECT * FROM read_parquet('s3://bucket/t.parquet')", WrongUse, "not on this machine"),
        ("SELECT * FROM frame", WrongUse, "frame"),  # a variable of this module is no table
        ("/* all */ SELECT a FRM 't.parquet' -- wrong", WrongUse, "syntax error"),
        ("SELECT a, g AS A FROM 't.parquet'", DataError, "'a' and 'A'"),
        ("SELECT * FROM 'alike.csv'", DataError, "'x' and 'X'"),
        ("COPY (SELECT 1) TO 'x.csv'", WrongUse, "one SELECT"),
        ("SELECT 1; SELECT 2", WrongUse, "one SELECT"),
        ("SELECT '", WrongUse, "unterminated"),
        ("SELECT (" * 2000 + "1", WrongUse, "."),
        ("SELECT interval 1 day AS d", DataError, "neither number"),
        ("SELECT (a || 'x')::int AS a FROM 't.parquet'", DataError, "."),
    ],
)
def test_what_a_query_may_not_do_is_a_sentence(sql, error, sentence, folder):
    (folder / "alike.csv").write_text("x,X\n1,2\n")
    with pytest.raises(error, match=sentence) as found:
        content(sql)
    assert "root:" not in str(found.value) and "\n" not in str(found.value)


frame = pa.table({"a": [1.0]})


@pytest.mark.parametrize(
    "sql",
    ["-- all\nSELECT a FROM 't.parquet' -- done", "/* a */ FROM 't.parquet'; -- done", "(SELECT a FROM 't.parquet')"],
)
def test_comments_are_no_obstacle(sql):
    assert is_query(sql) and len(content(sql)["a"]) == 50_000


def test_leading_zeros_are_kept_by_read_csv_too(folder):
    (folder / "zeros.csv").write_text("code,v\n007,1\n012,2\n")
    for table in ("'zeros.csv'", "read_csv('zeros.csv')", "read_csv_auto( 'zeros.csv' )", "READ_CSV('zeros.csv') AS t"):
        assert content(f"SELECT * FROM {table}")["code"] == ["007", "012"]


def test_a_quoted_name_is_one_file(folder):
    for name, value in (("t[12].parquet", 5), ("t1.parquet", 1), ("t2.parquet", 2)):
        pq.write_table(pa.table({"a": [value]}), folder / name)
    assert content("SELECT * FROM 't[12].parquet'") == {"a": [5]}
    assert content("SELECT * FROM 't?.parquet' ORDER BY a") == {"a": [1, 2]}
    assert content("SELECT * FROM read_parquet('t1.parquet')") == {"a": [1]}


def test_an_endless_query_is_refused_at_the_limit():
    with options(memory="20MB"), pytest.raises(TooLarge, match="20 MB.*--memory"):
        QueryBatches(ENDLESS)
    with options(memory="30MB"), pytest.raises(TooLarge, match="--memory"):
        QueryBatches("SELECT list(range) AS l FROM range(1000000000)")
