r"""A gallery of covariance matrices: clouds, ellipses, correlation.

.. math:: \Sigma = \begin{pmatrix} \sigma_1^2 & \rho\sigma_1\sigma_2 \\ \rho\sigma_1\sigma_2 & \sigma_2^2 \end{pmatrix}, \qquad x = \mu + L z,\quad L L^\top = \Sigma.
"""

from __future__ import annotations

import numpy as np

from epee.figures.style import COLOURS, INK, legend
from epee.labs.machinery.canvas import panel, panels
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.words.catalogue import Words

CIRCLE = np.array([np.cos(np.linspace(0, 2 * np.pi, 120)), np.sin(np.linspace(0, 2 * np.pi, 120))])


def compute(state: State) -> Results:
    from epee import Moments

    s1, s2, rho, n = float(state["s1"]), float(state["s2"]), float(state["rho"]), int(state["n"])
    S = np.array([[s1**2, rho * s1 * s2], [rho * s1 * s2, s2**2]])
    L = np.linalg.cholesky(S)
    Z = np.random.default_rng(int(state["draw"])).standard_normal((n, 2))
    X = Z @ L.T
    m = Moments.of(X)
    values, vectors = np.linalg.eigh(S)
    angle = float(np.rad2deg(np.arctan2(vectors[1, 1], vectors[0, 1])))
    angle = (angle + 90) % 180 - 90
    r_hat = float(m.correlation()[0, 1])
    half = 1.96 / np.sqrt(max(n - 3, 1))
    low, high = np.tanh(np.arctanh(r_hat) - half), np.tanh(np.arctanh(r_hat) + half)
    return Results(
        S=S,
        L=L,
        X=X,
        found=m.covariance(),
        values=values[::-1],
        angle=angle,
        r=r_hat,
        low=low,
        high=high,
        rho=rho,
        n=n,
        det=float(np.linalg.det(S)),
    )


def ellipse(S: np.ndarray, level: float) -> np.ndarray:
    """Return the points of the ellipse that holds this share of the mass."""
    return np.sqrt(-2 * np.log(1 - level)) * np.linalg.cholesky(S) @ CIRCLE


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(size=(4.8, 4.6), xlabel="$x_1$", ylabel="$x_2$", aspect="equal", xlim=(-7, 7), ylim=(-7, 7))
    left.plot(*r.X[:2000].T, ".", ms=3, color=COLOURS[0], alpha=0.5)
    for level, width in ((0.5, 2), (0.95, 2)):
        left.plot(*ellipse(r.S, level), color=COLOURS[1], lw=width, label=f"{level:.0%}".replace("%", " %"))
    left.plot(*ellipse(r.found, 0.95), color=INK, lw=1, ls="--", label="estimée" if fr else "estimated")
    legend(left, loc="upper left")
    gallery = panels(2, 4, size=(5.4, 3.0))
    for ax, (rho, scale) in zip(
        gallery.flat, [(-0.9, 1), (-0.5, 1), (0, 1), (0.5, 1), (0.9, 1), (0, 2), (0.7, 2), (-0.7, 0.5)]
    ):
        S = np.array([[1, rho * scale], [rho * scale, scale**2]])
        Z = np.random.default_rng(1).standard_normal((150, 2)) @ np.linalg.cholesky(S).T
        ax.plot(*Z.T, ".", ms=1.5, color=COLOURS[0])
        ax.plot(*ellipse(S, 0.9), color=COLOURS[1], lw=1)
        ax.set(xlim=(-4.5, 4.5), ylim=(-4.5, 4.5), aspect="equal", xticks=[], yticks=[])
        ax.set_title(rf"$\rho={rho:g},\ \sigma_2={scale:g}$", fontsize=7.5)
    return [left.figure, gallery.flat[0].figure]


def formula(r: Results) -> Words:
    S, F = r.S, r.found
    lines = blocks(
        rf"\Sigma_{{11}} = {shown(S[0, 0])},\quad \Sigma_{{22}} = {shown(S[1, 1])},\quad \Sigma_{{12}} = \rho\sigma_1\sigma_2 = {shown(S[0, 1])}",
        rf"\hat\Sigma_{{11}} = {shown(F[0, 0])},\quad \hat\Sigma_{{22}} = {shown(F[1, 1])},\quad \hat\Sigma_{{12}} = {shown(F[0, 1])}",
        rf"\lambda_1 = {shown(r.values[0])},\quad \lambda_2 = {shown(r.values[1])},\quad |\Sigma| = {shown(r.det)}",
        rf"x = L z,\quad L_{{11}} = {shown(r.L[0, 0])},\quad L_{{21}} = {shown(r.L[1, 0])},\quad L_{{22}} = {shown(r.L[1, 1])}",
    )
    return Words(
        "The law, its estimate from the points, its axes, and how to draw from it:\n\n" + lines,
        "La loi, son estimation d'après les points, ses axes, et comment en tirer :\n\n" + lines,
    )


def answer(r: Results) -> Words:
    return Words(
        f"The long axis stands at **{shown(r.angle, 3)}°**. From {r.n} points the correlation is found to be **{shown(r.r, 2)}**, between {shown(r.low, 2)} and {shown(r.high, 2)} at 95 %.",
        f"Le grand axe est à **{shown(r.angle, 3)}°**. D'après {r.n} points, la corrélation vaut **{shown(r.r, 2)}**, entre {shown(r.low, 2)} et {shown(r.high, 2)} à 95 %.",
    )


def code(state: State) -> str:
    t = in_language(state)
    return f"""import numpy as np
import epee

s1, s2, rho = {float(state["s1"])}, {float(state["s2"])}, {float(state["rho"])}
covariance = np.array([[s1**2, rho * s1 * s2], [rho * s1 * s2, s2**2]])
X = np.random.default_rng({int(state["draw"])}).standard_normal(({int(state["n"])}, 2)) @ np.linalg.cholesky(covariance).T
moments = epee.Moments.of(X)
r = moments.correlation()[0, 1]
print("{t("covariance", "covariance")}", moments.covariance(), "{t("correlation", "corrélation")}", r, "{t("inertia", "inertie")}", moments.inertia())
"""


LAB = Lab(
    id="covariance",
    title=Words("A gallery of covariances", "Galerie de covariances"),
    question=Words("What does a covariance matrix look like?", "À quoi ressemble une matrice de covariance ?"),
    story=Words(
        "Two spreads and a correlation make an ellipse. Few points give a poor estimate of it: change the draw and watch the dashed ellipse dance.",
        "Deux écarts-types et une corrélation font une ellipse. Peu de points l'estiment mal : changer de tirage et regarder danser l'ellipse en tirets.",
    ),
    controls=(
        Slider("s1", Words("σ₁", "σ₁"), spread(0.25, 2.5, 0.25), 2.0),
        Slider("s2", Words("σ₂", "σ₂"), spread(0.25, 2.5, 0.25), 1.0),
        Slider("rho", Words("correlation ρ", "corrélation ρ"), spread(-0.95, 0.95, 0.05), 0.6),
        Slider("n", Words("points", "points"), [8, 15, 30, 60, 120, 300, 1000], 60),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 20, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("r", lambda r: r.r),
    exercises=(
        Goal(
            Words("Make a circle.", "Faire un cercle."),
            lambda r: abs(r.values[0] - r.values[1]) < 1e-9,
            Words("Equal spreads, and no correlation.", "Des écarts-types égaux, et pas de corrélation."),
            lambda r: {"s1": 1.0, "s2": 1.0, "rho": 0.0},
            Words("Right: $\\Sigma = \\sigma^2 I$.", "Juste : $\\Sigma = \\sigma^2 I$."),
        ),
        Number(
            lambda r: Words(
                f"$\\sigma_1 = {shown(r.state['s1'])}$, $\\sigma_2 = {shown(r.state['s2'])}$, $\\rho = {shown(r.rho)}$: what is the covariance $\\Sigma_{{12}}$?",
                f"$\\sigma_1 = {shown(r.state['s1'])}$, $\\sigma_2 = {shown(r.state['s2'])}$, $\\rho = {shown(r.rho)}$ : que vaut la covariance $\\Sigma_{{12}}$ ?",
            ),
            lambda r: r.S[0, 1],
            Words("$\\rho\\,\\sigma_1 \\sigma_2$", "$\\rho\\,\\sigma_1 \\sigma_2$"),
            margin=0.005,
        ),
        Pick(
            Words("Is a covariance of 0 enough for two variables to be independent?", "Une covariance nulle suffit-elle pour que deux variables soient indépendantes ?"),
            {"yes": Words("yes, always", "oui, toujours"), "gauss": Words("yes if they are jointly normal, not in general", "oui si elles sont conjointement normales, pas en général"), "no": Words("no, never", "non, jamais")},
            "gauss",
            Words("Take $X$ symmetric around 0, and $Y = X^2$.", "Prendre $X$ symétrique autour de 0, et $Y = X^2$."),
        ),
    ),
)  # fmt: skip
