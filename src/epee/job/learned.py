"""What a run of the main job found: the predictor, the leaderboard, the error, the verdict, the findings."""

from __future__ import annotations

import json
import tempfile
import webbrowser
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from epee.job.card import card_of
from epee.job.predictor import Predictor
from epee.lazy import Shown
from epee.risk.estimate import Risk
from epee.risk.kept_ends import KeptEnds
from epee.typing import Labels, Matrix


class Reported(Shown):
    """A run of which a card tells everything, as plain data: a report, a text or a notebook renders it."""

    facts: dict[str, Any]

    @property
    def card(self) -> dict[str, Any]:
        """Everything a report says, as plain data."""
        return self.facts

    @property
    def notes(self) -> list[str]:
        """How the table was taken, in sentences."""
        notes: list[str] = self.facts["notes"]
        return notes

    def report(self, path: str | Path | None = None) -> Path:
        """Write a self-contained HTML report; without a path, to a place of its own, and open it in the browser."""
        place = Path(tempfile.mkdtemp(prefix="epee-")) / "report.html" if path is None else path
        written: Path = import_module("epee.report.html").write_report(self.card, place)
        if path is None:
            webbrowser.open(written.absolute().as_uri())
        return written

    def to_json(self) -> str:
        """Return the card as JSON text."""
        return json.dumps(self.card, ensure_ascii=False, indent=1, allow_nan=False)


class Learned(Reported):
    """What :func:`learn` found.

    Attributes
    ----------
    predictor : Predictor
        The chosen predictor; takes raw tables.
    risk : Risk
        The error on the sealed rows; where none were sealed, that of the cross-validation, corrected for the choice.
    findings : list
        What often is a mistake, with its evidence.
    """

    def __init__(
        self, predictor: Predictor, risk: Risk, facts: dict[str, Any], findings: list[Any] | None = None
    ) -> None:
        self.predictor, self.risk, self.facts = predictor, risk, facts
        self.findings: list[Any] = list(findings or [])
        self.sealed_rows: np.ndarray = np.empty(0, dtype=np.uint64)
        self.training_rows: np.ndarray = np.empty(0, dtype=np.uint64)
        self.contest: Any = None  # the entries of the leaderboard, for a closer look in the same session

    def predict(self, table: Any, *, threshold: float | None = None) -> Labels:
        """Return the label or the value of each row of a table, in order; see :class:`~epee.job.predictor.Predictor`."""
        return self.predictor.predict(table, threshold=threshold)

    def predict_proba(self, table: Any) -> Matrix:
        """Return the probability of each class (n, K), in the order of ``predictor.classes_``."""
        return self.predictor.predict_proba(table)

    def predict_interval(self, table: Any, level: float = 0.95) -> Matrix:
        """Return an interval (n, 2) that holds the value of a new row with about the probability ``level``."""
        return self.predictor.predict_interval(table, level)

    def why(self, table: Any) -> Any:
        """Return a data frame of what each column adds to the prediction of each row; ``base`` and all of them add up to it."""
        return self.predictor.contributions(table).to_frame()

    @property
    def leaderboard(self) -> Any:
        """One line a predictor, from the simplest up: of pandas where that is installed, else an Arrow table."""
        return frame_of(self.facts["leaderboard"])

    @property
    def verdict(self) -> str:
        """Which one is chosen, what is shown and what is not."""
        return " ".join(self.facts["verdict"])

    @property
    def conclusive(self) -> bool:
        """Tell whether the chosen predictor is shown to beat the baseline, and the sealed rows agree."""
        return bool(self.facts["conclusive"])

    @property
    def guest(self) -> str:
        """The full name of the class of a predictor of another library, whose file runs code when it is loaded; else nothing."""
        return self.predictor.guest

    @property
    def card(self) -> dict[str, Any]:
        """Everything a report says, as plain data; see :mod:`epee.job.card`."""
        return card_of(self)

    def save(self, path: str | Path) -> Path:
        """Write the predictor and its card to one ``.epee`` file that runs no code when it is loaded.

        A predictor of another library is pickled into it: such a file is loaded by ``epee.load(path, trusted=True)`` only.
        """
        from epee.job.bundle import save

        return save(self, path)

    def __str__(self) -> str:
        text: str = import_module("epee.report.board").text_of(self.card)
        return text

    def __repr__(self) -> str:
        return f"Learned({self.facts['chosen']['name']}: {self.risk})"

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle or a copy holds: everything but the entries of the contest, which belong to the session."""
        r = self.risk
        ends_at = None if r.ends_at is None else KeptEnds.of(r.ends_at, r.level)
        plain = Risk(
            r.value, r.stderr, r.interval, r.level, r.n, r.loss, r.how, r.dof, caution=r.caution, ends_at=ends_at
        )
        return {**self.__dict__, "risk": plain, "contest": None}


def frame_of(lines: Sequence[Mapping[str, Any]]) -> Any:
    """Return lines as a data frame: of pandas where it is installed, else an Arrow table.

    >>> len(frame_of([{"name": "baseline", "value": 0.5}, {"name": "linear", "value": 0.1}]))
    2
    """
    if find_spec("pandas") is not None:
        return import_module("pandas").DataFrame(list(lines))
    import pyarrow as pa

    plain = [
        {k: v if v is None or isinstance(v, bool | int | float | str) else str(v) for k, v in line.items()}
        for line in lines
    ]
    columns = {name: [line[name] for line in plain] for name in plain[0]} if plain else {}
    mixed = {k for k, v in columns.items() if len({type(cell) for cell in v if cell is not None} - {int, float}) > 1}
    return pa.table({k: [None if c is None else str(c) for c in v] if k in mixed else v for k, v in columns.items()})
