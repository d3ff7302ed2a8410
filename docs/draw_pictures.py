"""Draw the pictures of the site and of the README: ``python docs/draw_pictures.py`` writes docs/pictures/*.svg.

The rooms and the path of a row are plain SVG; the curve of the README is drawn by the library from a known law.
"""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

PICTURES = Path(__file__).resolve().parent / "pictures"
BLUE, ORANGE, GREEN, INK, QUIET = "#0072B2", "#D55E00", "#009E73", "#222222", "#767676"
FONT = "font-family='Helvetica, Arial, sans-serif'"

FLOORS = (
    (
        ("arrays", ""),
        ("typing", ""),
        ("errors", ""),
        ("lazy", ""),
        ("settings", ""),
        ("stateful", ""),
        ("words", "English, French"),
    ),
    (("kernels", "loops for numba"),),
    (("table", "rows come in"),),
    (("engines", "who adds"), ("moments", "what one pass keeps")),
    (("solve", "moments to parameters"), ("losses", "what an error costs"), ("optimize", "descents with a trace")),
    (("estimator", "what all share"), ("figures", "pictures")),
    (("risk", "how well, how sure"),),
    (("structure", "what lies in the data"), ("predictors", "what is learned")),
    (
        ("decision", "what to do with it"),
        ("design", "what to measure"),
        ("signal", "signals in noise"),
        ("mdp", "decisions in sequence"),
    ),
    (("exchange", "for other tools"), ("samples", "tables"), ("job", "the main job"), ("report", "what is shown")),
    (("cli", "the command line"), ("labs", "to play with"), ("workbench", "a page for the job")),
)


def rooms() -> str:
    """The rooms, floor by floor: a room sees only what lies below it."""
    width, height, gap = 560, 46, 8
    parts, floors = [], FLOORS[::-1]
    for level, floor in enumerate(floors):
        y = 10 + level * (height + gap)
        room = (width - 20 - gap * (len(floor) - 1)) / len(floor)
        for k, (name, what) in enumerate(floor):
            x = 10 + k * (room + gap)
            heart = name in ("moments", "risk", "job")
            parts.append(
                f"<rect x='{x:.1f}' y='{y}' width='{room:.1f}' height='{height}' rx='7' fill='{'#DCE9F2' if heart else '#F3F5F7'}' "
                f"stroke='{BLUE if heart else '#C8CED4'}'/>"
            )
            parts.append(_text(x + room / 2, y + (20 if what else 28), name, 14, INK, bold=True))
            if what:
                parts.append(_text(x + room / 2, y + 36, what, 11, QUIET))
    total = 10 + len(floors) * (height + gap) + 22
    parts.append(_text(width / 2, total - 8, "imports go down only", 12, ORANGE))
    return _svg(width, total, parts)


def path_of_a_row() -> str:
    """The flow: rows, blocks, moments that merge, a predictor, a risk, a report."""
    steps = (
        ("a row", ["5.1, 3.5, Lyon, ?, yes"], "table"),
        ("a block", ["some thousand rows,", "numbers, in the cache"], "table"),
        ("a moment", ["count, mean, scatter", "by fold and class"], "moments"),
        ("the total", ["moments add, in any", "order, anywhere"], "engines"),
        ("predictors", ["one solve for each", "fold and penalty"], "solve"),
        ("risk", ["on rows not seen,", "with an error bar"], "risk"),
        ("verdict", ["the simplest within", "reach of the best"], "job"),
    )
    box, gap, width, columns = (158, 74), 28, 560, 3  # narrow: it is read on telephones, too
    parts = [
        f"<defs><marker id='tip' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' orient='auto'>"
        f"<path d='M0 0 L8 4 L0 8 z' fill='{ORANGE}'/></marker></defs>"
    ]
    spots = []
    for k in range(len(steps)):  # to the right, down, to the left, down
        row, column = divmod(k, columns)
        spots.append((15 + (columns - 1 - column if row % 2 else column) * (box[0] + gap), 30 + row * 126))
    for k, ((title, lines, room), (x, y)) in enumerate(zip(steps, spots, strict=True)):
        parts.append(
            f"<rect x='{x}' y='{y}' width='{box[0]}' height='{box[1]}' rx='8' fill='#F3F5F7' stroke='{BLUE}'/>"
        )
        parts.append(_text(x + box[0] / 2, y + 22, title, 15, INK, bold=True))
        for j, line in enumerate(lines):
            parts.append(_text(x + box[0] / 2, y + 42 + 16 * j, line, 12.5, QUIET))
        parts.append(_text(x + box[0] / 2, y - 8, room + "/", 12, GREEN))
        if k:
            px, py = spots[k - 1]
            if py == y:
                a, b = (px + box[0] + 4, x - 4) if px < x else (px - 4, x + box[0] + 4)
                line = (a, y + box[1] / 2, b, y + box[1] / 2)
            else:
                line = (x + box[0] / 2, py + box[1] + 4, x + box[0] / 2, y - 22)
            parts.append(
                "<line x1='{}' y1='{}' x2='{}' y2='{}' stroke='{}' stroke-width='2' marker-end='url(#tip)'/>".format(
                    *line, ORANGE
                )
            )
    parts.append(_text(380, spots[-1][1] + 34, "one pass over the rows", 13, QUIET))
    parts.append(_text(380, spots[-1][1] + 52, "gives every fold and every penalty", 13, QUIET))
    return _svg(width, spots[-1][1] + box[1] + 16, parts)


def _text(x: float, y: float, words: str, size: float, colour: str, *, bold: bool = False) -> str:
    weight = " font-weight='bold'" if bold else ""
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='middle' font-size='{size}' fill='{colour}' {FONT}{weight}>{escape(words)}</text>"


def _svg(width: float, height: float, parts: list[str]) -> str:
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' height='{height}' role='img'>"
    return "\n".join([head, f"<rect width='{width}' height='{height}' fill='#FFFFFF'/>", *parts, "</svg>"]) + "\n"


def readme_curve(path: Path) -> None:
    """One table, a hierarchy of predictors, and the choice: what the library is about, in one picture."""
    import matplotlib

    matplotlib.use("Agg")
    import numpy as np

    from epee import PolynomialRegression
    from epee.figures.style import COLOURS, band, legend, new_axes
    from epee.risk import complexity_curve

    rng = np.random.default_rng(2)
    x = rng.uniform(0, 1, 80)
    X, y = x[:, None], np.sin(2 * np.pi * x) + 0.35 * rng.standard_normal(80)
    degrees = list(range(1, 10))
    curve = complexity_curve(PolynomialRegression(), X, y, "degree", degrees, repeats=10, random_state=0)
    grid = np.linspace(0, 1, 2001)[:, None]
    gaps = [
        np.mean((PolynomialRegression(d).fit(X, y).predict(grid) - np.sin(2 * np.pi * grid[:, 0])) ** 2)
        for d in degrees
    ]
    truth = 0.35**2 + np.array(gaps)

    ax = new_axes(
        size=(7.2, 3.6),
        xlabel="degree of the polynomial",
        ylabel="mean squared error",
        ylim=(0.08, 0.34),
        xlim=(0.8, 9.2),
    )
    ax.plot(degrees, curve.train, color=COLOURS[0], label="training error")
    ax.plot(degrees, curve.cv, "o-", color=COLOURS[1], ms=4, label="cross-validated error, ± one standard error")
    band(ax, degrees, curve.cv - curve.stderr, curve.cv + curve.stderr, COLOURS[1])
    ax.plot(degrees, truth, color="#222222", ls="--", lw=1, label="the truth, which nobody sees")
    k = degrees.index(curve.chosen)
    ax.annotate(
        f"chosen: degree {curve.chosen}", (degrees[k], curve.cv[k]), xytext=(degrees[k] + 1.2, 0.185), color=COLOURS[2], ha="center",
        arrowprops={"arrowstyle": "-|>", "color": COLOURS[2]},
    )  # fmt: skip
    legend(ax, loc="upper right")
    matplotlib.rcParams["svg.hashsalt"] = "epee"
    ax.figure.savefig(path, metadata={"Date": None}, facecolor="white", bbox_inches="tight", pad_inches=0.15)


def main() -> None:
    """Write all pictures."""
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / "rooms.svg").write_text(rooms(), encoding="utf-8")
    (PICTURES / "path_of_a_row.svg").write_text(path_of_a_row(), encoding="utf-8")
    readme_curve(PICTURES / "readme.svg")


if __name__ == "__main__":
    main()
