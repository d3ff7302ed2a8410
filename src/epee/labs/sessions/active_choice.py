r"""Bias, correlation and the active choice of inputs.

With inputs in the rows of :math:`X` and noise of variance :math:`\sigma^2`, least squares has no bias and the covariance
:math:`\sigma^2 (X^\top X)^{-1}`: how well a line will be known depends on where one measures, and that is known before measuring.
Correlated columns (here: inputs far from zero, or close together) make the coefficients trade against each other.
"""

from __future__ import annotations

import numpy as np

from epee.figures.style import COLOURS, INK, QUIET, band, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.words.catalogue import Words

TRUE = np.array([1.0, 0.5])
GRID = np.linspace(-1, 3, 81)
LOW, HIGH = 0.0, 2.0  # where one may measure
PLANS = {
    "near": Words("close together", "serrées"),
    "random": Words("at random", "au hasard"),
    "even": Words("evenly", "régulières"),
    "active": Words("active choice", "choix actif"),
}


def inputs(plan: str, n: int) -> np.ndarray:
    """Return where to measure."""
    from epee import design

    if plan == "near":
        return np.linspace(0.8, 1.2, n)
    if plan == "random":
        return np.sort(np.random.default_rng(3).uniform(LOW, HIGH, n))
    if plan == "even":
        return np.linspace(LOW, HIGH, n)
    candidates = np.linspace(LOW, HIGH, 41)
    x = [0.95, 1.05]  # two first measurements, then always where the prediction is least known
    while len(x) < n:
        rows = np.c_[np.ones(len(x)), x]
        x.append(candidates[design.choose_next(rows, np.c_[np.ones(41), candidates])])
    return np.array(x)


def compute(state: State) -> Results:
    from epee import design

    n, sigma = int(state["n"]), float(state["sigma"])
    x = inputs(state["plan"], n)
    X = np.c_[np.ones(n), x]  # (n, 2)
    inverse = np.linalg.solve(X.T @ X, np.eye(2))
    covariance = sigma**2 * inverse
    rng = np.random.default_rng(int(state["draw"]))
    Y = X @ TRUE + sigma * rng.standard_normal((400, n))  # (400, n)
    betas = Y @ X @ inverse  # (400, 2)
    at = float(state["at"])
    variance = design.prediction_variance(X, np.c_[np.ones(len(GRID)), GRID], sigma2=sigma**2)
    here = design.prediction_variance(X, np.array([1.0, at]), sigma2=sigma**2)
    rho = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    return Results(
        x=x, Y=Y, betas=betas, covariance=covariance, rho=rho, variance=variance, here=here, at=at, n=n, sigma=sigma
    )


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(xlabel="$x$", ylabel="$y$", xlim=(-1, 3), ylim=(-2.5, 5))
    lines = r.betas[:40, :1] + r.betas[:40, 1:] * GRID
    left.plot(GRID, lines.T, color=COLOURS[0], lw=0.5, alpha=0.35)
    mean, half = TRUE[0] + TRUE[1] * GRID, 2 * np.sqrt(r.variance)
    band(left, GRID, mean - half, mean + half, COLOURS[1])
    left.plot(
        GRID,
        mean,
        color=INK,
        lw=1,
        ls="--",
        label="vraie droite, ± 2 écarts-types" if fr else "true line, ± 2 standard deviations",
    )
    left.plot(r.x, r.Y[0], "o", color=COLOURS[1], ms=5, label="un jeu de mesures" if fr else "one set of measurements")
    left.plot(r.x, np.full(r.n, -2.35), "|", color=INK, ms=9)
    left.axvline(r.at, color=QUIET, ls=":")
    legend(left, loc="upper left")
    right = panel(xlabel=r"$\hat\beta_0$", ylabel=r"$\hat\beta_1$", xlim=(-1.5, 3.5), ylim=(-2, 3))
    right.plot(
        *r.betas.T,
        ".",
        color=COLOURS[0],
        ms=4,
        alpha=0.5,
        label="400 jeux de mesures" if fr else "400 sets of measurements",
    )
    t = np.linspace(0, 2 * np.pi, 100)
    ellipse = TRUE[:, None] + np.sqrt(5.99) * np.linalg.cholesky(r.covariance) @ [np.cos(t), np.sin(t)]
    right.plot(*ellipse, color=COLOURS[1], lw=1.8, label="95 %")
    right.plot(*TRUE, "*", color=INK, ms=12, label="vérité" if fr else "truth")
    legend(right)
    return [left.figure, right.figure]


def formula(r: Results) -> Words:
    c = r.covariance
    lines = blocks(
        rf"Cov(\hat\beta) = \sigma^2 (X^\top X)^{{-1}}: \quad Var(\hat\beta_0) = {shown(c[0, 0])}, \quad Var(\hat\beta_1) = {shown(c[1, 1])}, \quad \rho = {shown(r.rho, 2)}",
        rf"Var(\hat y({shown(r.at)})) = \sigma^2 x_0^\top (X^\top X)^{{-1}} x_0 = {shown(r.here)} = {shown(np.sqrt(r.here))}^2",
    )
    return Words("Known before any value is measured:\n\n" + lines, "Connu avant la moindre mesure :\n\n" + lines)


def answer(r: Results) -> Words:
    sd = shown(np.sqrt(r.here))
    return Words(
        f"With this plan the line will be known to ± **{sd}** at $x_0 = {shown(r.at)}$, and the two coefficients are correlated by **{shown(r.rho, 2)}**. "
        "On average over the sets of measurements, they are right: no bias.",
        f"Avec ce plan, la droite sera connue à ± **{sd}** près en $x_0 = {shown(r.at)}$, et les deux coefficients sont corrélés à **{shown(r.rho, 2)}**. "
        "En moyenne sur les jeux de mesures, ils sont justes : pas de biais.",
    )


def code(state: State) -> str:
    t, n = in_language(state), int(state["n"])
    chosen = {
        "near": f"x = np.linspace(0.8, 1.2, {n})",
        "random": f"x = np.sort(np.random.default_rng(3).uniform({LOW}, {HIGH}, {n}))",
        "even": f"x = np.linspace({LOW}, {HIGH}, {n})",
        "active": f"""candidates = np.linspace({LOW}, {HIGH}, 41)
x = [0.95, 1.05]  # {t("two first measurements, then always where the prediction is least known", "deux premières mesures, puis toujours là où la prédiction est la moins connue")}
while len(x) < {n}:
    x.append(candidates[design.choose_next(np.c_[np.ones(len(x)), x], np.c_[np.ones(41), candidates])])""",
    }[state["plan"]]
    return f"""import numpy as np
from epee import design

{chosen}
X = np.c_[np.ones({n}), x]  # {t("a line: its level and its slope", "une droite : son niveau et sa pente")}
variance = design.prediction_variance(X, np.array([1.0, {float(state["at"])}]), sigma2={float(state["sigma"])} ** 2)
print("{t("variance of the prediction", "variance de la prédiction")}", variance)
best = design.select(np.c_[np.ones(41), np.linspace({LOW}, {HIGH}, 41)], {n}, criterion="D", repeats=True)
print("{t("a D-optimal design measures at", "un plan D-optimal mesure en")}", np.sort(np.linspace({LOW}, {HIGH}, 41)[best]))
"""


LAB = Lab(
    id="active_choice",
    title=Words("Bias, correlation and active choice", "Biais, corrélation et apprentissage actif"),
    question=Words("Where should one measure to know a line best?", "Où mesurer pour connaître au mieux une droite ?"),
    story=Words(
        "One may measure between 0 and 2. Each thin line is the fit of one set of measurements; the cloud shows their coefficients. "
        "The active choice always measures next where the prediction is least known.",
        "On peut mesurer entre 0 et 2. Chaque trait fin est l'ajustement d'un jeu de mesures ; le nuage montre leurs coefficients. "
        "Le choix actif mesure toujours là où la prédiction est la moins bien connue.",
    ),
    controls=(
        Choice("plan", Words("measurements", "mesures"), PLANS, "random"),
        Slider("n", Words("how many, n", "combien, n"), spread(4, 30, 2), 8),
        Slider("sigma", Words("noise σ", "bruit σ"), spread(0.1, 1.0, 0.1), 0.5),
        Slider("at", Words("predict at x₀", "prédire en x₀"), spread(-1, 3, 0.5), 3.0),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 20, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("variance", lambda r: float(np.ravel(r.here)[0])),
    exercises=(
        Pick(
            Words("To know the slope best, measure…", "Pour connaître au mieux la pente, mesurer…"),
            {
                "middle": Words("all in the middle", "tout au milieu"),
                "even": Words("evenly", "régulièrement"),
                "ends": Words("at the two ends", "aux deux bouts"),
            },
            "ends",
            Words("Try the active choice and look at the marks at the bottom of the picture.", "Essayer le choix actif et regarder les traits au bas de la figure."),
            Words(r"Right: $Var(\hat\beta_1) = \sigma^2 / \sum (x_i - \bar x)^2$, so spread them as far as allowed. But then nothing would show that the truth is not a line.",
                  r"Juste : $Var(\hat\beta_1) = \sigma^2 / \sum (x_i - \bar x)^2$, donc écarter autant que permis. Mais alors rien ne montrerait que la vérité n'est pas une droite."),
        ),
        Goal(
            Words("Bring the standard deviation of the prediction at $x_0 = 3$ below 0.5, with $n = 8$ measurements and $\\sigma = 0.5$.",
                  "Ramener l'écart-type de la prédiction en $x_0 = 3$ sous 0.5, avec $n = 8$ mesures et $\\sigma = 0.5$."),
            lambda r: r.at == 3 and r.n <= 8 and r.sigma >= 0.5 and np.sqrt(r.here) < 0.5,
            Words("Only the plan is left to change.", "Il ne reste que le plan à changer."),
            lambda r: {"plan": "active", "at": 3.0, "n": 8, "sigma": 0.5},
            Words("Right: same cost, less uncertainty, by choosing where to look.", "Juste : même coût, moins d'incertitude, en choisissant où regarder."),
        ),
        Number(
            lambda r: Words(
                f"The standard deviation of the slope is {shown(np.sqrt(r.covariance[1, 1]))}. What is it if each measurement is made four times?",
                f"L'écart-type de la pente est {shown(np.sqrt(r.covariance[1, 1]))}. Que devient-il si chaque mesure est faite quatre fois ?",
            ),
            lambda r: np.sqrt(r.covariance[1, 1]) / 2,
            Words(r"$X^\top X$ is multiplied by 4; the variance is divided by 4.", r"$X^\top X$ est multipliée par 4 ; la variance est divisée par 4."),
            Words("Right: precision grows as the square root of the effort.", "Juste : la précision croît comme la racine de l'effort."),
        ),
    ),
)  # fmt: skip
