"""Errors in French: every sentence of the main job and of the command line has its twin, and twins keep what is filled in."""

import string
import subprocess
import sys
from pathlib import Path

import pytest

import epee
from epee.words.fault_words import FRENCH, in_french
from tests.words.fault_templates import templates

SOURCES = Path(epee.__file__).parent
ROOMS = ("table", "job", "cli", "losses", "decision/costs.py", "risk/intervals.py", "risk/splitting.py", "settings.py")
SAID = {text: name for room in ROOMS for name, text in templates(SOURCES / room)}
FILES = "arff arrow_files batches databases delimited filebatches files formats frames parquet query raw sql svmlight values workbooks"


@pytest.mark.parametrize("room", ["job", "cli", "decision/costs.py", *(f"table/{name}.py" for name in FILES.split())])
def test_every_sentence_has_its_twin(room):
    assert [text for _, text in templates(SOURCES / room) if text not in FRENCH] == []


def test_no_twin_of_what_is_not_said():
    assert sorted(set(FRENCH) - set(SAID)) == []


@pytest.mark.parametrize("english", FRENCH)
def test_fields_are_kept(english):
    fields = [f"<{k}>" for k in range(english.count("{}"))]
    text = english
    for field in fields:
        text = text.replace("{}", field, 1)
    french = in_french(text)
    assert french != text
    asked = [name for _, name, _, _ in string.Formatter().parse(FRENCH[english]) if name is not None]
    kept = fields if asked and asked[0] == "" else [f"<{name}>" for name in asked if name]
    assert all(field in french for field in kept)


def test_what_is_filled_in_is_french_too():
    assert (
        in_french("there is no target column 'pris'; did you mean 'prix'?")
        == "il n'y a pas de colonne cible 'pris' ; vouliez-vous dire 'prix' ?"
    )
    said = in_french("there are no columns 'b', 'size' (did you mean 'Size'?) and 3 more.")
    assert said == "il n'y a pas de colonnes 'b', 'size' (vouliez-vous dire 'Size' ?) et 3 de plus."


def test_what_the_system_says_is_french_too():
    assert (
        in_french("'a' cannot be read: Too many levels of symbolic links.")
        == "'a' ne peut être lu : trop de liens l'un vers l'autre."
    )
    assert in_french("there is no folder 'no' to write 'x' in.") == "il n'y a pas de dossier 'no' où écrire 'x'."
    assert in_french("a.epee: No such file or directory.") == "a.epee : il n'y a ni fichier ni dossier de ce nom."
    assert in_french("a.csv, line 2: a quoted cell never ends; close the quote or double it.").startswith(
        "a.csv, ligne 2 : une cellule"
    )
    assert in_french("there is no file 'b.csv': it is a link to 'c.csv', which is not there.").endswith(
        "vers 'c.csv', qui n'existe pas."
    )


def test_a_sentence_without_twin_stands_as_it_is():
    assert in_french("something quite new.") == "something quite new."


def test_the_command_line_speaks_french(tmp_path):
    path = tmp_path / "vide.csv"
    path.write_text("")
    run = [sys.executable, "-m", "epee", "learn", str(path), "--target", "y"]
    english, french = (subprocess.run([*run, "--lang", lang], capture_output=True, text=True) for lang in ("en", "fr"))
    assert english.returncode == french.returncode == 3
    assert "is empty" in english.stderr and "est vide" in french.stderr
