r"""Fisher's discriminant, and least squares that find the same line.

.. math:: J(w) = \frac{(w^\top m_1 - w^\top m_2)^2}{w^\top S_W w} \ \text{ is largest for } \ w \propto S_W^{-1}(m_1 - m_2),

which is also the direction of least squares on the targets :math:`N/N_1` and :math:`-N/N_2`.
"""

from __future__ import annotations

import numpy as np

from epee.figures.style import COLOURS, INK, QUIET, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.words.catalogue import Words

SIZES = (80, 40)
WAYS = {
    "means": Words("difference of means", "différence des moyennes"),
    "fisher": Words("Fisher", "Fisher"),
    "least_squares": Words("least squares on ±1", "moindres carrés sur ±1"),
    "first_axis": Words("first principal axis", "premier axe principal"),
}


def two_clouds(gap: float, lean: float, draw: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two clouds of one shape, of which the coordinates lean on each other by ``lean``, and their classes 0 and 1."""
    rng = np.random.default_rng(draw)
    shape = np.linalg.cholesky(np.array([[4.0, 2 * lean], [2 * lean, 1.0]]))
    y = np.repeat([0, 1], SIZES)
    return rng.standard_normal((sum(SIZES), 2)) @ shape.T + np.outer(y, [gap, 0.6 * gap]), y


def directions(X: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Return the unit direction of every way."""
    from epee import PCA, FisherDiscriminant, LeastSquaresClassifier

    found = {
        "means": X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0),
        "fisher": FisherDiscriminant().fit(X, y).coef_[0],
        "least_squares": np.ravel(LeastSquaresClassifier(targets="signed").fit(X, y).coef_),
        "first_axis": PCA(1).fit(X).components_[0],
    }
    return {name: w / np.linalg.norm(w) for name, w in found.items()}


def criterion(w: np.ndarray, X: np.ndarray, y: np.ndarray) -> float:
    """Return J(w), within-class scatter below."""
    a, b = (X[y == k] @ w for k in (0, 1))
    return float((a.mean() - b.mean()) ** 2 / (((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()))


def compute(state: State) -> Results:
    X, y = two_clouds(float(state["gap"]), float(state["lean"]), int(state["draw"]))
    ways = directions(X, y)
    angle = np.deg2rad(float(state["angle"]))
    own = np.array([np.cos(angle), np.sin(angle)]) if state["way"] == "own" else ways[state["way"]]
    turns = np.linspace(0, np.pi, 181)
    J = np.array([criterion(np.array([np.cos(a), np.sin(a)]), X, y) for a in turns])
    scores = {name: criterion(w, X, y) for name, w in ways.items()}
    cosine = float(abs(ways["fisher"] @ ways["least_squares"]))
    return Results(X=X, y=y, ways=ways, w=own, J=J, turns=turns, j=criterion(own, X, y), best=scores["fisher"], scores=scores, cosine=cosine,
                   at=float(np.rad2deg(np.arctan2(own[1], own[0])) % 180))  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(xlabel="$x_1$", ylabel="$x_2$")
    for k in (0, 1):
        left.plot(*r.X[r.y == k].T, "os"[k], ms=3.5, color=COLOURS[k], alpha=0.7)
    centre = r.X.mean(axis=0)
    ends = np.array([centre - 7 * r.w, centre + 7 * r.w])
    left.plot(*ends.T, color=INK, lw=1.5, label="axe de projection" if fr else "axis of projection")
    left.set_aspect("equal", adjustable="datalim")
    legend(left)
    middle = panel(xlabel="projection", ylabel="points")
    z = (r.X - centre) @ r.w
    bins = np.linspace(z.min(), z.max(), 30)
    for k in (0, 1):
        middle.hist(z[r.y == k], bins=bins, color=COLOURS[k], alpha=0.6, label=f"classe {k}" if fr else f"class {k}")
    legend(middle)
    right = panel(xlabel="angle (°)", ylabel="$J(w)$")
    right.plot(np.rad2deg(r.turns), r.J, color=QUIET)
    for i, (name, w) in enumerate(r.ways.items()):
        right.plot(
            np.rad2deg(np.arctan2(w[1], w[0])) % 180,
            r.scores[name],
            "oD^s"[i],
            color=COLOURS[i],
            label=WAYS[name](lang),
        )
    right.plot(r.at, r.j, "*", ms=12, color=INK)
    legend(right, fontsize=8)
    return [left.figure, middle.figure, right.figure]


def formula(r: Results) -> Words:
    lines = blocks(
        rf"J(w) = \frac{{(w^\top m_1 - w^\top m_2)^2}}{{w^\top S_W w}} = {shown(r.j)}",
        rf"w_{{Fisher}} \propto S_W^{{-1}} (m_1 - m_2), \quad J = {shown(r.best)}",
        rf"|\cos(w_{{Fisher}}, w_{{MC}})| = {shown(r.cosine, 6)}",
    )
    return Words(lines, lines)


def answer(r: Results) -> Words:
    share = r.j / r.best
    return Words(
        f"This direction keeps **{100 * share:.0f} %** of the best possible separation. Least squares and Fisher point the same way.",
        f"Cette direction garde **{100 * share:.0f} %** de la meilleure séparation possible. Moindres carrés et Fisher visent dans la même direction.",
    )


def code(state: State) -> str:
    t = in_language(state)
    lean = float(state["lean"])
    way = {
        "means": "m[1] - m[0]",
        "fisher": "epee.FisherDiscriminant().fit(X, y).coef_[0]",
        "least_squares": 'np.ravel(epee.LeastSquaresClassifier(targets="signed").fit(X, y).coef_)',
        "first_axis": "epee.PCA(1).fit(X).components_[0]",
        "own": f"np.array([np.cos(np.deg2rad({float(state['angle'])})), np.sin(np.deg2rad({float(state['angle'])}))])",
    }[state["way"]]
    return f"""import numpy as np
import epee

rng = np.random.default_rng({int(state["draw"])})
shape = np.linalg.cholesky(np.array([[4.0, {2 * lean}], [{2 * lean}, 1.0]]))  # {t("one shape for both clouds", "une forme pour les deux nuages")}
y = np.repeat([0, 1], {SIZES})
X = rng.standard_normal(({sum(SIZES)}, 2)) @ shape.T + np.outer(y, [{float(state["gap"])}, {0.6 * float(state["gap"])}])
m = [X[y == k].mean(axis=0) for k in (0, 1)]
w = {way}
within = sum(((X[y == k] @ w - m[k] @ w) ** 2).sum() for k in (0, 1))
J = (m[0] @ w - m[1] @ w) ** 2 / within
print("{t("criterion", "critère")}", J)
"""


LAB = Lab(
    id="fisher",
    title=Words("Fisher and least squares", "Fisher et moindres carrés"),
    question=Words("On which line do two classes part best?", "Sur quelle droite deux classes se séparent-elles le mieux ?"),
    story=Words(
        "Project two leaning clouds on a line. The difference of means forgets how the clouds lean; Fisher divides by their spread; least squares on class labels, which know nothing of it, find the same line.",
        "Projeter deux nuages inclinés sur une droite. La différence des moyennes oublie l'inclinaison ; Fisher divise par la dispersion ; les moindres carrés sur les étiquettes, qui n'en savent rien, trouvent la même droite.",
    ),
    controls=(
        Slider("angle", Words("angle of your own line (°)", "angle de votre droite (°)"), spread(0, 175, 5), 0),
        Choice("way", Words("direction", "direction"), {"own": Words("my own", "la mienne")} | WAYS, "own"),
        Slider("lean", Words("correlation of the coordinates", "corrélation des coordonnées"), spread(-0.9, 0.9, 0.1), 0.8),
        Slider("gap", Words("distance of the means", "distance des moyennes"), spread(0.5, 4.0, 0.5), 2.0),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 9, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("J", lambda r: r.j),
    exercises=(
        Goal(
            Words("Turn your own line until it keeps 95 % of the best separation.", "Tourner votre droite jusqu'à garder 95 % de la meilleure séparation."),
            lambda r: r.state["way"] == "own" and r.j >= 0.95 * r.best,
            Words("Look at the curve of $J$: where is its top?", "Regarder la courbe de $J$ : où est son sommet ?"),
            lambda r: {"way": "own", "angle": int(5 * round(float(np.rad2deg(r.turns[int(np.argmax(r.J))])) / 5)) % 180},
        ),
        Pick(
            Words("The targets of least squares are changed from ±1 to $N/N_1$ and $-N/N_2$. The direction…", "On remplace les cibles ±1 des moindres carrés par $N/N_1$ et $-N/N_2$. La direction…"),
            {"same": Words("stays the same", "reste la même"), "means": Words("becomes the difference of means", "devient la différence des moyennes"), "free": Words("depends on the sizes of the classes", "dépend des effectifs")},
            "same",
            Words("A target that takes two values is an affine function of any other.", "Une cible à deux valeurs est fonction affine de toute autre."),
            Words("Right: only length and offset change, so both are Fisher's line.", "Juste : seuls la longueur et le décalage changent, ce sont deux fois la droite de Fisher."),
        ),
        Number(
            lambda r: Words(f"How much larger is Fisher's $J$ than that of the difference of means (their ratio; the figure shows {shown(r.best)} and {shown(r.scores['means'])})?",
                            f"De combien le $J$ de Fisher dépasse-t-il celui de la différence des moyennes (leur rapport ; la figure montre {shown(r.best)} et {shown(r.scores['means'])}) ?"),
            lambda r: r.best / r.scores["means"],
            Words("Divide the two values.", "Diviser les deux valeurs."),
            tolerance=0.03,
        ),
    ),
)  # fmt: skip
