r"""Hebb against pseudo-inverse, with error bars.

.. math:: w_{Hebb} = \sum_p d^{(p)} x^{(p)}, \qquad w_{PI} = (X X^\top)^* X d.

Learning and generalisation rates as functions of the number of examples; a rate counts Bernoulli trials, so its standard deviation
is :math:`\sqrt{\tau (1 - \tau) / P_{gen}}`, and two classifiers tried on one base are compared by McNemar's test.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.figures.style import COLOURS, INK, QUIET, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.words.catalogue import Words, plural

SIZES = [10, 20, 30, 45, 65, 90, 120, 160, 200]
DRAWS = 10
WORLDS = {
    "38": Words("digits 3 and 8", "chiffres 3 et 8"),
    "17": Words("digits 1 and 7", "chiffres 1 et 7"),
    "clouds": Words("long thin clouds", "nuages allongés"),
}


@lru_cache(maxsize=8)
def population(world: str) -> tuple[np.ndarray, np.ndarray]:
    """Return all the examples, one a row, and their labels -1 and 1."""
    if world == "clouds":
        rng = np.random.default_rng(4)
        y = np.where(np.arange(800) % 2, 1, -1)
        noise = rng.standard_normal((800, 40)) * np.r_[6.0, np.ones(39)]
        shift = np.r_[1.5, 0.9, 0.9, np.zeros(37)]
        return noise + y[:, None] * shift, y
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    a, b = int(world[0]), int(world[1])
    keep = (y == a) | (y == b)
    return X[keep] / 16.0, np.where(y[keep] == b, 1, -1)


@lru_cache(maxsize=1024)
def split(world: str, centred: bool, size: int, draw: int) -> dict[str, tuple]:
    """Return for each method the learning rate, the generalisation rate, and what was right on the other examples."""
    from epee import Hebb, PseudoInverse

    X, y = population(world)
    order = np.random.default_rng(100 * draw + 1).permutation(len(y))
    app, gen = order[:size], order[-150:]
    if len(np.unique(y[app])) < 2:
        app = np.r_[app[:-1], np.flatnonzero(y != y[app[0]])[0]]
    if centred:
        X = X - X[app].mean(axis=0)
    out = {}
    for name, model in (("hebb", Hebb()), ("pi", PseudoInverse())):
        model.fit(X[app], y[app])
        out[name] = (np.mean(model.predict(X[app]) == y[app]), model.predict(X[gen]), y[gen])
    return out


@lru_cache(maxsize=8)
def curves(world: str, centred: bool) -> dict[str, np.ndarray]:
    """Return mean learning and generalisation rates over the draws, and their spread, for each size."""
    tried = [[split(world, centred, s, d) for d in range(DRAWS)] for s in SIZES]
    out = {}
    for name in ("hebb", "pi"):
        rates = np.array(
            [[(t[name][0], np.mean(t[name][1] == t[name][2])) for t in row] for row in tried]
        )  # (sizes, draws, 2)
        out[name] = np.stack([rates.mean(axis=1), rates.std(axis=1, ddof=1)])  # (2, sizes, 2)
    return out


def compute(state: State) -> Results:
    from epee import risk

    world, size, centred = state["world"], int(state["size"]), state["centred"] == "yes"
    here = split(world, centred, size, int(state["draw"]))
    (train_h, right_h, y), (train_p, right_p, _) = here["hebb"], here["pi"]
    h, p = float(np.mean(right_h == y)), float(np.mean(right_p == y))
    test = risk.mcnemar(y, right_h, right_p)
    b, c = int(np.sum((right_h == y) & (right_p != y))), int(np.sum((right_h != y) & (right_p == y)))
    X, _ = population(world)
    return Results(curves=curves(world, centred), size=size, train=(train_h, train_p), h=h, p=p, n=len(y), b=b, c=c, p_value=float(test.p_value), N=int(np.sum(X.std(axis=0) > 0)) + 1,
                   sd_h=np.sqrt(h * (1 - h) / len(y)), sd_p=np.sqrt(p * (1 - p) / len(y)), z=(b - c) / np.sqrt(max(b + c, 1)))  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    names = {"hebb": "Hebb", "pi": "pseudo-inverse"}
    xlabel = "exemples d'apprentissage $P_{app}$" if fr else "training examples $P_{app}$"
    out = []
    for column, title in (
        (1, "taux de généralisation" if fr else "generalisation rate"),
        (0, "taux d'apprentissage" if fr else "learning rate"),
    ):
        ax = panel(size=(5.4, 3.6), xlabel=xlabel, title=title, ylim=(0.45, 1.02))
        for i, name in enumerate(names):
            mean, spread_ = r.curves[name][:, :, column]
            ax.errorbar(
                SIZES, mean, yerr=spread_, fmt="os"[i] + "-", ms=4, capsize=3, color=COLOURS[i], label=names[name]
            )
        ax.axvline(r.size, color=INK, lw=1, ls=":")
        ax.axvline(r.N, color=QUIET, lw=1, label="$P_{app} = N$")
        if column == 1:
            for i, (value, sd) in enumerate(((r.h, r.sd_h), (r.p, r.sd_p))):
                ax.errorbar([r.size], [value], yerr=[2 * sd], fmt="D", ms=7, capsize=5, color=COLOURS[i], mec=INK)
        legend(ax, loc="lower right")
        out.append(ax.figure)
    return out


def formula(r: Results) -> Words:
    lines = blocks(
        rf"\tau_g^{{Hebb}} = {shown(r.h)} \pm \sqrt{{\frac{{{shown(r.h)}\,(1 - {shown(r.h)})}}{{{r.n}}}}} = {shown(r.h)} \pm {shown(r.sd_h, 2)}",
        rf"\tau_g^{{PI}} = {shown(r.p)} \pm {shown(r.sd_p, 2)}",
        rf"z = \frac{{b - c}}{{\sqrt{{b + c}}}} = \frac{{{r.b} - {r.c}}}{{\sqrt{{{r.b} + {r.c}}}}} = {shown(r.z, 2)}",
    )
    return Words(
        f"One draw, judged on $P_{{gen}} = {r.n}$ other examples; $b$ are right for Hebb alone, $c$ for the pseudo-inverse alone:\n\n{lines}",
        f"Un tirage, jugé sur $P_{{gen}} = {r.n}$ autres exemples ; $b$ justes pour Hebb seulement, $c$ pour la pseudo-inverse seulement :\n\n{lines}",
    )


def answer(r: Results) -> Words:
    if r.h == r.p:
        return Words(
            "On this draw both are right **equally often**: nothing is shown.",
            "Sur ce tirage, tous deux ont raison **aussi souvent** : rien n'est montré.",
        )
    first, gap, sure = r.h > r.p, 100 * abs(r.h - r.p), r.p_value < 0.05
    p = f"$p = {shown(r.p_value, 2)}$"
    en = f"**{'Hebb' if first else 'The pseudo-inverse'}** is right more often, by {gap:.1f} points, {p}: "
    fr = f"**{'Hebb' if first else 'La pseudo-inverse'}** a plus souvent raison, de {gap:.1f} {plural(gap, 'point', 'points', 'fr')}, {p} : "
    return Words(
        en + ("**significant** at 5 %." if sure else "this draw **does not show** it."),
        fr + ("**significatif** à 5 %." if sure else "ce tirage **ne le montre pas**."),
    )


def code(state: State) -> str:
    t, world = in_language(state), state["world"]
    if world == "clouds":
        base = """rng = np.random.default_rng(4)
y = np.where(np.arange(800) % 2, 1, -1)
X = rng.standard_normal((800, 40)) * np.r_[6.0, np.ones(39)] + y[:, None] * np.r_[1.5, 0.9, 0.9, np.zeros(37)]"""
    else:
        base = f"""X, y = load_digits(return_X_y=True)
kept = (y == {world[0]}) | (y == {world[1]})
X, y = X[kept] / 16, np.where(y[kept] == {world[1]}, 1, -1)"""
    centred = "X = X - X[learned].mean(axis=0)\n" if state["centred"] == "yes" else ""
    return f"""import numpy as np
from sklearn.datasets import load_digits
import epee

{base}
order = np.random.default_rng({100 * int(state["draw"]) + 1}).permutation(len(y))
learned, others = order[:{int(state["size"])}], order[-150:]  # {t("to learn from, and to judge by", "pour apprendre, et pour juger")}
{centred}hebb, pi = (model.fit(X[learned], y[learned]) for model in (epee.Hebb(), epee.PseudoInverse()))
rates = [np.mean(model.predict(X[others]) == y[others]) for model in (hebb, pi)]
gap = rates[0] - rates[1]
print("{t("generalisation rates of Hebb and of the pseudo-inverse", "taux de généralisation de Hebb et de la pseudo-inverse")}", rates)
print("{t("difference of errors", "écart des erreurs")}", epee.risk.mcnemar(y[others], hebb.predict(X[others]), pi.predict(X[others])))
"""


LAB = Lab(
    id="hebb",
    title=Words("Hebb against pseudo-inverse, with error bars", "Hebb contre pseudo-inverse, avec barres d'erreur"),
    question=Words("When is one classifier significantly better than another?", "Quand un discriminateur est-il significativement meilleur qu'un autre ?"),
    story=Words(
        "Both are linear. Hebb adds up the examples; the pseudo-inverse minimises a criterion. Curves: mean over 10 draws of the training base, with its standard deviation. Diamonds: one draw, with two standard deviations.",
        "Tous deux sont linéaires. Hebb additionne les exemples ; la pseudo-inverse minimise un critère. Courbes : moyenne sur 10 tirages de la base d'apprentissage, avec son écart-type. Losanges : un tirage, avec deux écarts-types.",
    ),
    controls=(
        Choice("world", Words("classes", "classes"), WORLDS, "38"),
        Choice("centred", Words("centre the data", "centrer les données"), {"yes": Words("yes", "oui"), "no": Words("no", "non")}, "yes"),
        Slider("size", Words("training examples", "exemples d'apprentissage"), SIZES, 65),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 9, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("gap", lambda r: r.h - r.p),
    exercises=(
        Number(
            Words("A generalisation rate of 0.9 was found on 100 examples. What is its standard deviation?", "Un taux de généralisation de 0.9 a été trouvé sur 100 exemples. Quel est son écart-type ?"),
            lambda r: 0.03,
            Words(r"$\sqrt{\tau(1 - \tau)/P_{gen}}$", r"$\sqrt{\tau(1 - \tau)/P_{gen}}$"),
            Words("Right: so 0.9 is known to about ± 0.06 at 95 %.", "Juste : 0.9 est donc connu à ± 0.06 près, à 95 %."),
        ),
        Goal(
            Words("Find a case where the **pseudo-inverse** is significantly better, at 5 %.", "Trouver un cas où la **pseudo-inverse** est significativement meilleure, à 5 %."),
            lambda r: r.p > r.h and r.p_value < 0.05,
            Words("Try the long thin clouds with many examples: there one coordinate is mostly noise, and Hebb cannot weigh it down.", "Essayer les nuages allongés avec beaucoup d'exemples : une coordonnée y est surtout du bruit, et Hebb ne sait pas la pondérer."),
            lambda r: {"world": "clouds", "size": 200, "draw": 0},
            Words("Right. Try the other draws: one test in twenty is fooled by chance.", "Juste. Essayer les autres tirages : un test sur vingt est trompé par le hasard."),
        ),
        Pick(
            Words("The pseudo-inverse generalises worst when $P_{app}$ is near…", "La pseudo-inverse généralise le plus mal quand $P_{app}$ est proche de…"),
            {"one": Words("1", "1"), "N": Words("the dimension N (pixels that vary, and the constant)", "la dimension N (pixels qui varient, et la constante)"), "inf": Words("infinity", "l'infini")},
            "N",
            Words("Look at the dip of the orange curve, and at the vertical line.", "Regarder le creux de la courbe orange, et la ligne verticale."),
            Words(r"Right: there $X X^\top$ is just invertible, its smallest eigenvalues are tiny, and noise is multiplied by their inverses.", r"Juste : $X X^\top$ y est tout juste inversible, ses plus petites valeurs propres sont minuscules, et le bruit est multiplié par leurs inverses."),
        ),
    ),
)  # fmt: skip
