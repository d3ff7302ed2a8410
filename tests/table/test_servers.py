"""Tables of database servers, by their address."""

from __future__ import annotations

import sqlite3

import duckdb
import pytest

import epee
from epee.cli import app
from epee.errors import BadFile, WrongUse
from epee.table import servers
from epee.table.named_files import files_named
from epee.table.source import open_table


@pytest.fixture
def base(tmp_path):
    path = tmp_path / "b.db"
    with sqlite3.connect(path) as b:
        b.execute("CREATE TABLE sales (a REAL, y TEXT)")
        b.executemany("INSERT INTO sales VALUES (?, ?)", [(k / 7, "uv"[k % 2]) for k in range(40)])
    b.close()
    return path


def test_an_address_of_sqlite_is_a_file(base, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for address in (f"sqlite:///{base}", f"sqlite://{base}", "sqlite:///b.db", "sqlite:///b.db::sales"):
        assert open_table(address).fields.names == ["a", "y"]
        assert files_named(address)[0].endswith("b.db")


def test_a_server_without_its_extension_is_said_without_the_password(monkeypatch, capsys):
    class Bare:
        def execute(self, words):
            raise duckdb.IOException("no such extension")

    monkeypatch.setattr(duckdb, "connect", lambda **_: Bare())
    for address, kind in (
        ("postgresql://ann:secret@host/base", "postgres"),
        ("mysql://ann:secret@host:3306/base", "mysql"),
    ):
        with pytest.raises(WrongUse, match=f"INSTALL {kind}") as said:
            open_table(address)
        assert "secret" not in str(said.value) and "host" in str(said.value)
    assert app.run(["learn", "postgresql://ann:secret@host/base::t", "-t", "y", "--lang", "fr"]) == 2
    shown = capsys.readouterr().err
    assert "serveur de base de données" in shown and "secret" not in shown


def test_a_table_of_a_server_is_read_once_and_learned_from(monkeypatch):
    """With a base of DuckDB's own in the place of the server."""

    def attached(kind, address, label):
        assert kind == "postgres" and "secret" in address
        there = duckdb.connect()
        there.execute("ATTACH ':memory:' AS there")
        there.execute(
            "CREATE TABLE there.sales AS SELECT range / 7 AS a, if(range % 2 = 0, 'u', 'v') AS y FROM range(60)"
        )
        there.execute("CREATE SCHEMA there.old; CREATE TABLE there.old.sales AS SELECT 1 AS b")
        return there

    monkeypatch.setattr(servers, "attached", attached)
    address = "postgresql://ann:secret@host/base"
    with pytest.raises(WrongUse, match="'sales', 'old.sales'"):
        open_table(address)
    learned = epee.learn(f"{address}::sales", "y", predictors=["lda"], folds=3)
    assert learned.facts["rows"]["read"] == 60 and "secret" not in learned.to_json()
    assert learned.facts["settings"]["table"] == "postgresql://ann@host/base::sales"
    assert open_table(f"{address}::old.sales").fields.names == ["b"] and files_named(address) == []


def test_what_the_server_refuses_is_said(monkeypatch):
    def attached(kind, address, label):
        raise duckdb.IOException('unable to connect to "postgresql://ann:secret@host/base": refused')

    monkeypatch.setattr(servers, "attached", attached)
    with pytest.raises(BadFile, match="cannot be read") as said:
        open_table("postgres://ann:secret@host/base")
    assert "secret" not in str(said.value)
