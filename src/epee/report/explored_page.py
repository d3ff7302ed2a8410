"""The report on a table without a target: in short, then column by column, then what lies in the rows."""

from __future__ import annotations

from typing import Any

from epee.report import explored_pictures as pictures
from epee.report.contents import Block, Code, Page, Pictures, Section, Table, Tile, Words
from epee.report.findings_section import count_sentence, findings_section
from epee.report.learned_page import p_text
from epee.words.finding_words import amount, interval
from epee.words.report_words import count, figures, known, percent, word

DRAWN_COLUMNS = 24


def explored_page(card: dict[str, Any]) -> Page:
    """Return the page of the card of an exploration."""
    sections = [part for part in (build(card) for build in SECTIONS) if part is not None]
    foot = word("made_by", version=card["epee"], seconds=figures(card.get("seconds"), 2))
    heading = word("explored_title", table=card["label"])
    return Page(card["settings"]["lang"], f"épée – {card['label']}", heading, answer(card), tiles(card), sections, foot)


def rates(low: float, high: float) -> str:
    """Return an interval of shares."""
    return interval(low, high, percent=True, digits=1 if high < 0.1 else 0)


def answer(card: dict[str, Any]) -> list[str]:
    """Say in short what the table holds."""
    kinds = [c["kind"] for c in card["columns"]]
    parts = ", ".join(
        word(f"x_kind_{kind}", k=kinds.count(kind))
        for kind in ("number", "boolean", "category", "date", "text")
        if kind in kinds
    )
    out = [word("x_shape", rows=count(card["rows"]["read"]), columns=len(kinds), kinds=parts)]
    m = card["missing"]
    if m["cells"]:
        out.append(word("x_missing", share=percent(m["share"]), columns=len(m["columns"]), rows=count(m["rows"])))
    else:
        out.append(word("x_missing_none"))
    if card["correlations"]:
        best = card["correlations"]["pairs"][0]
        out.append(
            word(
                "x_correlation",
                a=best["a"],
                b=best["b"],
                r=figures(best["value"], 2),
                span=interval(best["low"], best["high"]),
            )
        )
    a = card["axes"]
    if a:
        out.append(word("x_pca", k=a["held"], share=percent(a["held_share"]), p=len(a["names"])))
    c = card["clusters"]
    if c and c["chosen"] > 1:
        s = c["stability"]
        stability = f"{figures(s['value'], 2)} ± {figures(s['stderr'], 1)}" if s else "–"
        out.append(word("x_clusters", k=c["chosen"], stability=stability))
    elif c:
        out.append(word("x_one_cluster"))
    o = card["outliers"]
    if o:
        key = "x_outliers" if o["low"] > o["rate"] else "x_no_outliers"
        out.append(
            word(
                key,
                k=count(o["count"]),
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
        Tile(word("rows_used"), count(card["rows"]["read"])),
        Tile(word("columns"), str(len(card["columns"]))),
        Tile(word("missing_title"), percent(m["share"]), "" if m["cells"] else word("x_missing_none")),
    ]
    if c:
        s = c["stability"]
        found.append(
            Tile(
                word("clusters"),
                str(c["chosen"]),
                f"{word('stability')} {figures(s['value'], 2)} ± {figures(s['stderr'], 1)}" if s else "",
            )
        )
    if o:
        found.append(Tile(word("outliers"), percent(o["share"]), rates(o["low"], o["high"])))
    codes = ", ".join(f["code"] for f in card["findings"])
    return [*found, Tile(word("findings"), str(len(card["findings"])), codes or count_sentence(card))]


def columns_section(card: dict[str, Any]) -> Section:
    """Return moments of the numbers, the commonest levels of categories, and notes on how columns were read."""
    numbers, others = [], []
    for c in card["columns"]:
        q = c.get("quartiles")
        first = [c["name"], known(c["kind"]), count(c["missing"]), count(c["distinct"])]
        if q and c["kind"] == "date":
            numbers.append([*first, "", "", "", *(pictures.day(q[i]) for i in (0, 2, 4)), ""])
        elif q:
            numbers.append(
                [
                    *first,
                    amount(c["mean"], (c["high"] - c["low"]) / 4),
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
    start = [word(key) for key in ("column", "kind", "missing", "distinct")]
    if numbers:
        level = word("interval", level=percent(card["settings"]["level"], 0))
        head = [*start, word("mean"), level, *(word(key) for key in ("sd", "min", "median", "max", "skewness"))]
        blocks.append(Table(head, numbers, (2, 3, 4, 6, 7, 8, 9, 10), caption=word("how_moments")))
    if others:
        blocks.append(Table([*start, word("most_common")], others, (2, 3)))
    return Section("columns", word("columns"), blocks)


def distributions_section(card: dict[str, Any]) -> Section | None:
    """Return a small picture of every column."""
    drawn = [(c, pictures.distribution(c)) for c in card["columns"][:DRAWN_COLUMNS]]
    titles = [
        c["name"] + (" *" if (c.get("histogram") or {}).get("log") else "") for c, svg in drawn if svg is not None
    ]
    svgs = [svg for _, svg in drawn if svg is not None]
    if not svgs:
        return None
    return Section("distributions", word("distributions"), [Pictures(svgs, word("distributions_caption"), titles)])


def missing_section(card: dict[str, Any]) -> Section | None:
    """Return holes and their patterns."""
    m = card["missing"]
    if not m["cells"]:
        return Section("missing", word("missing_title"), [Words(word("x_missing_none"))])
    rows = [
        [", ".join(p["columns"]) or word("none_missing"), count(p["rows"]), percent(p["rows"] / card["rows"]["read"])]
        for p in m["patterns"]
    ]
    return Section(
        "missing",
        word("missing_title"),
        [
            Pictures([pictures.missing(card)], word("missing_caption", level=percent(card["settings"]["level"], 0))),
            Table([word("pattern"), word("pattern_rows"), "%"], rows, (1, 2), caption=word("patterns_caption")),
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
            figures(p["value"], 2),
            interval(p["low"], p["high"]),
            p_text(p["p_value"]),
            count(p["rows"]),
        ]
        for p in c["pairs"][:15]
    ]
    head = [word("pair"), word("r"), word("interval", level=level), "p", word("pattern_rows")]
    table = Table(head, rows, (1, 3, 4), caption=word("correlations_table", level=level, k=count(c["tested"])))
    return Section(
        "correlations",
        word("correlations"),
        [Pictures([pictures.correlations(card)], word("correlations_caption")), table],
    )


def axes_section(card: dict[str, Any]) -> Section | None:
    """Return the principal axes."""
    a = card["axes"]
    if not a:
        return None
    coloured = bool(card["clusters"] and card["clusters"]["chosen"] > 1)
    words = word(
        "plane_caption" if coloured else "plane_caption_plain",
        shown=count(len(a["scores"])),
        n=count(card["rows"]["read"]),
    )
    caption = f"{word('scree_caption', level=percent(card['settings']['level'], 0))} {words} {word('how_fill')}"
    k = len(a["loadings"][0])
    rows = [
        [name, *(figures(round(v, 2), 2) for v in line)] for name, line in zip(a["names"], a["loadings"], strict=True)
    ]
    table = Table(
        [word("column"), *(word("axis", j=j + 1) for j in range(k))],
        rows[:40],
        tuple(range(1, k + 1)),
        folded=word("loadings"),
    )
    svgs = [pictures.scree(card), *([pictures.plane(card)] if len(a["scores"][0]) > 1 else [])]
    return Section("axes", word("pca"), [Pictures(svgs, caption), table])


def clusters_section(card: dict[str, Any]) -> Section | None:
    """Return the clusters with their stability."""
    c = card["clusters"]
    if not c:
        return None
    names = [name for name in ("gap", "stability", "silhouette") if name in c["criteria"]]
    svgs = [pictures.criterion(card, name) for name in names]
    blocks: list[Block] = [Pictures(svgs, word("clusters_caption", n=count(c["rows"])), [word(name) for name in names])]
    if c["chosen"] > 1:
        rows = [
            [
                word("cluster", j=j + 1),
                count(g["rows"]),
                ", ".join(f"{m['column']} {'+' if m['value'] > 0 else ''}{figures(m['value'], 2)}" for m in g["marks"]),
            ]
            for j, g in enumerate(c["groups"])
        ]
        blocks.append(Table(["", word("cluster_rows"), word("cluster_marks")], rows, (1,)))
    else:
        blocks.append(Words(word("x_one_cluster")))
    return Section("clusters", word("clusters"), blocks)


def outliers_section(card: dict[str, Any]) -> Section | None:
    """Return the unlikely rows."""
    o = card["outliers"]
    if not o:
        return None
    model = word("gaussian_law") if o["components"] == 1 else word("mixture_law", k=o["components"])
    level = percent(o["rate"], 0)
    blocks: list[Block] = [Words(answer(card)[-1]), Words(word("outliers_caption", model=model, level=level))]
    if o["rows"]:
        rows = [
            [
                count(r["row"]),
                ", ".join(f"{c['column']} {'+' if c['value'] > 0 else ''}{figures(c['value'], 2)}" for c in r["cells"]),
            ]
            for r in o["rows"]
        ]
        blocks.append(Table([word("row"), word("why_unlikely")], rows, (0,)))
    return Section("outliers", word("outliers"), blocks)


def redo_section(card: dict[str, Any]) -> Section:
    """Return the lines that do it again."""
    python = f'import epee\n\nexplored = {card["redo"]["python"]}\nexplored.report("report.html")'
    lang = " --lang fr" if card["settings"]["lang"] == "fr" else ""
    command = f"{card['redo']['command']}{lang} --report report.html"
    return Section("redo", word("redo"), [Code(word("redo_command"), command), Code(word("redo_python"), python)])


SECTIONS = (
    columns_section,
    distributions_section,
    missing_section,
    correlations_section,
    axes_section,
    clusters_section,
    outliers_section,
    findings_section,
    redo_section,
)
