r"""Bayesian decision, second session: Gaussian classes in the plane, discriminant functions, frontiers, rejection.

.. math:: \delta_k(x) = -\tfrac12 \log|\Sigma_k| - \tfrac12 (x - \mu_k)^\top \Sigma_k^{-1} (x - \mu_k) + \log P_k.

Two rings share their mean; only their sizes tell them apart, and the frontier is the circle of the course's exercise.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.figures.style import COLOURS, INK, whiskers
from epee.labs.machinery.canvas import panel, relabel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, percent, shown
from epee.labs.sessions.worlds import cloud, cloud_lines, moons, moons_lines, turned
from epee.words.catalogue import Words

WORLDS = {
    "same": Words("clouds of one shape", "nuages de même forme"),
    "differ": Words("clouds of two shapes", "nuages de formes différentes"),
    "rings": Words("two rings", "deux anneaux"),
    "moons": Words("crescents", "croissants"),
    "three": Words("three classes", "trois classes"),
}
MODELS = {
    "lda": Words("linear (LDA)", "linéaire (LDA)"),
    "qda": Words("quadratic (QDA)", "quadratique (QDA)"),
    "nb": Words("naive Gaussian", "gaussien naïf"),
}


def sample(world: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return n points of each class and their labels."""
    rng = np.random.default_rng(seed)
    if world == "moons":
        return moons(2 * n, 0.25, rng)
    if world == "rings":
        angle, size = rng.uniform(0, 2 * np.pi, 2 * n), np.repeat([1.0, 4.0], n) + rng.uniform(-0.1, 0.1, 2 * n)
        return np.sqrt(size)[:, None] * np.c_[np.cos(angle), np.sin(angle)], np.repeat([0, 1], n)
    drawn = [cloud(rng, mean, covariance, n) for mean, covariance in clouds(world)]
    return np.vstack(drawn), np.repeat(np.arange(len(drawn)), n)


def clouds(world: str) -> list[tuple[tuple[float, float], np.ndarray]]:
    """Return the mean and the covariance of each class."""
    wide = turned(1.1, 0.5, 35)
    return {
        "same": [((-1, 0.3), wide), ((0.8, -0.6), wide)],
        "differ": [((-0.8, 0.0), turned(1.3, 0.4, 60)), ((0.9, 0.0), turned(0.9, 0.35, -20))],
        "three": [
            ((-1.4, 0.0), turned(0.9, 0.4, 70)),
            ((1.0, 1.0), turned(0.8, 0.6, 0)),
            ((0.8, -1.2), turned(1.0, 0.4, 20)),
        ],
    }[world]


@lru_cache(maxsize=64)
def fitted(world: str, n: int, seed: int):
    """Return the data and the three models with their errors on 3000 new points."""
    from epee import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, risk

    X, y = sample(world, n, seed)
    new, labels = sample(world, 1500, 10_000)
    models = {"lda": LinearDiscriminantAnalysis(), "qda": QuadraticDiscriminantAnalysis(), "nb": GaussianNB()}
    errors = {}
    for name, model in models.items():
        model.fit(X, y)
        errors[name] = risk.holdout_error(model, new, labels)
    return X, y, models, errors, new, labels


def compute(state: State) -> Results:
    from epee import BayesDecision

    X, y, models, errors, new, labels = fitted(state["world"], int(state["n"]), int(state["draw"]))
    model = models[state["model"]]
    reject = float(state["reject"])
    decision = BayesDecision(model, reject_cost=reject if reject < 1 else None).fit(X, y)
    at = np.array([float(state["at"]), 0.0])
    decided = decision.predict(new)
    rejected = decided == -1 if reject < 1 else np.zeros(len(new), bool)
    wrong = float(np.mean((decided != labels)[~rejected])) if (~rejected).any() else 0.0
    K = np.unique(y)
    mu = np.array([X[y == k].mean(axis=0) for k in K])
    sigma = [np.cov(X[y == k].T, ddof=0) for k in K]
    shapes = {"qda": sigma, "lda": [np.mean(sigma, axis=0)] * len(K), "nb": [np.diag(np.diag(s)) for s in sigma]}[
        state["model"]
    ]
    delta = [
        -0.5 * np.linalg.slogdet(s)[1] - 0.5 * (at - m) @ np.linalg.solve(s, at - m) + np.log(np.mean(y == k))
        for k, (m, s) in enumerate(zip(mu, shapes))
    ]
    var = [float(np.trace(s) / 2) for s in sigma]
    circle = 2 * var[0] * var[1] / (var[1] - var[0]) * np.log(var[1] / var[0]) if state["world"] == "rings" else None
    return Results(
        X=X, y=y, decision=decision, errors=errors, at=at, delta=delta, var=var, circle=circle, rejected=float(rejected.mean()), wrong=wrong,
        proba=model.predict_proba(at[None])[0], model=state["model"], reject=reject,
    )  # fmt: skip


def draw(r: Results, lang: str) -> list:
    from epee.figures.regions import plot_regions

    fr = lang == "fr"
    left = panel()
    plot_regions(r.decision, r.X, r.y, left, points=140, depth=False)
    left.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    relabel(left, {"wrong": "mal classé"} if fr else {})
    left.plot(*r.at, "*", color=INK, ms=14, zorder=6)
    title = "erreur sur 3000 points nouveaux, à 95 %" if fr else "error on 3000 new points, 95 %"
    right = panel(size=(5.4, 2.6), title=title, xlabel="erreur" if fr else "error")
    names = list(r.errors)
    for i, name in enumerate(names):
        e = r.errors[name]
        whiskers(right, e.value, e.low, e.high, i, COLOURS[1] if name == r.model else COLOURS[0])
    right.set_yticks(range(3), [MODELS[k](lang) for k in names])
    right.set_ylim(-0.6, 2.6)
    right.invert_yaxis()
    right.set_xlim(0, None)
    return [left.figure, right.figure]


def formula(r: Results) -> Words:
    values = r",\quad ".join(rf"\delta_{k}(x) = {shown(d)}" for k, d in enumerate(r.delta))
    chances = r",\quad ".join(rf"P(\omega_{k}|x) = {shown(p, 2)}" for k, p in enumerate(r.proba))
    lines = [
        r"\delta_k(x) = -\frac{1}{2}\log|\Sigma_k| - \frac{1}{2}(x - \mu_k)^\top \Sigma_k^{-1} (x - \mu_k) + \log P_k",
        values,
        chances,
    ]
    if r.circle is not None:
        lines.append(
            rf"x^\top x = \frac{{2\,\sigma_0^2 \sigma_1^2}}{{\sigma_1^2 - \sigma_0^2}} \log\frac{{\sigma_1^2}}{{\sigma_0^2}} = {shown(r.circle)}"
        )
    return Words(
        f"At the star, $x = ({shown(r.at[0])},\\ 0)$:\n\n{blocks(*lines)}", f"À l'étoile, $x = ({shown(r.at[0])},\\ 0)$ :\n\n{blocks(*lines)}",
    )  # fmt: skip


def answer(r: Results) -> Words:
    e = {k: percent(v.value) for k, v in r.errors.items()}
    extra_en = (
        f" Rejecting {percent(r.rejected, 0)} % of the points leaves {percent(r.wrong)} % of errors among the others."
        if r.reject < 1
        else ""
    )
    extra_fr = (
        f" En rejetant {percent(r.rejected, 0)} % des points, il reste {percent(r.wrong)} % d'erreurs parmi les autres."
        if r.reject < 1
        else ""
    )
    return Words(
        f"Errors: linear **{e['lda']} %**, quadratic **{e['qda']} %**, naive **{e['nb']} %**.{extra_en}",
        f"Erreurs : linéaire **{e['lda']} %**, quadratique **{e['qda']} %**, naïf **{e['nb']} %**.{extra_fr}",
    )


def code(state: State) -> str:
    t, n, world = in_language(state), int(state["n"]), state["world"]
    if world == "moons":
        body = f"    {moons_lines('2 * m', 0.25)}".replace("\n", "\n    ") + "\n    return X, y"
    elif world == "rings":
        body = """    angle, size = rng.uniform(0, 2 * np.pi, 2 * m), np.repeat([1.0, 4.0], m) + rng.uniform(-0.1, 0.1, 2 * m)
    return np.sqrt(size)[:, None] * np.c_[np.cos(angle), np.sin(angle)], np.repeat([0, 1], m)"""
    else:
        parts = ",\n        ".join(cloud_lines(mean, covariance, "m") for mean, covariance in clouds(world))
        body = f"    clouds = [\n        {parts},\n    ]\n    return np.vstack(clouds), np.repeat(np.arange(len(clouds)), m)"
    name = {"lda": "LinearDiscriminantAnalysis", "qda": "QuadraticDiscriminantAnalysis", "nb": "GaussianNB"}[
        state["model"]
    ]
    return f"""import numpy as np
import epee


def sample(m, seed):
    rng = np.random.default_rng(seed)
{body}


X, y = sample({n}, {int(state["draw"])})
new, labels = sample(1500, 10_000)
model = epee.{name}().fit(X, y)
error = epee.risk.holdout_error(model, new, labels)
print("{t("error on new points", "erreur sur des points nouveaux")}", error)
cautious = epee.BayesDecision(epee.{name}(), reject_cost=0.2).fit(X, y)  # {t("may reject", "peut rejeter")}
print("{t("expected cost with rejection", "coût espéré avec rejet")}", cautious.risk(new, labels))
"""


LAB = Lab(
    id="bayes_two",
    title=Words("Bayesian decision, 2: Gaussian classes", "Décision bayésienne, 2 : classes gaussiennes"),
    question=Words("When is a straight frontier enough?", "Quand une frontière droite suffit-elle ?"),
    story=Words(
        "Each class is taken for a normal cloud. With one shape for all, the frontier is straight; with a shape for each, it is a conic. Where the classes overlap, one may also refuse to decide.",
        "Chaque classe est prise pour un nuage normal. Avec une même forme pour toutes, la frontière est droite ; avec une forme pour chacune, c'est une conique. Là où les classes se recouvrent, on peut aussi rejeter, c'est-à-dire ne pas décider.",
    ),
    controls=(
        Choice("world", Words("world", "monde"), WORLDS, "differ"),
        Choice("model", Words("model", "modèle"), MODELS, "lda"),
        Slider("n", Words("points a class", "points par classe"), [5, 10, 20, 50, 100, 200], 50),
        Slider("reject", Words("cost of not deciding (1: always decide)", "coût d'un rejet (1 : toujours décider)"), [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 1.0], 1.0),
        Slider("at", Words("the star's x₁", "abscisse de l'étoile"), spread(-2, 2, 0.25), 0.0),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 20, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("error", lambda r: r.errors[r.model].value),
    exercises=(
        Pick(
            Words("On the two rings, the linear model errs about…", "Sur les deux anneaux, le modèle linéaire se trompe environ…"),
            {"never": Words("never", "jamais"), "half": Words("every other time", "une fois sur deux"), "tenth": Words("one time in ten", "une fois sur dix")},
            "half",
            Words("Choose that world and look at the means of the two classes.", "Choisir ce monde et regarder les moyennes des deux classes."),
            Words("Right: the two means are the same, so a straight line has nothing to hold on to.", "Juste : les deux moyennes sont égales, une droite n'a rien à quoi se tenir."),
        ),
        Number(
            Words(r"Rings with $\sigma_0^2 = 0.5$ and $\sigma_1^2 = 2$, in $d = 2$ dimensions, equally likely: the frontier is $x^\top x$ = …", r"Anneaux avec $\sigma_0^2 = 0.5$ et $\sigma_1^2 = 2$, en dimension $d = 2$, équiprobables : la frontière est $x^\top x$ = …"),
            lambda r: 2 * 0.5 * 2 / 1.5 * np.log(4),
            Words(r"$\frac{d\,\sigma_0^2 \sigma_1^2}{\sigma_1^2 - \sigma_0^2} \log\frac{\sigma_1^2}{\sigma_0^2}$", r"$\frac{d\,\sigma_0^2 \sigma_1^2}{\sigma_1^2 - \sigma_0^2} \log\frac{\sigma_1^2}{\sigma_0^2}$"),
            Words("Right: between 1 and 4, where the rings are.", "Juste : entre 1 et 4, là où sont les anneaux."),
        ),
        Goal(
            Words("Make the errors among the decided points fall below 2 % without rejecting more than half of them (any world but the rings).", "Faire passer les erreurs parmi les points décidés sous 2 % sans en rejeter plus de la moitié (tous les mondes sauf les anneaux)."),
            lambda r: r.state["world"] != "rings" and 0 < r.rejected <= 0.5 and r.wrong < 0.02,
            Words("Lower the cost of not deciding; and take the model that fits the world.", "Baisser le coût du rejet ; et prendre le modèle qui convient au monde."),
            lambda r: {"world": "differ", "model": "qda", "reject": 0.1, "n": 100},
            Words("Right: one rejects where the largest posterior is below 1 minus the cost of rejection.", "Juste : on rejette là où la plus grande probabilité a posteriori est sous 1 moins le coût du rejet."),
        ),
    ),
)  # fmt: skip
