r"""Many trees: forests that vote, boosting that corrects.

A forest averages trees grown on samples drawn with replacement, so that variance falls; boosting adds small trees, each fitted to what
the sum so far has missed, :math:`F_{m} = F_{m-1} + \nu\, h_m`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.figures.style import COLOURS, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, percent, shown
from epee.labs.sessions.worlds import made, moons, moons_lines
from epee.words.catalogue import Words, plural

N, TEST = 200, 800
COUNTS = [1, 2, 5, 10, 20, 50]
WAYS = {
    "forest": Words("random forest", "forêt aléatoire"),
    "boosting": Words("boosting", "boosting"),
    "tree": Words("a single tree", "un seul arbre"),
}


def line(way: str, trees: int, depth: int) -> str:
    """Return the constructor of a method."""
    if way == "tree":
        return f"epee.DecisionTreeClassifier(max_depth={depth}, random_state=0)"
    if way == "forest":
        return f"epee.RandomForestClassifier({trees}, max_depth={depth}, random_state=0)"
    return f"epee.HistGradientBoostingClassifier(max_iter={trees}, max_depth={depth}, min_samples_leaf=5, early_stopping=False, random_state=0)"


@lru_cache(maxsize=128)
def learned(way: str, trees: int, depth: int, noise: float, draw: int) -> tuple[object, float, float]:
    """Return the model and its errors on the rows learned from and on others."""
    X, y = moons(N, noise, np.random.default_rng(draw))
    T, u = moons(TEST, noise, np.random.default_rng(1000 + draw))
    model = made(line(way, trees, depth)).fit(X, y)
    return model, float(np.mean(model.predict(X) != y)), float(np.mean(model.predict(T) != u))


def compute(state: State) -> Results:
    trees, depth, noise, d = int(state["trees"]), int(state["depth"]), float(state["noise"]), int(state["draw"])
    model, train, test = learned(state["way"], trees, depth, noise, d)
    X, y = moons(N, noise, np.random.default_rng(d))
    path = (
        [learned(state["way"], m, depth, noise, d)[1:] for m in COUNTS]
        if state["way"] != "tree"
        else [(train, test)] * len(COUNTS)
    )
    return Results(
        X=X,
        y=y,
        model=model,
        train=train,
        test=test,
        path=np.array(path),
        trees=1 if state["way"] == "tree" else trees,
        depth=depth,
    )


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    ax = panel(xlabel="$x_1$", ylabel="$x_2$")
    a, b = np.meshgrid(np.linspace(-1.6, 2.6, 110), np.linspace(-1.3, 1.7, 110))
    p = r.model.predict_proba(np.column_stack([a.ravel(), b.ravel()]))[:, 1].reshape(a.shape)
    ax.contourf(a, b, p, levels=np.linspace(0, 1, 11), cmap="RdBu", alpha=0.4)
    for k in (0, 1):
        ax.plot(*r.X[r.y == k].T, "os"[k], ms=3.5, color=COLOURS[1 - k])
    curve = panel(xlabel="arbres" if fr else "trees", ylabel="taux d'erreur" if fr else "error rate", xscale="log")
    curve.plot(COUNTS, r.path[:, 0], "o-", ms=4, color=COLOURS[0], label="apprentissage" if fr else "training")
    curve.plot(COUNTS, r.path[:, 1], "s-", ms=4, color=COLOURS[1], label="test")
    curve.set_ylim(0)
    legend(curve)
    return [ax.figure, curve.figure]


def formula(r: Results) -> Words:
    what = {
        "tree": r"h(x) = \sum_t c_t\, 1[x \in R_t]",
        "forest": r"P(k | x) = \frac{1}{M} \sum_m P_m(k | x)",
        "boosting": r"F_m(x) = F_{m-1}(x) + \nu\, h_m(x)",
    }[r.state["way"]]
    end = blocks(what, rf"M = {r.trees}, \quad err_{{app}} = {shown(r.train)}, \quad err_{{test}} = {shown(r.test)}")
    return Words(end, end)


def answer(r: Results) -> Words:
    return Words(
        f"With **{r.trees}** {plural(r.trees, 'tree', 'trees', 'en')} the error on new points is **{percent(r.test)} %** ({percent(r.train)} % on those learned from).",
        f"Avec **{r.trees}** {plural(r.trees, 'arbre', 'arbres', 'fr')}, l'erreur sur des points nouveaux est de **{percent(r.test)} %** ({percent(r.train)} % sur ceux qui ont servi).",
    )


def code(state: State) -> str:
    t, noise = in_language(state), float(state["noise"])
    first, second = (moons_lines(n, noise) for n in (N, TEST))
    return f"""import numpy as np
import epee

rng = np.random.default_rng({int(state["draw"])})
{first}
model = {line(state["way"], int(state["trees"]), int(state["depth"]))}.fit(X, y)
rng = np.random.default_rng({1000 + int(state["draw"])})  # {t("new points", "points nouveaux")}
{second}
error = np.mean(model.predict(X) != y)
print("{t("error on new points", "erreur sur des points nouveaux")}", error)
"""


LAB = Lab(
    id="forests",
    title=Words("Boosting and forests", "Boosting et forêts"),
    question=Words("Are many trees better than one?", "Plusieurs arbres valent-ils mieux qu'un ?"),
    story=Words(
        "One deep tree follows every point. A forest averages many of them, each grown on other draws; boosting adds shallow trees that correct each other. One needs deep trees, the other shallow ones: try both.",
        "Un arbre profond suit chaque point. Une forêt en fait la moyenne de beaucoup, chacun poussé sur d'autres tirages ; le boosting ajoute des arbres peu profonds qui se corrigent. L'une veut des arbres profonds, l'autre des arbres bas : essayer les deux.",
    ),
    controls=(
        Slider("trees", Words("trees", "arbres"), COUNTS, 5),
        Choice("way", Words("method", "méthode"), WAYS, "forest"),
        Slider("depth", Words("depth of a tree", "profondeur d'un arbre"), [1, 2, 3, 5, 8, 12], 8),
        Slider("noise", Words("noise", "bruit"), spread(0.1, 0.5, 0.1), 0.3),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 4, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("error", lambda r: r.test),
    exercises=(
        Pick(
            Words("Adding trees to a forest…", "Ajouter des arbres à une forêt…"),
            {"stable": Words("lowers the variance, then changes nothing", "baisse la variance, puis ne change plus rien"), "over": Words("overfits in the end", "finit par sur-apprendre"), "bias": Words("lowers the bias", "baisse le biais")},
            "stable",
            Words("It is a mean of more and more alike things.", "C'est une moyenne de choses semblables, de plus en plus nombreuses."),
        ),
        Goal(
            Words("Make boosting err on no point it learned from.", "Amener le boosting à ne se tromper sur aucun point appris."),
            lambda r: r.state["way"] == "boosting" and r.train == 0,
            Words("More trees, and deeper ones.", "Plus d'arbres, et plus profonds."),
            lambda r: {"way": "boosting", "trees": 50, "depth": 8, "noise": 0.2},
            Words("Right; now look at the other curve.", "Juste ; regarder maintenant l'autre courbe."),
        ),
        Number(
            Words("Predictions of variance 1 with a correlation of 0.2 between any two trees: what is the variance of the mean of very many trees?", "Des prédictions de variance 1, corrélées de 0.2 deux à deux : quelle est la variance de la moyenne de très nombreux arbres ?"),
            lambda r: 0.2,
            Words(r"$\rho + (1 - \rho)/M$", r"$\rho + (1 - \rho)/M$"),
            Words("Right: hence the random choice of columns, which lowers ρ.", "Juste : d'où le choix au hasard des colonnes, qui baisse ρ."),
        ),
    ),
)  # fmt: skip
