from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from epee.report.html import html_of, write_report
from epee.report.learned_page import runner_up
from epee.report.text import text_of

KINDS = [(kind, lang) for kind in ("classes", "number", "explored") for lang in ("en", "fr")]


class Reader(HTMLParser):
    """Collects tags, attributes and the text that is shown."""

    VOID = frozenset({"meta", "link", "br", "img", "hr"})

    def __init__(self):
        super().__init__()
        self.tags, self.words, self.open, self.faults = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.words.append(data)


def read(text):
    reader = Reader()
    reader.feed(text)
    return reader


@pytest.mark.parametrize("kind", KINDS)
def test_one_small_page_that_asks_for_nothing(cards, kind):
    text = html_of(cards[kind])
    assert len(text.encode()) < 500_000
    page = read(text)
    assert page.faults == [] and page.open == []
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "img", "iframe", "object", "embed", "form", "b", "i"}
    for tag, attributes in page.tags:
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
        for name in ("href", "src"):
            assert attributes.get(name, "#").startswith(("#", "data:")), (tag, attributes)
    outside = re.findall(r"(?:https?:)?//[^\s\"'<]+", text.replace("http://www.w3.org/2000/svg", ""))
    assert outside == []
    assert f'<html lang="{kind[1]}">' in text


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("kind", ["classes", "explored"])
def test_names_are_shown_not_run(cards, kind, lang):
    page = read(html_of(cards[kind, lang]))
    words = "".join(page.words)
    for name in ("<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "</style><b>bold", "{{ 7 * 7 }}"):
        assert name in words.replace("\u00a0", " ")
    assert all(tag != "svg" or "onload" not in attributes for tag, attributes in page.tags)


def test_the_answer_comes_first(cards):
    card = cards["classes", "en"]
    page = read(html_of(card))
    words = " ".join(w.strip() for w in page.words if w.strip())
    start = words[: words.index("All predictors")]
    assert card["chosen"]["name"] in start and "95" in start
    assert runner_up(card) in start.replace("\u00a0", " ")


def test_sections_of_a_run(cards):
    ids = [a["id"] for tag, a in read(html_of(cards["classes", "en"])).tags if tag == "section"]
    assert ids == [
        "leaderboard",
        "curves",
        "errors",
        "ranking",
        "uses",
        "effects",
        "learning_curve",
        "findings",
        "table",
        "how",
        "redo",
    ]
    ids = [a["id"] for tag, a in read(html_of(cards["number", "fr"])).tags if tag == "section"]
    assert {"leaderboard", "errors", "uses", "findings", "how", "redo"} <= set(ids)


def test_sections_of_an_exploration(cards):
    ids = [a["id"] for tag, a in read(html_of(cards["explored", "en"])).tags if tag == "section"]
    assert ids == [
        "columns",
        "distributions",
        "missing",
        "correlations",
        "axes",
        "clusters",
        "mixture",
        "outliers",
        "findings",
        "redo",
    ]


def test_findings_have_their_page(cards):
    text = html_of(cards["explored", "fr"])
    assert "E006" in text and "variables presque colinéaires" in text and "Ce que cela veut dire" in text


def test_every_picture_has_a_name_and_follows_the_colours(cards):
    text = html_of(cards["classes", "en"])
    pictures = [a for tag, a in read(text).tags if tag == "svg"]
    assert len(pictures) >= 6 and all(a["aria-label"] for a in pictures)
    body = text[text.index("</style>") :]
    assert not re.search(r"(?:fill|stroke)=\"#", body)  # colours come from the style, which knows light and dark
    assert "prefers-color-scheme: dark" in text and "@media print" in text


def test_the_file_is_whole_or_absent(cards, tmp_path):
    place = write_report(cards["number", "en"], tmp_path / "report.html")
    assert place.read_text(encoding="utf-8") == html_of(cards["number", "en"])
    with pytest.raises(FileNotFoundError):
        write_report(cards["number", "en"], tmp_path / "nowhere" / "report.html")
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_a_card_that_went_through_json_gives_the_same_page(cards):
    for kind in KINDS:
        assert html_of(json.loads(json.dumps(cards[kind]))) == html_of(cards[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_text(cards, kind):
    text = text_of(cards[kind], width=90)
    assert max(len(line) for line in text.splitlines()) <= 90
    assert "\\xa0" not in text and "\\u202f" not in text
    assert ("Constats" if kind[1] == "fr" else "Findings") in text


def test_a_name_cannot_steer_the_terminal(cards):
    card = json.loads(json.dumps(cards["number", "en"]))
    card["chosen"]["name"] = "lin\x1b[31mear"
    assert "\x1b" not in text_of(card)


def test_without_sealed_rows_curves_or_uses(cards):
    card = json.loads(json.dumps(cards["number", "en"]))
    card |= {"residuals": None, "scores": {}, "uses": None, "learning_curve": None, "curves": {}, "calibration": []}
    card["rows"]["sealed"] = 0
    text = html_of(card)
    assert "No rows were sealed" in text and 'id="uses"' not in text


def test_many_classes_become_a_table_of_mistakes(cards):
    card = json.loads(json.dumps(cards["classes", "en"]))
    K = 15
    names = [f"k{i}" for i in range(K)]
    grid = [[float(i == j) if i else 0.5 * (j < 2) for j in range(K)] for i in range(K)]
    card["confusion"] = {
        "labels": names,
        "decided": names,
        "counts": grid,
        "rates": grid,
        "stderr": grid,
        "low": grid,
        "high": grid,
    }
    assert "too many to draw" in html_of(card)


def test_the_runner_up_is_said_in_the_unit_of_the_headline():
    from epee.report.learned_page import difference_said

    card = {"loss": "squared", "target": ["y"]}
    line = {"value": 121.0, "difference": 21.0, "difference_stderr": 4.2}
    assert difference_said(card, line) == "1.00 ± 0.20"  # the root of 121 against that of 100
    assert difference_said(card | {"loss": "absolute"}, line) == "21 ± 4"
