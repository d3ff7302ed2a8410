"""The board while it fills: a line for each predictor as soon as it is judged, the best first, on the last lines of a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epee.cli.faults import one_line
from epee.job.witness import Witness
from epee.losses.names import named
from epee.words.job_words import say
from epee.words.loss_words import mean_of
from epee.words.numbers import interval, percent, plus_minus

if TYPE_CHECKING:
    from epee.job.contest import Entry


class FillingBoard(Witness):
    """Keeps the lines that were entered, and what is being done; Rich draws both whenever it likes."""

    def __init__(self) -> None:
        from rich.spinner import Spinner

        self.entries: list[Entry] = []
        self.doing = Spinner("dots")

    def entered(self, entry: Entry) -> None:
        """Put a new line in its place."""
        self.entries = sorted([*self.entries, entry], key=lambda one: one.risk.value)

    def say(self, words: str) -> None:
        """Say what is being done."""
        self.doing.update(text=words)

    def __rich__(self) -> Any:
        from rich.console import Group

        return Group(self.table(), self.doing) if self.entries else self.doing

    def table(self) -> Any:
        """Return the lines as a Rich table."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        risk = self.entries[0].risk
        rate = named(risk.loss).is_rate
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column(say("predictor"), overflow="fold")
        table.add_column(mean_of(risk.loss), justify="right", no_wrap=True)
        table.add_column(say("interval", level=percent(risk.level)), no_wrap=True)
        for entry in self.entries:
            sure = entry.sure
            error = plus_minus(entry.risk.value, sure.stderr, percent=rate)
            ends = interval(sure.low, sure.high, sure.stderr, percent=rate) + (
                "~" if sure.caution or not entry.nested else " "
            )
            table.add_row(*(Text(cell) for cell in (one_line(entry.name), error, ends)))
        return table
