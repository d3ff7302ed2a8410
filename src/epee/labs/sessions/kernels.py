r"""Kernels: the nearer the louder, and the plane made curved.

Kernel regression averages, :math:`\hat f(x) = \sum_i K(x - x_i)\, y_i / \sum_i K(x - x_i)`; kernel ridge solves
:math:`\alpha = (K + \lambda I)^{-1} y` and answers :math:`\sum_i \alpha_i k(x, x_i)`: a solution in the span of the inputs. Both are
linear in the values, :math:`\hat y = S y`.
"""

from __future__ import annotations

import numpy as np

from epee.figures.style import COLOURS, INK, legend
from epee.labs.machinery.canvas import image, panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.labs.sessions.worlds import made, noisy_wave, wave, wave_lines
from epee.words.catalogue import Words

GRID = np.linspace(0, 1, 201)
WIDTHS = [0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5]


def line(way: str, width: float, lam: float) -> str:
    """Return the constructor of a method."""
    if way == "mean":
        return f"epee.KernelRegression({width})"
    return f'epee.KernelRidge(alpha={lam!r}, kernel="rbf", gamma={1 / (2 * width**2)!r})'


def compute(state: State) -> Results:
    n, width, lam = int(state["n"]), float(state["width"]), 10.0 ** float(state["penalty"])
    x, y = noisy_wave(n, float(state["sigma"]), int(state["draw"]))
    model = made(line(state["way"], width, lam))
    S = model.hat_matrix(x[:, None])
    model.fit(x[:, None], y)
    fit = model.predict(GRID[:, None])
    residual = (y - S @ y) / (1 - np.diag(S))
    return Results(
        x=x,
        y=y,
        fit=fit,
        S=S,
        df=float(np.trace(S)),
        loo=float(np.mean(residual**2)),
        error=float(np.mean((fit - wave(GRID)) ** 2)),
        width=width,
        n=n,
        lam=lam,
    )


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(xlabel="$x$", ylabel="$y$", ylim=(-2, 2.6))
    left.plot(r.x, r.y, "o", ms=4, color=COLOURS[0], alpha=0.7)
    left.plot(GRID, wave(GRID), "--", color=INK, lw=1, label="vraie courbe" if fr else "true curve")
    left.plot(GRID, r.fit, color=COLOURS[1], lw=2, label=f"h = {r.width:g}")
    legend(left)
    middle = panel(
        xlabel="$x_j$", ylabel="poids" if fr else "weight", title="trois lignes de S" if fr else "three rows of S"
    )
    for k, i in enumerate((r.n // 5, r.n // 2, 4 * r.n // 5)):
        middle.plot(r.x, r.S[i], "o-", ms=3, color=COLOURS[k])
    right = panel(size=(3.8, 3.6))
    image(right, r.S, "$S$", cmap="RdBu_r", vmin=-np.abs(r.S).max(), vmax=np.abs(r.S).max())
    return [left.figure, middle.figure, right.figure]


def formula(r: Results) -> Words:
    head = (
        r"\hat f(x) = \frac{\sum_i K((x - x_i)/h)\, y_i}{\sum_i K((x - x_i)/h)}" if r.state["way"] == "mean"
        else r"\hat f(x) = \sum_i \alpha_i\, k(x, x_i), \quad \alpha = (K + \lambda I)^{-1} y"
    )  # fmt: skip
    lines = blocks(
        head,
        rf"\hat y = S y, \quad tr\, S = {shown(r.df)}",
        rf"LOO = \frac{{1}}{{n}} \sum_i \left(\frac{{y_i - \hat y_i}}{{1 - S_{{ii}}}}\right)^2 = {shown(r.loo)}",
    )
    return Words(lines, lines)


def answer(r: Results) -> Words:
    return Words(
        f"The curve spends **{shown(r.df)}** degrees of freedom; leave-one-out says an error of **{shown(r.loo)}**.",
        f"La courbe dépense **{shown(r.df)}** degrés effectifs de liberté ; le leave-one-out annonce une erreur de **{shown(r.loo)}**.",
    )


def code(state: State) -> str:
    t, n = in_language(state), int(state["n"])
    spread_ = t("one at random in each nth of the interval", "un au hasard dans chaque n-ième de l'intervalle")
    return f"""import numpy as np
import epee

{wave_lines(n, float(state["sigma"]), int(state["draw"]), spread_)}
model = {line(state["way"], float(state["width"]), 10.0 ** float(state["penalty"]))}
S = model.hat_matrix(x[:, None])  # {t("predictions are S y", "les prédictions sont S y")}
loo = np.mean(((y - S @ y) / (1 - np.diag(S))) ** 2)
print("{t("degrees of freedom", "degrés effectifs de liberté")}", np.trace(S), "LOO", loo)
"""


LAB = Lab(
    id="kernels",
    title=Words("Kernels", "Noyaux"),
    question=Words("How far should a point be heard?", "Jusqu'où un point doit-il se faire entendre ?"),
    story=Words(
        "Every example speaks, the nearer the louder. A narrow kernel hears only neighbours, a wide one the whole crowd. The matrix $S$ shows who is heard where; its trace counts degrees of freedom.",
        "Chaque exemple parle, d'autant plus fort qu'il est proche. Un noyau étroit n'entend que les voisins, un noyau large la foule entière. La matrice $S$ montre qui est entendu où ; sa trace compte les degrés effectifs de liberté.",
    ),
    controls=(
        Slider("width", Words("width h of the kernel", "largeur h du noyau"), WIDTHS, 0.02),
        Choice("way", Words("predictor", "prédicteur"), {"mean": Words("kernel regression (a mean)", "régression à noyau (une moyenne)"), "ridge": Words("kernel ridge", "régression écrêtée à noyau")}, "mean"),
        Slider("penalty", Words("penalty of kernel ridge, power of ten", "pénalité de la régression écrêtée, puissance de dix"), spread(-4, 1, 1), -2),
        Slider("n", Words("examples n", "exemples n"), [20, 40, 80, 150], 40),
        Slider("sigma", Words("noise σ", "bruit σ"), spread(0.1, 0.9, 0.2), 0.3),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 9, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("loo", lambda r: r.loo),
    exercises=(
        Goal(
            Words("Bring the degrees of freedom between 5 and 8.", "Amener les degrés effectifs de liberté entre 5 et 8."),
            lambda r: 5 <= r.df <= 8,
            Words("A wider kernel spends fewer.", "Un noyau plus large en dépense moins."),
            lambda r: {"way": "mean", "width": next(w for w in WIDTHS if 5 <= _dof(w, r) <= 8)},
        ),
        Pick(
            Words("As the width grows without limit, kernel regression becomes…", "Quand la largeur croît sans limite, la régression à noyau devient…"),
            {"mean": Words("the mean of all values", "la moyenne de toutes les valeurs"), "line": Words("a straight line", "une droite"), "points": Words("a curve through all points", "une courbe par tous les points")},
            "mean",
            Words("All weights become equal.", "Tous les poids deviennent égaux."),
        ),
        Number(
            Words("A row of $S$ of kernel regression sums to…", "Une ligne de $S$ de la régression à noyau a pour somme…"),
            lambda r: 1.0,
            Words("It is a weighted mean.", "C'est une moyenne pondérée."),
        ),
    ),
)  # fmt: skip


def _dof(width: float, r: Results) -> float:
    """Return the degrees of freedom of kernel regression with another width."""
    from epee import KernelRegression

    return float(np.trace(KernelRegression(width).hat_matrix(r.x[:, None])))
