r"""The perceptron, for two classes and for many.

.. math:: w \leftarrow w + \eta\, t_n x_n \ \text{ if } \ t_n w^\top x_n \le 0, \qquad
          w_j \leftarrow w_j - \eta x_n,\ w_{t_n} \leftarrow w_{t_n} + \eta x_n.

If a plane separates the classes with margin :math:`\gamma`, at most :math:`(R/\gamma)^2` corrections are made.
"""

from __future__ import annotations

import numpy as np

from epee.figures.style import COLOURS, INK, MARKERS, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.words.catalogue import Words, plural

N = 30  # points of a class
LIMIT = 60  # passes at most


def clouds(classes: int, gap: float, draw: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points around the corners of a polygon of radius ``gap``, class after class, and their classes."""
    rng = np.random.default_rng(draw)
    angle = 2 * np.pi * np.arange(classes) / classes + 0.4
    centres = gap * np.column_stack([np.cos(angle), np.sin(angle)])
    return np.repeat(centres, N, axis=0) + rng.standard_normal((classes * N, 2)), np.repeat(np.arange(classes), N)


def compute(state: State) -> Results:
    from epee import Perceptron

    K, gap, eta = int(state["classes"]), float(state["gap"]), float(state["eta"])
    X, y = clouds(K, gap, int(state["draw"]))
    model = Perceptron(mode=state["mode"], eta0=eta, max_iter=int(state["passes"]), tol=None, random_state=0).fit(X, y)
    wrong, criterion = np.array(model.trace_.errors, dtype=float), np.array(model.trace_.criterion, dtype=float)
    return Results(X=X, y=y, model=model, wrong=wrong, criterion=criterion, K=K, passes=int(model.n_iter_), errors=int(model.errors_),
                   bound=float(model.margin_bound_), separated=bool(model.separated_))  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(xlabel="$x_1$", ylabel="$x_2$")
    low, high = r.X.min(axis=0) - 0.5, r.X.max(axis=0) + 0.5
    a, b = np.meshgrid(np.linspace(low[0], high[0], 160), np.linspace(low[1], high[1], 160))
    regions = r.model.predict(np.column_stack([a.ravel(), b.ravel()])).reshape(a.shape)
    left.contourf(a, b, regions, levels=np.arange(r.K + 1) - 0.5, colors=COLOURS[: r.K], alpha=0.15)
    said = r.model.predict(r.X)
    for k in range(r.K):
        own = r.y == k
        left.plot(*r.X[own].T, MARKERS[k], color=COLOURS[k], ms=4, label=f"classe {k}" if fr else f"class {k}")
    left.plot(*r.X[said != r.y].T, "o", ms=9, mfc="none", mec=INK, label="erreurs" if fr else "errors")
    legend(left, fontsize=8)
    right = panel(xlabel="passes", ylabel="erreurs" if fr else "errors")
    right.plot(
        np.arange(len(r.wrong)), r.wrong, "o-", ms=3, color=COLOURS[1], label="mal classés" if fr else "misclassified"
    )
    twin = right.twinx()
    twin.plot(np.arange(len(r.criterion)), r.criterion, color=COLOURS[0], lw=1.2)
    twin.set_ylabel("critère du perceptron" if fr else "perceptron criterion", color=COLOURS[0])
    legend(right)
    return [left.figure, right.figure]


def formula(r: Results) -> Words:
    rule = (
        r"w \leftarrow w + \eta\, t_n x_n \quad (t_n w^\top x_n \leq 0)" if r.K == 2
        else r"w_j \leftarrow w_j - \eta\, x_n \quad w_{t_n} \leftarrow w_{t_n} + \eta\, x_n"
    )  # fmt: skip
    end = r"E(w) = \sum_{n \in M} -t_n w^\top x_n" if r.K == 2 else r"E(W) = \sum_{n \in M} (w_j - w_{t_n})^\top x_n"
    lines = blocks(rule, rf"{end} = {shown(r.criterion[-1])}, \quad |M| = {int(r.wrong[-1])}")
    return Words(lines, lines)


def answer(r: Results) -> Words:
    if r.separated:
        return Words(
            f"Separated after **{r.passes}** {plural(r.passes, 'pass', 'passes', 'en')}: the theorem allows up to {shown(r.bound, 2)} corrections.",
            f"Séparés après **{r.passes}** {plural(r.passes, 'passe', 'passes', 'fr')} : le théorème permet jusqu'à {shown(r.bound, 2)} corrections.",
        )
    return Words(
        f"**Not separated** in {r.passes} {plural(r.passes, 'pass', 'passes', 'en')}: the best weights on the way make {r.errors} {plural(r.errors, 'error', 'errors', 'en')}, and the rule would go on for ever.",
        f"**Pas séparés** en {r.passes} {plural(r.passes, 'passe', 'passes', 'fr')} : les meilleurs poids en chemin font {r.errors} {plural(r.errors, 'erreur', 'erreurs', 'fr')}, et la règle continuerait sans fin.",
    )


def code(state: State) -> str:
    t, K = in_language(state), int(state["classes"])
    return f"""import warnings

import numpy as np
import epee

warnings.simplefilter("ignore", epee.errors.SearchWarning)
rng = np.random.default_rng({int(state["draw"])})
angle = 2 * np.pi * np.arange({K}) / {K} + 0.4  # {t("centres on a circle", "centres sur un cercle")}
X = np.repeat({float(state["gap"])} * np.column_stack([np.cos(angle), np.sin(angle)]), {N}, axis=0) + rng.standard_normal(({K * N}, 2))
y = np.repeat(np.arange({K}), {N})
model = epee.Perceptron(mode="{state["mode"]}", eta0={float(state["eta"])}, max_iter={int(state["passes"])}, tol=None, random_state=0).fit(X, y)
errors = np.sum(model.predict(X) != y)
print("{t("errors", "erreurs")}", errors, "{t("passes", "passes faites")}", model.n_iter_)
"""


LAB = Lab(
    id="perceptron",
    title=Words("The perceptron, two classes and many", "Le perceptron, deux classes et davantage"),
    question=Words("When does learning by mistakes come to an end?", "Quand l'apprentissage par l'erreur s'arrête-t-il ?"),
    story=Words(
        "Each misclassified point pulls the weights towards itself; with several classes it pushes those of the winner away, too. Move the clouds together and see the errors stop falling.",
        "Chaque point mal classé tire les poids vers lui ; avec plusieurs classes, il repousse aussi ceux de la gagnante. Rapprocher les nuages et voir les erreurs cesser de baisser.",
    ),
    controls=(
        Slider("gap", Words("distance of the clouds", "écartement des nuages"), spread(1.0, 6.0, 0.5), 4.0),
        Slider("classes", Words("classes", "classes"), [2, 3, 4, 5], 3),
        Choice("mode", Words("corrections", "corrections"), {"stochastic": Words("point by point", "point par point"), "batch": Words("all errors at once", "toutes les erreurs à la fois")}, "stochastic"),
        Slider("eta", Words("step η", "pas η"), [0.1, 0.5, 1.0, 2.0], 1.0),
        Slider("passes", Words("passes at most", "passes au plus"), [1, 2, 5, 10, 20, 40, LIMIT], 20),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 9, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code,
    own=("errors", lambda r: float(np.sum(r.model.predict(r.X) != r.y))),
    exercises=(
        Number(
            Words(r"The course's example: $W x = (-1.06,\ -7.14,\ 0.5)$ and the true class is 0. How many rows of $W$ change?", r"L'exemple du cours : $W x = (-1.06,\ -7.14,\ 0.5)$ et la vraie classe est 0. Combien de lignes de $W$ changent ?"),
            lambda r: 2.0,
            Words("Which class wins, and which one should?", "Quelle classe gagne, et laquelle devrait ?"),
            Words("Right: row 2 won and loses $\\eta x$, row 0 gains it.", "Juste : la ligne 2 a gagné et perd $\\eta x$, la ligne 0 le gagne."),
        ),
        Goal(
            Words("Find clouds that no perceptron separates.", "Trouver des nuages qu'aucun perceptron ne sépare."),
            lambda r: not r.separated and r.passes >= 10,
            Words("Bring them together, and let it run for at least ten passes.", "Les rapprocher, et laisser au moins dix passes."),
            lambda r: {"gap": 1.0, "passes": 20},
            Words("Right: points of one class lie among those of another.", "Juste : des points d'une classe sont parmi ceux d'une autre."),
        ),
        Pick(
            Words("The step η is doubled, from zero weights. The frontiers of the stochastic perceptron…", "On double le pas η, en partant de poids nuls. Les frontières du perceptron stochastique…"),
            {"same": Words("are the same", "sont les mêmes"), "faster": Words("move twice as fast", "bougent deux fois plus vite"), "worse": Words("are less sure", "sont moins sûres")},
            "same",
            Words("What happens to all weights, when every correction doubles?", "Que deviennent tous les poids, si chaque correction double ?"),
            Words("Right: all weights double, and a sign does not see it.", "Juste : tous les poids doublent, et un signe ne le voit pas."),
        ),
    ),
)  # fmt: skip
