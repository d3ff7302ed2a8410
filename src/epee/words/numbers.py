r"""How numbers are written, in both languages: everything that is shown passes here.

A figure is worth the digits that its error bar leaves it: with a standard error :math:`s`, the last decimal shown is the
first digit of :math:`s`, or the second where that first digit is 1 or 2; where :math:`s` is a thousand or more, the digits of the figure
behind it are written as zeros. French writes a decimal comma, a thin space between
thousands and a semicolon between the ends of an interval. A rate is written in percent, a difference of rates in points.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from epee.settings import options

NOTHING = "–"  # where there is no number
LARGE = 1e7  # from which on powers of ten are written
ROUNDING = 1e-12  # of a figure: an error bar below is none
_FRENCH = str.maketrans({",": "\u202f", ".": ","})


class Written(str):
    """A number as it is written, which remembers its value: the words around it agree with it."""

    value: float

    def __new__(cls, text: str, value: float) -> Written:
        """Return the text of a value."""
        self = super().__new__(cls, text)
        self.value = float(value)
        return self


def local(text: str) -> str:
    """Return a number written in the English way as the language writes it.

    >>> with options(language="fr"):
    ...     local("1,234.5") == "1\u202f234,5"
    True
    """
    return text.translate(_FRENCH) if options.language == "fr" else text


def decimals(value: float, stderr: float) -> int:
    """Return how many decimals are worth printing: up to the first digit of the error, the second when that is 1 or 2.

    Less than none rounds to tens, hundreds...; so it is from an error of a thousand on.

    >>> decimals(0.0812, 0.0061), decimals(0.0812, 0.0123), decimals(1234.5, 260.0), decimals(1.2e6, 4.2e4)
    (3, 3, 0, -4)
    """
    scale = _steady(stderr if math.isfinite(stderr) and stderr > 0 else abs(value) * 1e-3)
    if not (math.isfinite(scale) and scale > 0):
        return 3
    power = math.floor(math.log10(scale))
    places = min(-power + (1 if scale / 10.0**power < 2.95 else 0), 12)
    return places if power >= 3 else max(places, 0)


def _steady(value: float) -> float:
    """Return a number without its last digits: what is half way is rounded the same way, whatever order a sum was made in.

    >>> f"{0.335 - 1e-16:.2f}", f"{_steady(0.335 - 1e-16):.2f}"
    ('0.33', '0.34')
    """
    return float(f"{value:.12g}")


def fixed(value: float | None, places: int) -> Written:
    """Return a number with so many decimals, thousands apart from 10,000 on; powers of ten where it is huge or tiny.

    >>> fixed(0.08123, 3), fixed(12345.6, 0), fixed(12345.6, -2), fixed(3e-9, 3), fixed(None, 2)
    ('0.081', '12,346', '12,300', '3e-09', '–')
    """
    if value is None or not math.isfinite(value):
        return Written(NOTHING, math.nan)
    value = _steady(value)
    if _out_of_scale(value):
        return _powers(value, 10.0**-places if places < 0 else 0.0)
    return Written(_plain(value, places), value)


def amount(value: float | None, stderr: float | None = None, *, percent: bool = False) -> Written:
    """Return a number with the decimals that its error bar is worth.

    >>> amount(0.08123, 0.006), amount(1234.56, 20.0), amount(0.08123, 0.006, percent=True) == "8.1 %"
    ('0.081', '1235', True)
    """
    if value is None:
        return Written(NOTHING, math.nan)
    factor = 100 if percent else 1
    shown = fixed(factor * value, decimals(factor * value, factor * stderr)) if stderr else figures(factor * value)
    return in_unit(shown, "%") if percent else shown


def plus_minus(value: float | None, stderr: float | None, *, percent: bool = False) -> Written:
    """Return a figure and its error bar, in one form.

    >>> plus_minus(0.0812, 0.0061), plus_minus(3e-9, 1e-9), plus_minus(0.0812, 0.0061, percent=True) == "8.1 ± 0.6 %"
    ('0.081 ± 0.006', '3e-09 ± 1e-09', True)
    >>> plus_minus(1234567.0, 42345.0), plus_minus(5.52e10, 4.31e9)
    ('1,230,000 ± 40,000', '5.5e10 ± 4e9')
    """
    if value is None or stderr is None or not math.isfinite(stderr):
        return amount(value, percent=percent)
    factor = 100 if percent else 1
    value, stderr = factor * value, factor * stderr
    if stderr <= ROUNDING * abs(value):
        bare = Written(f"{figures(value)} ± 0", value)
        return in_unit(bare, "%") if percent else bare
    d = decimals(value, stderr)
    small = (_out_of_scale(value) and _out_of_scale(stderr)) or (d < 0 and max(abs(value), stderr) >= LARGE)
    shown = [_powers(v, stderr) if small else _plain(v, d) for v in (value, stderr)]
    text = " ± ".join(shown)
    return in_unit(Written(text, value), "%") if percent else Written(text, value)


def interval(
    low: float | None, high: float | None, stderr: float | None = None, *, percent: bool = False, digits: int | None = None,
    places: int | None = None,
) -> str:  # fmt: skip
    """Return the two ends of an interval, with the decimals of the figure inside it; ``digits`` asks for more, ``places`` for so many.

    >>> interval(0.0701, 0.0912), interval(0.0701, 0.0912, 0.02), interval(0.07, 0.091, percent=True) == "[7.0, 9.1] %"
    ('[0.070, 0.091]', '[0.070, 0.091]', True)
    >>> interval(0.2, 0.2 + 1e-16, 1e-17)
    '[0.2, 0.2]'
    """
    if low is None or high is None:
        return NOTHING
    factor = 100 if percent else 1
    low, high = factor * low, factor * high
    bar = factor * stderr if stderr else (high - low) / 4  # an error bar of 0 says nothing about the digits
    bar = bar if bar > ROUNDING * max(abs(low), abs(high)) else 0.0
    if places is None:
        places = decimals(max(abs(low), abs(high)), bar)
        places = places if digits is None else max(places, digits)
    small = _out_of_scale(max(abs(low), abs(high))) and _out_of_scale(bar or high)
    ends = [_powers(end, bar) if small else _plain(end, places) if bar else str(figures(end)) for end in (low, high)]
    text = f"[{(' ; ' if options.language == 'fr' else ', ').join(ends)}]"
    return in_unit(text, "%") if percent else text


def places_of(ends: Sequence[tuple[float | None, float | None]], *, percent: bool = False) -> int:
    """Return the decimals that all of several intervals are worth, so that one table writes them alike.

    >>> places_of([(0.886, 1.0), (0.78, 1.0)], percent=True)
    0
    """
    factor = 100 if percent else 1
    known = [(factor * low, factor * high) for low, high in ends if low is not None and high is not None]
    return min((decimals(max(abs(a), abs(b)), (b - a) / 4) for a, b in known), default=0)


def alike(values: Sequence[float], *, percent: bool = False) -> list[str]:
    """Return numbers of one axis with the same decimals, as few as tell them.

    >>> [text[:-2] for text in alike([0, 0.05, 0.1], percent=True)], alike([0.0, 2.5, 5.0])
    (['0', '5', '10'], ['0.0', '2.5', '5.0'])
    """
    scaled = [(100.0 if percent else 1.0) * value for value in values]
    size = max((abs(value) for value in scaled), default=0.0)
    if any(_out_of_scale(value) for value in scaled):
        return [str(figures(value)) for value in scaled]
    places = next((d for d in range(7) if all(abs(v - round(v, d)) <= 1e-9 * size for v in scaled)), 6)
    texts = [_plain(value, places) for value in scaled]
    return [in_unit(text, "%") for text in texts] if percent else texts


def inside(value: float, low: float | None, high: float | None) -> Written:
    """Return a number with the digits that its interval is worth, where there is one.

    >>> inside(0.8712, 0.843, 0.895)
    '0.871'
    """
    return amount(value, None if low is None or high is None else (high - low) / 4)


def figures(value: float | None, digits: int = 3) -> Written:
    """Return a number with some significant digits, for what has no error bar.

    >>> figures(0.012345), figures(1234567.0), figures(1e-9), figures(None)
    ('0.0123', '1,234,567', '1e-09', '–')
    """
    if value is None or not math.isfinite(value):
        return Written(NOTHING, math.nan)
    if value == 0:
        return Written("0", 0.0)
    if not 1e-4 <= abs(value) < 1e9:
        return _scientific(value, digits)
    places = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
    value = _steady(value)
    text = f"{value:,.{places}f}" if abs(value) >= 9999.5 else f"{value:.{places}f}"
    return Written(local(text.rstrip("0").rstrip(".") if "." in text else text), value)


def whole(value: float) -> Written:
    """Return a count with its thousands apart.

    >>> whole(12345)
    '12,345'
    """
    return Written(local(f"{round(value):,}"), value)


def percent(share: float | None, digits: int | None = None) -> Written:
    """Return a share as a percentage: never 0 or 100 for what is not quite so.

    >>> percent(0.123), percent(0.0123), percent(0), percent(0.95, 0), percent(0.9999)
    ('12 %', '1.2 %', '0 %', '95 %', '99.99 %')
    """
    if share is None or not math.isfinite(share):
        return Written(NOTHING, math.nan)
    value = 100 * share
    places = (1 if 0 < abs(value) < 9.95 else 0) if digits is None else digits
    near = min(abs(value), abs(100 - value))
    if 1e-9 < near < 1:
        places = max(places, min(-math.floor(math.log10(near) + 1e-9), 4))
    return in_unit(Written(local(f"{_steady(value):.{places}f}"), value), "%")


def points(value: float, stderr: float | None = None, *, bar: bool = True) -> Written:
    """Return a difference of rates, with its error bar or, without one, with the digits it is worth.

    >>> points(0.008, 0.005), points(0.0081, 0.005, bar=False), points(0.0004)
    ('0.8 ± 0.5 points', '0.8 points', '0.04 points')
    """
    value = 100 * value
    if stderr is None:
        shown = figures(value, 2)
    else:
        shown = plus_minus(value, 100 * stderr) if bar else amount(value, 100 * stderr)
    one = abs(value) < 2 if options.language == "fr" else shown == "1"
    return in_unit(shown, "point" if one else "points")


def gap(value: float, stderr: float | None, *, rate: bool, bar: bool = True) -> Written:
    """Return a difference of errors: in points where they are rates.

    >>> gap(0.008, 0.005, rate=True), gap(0.008, 0.005, rate=False)
    ('0.8 ± 0.5 points', '0.008 ± 0.005')
    """
    if rate:
        return points(value, stderr, bar=bar)
    return plus_minus(value, stderr) if bar else amount(value, stderr)


def p_figure(p: float | None) -> str:
    """Return a p-value for a column of its own.

    >>> p_figure(0.1134), p_figure(1e-7)
    ('0.11', '< 0.0001')
    """
    if p is None or not math.isfinite(p):
        return NOTHING
    return local(f"{p:.2g}" if p >= 1e-4 else "< 0.0001")


def p_value(p: float | None) -> str:
    """Return a p-value with its sign, to stand behind the letter p.

    >>> p_value(0.1134), p_value(1e-7)
    ('= 0.11', '< 0.0001')
    """
    shown = p_figure(p)
    return shown if shown.startswith("<") else f"= {shown}"


def in_unit(shown: str, unit: str) -> Written:
    """Return a written number with its unit, on one line."""
    return Written(f"{shown} {unit}" if unit else shown, getattr(shown, "value", math.nan))


def listed(names: Sequence[str], most: int = 4) -> str:
    """Return names in a row, and how many more there are.

    >>> listed(list("abcdef"))
    'a, b, c, d, … +2'
    """
    return ", ".join(names[:most]) + ("" if len(names) <= most else f", … +{whole(len(names) - most)}")


def _out_of_scale(value: float) -> bool:
    return value != 0 and not 1e-4 <= abs(value) < LARGE


def _plain(value: float, places: int) -> str:
    value = _steady(value) if places >= 0 else round(_steady(value), places)
    text = f"{value:,.{max(places, 0)}f}"
    text = text.removeprefix("-") if not text.strip("-0.,") else text  # nothing has no sign
    return local(text if abs(value) >= 9999.5 else text.replace(",", ""))


def _powers(value: float, stderr: float) -> Written:
    """Return a number as a power of ten, with the digits that its error bar is worth, at least one and at most six."""
    if not stderr > 0 or value == 0:
        return _scientific(value, 3)
    power = math.floor(math.log10(stderr))
    digits = math.floor(math.log10(abs(value))) - power + (2 if stderr / 10.0**power < 2.95 else 1)
    return _scientific(value, min(max(digits, 1), 6))


def _scientific(value: float, digits: int) -> Written:
    if value == 0:
        return Written("0", 0.0)
    head, power = f"{value:.{digits - 1}e}".split("e")
    head = head.rstrip("0").rstrip(".") if "." in head else head
    return Written(local(f"{head}e{power.replace('+0', '').replace('+', '')}"), value)


def without_figures(text: str) -> str:
    """Return a sentence without its figures: two that differ in these only say the same.

    >>> without_figures("One row makes 70 % of it.") == without_figures("One row makes 6.5 % of it.")
    True
    """
    return re.sub(r"\d[\d.,\s]*(?<=\d)", "#", text)
