"""The board while it fills: lines in the order of their errors, gone when the work is done."""

from __future__ import annotations

import io
import sys

import epee
from epee.cli import terminal
from epee.cli.filling_board import FillingBoard
from epee.job.witness import watched


class Screen(io.StringIO):
    """A terminal that keeps what was written."""

    def isatty(self):
        return True


def shown(board):
    from rich.console import Console

    out = io.StringIO()
    Console(file=out, width=100).print(board)
    return out.getvalue()


def test_lines_stand_in_the_order_of_their_errors():
    board = FillingBoard()
    assert "baseline" not in shown(board)
    with watched(board):
        learned = epee.learn(epee.samples.load("iris"), "species", predictors=["naive_bayes", "lda", "tree"])
    errors = [entry.risk.value for entry in board.entries]
    assert errors == sorted(errors) and len(errors) == len(learned.facts["leaderboard"])
    lines = [line for line in shown(board).splitlines() if "%" in line and "[" in line]
    assert "linear discriminant" in lines[0] and "baseline" in lines[-1] and "tree" in " ".join(lines)


def test_the_board_shows_on_a_terminal_and_goes(monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with terminal.shown_progress(board=True):
        epee.learn(epee.samples.load("iris"), "species", predictors=["lda"])
    text = screen.getvalue()
    assert "linear discriminant" in text
    assert text.rindex("\x1b[2K") > text.rindex("linear discriminant")  # erased at the end


def test_each_line_comes_before_the_next_is_begun():
    seen = []

    class Order(FillingBoard):
        def entered(self, entry):
            super().entered(entry)
            seen.append(("entered", entry.candidate.key))

        def at_work(self):
            seen.append(("begun", ""))
            return super().at_work()

    with watched(Order()):
        epee.learn(epee.samples.load("iris"), "species", predictors=["naive_bayes", "lda"])
    assert [key for what, key in seen[:3] if what == "entered"] == ["baseline"]
