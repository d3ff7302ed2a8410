"""What is said of the error of the chosen predictor: what the sealed rows show, with which cautions, and what the figures rest on."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.job.agreement import agree
from epee.job.card import figure
from epee.job.contest import Entry
from epee.job.ground import Ground
from epee.job.told import Told, told_of_sealed, told_of_training
from epee.risk.dependence import Dependence
from epee.risk.estimate import Risk
from epee.risk.intervals import Interval
from epee.risk.units import as_counts, meaning_of, taken_as
from epee.risk.verdict import Verdict
from epee.risk.watching import marked, sentence
from epee.typing import Vector
from epee.words.how_words import how_said
from epee.words.job_words import say
from epee.words.loss_words import mean_of
from epee.words.numbers import figures, inside, interval, p_value, percent, whole, without_figures

NONE = 1e-13  # of the baseline's error: an error below is none


def in_words(figure: dict[str, Any]) -> str:
    """Return a figure with its interval.

    >>> in_words({"value": 0.8712, "low": 0.843, "high": 0.895})
    '0.871 [0.843, 0.895]'
    """
    low, high = figure["low"], figure["high"]
    if low is None or high is None:
        return figures(figure["value"])
    return f"{inside(figure['value'], low, high)} {interval(low, high)}"


def facts_of_test(
    risk: Risk,
    verdict: Verdict,
    n: int,
    headline: list[dict[str, Any]],
    absolute: dict[str, Any] | None,
    one_target: bool = False,
) -> tuple[dict[str, Any], bool | None]:
    """Say what the sealed rows show, the ``absolute`` error beside it if it is given, and whether they agree with the cross-validation.

    That is not said where the losses are all equal, or all targets are: nobody knows then how far the error may be from what was found.
    """
    if not n:
        return {"sentences": [say("no_test")], "beside": absolute}, None
    sure = verdict.entries[verdict.chosen].sure
    shift = verdict.corrected - sure.value
    least = 0.0 if verdict.baseline is None else NONE * verdict.values[verdict.baseline]
    none = verdict.baseline is not None and max(risk.value, verdict.corrected) <= least
    judged = none or (risk.has_bar and sure.has_bar and not one_target)
    agrees = none or agree(risk.value, risk.interval, verdict.corrected, Interval(sure.low + shift, sure.high + shift))
    told = {"risk": risk.shown(), "level": percent(risk.level), "n": whole(n)}
    first = say("test" if risk.has_bar else "test_bare", **told)
    if headline[0]["name"] == "rmse":  # in the unit of the target, then the mean that the table shows
        parts = ", ".join(f"{mean_of(f['name'])} {in_words(f)}" for f in headline)
        bare = "" if any(f["low"] is not None for f in headline) else "_bare"
        first = say(f"test_unit{bare}", figures=parts, loss=mean_of(risk.loss), **told)
    if not judged:
        return {"sentences": [first], "beside": absolute}, None
    return {
        "sentences": [first, say("agrees") if agrees else say("disagrees", cv=sure.shown())],
        "beside": absolute,
    }, agrees


def absolute_beside(
    ground: Ground, chosen: Entry, risk: Risk, scores: dict[str, Any], kin: Dependence | None
) -> dict[str, Any] | None:
    """Return the mean absolute error where a few losses make a mean square: of the sealed rows, or else of those held out in turn."""
    if risk.loss != "squared" or ground.truth.ndim > 1:
        return None
    if len(ground.cells.sealed):
        heavy = risk.losses is not None and _is_heavy(told_of_sealed(ground), risk.losses, risk.weight)
        return {"name": "absolute", **scores["absolute"]} if heavy and "absolute" in scores else None
    hand, squares = ground.hand, chosen.outcome.losses[0]
    seen = np.flatnonzero(np.isfinite(squares))
    told, w = told_of_training(ground).of(hand.looked[seen]), hand.weights(hand.train[hand.looked[seen]])
    if not _is_heavy(told, squares[seen], w):
        return None
    found = told.mean(np.sqrt(squares[seen]), w, "absolute", ground.level)
    beside = Risk(
        found.value, found.stderr, found.interval, ground.level, risk.n, "absolute", chosen.risk.how, found.dof,
        caution=f"{found.sentence} {say('approximate_risk')}".strip(), ends_at=lambda level: found.interval,
    )  # fmt: skip
    return {"name": "absolute", **(figure(marked(beside, kin)) or {})}


def _is_heavy(told: Told, squares: Vector, w: Vector | None) -> bool:
    return told.mean(squares, w, "squared").caution == "heavy"


def said_beside(
    risk: Risk, headline: list[dict[str, Any]], beside: dict[str, Any] | None, said: list[str], kin: Dependence | None
) -> list[str]:
    """Return the cautions of the figures that the sealed rows gave, each once, and the absolute error ``beside`` a mean square.

    Without sealed rows there is no ``headline``, and the board says the caution of its error.
    """
    together = [text for text in {risk.kin, "" if kin is None else sentence(kin)} if text]
    first = risk.caution.removeprefix(risk.kin).strip()
    out = [text for text in (risk.kin, first) if headline and text and text not in said]
    if beside is not None:
        out.append(say("test_absolute", figures=f"{mean_of('absolute')} {in_words(beside)}"))
    for f in [*([beside] if beside else []), *headline[1:]]:
        own, name = f.get("caution") or "", mean_of(f["name"])
        for text in together:
            own = own.replace(text, "").strip()
        if own and own not in (*said, *out):
            same = bool(first) and without_figures(own) == without_figures(first)
            about = say("caution_same" if same else "caution_about", name=name, caution=own)
            out.append(about[:1].upper() + about[1:])
    return out


def conditions_of(ground: Ground, weight: str | None, risk: Risk, told: Told, kin: Dependence | None) -> list[str]:
    """Say what the figures rest on: what weights mean, how far ahead forecasts lie, how many groups, and kin that is doubted."""
    out, w, cells = [], ground.hand.weight, ground.cells
    if w is not None:
        words = {"name": weight, "n": whole(len(w)), "k": whole(as_counts(w, len(w)).sum())}
        meant = "equal" if (w == 1).all() else meaning_of(w)
        out.append(say(f"weights_{meant}", **words))
    if cells.ahead is not None:
        near, far, end = cells.ahead
        out.append(say("how_ahead_sealed" if end else "how_ahead", near=near, far=far, end=end))
    doubted = kin is not None and not sentence(kin) and kin.effect > 1
    if doubted:
        out.append(say("longer", times=figures(float(np.sqrt(kin.effect)), 3), p=p_value(kin.p_value)))  # type: ignore[union-attr]
    plain_how = ("held-out rows", f"held-out rows{taken_as(w)}")
    if len(cells.sealed) and risk.how not in plain_how and (not told.alone or not doubted):
        out.append(say("test_rests", how=how_said(risk.how)))
    return out
