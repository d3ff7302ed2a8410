"""CSV as it comes in life; every fault is a sentence with file, line and value."""

from __future__ import annotations

import csv
import gzip
import lzma
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epee.errors import BadFile, DataError, DataWarning, EmptyTable, WrongUse
from epee.table import bytestream, textfile
from epee.table.delimited import Reading, TextBatches


@pytest.fixture
def write(tmp_path):
    def make(data, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return str(path)

    return make


def rows(path, types=None, sample_bytes=None, **said):
    batches = TextBatches([path], path.rpartition("/")[2], Reading(**said), types, sample_bytes)
    return pa.Table.from_batches(list(batches.read(batches.fields.names, 1000)), batches.fields).to_pylist()


FRENCH = "nom;prix;n\nÉté;1\u00a0234,5;1\nhiver;0,25;2\n"
READ = [{"nom": "Été", "prix": 1234.5, "n": 1.0}, {"nom": "hiver", "prix": 0.25, "n": 2.0}]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_french_file(write, encoding):
    assert rows(write(FRENCH.encode(encoding))) == READ


def test_cp1252_is_said_aloud(write):
    path = write(FRENCH.encode("cp1252"))
    with pytest.warns(DataWarning, match="not UTF-8; it is read as cp1252"):
        assert rows(path) == READ
    assert rows(path, encoding="cp1252") == READ


def test_cp1252_after_the_first_bytes(write, monkeypatch):
    monkeypatch.setattr(textfile, "HEAD_BYTES", 64)
    data = b"a,b\n" + b"1,x\n" * 50 + "2,é\n".encode("cp1252")
    with pytest.warns(DataWarning, match="read as cp1252"):
        assert rows(write(data))[-1] == {"a": 2.0, "b": "é"}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends(write, end, last):
    text = end.join(["a,b", "1,2", "3,4"]) + (end if last else "")
    assert rows(write(text)) == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]


def test_quotes(write):
    text = 'a,b\n1,"x\ny"\n2,"say ""hi"", then"\n3,5" pipe\n'
    assert [r["b"] for r in rows(write(text))] == ["x\ny", 'say "hi", then', '5" pipe']


@pytest.mark.parametrize(
    ("name", "pack"), [("t.csv.gz", gzip.compress), ("t.csv.xz", lzma.compress), ("t.csv", gzip.compress)]
)
def test_compressed(write, name, pack):
    assert rows(write(pack(b"a,b\n1,2\n"), name)) == [{"a": 1, "b": 2}]


def test_tsv(write):
    assert rows(write("a\tb,c\n1,5\t2\n", "t.tsv")) == [{"a": 1.5, "b,c": 2}]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"a,b\n1,2\n3,4,5\n", r"t.csv, line 3: 3 cells where 2 are expected \(too many.*'3,4,5'"),
        (b"a,b\n1,2\n3", r"t.csv, line 3: 1 cell where 2 are expected \(too few; is the file truncated\?\): '3'"),
        (b'a,b\n1,"x\ny"\n3\n', r"t.csv, line 4: 1 cell"),
        (b'a,b\n1,2\n3,"x\n4,5\n', "t.csv, line 3: a quoted cell never ends"),
        (b'a,b\n1,2\n3,"x\n4,5\n6,"y\n', "t.csv, line 3: text follows a closing quote"),
        (b'a,b\n1,"x"y\n', "t.csv, line 2: text follows a closing quote"),
        (b"a,b\n1,\x81\n", "t.csv, line 2: byte 0x81 in .* is not cp1252 text"),
        (b"a,b\n1,\x00\n", "not a text file"),
        ("a,b\n1,2\n".encode("utf-16")[:-1], "ends in the middle of a utf-16 character; it is truncated"),
        (
            b"x,code\n" + b"".join(b"%d,%d\n" % (k, k) for k in range(9)) + b"1,ab\n",
            "t.csv, line 11: column 'code': 'ab' is not",
        ),
        (gzip.compress(b"a,b\n1,2\n" * 100, mtime=0)[:-10], "truncated compressed file"),
        (gzip.compress(b"a,b\n1,2\n" * 100, mtime=0)[:20] + b"junk" * 10, "compressed file"),
    ],
    ids=lambda v: str(v)[:30],
)
def test_bad_files(write, data, sentence):
    path = write(data)
    with pytest.raises(BadFile, match=sentence):
        rows(path)


def test_a_damaged_byte_in_utf8_is_no_other_encoding(write):
    with pytest.raises(BadFile, match="line 3: byte 0xe9 in .* is not utf-8 text"):
        rows(write("a,b\n1,été\n".encode() + b"2,\xe9t\n"))


def test_utf8_on_request(write):
    with pytest.raises(BadFile, match="line 2: byte 0xe9 in .* is not utf-8 text. Say encoding='cp1252'"):
        rows(write("a,b\n1,été\n".encode("cp1252")), encoding="utf-8")


CELL = st.text(st.sampled_from('ab1,;"\n\r\té0.'), min_size=1, max_size=12).map(lambda s: f"x{s}x")


@given(
    st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=30), st.sampled_from(",;\t"), st.sampled_from([1, 7, 64])
)
def test_what_was_written_is_read(tmp_path_factory, table, delimiter, chunk):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    with open(path, "w", newline="", encoding="utf-8") as f:
        csv.writer(f, delimiter=delimiter).writerows([("p", "q", "r"), *table])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bytestream, "CHUNK", chunk)  # seams everywhere
        patch.setattr(textfile, "PARSE_BYTES", 200)
        read = rows(str(path), dict.fromkeys("pqr", "text"), delimiter=delimiter, header=True)
    assert [tuple(r.values()) for r in read] == table


def test_empty_and_header_only(write):
    with pytest.raises(EmptyTable, match=r"t.csv is empty \(0 bytes\)"):
        rows(write(b""))
    with pytest.raises(EmptyTable, match="names but no rows"):
        rows(write(b"a,b\n"))


def test_duplicate_names(write):
    with pytest.raises(DataError, match="t.csv: two columns are called 'a'"):
        rows(write(b"a,b,a\n1,2,3\n"))


def test_types(write):
    path = write(b"zip,b\n1,2\n2,3\n")
    assert rows(path, {"zip": "category"})[0] == {"zip": "1", "b": 2}
    with pytest.raises(WrongUse, match="did you mean 'zip'"):
        rows(path, {"zpi": "category"})
    with pytest.raises(WrongUse, match="no kind 'float'"):
        rows(path, {"zip": "float"})
    with pytest.raises(BadFile, match="line 2: column 'b': 'x' is not a number"):
        rows(write(b"a,b\n1,x\n"), {"b": "number"})


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"decimal": ";"}, "decimal is ';'"),
        ({"delimiter": ";;"}, "one character"),
        ({"encoding": "latin99"}, "no encoding 'latin99'"),
    ],
)
def test_wrong_reading(said, sentence):
    with pytest.raises(WrongUse, match=sentence):
        Reading(**said)


def test_a_large_file_is_streamed_and_its_kinds_are_kept(write, monkeypatch):
    monkeypatch.setattr(textfile, "PARSE_BYTES", 1 << 16)
    n = 150_000
    text = "a,b\n" + "".join(f"{k},{k / 4}\n" for k in range(n))
    path = write(text)
    batches = TextBatches([path], "t.csv", sample_bytes=1 << 20)
    assert batches.n_rows is None
    for _ in range(2):
        table = pa.Table.from_batches(list(batches.read(["b", "a"], 1000)))
        np.testing.assert_array_equal(table["b"].to_numpy(), np.arange(n) / 4)
    assert batches.n_rows == n and batches.where(n - 1) == f"line {n + 1}"
    late = write(text + "1,2\n7,0012\n")
    with pytest.raises(BadFile, match=f"line {n + 3}: column 'b': '0012' has leading zeros"):
        rows(late, sample_bytes=1 << 20)
    with pytest.raises(BadFile, match=f"line {n + 2}: column 'a': '1,5' is not a number"):
        rows(write(text + '"1,5",2\n'), sample_bytes=1 << 20)
    with pytest.raises(BadFile, match=f"line {n + 2}: byte 0xe9"):
        rows(write(text.encode() + b"\xe9,2\n"), sample_bytes=1 << 20)
    with pytest.raises(BadFile, match=f"line {n + 2}: 1 cell where 2"):
        rows(write(text + "9\n"), sample_bytes=1 << 20)


def test_a_file_that_changes_between_passes_is_refused(write):
    text = "a,b\n" + "1234567,x\n" * 150_000
    path = write(text)
    batches = TextBatches([path], "t.csv", sample_bytes=1 << 20)
    write(text + "1,y\n")
    with pytest.raises(BadFile, match="changed or removed while it was being read"):
        list(batches.read(["a"], 100))


def test_doubts_are_said_aloud(write):
    with pytest.warns(DataWarning, match="column 'd': read as month first"):
        rows(write("d,x\n01/02/2020,1\n03/04/2020,2\n"))


def test_several_files(write):
    first, second = write("a,b\n1,x\n", "1.csv"), write("b;a\ny;2,5\n", "2.csv")
    batches = TextBatches([first, second], "folder")
    assert pa.Table.from_batches(list(batches.read(["a", "b"], 10))).to_pydict() == {"a": [1, 2.5], "b": ["x", "y"]}
    assert batches.where(1) == "line 2 of 2.csv"


def test_several_files_with_other_columns(write):
    with pytest.raises(
        DataError, match=r"2.csv has no column '[ab]', which 1.csv has|1.csv has no column 'c', which 2.csv has"
    ):
        TextBatches([write("a,b\n1,x\n", "1.csv"), write("a,c\n1,x\n", "2.csv")], "folder")


ODD = st.lists(
    st.lists(st.text('ab,;"\n x', min_size=1, max_size=6).map(lambda t: t.strip() or "z"), min_size=3, max_size=3),
    min_size=1, max_size=8,
)  # fmt: skip


@given(ODD, st.sampled_from(",;"), st.integers(8, 60))
def test_rows_are_cut_at_their_ends_whatever_the_pieces(tmp_path_factory, rows, delimiter, size):
    path = tmp_path_factory.mktemp("cut") / "t.csv"
    with open(path, "w", newline="") as out:
        csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows([["a", "b", "c"], *rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(textfile, "PARSE_BYTES", size)
        patch.setattr(bytestream, "CHUNK", size // 2 + 1)
        file = textfile.TextFile(str(path), "t.csv", Reading(delimiter=delimiter, header=True))
        batches = list(file.batches(["c", "a"]))
    read = [(a, c) for batch in batches for c, a in zip(*(column.to_pylist() for column in batch.columns), strict=True)]
    assert read == [(row[0], row[2]) for row in rows] and file.whole


@pytest.mark.parametrize("line", ['1,2"b, c",3', '1, "b, c",3', '"1",x"b, c",3'])
def test_a_missing_delimiter_before_a_quote_is_refused_with_its_line(write, line):
    path = write("a,b,c,d\n1,2,3,4\n" + ('1,"2 ""and"" 3",3,4\n' if line[0] == '"' else "") + line + "\n1,2,3,4\n")
    with pytest.raises(BadFile, match="line [34]: (a quote opens in the middle|3 cells|text follows)"):
        TextBatches([path], "t.csv")


def test_quotes_that_are_only_inches_are_kept(write):
    batches = TextBatches([write('what,n\n5" pipe,1\n"3"" pipe",2\n7",3\n')], "t.csv")
    assert batches._table["what"].to_pylist() == ['5" pipe', '3" pipe', '7"']


def test_leaving_in_the_middle_of_a_file_leaves_no_thread_behind(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1.25,2.5\n" * 4_500_000)
    words = (
        "import sys; from epee.table.source import as_source; b = as_source(sys.argv[1]).blocks(); next(b); sys.exit(3)"
    )
    done = subprocess.run([sys.executable, "-c", words, str(path)], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (3, b"")


def test_one_column_of_dates_tells_for_the_others(write):
    path = write("d,e,f\n01/02/2020,25/12/2020,2020-01-01\n03/04/2020,01/02/2021,2020-01-02\n")
    batches = TextBatches([path], "t.csv")
    assert batches.notes == [] and batches._table["d"][0].as_py().month == 2
    assert [batches.kinds[name].order for name in "def"] == ["dmy", "dmy", ""]
    path = write("d,e\n01/02/2020,12/25/2020\n")
    assert TextBatches([path], "t.csv")._table["d"][0].as_py().month == 1
    path = write("d\n01/02/2020\n")
    with pytest.warns(DataWarning, match="date:dmy"):
        assert TextBatches([path], "t.csv")._table["d"][0].as_py().month == 1
    assert TextBatches([path], "t.csv", types={"d": "date:dmy"})._table["d"][0].as_py().month == 2
    with pytest.raises(WrongUse, match="ymd"):
        TextBatches([path], "t.csv", types={"d": "date:ymd"})
