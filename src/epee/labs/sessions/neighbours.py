r"""Prediction without parameters: the k nearest neighbours.

.. math:: \hat f(x_0) = \frac1k \sum_{i \in V_k(x_0)} y_i \quad\text{(mean: squared loss; median: absolute loss)}.

With :math:`k \to \infty` and :math:`k/n \to 0` it comes to :math:`E[Y \mid X = x_0]`; in many dimensions a neighbourhood is nearly all
of the space, :math:`\ell_p(r) = r^{1/p}`.
"""

from __future__ import annotations

import numpy as np

from epee.figures.style import COLOURS, INK, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.words.catalogue import Words

GRID = np.linspace(0, 1, 301)
SPOILT = 5.0  # how far an outlier lies


def sample(n: int, p: int, wild: float, draw: int) -> tuple[np.ndarray, np.ndarray]:
    """Return n points of the p-cube and noisy values of a wave of the first coordinate, a share of them far off."""
    rng = np.random.default_rng(50 + draw)
    X = rng.random((n, p))
    y = np.sin(2 * np.pi * X[:, 0]) + 0.3 * rng.standard_normal(n)
    return X, np.where(rng.random(n) < wild, y + SPOILT, y)


def along(p: int) -> np.ndarray:
    """Return points that go from side to side of the cube along the first coordinate, through its middle."""
    X = np.full((len(GRID), p), 0.5)
    X[:, 0] = GRID
    return X


def compute(state: State) -> Results:
    from epee import KNeighborsRegressor, edge_length

    n, p, k = int(state["n"]), int(state["p"]), int(state["k"])
    X, y = sample(n, p, float(state["wild"]), int(state["draw"]))
    k = min(k, n)
    ks = [v for v in (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200) if v <= n]
    truth = np.sin(2 * np.pi * GRID)

    def curve(count: int) -> np.ndarray:
        return KNeighborsRegressor(count, statistic=state["statistic"]).fit(X, y).predict(along(p))

    errors = np.array([np.mean((curve(v) - truth) ** 2) for v in ks])
    fit = curve(k)
    return Results(X=X, y=y, fit=fit, truth=truth, k=k, n=n, p=p, ks=ks, errors=errors, error=float(np.mean((fit - truth) ** 2)),
                   edge=float(edge_length(k / n, p)), best=ks[int(np.argmin(errors))])  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(xlabel="$x_1$", ylabel="$y$")
    left.plot(r.X[:, 0], r.y, "o", ms=3, color=COLOURS[0], alpha=0.5)
    left.plot(GRID, r.truth, "--", color=INK, lw=1, label="vraie fonction" if fr else "true function")
    left.plot(GRID, r.fit, color=COLOURS[1], lw=1.8, label=f"{r.k} voisins" if fr else f"{r.k} neighbours")
    left.set_ylim(-2.2, 3.0)
    legend(left)
    right = panel(xlabel="$k$", ylabel="erreur quadratique" if fr else "squared error", xscale="log")
    right.plot(r.ks, r.errors, "o-", ms=4, color=COLOURS[2])
    right.axvline(r.k, color=INK, lw=1, ls=":")
    right.set_ylim(0)
    edge = panel(xlabel="$r$", ylabel=r"$\ell_p(r) = r^{1/p}$")
    part = np.linspace(0, 0.6, 100)
    for d in (1, 2, 3, 10):
        edge.plot(part, part ** (1 / d), color=COLOURS[(1, 2, 3, 10).index(d)], label=f"p = {d}")
    edge.plot(r.k / r.n, r.edge, "*", ms=12, color=INK)
    legend(edge)
    return [left.figure, right.figure, edge.figure]


def formula(r: Results) -> Words:
    name = r"\frac{1}{k} \sum_{i \in V_k} y_i" if r.state["statistic"] == "mean" else r"med\{y_i : i \in V_k\}"
    lines = blocks(
        rf"\hat f(x_0) = {name}, \quad k = {r.k}, \quad n = {r.n}",
        rf"\ell_p(k/n) = ({r.k}/{r.n})^{{1/{r.p}}} = {shown(r.edge)}",
    )
    return Words(lines, lines)


def answer(r: Results) -> Words:
    return Words(
        f"The curve is off by **{shown(r.error)}** on average (squared). A cube that holds {r.k} of {r.n} points spans **{100 * r.edge:.0f} %** of each coordinate. The best $k$ here: {r.best}.",
        f"La courbe s'écarte de **{shown(r.error)}** en moyenne (au carré). Un cube qui tient {r.k} des {r.n} points couvre **{100 * r.edge:.0f} %** de chaque coordonnée. Le meilleur $k$ ici : {r.best}.",
    )


def code(state: State) -> str:
    t, n, p = in_language(state), int(state["n"]), int(state["p"])
    return f"""import numpy as np
import epee

rng = np.random.default_rng({50 + int(state["draw"])})
X = rng.random(({n}, {p}))
y = np.sin(2 * np.pi * X[:, 0]) + 0.3 * rng.standard_normal({n})
y = np.where(rng.random({n}) < {float(state["wild"])}, y + {SPOILT}, y)  # {t("some values are far off", "certaines valeurs sont aberrantes")}
model = epee.KNeighborsRegressor({min(int(state["k"]), n)}, statistic="{state["statistic"]}").fit(X, y)
places = np.full((301, {p}), 0.5)
places[:, 0] = np.linspace(0, 1, 301)
error = np.mean((model.predict(places) - np.sin(2 * np.pi * places[:, 0])) ** 2)
print("{t("squared error", "erreur quadratique")}", error, "{t("edge", "côté")}", epee.edge_length({min(int(state["k"]), n)} / {n}, {p}))
"""


LAB = Lab(
    id="neighbours",
    title=Words("Nearest neighbours", "Plus proches voisins"),
    question=Words("Whom should one ask, and how many of them?", "À qui demander, et à combien ?"),
    story=Words(
        "The prediction is what the $k$ nearest points say: their mean, or their median. Few neighbours follow the noise, many flatten the curve; in many dimensions the nearest points are far away.",
        "La prédiction est ce que disent les $k$ points les plus proches : leur moyenne, ou leur médiane. Peu de voisins suivent le bruit, beaucoup aplatissent la courbe ; en grande dimension, les plus proches sont loin.",
    ),
    controls=(
        Slider("k", Words("neighbours k", "voisins k"), [1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200], 1),
        Slider("n", Words("points n", "points n"), [50, 100, 200, 400, 800], 200),
        Slider("p", Words("dimension p", "dimension p"), [1, 2, 3, 5, 10], 1),
        Choice("statistic", Words("what the neighbours say", "ce que disent les voisins"), {"mean": Words("their mean", "leur moyenne"), "median": Words("their median", "leur médiane")}, "mean"),
        Slider("wild", Words("share of outliers", "part de données aberrantes"), spread(0.0, 0.3, 0.05), 0.0),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 9, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("error", lambda r: r.error),
    exercises=(
        Number(
            Words("In ten dimensions, how long is the edge of a cube that holds 1 % of evenly spread points?", "En dimension dix, quel est le côté d'un cube qui tient 1 % de points répartis uniformément ?"),
            lambda r: 0.01**0.1,
            Words(r"$\ell_{10}(0.01) = 0.01^{1/10}$", r"$\ell_{10}(0.01) = 0.01^{1/10}$"),
            Words("Right: a neighbourhood that is no neighbourhood any more.", "Juste : un voisinage qui n'en est plus un."),
        ),
        Goal(
            Words("With 20 % of outliers, bring the squared error below 0.1.", "Avec 20 % de données aberrantes, ramener l'erreur quadratique sous 0.1."),
            lambda r: abs(float(r.state["wild"]) - 0.2) < 1e-9 and r.error < 0.1,
            Words("A mean is pulled by every outlier. What is not?", "Une moyenne est tirée par chaque donnée aberrante. Qu'est-ce qui ne l'est pas ?"),
            lambda r: {"wild": 0.2, "statistic": "median", "k": 20, "n": 400},
            Words("Right: the median minimises the absolute loss, and asks no outlier.", "Juste : la médiane minimise la perte absolue, et ne demande rien aux données aberrantes."),
        ),
        Pick(
            Words("$k$-nearest neighbours come to the regression function when…", "Les $k$ plus proches voisins tendent vers la fonction de régression quand…"),
            {"both": Words(r"$k$ grows and $k/n$ goes to 0", r"$k$ croît et $k/n$ tend vers 0"), "one": Words("$k = 1$ and $n$ grows", "$k = 1$ et $n$ croît"), "all": Words("$k = n$ grows", "$k = n$ croît")},
            "both",
            Words("The noise must be averaged away, and the neighbourhood must shrink.", "Il faut moyenner le bruit, et que le voisinage rétrécisse."),
        ),
    ),
)  # fmt: skip
