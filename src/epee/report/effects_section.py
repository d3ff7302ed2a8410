"""The parts of a report that say what the chosen predictor uses, and what each column does to the prediction."""

from __future__ import annotations

from typing import Any

from epee.report import curve_pictures, pictures
from epee.report.contents import Block, Code, Pictures, Section, Table
from epee.words.numbers import figures, inside, interval, percent, plus_minus
from epee.words.report_words import say

MOST_COEFFICIENTS = 30


def uses_section(card: dict[str, Any]) -> Section | None:
    """Return what the chosen predictor leans on: importances, coefficients, the rules of a tree."""
    if not card["uses"] or not card["uses"]["items"]:
        return None
    level = percent(card["settings"]["level"], 0)
    caption = f"{say('uses_caption', level=level)} {card['uses'].get('caution', '')}".strip()
    blocks: list[Block] = [Pictures([pictures.uses(card, "importance")], caption)]
    coefficients = card["uses"].get("coefficients")
    if coefficients:
        sure = coefficients[0]["low"] is not None
        bare = "coefficients_together" if card["uses"].get("together") else "coefficients_bare"
        caption = say("coefficients_caption" if sure else bare, level=level)
        blocks.append(Pictures([pictures.uses(card, "coefficients")], caption))
        blocks.append(_per_unit(card, coefficients, level))
    if card.get("rules"):
        blocks.append(Code(say("rules"), "\n".join(card["rules"])))
    return Section("uses", say("uses"), blocks)


def _per_unit(card: dict[str, Any], coefficients: list[dict[str, Any]], level: str) -> Table:
    """Return what one more in the unit of each column changes."""
    rows = []
    for item in coefficients[:MOST_COEFFICIENTS]:
        low, high = item.get("unit_low"), item.get("unit_high")
        slope = item["per_unit"]
        shown = figures(slope) if low is None or high is None else inside(slope, low, high)
        rows.append([item["column"], shown, "" if low is None else interval(low, high)])
    head = [say("column"), say("per_unit"), say("interval", level=level)]
    what = say("per_unit_number" if card["task"] == "regression" else "per_unit_class", target=card["target"][0])
    return Table(head, rows, (1,), caption=what, folded=say("per_unit_title"))


def effects_section(card: dict[str, Any]) -> Section | None:
    """Return the effect of each column, and the pairs that act together."""
    e = card.get("effects")
    if not e or not e["columns"]:
        return None
    share = card["task"] == "classification"
    level = percent(card["settings"]["level"], 0)
    drawn = [curve_pictures.effect(column, e["of"], e["bands"], share) for column in e["columns"]]
    caption = say("effects_class" if share else "effects_number", of=", ".join(e["of"]))
    caption += " " + (say("effects_bands", level=level) if e["bands"] else say("effects_bare"))
    if e["bands"] and e.get("held"):
        caption += " " + say("effects_held")
    blocks: list[Block] = [Pictures(drawn, caption)]
    pairs = [pair for pair in e["interactions"] if pair["value"] > 0]
    if pairs:
        scale = 100 if share else 1
        bars = [None if pair["stderr"] is None else scale * pair["stderr"] for pair in pairs]
        rows = [
            [" × ".join(pair["columns"]), plus_minus(scale * pair["value"], bar), percent(pair["share"])]
            for pair, bar in zip(pairs, bars, strict=True)
        ]
        head = [say("pair"), say("strength_points" if share else "strength"), say("strength_share")]
        blocks.append(Table(head, rows, (1, 2), caption=say("interactions_caption")))
    return Section("effects", say("effects"), blocks)
