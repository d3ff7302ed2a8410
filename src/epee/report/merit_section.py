"""The parts of a report that say what the chosen predictor does on the sealed rows: its mistakes, its figures, its curves."""

from __future__ import annotations

from typing import Any

from epee.report import curve_pictures, pictures
from epee.report.cautions import mark, told_once
from epee.report.contents import Block, Pictures, Section, Table, Words
from epee.words import loss_words
from epee.words.numbers import NOTHING, figures, inside, interval, percent, places_of, whole
from epee.words.report_words import say

DRAWN_CLASSES = 12


def errors_section(card: dict[str, Any]) -> Section | None:
    """Return the confusion matrix, or the residuals, and the figures of merit."""
    n, level = whole(card["rows"]["sealed"]), percent(card["settings"]["level"], 0)
    blocks: list[Block] = []
    c = card["confusion"]
    if c is not None:
        if len(c["labels"]) <= DRAWN_CLASSES:
            blocks.append(Pictures([pictures.confusion(card)], say("confusion_caption", n=n, level=level)))
        else:
            blocks += _commonest(card, n)
        if c.get("caution") and c["caution"] != card["test"].get("caution"):
            blocks.append(Words(c["caution"]))
    r = card["residuals"]
    if r is not None and len(r["predicted"]) > 1:
        q = r["quantiles"]
        half, most = (interval(q[a], q[b]) for a, b in (("0.25", "0.75"), ("0.05", "0.95")))
        caption = say("residuals_caption", n=n, shown=whole(len(r["predicted"])), half=half, most=most)
        blocks.append(Pictures([pictures.residuals(card)], caption))
    if card.get("by_class"):
        blocks.append(_by_class(card, n, level))
    told = {_named(card, name): f for name, f in card["scores"].items() if f and name != card["loss"]}
    scores = [
        [name, inside(f["value"], f["low"], f["high"]), interval(f["low"], f["high"]) + mark(f)]
        for name, f in told.items()
    ]
    if scores:
        head = [say("score"), say("value"), say("interval", level=level)]
        blocks.append(Table(head, scores, (1,), caption=say("scores_caption", n=n)))
        blocks += [Words(text) for text in told_once([(name, f.get("caution") or "") for name, f in told.items()])]
    if not blocks:
        return None
    return Section("errors", say("confusion" if c is not None else "residuals"), blocks)


def _named(card: dict[str, Any], name: str) -> str:
    """Return what a figure of merit is called, and of which class it is."""
    if name in ("f1", "average_precision") and card["classes"]:
        two = len(card["classes"]) == 2
        of = say("of_class", label=card["classes"][1]) if two else say("over_classes")
        return f"{loss_words.say.known(name)} ({of})"
    return loss_words.mean_of(name)


def _by_class(card: dict[str, Any], n: str, level: str) -> Table:
    head = [say("class"), say("pattern_rows"), say("precision"), say("recall"), "F1"]
    names = ("precision", "recall", "f1")
    ends = [(line[name]["low"], line[name]["high"]) for line in card["by_class"] for name in names if line[name]]
    places = places_of(ends, percent=True)
    rows = [
        [line["label"], whole(line["rows"]), *(_rate(line[name], places) for name in names)]
        for line in card["by_class"]
    ]
    return Table(head, rows, (1,), caption=say("by_class_caption", n=n, level=level))


def _rate(figure: dict[str, float] | None, places: int) -> str:
    if figure is None:
        return NOTHING
    return f"{percent(figure['value'], places)} {interval(figure['low'], figure['high'], percent=True, places=places)}"


def _commonest(card: dict[str, Any], n: str) -> list[Block]:
    c = card["confusion"]
    wrong = [
        (k, true, said, c["rates"][i][j], c["low"][i][j], c["high"][i][j])
        for i, true in enumerate(c["labels"])
        for j, said in enumerate(c["decided"])
        for k in [c["counts"][i][j]]
        if true != said and k
    ]
    wrong.sort(key=lambda line: -line[0])
    rows = [
        [str(t), str(s), whole(k), percent(rate), interval(lo, hi, percent=True)]
        for k, t, s, rate, lo, hi in wrong[:20]
    ]
    level = percent(card["settings"]["level"], 0)
    head = [say("true"), say("decided"), say("pattern_rows"), say("share"), say("interval", level=level)]
    return [Words(say("confusion_worst", k=len(c["labels"]), n=n)), Table(head, rows, (2, 3))]


def ranking_section(card: dict[str, Any]) -> Section | None:
    """Return the curves of the classes against the rest: ROC, precision and recall, lift; and whether probabilities are frequencies."""
    n, level = whole(card["rows"]["sealed"]), percent(card["settings"]["level"], 0)
    parts = card.get("ranking") or []
    blocks: list[Block] = []
    if parts:
        kinds = ("roc", "precision_recall", "lift")
        drawn = [curve_pictures.ranking(parts, kind) for kind in kinds]
        blocks.append(Pictures(drawn, say("ranking_caption", n=n, level=level), [say(kind) for kind in kinds]))
    if len(parts) == 1:
        caption = say("reliability_caption", n=n, level=level, label=parts[0]["label"])
        blocks.append(Pictures([curve_pictures.reliability(parts[0])], caption))
    elif card["calibration"]:
        blocks.append(Pictures([pictures.calibration(card)], say("calibration_caption", n=n, level=level)))
    t = card.get("threshold")
    if t:
        words = {"label": t["label"], "chosen": percent(t["chosen"]), "expected": percent(t["expected"])}
        least = figures(t["least"]) if t["costs"] else percent(t["least"])
        caption = say("threshold_costs" if t["costs"] else "threshold_caption", least=least, **words)
        if t.get("pair"):
            low, high = (percent(end) for end in t["pair"])
            caption += " " + say("threshold_reject", label=t["label"], other=t["other"], low=low, high=high)
        blocks.append(Pictures([curve_pictures.threshold(t)], caption, [say("threshold")]))
    return Section("ranking", say("ranking"), blocks) if blocks else None
