"""The desk of one session: its table, what was learned from it, and what is asked about it. Lives in a process of its own.

Every public method is a request of the page and returns plain data; what is said meanwhile goes through ``tell``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from epee.errors import DataError, WrongUse
from epee.job.learned import Learned
from epee.job.learning import learn
from epee.job.tallies import Numbers
from epee.job.witness import Stopped, watched
from epee.settings import listening
from epee.words.workbench_words import say
from epee.workbench import closer_look, what_if
from epee.workbench.question import Question
from epee.workbench.running import Reporter, Tell, Throttled
from epee.workbench.table_card import Opened, card_of_table, open_once, target_of

SHOWN_ANSWERS = 200  # predictions that the page shows; the file has them all


class Desk:
    """What a session works on.

    Parameters
    ----------
    tell : function of a name and plain data
        Tells the page something before the answer is there.
    folder : path
        Where what is brought or written lies; it goes with the session.
    """

    def __init__(self, tell: Tell, folder: str) -> None:
        self.tell, self.folder, self.home = tell, Path(folder), os.getcwd()
        self.opened: Opened | None = None
        self.brought = False
        self.learned: Learned | None = None
        self.explored: Any = None
        self.reporter: Reporter | None = None

    @contextmanager
    def _working(self, brought: bool) -> Iterator[None]:
        """Work where the table lies under its own name: in the folder of what was brought, or where the command was given."""
        os.chdir(self.folder if brought else self.home)
        try:
            with listening(Throttled(self.tell)):
                yield
        finally:
            os.chdir(self.home)

    def open(self, table: str, brought: bool, types: Mapping[str, str]) -> dict[str, Any]:
        """Read a table once and return its card."""
        with self._working(brought):
            self.opened, self.brought = open_once(_refuse_stream(table), dict(types)), brought
            return card_of_table(self.opened)

    def target(self, column: str) -> dict[str, Any]:
        """Return what a column is as a target."""
        assert self.opened is not None
        with self._working(self.brought):
            return target_of(self.opened, column)

    def learn(self, table: str, brought: bool, question: Question, lang: str) -> dict[str, Any]:
        """Run the main job, and return its card with what the page needs besides."""
        self.reporter = reporter = Reporter(self.tell)
        try:
            with self._working(brought), watched(reporter):
                self.learned = learn(table, lang=lang, **question.arguments())
        except Stopped:
            raise WrongUse(say("stopped_early")) from None
        return self._answer(reporter.stopping)

    def stop(self) -> None:
        """End the run at hand with what is done; called by the handler of a signal."""
        if self.reporter is not None:
            self.reporter.stop()

    def load(self, path: str, brought: bool, trusted: bool = False) -> dict[str, Any]:
        """Open a saved predictor; one of another library runs code from the file, for who is ``trusted`` only."""
        from epee.job.bundle import load_to_predict

        with self._working(brought):
            self.learned, self.reporter, self.opened = load_to_predict(path, trusted), None, None
        return self._answer()

    def _answer(self, stopped: bool = False) -> dict[str, Any]:
        learned, reporter = self.learned, self.reporter
        assert learned is not None
        table = None
        if reporter is not None and reporter.contest is not None:
            table = closer_look.held_out(reporter.contest, self._entry(learned.facts["chosen"]["key"]))
        return {
            "card": learned.card,
            "controls": what_if.controls(learned.predictor, self._wholes()),
            "held_out": table,
            "stopped": stopped,
            "guest": learned.guest,
            "probable": learned.predictor.has_probabilities,
        }

    def _wholes(self) -> list[str]:
        """Return the columns whose cells are all whole numbers."""
        counted = {} if self.opened is None else self.opened.found.tallies.columns
        return [name for name, told in counted.items() if isinstance(told, Numbers) and told.whole]

    def _entry(self, key: str) -> Any:
        found = next((e for e in (self.reporter.entries if self.reporter else ()) if e.candidate.key == key), None)
        if found is None:
            raise WrongUse(say("no_closer_look"))
        return found

    def look(self, key: str) -> dict[str, Any]:
        """Return a closer look at one predictor."""
        entry = self._entry(key)
        assert self.learned is not None and self.reporter is not None and self.reporter.contest is not None
        chosen = self.learned.facts["chosen"]["key"] == key and not self.learned.facts["settings"]["refit"]
        return closer_look.look_at(self.reporter.contest, entry, self.learned.predictor, chosen)

    def rows(self, true: int, decided: int) -> dict[str, Any]:
        """Return the training rows, held out, of one cell of the confusion table."""
        assert self.learned is not None and self.reporter is not None and self.reporter.contest is not None
        entry = self._entry(self.learned.facts["chosen"]["key"])
        return closer_look.rows_of_cell(self.reporter.contest, entry, true, decided)

    def what_if(self, form: Mapping[str, str], a: str | None, b: str | None) -> dict[str, Any]:
        """Return the answer for a row made by hand, and the map of two columns around it."""
        assert self.learned is not None
        predictor, level = self.learned.predictor, self.learned.facts["settings"]["level"]
        row = what_if.read_row(predictor, form)
        found = what_if.predict_row(predictor, row, level)
        found["map"] = what_if.map_of(predictor, row, a, b) if a and b and a != b else None
        return found

    def predict(self, table: str, brought: bool, threshold: float | None = None) -> dict[str, Any]:
        """Predict the rows of a table, and leave them in a file; of two classes the second from ``threshold`` on, where it is given."""
        from epee.job.answers import Answers
        from epee.job.writing import atomic

        assert self.learned is not None
        place = self.folder / "predictions.csv"
        with self._working(brought):
            answers = Answers(self.learned.predictor, _refuse_stream(table), threshold=threshold)
            with atomic(place, text=True) as stream:
                n = answers.write_csv(stream)
        import csv

        with open(place, encoding="utf-8", newline="") as written:
            lines = list(islice(csv.reader(written), SHOWN_ANSWERS + 1))
        return {
            "header": lines[0],
            "rows": lines[1:],
            "n": n,
            "notes": [*answers.source.notes, *answers.decision(), *answers.drift()],
            "path": str(place),
        }

    def explore(self, table: str, brought: bool, types: Mapping[str, str], lang: str) -> dict[str, Any]:
        """Look at the table without a target."""
        from epee.job.exploration import explore

        with self._working(brought):
            self.explored = explore(table, types=dict(types) or None, lang=lang)
        card: dict[str, Any] = self.explored.card
        return {"card": card, "outliers": self._outliers(card)}

    def _outliers(self, card: dict[str, Any]) -> dict[str, Any] | None:
        """Return the unlikely rows as rows of the table, where they are among the first that were read."""
        from epee.workbench.table_card import first_rows

        found = card["outliers"]
        if not found or not found["rows"] or self.opened is None:
            return None
        numbers = [line["row"] for line in found["rows"]]
        rows = first_rows(self.opened, most=max(numbers)) if max(numbers) <= 100_000 else []
        if not rows:
            return None
        return {"names": self.opened.names, "numbers": numbers, "rows": [rows[k - 1] for k in numbers]}

    def save(self, kind: str) -> str:
        """Write the predictor, the report or the figures to the session's folder, and return where."""
        result = self.learned if kind in ("epee", "html", "json") else self.explored
        if result is None or kind not in ("epee", "html", "json", "explored-html", "explored-json"):
            raise DataError(say("nothing_to_save"))
        if kind == "epee":
            return str(result.save(self.folder / "saved.epee"))
        if kind in ("html", "explored-html"):
            return str(result.report(self.folder / f"{kind}.html"))
        place = self.folder / f"{kind}.json"
        place.write_text(result.to_json(), encoding="utf-8")
        return str(place)


def _refuse_stream(table: str) -> str:
    if table.strip() in ("", "-"):
        raise WrongUse(say("no_table"))
    return table
