r"""Cross-validation, GCV and AIC: three ways to pay for complexity.

With :math:`d` parameters and training error :math:`err`, GCV is :math:`err / (1 - d/n)^2` and AIC :math:`err + 2\frac dn \hat\sigma^2`:
both are the training error and an estimate of its optimism :math:`2 d \sigma^2 / n`. Leave-one-out needs no formula for the optimism.
"""

from __future__ import annotations

import numpy as np

from epee.figures.style import COLOURS, INK, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.labs.sessions.worlds import nested_polynomials, noisy_wave, wave, wave_lines
from epee.words.catalogue import Words

DEGREES = list(range(11))
GRID = np.linspace(0, 1, 301)
DRAWS = 100


def criteria(x: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Return each criterion for each degree."""
    n, d = len(x), np.array(DEGREES) + 1.0
    fits, leverage, on_grid = nested_polynomials(x, y, DEGREES[-1], GRID)
    residuals = y[:, None] - fits  # (n, degrees)
    err = (residuals**2).mean(axis=0)
    sigma2 = err[-1] * n / (n - d[-1])  # from the largest model, which has the least bias
    return {
        "train": err,
        "loo": ((residuals / (1 - leverage)) ** 2).mean(axis=0),
        "gcv": err / (1 - d / n) ** 2,
        "aic": err + 2 * d / n * sigma2,
        "bic": err + np.log(n) * d / n * sigma2,
        "sigma2": sigma2,
        "true": ((on_grid - wave(GRID)[:, None]) ** 2).mean(axis=0),
    }


def compute(state: State) -> Results:
    n, sigma, degree = int(state["n"]), float(state["sigma"]), int(state["degree"])
    here = criteria(*noisy_wave(n, sigma, int(state["draw"])))
    here["true"] = here["true"] + sigma**2
    votes = {name: np.zeros(len(DEGREES), int) for name in ("loo", "gcv", "aic", "bic")}
    for k in range(DRAWS):
        found = criteria(*noisy_wave(n, sigma, 500 + k))
        for name, vote in votes.items():
            vote[int(np.argmin(found[name]))] += 1
    picks = {name: int(np.argmin(here[name])) for name in (*votes, "true")}
    return Results(**here, votes=votes, picks=picks, degree=degree, n=n, sigma=sigma, d=degree + 1)


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(xlabel="degré" if fr else "degree", ylabel="critère" if fr else "criterion")
    looks = {"train": ("apprentissage" if fr else "training", COLOURS[0]), "loo": ("LOO", COLOURS[2]), "gcv": ("GCV", COLOURS[3]),
             "aic": ("AIC", COLOURS[4]), "bic": ("BIC", COLOURS[5]), "true": ("EPE", COLOURS[1])}  # fmt: skip
    for name, (label, colour) in looks.items():
        left.plot(
            DEGREES, getattr(r, name), "o-" if name != "true" else "s--", ms=3.5, lw=1.4, color=colour, label=label
        )
    left.axvline(r.degree, color=INK, lw=1, ls=":")
    left.set_ylim(0, 1.15 * max(r.true[0], r.loo[0]))
    legend(left, ncols=2)
    title = f"degrés choisis sur {DRAWS} tirages" if fr else f"degrees chosen over {DRAWS} draws"
    right = panel(xlabel="degré" if fr else "degree", ylabel="tirages" if fr else "draws", title=title)
    for i, (name, vote) in enumerate(r.votes.items()):
        right.bar(np.array(DEGREES) + 0.2 * (i - 1.5), vote, 0.2, color=looks[name][1], label=looks[name][0])
    legend(right)
    return [left.figure, right.figure]


def formula(r: Results) -> Words:
    err = r.train[r.degree]
    lines = blocks(
        rf"GCV = \frac{{err}}{{(1 - d/n)^2}} = \frac{{{shown(err)}}}{{(1 - {r.d}/{r.n})^2}} = {shown(r.gcv[r.degree])}",
        rf"AIC = err + 2\,\frac{{d}}{{n}}\,\hat\sigma^2 = {shown(err)} + 2 \cdot \frac{{{r.d}}}{{{r.n}}} \cdot {shown(r.sigma2)} = {shown(r.aic[r.degree])}",
        rf"LOO = {shown(r.loo[r.degree])}, \qquad EPE = {shown(r.true[r.degree])}",
    )
    return Words(
        f"For degree {r.degree}, $d = {r.d}$ parameters:\n\n{lines}",
        f"Pour le degré {r.degree}, $d = {r.d}$ paramètres :\n\n{lines}",
    )


def answer(r: Results) -> Words:
    p = r.picks
    return Words(
        f"Here LOO picks degree **{p['loo']}**, GCV **{p['gcv']}**, AIC **{p['aic']}**, BIC **{p['bic']}**; the truth would pick **{p['true']}**. BIC asks more of each parameter, so it stays simpler.",
        f"Ici LOO choisit le degré **{p['loo']}**, GCV **{p['gcv']}**, AIC **{p['aic']}**, BIC **{p['bic']}** ; la vérité choisirait **{p['true']}**. BIC fait payer plus cher chaque paramètre, il reste donc plus simple.",
    )


def code(state: State) -> str:
    t, degree = in_language(state), int(state["degree"])
    spread_ = t("one at random in each nth of the interval", "un au hasard dans chaque n-ième de l'intervalle")
    return f"""import numpy as np
import epee

{wave_lines(int(state["n"]), float(state["sigma"]), int(state["draw"]), spread_)}
n, degrees = len(x), {DEGREES}
models = [epee.PolynomialRegression(d).fit(x[:, None], y) for d in degrees]
err = np.array([np.mean((y - model.predict(x[:, None])) ** 2) for model in models])
d = np.array(degrees) + 1  # {t("parameters", "paramètres")}
sigma2 = err[-1] * n / (n - d[-1])  # {t("noise, from the largest model", "bruit, d'après le plus grand modèle")}
criteria = {{
    "LOO": np.array([epee.risk.loo(model, x[:, None], y).value for model in models]),
    "GCV": err / (1 - d / n) ** 2,
    "AIC": err + 2 * d / n * sigma2,
    "BIC": err + np.log(n) * d / n * sigma2,
}}
for name, values in criteria.items():
    print(name, "{t("chooses degree", "choisit le degré")}", values.argmin())
bic = criteria["BIC"][{degree}]
print("{t("BIC of degree", "BIC du degré")} {degree}:", bic)
"""


LAB = Lab(
    id="criteria",
    title=Words("Cross-validation, GCV, AIC", "Validation croisée, GCV, AIC"),
    question=Words("Do the criteria choose the same complexity?", "Les critères choisissent-ils la même complexité ?"),
    story=Words(
        "Each criterion corrects the training error for its optimism, without new data. Left: the curves for one sample. Right: what each would choose over many samples.",
        "Chaque critère corrige l'optimisme de l'erreur d'apprentissage, sans nouvelles données. À gauche : les courbes pour un échantillon. À droite : ce que chacun choisirait sur de nombreux échantillons.",
    ),
    controls=(
        Slider("degree", Words("degree", "degré"), DEGREES, 5),
        Slider("n", Words("examples n", "exemples n"), [16, 20, 30, 50, 100, 200, 400], 30),
        Slider("sigma", Words("noise σ", "bruit σ"), spread(0.1, 0.9, 0.1), 0.4),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 20, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("bic", lambda r: r.bic[r.degree]),
    exercises=(
        Number(
            lambda r: Words(
                f"The training error is {shown(r.train[r.degree], 4)} with $d = {r.d}$ and $n = {r.n}$. Compute GCV.",
                f"L'erreur d'apprentissage est {shown(r.train[r.degree], 4)} avec $d = {r.d}$ et $n = {r.n}$. Calculer GCV.",
            ),
            lambda r: r.gcv[r.degree],
            Words("Divide the error by the square of $1 - d/n$.", "Diviser l'erreur par le carré de $1 - d/n$."),
            Words("Right.", "Juste."),
        ),
        Pick(
            Words("When n is very large, GCV and AIC…", "Quand n est très grand, GCV et AIC…"),
            {"same": Words("become the same", "se confondent"), "far": Words("move apart", "s'éloignent"), "zero": Words("both go to 0", "tendent tous deux vers 0")},
            "same",
            Words(r"Expand $(1 - d/n)^{-2} \approx 1 + 2d/n$.", r"Développer $(1 - d/n)^{-2} \approx 1 + 2d/n$."),
            Words(r"Right: $GCV \approx err + 2 \frac dn\, err$, and $err$ is then an estimate of $\sigma^2$.".replace(r"\frac dn", r"\frac{d}{n}"),
                  r"Juste : $GCV \approx err + 2 \frac{d}{n}\, err$, et $err$ estime alors $\sigma^2$."),
        ),
        Goal(
            Words("Find settings for which BIC chooses the same degree in at least 90 of the 100 draws.", "Trouver des réglages pour lesquels BIC choisit le même degré dans au moins 90 des 100 tirages."),
            lambda r: r.votes["bic"].max() >= 90,
            Words("Less noise, more examples.", "Moins de bruit, plus d'exemples."),
            lambda r: {"n": 100, "sigma": 0.1},
            Words("Right; and AIC still spreads: however many examples, it now and then pays for a useless parameter.", "Juste ; et AIC s'étale encore : quel que soit le nombre d'exemples, il paie parfois un paramètre inutile."),
        ),
    ),
)  # fmt: skip
