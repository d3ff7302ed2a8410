r"""Half-labelled tables: what rows without a label teach.

EM treats missing labels as hidden variables, self-training believes its own sure answers, and labels spread along a graph of neighbours:
:math:`F_U = (I - P_{UU})^{-1} P_{UL} Y_L`.
"""

from __future__ import annotations

import numpy as np

from epee.figures.style import COLOURS, INK, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, percent, shown
from epee.labs.sessions.worlds import made, moons, moons_lines
from epee.words.catalogue import Words, plural

WAYS = {
    "none": Words("labelled rows alone", "lignes étiquetées seules"),
    "em": Words("EM", "EM"),
    "self": Words("self-training", "auto-apprentissage"),
    "spread": Words("labels that spread", "étiquettes qui se propagent"),
}
LINES = {
    "none": "epee.QuadraticDiscriminantAnalysis(reg_param=0.1).fit(X[seen >= 0], seen[seen >= 0])",
    "em": "epee.SemiSupervisedGaussian().fit(X, seen)",
    "self": "epee.SelfTraining(epee.QuadraticDiscriminantAnalysis(reg_param=0.1)).fit(X, seen)",
    "spread": "epee.LabelPropagation().fit(X, seen)",
}


def world(shape: str, n: int, draw: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two clouds, or two crescents, and their classes."""
    rng = np.random.default_rng(draw)
    if shape == "moons":
        return moons(n, 0.12, rng)
    y = np.arange(n) % 2
    return rng.standard_normal((n, 2)) * [1.0, 0.5] + np.outer(y, [1.0, 1.6]), y


def hidden(y: np.ndarray, labelled: int, draw: int) -> np.ndarray:
    """Return the labels with all but some of each class hidden as -1."""
    rng = np.random.default_rng(100 + draw)
    seen = np.full(len(y), -1)
    for k in (0, 1):
        own = rng.choice(np.flatnonzero(y == k), labelled, replace=False)
        seen[own] = k
    return seen


def compute(state: State) -> Results:
    X, y = world(state["shape"], int(state["n"]), int(state["draw"]))
    seen = hidden(y, int(state["labelled"]), int(state["draw"]))
    rates = {}
    for name in ("none", state["way"]):
        model = made(LINES[name], X=X, seen=seen)
        rates[name] = float(np.mean(model.predict(X) != y))
    return Results(
        X=X,
        y=y,
        seen=seen,
        model=model,
        error=rates[state["way"]],
        alone=rates["none"],
        labelled=int(state["labelled"]),
        n=len(y),
    )


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    ax = panel(xlabel="$x_1$", ylabel="$x_2$", size=(5.2, 4.0))
    low, high = r.X.min(axis=0) - 0.4, r.X.max(axis=0) + 0.4
    a, b = np.meshgrid(np.linspace(low[0], high[0], 90), np.linspace(low[1], high[1], 90))
    said = np.asarray(r.model.predict(np.column_stack([a.ravel(), b.ravel()]))).reshape(a.shape)
    ax.contourf(a, b, said, levels=[-0.5, 0.5, 1.5], colors=COLOURS[:2], alpha=0.16)
    bare = r.seen < 0
    ax.plot(*r.X[bare].T, ".", ms=4, color="0.6", label="sans étiquette" if fr else "without label")
    for k in (0, 1):
        ax.plot(*r.X[r.seen == k].T, "os"[k], ms=8, color=COLOURS[k], mec=INK)
    legend(ax)
    bars = panel(size=(3.8, 3.6), ylabel="taux d'erreur" if fr else "error rate")
    bars.bar(
        [WAYS["none"](lang), WAYS[r.state["way"]](lang) + ("" if r.state["way"] != "none" else " ")],
        [r.alone, r.error],
        color=[COLOURS[0], COLOURS[1]],
    )
    bars.tick_params(axis="x", labelsize=7)
    bars.set_ylim(0, 0.5)
    return [ax.figure, bars.figure]


def formula(r: Results) -> Words:
    line = {
        "none": r"\max \sum_{i \in L} \ln \pi_{y_i} p(x_i | y_i)", "em": r"\max \sum_{i \in L} \ln \pi_{y_i} p(x_i | y_i) + \sum_{i \in U} \ln \sum_k \pi_k p(x_i | k)",
        "self": r"i \in U, \ \max_k P(k | x_i) > s \ \Longrightarrow \ y_i = \hat k", "spread": r"F_U = (I - P_{UU})^{-1} P_{UL} Y_L",
    }[r.state["way"]]  # fmt: skip
    end = blocks(line, rf"|L| = {2 * r.labelled}, \quad |U| = {r.n - 2 * r.labelled}, \quad err = {shown(r.error)}")
    return Words(end, end)


def answer(r: Results) -> Words:
    gain = r.alone - r.error
    word = (
        ("help", "aident")
        if gain > 0.005
        else ("harm", "nuisent")
        if gain < -0.005
        else ("change nothing", "ne changent rien")
    )
    return Words(
        f"With {2 * r.labelled} labels the error is {percent(r.alone)} %; with the other rows **{percent(r.error)} %**: here they **{word[0]}**.",
        f"Avec {2 * r.labelled} {plural(2 * r.labelled, 'étiquette', 'étiquettes', 'fr')}, l'erreur est de {percent(r.alone)} % ; avec les autres lignes **{percent(r.error)} %** : ici elles **{word[1]}**.",
    )


def code(state: State) -> str:
    t, n = in_language(state), int(state["n"])
    draw_ = moons_lines(n, 0.12) if state["shape"] == "moons" else (
        f"y = np.arange({n}) % 2\nX = rng.standard_normal(({n}, 2)) * [1.0, 0.5] + np.outer(y, [1.0, 1.6])"
    )  # fmt: skip
    return f"""import warnings

import numpy as np
import epee

warnings.simplefilter("ignore")
rng = np.random.default_rng({int(state["draw"])})
{draw_}
rng, seen = np.random.default_rng({100 + int(state["draw"])}), np.full({n}, -1)  # {t("-1: no label", "-1 : sans étiquette")}
for k in (0, 1):
    seen[rng.choice(np.flatnonzero(y == k), {int(state["labelled"])}, replace=False)] = k
model = {LINES[state["way"]]}
error = np.mean(model.predict(X) != y)
print("{t("error", "erreur")}", error)
"""


LAB = Lab(
    id="half_labelled",
    title=Words("Half-labelled tables", "Tableaux à demi étiquetés"),
    question=Words("Do rows without a label teach anything?", "Les lignes sans étiquette apprennent-elles quelque chose ?"),
    story=Words(
        "A few rows have a label, the others are grey. EM believes in clouds, self-training in itself, spreading labels in neighbours; each helps where its belief holds, and may harm where it does not.",
        "Quelques lignes ont une étiquette, les autres sont grises. EM croit aux nuages, l'auto-apprentissage à lui-même, la propagation aux voisins ; chacun aide là où sa croyance est juste, et peut nuire ailleurs.",
    ),
    controls=(
        Slider("labelled", Words("labels for each class", "étiquettes par classe"), [2, 3, 5, 10, 20, 40], 3),
        Choice("way", Words("method", "méthode"), WAYS, "em"),
        Choice("shape", Words("shape of the classes", "forme des classes"), {"clouds": Words("clouds", "nuages"), "moons": Words("crescents", "croissants")}, "clouds"),
        Slider("n", Words("rows in all", "lignes en tout"), [100, 200, 400], 200),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 9, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("error", lambda r: r.error),
    exercises=(
        Goal(
            Words("Bring the error on the crescents below 5 % with at most ten labels a class.", "Sur les croissants, ramener l'erreur sous 5 % avec au plus dix étiquettes par classe."),
            lambda r: r.state["shape"] == "moons" and r.labelled <= 10 and r.error < 0.05,
            Words("Which belief fits crescents?", "Quelle croyance convient à des croissants ?"),
            lambda r: {"shape": "moons", "way": "spread", "labelled": 10, "n": 400},
        ),
        Pick(
            Words("No label at all: classes can be found…", "Aucune étiquette : les classes peuvent être trouvées…"),
            {"names": Words("up to their names", "à leurs noms près"), "all": Words("names included", "noms compris"), "never": Words("never", "jamais")},
            "names",
            Words("Clusters have no names.", "Les groupes n'ont pas de nom."),
        ),
        Number(
            Words("A point without label has neighbours labelled 1, 1 and 0, with equal weights. What value does spreading give it?", "Un point sans étiquette a pour voisins 1, 1 et 0, de poids égaux. Quelle valeur la propagation lui donne-t-elle ?"),
            lambda r: 2 / 3,
            Words("A mean of its neighbours.", "Une moyenne de ses voisins."),
        ),
    ),
)  # fmt: skip
