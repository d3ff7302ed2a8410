"""The report on a run of the main job: the answer in words first, then what it rests on."""

from __future__ import annotations

from typing import Any

from epee.report import pictures
from epee.report.contents import Block, Code, Page, Pictures, Section, Table, Tile, Words
from epee.report.findings_section import count_sentence, findings_section
from epee.words.finding_words import interval, plus_minus
from epee.words.report_words import count, figures, known, local, loss_name, percent, pronouns, word

DRAWN_CLASSES = 12


def learned_page(card: dict[str, Any]) -> Page:
    """Return the page of the card of a run."""
    target = ", ".join(card["target"])
    sections = [part for part in (build(card) for build in SECTIONS) if part is not None]
    foot = word("made_by", version=card["epee"], seconds=figures(card.get("seconds"), 2))
    heading = word("learned_title", target=target)
    return Page(card["settings"]["lang"], f"épée – {target}", heading, answer(card), tiles(card), sections, foot)


def show(card: dict[str, Any], value: float | None, stderr: float | None = None) -> str:
    """Return an error, in percent where it is a rate, with its error bar."""
    rate = card["loss"] == "zero_one"
    if stderr is None:
        return percent(value) if rate else figures(value)
    if rate:
        digits = 0 if stderr >= 0.03 else 1 if stderr >= 0.001 else 2
        return f"{percent(value, digits)} ± {percent(stderr, digits)}".replace("\u00a0%", "", 1)
    return plus_minus(value or 0.0, stderr)


def span(card: dict[str, Any], low: float | None, high: float | None) -> str:
    """Return an interval, in percent where it is one of rates."""
    if low is None or high is None:
        return "–"
    return (
        interval(low, high, percent=True, digits=1 if high < 0.2 else 0)
        if card["loss"] == "zero_one"
        else interval(low, high)
    )


def difference(card: dict[str, Any], value: float, stderr: float) -> str:
    """Return a difference of errors: in points for a rate."""
    from epee.risk.estimate import decimals

    factor = 100 if card["loss"] == "zero_one" else 1
    d = decimals(factor * value, factor * stderr)
    text = local(f"{factor * value:.{d}f} ± {factor * stderr:.{d}f}")
    return f"{text} points" if factor == 100 else text


def p_text(p: float) -> str:
    """Return a p-value."""
    return local(f"{p:.2g}") if p >= 1e-4 else "< 0,0001" if local(".") == "," else "< 0.0001"


def answer(card: dict[str, Any]) -> list[str]:
    """Return the answer in sentences: which predictor, its error with an interval, and whether the runner-up can be told apart."""
    test, level = card["test"], percent(card["settings"]["level"], 0)
    key = "error_is" if card["rows"]["sealed"] else "error_is_cv"
    first = word("chosen_is", name=card["chosen"]["name"])
    second = word(
        key,
        n=count(test["n"] or 0),
        loss=loss_name(card["loss"]),
        value=show(card, test["value"]),
        level=level,
        span=span(card, test["low"], test["high"]),
        **pronouns(card["loss"]),
    )
    out = [first, second, runner_up(card)]
    base = next((line for line in card["leaderboard"] if line["key"] == "baseline" and not line["chosen"]), None)
    if base is not None:
        out.append(word("against_baseline", value=show(card, base["value"])))
    return out


def runner_up(card: dict[str, Any]) -> str:
    """Say whether the closest competitor can be told apart from the chosen predictor."""
    lines = card["leaderboard"]
    if len(lines) == 1:
        return word("alone")
    chosen = next(line for line in lines if line["chosen"])
    if chosen["mark"] == "best":
        other = min((line for line in lines if not line["chosen"]), key=lambda line: line["value"])
        gap = difference(card, other["difference"], other["difference_stderr"])
        return word(
            "apart" if other["mark"] == "worse" else "not_apart",
            other=other["name"],
            gap=gap,
            p=p_text(other["p_value"]),
        )
    best = next(line for line in lines if line["mark"] == "best")
    gap = difference(card, chosen["difference"], chosen["difference_stderr"])
    return word(
        "best_apart" if chosen["mark"] == "worse" else "best_not_apart",
        other=best["name"],
        gap=gap,
        p=p_text(chosen["p_value"]),
    )


def tiles(card: dict[str, Any]) -> list[Tile]:
    """Return the figures that are seen first."""
    test, rows = card["test"], card["rows"]
    level = percent(card["settings"]["level"], 0)
    base = next((line for line in card["leaderboard"] if line["key"] == "baseline"), None)
    good = card["conclusive"]
    why = word("conclusive_why" if rows["sealed"] else "conclusive_cv") if good else word("not_conclusive_why")
    return [
        Tile(
            word("test_error" if rows["sealed"] else "corrected_error"),
            show(card, test["value"]),
            f"{span(card, test['low'], test['high'])} · {level}",
        ),
        *(
            []
            if base is None
            else [Tile(word("baseline_error"), show(card, base["value"]), span(card, base["low"], base["high"]))]
        ),
        Tile(
            word("rows_used"),
            count(rows["training"] + rows["sealed"]),
            word("rows_detail", training=count(rows["training"]), sealed=count(rows["sealed"])),
        ),
        Tile(word("verdict"), word("conclusive" if good else "not_conclusive"), why, "good" if good else "doubt"),
        Tile(
            word("findings"),
            str(len(card["findings"])),
            count_sentence(card) if not card["findings"] else ", ".join(f["code"] for f in card["findings"]),
        ),
    ]


def leaderboard_section(card: dict[str, Any]) -> Section:
    """Return the picture and the table of all predictors."""
    s = card["settings"]
    level = percent(s["level"], 0)
    head = [
        "",
        word("predictor"),
        loss_name(card["loss"]),
        word("interval", level=level),
        word("against"),
        word("difference"),
        "p",
        word("dof"),
        word("seconds"),
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
                show(card, line["value"], line["stderr"]),
                span(card, line["low"], line["high"]) + (" ~" if line["interval"] == "approximate" else ""),
                word(line["mark"]),
                "" if best else "+" + difference(card, line["difference"], line["difference_stderr"]),
                "" if best else p_text(line["p_value"]),
                figures(line["dof"]),
                f"{figures(line['seconds'], 2)} s",
            ]
        )
    repeats = s.get("repeats") or 1
    caption = word(
        "leaderboard_caption" if repeats > 1 else "leaderboard_caption_one",
        n=count(card["rows"]["training"]),
        folds=s["folds"],
        repeats=repeats,
        level=level,
    )
    if any(line["interval"] == "approximate" for line in card["leaderboard"]):
        caption += f" {word('approximate_mark')}."
    blocks: list[Block] = [Pictures([pictures.leaderboard(card)], caption), Table(head, rows, (2, 5, 6, 7, 8), marked)]
    blocks += [Words(sentence) for sentence in card["verdict"]]
    blocks += [Words(word("dropped", name=d["name"], why=d["why"])) for d in card["dropped"]]
    return Section("leaderboard", word("leaderboard"), blocks)


def curves_section(card: dict[str, Any]) -> Section | None:
    """Return the complexity curves, that of the chosen predictor first."""
    curves = {key: c for key, c in card["curves"].items() if len(c["values"]) > 1}
    if not curves:
        return None
    order = sorted(curves, key=lambda key: key != card["chosen"]["key"])
    svgs = [pictures.complexity(curves[key], card["loss"]) for key in order]
    return Section(
        "curves", word("curves"), [Pictures(svgs, word("curves_caption"), [curves[key]["name"] for key in order])]
    )


def errors_section(card: dict[str, Any]) -> Section | None:
    """Return the confusion matrix, or the residuals."""
    n, level = count(card["rows"]["sealed"]), percent(card["settings"]["level"], 0)
    blocks: list[Block] = []
    scores = [
        [known(name), figures(f["value"]), interval(f["low"], f["high"])] for name, f in card["scores"].items() if f
    ]
    c = card["confusion"]
    if c is not None:
        if len(c["labels"]) <= DRAWN_CLASSES:
            blocks.append(Pictures([pictures.confusion(card)], word("confusion_caption", n=n, level=level)))
        else:
            blocks += _commonest(card, n)
    r = card["residuals"]
    if r is not None and len(r["predicted"]) > 1:
        q = r["quantiles"]
        half, most = (interval(q[a], q[b]) for a, b in (("0.25", "0.75"), ("0.05", "0.95")))
        blocks.append(
            Pictures(
                [pictures.residuals(card)],
                word("residuals_caption", n=n, shown=count(len(r["predicted"])), half=half, most=most),
            )
        )
    if scores:
        blocks.append(
            Table(
                [word("score"), word("value"), word("interval", level=level)],
                scores,
                (1,),
                caption=word("scores_caption", n=n),
            )
        )
    if not blocks:
        return None
    return Section("errors", word("confusion" if c is not None else "residuals"), blocks)


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
        [str(t), str(s), figures(k), percent(rate), interval(lo, hi, percent=True)]
        for k, t, s, rate, lo, hi in wrong[:20]
    ]
    head = [
        word("true"),
        word("decided"),
        word("pattern_rows"),
        word("right").split()[0],
        word("interval", level=percent(card["settings"]["level"], 0)),
    ]
    return [Words(word("confusion_worst", k=len(c["labels"]), n=n)), Table(head, rows, (2, 3))]


def calibration_section(card: dict[str, Any]) -> Section | None:
    """Return how often answers of each probability are right."""
    if not card["calibration"]:
        return None
    caption = word("calibration_caption", n=count(card["rows"]["sealed"]), level=percent(card["settings"]["level"], 0))
    return Section("calibration", word("calibration"), [Pictures([pictures.calibration(card)], caption)])


def uses_section(card: dict[str, Any]) -> Section | None:
    """Return what the chosen predictor leans on."""
    if not card["uses"] or not card["uses"]["items"]:
        return None
    level = percent(card["settings"]["level"], 0)
    how = card["uses"]["how"]
    shown = [
        Pictures(
            [pictures.uses(card, how)],
            word("uses_caption" if how == "importance" else "coefficients_caption", level=level),
        )
    ]
    if card["uses"].get("coefficients"):
        sure = card["uses"]["coefficients"][0]["low"] is not None
        caption = word("coefficients_caption" if sure else "coefficients_bare", level=level)
        shown.append(Pictures([pictures.uses(card, "coefficients")], caption))
    return Section("uses", word("uses"), shown)


def curve_section(card: dict[str, Any]) -> Section | None:
    """Return the learning curve."""
    c = card["learning_curve"]
    if not c or len(c["sizes"]) < 2:
        return None
    then = c.get("then")
    caption = word("curve_caption_short")
    if then:
        caption = word("curve_caption", rows=count(then["rows"]), error=show(card, then["error"], then["stderr"]))
    return Section("learning_curve", word("learning_curve"), [Pictures([pictures.learning_curve(card)], caption)])


def table_section(card: dict[str, Any]) -> Section:
    """Return how the table was read."""
    head = [word(key) for key in ("column", "kind", "role", "missing", "note")]
    rows = [
        [c["name"], known(c["kind"]), known(c["role"]), count(c["missing"] or 0), c["note"] or ""]
        for c in card["columns"]
    ]
    blocks: list[Block] = [Words(note) for note in card["notes"]]
    blocks.append(Table(head, rows, (3,), folded=f"{word('all_columns')} ({len(rows)})"))
    return Section("table", word("table"), blocks)


def how_section(card: dict[str, Any]) -> Section:
    """Say how the figures were computed."""
    return Section("how", word("how"), [Words(sentence) for sentence in card["how"]])


def redo_section(card: dict[str, Any]) -> Section:
    """Return the lines that do it again."""
    python = f'import epee\n\nlearned = {card["redo"]["python"]}\nlearned.report("report.html")'
    lang = " --lang fr" if card["settings"]["lang"] == "fr" and "--lang" not in card["redo"]["command"] else ""
    command = f"{card['redo']['command']}{lang} --report report.html"
    return Section("redo", word("redo"), [Code(word("redo_command"), command), Code(word("redo_python"), python)])


SECTIONS = (
    leaderboard_section,
    curves_section,
    errors_section,
    calibration_section,
    uses_section,
    curve_section,
    findings_section,
    table_section,
    how_section,
    redo_section,
)
