"""The report on a run of the main job: the answer in words first, then what it rests on."""

from __future__ import annotations

import math
from typing import Any

from epee.losses.names import named
from epee.report import pictures
from epee.report.cautions import cautions_of_board, is_marked, mark
from epee.report.contents import Block, Code, Page, Pictures, Section, Table, Tile, Words, again_in_python
from epee.report.effects_section import effects_section, uses_section
from epee.report.findings_section import count_sentence, findings_section
from epee.report.merit_section import errors_section, ranking_section
from epee.words import job_words
from epee.words.loss_words import mean_of, pronouns
from epee.words.numbers import (
    amount,
    figures,
    fixed,
    gap,
    in_unit,
    inside,
    interval,
    p_figure,
    p_value,
    percent,
    plus_minus,
    whole,
    without_figures,
)
from epee.words.report_words import known, say


def learned_page(card: dict[str, Any]) -> Page:
    """Return the page of the card of a run."""
    target = ", ".join(card["target"])
    sections = [part for part in (build(card) for build in SECTIONS) if part is not None]
    foot = say("made_by", version=card["epee"], seconds=figures(card.get("seconds"), 2))
    heading = say("learned_title", target=target)
    return Page(card["settings"]["lang"], f"épée – {target}", heading, answer(card), tiles(card), sections, foot)


def error(card: dict[str, Any], line: dict[str, Any]) -> str:
    """Return an error with the digits that its error bar is worth, in percent where it is a rate."""
    return amount(line["value"], line.get("stderr"), percent=is_rate(card))


def span(card: dict[str, Any], line: dict[str, Any]) -> str:
    """Return the interval of an error, with the digits of the error itself."""
    return interval(line["low"], line["high"], line.get("stderr"), percent=is_rate(card))


def difference(card: dict[str, Any], line: dict[str, Any]) -> str:
    """Return a difference of errors: in points for a rate."""
    return gap(line["difference"], line["difference_stderr"], rate=is_rate(card))


def difference_said(card: dict[str, Any], line: dict[str, Any]) -> str:
    """Return a difference from the best in the unit that the headline speaks: of squared errors that of their roots."""
    far = line["difference"]
    if card["loss"] != "squared" or len(card["target"]) > 1 or not 0 < far < line["value"]:
        return difference(card, line)
    share = (math.sqrt(line["value"]) - math.sqrt(line["value"] - far)) / far
    return gap(far * share, line["difference_stderr"] * share, rate=False)


def is_rate(card: dict[str, Any]) -> bool:
    """Tell whether the errors of a card are rates."""
    return named(card["loss"]).is_rate


def answer(card: dict[str, Any]) -> list[str]:
    """Return the answer in sentences: which predictor, its error with an interval, and whether the runner-up can be told apart."""
    test, level = card["test"], percent(card["settings"]["level"], 0)
    name, shown = in_the_unit(card, test)
    key = ("error_is" if card["rows"]["sealed"] else "error_is_cv") + ("" if shown["low"] is not None else "_bare")
    first = say("chosen_is", name=card["chosen"]["name"])
    second = say(
        key,
        n=whole(test["n"] or 0),
        loss=mean_of(name),
        value=error(card, shown),
        level=level,
        span=span(card, shown),
        **pronouns(name),
    )
    out = [first, second, *([test["caution"]] if test.get("caution") else [])]
    beside = [test["beside"]] if test.get("beside") else []
    for f in [*beside, *card.get("headline", [])[1:]]:
        value, ends = inside(f["value"], f["low"], f["high"]), interval(f["low"], f["high"])
        out.append(
            say(f"also_{f['name']}{'' if f['low'] is not None else '_bare'}", value=value, span=ends, level=level)
        )
        if f.get("caution") and f["caution"] not in out:
            same = any(without_figures(f["caution"]) == without_figures(text) for text in out)
            out.append(job_words.say("caution_same", name=mean_of(f["name"])) if same else f["caution"])
    out.append(runner_up(card))
    base = next((line for line in card["leaderboard"] if line["key"] == "baseline" and not line["chosen"]), None)
    if base is not None:
        out.append(say("against_baseline", value=error(card, in_the_unit(card, base)[1])))
    return out


def in_the_unit(card: dict[str, Any], line: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the name and the figures of an error in the unit of the target: of a mean squared error, its root."""
    if card["loss"] != "squared" or len(card["target"]) > 1:
        return card["loss"], line
    root = {name: None if line[name] is None else math.sqrt(max(line[name], 0.0)) for name in ("value", "low", "high")}
    bar = line.get("stderr")
    return "rmse", {**line, **root, "stderr": bar / (2 * root["value"]) if bar and root["value"] else bar}


def runner_up(card: dict[str, Any]) -> str:
    """Say whether the closest competitor can be told apart from the chosen predictor."""
    lines = card["leaderboard"]
    if len(lines) == 1:
        return say("alone")
    chosen = next(line for line in lines if line["chosen"])
    if chosen["mark"] == "best":
        other = min((line for line in lines if not line["chosen"]), key=lambda line: line["value"])
        return say(
            "apart" if other["mark"] == "worse" else "not_apart",
            other=other["name"],
            gap=difference_said(card, other),
            p=p_value(other["p_value"]),
        )
    best = next(line for line in lines if line["mark"] == "best")
    by = "_brier" if card["chosen"].get("by_brier") else ""
    return say(
        f"best_apart{by}" if chosen["mark"] == "worse" else f"best_not_apart{by}",
        other=best["name"],
        gap=difference_said(card, chosen),
        p=p_value(chosen["p_value"]),
    )


def tiles(card: dict[str, Any]) -> list[Tile]:
    """Return the figures that are seen first."""
    test, rows = card["test"], card["rows"]
    level = percent(card["settings"]["level"], 0)
    base = next((line for line in card["leaderboard"] if line["key"] == "baseline" and not line["chosen"]), None)
    name, test = in_the_unit(card, test)
    bare = test["low"] is None
    base = None if base is None else in_the_unit(card, base)[1]
    good = card["conclusive"]
    why = say("conclusive_why" if rows["sealed"] else "conclusive_cv") if good else say("not_conclusive_why")
    return [
        Tile(
            f"{say('test_error' if rows['sealed'] else 'corrected_error')} ({mean_of(name)})",
            error(card, test),
            (say("no_interval") if bare else f"{span(card, test)} · {level}") + mark(test),
        ),
        *(
            Tile(mean_of(f["name"]), inside(f["value"], f["low"], f["high"]), interval(f["low"], f["high"]) + mark(f))
            for f in card.get("headline", [])[1:]
        ),
        *([] if base is None else [Tile(say("baseline_error"), error(card, base), span(card, base) + mark(base))]),
        Tile(
            say("rows_used"),
            whole(rows["training"] + rows["sealed"]),
            say("rows_detail", training=whole(rows["training"]), sealed=whole(rows["sealed"])),
        ),
        Tile(say("verdict"), say("conclusive" if good else "not_conclusive"), why, "good" if good else "doubt"),
        Tile(
            say("findings"),
            whole(len(card["findings"])),
            count_sentence(card) if not card["findings"] else ", ".join(f["code"] for f in card["findings"]),
        ),
    ]


def leaderboard_section(card: dict[str, Any]) -> Section:
    """Return the picture and the table of all predictors."""
    s = card["settings"]
    level = percent(s["level"], 0)
    head = [
        "",
        say("predictor"),
        mean_of(card["loss"]),
        say("interval", level=level),
        say("against"),
        say("difference"),
        "p",
        say("dof"),
        say("seconds"),
    ]
    rows, marked = [], []
    for i, line in enumerate(card["leaderboard"]):
        if line["chosen"]:
            marked.append(i)
        best = line["mark"] == "best"
        rows.append(
            [
                "▶" if line["chosen"] else "",
                line["name"],
                plus_minus(line["value"], line["stderr"], percent=is_rate(card)),
                span(card, line) + (" ~" if is_marked(line) else ""),
                say(line["mark"]),
                "" if best else "+" + difference(card, line),
                "" if best else p_figure(line["p_value"]),
                figures(line["dof"]),
                in_unit(fixed(line["seconds"], 1), "s"),
            ]
        )
    repeats = s.get("repeats") or 1
    caption = say(
        "leaderboard_caption" if repeats > 1 else "leaderboard_caption_one",
        n=whole(card["rows"]["training"]),
        folds=s["folds"],
        repeats=repeats,
        level=level,
    )
    if any(line["interval"] == "approximate" for line in card["leaderboard"]):
        caption += f" {say('approximate_mark')}."
    blocks: list[Block] = [Pictures([pictures.leaderboard(card)], caption), Table(head, rows, (2, 5, 6, 7, 8), marked)]
    blocks += [Words(sentence) for sentence in (*card["verdict"], *cautions_of_board(card))]
    blocks += [Words(say("dropped", name=d["name"], why=d["why"])) for d in card["dropped"]]
    return Section("leaderboard", say("leaderboard"), blocks)


def curves_section(card: dict[str, Any]) -> Section | None:
    """Return the complexity curves, that of the chosen predictor first."""
    curves = {key: c for key, c in card["curves"].items() if len(c["values"]) > 1}
    if not curves:
        return None
    order = sorted(curves, key=lambda key: key != card["chosen"]["key"])
    svgs = [pictures.complexity(curves[key], card["loss"]) for key in order]
    return Section(
        "curves", say("curves"), [Pictures(svgs, say("curves_caption"), [curves[key]["name"] for key in order])]
    )


def curve_section(card: dict[str, Any]) -> Section | None:
    """Return the learning curve."""
    c = card["learning_curve"]
    if not c or len(c["sizes"]) < 2:
        return None
    then = c.get("then")
    caption = say("curve_caption_short")
    if then:
        caption = say(
            "curve_caption",
            rows=whole(then["rows"]),
            error=plus_minus(then["error"], then["stderr"], percent=is_rate(card)),
        )
    return Section("learning_curve", say("learning_curve"), [Pictures([pictures.learning_curve(card)], caption)])


def table_section(card: dict[str, Any]) -> Section:
    """Return how the table was read."""
    head = [say(key) for key in ("column", "kind", "role", "missing", "note")]
    rows = [
        [c["name"], known(c["kind"]), known(c["role"]), whole(c["missing"] or 0), c["note"] or ""]
        for c in card["columns"]
    ]
    blocks: list[Block] = [Words(note) for note in card["notes"]]
    blocks.append(Table(head, rows, (3,), folded=f"{say('all_columns')} ({whole(len(rows))})"))
    return Section("table", say("table"), blocks)


def how_section(card: dict[str, Any]) -> Section:
    """Say how the figures were computed."""
    return Section("how", say("how"), [Words(sentence) for sentence in card["how"]])


def redo_section(card: dict[str, Any]) -> Section:
    """Return the lines that do it again."""
    python = f'import epee\n\nlearned = {again_in_python(card)}\nlearned.report("report.html")'
    lang = " --lang fr" if card["settings"]["lang"] == "fr" and "--lang" not in card["redo"]["command"] else ""
    command = f"{card['redo']['command']}{lang} --report report.html"
    return Section("redo", say("redo"), [Code(say("redo_command"), command), Code(say("redo_python"), python)])


SECTIONS = (
    leaderboard_section,
    curves_section,
    errors_section,
    ranking_section,
    uses_section,
    effects_section,
    curve_section,
    findings_section,
    table_section,
    how_section,
    redo_section,
)
