r"""Trees and pruning: grow until the leaves are pure, then cut the weakest link, and let cross-validation say how far.

.. math:: R_\alpha(T) = R(T) + \alpha |T|, \qquad \alpha(t) = \frac{R(t) - R(T_t)}{|T_t| - 1}.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.figures.style import COLOURS, INK, legend
from epee.labs.machinery.canvas import panel, relabel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, percent, shown
from epee.labs.sessions.worlds import moons, moons_lines
from epee.words.catalogue import Words, plural

WORLDS = {
    "moons": Words("crescents", "croissants"),
    "stairs": Words("stairs", "escalier"),
    "diagonal": Words("a diagonal", "une diagonale"),
}


def sample(world: str, n: int, noise: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return points and labels; ``noise`` blurs the crescents, or flips that share of the labels."""
    if world == "moons":
        return moons(n, noise, rng)
    X = rng.uniform(0, 1, (n, 2))
    y = (X[:, 1] > X[:, 0]) if world == "diagonal" else (X[:, 1] > np.floor(3 * X[:, 0]) / 3 + 0.1)
    return X, np.where(rng.uniform(size=n) < noise / 2, ~y, y).astype(int)


@lru_cache(maxsize=64)
def grown(world: str, n: int, noise: float, draw: int):
    """Return the sample, the whole tree, and for each subtree of the pruning path its alpha, leaves and errors."""
    from epee import DecisionTreeClassifier

    X, y = sample(world, n, noise, np.random.default_rng(draw))
    new, labels = sample(world, 4000, noise, np.random.default_rng(999))
    path = DecisionTreeClassifier(random_state=0, prune_on="risk", pruning="cv").fit(X, y).pruning_path_
    order = np.arange(len(path.alphas))[::-1]  # from the root to the whole tree
    trees = [
        DecisionTreeClassifier(random_state=0, prune_on="risk", ccp_alpha=float(path.alphas[i]) * (1 + 1e-9)).fit(X, y)
        for i in order
    ]
    train = np.array([np.mean(t.predict(X) != y) for t in trees])
    true = np.array([np.mean(t.predict(new) != labels) for t in trees])
    return X, y, trees, path.n_leaves[order], path.alphas[order], train, true, path.cv[order], path.stderr[order]


def compute(state: State) -> Results:
    X, y, trees, leaves, alphas, train, true, cv, bar = grown(
        state["world"], int(state["n"]), float(state["noise"]), int(state["draw"])
    )
    i = round((len(trees) - 1) * (1 - float(state["cut"]) / 100))  # 0 % cut: the whole tree
    best = int(np.argmin(cv))
    simple = int(np.argmax(cv <= cv[best] + bar[best]))
    return Results(
        X=X,
        y=y,
        tree=trees[i],
        i=i,
        leaves=leaves,
        here=int(leaves[i]),
        alpha=float(alphas[i]),
        train=train,
        true=true,
        cv=cv,
        bar=bar,
        best=best,
        simple=simple,
        n=len(y),
        last=len(trees) - 1,
    )


def draw(r: Results, lang: str) -> list:
    from epee.figures.regions import plot_regions
    from epee.figures.trees import plot_tree

    fr = lang == "fr"
    left = panel(size=(4.8, 4.2))
    plot_regions(r.tree, r.X, r.y, left, points=160, depth=False)
    relabel(left, {"wrong": "mal classé"} if fr else {})
    left.set(xlabel="$x_1$", ylabel="$x_2$", title=f"{r.here} {'feuilles' if fr else 'leaves'}")
    right = panel(
        size=(5.4, 3.4), xlabel="feuilles" if fr else "leaves", ylabel="erreur" if fr else "error", xscale="log"
    )
    right.plot(r.leaves, r.train, "o-", ms=4, color=COLOURS[0], label="apprentissage" if fr else "training")
    right.errorbar(
        r.leaves,
        r.cv,
        yerr=r.bar,
        fmt="D-",
        ms=4,
        capsize=2,
        color=COLOURS[2],
        label="validation croisée" if fr else "cross-validation",
    )
    right.plot(r.leaves, r.true, "s-", ms=4, color=COLOURS[1], label="EPE")
    right.axvline(r.here, color=INK, lw=1, ls=":")
    right.set_xticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
    legend(right)
    tree = panel(size=(5.0, 3.2))
    plot_tree(r.tree.tree_, ["x1", "x2"], lambda node: _leaf(r.tree, node, fr), tree, max_depth=3, digits=2)
    return [left.figure, right.figure, tree.figure]


def _leaf(tree, node: int, fr: bool) -> str:
    return f"{'classe' if fr else 'class'} {int(np.argmax(np.ravel(tree.tree_.value[node])))}"


def formula(r: Results) -> Words:
    cost = r.train[r.i] + r.alpha * r.here
    lines = blocks(
        rf"R_\alpha(T) = R(T) + \alpha\,|T| = {shown(r.train[r.i])} + {shown(r.alpha, 2)} \cdot {r.here} = {shown(cost)}",
        rf"CV = {shown(r.cv[r.i])} \pm {shown(r.bar[r.i], 2)}, \qquad EPE = {shown(r.true[r.i])}",
    )
    return Words(
        "Error and size are paid for together:\n\n" + lines, "L'erreur et la taille se paient ensemble :\n\n" + lines
    )


def answer(r: Results) -> Words:
    here, best, simple = r.here, int(r.leaves[r.best]), int(r.leaves[r.simple])
    train, true = percent(r.train[r.i]), percent(r.true[r.i])
    return Words(
        f"This tree has **{here}** {plural(here, 'leaf', 'leaves', 'en')}; {train} % error on its examples, {true} % on new ones. "
        f"Cross-validation prefers {best} {plural(best, 'leaf', 'leaves', 'en')}; **{simple}** {plural(simple, 'is', 'are', 'en')} within one standard error.",
        f"Cet arbre a **{here}** {plural(here, 'feuille', 'feuilles', 'fr')} ; {train} % d'erreur sur ses exemples, {true} % sur des nouveaux. "
        f"La validation croisée en préfère {best} ; **{simple}** {plural(simple, 'suffit', 'suffisent', 'fr')} à un écart-type près.",
    )


def code(state: State) -> str:
    t, n, noise, world = in_language(state), int(state["n"]), float(state["noise"]), state["world"]
    if world == "moons":
        drawn = moons_lines(n, noise)
    else:
        above = "X[:, 0]" if world == "diagonal" else "np.floor(3 * X[:, 0]) / 3 + 0.1"
        drawn = f"""X = rng.uniform(0, 1, ({n}, 2))
y = X[:, 1] > {above}
y = np.where(rng.uniform(size={n}) < {noise} / 2, ~y, y).astype(int)  # {t("some labels are wrong", "quelques étiquettes sont fausses")}"""
    return f"""import numpy as np
import epee

rng = np.random.default_rng({int(state["draw"])})
{drawn}
path = epee.DecisionTreeClassifier(random_state=0, prune_on="risk", pruning="cv").fit(X, y).pruning_path_
alphas = path.alphas[::-1]  # {t("from the root to the whole tree", "de la racine à l'arbre entier")}
alpha = alphas[round((len(alphas) - 1) * {1 - float(state["cut"]) / 100!r})]
tree = epee.DecisionTreeClassifier(random_state=0, prune_on="risk", ccp_alpha=alpha * (1 + 1e-9)).fit(X, y)
leaves = tree.get_n_leaves()
print(tree.rules())
print("{t("leaves", "feuilles")}", leaves, "{t("training error", "erreur d'apprentissage")}", np.mean(tree.predict(X) != y))
"""


LAB = Lab(
    id="trees",
    title=Words("Trees and pruning", "Arbres et élagage"),
    question=Words("How far should a tree be cut back?", "Jusqu'où élaguer un arbre ?"),
    story=Words("The tree asks one question at a time until every leaf is pure. Then its weakest branches are cut, one after another.",
                "L'arbre pose une question à la fois jusqu'à ce que chaque feuille soit pure. Puis ses branches les plus faibles sont coupées, l'une après l'autre."),
    controls=(
        Slider("cut", Words("pruning (% of the path)", "élagage (% du chemin)"), spread(0, 100, 5), 0),
        Choice("world", Words("world", "monde"), WORLDS, "moons"),
        Slider("noise", Words("noise", "bruit"), [0.05, 0.15, 0.25, 0.35, 0.5], 0.35),
        Slider("n", Words("examples n", "exemples n"), [50, 100, 200, 400], 200),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 10, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("leaves", lambda r: r.here),
    exercises=(
        Goal(Words("Prune to a size that is within one standard error of the best, and not larger than needed (one size of slack).", "Élaguer jusqu'à une taille à moins d'un écart-type de la meilleure, sans garder plus qu'il ne faut (à une taille près)."),
             lambda r: abs(r.i - r.simple) <= 1,
             lambda r: Words(f"Aim at about {int(r.leaves[r.simple])} leaves.", f"Viser environ {int(r.leaves[r.simple])} feuilles."),
             lambda r: {"cut": min(100, 5 * round(100 * (1 - r.simple / max(r.last, 1)) / 5))},
             Words("Right: nothing shows that a larger one is better.", "Juste : rien ne montre qu'un plus grand soit meilleur.")),
        Number(Words("A node errs on 30 examples of 200; its branch of 4 leaves errs on 18. What is its $\\alpha$ (errors as shares of the 200)?", "Un nœud se trompe sur 30 exemples de 200 ; sa branche à 4 feuilles sur 18. Que vaut son $\\alpha$ (erreurs en parts des 200) ?"),
               lambda r: (30 - 18) / 200 / 3, Words("$\\frac{R(t) - R(T_t)}{|T_t| - 1}$", "$\\frac{R(t) - R(T_t)}{|T_t| - 1}$"),
               Words("Right: what each saved leaf costs in errors.", "Juste : ce que coûte en erreurs chaque feuille économisée.")),
        Pick(Words("A tree needs many leaves for the diagonal because…", "Un arbre a besoin de beaucoup de feuilles pour la diagonale parce que…"),
             {"noise": Words("the labels are noisy", "les étiquettes sont bruitées"), "axes": Words("its cuts are parallel to the axes", "ses coupures sont parallèles aux axes"), "few": Words("there are too few examples", "il y a trop peu d'exemples")}, "axes",
             Words("Look at the frontier of the tree in that world.", "Regarder la frontière de l'arbre dans ce monde."),
             Words("Right: it climbs the diagonal by stairs; a linear classifier needs one line.", "Juste : il monte la diagonale par un escalier ; un discriminateur linéaire n'a besoin que d'une droite.")),
    ),
)  # fmt: skip
