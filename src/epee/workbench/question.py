"""The question of a page: which column, in which role, with which options; and the call of :func:`epee.learn` that it is.

One object holds what was chosen. Everything that leaves the page comes from it: the arguments of the run, the command line, the
script and the notebook, so that they cannot differ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from epee.errors import WrongUse
from epee.estimator.registry import keys
from epee.job.guest_names import KNOWN, is_guest
from epee.job.lags import parse_lags
from epee.words.workbench_words import say

ROLES = ("target", "weight", "groups", "time")
LOSSES = {  # that a page offers, besides the usual one
    "classification": ("log", "brier", "auc"),
    "regression": ("absolute", "huber", "quantile0.1", "quantile0.9", "poisson"),
}
NUMBERS = {"test_size": (0.0, 0.9), "folds": (2, 100), "level": (0.5, 0.999), "seed": (0, 2**31 - 1), "gap": (0, 10**6)}


@dataclass(frozen=True)
class Question:
    """What is asked of a table; the defaults are those of :func:`epee.learn`."""

    target: str | None = None
    weight: str | None = None
    groups: str | None = None
    time: str | None = None
    lags: Mapping[str, list[int]] | None = None  # of columns; "" is the target
    gap: int = 0
    rare: str = "leave"
    types: Mapping[str, str] = field(default_factory=dict)
    test_size: float = 0.2
    folds: int = 10
    level: float = 0.95
    seed: int = 0
    budget: str | None = None
    prefer: str = "balance"
    loss: str | None = None
    predictors: tuple[str, ...] | None = None
    others: tuple[str, ...] = ()  # classes of other libraries, which may be named where that was allowed
    costs: tuple[tuple[float, ...], ...] | None = None
    reject_cost: float | None = None

    def with_role(self, column: str, role: str) -> Question:
        """Return the question with a column in a role; one that had it gives it up, and so does the column its other role."""
        kept = {each: getattr(self, each) for each in ROLES if getattr(self, each) not in (None, column)}
        types = {name: kind for name, kind in self.types.items() if not (name == column and kind == "ignore")}
        if role in ROLES:
            kept[role] = column
        elif role == "ignore":
            types[column] = "ignore"
        changes: dict[str, Any] = {each: kept.get(each) for each in ROLES}
        if changes["target"] != self.target:
            changes |= {"costs": None, "reject_cost": None, "predictors": None, "loss": None, "rare": "leave"}
        if changes["time"] is None:
            changes |= {"lags": None, "gap": 0}
        return replace(self, types=types, **changes)

    def with_kind(self, column: str, kind: str) -> Question:
        """Return the question with a column taken as a kind; an empty one lets the table decide."""
        types = {name: each for name, each in self.types.items() if name != column}
        changes: dict[str, Any] = {"costs": None, "predictors": None, "loss": None} if column == self.target else {}
        return replace(self, types={**types, column: kind} if kind else types, **changes)

    def with_form(
        self, form: Mapping[str, str], chosen: list[str] | None, size: int, *, trusted: bool = False
    ) -> Question:
        """Return the question with what a form says.

        ``chosen`` are the ticked predictors, ``size`` the number of classes; modules may be named only by who is ``trusted``, for
        naming one runs it.
        """
        changes: dict[str, Any] = {name: _number(name, form[name]) for name in NUMBERS if name in form}
        if "prefer" in form:
            changes["prefer"] = form["prefer"]
        if "loss" in form:
            changes["loss"] = form["loss"] or None
        if "budget" in form:
            changes["budget"] = _budget(form["budget"])
        if "reject_cost" in form:
            changes["reject_cost"] = _cost(form["reject_cost"], "reject_cost")
        if form.get("rare") in ("leave", "join"):
            changes["rare"] = form["rare"]
        if "lags" in form:
            changes["lags"] = _lags(form["lags"]) if self.time else None
        if "others" in form and trusted:
            changes["others"] = _others(form["others"])
        if any(name.startswith("cost-") for name in form):
            changes["costs"] = _costs(form, size)
        if chosen is not None:
            changes["predictors"] = tuple(key for key in chosen if key in keys() or key in KNOWN) or None
        return replace(self, **changes)

    def role(self, column: str) -> str:
        """Return the role of a column."""
        if self.types.get(column) == "ignore":
            return "ignore"
        return next((role for role in ROLES if getattr(self, role) == column), "input")

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of :func:`epee.learn`, all of them."""
        if self.target is None:
            raise WrongUse(say("no_target"))
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        found["random_state"] = found.pop("seed")
        found["types"] = dict(self.types) or None
        found["lags"] = None if self.lags is None else dict(self.lags)
        others = found.pop("others")
        if others or self.predictors is not None:
            found["predictors"] = [*(self.predictors or ("all",)), *others]
        found["costs"] = None if self.costs is None else [list(row) for row in self.costs]
        return found


def _number(name: str, text: str) -> Any:
    """Return a number of the form, within its range."""
    low, high = NUMBERS[name]
    try:
        value: Any = float(text.replace(",", ".").strip())
    except ValueError:
        value = None
    whole = isinstance(low, int)
    if value is None or not low <= value <= high or (whole and value != int(value)):
        raise WrongUse(say("wrong_number", what=say(name), given=text, low=low, high=high))
    return int(value) if whole else value


def _lags(text: str) -> dict[str, list[int]] | None:
    """Return lags from words like ``1,7`` or ``1,7 temp=1``."""
    words = re.sub(r"\s*([,=])\s*", r"\1", text.replace(";", " ")).split()
    try:
        found = parse_lags(words)
    except WrongUse:
        found = {"": [0]}
    if any(lag < 1 for own in found.values() for lag in own):
        raise WrongUse(say("wrong_lags", given=text.strip()))
    return found or None


def _others(text: str) -> tuple[str, ...]:
    """Return the classes that are named, one a line."""
    lines = tuple(line.strip() for line in text.splitlines() if line.strip())
    for line in lines:
        if not is_guest(line):
            raise WrongUse(say("wrong_other", given=line))
    return lines


def _budget(text: str) -> str | None:
    from epee.job.budgets import seconds_of

    text = text.strip()
    if not text:
        return None
    try:
        seconds_of(text)
    except WrongUse:
        raise WrongUse(say("wrong_budget", given=text)) from None
    return text


def threshold_of(text: str) -> float | None:
    """Return the probability from which on the second class is decided for, or None where the field is empty."""
    text = text.replace(",", ".").strip()
    if not text:
        return None
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise WrongUse(say("wrong_threshold", given=text))
    return value


def _cost(text: str, what: str) -> float | None:
    text = text.replace(",", ".").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise WrongUse(say("wrong_cost", what=say(what), given=text))
    return value


def _costs(form: Mapping[str, str], size: int) -> tuple[tuple[float, ...], ...] | None:
    """Return the matrix of costs, or None where it says what zero and one say already."""
    rows = tuple(tuple(_cost(form.get(f"cost-{d}-{t}", ""), "costs") or 0.0 for t in range(size)) for d in range(size))
    plain = all(rows[d][t] == float(d != t) for d in range(size) for t in range(size))
    return None if plain else rows
