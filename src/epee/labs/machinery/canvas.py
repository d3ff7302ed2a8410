"""Figures for the labs: outside pyplot, because several browsers may draw at once; written as SVG or PNG in memory."""

from __future__ import annotations

import base64
import io
import re
from typing import Any

from epee.figures.style import dress

PANEL = (4.8, 3.6)  # inches; panels stand side by side on a desk and one under the other on a phone


def panel(size: tuple[float, float] = PANEL, **words: Any) -> Any:
    """Return new axes alone in a figure, in the house's look; ``words`` go to ``ax.set``."""
    from matplotlib.figure import Figure

    ax = Figure(figsize=size, layout="constrained").add_subplot()
    dress(ax)
    ax.set(**words)
    return ax


def panels(rows: int, columns: int, size: tuple[float, float] = PANEL, **more: Any) -> Any:
    """Return an array (rows, columns) of axes that belong together in one figure."""
    from matplotlib.figure import Figure

    axes = Figure(figsize=size, layout="constrained").subplots(rows, columns, squeeze=False, **more)
    for ax in axes.flat:
        dress(ax)
    return axes


def image(ax: Any, pixels: Any, title: str = "", **look: Any) -> None:
    """Show an image without axes, grey from light to dark unless told otherwise."""
    ax.imshow(pixels, **({"cmap": "gray", "interpolation": "nearest"} | look))
    ax.grid(False)
    ax.set_axis_off()
    ax.set_title(title, fontsize=9)


def relabel(ax: Any, words: dict[str, str]) -> None:
    """Change the words of a legend that was drawn elsewhere."""
    found = ax.get_legend()
    for text in found.get_texts() if found else ():
        text.set_text(words.get(text.get_text(), text.get_text()))


def to_svg(figure: Any, salt: str = "epee") -> str:
    """Return a figure as SVG text without date or prologue; ``salt`` keeps the ids of several pictures apart."""
    import matplotlib

    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": salt}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return text[text.index("<svg") :].strip()


def to_img(figure: Any, words: str) -> str:
    """Return a figure as an ``<img>`` with its SVG inside and a text for those who cannot see it."""
    data = base64.b64encode(to_svg(figure).encode()).decode()
    plain = re.sub(r'["<>&]', " ", words)
    return f'<img class="picture" alt="{plain}" src="data:image/svg+xml;base64,{data}">'
