r"""Clustering: the same points, several ideas of what a group is, and how many there are.

k-means lowers the distortion :math:`J = \sum_i \|x_i - \mu_{c(i)}\|^2` by turns: allocate, average. The distortion always falls with k, so it
cannot choose k alone; the silhouette compares each point's own group with the next one.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.figures.style import COLOURS, INK, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, percent, shown
from epee.labs.sessions.worlds import cloud, cloud_lines, moons, moons_lines, turned
from epee.words.catalogue import Words

WORLDS = {
    "four": Words("four clouds", "quatre nuages"),
    "long": Words("long clouds", "nuages allongés"),
    "moons": Words("crescents", "croissants"),
    "none": Words("no groups", "aucun groupe"),
}
METHODS = {
    "kmeans": Words("k-means", "k-moyennes"),
    "ward": Words("Ward", "Ward"),
    "single": Words("single linkage", "saut minimal"),
    "medoids": Words("k-medoids", "k-médoïdes"),
}
MOST = 8
CENTRES = {"four": [(-2, -1.8), (2, -1.6), (-1.6, 2), (2.2, 2.1)], "long": [(-2, 0), (0, 0), (2, 0)]}


@lru_cache(maxsize=32)
def points(world: str, draw: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Return 160 points, and the group each was drawn from."""
    rng = np.random.default_rng(draw)
    n = 160
    if world == "none":
        return rng.uniform(-3, 3, (n, 2)), None
    if world == "moons":
        X, y = moons(n, 0.08, rng)
        return 2 * X - [1, 0.4], y
    if world == "four":
        return np.vstack([cloud(rng, c, 0.35 * np.eye(2), n // 4) for c in CENTRES[world]]), np.repeat(
            np.arange(4), n // 4
        )
    S = turned(1.4, 0.28, 75)
    return np.vstack([cloud(rng, c, S, n // 3) for c in CENTRES[world]]), np.repeat(np.arange(3), n // 3)


def partition(method: str, X: np.ndarray, k: int, start: int) -> np.ndarray:
    """Return the group of each point."""
    from epee import AgglomerativeClustering, KMeans, KMedoids

    if method == "kmeans":
        return KMeans(k, init="random", n_init=1, random_state=start).fit(X).labels_
    if method == "medoids":
        return KMedoids(k, random_state=start).fit(X).labels_
    return AgglomerativeClustering(k, linkage=method).fit(X).labels_


def distortion(X: np.ndarray, labels: np.ndarray) -> float:
    """Return the sum of squared distances to the means of the groups."""
    return float(sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels)))


def silhouette(X: np.ndarray, labels: np.ndarray) -> float:
    """Return the mean of (b - a) / max(a, b): a the distance to one's own group, b to the next one."""
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    groups = np.unique(labels)
    means = np.array([D[:, labels == c].sum(axis=1) for c in groups]).T  # (n, k) sums
    size = np.array([(labels == c).sum() for c in groups])
    own = np.searchsorted(groups, labels)
    i = np.arange(len(X))
    a = means[i, own] / np.maximum(size[own] - 1, 1)
    other = means / size
    other[i, own] = np.inf
    b = other.min(axis=1)
    return float(np.mean(np.where(size[own] > 1, (b - a) / np.maximum(a, b), 0)))


@lru_cache(maxsize=256)
def scan(world: str, draw: int, method: str, start: int) -> tuple[list, np.ndarray, np.ndarray]:
    X, _ = points(world, draw)
    found = [partition(method, X, k, start) for k in range(1, MOST + 1)]
    J = np.array([distortion(X, labels) for labels in found])
    s = np.array([np.nan] + [silhouette(X, labels) for labels in found[1:]])
    return found, J, s


def agreement(a: np.ndarray, b: np.ndarray) -> float:
    """Return the share of pairs of points that both partitions treat alike (Rand)."""
    same = (a[:, None] == a) == (b[:, None] == b)
    n = len(a)
    return float((same.sum() - n) / (n * (n - 1)))


def compute(state: State) -> Results:
    world, k = state["world"], int(state["k"])
    X, truth = points(world, int(state["draw"]))
    found, J, s = scan(world, int(state["draw"]), state["method"], int(state["start"]))
    labels = found[k - 1]
    best = int(np.nanargmax(s)) + 1
    return Results(X=X, labels=labels, J=J, s=s, k=k, best=best, here=J[k - 1], explained=1 - J[k - 1] / J[0], rand=None if truth is None else agreement(labels, truth),
                   centres=np.array([X[labels == c].mean(axis=0) for c in np.unique(labels)]), world=world)  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(size=(4.8, 4.4), aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
    for c in np.unique(r.labels):
        left.plot(*r.X[r.labels == c].T, "osD^vPX*"[c % 8], ms=4.5, color=COLOURS[c % 8])
    left.plot(*r.centres.T, "+", ms=14, mew=2.5, color=INK)
    ks = np.arange(1, MOST + 1)
    right = panel(size=(5.4, 2.4), xlabel="k", ylabel="distorsion J" if fr else "distortion J")
    right.plot(ks, r.J, "o-", color=COLOURS[0])
    right.plot([r.k], [r.here], "o", ms=10, color=COLOURS[1])
    right.set_ylim(0, None)
    third = panel(size=(5.4, 2.4), xlabel="k", ylabel="silhouette")
    third.plot(ks, r.s, "s-", color=COLOURS[2])
    third.axvline(r.best, color=INK, ls=":", lw=1, label="maximum")
    third.plot([r.k], [r.s[r.k - 1]], "s", ms=10, color=COLOURS[1])
    third.set_xlim(right.get_xlim())
    legend(third)
    return [left.figure, right.figure, third.figure]


def formula(r: Results) -> Words:
    lines = blocks(
        rf"J = \sum_{{i=1}}^{{{len(r.X)}}} \|x_i - \mu_{{c(i)}}\|^2 = {shown(r.here)}",
        rf"1 - \frac{{J_{{{r.k}}}}}{{J_1}} = 1 - \frac{{{shown(r.here)}}}{{{shown(r.J[0])}}} = {shown(r.explained)}",
        rf"s = mean\ \frac{{b_i - a_i}}{{max(a_i, b_i)}} = {shown(r.s[r.k - 1]) if r.k > 1 else '-'}",
    )
    return Words(
        "Distortion, the share of the inertia between the groups, and the silhouette:\n\n" + lines,
        "La distorsion, la part d'inertie entre les groupes, et la silhouette :\n\n" + lines,
    )


def answer(r: Results) -> Words:
    if r.rand is None:
        return Words(
            f"There are **no groups** here; the silhouette still has a best value (k = {r.best}), but a low one: {shown(r.s[r.best - 1], 2)}.",
            f"Il n'y a **aucun groupe** ici ; la silhouette a tout de même un maximum (k = {r.best}), mais faible : {shown(r.s[r.best - 1], 2)}.",
        )
    return Words(
        f"The silhouette would take k = **{r.best}**. Your partition treats **{percent(r.rand, 0)} %** of the pairs of points as the true groups do.",
        f"La silhouette prendrait k = **{r.best}**. Votre partition traite **{percent(r.rand, 0)} %** des paires de points comme les vrais groupes.",
    )


def code(state: State) -> str:
    t, k, world = in_language(state), int(state["k"]), state["world"]
    drawn = {
        "none": "X = rng.uniform(-3, 3, (160, 2))",
        "moons": f"{moons_lines(160, 0.08)}\nX = 2 * X - [1, 0.4]",
    }.get(world)
    if drawn is None:
        n, covariance = (40, 0.35 * np.eye(2)) if world == "four" else (53, turned(1.4, 0.28, 75))
        parts = ",\n    ".join(cloud_lines(c, covariance, n) for c in CENTRES[world])
        drawn = f"X = np.vstack([\n    {parts},\n])"
    model = {
        "kmeans": f'KMeans({k}, init="random", n_init=1, random_state={int(state["start"])})',
        "medoids": f"KMedoids({k}, random_state={int(state['start'])})",
    }.get(state["method"], f'AgglomerativeClustering({k}, linkage="{state["method"]}")')
    return f"""import numpy as np
import epee

rng = np.random.default_rng({int(state["draw"])})
{drawn}
labels = epee.{model}.fit(X).labels_
distortion = sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels))
print("{t("distortion", "distorsion")}", distortion)
print(epee.choose_clusters(X, epee.KMeans(random_state=0), range(2, 7), random_state=0))
"""


LAB = Lab(
    id="clustering",
    title=Words("Clustering", "Classification non supervisée"),
    question=Words("How many groups are there, and of what shape?", "Combien y a-t-il de groupes, et de quelle forme ?"),
    story=Words("No labels: only points. Change the method, the number of groups and the random start, and see which idea of a group fits which world.",
                "Pas d'étiquettes : seulement des points. Changer la méthode, le nombre de groupes et le départ aléatoire, et voir quelle idée de groupe convient à quel monde."),
    controls=(
        Choice("world", Words("world", "monde"), WORLDS, "four"),
        Choice("method", Words("method", "méthode"), METHODS, "kmeans"),
        Slider("k", Words("groups k", "groupes k"), spread(1, MOST, 1), 3),
        Slider("start", Words("random start", "départ aléatoire"), spread(0, 12, 1), 0),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 10, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("distortion", lambda r: r.here),
    exercises=(
        Goal(Words("Separate the two crescents perfectly.", "Séparer parfaitement les deux croissants."),
             lambda r: r.world == "moons" and r.rand > 0.999,
             Words("k-means and Ward want round groups; follow chains of neighbours instead.", "Les k-moyennes et Ward veulent des groupes ronds ; suivre plutôt des chaînes de voisins."),
             lambda r: {"world": "moons", "method": "single", "k": 2, "draw": 0},
             Words("Right: single linkage joins the nearest points. With noise between the groups it chains them together.", "Juste : le saut minimal joint les points les plus proches. Avec du bruit entre les groupes, il les enchaîne.")),
        Pick(Words("With k equal to the number of points, the distortion is…", "Avec k égal au nombre de points, la distorsion vaut…"),
             {"zero": Words("0", "0"), "one": Words("1", "1"), "max": Words("at its largest", "son maximum")}, "zero",
             Words("Each point is its own mean.", "Chaque point est sa propre moyenne."),
             Words("Right: that is why the distortion cannot choose k.", "Juste : c'est pourquoi la distorsion ne peut pas choisir k.")),
        Number(lambda r: Words(f"The distortion is {shown(r.here, 4)} for k = {r.k} and {shown(r.J[0], 4)} for k = 1. Which share of the inertia lies between the groups?",
                               f"La distorsion est {shown(r.here, 4)} pour k = {r.k} et {shown(r.J[0], 4)} pour k = 1. Quelle part de l'inertie est entre les groupes ?"),
               lambda r: r.explained,
               Words("Huygens: total = within + between.", "Huygens : total = intra + inter."), margin=0.003),
    ),
)  # fmt: skip
