"""Numbers as they are shown: worth their error bar, one form for a figure and its interval, the same in both languages."""

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import epee
from epee.settings import options
from epee.words.numbers import (
    amount,
    decimals,
    figures,
    fixed,
    gap,
    in_unit,
    interval,
    listed,
    p_figure,
    p_value,
    percent,
    plus_minus,
    points,
    whole,
)  # fmt: skip

SOURCES = Path(epee.__file__).parent
sizes = st.floats(min_value=1e-3, max_value=1e6)


def read(text: str) -> float:
    """Return the number that an English text shows."""
    return float(text.replace(",", "").replace("%", "").strip())


@given(sizes, st.floats(min_value=1e-5, max_value=1.0))
def test_what_is_rounded_away_is_less_than_the_error_bar(value, share):
    stderr = share * value
    assert abs(read(amount(value, stderr)) - value) <= 0.5 * 10.0 ** -decimals(value, stderr) + 1e-9 * value
    assert abs(read(amount(value, stderr)) - value) <= max(0.51 * stderr, 0.5)


@given(sizes, st.floats(min_value=1e-4, max_value=1.0))
def test_a_figure_its_bar_and_its_interval_have_the_same_decimals(value, share):
    stderr = share * value
    texts = [
        *plus_minus(value, stderr).split(" ± "),
        *interval(value - stderr, value + stderr, stderr)[1:-1].split(", "),
    ]
    assert len({len(text.partition(".")[2]) for text in texts}) == 1


@given(st.floats(min_value=1e-4, max_value=1e8), st.floats(min_value=1e-3, max_value=1.0))
def test_french_is_english_with_other_marks(value, share):
    shown = (amount, plus_minus, lambda v, s: interval(v - s, v + s), lambda v, s: figures(v), lambda v, s: percent(s))
    for write in shown:
        english = write(value, share * value)
        with options(language="fr"):
            french = write(value, share * value)
        ends = french.replace(" ; ", "; ").replace(",", ".").replace("\u202f", ",").replace("; ", ", ")
        assert ends == english


@given(st.floats(min_value=0, max_value=1))
def test_a_share_is_never_said_to_be_none_or_all(share):
    shown = read(percent(share, 0))
    assert abs(shown - 100 * share) <= 0.5
    if 1e-6 < share < 1 - 1e-6:
        assert 0 < shown < 100


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (amount(None), "–"), (amount(float("nan"), 1.0), "–"), (amount(1.2345), "1.23"), (amount(12345.6, 20), "12,346"),
        (plus_minus(0.5, 0.00004), "0.50000 ± 0.00004"), (plus_minus(8.12e8, 5.09e8), "8e8 ± 5e8"),
        (plus_minus(12_345_678, 3.0), "12,345,678 ± 3"), (plus_minus(0.1, None), "0.1"), (plus_minus(0.0, 0.01), "0.000 ± 0.010"),
        (interval(None, 1), "–"), (interval(1e-9, 3e-9), "[1e-09, 3e-09]"), (interval(0.07, 0.091, percent=True), "[7.0, 9.1] %"),
        (figures(0.99996), "1"), (figures(-2.0), "-2"), (figures(1e12), "1e12"), (fixed(3.14159, 2), "3.14"),
        (percent(None), "–"), (percent(0.123), "12 %"), (percent(0.999, 0), "99.9 %"), (percent(1), "100 %"),
        (points(0.01), "1 point"), (points(0.008, 0.005), "0.8 ± 0.5 points"), (gap(2.0, 0.5, rate=False), "2.0 ± 0.5"),
        (plus_minus(0.0, 0.0, percent=True), "0 ± 0 %"), (interval(0.0, 0.053, 0.0, percent=True), "[0.0, 5.3] %"),
        (gap(0.549, 0.007, rate=True, bar=False), "54.9 points"),
        (p_value(0.04), "= 0.04"), (p_value(1e-9), "< 0.0001"), (p_figure(0.5), "0.5"), (p_figure(math.nan), "–"),
        (in_unit(figures(1.5), "s"), "1.5 s"), (listed(["a", "b", "c"], 2), "a, b, … +1"), (whole(1234567), "1,234,567"),
    ],
)  # fmt: skip
def test_known_figures(shown, text):
    assert shown == text


def test_french_units():
    with options(language="fr"):
        assert points(0.015) == "1,5 point" and points(0.02) == "2 points" and p_value(1e-9) == "< 0,0001"


def test_nobody_else_writes_decimal_commas():
    """One formatter: the sources hold no other place that turns points into commas for a reader."""
    swap = re.compile(r"""replace\(\s*["']\.["'],\s*["'],["']""")
    found = [
        p.relative_to(SOURCES).as_posix() for p in SOURCES.rglob("*.py") if swap.search(p.read_text(encoding="utf-8"))
    ]
    assert found == []
