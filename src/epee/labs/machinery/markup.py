"""The plain Markdown of the labs as HTML: paragraphs, lists, bold, italics, code, and formulas as SVG."""

from __future__ import annotations

import html
import re

from epee.labs.machinery.formulas import formula_svg
from epee.labs.machinery.words import formula_parts

_PIECES = re.compile(r"(\$\$.+?\$\$|\$[^$\n]+\$|`[^`\n]+`)", re.S)


def to_html(text: str) -> str:
    """Return Markdown as HTML.

    >>> to_html("**No.** See `x`.")
    '<p><strong>No.</strong> See <code>x</code>.</p>'
    """
    out = []
    for block in re.split(r"\n\s*\n", text.strip()):
        if block.startswith("- "):
            items = "".join(f"<li>{_line(item[2:])}</li>" for item in block.splitlines())
            out.append(f"<ul>{items}</ul>")
        elif block.startswith("$$"):
            parts = "".join(f"<span>{formula_svg(part)}</span>" for part in formula_parts(block[2:-2]))
            out.append(f'<div class="lab-line">{parts}</div>')
        else:
            out.append(f"<p>{_line(block)}</p>")
    return "\n".join(out)


def _line(text: str) -> str:
    pieces = []
    for piece in _PIECES.split(text):
        if piece.startswith("$$"):
            pieces.append(formula_svg(piece[2:-2].strip()))
        elif piece.startswith("$"):
            pieces.append(formula_svg(piece[1:-1], 15.0))
        elif piece.startswith("`"):
            pieces.append(f"<code>{html.escape(piece[1:-1])}</code>")
        else:
            words = html.escape(piece, quote=False)
            words = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", words)
            pieces.append(re.sub(r"\*(.+?)\*", r"<em>\1</em>", words))
    # bold around a formula or code is cut by the split: join what is left
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", "".join(pieces))
