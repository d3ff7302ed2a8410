"""Paths: found, refused with a sentence, or spooled."""

from __future__ import annotations

import io
import os
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epee.errors import BadFile, EmptyTable
from epee.table.files import open_path
from epee.table.spool import Spool, no_room

TABLE = pa.table({"a": [1.0, 2.0], "b": [3.0, 4.0]})


def content(batches):
    return pa.Table.from_batches(list(batches.read(batches.fields.names, 100))).to_pydict()


@pytest.fixture
def folder(tmp_path):
    pq.write_table(TABLE, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("a,b\n1,3\n2,4\n")
    return tmp_path


def test_by_content_not_by_name(folder):
    pq.write_table(TABLE, folder / "odd.csv")
    batches = open_path(folder / "odd.csv")
    assert content(batches) == TABLE.to_pydict() and "Parquet file, whatever" in batches.notes[0]
    (folder / "noname").write_text("a,b\n1,3\n2,4\n")
    assert content(open_path(folder / "noname")) == TABLE.to_pydict()


def test_missing(folder):
    with pytest.raises(FileNotFoundError, match="there is no file .*; did you mean 't.csv'"):
        open_path(folder / "tt.csv")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        open_path(folder / "nowhere" / "t.csv")
    (folder / "link.csv").symlink_to("gone.csv")
    with pytest.raises(FileNotFoundError, match="link.csv': it is a link to 'gone.csv', which is not there"):
        open_path(folder / "link.csv")
    with pytest.raises(BadFile, match="not the name of a file"):
        open_path("a\0b")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable(folder):
    os.chmod(folder / "t.csv", 0)
    with pytest.raises(PermissionError, match="may not be read"):
        open_path(folder / "t.csv")


def test_fifo_is_refused_at_once(folder):
    os.mkfifo(folder / "pipe")
    with pytest.raises(BadFile, match="pipe or a device, not a file, and can be read only once"):
        open_path(folder / "pipe")


def test_folders(tmp_path, folder):
    with pytest.raises(BadFile, match="mixes formats: t.parquet is a Parquet file and t.csv is not"):
        open_path(folder)
    (folder / "t.csv").unlink()
    pq.write_table(TABLE, folder / "u.parquet")
    (folder / "_SUCCESS").write_text("")
    assert content(open_path(folder))["a"] == [1, 2, 1, 2]
    assert content(open_path(str(folder / "*.parquet")))["a"] == [1, 2, 1, 2]
    (folder / "empty").mkdir()
    with pytest.raises(EmptyTable, match="the folder empty holds no Parquet or CSV file"):
        open_path(folder / "empty")


def test_folders_called_key_value(tmp_path):
    for year in (2019, 2020):
        (tmp_path / f"year={year}").mkdir()
        pq.write_table(TABLE, tmp_path / f"year={year}" / "part.parquet")
    assert content(open_path(tmp_path))["year"] == ["2019", "2019", "2020", "2020"]
    pq.write_table(TABLE, tmp_path / "part.parquet")
    with pytest.raises(BadFile, match="they must agree"):
        open_path(tmp_path)


@pytest.mark.parametrize(
    ("head", "what"),
    [(b"\xd0\xcf\x11\xe0....", "old Excel workbook"), (b"%PDF-1.4", "PDF"), (b"\x93NUMPY\x01", "NumPy array")],
)
def test_strange_files(tmp_path, head, what):
    (tmp_path / "t.csv").write_bytes(head)
    with pytest.raises(BadFile, match=f"t.csv is an? {what}.*save it as CSV or Parquet"):
        open_path(tmp_path / "t.csv")


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_is_spooled(monkeypatch, packed):
    sink = io.BytesIO()
    if packed:
        pq.write_table(TABLE, sink)
    else:
        sink.write(b"a,b\n1,3\n2,4\n")
    sink.seek(0)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(sink))
    batches = open_path("-")
    kept = batches.spool.path
    assert content(batches) == content(batches) == TABLE.to_pydict() and batches.label == "standard input"
    del batches
    assert not os.path.exists(kept)


def test_empty_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    with pytest.raises(EmptyTable, match="standard input is empty"):
        open_path("-")


def test_full_disk():
    class Full(io.BytesIO):
        def read(self, n=-1):
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="no room in .* to keep standard input"):
        Spool().fill(Full(), "standard input")
    assert no_room(OSError(5, "io"), "x").errno == 5


def test_odd_names(tmp_path):
    name = "a\x1b[31m b'\udcff.csv"
    path = os.path.join(os.fsencode(tmp_path), os.fsencode(name))
    with open(path, "wb") as f:
        f.write(b"a,b\n1\n")
    with pytest.raises(BadFile, match=r"a\?\[31m b'\?.csv, line 2: 1 cell"):
        open_path(os.fsdecode(path))
