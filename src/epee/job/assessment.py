r"""The error of a saved predictor on labelled rows, with accounts.

A test sample that is looked at again and again stops being one: whoever chooses by it has learned from it. So each look
is counted, in a file beside the predictor, and the :math:`k`-th look at the same rows has an interval of level

.. math:: 1 - \frac{1 - \text{level}}{k}, \tag{1}

which is what Bonferroni's inequality asks of each of :math:`k` looks. Groups and times that the predictor was learned with are those of
these rows, too, where the table has the columns. Whether the error agrees with the one that was promised is said by the intervals that are
shown (:mod:`epee.job.agreement`). Rows are known by their fingerprint, whatever file they
come in: rows that were learned from are left out, and sealed rows are recognised, each as often as it was sealed.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from epee.decision.bayes_decision import BayesDecision
from epee.errors import BadFile, DataError
from epee.job.agreement import agree
from epee.job.bundle import load_to_predict
from epee.job.card import figure, plain
from epee.job.holding import columns_of, take
from epee.job.learned import Learned
from epee.job.sealing import fingerprints
from epee.job.told import Told
from epee.job.understanding import beside, weights_beside
from epee.risk.estimate import Risk
from epee.risk.holdout import holdout_error
from epee.risk.intervals import check_level
from epee.risk.one_target import have_one_target
from epee.risk.steps import last_of
from epee.table.raw import RawBlock
from epee.words.how_words import how_said
from epee.words.job_words import say
from epee.words.numbers import figures, in_unit, percent, whole

SEALED = "sealed"


@dataclass(frozen=True)
class Assessment:
    """The error on labelled rows, and which use of these rows it was."""

    risk: Risk
    asked: float
    use: int
    rows: int
    sealed: int
    learned_from: int
    promised: Risk
    agrees: bool | None
    notes: list[str] = field(default_factory=list)
    repeated: int = 0

    def sentences(self) -> list[str]:
        """Return the assessment in words."""
        out = list(self.notes)
        if self.learned_from:
            out.append(say("training_rows", k=whole(self.learned_from), n=whole(self.rows)))
        if self.sealed:
            out.append(say("sealed_rows", k=whole(self.sealed), n=whole(self.rows)))
        if self.repeated:
            out.append(say("sealed_again", k=whole(self.repeated)))
        key = "assessed" if self.risk.has_bar else "assessed_bare"
        out.append(say(key, n=whole(self.risk.n), risk=self.risk.shown(), level=_level(self.risk.level)))
        if self.risk.how != "held-out rows":
            out.append(say("how_found", how=how_said(self.risk.how)))
        if self.risk.caution:
            out.append(self.risk.caution)
        if self.use > 1:
            out.append(say("use", k=self.use, level=_level(self.risk.level), asked=percent(self.asked)))
        else:
            out.append(say("first_use"))
        out.append(say("expected", risk=self.promised.shown()))
        if self.promised.caution not in ("", self.risk.caution):
            out.append(self.promised.caution)
        if self.agrees is not None:
            out.append(say("as_promised" if self.agrees else "not_as_promised"))
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        return plain({
            "risk": figure(self.risk), "level_asked": self.asked, "use": self.use, "rows": self.rows, "sealed_rows": self.sealed,
            "sealed_rows_repeated": self.repeated, "training_rows_left_out": self.learned_from,
            "promised": figure(self.promised), "agrees": self.agrees,
            "sentences": self.sentences(),
        })  # fmt: skip


def _level(level: float) -> str:
    return in_unit(figures(100 * level, 4), "%")


def assess(path: str | Path, table: Any, *, level: float | None = None, trusted: bool = False) -> Assessment:
    """Estimate the error of a saved predictor on labelled rows, and count the use.

    Parameters
    ----------
    path : path of a ``.epee`` file
        The count is kept beside it, in ``<path>.uses``; the file itself is not touched.
    table : array, frame, path, SQL query, stream of frames, or "-"
        Rows with the target column.
    level : float, default=None
        Confidence level before the correction (1); None is the level of the run that learned the predictor.
    trusted : bool, default=False
        Load a predictor of another library, too, which runs code from the file.
    """
    learned = load_to_predict(path, trusted)
    ledger = Ledger(path)
    asked = float(learned.facts["settings"]["level"]) if level is None else level
    check_level(asked)
    raw, y, w, notes = labelled_rows(learned, table)
    told = told_of(learned, raw, notes)
    target = dict(zip(learned.predictor.targets, np.reshape(y, (len(y), -1)).T, strict=True))
    prints = fingerprints(raw, learned.predictor.feature_names_in_, target)
    sealed = as_often(prints, learned.sealed_rows)
    known = np.isin(prints, learned.training_rows) & ~sealed
    repeated = int((np.isin(prints, learned.sealed_rows) & ~sealed & ~known).sum())
    if len(learned.training_rows) < learned.facts["rows"]["training"]:
        notes.append(say("training_unknown"))
    if known.all():
        raise DataError(
            "all these rows were learned from: their error says nothing about new rows. Give rows that the predictor has not seen."
        )
    kept = np.flatnonzero(~known)
    with np.errstate(over="ignore"):
        key = SEALED if sealed.any() else f"{len(kept)}:{int(prints[kept].sum(dtype=np.uint64)):016x}"
    refuse_strange(learned, y[kept])
    use = ledger.use(key, len(kept)) + (key == SEALED)  # learning looked at the sealed rows once
    X, weight = learned.predictor.encode(take(raw, kept)), None if w is None else w[kept]
    level = 1 - (1 - asked) / use
    together = told.of(kept).beside
    risk = holdout_error(
        learned.predictor.model, X, y[kept], loss=loss_of(learned), level=level, sample_weight=weight, **together
    )
    promised = learned.risk
    alike = learned.predictor.task == "regression" and have_one_target(y[kept])
    judged = risk.has_bar and promised.has_bar and not alike  # else nobody knows how far either may be from the truth
    agrees = agree(risk.value, risk.interval, promised.value, promised.interval) if judged else None
    return Assessment(risk, asked, use, len(y), int(sealed.sum()), int(known.sum()), promised, agrees, notes, repeated)


def told_of(learned: Learned, raw: RawBlock, notes: list[str]) -> Told:
    """Return the groups and the times of labelled rows, by the columns that they had when the predictor was learned; notes say which."""
    settings, rows = learned.facts["settings"], np.arange(len(raw))
    found: dict[str, Any] = {}
    for role in ("groups", "time"):
        name = settings.get(role)
        if name is None or found or (role == "groups" and settings.get("lags")):  # which tell series apart
            continue
        if name not in raw.columns:
            notes.append(say(f"no_{role}", name=name))
            continue
        found[role] = beside(raw, [name], role, rows)
        notes.append(say(f"by_{role}_again", name=name))
    return Told(**found)


def as_often(prints: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return which rows (n,) are among some others, each at most as often as it is there.

    >>> as_often(np.array([5, 7, 5, 5]), np.array([5, 5, 9]))
    array([ True, False,  True, False])
    """
    order = np.argsort(prints, kind="stable")
    own = prints[order]
    rank = np.arange(len(own)) - np.searchsorted(own, own)  # how many equal rows came before
    there = np.sort(counted)
    times = np.searchsorted(there, own, "right") - np.searchsorted(there, own, "left")
    out = np.empty(len(prints), dtype=bool)
    out[order] = rank < times
    return out


def labelled_rows(learned: Learned, table: Any) -> tuple[RawBlock, np.ndarray, Any, list[str]]:
    """Return the inputs, the target and the weights of a table, without the rows whose target is missing."""
    p = learned.predictor
    classes = p.classes_ if p.task == "classification" else None
    words = classes is not None and classes.dtype.kind in "US"
    settings = learned.facts["settings"]
    weight = settings.get("weight")
    known = {*p.targets, *p.encoder.feature_names_in_}
    maybe = [
        name for role in ("weight", "groups", "time") if (name := settings.get(role)) is not None and name not in known
    ]
    source = p.open(table, dict.fromkeys(p.targets, "category" if words else "number"), maybe)
    raw, notes = columns_of(source, source.names), list(source.notes)
    if words:
        column = raw.columns[p.targets[0]]
        present = column.is_valid().to_numpy(zero_copy_only=False)
        y = np.array([v if v is not None else "" for v in column.to_pylist()], dtype=np.str_)
    else:
        y = np.column_stack([raw.columns[name] for name in p.targets])
        present = np.isfinite(y).all(axis=1)
        y = y if len(p.targets) > 1 else y[:, 0]
        if classes is not None:
            y = np.where(present, y, 0).astype(np.int64)
    y, present = with_rare(learned, y, present, notes)
    if not present.any():
        raise DataError(
            f"column {p.targets[0]!r}: no row has a value; there is nothing to compare the predictions with."
        )
    rows = np.flatnonzero(present)
    w = weights_beside(source, raw, [] if weight not in raw.columns else [weight], rows)
    return take(raw, rows), y[rows], w, notes


def with_rare(learned: Learned, y: np.ndarray, present: np.ndarray, notes: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and which rows have one, after what was done with rare classes when the predictor was learned."""
    p, rare = learned.predictor, learned.facts.get("rare") or {"labels": [], "joined": ""}
    gone = int((~present).sum())
    if gone:
        notes.append(say("dropped_rows", k=whole(gone), target=", ".join(p.targets)))
    if p.task == "regression":
        return y, present
    if rare["joined"]:
        strange = present & ~np.isin(y, p.classes_)
        if strange.any():
            notes.append(say("rare_joined", k=whole(int(strange.sum())), label=rare["joined"]))
        return np.where(strange, rare["joined"], y), present
    left = present & np.isin(y.astype(np.str_), rare["labels"]) & ~np.isin(y, p.classes_)
    if left.any():
        notes.append(say("rare_left", k=whole(int(left.sum()))))
    return y, present & ~left


def refuse_strange(learned: Learned, y: np.ndarray) -> None:
    """Refuse a label that the predictor does not know, before the look is counted."""
    if learned.predictor.task == "regression":
        return
    classes = learned.predictor.classes_
    strange = sorted(set(np.unique(y).tolist()) - set(classes.tolist()))
    if strange:
        known = ", ".join(map(str, classes[:8]))
        raise DataError(f"the label {strange[0]!r} was never seen when the predictor was learned; it knows {known}.")


def loss_of(learned: Learned) -> Any:
    """Return the loss that a predictor was learned for: its costs, where it decides by costs."""
    last = last_of(learned.predictor.model)
    return last.loss if isinstance(last, BayesDecision) else str(learned.facts["loss"])


class Ledger:
    """The uses of a predictor's test rows, one line of JSON each, in ``<path>.uses``."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(f"{os.fspath(path)}.uses")
        if not os.access(self.path if self.path.exists() else self.path.parent, os.W_OK):
            raise PermissionError(
                13,
                f"{str(self.path)!r} cannot be written, and uses of test rows are counted there; copy the predictor to a place of your own",
            )

    def use(self, key: str, rows: int) -> int:
        """Write down one use of these rows and return its number; who comes at the same time waits for his turn."""
        line = json.dumps({"when": datetime.now(UTC).isoformat(timespec="seconds"), "key": key, "rows": rows}) + "\n"
        handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        with os.fdopen(handle, "r+b") as stream:
            _lock(stream)
            uses = self._count(stream.read(), key)
            stream.write(line.encode())
            stream.flush()
            os.fsync(stream.fileno())
        return uses + 1

    def _count(self, text: bytes, key: str) -> int:
        uses = 0
        for line in text.splitlines():
            try:
                uses += json.loads(line)["key"] == key
            except (ValueError, KeyError, TypeError):
                raise BadFile(
                    f"{self.path.name} is damaged: uses of test rows can no longer be counted. Restore it, or learn again."
                ) from None
        return uses


def _lock(stream: Any) -> None:
    """Hold a file until it is closed, where the system can."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(stream, fcntl.LOCK_EX)
