"""The report on a table without a target: in short, then column by column, then what lies in the rows."""

from __future__ import annotations

from typing import Any

from epee.report import explored_pictures as pictures
from epee.report.contents import Block, Code, Page, Pictures, Section, Table, Tile, Words, again_in_python
from epee.report.findings_section import count_sentence, findings_section
from epee.words.numbers import NOTHING, figures, inside, interval, p_figure, percent, plus_minus, whole
from epee.words.report_words import known, say

DRAWN_COLUMNS = 24


def explored_page(card: dict[str, Any]) -> Page:
    """Return the page of the card of an exploration."""
    sections = [part for part in (build(card) for build in SECTIONS) if part is not None]
    foot = say("made_by", version=card["epee"], seconds=figures(card.get("seconds"), 2))
    heading = say("explored_title", table=card["label"])
    return Page(card["settings"]["lang"], f"épée – {card['label']}", heading, answer(card), tiles(card), sections, foot)


def rates(low: float, high: float) -> str:
    """Return an interval of shares."""
    return interval(low, high, percent=True)


def answer(card: dict[str, Any]) -> list[str]:
    """Say in short what the table holds."""
    kinds = [c["kind"] for c in card["columns"]]
    parts = ", ".join(
        say(f"x_kind_{kind}", k=kinds.count(kind))
        for kind in ("number", "boolean", "category", "date", "text")
        if kind in kinds
    )
    out = [say("x_shape", rows=whole(card["rows"]["read"]), columns=len(kinds), kinds=parts)]
    m = card["missing"]
    if m["cells"]:
        out.append(say("x_missing", share=percent(m["share"]), columns=len(m["columns"]), rows=whole(m["rows"])))
    else:
        out.append(say("x_missing_none"))
    if card["correlations"]:
        best = card["correlations"]["pairs"][0]
        out.append(
            say(
                "x_correlation",
                a=best["a"],
                b=best["b"],
                r=inside(best["value"], best["low"], best["high"]),
                span=interval(best["low"], best["high"]),
            )
        )
    a = card["axes"]
    if a:
        out.append(say("x_pca", k=a["held"], share=percent(a["held_share"]), p=len(a["names"])))
    c = card["clusters"]
    if c and c["chosen"] > 1:
        s = c["stability"]
        stability = plus_minus(s["value"], s["stderr"]) if s else NOTHING
        out.append(say("x_clusters", k=c["chosen"], stability=stability))
    elif c:
        out.append(say("x_one_cluster"))
    o = card["outliers"]
    if o:
        key = "x_outliers" if o["low"] > o["rate"] else "x_no_outliers"
        out.append(
            say(
                key,
                k=whole(o["count"]),
                share=percent(o["share"]),
                span=rates(o["low"], o["high"]),
                level=percent(o["rate"], 0),
            )
        )
    return out


def tiles(card: dict[str, Any]) -> list[Tile]:
    """Return the figures that are seen first."""
    m, c, o = card["missing"], card["clusters"], card["outliers"]
    found = [
        Tile(say("rows_used"), whole(card["rows"]["read"])),
        Tile(say("columns"), whole(len(card["columns"]))),
        Tile(say("missing_title"), percent(m["share"]), "" if m["cells"] else say("x_missing_none")),
    ]
    if c:
        s = c["stability"]
        found.append(
            Tile(
                say("clusters"),
                str(c["chosen"]),
                f"{say('stability')} {plus_minus(s['value'], s['stderr'])}" if s else "",
            )
        )
    if o:
        found.append(Tile(say("outliers"), percent(o["share"]), rates(o["low"], o["high"])))
    codes = ", ".join(f["code"] for f in card["findings"])
    return [*found, Tile(say("findings"), whole(len(card["findings"])), codes or count_sentence(card))]


def columns_section(card: dict[str, Any]) -> Section:
    """Return moments of the numbers, the commonest levels of categories, and notes on how columns were read."""
    numbers, others = [], []
    for c in card["columns"]:
        q = c.get("quartiles")
        first = [c["name"], known(c["kind"]), whole(c["missing"]), whole(c["distinct"])]
        if q and c["kind"] == "date":
            numbers.append([*first, "", "", "", *(pictures.day(q[i]) for i in (0, 2, 4)), ""])
        elif q:
            numbers.append(
                [
                    *first,
                    inside(c["mean"], c["low"], c["high"]),
                    interval(c["low"], c["high"]),
                    figures(c["sd"]),
                    *(figures(q[i], 4) for i in (0, 2, 4)),
                    figures(c["skewness"], 2),
                ]
            )
        else:
            shown = ", ".join(
                f"{line['level']} ({percent(line['rows'] / max(card['rows']['read'], 1))})" for line in c["levels"][:4]
            )
            others.append([*first, shown + (", …" if len(c["levels"]) > 4 else "")])
    blocks: list[Block] = [Words(note) for note in card["notes"]]
    start = [say(key) for key in ("column", "kind", "missing", "distinct")]
    if numbers:
        level = say("interval", level=percent(card["settings"]["level"], 0))
        head = [*start, say("mean"), level, *(say(key) for key in ("sd", "min", "median", "max", "skewness"))]
        blocks.append(Table(head, numbers, (2, 3, 4, 6, 7, 8, 9, 10), caption=say("how_moments")))
    if others:
        blocks.append(Table([*start, say("most_common")], others, (2, 3)))
    return Section("columns", say("columns"), blocks)


def distributions_section(card: dict[str, Any]) -> Section | None:
    """Return a small picture of every column."""
    drawn = [(c, pictures.distribution(c)) for c in card["columns"][:DRAWN_COLUMNS]]
    titles = [
        c["name"] + (" *" if (c.get("histogram") or {}).get("log") else "") for c, svg in drawn if svg is not None
    ]
    svgs = [svg for _, svg in drawn if svg is not None]
    if not svgs:
        return None
    return Section("distributions", say("distributions"), [Pictures(svgs, say("distributions_caption"), titles)])


def missing_section(card: dict[str, Any]) -> Section | None:
    """Return holes and their patterns."""
    m = card["missing"]
    if not m["cells"]:
        return Section("missing", say("missing_title"), [Words(say("x_missing_none"))])
    rows = [
        [", ".join(p["columns"]) or say("none_missing"), whole(p["rows"]), percent(p["rows"] / card["rows"]["read"])]
        for p in m["patterns"]
    ]
    return Section(
        "missing",
        say("missing_title"),
        [
            Pictures([pictures.missing(card)], say("missing_caption", level=percent(card["settings"]["level"], 0))),
            Table([say("pattern"), say("pattern_rows"), "%"], rows, (1, 2), caption=say("patterns_caption")),
        ],
    )


def correlations_section(card: dict[str, Any]) -> Section | None:
    """Return correlations with intervals."""
    c = card["correlations"]
    if not c:
        return None
    level = percent(card["settings"]["level"], 0)
    rows = [
        [
            f"{p['a']} – {p['b']}",
            inside(p["value"], p["low"], p["high"]),
            interval(p["low"], p["high"]),
            p_figure(p["p_value"]),
            whole(p["rows"]),
        ]
        for p in c["pairs"][:15]
    ]
    head = [say("pair"), say("r"), say("interval", level=level), "p", say("pattern_rows")]
    table = Table(head, rows, (1, 3, 4), caption=say("correlations_table", level=level, k=whole(c["tested"])))
    return Section(
        "correlations",
        say("correlations"),
        [Pictures([pictures.correlations(card)], say("correlations_caption")), table],
    )


def axes_section(card: dict[str, Any]) -> Section | None:
    """Return the principal axes."""
    a = card["axes"]
    if not a:
        return None
    coloured = bool(card["clusters"] and card["clusters"]["chosen"] > 1)
    words = say(
        "plane_caption" if coloured else "plane_caption_plain",
        shown=whole(len(a["scores"])),
        n=whole(card["rows"]["read"]),
    )
    caption = f"{say('scree_caption', level=percent(card['settings']['level'], 0))} {words} {say('how_fill')}"
    k = len(a["loadings"][0])
    rows = [
        [name, *(figures(round(v, 2), 2) for v in line)] for name, line in zip(a["names"], a["loadings"], strict=True)
    ]
    table = Table(
        [say("column"), *(say("axis", j=j + 1) for j in range(k))],
        rows[:40],
        tuple(range(1, k + 1)),
        folded=say("loadings"),
    )
    svgs = [pictures.scree(card), *([pictures.plane(card)] if len(a["scores"][0]) > 1 else [])]
    return Section("axes", say("pca"), [Pictures(svgs, caption), table])


def clusters_section(card: dict[str, Any]) -> Section | None:
    """Return the clusters with their stability."""
    c = card["clusters"]
    if not c:
        return None
    names = [name for name in ("gap", "stability", "silhouette") if name in c["criteria"]]
    svgs = [pictures.criterion(card, name) for name in names]
    blocks: list[Block] = [Pictures(svgs, say("clusters_caption", n=whole(c["rows"])), [say(name) for name in names])]
    if c["chosen"] > 1:
        rows = [
            [
                say("cluster", j=j + 1),
                whole(g["rows"]),
                ", ".join(f"{m['column']} {'+' if m['value'] > 0 else ''}{figures(m['value'], 2)}" for m in g["marks"]),
            ]
            for j, g in enumerate(c["groups"])
        ]
        blocks.append(Table(["", say("cluster_rows"), say("cluster_marks")], rows, (1,)))
    else:
        blocks.append(Words(say("x_one_cluster")))
    return Section("clusters", say("clusters"), blocks)


def mixture_section(card: dict[str, Any]) -> Section | None:
    """Return the mixture of Gaussian laws: how many, and what each is."""
    m = card.get("mixture")
    if not m:
        return None
    caption = say(
        "mixture_caption", n=whole(m["rows"]), form=say("full_form" if m["covariance"] == "full" else "diag_form")
    )
    blocks: list[Block] = [Pictures([pictures.components(card)], caption, [say("bic")])]
    _, best = min((s, k) for s, k in zip(m["bic"]["score"], m["bic"]["values"], strict=True) if s is not None)
    if m["chosen"] == 1:
        blocks.append(Words(say("one_law") if best == 1 else say("one_cloud", k=best)))
    else:
        rows = [
            [
                say("component", j=j + 1), percent(g["weight"], 0), "" if g["sure"] is None else percent(g["sure"], 0),
                ", ".join(f"{c['column']} {'+' if c['value'] > 0 else ''}{figures(c['value'], 2)}" for c in g["marks"]),
            ]
            for j, g in enumerate(m["groups"])
        ]  # fmt: skip
        blocks.append(Table(["", say("component_weight"), say("component_sure"), say("component_marks")], rows, (1, 2)))
    return Section("mixture", say("mixture"), blocks)


def outliers_section(card: dict[str, Any]) -> Section | None:
    """Return the unlikely rows."""
    o = card["outliers"]
    if not o:
        return None
    model = say("gaussian_law") if o["components"] == 1 else say("mixture_law", k=o["components"])
    level = percent(o["rate"], 0)
    blocks: list[Block] = [Words(answer(card)[-1]), Words(say("outliers_caption", model=model, level=level))]
    if o["rows"]:
        rows = [
            [
                whole(r["row"]),
                ", ".join(f"{c['column']} {'+' if c['value'] > 0 else ''}{figures(c['value'], 2)}" for c in r["cells"]),
            ]
            for r in o["rows"]
        ]
        blocks.append(Table([say("row"), say("why_unlikely")], rows, (0,)))
    return Section("outliers", say("outliers"), blocks)


def redo_section(card: dict[str, Any]) -> Section:
    """Return the lines that do it again."""
    python = f'import epee\n\nexplored = {again_in_python(card)}\nexplored.report("report.html")'
    lang = " --lang fr" if card["settings"]["lang"] == "fr" else ""
    command = f"{card['redo']['command']}{lang} --report report.html"
    return Section("redo", say("redo"), [Code(say("redo_command"), command), Code(say("redo_python"), python)])


SECTIONS = (
    columns_section,
    distributions_section,
    missing_section,
    correlations_section,
    axes_section,
    clusters_section,
    mixture_section,
    outliers_section,
    findings_section,
    redo_section,
)
