r"""From logistic regression with many classes to a small network.

.. math:: y = \mathrm{softmax}(W x), \qquad E(W) = -\frac1N \sum_n \sum_k t_{nk} \ln y_k(x_n); \qquad y = \mathrm{softmax}(V \tanh(W x)).

Without hidden units frontiers are straight; each hidden unit adds a fold, and a penalty smooths them.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.figures.style import COLOURS, MARKERS, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, percent, shown
from epee.words.catalogue import Words

N, TEST = 150, 900


def arms(n: int, turn: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return three arms of a spiral that turn by ``turn`` quarters, and their classes."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    t = rng.random(n)
    angle = 2 * np.pi * y / 3 + turn * np.pi / 2 * t + 0.15 * rng.standard_normal(n)
    return (0.3 + 2 * t)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


@lru_cache(maxsize=64)
def learned(kind: str, hidden: int, decay: float, turn: float, draw: int) -> object:
    """Return the fitted classifier."""
    from epee import LinearClassifier, LogisticRegression, MLPClassifier

    X, y = arms(N, turn, draw)
    if kind == "hinge":
        return LinearClassifier("hinge", "l2", alpha=decay).fit(X, y)
    if hidden == 0:
        return LogisticRegression(C=1 / (decay * N), max_iter=500).fit(X, y)
    return MLPClassifier((hidden,), activation="tanh", solver="lbfgs", alpha=decay, max_iter=400, random_state=0).fit(
        X, y
    )


def compute(state: State) -> Results:
    hidden, decay, turn = int(state["hidden"]), 10.0 ** float(state["decay"]), float(state["turn"])
    model = learned(state["kind"], hidden, decay, turn, int(state["draw"]))
    X, y = arms(N, turn, int(state["draw"]))
    T, u = arms(TEST, turn, 1000 + int(state["draw"]))
    weights = 3 * 3 if hidden == 0 or state["kind"] == "hinge" else hidden * 3 + 3 * (hidden + 1)
    return Results(X=X, y=y, model=model, train=float(np.mean(model.predict(X) != y)), test=float(np.mean(model.predict(T) != u)),
                   hidden=0 if state["kind"] == "hinge" else hidden, weights=weights, decay=decay, turn=turn)  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    ax = panel(xlabel="$x_1$", ylabel="$x_2$")
    grid = np.linspace(-2.7, 2.7, 140)
    a, b = np.meshgrid(grid, grid)
    said = r.model.predict(np.column_stack([a.ravel(), b.ravel()])).reshape(a.shape)
    ax.contourf(a, b, said, levels=np.arange(4) - 0.5, colors=COLOURS[:3], alpha=0.18)
    for k in range(3):
        ax.plot(*r.X[r.y == k].T, MARKERS[k], ms=3.5, color=COLOURS[k], label=f"classe {k}" if fr else f"class {k}")
    ax.set_aspect("equal")
    legend(ax, fontsize=8)
    bars = panel(size=(3.6, 3.6), ylabel="taux d'erreur" if fr else "error rate")
    bars.bar(["apprentissage" if fr else "training", "test"], [r.train, r.test], color=[COLOURS[0], COLOURS[1]])
    bars.set_ylim(0, 0.7)
    return [ax.figure, bars.figure]


def formula(r: Results) -> Words:
    if r.state["kind"] == "hinge":
        lines = blocks(
            r"E(W) = \frac{1}{N} \sum_n \sum_{j \neq t_n} \max(0, 1 + (w_j - w_{t_n})^\top x_n) + \frac{\lambda}{2} \|W\|^2",
            rf"\lambda = {shown(r.decay, 2)}",
        )
    else:
        inside = r"softmax(W x)" if r.hidden == 0 else r"softmax(V \tanh(W x))"
        lines = blocks(
            rf"y = {inside}, \quad E = -\frac{{1}}{{N}} \sum_n \sum_k t_{{nk}} \ln y_k(x_n)",
            rf"\lambda = {shown(r.decay, 2)}, \quad {r.weights} \ w_{{ij}}",
        )
    return Words(lines, lines)


def answer(r: Results) -> Words:
    return Words(
        f"With **{r.weights}** weights the error is **{percent(r.test)} %** on new points, {percent(r.train)} % on those learned from.",
        f"Avec **{r.weights}** poids, l'erreur est de **{percent(r.test)} %** sur des points nouveaux, {percent(r.train)} % sur ceux qui ont servi à apprendre.",
    )


def code(state: State) -> str:
    t, hidden, decay = in_language(state), int(state["hidden"]), 10.0 ** float(state["decay"])
    if state["kind"] == "hinge":
        model = f'epee.LinearClassifier("hinge", "l2", alpha={decay!r})'
    elif hidden == 0:
        model = f"epee.LogisticRegression(C={1 / (decay * N)!r}, max_iter=500)"
    else:
        model = f'epee.MLPClassifier(({hidden},), activation="tanh", solver="lbfgs", alpha={decay!r}, max_iter=400, random_state=0)'
    return f"""import warnings

import numpy as np
import epee

warnings.simplefilter("ignore")


def arms(n, seed):  # {t("three arms of a spiral", "trois bras de spirale")}
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    t = rng.random(n)
    angle = 2 * np.pi * y / 3 + {float(state["turn"])} * np.pi / 2 * t + 0.15 * rng.standard_normal(n)
    return (0.3 + 2 * t)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


model = {model}.fit(*arms({N}, {int(state["draw"])}))
X, y = arms({TEST}, {1000 + int(state["draw"])})
error = np.mean(model.predict(X) != y)
print("{t("error on new points", "erreur sur des points nouveaux")}", error)
"""


LAB = Lab(
    id="softmax",
    title=Words("Many classes, and a small network", "Plusieurs classes, et un petit réseau"),
    question=Words("How many bends does a frontier need?", "De combien de plis une frontière a-t-elle besoin ?"),
    story=Words(
        "Three arms of a spiral. Logistic regression and the hinge loss cut the plane by straight lines; hidden units bend them, and the penalty on the weights keeps them from bending for single points.",
        "Trois bras de spirale. La régression logistique et la perte charnière coupent le plan par des droites ; des unités cachées les plient, et la pénalité sur les poids les empêche de plier pour des points isolés.",
    ),
    controls=(
        Slider("hidden", Words("hidden units (0: none)", "unités cachées (0 : aucune)"), [0, 1, 2, 3, 4, 6, 8, 12, 20], 0),
        Choice("kind", Words("loss", "perte"), {"log": Words("cross-entropy", "entropie croisée"), "hinge": Words("hinge (no hidden units)", "charnière (sans unités cachées)")}, "log"),
        Slider("decay", Words("penalty, power of ten", "pénalité, puissance de dix"), spread(-5, 0, 1), -3),
        Slider("turn", Words("turn of the arms", "torsion des bras"), spread(0.0, 3.0, 0.5), 1.5),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 4, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("error", lambda r: r.test),
    exercises=(
        Goal(
            Words("Bring the error on new points below 8 %.", "Ramener l'erreur sur des points nouveaux sous 8 %."),
            lambda r: r.test < 0.08,
            Words("Straight lines cannot: add hidden units.", "Des droites n'y suffisent pas : ajouter des unités cachées."),
            lambda r: {"kind": "log", "hidden": 8, "decay": -2, "turn": 1.0},
        ),
        Pick(
            Words("With two classes, softmax regression is…", "Avec deux classes, la régression softmax est…"),
            {"logistic": Words("logistic regression, with $w = w_1 - w_0$", "la régression logistique, avec $w = w_1 - w_0$"), "fisher": Words("Fisher's discriminant", "le discriminant de Fisher"), "perceptron": Words("the perceptron", "le perceptron")},
            "logistic",
            Words("Divide both exponentials by one of them.", "Diviser les deux exponentielles par l'une d'elles."),
        ),
        Number(
            Words("How many weights has a network with 2 inputs, 5 hidden units and 3 outputs, biases counted?", "Combien de poids a un réseau à 2 entrées, 5 unités cachées et 3 sorties, biais compris ?"),
            lambda r: 33.0,
            Words("Each unit has one weight for each of its inputs, and a bias.", "Chaque unité a un poids par entrée, et un biais."),
            Words("Right: $5 \\times 3 + 3 \\times 6$.", "Juste : $5 \\times 3 + 3 \\times 6$."),
        ),
    ),
)  # fmt: skip
