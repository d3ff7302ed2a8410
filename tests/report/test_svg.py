from __future__ import annotations

import xml.etree.ElementTree as tree
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epee import options
from epee.report.findings_section import markdown_blocks
from epee.report.svg import Chart, log_ticks, nice_ticks
from epee.words.numbers import figures, percent
from epee.words.report_words import WORDS


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_round_and_inside(low, width):
    ticks = nice_ticks(low, low + width)
    assert 2 <= len(ticks) <= 7
    assert all(low - 1e-6 * width <= t <= low + width * (1 + 1e-6) for t in ticks)
    steps = {round((b - a) / width, 6) for a, b in pairwise(ticks)}
    assert max(steps) - min(steps) < 1e-4


@given(st.floats(1e-5, 1e5), st.floats(1.5, 1e6))
def test_log_ticks_are_inside(low, ratio):
    assert all(low * 0.99 <= t <= low * ratio * 1.01 for t in log_ticks(low, low * ratio))


@given(st.text(max_size=30))
def test_a_picture_is_well_formed_whatever_the_names(name):
    name = "".join(c for c in name if c.isprintable())
    chart = Chart(name)
    chart.x_scale(0, 1)
    chart.y_scale(0, 2)
    chart.axes(name, name)
    chart.text(3, 3, name, full=name + "!")
    chart.dot(0.5, 1, 0, tip=name)
    chart.box(1, 1, 5, 5, 1, tip=name)
    chart.legend([(name, 0, True)])
    root = tree.fromstring(str(chart.svg()))
    assert root.attrib["aria-label"] == name
    assert name in [t.text for t in root.iter() if t.tag.endswith("text")] or not name


def test_places():
    chart = Chart("a", width=100, height=100, left=0, right=0, top=0, bottom=0)
    chart.x_scale(1, 100, log=True)
    chart.y_scale(0, 10)
    assert chart.px(10) == pytest.approx(50) and chart.py(10) == pytest.approx(0) and chart.py(0) == pytest.approx(100)


def test_unknown_values_are_left_out():
    chart = Chart("a")
    chart.line([0.0, float("nan"), 1.0], [0.0, 1.0, 1.0], 0)
    assert "nan" not in str(chart.svg())


def test_every_word_is_in_both_languages():
    import string

    for key, (english, french) in WORDS.items():
        parts = [{f for _, f, _, _ in string.Formatter().parse(text) if f} for text in (english, french)]
        assert parts[0] <= parts[1] | {"its", "it"} and parts[1] - parts[0] <= {"its", "it"}, key


def test_numbers_of_each_language():
    with options(language="fr"):
        assert figures(0.0123) == "0,0123" and figures(12345) == "12\u202f345" and percent(0.012) == "1,2 %"
    assert figures(float("nan")) == "–"


def test_markdown_of_pages():
    assert markdown_blocks("# T\n\na\nb\n\n    x = 1\n    y\n") == [("h", "T"), ("p", "a b"), ("c", "x = 1\ny")]
