"""What the parser of the command line says is French where French was asked for: refusals and the words around a help."""

import re

import pytest

from epee.cli.app import COMMANDS, run
from epee.words.usage_words import HELP, USAGE, usage_in_french

WRONG = {
    "learn --zork": "option inconnue : --zork",
    "learn --hel": "options possibles : --help",
    "learn a b c": "arguments de trop (b c)",
    "zork": "commande inconnue : 'zork'",
    "learn t.csv --folds x": "valeur refusée pour '--folds' : ",
    "learn t.csv --target": "l'option '--target' demande une valeur",
    "learn t.csv --json=3": "l'option '--json' ne prend pas de valeur",
    "predict": "il manque l'argument 'predictor'",
    "lab --port 0": "valeur refusée pour '--port' : ",
}


@pytest.mark.parametrize("asked", WRONG)
def test_a_wrong_use_is_refused_in_french(asked, capsys):
    assert run(["--lang", "fr", *asked.split()]) == 2
    said = capsys.readouterr().err
    assert WRONG[asked] in said and "Voir epee" in said and "Input should" not in said
    assert run(asked.split()) == 2
    assert WRONG[asked] not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_a_help_is_french_to_the_last_word(command, capsys):
    assert run(["--lang", "fr", *command.split(), "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for english in HELP:
        assert " ".join(english.split()) not in said.replace("Usage :", ""), english
    assert said.startswith("Usage : epee")


@pytest.mark.parametrize("english", USAGE)
def test_fields_are_kept(english):
    fields = [f"<{k}>" for k in range(english.count("{}"))]
    text = english.format(*fields)
    french = usage_in_french(text)
    assert french != text and re.findall(r"<\d>", french) == fields
