r"""Generalisation error and cross-validation.

Training error, the expected prediction error (known here, because the world is simulated), K-fold cross-validation with its error bar,
and leave-one-out from one fit: :math:`\frac1n \sum_i \big(\frac{y_i - \hat y_i}{1 - H_{ii}}\big)^2`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.figures.style import COLOURS, INK, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.labs.sessions.worlds import nested_polynomials, noisy_wave, wave, wave_lines
from epee.words.catalogue import Words

DEGREES = list(range(11))
GRID = np.linspace(0, 1, 301)


@lru_cache(maxsize=128)
def curves(n: int, sigma: float, draw: int, folds: str) -> Results:
    """Return the errors of all degrees for one sample; the slider of the degree only moves over them."""
    from epee import PolynomialRegression, risk

    x, y = noisy_wave(n, sigma, draw)
    fits, leverage, on_grid = nested_polynomials(x, y, DEGREES[-1], GRID)
    residuals = y[:, None] - fits  # (n, degrees)
    errors = (residuals / (1 - leverage)) ** 2  # of each point by the curve that was fitted without it
    if folds == "loo":
        cv, bar = errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(n)
    else:
        curve = risk.complexity_curve(
            PolynomialRegression(), x[:, None], y, "degree", DEGREES, folds=int(folds), random_state=0
        )
        cv, bar = curve.cv, curve.stderr
    true = sigma**2 + ((on_grid - wave(GRID)[:, None]) ** 2).mean(axis=0)
    return Results(x=x, y=y, n=n, fits=on_grid, leverages=leverage, loos=errors.mean(axis=0), cv=cv, bar=bar, true=true,
                   train=(residuals**2).mean(axis=0))  # fmt: skip


def compute(state: State) -> Results:
    r = Results(**vars(curves(int(state["n"]), float(state["sigma"]), int(state["draw"]), state["folds"])))
    r.degree = int(state["degree"])
    r.fit, r.leverage, r.loo = r.fits[:, r.degree], r.leverages[:, r.degree], float(r.loos[r.degree])
    r.best_cv, r.best_true = int(np.argmin(r.cv)), int(np.argmin(r.true))
    r.simple = next(d for d in DEGREES if r.cv[d] <= r.cv.min() + r.bar[r.best_cv])
    return r


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(xlabel="$x$", ylabel="$y$", ylim=(-2.2, 2.8))
    left.plot(GRID, wave(GRID), color=INK, lw=1, ls="--", label="vraie courbe" if fr else "true curve")
    left.plot(GRID, r.fit, color=COLOURS[1], lw=2, label=f"{'degré' if fr else 'degree'} {r.degree}")
    left.scatter(
        r.x,
        r.y,
        s=15 + 160 * r.leverage,
        color=COLOURS[0],
        alpha=0.75,
        label="exemples (taille : $H_{ii}$)" if fr else "examples (size: $H_{ii}$)",
    )
    legend(left)
    right = panel(xlabel="degré" if fr else "degree", ylabel="erreur quadratique" if fr else "squared error")
    right.plot(DEGREES, r.train, "o-", color=COLOURS[0], ms=4, label="apprentissage" if fr else "training")
    right.errorbar(
        DEGREES,
        r.cv,
        yerr=r.bar,
        fmt="D-",
        color=COLOURS[2],
        ms=4,
        capsize=3,
        label="validation croisée ± 1 e.s." if fr else "cross-validation ± 1 s.e.",
    )
    right.plot(DEGREES, r.true, "s-", color=COLOURS[1], ms=4, label="espérée (EPE)" if fr else "expected (EPE)")
    right.axvline(r.degree, color=INK, lw=1, ls=":")
    right.set_ylim(0, min(3 * r.true.min() + r.true[0], np.nanmax(r.cv) * 1.3))
    legend(right, loc="upper center")
    return [left.figure, right.figure]


def formula(r: Results) -> Words:
    i = int(np.argmax(r.leverage))
    lines = blocks(
        rf"CV_{{LOO}} = \frac{{1}}{{n}}\sum_{{i=1}}^{{{r.n}}} \left(\frac{{y_i - \hat y_i}}{{1 - H_{{ii}}}}\right)^2 = {shown(r.loo)}",
        rf"R_{{emp}} = {shown(r.train[r.degree])}, \quad CV = {shown(r.cv[r.degree])} \pm {shown(r.bar[r.degree], 2)}, \quad EPE = {shown(r.true[r.degree])}",
    )
    return Words(
        f"Leave-one-out needs one fit only; the point with the largest leverage here has $H_{{ii}} = {shown(r.leverage[i])}$:\n\n{lines}",
        f"Le « leave-one-out » ne demande qu'un seul ajustement ; le point de plus grand levier a ici $H_{{ii}} = {shown(r.leverage[i])}$ :\n\n{lines}",
    )


def answer(r: Results) -> Words:
    return Words(
        f"Cross-validation picks degree **{r.best_cv}**; the truth would pick **{r.best_true}**. The simplest degree within one standard error of the best is **{r.simple}**.",
        f"La validation croisée choisit le degré **{r.best_cv}** ; la vérité choisirait **{r.best_true}**. Le degré le plus simple à moins d'un écart-type du meilleur est **{r.simple}**.",
    )


def code(state: State) -> str:
    t, degree = in_language(state), int(state["degree"])
    spread_ = t("one at random in each nth of the interval", "un au hasard dans chaque n-ième de l'intervalle")
    if state["folds"] == "loo":
        judged = f"cv = epee.risk.loo(epee.PolynomialRegression({degree}), x[:, None], y).value"
    else:
        judged = f"""curve = epee.risk.complexity_curve(
    epee.PolynomialRegression(), x[:, None], y, "degree", {DEGREES}, folds={int(state["folds"])}, random_state=0
)
cv = curve.cv[{degree}]
print("{t("simplest degree within one standard error", "degré le plus simple à un écart-type près")}", curve.chosen)"""
    return f"""import numpy as np
import epee

{wave_lines(int(state["n"]), float(state["sigma"]), int(state["draw"]), spread_)}
{judged}
print("{t("cross-validated error of degree", "erreur de validation croisée du degré")} {degree}:", cv)
"""


LAB = Lab(
    id="generalisation",
    title=Words("Generalisation error and cross-validation", "Erreur de généralisation et validation croisée"),
    question=Words("Can one see the expected error without new data?", "Peut-on voir l'erreur espérée sans nouvelles données ?"),
    story=Words(
        "Each part of the data is predicted by a curve that was fitted without it. The green curve uses the examples alone; the orange one knows the truth.",
        "Chaque partie des données est prédite par une courbe ajustée sans elle. La courbe verte n'utilise que les exemples ; l'orange connaît la vérité.",
    ),
    controls=(
        Slider("degree", Words("degree", "degré"), DEGREES, 6),
        Choice("folds", Words("folds", "plis"), {"5": Words("5", "5"), "10": Words("10", "10"), "loo": Words("leave-one-out", "leave-one-out")}, "10"),
        Slider("n", Words("examples n", "exemples n"), [20, 30, 40, 60, 100, 200, 500], 40),
        Slider("sigma", Words("noise σ", "bruit σ"), spread(0.1, 0.9, 0.1), 0.4),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 20, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("cv", lambda r: r.cv[r.degree]),
    exercises=(
        Number(
            lambda r: Words(
                f"A residual is 0.3 at a point with $H_{{ii}} = {shown(r.leverage[0], 2)}$. How large is the error there when the point is left out?",
                f"Un résidu vaut 0.3 en un point où $H_{{ii}} = {shown(r.leverage[0], 2)}$. Combien vaut l'erreur en ce point quand on le retire ?",
            ),
            lambda r: 0.3 / (1 - float(shown(r.leverage[0], 2))),
            Words("Divide the residual by $1 - H_{ii}$.", "Diviser le résidu par $1 - H_{ii}$."),
            Words("Right: a point that pulls the curve to itself is judged more severely.", "Juste : un point qui attire la courbe à lui est jugé plus sévèrement."),
        ),
        Goal(
            Words("Set the simplest degree whose cross-validated error is within one standard error of the smallest.", "Régler le degré le plus simple dont l'erreur de validation croisée est à moins d'un écart-type de la plus petite."),
            lambda r: r.degree == r.simple,
            lambda r: Words(f"The smallest is at degree {r.best_cv}. From the top of its bar, go left as long as the points stay below.", f"La plus petite est au degré {r.best_cv}. Partir du haut de sa barre et aller vers la gauche tant que les points restent dessous."),
            lambda r: {"degree": r.simple},
            Words("Right: nothing here shows that a more complex one is better.", "Juste : rien ici ne montre qu'un plus complexe soit meilleur."),
        ),
        Pick(
            Words("With K folds, the curves are fitted on fewer examples than we have. So cross-validation tends to be…", "Avec K plis, les courbes sont ajustées sur moins d'exemples qu'on n'en a. La validation croisée tend donc à être…"),
            {"low": Words("optimistic", "optimiste"), "high": Words("a little pessimistic", "un peu pessimiste"), "none": Words("exactly right", "exactement juste")},
            "high",
            Words("Does a predictor get better or worse with fewer examples?", "Un prédicteur est-il meilleur ou moins bon avec moins d'exemples ?"),
            Words("Right; less so with 10 folds than with 2, and hardly with leave-one-out.", "Juste ; moins avec 10 plis qu'avec 2, et presque pas avec le « leave-one-out »."),
        ),
    ),
)  # fmt: skip
