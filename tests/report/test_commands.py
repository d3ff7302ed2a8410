from __future__ import annotations

import json

import pytest

import epee
from epee.cli.app import run
from epee.job.findings.registry import codes
from epee.report.schemas import faults, schema_of


def test_explain(capsys):
    assert run(["explain", "e007"]) == 0
    assert capsys.readouterr().out.startswith("# E007: leakage suspected")
    assert run(["explain", "E007", "--lang", "fr"]) == 0
    assert capsys.readouterr().out.startswith("# E007 : fuite d'information probable")
    assert run(["explain", "E007", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["code"] == "E007"
    assert run(["explain"]) == 0
    assert [line[:4] for line in capsys.readouterr().out.splitlines()] == codes()


def test_an_unknown_code_is_wrong_use(capsys):
    assert run(["explain", "E999"]) == 2
    heard = capsys.readouterr()
    assert heard.out == "" and heard.err.startswith("epee: there is no finding 'E999'")


def test_explore(capsys, tmp_path):
    place = tmp_path / "report.html"
    assert run(["explore", str(epee.samples.path("faithful")), "--report", str(place), "--lang", "fr"]) == 0
    heard = capsys.readouterr()
    assert "272 lignes" in heard.out and str(place) in heard.err
    assert '<html lang="fr">' in place.read_text(encoding="utf-8")
    assert run(["explore", str(epee.samples.path("faithful")), "--json", "--quiet"]) == 0
    heard = capsys.readouterr()
    assert faults(json.loads(heard.out), schema_of("exploration")) == [] and heard.err == ""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["absent.csv"], 4),
        (["--type", "waiting=nonsense"], 2),
        (["--mute", "E999"], 2),
        (["--report", "no/where.html"], 4),
    ],
)
def test_explore_refuses(arguments, code, capsys):
    table = [] if arguments[0] == "absent.csv" else [str(epee.samples.path("faithful"))]
    assert run(["explore", *table, *arguments]) == code
    heard = capsys.readouterr()
    assert heard.out == "" and heard.err.startswith("epee: ") and heard.err.count("\n") == 1
