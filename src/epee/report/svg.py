"""Small pictures drawn by hand as SVG: crisp on every screen, printed well, and a few kilobytes each.

A :class:`Chart` has two scales and knows how to draw curves, bands, dots with error bars and boxes. Colours are CSS variables (``--c0``...,
``--ink``, ``--quiet``, ``--grid``), so that one picture serves light, dark and paper. Every text passes through :func:`escape`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup, escape

from epee.words.numbers import alike, figures, percent

WIDTH = 400.0


def nice_ticks(low: float, high: float, number: int = 5) -> list[float]:
    """Return round numbers between two ends.

    >>> nice_ticks(0.0, 0.93)
    [0.0, 0.2, 0.4, 0.6, 0.8]
    """
    if not high > low:
        return [low]
    raw = (high - low) / max(number, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round((first + k) * step, 12) for k in range(int((high - first * step) / step + 1e-9) + 1)]


def _written(ticks: Sequence[float], show: Callable[[float], str], log: bool) -> list[tuple[float, str]]:
    """Return ticks with their words; numbers and percents of an even scale have the same decimals."""
    if log or show not in (figures, percent):
        return [(t, show(t)) for t in ticks]
    return list(zip(ticks, alike(ticks, percent=show is percent), strict=True))


def log_ticks(low: float, high: float) -> list[float]:
    """Return powers of ten between two ends, with 2 and 5 where there are few.

    >>> log_ticks(1.0, 100.0)
    [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(powers) <= 3 else (1,)
    ticks = [m * 10.0**k for k in powers for m in steps if low * 0.999 <= m * 10.0**k <= high * 1.001]
    return ticks if len(ticks) <= 7 else ticks[:: math.ceil(len(ticks) / 7)]


def shortened(text: str, most: int) -> str:
    """Return a text cut to a number of characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _n(value: float) -> str:
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def _path(points: Sequence[tuple[float, float]]) -> str:
    """Return the places of a path, each number as :func:`_n` writes it.

    >>> _path([(1.0, 2.04), (10.0, -0.96)])
    '1 2L10 -1'
    """
    text = "L".join([f"{x:.1f} {y:.1f}" for x, y in points])
    return f"{text}L".replace(".0 ", " ").replace(".0L", "L")[:-1]


@dataclass
class Chart:
    """A picture of some width and height (in CSS pixels at full size) with margins for the axes."""

    label: str
    width: float = WIDTH
    height: float = 280.0
    left: float = 52.0
    right: float = 22.0
    top: float = 12.0
    bottom: float = 44.0
    parts: list[str] = field(default_factory=list)
    _x: tuple[float, float, bool] = (0.0, 1.0, False)
    _y: tuple[float, float, bool] = (0.0, 1.0, False)

    def x_scale(self, low: float, high: float, *, log: bool = False) -> None:
        """Set what lies at the left and the right end."""
        self._x = (low, high if high > low else low + 1, log)

    def y_scale(self, low: float, high: float, *, log: bool = False) -> None:
        """Set what lies at the bottom and the top."""
        self._y = (low, high if high > low else low + 1, log)

    def px(self, x: float) -> float:
        """Return the place of a value on the horizontal axis."""
        low, high, log = self._x
        share = _share(x, low, high, log) if log else (x - low) / (high - low)
        return self.left + share * (self.width - self.left - self.right)

    def py(self, y: float) -> float:
        """Return the place of a value on the vertical axis."""
        low, high, log = self._y
        share = _share(y, low, high, log) if log else (y - low) / (high - low)
        return self.height - self.bottom - share * (self.height - self.top - self.bottom)

    def add(self, piece: str) -> None:
        """Add a piece of SVG; its texts are already escaped."""
        self.parts.append(piece)

    def axes(
        self, x_label: str = "", y_label: str = "", *, x_format: Callable[[float], str] = figures,
        y_format: Callable[[float], str] = figures, x_ticks: Sequence[tuple[float, str]] | None = None,
        y_ticks: Sequence[tuple[float, str]] | None = None,
    ) -> None:  # fmt: skip
        """Draw a faint grid, ticks and the names of the axes."""
        base, end = self.height - self.bottom, self.width - self.right
        if y_ticks is None:
            low, high, log = self._y
            y_ticks = _written(log_ticks(low, high) if log else nice_ticks(low, high, 4), y_format, log)
        for value, words in y_ticks:
            y = self.py(value)
            self.add(f'<path class="gr" d="M{_n(self.left)} {_n(y)}H{_n(end)}"/>')
            self.text(self.left - 6, y + 4, words, anchor="end", look="tk")
        if x_ticks is None:
            low, high, log = self._x
            x_ticks = _written(log_ticks(low, high) if log else nice_ticks(low, high, 5), x_format, log)
        free = -math.inf  # where the words of the last tick end
        for value, words in x_ticks:
            x = self.px(value)
            self.add(f'<path class="ax" d="M{_n(x)} {_n(base)}v4"/>')
            if x - 3.1 * len(words) > free:
                self.text(x, base + 17, words, anchor="middle", look="tk")
                free = x + 3.1 * len(words) + 4
        self.add(f'<path class="ax" d="M{_n(self.left)} {_n(base)}H{_n(end)}"/>')
        if x_label:
            self.text((self.left + end) / 2, self.height - 7, x_label, anchor="middle", look="lb")
        if y_label:
            middle = (self.top + base) / 2
            place = f"translate(12 {_n(middle)}) rotate(-90)"
            self.add(f'<text class="lb" text-anchor="middle" transform="{place}">{escape(y_label)}</text>')

    def text(self, x: float, y: float, words: str, *, anchor: str = "start", look: str = "tx", full: str = "") -> None:
        """Write words at a place in pixels; ``full`` is shown when the pointer rests on them."""
        tip = f"<title>{escape(full)}</title>" if full and full != words else ""
        self.add(f'<text class="{look}" x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{escape(words)}{tip}</text>')

    def line(self, xs: Sequence[float], ys: Sequence[float], tone: int, *, dashed: bool = False) -> None:
        """Draw a curve through points."""
        points = [(self.px(x), self.py(y)) for x, y in zip(xs, ys, strict=True) if _known(x, y)]
        if len(points) > 1:
            self.add(f'<path class="ln s{tone}{" da" if dashed else ""}" d="M{_path(points)}"/>')

    def straight(self, x1: float, y1: float, x2: float, y2: float, look: str = "ref") -> None:
        """Draw a line of reference between two points."""
        self.add(f'<path class="{look}" d="M{_n(self.px(x1))} {_n(self.py(y1))}L{_n(self.px(x2))} {_n(self.py(y2))}"/>')

    def band(self, xs: Sequence[float], low: Sequence[float], high: Sequence[float], tone: int) -> None:
        """Shade what lies between two curves."""
        up = [(self.px(x), self.py(y)) for x, y in zip(xs, high, strict=True)]
        down = [(self.px(x), self.py(y)) for x, y in zip(xs, low, strict=True)]
        self.add(f'<path class="bd f{tone}" d="M{_path(up + down[::-1])}Z"/>')

    def dot(self, x: float, y: float, tone: int, *, r: float = 4, hollow: bool = False, tip: str = "") -> None:
        """Draw a dot; ``tip`` is shown when the pointer rests on it."""
        look = f"ho s{tone}" if hollow else f"f{tone}"
        inner = f"<title>{escape(tip)}</title></circle>" if tip else "</circle>"
        self.add(f'<circle class="{look}" cx="{_n(self.px(x))}" cy="{_n(self.py(y))}" r="{_n(r)}">{inner}')

    def cloud(self, xs: Sequence[float], ys: Sequence[float], tone: int, r: float = 2.2) -> None:
        """Draw many small dots as one path, which is ten times shorter than circles."""
        path = "".join(f"M{_n(self.px(x))} {_n(self.py(y))}h0" for x, y in zip(xs, ys, strict=True) if _known(x, y))
        self.add(f'<path class="cl s{tone}" style="stroke-width:{_n(2 * r)}" d="{path}"/>')

    def upright(self, x: float, low: float, high: float, tone: int) -> None:
        """Draw a standing error bar."""
        a, b, at = self.py(low), self.py(high), self.px(x)
        self.add(
            f'<path class="ln s{tone}" d="M{_n(at)} {_n(a)}V{_n(b)}M{_n(at - 3)} {_n(a)}h6M{_n(at - 3)} {_n(b)}h6"/>'
        )

    def lying(self, low: float, high: float, y: float, tone: int) -> None:
        """Draw a lying error bar at a height in pixels."""
        a, b = self.px(low), self.px(high)
        self.add(f'<path class="ln s{tone}" d="M{_n(a)} {_n(y)}H{_n(b)}M{_n(a)} {_n(y - 3)}v6M{_n(b)} {_n(y - 3)}v6"/>')

    def box(
        self, x: float, y: float, width: float, height: float, tone: int, *, opacity: float = 1.0, tip: str = ""
    ) -> None:
        """Draw a box at a place in pixels."""
        inner = f"<title>{escape(tip)}</title></rect>" if tip else "</rect>"
        self.add(
            f'<rect class="f{tone}" x="{_n(x)}" y="{_n(y)}" width="{_n(max(width, 0))}" height="{_n(max(height, 0))}" '
            f'fill-opacity="{opacity:.2f}">{inner}'
        )

    def legend(self, entries: Sequence[tuple[str, int, bool]], y: float = 12) -> None:
        """Name the curves above the picture: (words, colour, dashed)."""
        x = self.left
        for words, tone, dashed in entries:
            self.add(f'<path class="ln s{tone}{" da" if dashed else ""}" d="M{_n(x)} {_n(y - 4)}h16"/>')
            self.text(x + 20, y, words, look="tk")
            x += 30 + 6.3 * len(words)

    def svg(self) -> Markup:
        """Return the picture."""
        head = (
            f'<svg class="chart" viewBox="0 0 {_n(self.width)} {_n(self.height)}" style="max-width:{_n(1.3 * self.width)}px" '
            f'role="img" aria-label="{escape(self.label)}" xmlns="http://www.w3.org/2000/svg">'
        )
        return Markup(head + "".join(self.parts) + "</svg>")


def _share(value: float, low: float, high: float, log: bool) -> float:
    if log:
        value, low, high = (math.log(max(v, 1e-300)) for v in (value, low, high))
    return (value - low) / (high - low)


def _known(x: float | None, y: float | None) -> bool:
    return x is not None and y is not None and math.isfinite(x) and math.isfinite(y)
