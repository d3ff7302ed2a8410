r"""Bernoulli naive Bayes on handwritten digits.

Pixels are made black or white; each class has a probability for each pixel, the mean image of the class,
:math:`p_{kd} = \frac1{n_k} \sum_{y_n = k} x_{nd}`, and the digit is

.. math:: k^* = \arg\max_k \sum_d \big[x_d \log(p_{kd} + \varepsilon) + (1 - x_d) \log(1 - p_{kd} + \varepsilon)\big] + \log \pi_k.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.figures.style import COLOURS
from epee.labs.machinery.canvas import image, panel, panels
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, percent, shown
from epee.words.catalogue import Words

EPSILONS = {-12: "1e-12", -8: "1e-8", -4: "1e-4", -2: "0.01", -1: "0.1"}


@lru_cache(maxsize=1)
def digits() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


def compute(state: State) -> Results:
    from epee import BernoulliNB, risk

    X, y = digits()
    level, n, share = float(state["level"]), int(state["n"]), float(state["ones"])
    B = (level < X).astype(float)
    train = np.arange(900)
    if share > 0:  # a base with too many ones
        ones = train[y[train] == 1]
        others = train[y[train] != 1]
        many = min(int(share * n), len(ones) * 8)
        train = np.r_[np.resize(ones, many), others[: n - many]]
    else:
        train = train[:n]
    equal = state["prior"] == "equal"
    classes = np.unique(y[train])
    prior = np.full(len(classes), 1 / len(classes)) if equal else None
    model = BernoulliNB(epsilon=10.0 ** int(state["epsilon"]), binarize=None, class_prior=prior).fit(B[train], y[train])
    test = slice(900, None)
    error = risk.holdout_error(model, B[test], y[test])
    means = np.array([B[train][y[train] == k].mean(axis=0) for k in classes])  # (K, D)
    k = 900 + int(state["which"])
    proba = model.predict_proba(B[k : k + 1])[0]
    zeros = int(np.sum(means == 0) + np.sum(means == 1))
    return Results(error=error, means=means, proba=proba, classes=classes, picture=B[k], raw=X[k], truth=int(y[k]), decided=int(classes[np.argmax(proba)]),
                   zeros=zeros, n=n, n_test=len(y) - 900, level=level, pi=float(np.exp(model.class_log_prior_[list(classes).index(1)])) if 1 in classes else 0.0)  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    grid = panels(2, 5, size=(5.4, 2.7))
    for ax, k, mean in zip(grid.flat, r.classes, r.means):
        image(ax, mean.reshape(8, 8), f"{k}", cmap="gray_r", vmin=0, vmax=1)
    for ax in grid.flat[len(r.classes) :]:
        ax.set_axis_off()
    two = panels(1, 2, size=(5.4, 2.5))
    image(two[0, 0], r.raw.reshape(8, 8), (f"un {r.truth}" if fr else f"a {r.truth}"), cmap="gray_r")
    image(two[0, 1], r.picture.reshape(8, 8), "binarisé" if fr else "binarised", cmap="gray_r")
    bars = panel(size=(5.4, 2.5), xlabel="chiffre" if fr else "digit", ylabel="$P(k\\,|\\,x)$", ylim=(0, 1.05))
    bars.bar(r.classes, r.proba, color=[COLOURS[2] if k == r.truth else COLOURS[0] for k in r.classes])
    bars.set_xticks(range(10))
    return [grid.flat[0].figure, two.flat[0].figure, bars.figure]


def formula(r: Results) -> Words:
    lines = blocks(
        r"p_{kd} = \frac{1}{n_k}\sum_{n:\,y_n = k} x_{nd}, \qquad \pi_1 = " + shown(r.pi),
        r"k^* = \arg\max_k \sum_{d=1}^{64} [x_d \log(p_{kd} + \varepsilon) + (1 - x_d)\log(1 - p_{kd} + \varepsilon)] + \log\pi_k",
        rf"k^* = {r.decided}, \qquad P(k^*|x) = {shown(float(r.proba.max()))}",
    )
    return Words(
        f"Learning is counting; {r.zeros} of the {r.means.size} frequencies are exactly 0 or 1, which is why $\\varepsilon$ is there:\n\n{lines}",
        f"Apprendre, c'est compter ; {r.zeros} des {r.means.size} fréquences valent exactement 0 ou 1, d'où le $\\varepsilon$ :\n\n{lines}",
    )


def answer(r: Results) -> Words:
    e = r.error
    return Words(
        f"Error on {r.n_test} new digits: **{percent(e.value)} %**, between {percent(e.low)} and {percent(e.high)} % at 95 %. This one is a {r.truth}, taken for a **{r.decided}**.",
        f"Erreur sur {r.n_test} chiffres nouveaux : **{percent(e.value)} %**, entre {percent(e.low)} et {percent(e.high)} % à 95 %. Celui-ci est un {r.truth}, pris pour un **{r.decided}**.",
    )


def code(state: State) -> str:
    t, n, share = in_language(state), int(state["n"]), float(state["ones"])
    chosen = f"learned = np.arange({n})"
    if share > 0:
        chosen = f"""ones, rest = np.flatnonzero(y[:900] == 1), np.flatnonzero(y[:900] != 1)
many = min(int({share} * {n}), 8 * len(ones))  # {t("too many ones", "trop de uns")}
learned = np.r_[np.resize(ones, many), rest[: {n} - many]]"""
    equal = state["prior"] == "equal"
    prior = "K = len(np.unique(y[learned]))\n" if equal else ""
    given = ", class_prior=np.full(K, 1 / K)" if equal else ""
    return f"""import numpy as np
from sklearn.datasets import load_digits
import epee

X, y = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(y))
X, y = (X[order] > {float(state["level"])}).astype(float), y[order]  # {t("black and white", "en noir et blanc")}
{chosen}
{prior}model = epee.BernoulliNB(epsilon=1e{int(state["epsilon"])}, binarize=None{given}).fit(X[learned], y[learned])
error = epee.risk.holdout_error(model, X[900:], y[900:])
print("{t("error on new digits", "erreur sur des chiffres nouveaux")}", error)
print(model.predict_proba(X[900:901]).round(3))
"""


LAB = Lab(
    id="naive_bayes",
    title=Words("Naive Bayes on digits", "Modèle bayésien naïf sur des chiffres"),
    question=Words("How far does one get by counting pixels?", "Jusqu'où va-t-on en comptant des pixels ?"),
    story=Words(
        "Each pixel is black or white and, given the digit, independent of the others: plainly false, and yet. The mean images of the classes are all that is learned.",
        "Chaque pixel est noir ou blanc et, sachant le chiffre, indépendant des autres : c'est faux, et pourtant. Les images moyennes des classes sont tout ce qui est appris.",
    ),
    controls=(
        Slider("level", Words("black above (0 to 16)", "noir au-dessus de (0 à 16)"), spread(0, 15, 1), 4),
        Slider("n", Words("training digits", "chiffres d'apprentissage"), [30, 60, 100, 200, 400, 600, 900], 200),
        Slider("epsilon", Words("ε = 10 to the power", "ε = 10 puissance"), list(EPSILONS), -8),
        Slider("ones", Words("share of ones in the base (0: as it is)", "part de uns dans la base (0 : telle quelle)"), [0.0, 0.3, 0.5, 0.7, 0.9], 0.0),
        Choice("prior", Words("prior", "a priori"), {"learned": Words("learned", "appris"), "equal": Words("equal", "égal")}, "learned"),
        Slider("which", Words("which digit to look at", "quel chiffre regarder"), spread(0, 60, 1), 5),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("error", lambda r: r.error.value),
    exercises=(
        Pick(
            Words("A pixel was never black in the training sevens, and is black in a new one. Without ε, the probability that it is a 7 is…", "Un pixel n'a jamais été noir dans les sept d'apprentissage, et l'est dans un nouveau. Sans ε, la probabilité que ce soit un 7 vaut…"),
            {"zero": Words("exactly 0, whatever the other pixels", "exactement 0, quels que soient les autres pixels"), "small": Words("a little smaller", "un peu plus petite"), "same": Words("unchanged", "inchangée")},
            "zero",
            Words("One factor of the product is $p_{kd} = 0$.", "Un facteur du produit est $p_{kd} = 0$."),
            Words("Right: one pixel would have a veto.", "Juste : un seul pixel aurait un droit de veto."),
        ),
        Goal(
            Words("Bring the error on new digits below 11 %.", "Ramener l'erreur sur les chiffres nouveaux sous 11 %."),
            lambda r: r.error.value < 0.11,
            Words("More training digits; and try levels near the middle.", "Plus de chiffres d'apprentissage ; et essayer des niveaux vers le milieu."),
            lambda r: {"n": 900, "level": 6, "epsilon": -4, "ones": 0.0},
            Words("Right. Where to cut grey into black and white is a hyper-parameter like any other.", "Juste. Le seuil entre noir et blanc est un hyperparamètre comme un autre."),
        ),
        Number(
            Words("A base has 70 % of ones. New digits are evenly spread over ten classes. Which prior should class 1 have?", "Une base contient 70 % de uns. Les nouveaux chiffres sont également répartis entre dix classes. Quelle probabilité a priori donner à la classe 1 ?"),
            lambda r: 0.1,
            Words("The prior speaks of the digits to come, not of the base.", "L'a priori parle des chiffres à venir, et non de la base."),
            Words("Right: the class images stay, only $\\pi_k$ changes.", "Juste : les images des classes restent, seul $\\pi_k$ change."),
        ),
    ),
)  # fmt: skip
