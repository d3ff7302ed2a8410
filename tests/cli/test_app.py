from __future__ import annotations

import subprocess
import sys

import pytest

import epee
from epee.cli import app, phrases


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "epee", *arguments], capture_output=True, text=True, check=False)


def test_help_lists_the_commands_that_are_there():
    answer = run("--help")
    assert answer.returncode == 0 and answer.stderr == ""
    for name, _ in app.offered():
        assert f"  {name} " in answer.stdout


def test_french_help():
    assert "Apprendre" in run("--lang", "fr", "--help").stdout
    assert "Apprendre" in run("--lang=fr", "--help").stdout


def test_version():
    assert run("--version").stdout == f"epee {epee.__version__}\n"


@pytest.mark.parametrize("arguments", [["nonsense"], ["--nonsense"], ["--lang", "de", "--help"], ["--lang"]])
def test_wrong_use(arguments):
    answer = run(*arguments)
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert answer.stderr.startswith("epee: ") and answer.stderr.count("\n") == 1


def test_a_command_without_its_parts_is_not_offered(monkeypatch):
    monkeypatch.setattr(app, "COMMANDS", {"learn": ("epee.cli.learn_command", "epee.job.of_another_day")})
    assert list(app.offered()) == []


def test_a_fault_inside_says_so_and_ends_with_1(monkeypatch, capsys):
    def broken() -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(app, "build", broken)
    monkeypatch.delenv("EPEE_TRACEBACK", raising=False)
    assert app.run([]) == 1
    assert capsys.readouterr().err.startswith("epee: a failure inside épée: ZeroDivisionError: division by zero.")
    monkeypatch.setenv("EPEE_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        app.run([])


def test_a_closed_pipe_is_no_fault():
    command = f"{sys.executable} -m epee --help | true; exit ${{PIPESTATUS[0]}}"
    answer = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stderr) == (0, "")


def test_every_phrase_is_in_both_languages():
    for key, (english, french) in phrases.PHRASES.items():
        assert english and french and english != french, key
        assert english.count("{") == french.count("{"), key


@pytest.mark.parametrize("command", ["learn", "predict", "assess"])
@pytest.mark.parametrize("lang", ["en", "fr"])
def test_help_has_examples_on_lines_of_their_own_and_plain_names(command, lang, capsys):
    assert app.run([command, "--help", "--lang", lang]) == 0
    out = capsys.readouterr().out
    assert "list[" not in out and "<float>" not in out
    after = out.split("Exemple" if lang == "fr" else "Example")[1].splitlines()[1:]
    assert after and all(line.strip().startswith(("epee ", "cat ")) for line in after if line.strip())
