r"""LaTeX as SVG, by matplotlib's own mathematics: a still page needs no script and no network to show a formula.

Only what both matplotlib and KaTeX read is used in the labs; a test renders every formula of every lab.
"""

from __future__ import annotations

import html
from functools import lru_cache

SIZE = 17.0  # pixels of an em
DPI = 72.0


@lru_cache(maxsize=4096)
def formula_svg(latex: str, size: float = SIZE) -> str:
    """Return an inline ``<svg>`` of a formula that sits on the line of the text around it.

    >>> formula_svg("x^2")[:4]
    '<svg'
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.mathtext import MathTextParser
    from matplotlib.textpath import TextPath

    plain = plain_latex(latex)
    if size >= SIZE:  # full-size fractions on a line of their own
        plain = plain.replace(r"\frac", r"\dfrac")
    text = f"${plain}$"
    font = FontProperties(size=size, math_fontfamily="cm")
    parsed = MathTextParser("path").parse(text, DPI, font)
    width, height, depth = float(parsed.width), float(parsed.height), float(parsed.depth)
    outline = TextPath((0, 0), text, size=size, prop=font)
    steps = {1: ("M", 1), 2: ("L", 1), 3: ("Q", 2), 4: ("C", 3), 79: ("Z", 0)}
    parts, k = [], 0
    while k < len(outline.codes):
        letter, count = steps[int(outline.codes[k])]
        points = outline.vertices[k : k + max(count, 1) if count else k]
        parts.append(letter + " ".join(f"{x:.1f} {-y:.1f}" for x, y in points))
        k += max(count, 1)
    above = height - depth if height > depth else height
    box = f"-0.5 {-above - 1:.1f} {width + 1:.1f} {above + depth + 2:.1f}"
    return (
        f'<svg class="math" role="img" aria-label="{html.escape(latex, quote=True)}" viewBox="{box}" width="{width + 1:.1f}" '
        f'height="{above + depth + 2:.1f}" style="vertical-align:{-depth - 1:.1f}px"><path d="{"".join(parts)}" fill="currentColor"/></svg>'
    )


def plain_latex(latex: str) -> str:
    """Return a formula with the few words changed that matplotlib spells otherwise."""
    words = {
        r"\;": r"\ ",
        r"\max": r"\mathrm{max}",
        r"\min": r"\mathrm{min}",
        r"\arg": r"\mathrm{arg}\,",
        r"\log": r"\mathrm{log}\,",
        r"{,}": r"\text{,}",
    }
    for old, new in words.items():
        latex = latex.replace(old, new)
    return latex
