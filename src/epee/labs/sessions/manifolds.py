r"""Manifolds: a curved sheet laid flat.

PCA and classical scaling keep straight distances, Isomap those along the sheet, LLE what each point is of its neighbours, t-SNE who is
near whom.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.figures.style import INK
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.labs.sessions.worlds import made
from epee.words.catalogue import Words

N = 160
WAYS = {
    "pca": Words("PCA", "ACP"),
    "mds": Words("MDS of straight distances", "MDS des distances droites"),
    "isomap": Words("Isomap", "Isomap"),
    "lle": Words("LLE", "LLE"),
    "tsne": Words("t-SNE", "t-SNE"),
}
LINES = {
    "pca": "epee.PCA(2).fit_transform(X)",
    "mds": "epee.ClassicalMDS(2).fit_transform(X)",
    "isomap": "epee.Isomap(n_neighbors={k}).fit_transform(X)",
    "lle": "epee.LocallyLinearEmbedding(n_neighbors={k}, n_components=2).fit_transform(X)",
    "tsne": "epee.TSNE(2, perplexity={k}, random_state=0).fit_transform(X)",
}


def sheet(turns: float, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Return points of a sheet rolled by some turns in space, and their place (along, across) on it."""
    rng = np.random.default_rng(0)
    u, v = rng.random(N), rng.random(N)
    angle = 2 * np.pi * turns * u + np.pi
    radius = 1 + u * turns
    X = np.column_stack([radius * np.cos(angle), 3 * v, radius * np.sin(angle)])
    length = 2 * np.pi * turns * (u + turns * u**2 / 2)  # along the spiral
    return X + noise * rng.standard_normal(X.shape), np.column_stack([length, 3 * v])


@lru_cache(maxsize=64)
def flat(way: str, k: int, turns: float, noise: float) -> np.ndarray:
    """Return the sheet in the plane."""
    X = sheet(turns, noise)[0]
    return np.asarray(made(LINES[way].format(k=k), X=X))


def trust(Z: np.ndarray, place: np.ndarray) -> float:
    """Return which part of the ten nearest points in the picture are among the twenty nearest on the sheet."""
    true = ((place[:, None] - place) ** 2).sum(axis=2)
    seen = ((Z[:, None] - Z) ** 2).sum(axis=2)
    near, own = np.argsort(seen, axis=1)[:, 1:11], np.argsort(true, axis=1)[:, 1:21]
    return float(np.mean([len(set(a) & set(b)) / 10 for a, b in zip(near.tolist(), own.tolist(), strict=True)]))


def compute(state: State) -> Results:
    k, turns, noise = int(state["k"]), float(state["turns"]), float(state["noise"])
    X, place = sheet(turns, noise)
    Z = flat(state["way"], k, turns, noise)
    order = float(abs(np.corrcoef(place[:, 0], Z[:, 0])[0, 1]))
    return Results(X=X, Z=Z, place=place, trust=trust(Z, place), order=order, k=k)


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(xlabel="$x_1$", ylabel="$x_3$", title="la feuille, de côté" if fr else "the sheet, from the side")
    left.scatter(r.X[:, 0], r.X[:, 2], c=r.place[:, 0], cmap="viridis", s=14)
    left.set_aspect("equal", adjustable="datalim")
    right = panel(xlabel="$z_1$", ylabel="$z_2$", title=WAYS[r.state["way"]](lang))
    right.scatter(r.Z[:, 0], r.Z[:, 1], c=r.place[:, 0], cmap="viridis", s=14, edgecolors=INK, linewidths=0.2)
    return [left.figure, right.figure]


def formula(r: Results) -> Words:
    line = {
        "pca": r"Z = X^c U_2", "mds": r"B = -\frac{1}{2} J D^{(2)} J = V \Lambda V^\top",
        "isomap": r"D_{ij} = \min_{i \to j} \sum d \quad B = -\frac{1}{2} J D^{(2)} J",
        "lle": r"\min_W \sum_i \|x_i - \sum_j w_{ij} x_j\|^2, \quad \min_Z \sum_i \|z_i - \sum_j w_{ij} z_j\|^2",
        "tsne": r"\min KL(P \| Q), \quad q_{ij} \propto (1 + \|z_i - z_j\|^2)^{-1}",
    }[r.state["way"]]  # fmt: skip
    end = blocks(line, rf"k = {r.k}, \quad |corr(u, z_1)| = {shown(r.order)}")
    return Words(end, end)


def answer(r: Results) -> Words:
    return Words(
        f"**{100 * r.trust:.0f} %** of near neighbours in the picture are near on the sheet, too.",
        f"**{100 * r.trust:.0f} %** des proches voisins de la figure sont proches aussi sur la feuille.",
    )


def code(state: State) -> str:
    t, turns, noise = in_language(state), float(state["turns"]), float(state["noise"])
    return f"""import numpy as np
import epee

rng = np.random.default_rng(0)
u, v = rng.random({N}), rng.random({N})  # {t("place on the sheet", "place sur la feuille")}
angle, radius = 2 * np.pi * {turns} * u + np.pi, 1 + u * {turns}
X = np.column_stack([radius * np.cos(angle), 3 * v, radius * np.sin(angle)])
X = X + {noise} * rng.standard_normal(X.shape)
Z = {LINES[state["way"]].format(k=int(state["k"]))}
length = 2 * np.pi * {turns} * (u + {turns} * u**2 / 2)
order = abs(np.corrcoef(length, Z[:, 0])[0, 1])
print("{t("correlation of the first axis with the way along the sheet", "corrélation du premier axe avec le chemin sur la feuille")}", order)
"""


LAB = Lab(
    id="manifolds",
    title=Words("Manifolds", "Variétés"),
    question=Words("Can a rolled sheet be laid flat?", "Peut-on mettre à plat une feuille enroulée ?"),
    story=Words(
        "Points lie on a sheet that is rolled up in space; the colour says how far along it they are. Straight distances see through the roll; neighbours follow the sheet, as long as $k$ neighbours do not jump across.",
        "Des points sont sur une feuille enroulée dans l'espace ; la couleur dit où ils sont le long d'elle. Les distances droites traversent le rouleau ; les voisins suivent la feuille, tant que $k$ voisins ne sautent pas d'un tour à l'autre.",
    ),
    controls=(
        Slider("turns", Words("turns of the roll", "tours du rouleau"), spread(0.25, 1.75, 0.25), 1.25),
        Choice("way", Words("method", "méthode"), WAYS, "pca"),
        Slider("k", Words("neighbours k (perplexity of t-SNE)", "voisins k (perplexité de t-SNE)"), [6, 8, 12, 20, 40], 8),
        Slider("noise", Words("noise", "bruit"), spread(0.0, 0.3, 0.05), 0.0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("order", lambda r: r.order),
    exercises=(
        Goal(
            Words("Find a method that keeps at least 90 % of the neighbours.", "Trouver une méthode qui garde au moins 90 % des voisins."),
            lambda r: r.trust >= 0.9 and float(r.state["turns"]) >= 1,
            Words("Which method cares for who is near whom, and for nothing else?", "Quelle méthode ne se soucie que de qui est proche de qui ?"),
            lambda r: {"way": "tsne", "k": 12, "turns": 1.25, "noise": 0.0},
        ),
        Pick(
            Words("Classical MDS of Euclidean distances gives…", "La MDS classique de distances euclidiennes donne…"),
            {"pca": Words("the principal components", "les composantes principales"), "isomap": Words("Isomap", "Isomap"), "tsne": Words("t-SNE", "t-SNE")},
            "pca",
            Words("Double centring of squared distances gives the inner products.", "Le double centrage des distances au carré donne les produits scalaires."),
        ),
        Number(
            Words("Three points on a line at 0, 3 and 5. What is the entry of $B = -\\frac{1}{2} J D^{(2)} J$ for the first point with itself?", "Trois points d'une droite en 0, 3 et 5. Quelle est l'entrée de $B = -\\frac{1}{2} J D^{(2)} J$ du premier point avec lui-même ?"),
            lambda r: (8 / 3) ** 2,
            Words("It is the square of its distance to the mean.", "C'est le carré de sa distance à la moyenne."),
        ),
    ),
)  # fmt: skip
