"""A lab on paper: a handout of a page or two, as PDF, by matplotlib alone.

Text is set line by line with matplotlib's own mathematics; pictures are those of the first settings; answers are left to the reader.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from epee.labs.machinery.exercises import Goal, Pick
from epee.labs.machinery.formulas import plain_latex
from epee.labs.machinery.lab import Lab
from epee.labs.machinery.phrases import say
from epee.labs.machinery.words import formula_parts, localise, tell

WIDTH, HEIGHT, MARGIN = 8.27, 11.69, 0.8  # A4, in inches
COLUMNS = 92  # characters of a line of text
FORMULA = 11.0  # points


class Sheet:
    """Pages that fill from the top."""

    def __init__(self) -> None:
        self.pages: list[Any] = []
        self._turn()

    def _turn(self) -> None:
        from matplotlib.figure import Figure

        self.page = Figure(figsize=(WIDTH, HEIGHT))
        self.pages.append(self.page)
        self.y = HEIGHT - MARGIN

    def keep(self, height: float) -> None:
        """Turn the page unless so much fits on it: what belongs together stays together."""
        if self.y - height < MARGIN:
            self._turn()

    def text(
        self, words: str, size: float = 10.0, *, weight: str = "normal", colour: str = "#222222", after: float = 0.06
    ) -> None:
        """Set a paragraph."""
        step = size / 72 * 1.42
        for line in lines_of(words, int(COLUMNS * 10 / size)):
            self.keep(step)
            self.page.text(
                MARGIN / WIDTH, self.y / HEIGHT, _dollars(line), size=size, weight=weight, color=colour, va="top"
            )
            self.y -= step
        self.y -= after

    def formula(self, parts: Sequence[str]) -> None:
        """Set a formula on a line of its own, its parts one under the other where they are too wide for one."""
        words = "$" + plain_latex(" \\quad ".join(parts)) + "$"
        wide, tall = size_of(words)
        if wide > WIDTH - 2 * MARGIN and len(parts) > 1:
            for part in parts:
                self.formula([part])
            return
        shrunk = min(1.0, (WIDTH - 2 * MARGIN) / wide)
        tall = max(tall * shrunk + 0.14, 0.36)
        self.keep(tall)
        self.page.text(0.5, self.y / HEIGHT, words, size=FORMULA * shrunk, ha="center", va="top", math_fontfamily="cm")
        self.y -= tall

    def height_of(self, words: str, size: float = 10.0, after: float = 0.06) -> float:
        """Return how much room a paragraph takes."""
        return len(lines_of(words, int(COLUMNS * 10 / size))) * size / 72 * 1.42 + after

    def pictures(self, figures: list[Any]) -> None:
        """Set figures side by side, two in a row."""
        from matplotlib.image import imread

        for pair in (figures[i : i + 2] for i in range(0, len(figures), 2)):
            images = []
            for figure in pair:
                out = io.BytesIO()
                figure.savefig(out, format="png", dpi=220)
                images.append(imread(io.BytesIO(out.getvalue())))
            wide = (WIDTH - 2 * MARGIN) / 2
            tall = max(wide * image.shape[0] / image.shape[1] for image in images)
            self.keep(tall)
            for k, image in enumerate(images):
                own = wide * image.shape[0] / image.shape[1]
                ax = self.page.add_axes(
                    ((MARGIN + k * wide) / WIDTH, (self.y - own) / HEIGHT, wide / WIDTH, own / HEIGHT)
                )
                ax.imshow(image)
                ax.set_axis_off()
            self.y -= tall + 0.1

    def gap(self, height: float) -> None:
        """Leave room to write in."""
        self.y -= height

    def save(self, path: Path) -> None:
        """Write the pages as PDF."""
        from matplotlib.backends.backend_pdf import PdfPages

        with PdfPages(path, metadata={"CreationDate": None, "Creator": "épée"}) as pdf:
            for page in self.pages:
                pdf.savefig(page)


def size_of(words: str, size: float = FORMULA) -> tuple[float, float]:
    """Return how wide and how tall a formula stands on paper, in inches."""
    from matplotlib.mathtext import MathTextParser

    found = MathTextParser("path").parse(words, dpi=72, prop=_modern(size))
    return found[0] / 72, (found[1] + found[2]) / 72


def _modern(size: float) -> Any:
    from matplotlib.font_manager import FontProperties

    return FontProperties(size=size, math_fontfamily="cm")


def lines_of(words: str, width: int) -> list[str]:
    """Return a paragraph in lines of about a width; a formula is never cut, and counts for about what it shows.

    >>> lines_of("a model with $n = 30$ rows, and more", 14)
    ['a model with', '$n = 30$ rows, and', 'more']
    """
    formulas = re.findall(r"\$[^$]*\$", words)
    shown = (max(len(re.sub(r"\\[a-z]+|[{}^_$ ]", "", formula)), 1) for formula in formulas)
    held = re.sub(r"\$[^$]*\$", lambda found: "\1" + "\0" * (next(shown) - 1), words)  # a formula as one long word
    kept = iter(formulas)
    lines = textwrap.wrap(held, width, break_on_hyphens=False, break_long_words=False) or [""]
    return [re.sub("\1\0*", lambda found: next(kept), line) for line in lines]


def _dollars(line: str) -> str:
    """Return a line whose formulas matplotlib can read."""
    return re.sub(r"\$([^$]*)\$", lambda found: f"${plain_latex(found[1])}$", line)


def _bare(markdown: str) -> str:
    return re.sub(r"\*\*|`", "", markdown)


def write_paper(this: Lab, lang: str, path: Path) -> None:
    """Write a lab as a handout without its answers."""
    found = this.run(this.start(lang=lang) | ({"go": True} if this.waits else {}))
    sheet = Sheet()
    sheet.text(localise(this.title(lang), lang), 17, weight="bold")
    sheet.text(localise(this.question(lang), lang), 12, colour="#0072B2", after=0.1)
    sheet.text(_bare(localise(this.story(lang), lang)), after=0.12)
    sheet.pictures(this.pictures(found, lang))
    for paragraph in this.say("formula", found, lang).split("\n\n"):
        if paragraph.startswith("$$"):
            sheet.formula(formula_parts(paragraph.strip("$")))
        else:
            sheet.text(_bare(paragraph))
    sheet.gap(0.1)
    for number, exercise in enumerate(this.exercises, 1):
        prompt = f"{number}. {_bare(tell(exercise.prompt, found, lang))}"
        options = exercise.options.values() if isinstance(exercise, Pick) else ()
        choices = [f"   ☐  {_bare(localise(words(lang), lang))}" for words in options]
        sheet.keep(
            sheet.height_of(prompt) + sum(sheet.height_of(line, after=0.0) for line in choices) + 0.4 * (number == 1)
        )
        if number == 1:
            sheet.text(say("exercises", lang), 13, weight="bold")
        sheet.text(prompt)
        for line in choices:
            sheet.text(line, after=0.0)
        sheet.gap(0.25 if isinstance(exercise, Pick) else 0.6 if isinstance(exercise, Goal) else 0.8)
    sheet.save(path)
