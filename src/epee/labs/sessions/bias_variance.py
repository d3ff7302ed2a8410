r"""Noise, bias and variance, which add up to the expected prediction error.

.. math:: E(Y - h_D(x))^2 = \sigma^2 + (f(x) - E\,h_D(x))^2 + \mathrm{Var}\,h_D(x).

The target is the Bézier curve of the course's figures; a polynomial of degree 2 is too simple for it, one of degree 11 too complex.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.figures.style import COLOURS, INK, QUIET, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.words.catalogue import Words

CORNERS = [0.0, 3.0, -2.0, 2.0, -1.5, 2.5, 0.5]
DEGREES = list(range(1, 13))
NEIGHBOURS = [1, 2, 3, 4, 5, 7, 10, 14, 20]


@lru_cache(maxsize=64)
def parts(family: str, n: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Return bias² and variance of every degree or every number of neighbours, in closed form from the smoother matrix."""
    from epee import KNeighborsRegressor, PolynomialRegression, samples

    x = np.linspace(0, 1, n)
    f = samples.bezier(CORNERS)(x)
    found = []
    for value in DEGREES if family == "polynomial" else NEIGHBOURS:
        model = PolynomialRegression(value) if family == "polynomial" else KNeighborsRegressor(value)
        S = model.hat_matrix(x[:, None])
        found.append((np.mean((f - S @ f) ** 2), noise**2 * np.sum(S**2) / n))
    both = np.array(found)
    return both[:, 0], both[:, 1]


def compute(state: State) -> Results:
    from epee import KNeighborsRegressor, PolynomialRegression, samples

    n, noise, family = int(state["n"]), float(state["noise"]), state["family"]
    values = DEGREES if family == "polynomial" else NEIGHBOURS
    at = min(int(state["step"]), len(values)) - 1
    bias2, variance = parts(family, n, noise)
    x = np.linspace(0, 1, n)
    curve = samples.bezier(CORNERS)
    model = PolynomialRegression(values[at]) if family == "polynomial" else KNeighborsRegressor(values[at])
    S = model.hat_matrix(x[:, None])
    drawn = [samples.functional(curve, noise, x=x, random_state=seed).y for seed in range(12)]
    return Results(x=x, f=curve(x), y=drawn[0], fits=[S @ y for y in drawn], mean=S @ curve(x), bias2=bias2, variance=variance, values=values, at=at, noise=noise**2,
                   b=float(bias2[at]), v=float(variance[at]), epe=float(noise**2 + bias2[at] + variance[at]), n=n, best=int(np.argmin(bias2 + variance)))  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(xlabel="$x$", ylabel="$y$", ylim=(-1.5, 2.2))
    for fit in r.fits:
        left.plot(r.x, fit, color=COLOURS[1], lw=0.7, alpha=0.5)
    left.plot(r.x, r.f, color=INK, lw=1.8, label="courbe de Bézier" if fr else "Bézier curve")
    left.plot(
        r.x, r.mean, "--", color=COLOURS[2], lw=2, label="moyenne des prédicteurs" if fr else "mean of the predictors"
    )
    left.plot(r.x, r.y, ".", ms=4, color=QUIET)
    legend(left)
    poly = r.state["family"] == "polynomial"
    right = panel(xlabel=("degré" if fr else "degree") if poly else "$k$", ylabel="erreur" if fr else "error")
    right.stackplot(r.values, np.full(len(r.values), r.noise), r.bias2, r.variance, colors=[QUIET, COLOURS[2], COLOURS[1]], alpha=0.6,
                    labels=["bruit" if fr else "noise", "biais²" if fr else "bias²", "variance"])  # fmt: skip
    right.axvline(r.values[r.at], color=INK, lw=1, ls=":")
    right.set_ylim(0, 3 * (r.noise + (r.bias2 + r.variance)[r.best]))
    legend(right)
    return [left.figure, right.figure]


def formula(r: Results) -> Words:
    line = rf"{shown(r.noise)} + {shown(r.b)} + {shown(r.v)} = {shown(r.epe)}"
    head = r"EPE = \sigma^2 + \frac{1}{n}\|f - S f\|^2 + \sigma^2\, \frac{tr(S S^\top)}{n}"
    return Words(blocks(head, line), blocks(head, line))


def answer(r: Results) -> Words:
    which = "bias" if r.b > r.v else "variance"
    french = "le biais" if r.b > r.v else "la variance"
    return Words(
        f"Here **{which}** dominates: {shown(r.b)} and {shown(r.v)}. The smallest error is at {r.values[r.best]}.",
        f"Ici **{french}** domine : {shown(r.b)} et {shown(r.v)}. L'erreur la plus petite est à {r.values[r.best]}.",
    )


def code(state: State) -> str:
    t, n, noise, family = in_language(state), int(state["n"]), float(state["noise"]), state["family"]
    values = DEGREES if family == "polynomial" else NEIGHBOURS
    value = values[min(int(state["step"]), len(values)) - 1]
    model = f"epee.PolynomialRegression({value})" if family == "polynomial" else f"epee.KNeighborsRegressor({value})"
    return f"""import numpy as np
import epee

x = np.linspace(0, 1, {n})
f = epee.samples.bezier({CORNERS})(x)
S = {model}.hat_matrix(x[:, None])  # {t("predictions are S y, whatever y", "les prédictions sont S y, quel que soit y")}
noise, bias2, variance = {noise**2!r}, np.mean((f - S @ f) ** 2), {noise**2!r} * np.sum(S**2) / {n}
epe = noise + bias2 + variance
print("{t("noise, bias², variance", "bruit, biais², variance")}", noise, bias2, variance, "EPE", epe)
"""


LAB = Lab(
    id="bias_variance",
    title=Words("Bias and variance", "Biais et variance"),
    question=Words("What is an error made of?", "De quoi une erreur est-elle faite ?"),
    story=Words(
        "Twelve samples share their inputs and differ by their noise; each gives a predictor (thin curves). What their mean misses is bias, how far they lie apart is variance. Both are exact here: the predictor is a matrix $S$ times the values.",
        "Douze échantillons partagent leurs entrées et diffèrent par leur bruit ; chacun donne un prédicteur (courbes fines). Ce que manque leur moyenne est le biais, leur dispersion la variance. Les deux sont exacts ici : le prédicteur est une matrice $S$ fois les valeurs.",
    ),
    controls=(
        Slider("step", Words("degree, or step along the numbers of neighbours", "degré, ou rang dans les nombres de voisins"), DEGREES, 2),
        Choice("family", Words("predictors", "prédicteurs"), {"polynomial": Words("polynomials", "polynômes"), "neighbours": Words("nearest neighbours", "plus proches voisins")}, "polynomial"),
        Slider("n", Words("examples n", "exemples n"), [20, 30, 50, 100], 30),
        Slider("noise", Words("noise σ", "bruit σ"), spread(0.1, 0.9, 0.1), 0.3),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("epe", lambda r: r.epe),
    exercises=(
        Goal(
            Words("Find the degree of smallest error.", "Trouver le degré d'erreur minimale."),
            lambda r: r.state["family"] == "polynomial" and r.at == r.best,
            Words("Where is the top of the coloured stack lowest?", "Où le haut de la pile colorée est-il le plus bas ?"),
            lambda r: {"family": "polynomial", "step": int(np.argmin(sum(parts("polynomial", int(r.state["n"]), float(r.state["noise"]))))) + 1},
        ),
        Number(
            lambda r: Words(f"A linear model with $p = 5$ parameters that holds the truth, $n = {r.n}$, $\\sigma^2 = 1$: what is the mean variance of its predictions at the inputs?",
                            f"Un modèle linéaire à $p = 5$ paramètres qui contient la vérité, $n = {r.n}$, $\\sigma^2 = 1$ : quelle est la variance moyenne de ses prédictions aux entrées ?"),
            lambda r: 5 / r.n,
            Words(r"$\sigma^2\, tr(H)/n$, and the trace of a projection is its rank.", r"$\sigma^2\, tr(H)/n$, et la trace d'un projecteur est son rang."),
            Words(r"Right: hence an error of $\sigma^2 (1 + p/n)$ for new values there.", r"Juste : d'où une erreur de $\sigma^2 (1 + p/n)$ pour de nouvelles valeurs."),
        ),
        Pick(
            Words("With $k$ neighbours the variance of a prediction is…", "Avec $k$ voisins, la variance d'une prédiction est…"),
            {"k": Words(r"$\sigma^2 / k$", r"$\sigma^2 / k$"), "same": Words(r"$\sigma^2$", r"$\sigma^2$"), "kk": Words(r"$k \sigma^2$", r"$k \sigma^2$")},
            "k",
            Words("It is a mean of $k$ values.", "C'est une moyenne de $k$ valeurs."),
        ),
    ),
)  # fmt: skip
