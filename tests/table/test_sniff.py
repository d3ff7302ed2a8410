"""Encodings, delimiters and lines of names."""

from __future__ import annotations

import codecs

import pytest

from epee.errors import EmptyTable
from epee.table import sniff
from epee.table.sniff import find_dialect, find_encoding


def look(text, **said):
    return find_dialect(text, True, "utf-8", "x.csv", **said)


@pytest.mark.parametrize(
    ("text", "delimiter", "names"),
    [
        ("a,b\n1,2\n", ",", ("a", "b")),
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";", ("a", "b")),
        ("a\tb\n1\t2\n", "\t", ("a", "b")),
        ("a|b\n1|2\n", "|", ("a", "b")),
        ("a b\n1 2\n", " ", ("a", "b")),
        ('name,note\nx,"a;b"\ny,"c;d"\n', ",", ("name", "note")),
        ("first name,age\nA B,3\nC D,4\n", ",", ("first name", "age")),
        ("x\n1\n2\n", ",", ("x",)),
        ("a,b\r1,2\r", ",", ("a", "b")),
        ('a,"b\nc"\n1,2\n', ",", ("a", "b\nc")),
        (" a , b\n1,2\n", ",", ("a", "b")),
        ('"",x\n1,2\n', ",", ("column_1", "x")),
        ("a,b\n1,2\n3\n", ",", ("a", "b")),
    ],
)
def test_dialects(text, delimiter, names):
    found = look(text)
    assert (found.delimiter, found.names, found.header) == (delimiter, names, True)


@pytest.mark.parametrize("text", ["1,2\n3,4\n", "Jean;12\nAnne;13\n", "2020-01-01,x\n2020-01-02,y\n"])
def test_no_line_of_names(text):
    found = look(text)
    assert not found.header and found.names == ("column_1", "column_2")


def test_years_are_names():
    assert look("country,2019,2020\nFrance,1.5,2\n").header
    assert look("France,2019,2020\nSpain,1.5,2\n", header=False).names[0] == "column_1"


def test_the_user_may_say():
    assert look("a;b,c\n1;2,3\n", delimiter=",").names == ("a;b", "c")


def test_blank_lines_on_top():
    assert look("\n\na,b\n1,2\n").skip == 2
    with pytest.raises(EmptyTable, match="x.csv is empty"):
        look("\n \n")


@pytest.mark.parametrize(
    ("data", "encoding", "guess"),
    [
        ("é".encode(), "utf-8", False),
        (codecs.BOM_UTF8 + b"a", "utf-8-sig", False),
        ("a;é\n".encode("utf-16"), "utf-16", False),
        ("abc;def\n1;2\n".encode("utf-16-le"), "utf-16-le", False),
        ("abc;def\n1;2\n".encode("utf-16-be"), "utf-16-be", False),
        ("abc".encode("utf-32"), "utf-32", False),
        ("été".encode("cp1252"), "cp1252", True),
    ],
)
def test_encodings(data, encoding, guess):
    assert find_encoding(data, True) == (encoding, guess)


def test_a_sample_may_end_inside_a_character():
    assert find_encoding("été".encode()[:-1], whole=False) == ("utf-8", False)
    assert find_encoding("t\xe9".encode()[:-1], whole=True) == ("cp1252", True)
    assert find_encoding("été été".encode() + b"\xe9.", whole=True) == ("utf-8", False)  # damaged, not cp1252


def test_cells_are_read_only_where_two_marks_cut_alike(monkeypatch):
    read = []
    share = sniff._typed_share
    monkeypatch.setattr(sniff, "_typed_share", lambda rows: read.append(rows) or share(rows))
    assert find_dialect("a,b\n1,2\n3,4\n", True, "utf-8", "x").delimiter == "," and not read
    assert find_dialect("a;b\n1,5;2,5\n3,1;4,2\n", True, "utf-8", "x").delimiter == ";" and not read
    assert (
        find_dialect("a,b;c\n1,2;3\n4,5;6\n", True, "utf-8", "x").delimiter == ";" and len(read) == 2
    )  # 1,2 is a number
    assert find_dialect("u,v;w\nx,7;8\ny,1;3\n", True, "utf-8", "x").delimiter == ";"
