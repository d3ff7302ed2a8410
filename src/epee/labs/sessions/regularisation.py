r"""Complexity control by regularisation: one penalty instead of a choice of degree.

Ridge on polynomial terms, or a smoothing spline: both smooth linearly, :math:`\hat y = S_\lambda y`, and their complexity is the number
:math:`df(\lambda) = \operatorname{tr} S_\lambda`, which falls from many to few as the penalty grows.
"""

from __future__ import annotations

import numpy as np

from epee.figures.style import COLOURS, INK, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, localise, shown
from epee.labs.sessions.worlds import noisy_wave, wave, wave_lines
from epee.words.catalogue import Words

GRID = np.linspace(0, 1, 201)
DEGREE = 12
POWERS = {"ridge": (-8.0, 3.0), "spline": (-9.0, 1.0)}


def terms(x: np.ndarray) -> np.ndarray:
    """Return the Legendre polynomials of degree 1 to DEGREE on [0, 1]: terms of one scale."""
    return np.polynomial.legendre.legvander(2 * x - 1, DEGREE)[:, 1:]


def smooth(kind: str, x: np.ndarray, y: np.ndarray, lam: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the smooth curve at the inputs and on the grid, and its degrees of freedom."""
    from epee import Ridge, SmoothingSpline

    if kind == "ridge":
        model = Ridge(alpha=lam).fit(terms(x), y)
        df = 1 + float(model.effective_dof_)  # the intercept is not penalised: it counts for one in the trace
        return model.predict(terms(x)), model.predict(terms(GRID)), df
    model = SmoothingSpline(lam=lam).fit(x[:, None], y)
    return model.predict(x[:, None]), model.predict(GRID[:, None]), float(model.effective_dof_)


def compute(state: State) -> Results:
    n, sigma, kind = int(state["n"]), float(state["sigma"]), state["kind"]
    x, y = noisy_wave(n, sigma, int(state["draw"]))
    low, high = POWERS[kind]
    share = float(state["strength"]) / 20
    lam = 10 ** (low + (high - low) * share)
    path = 10 ** (low + (high - low) * np.arange(21) / 20)
    curves = [smooth(kind, x, y, value) for value in path]
    df = np.array([d for _, _, d in curves])
    train = np.array([np.mean((y - at_x) ** 2) for at_x, _, _ in curves])
    gcv = train / (1 - df / n) ** 2
    true = np.array([sigma**2 + np.mean((at_grid - wave(GRID)) ** 2) for _, at_grid, _ in curves])
    k = int(state["strength"])
    return Results(x=x, y=y, fit=curves[k][1], lam=lam, df=df, gcv=gcv, true=true, train=train, d=df[k], err=train[k], n=n, k=k,
                   best=int(np.argmin(gcv)), best_true=int(np.argmin(true)), path=path)  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(xlabel="$x$", ylabel="$y$", ylim=(-2, 2.6))
    left.plot(GRID, wave(GRID), color=INK, lw=1, ls="--", label="vraie courbe" if fr else "true curve")
    left.plot(
        GRID, r.fit, color=COLOURS[1], lw=2, label=localise(rf"$df(\lambda) = {shown(r.d)}$", "fr" if fr else "en")
    )
    left.plot(r.x, r.y, "o", color=COLOURS[0], ms=4, alpha=0.8)
    legend(left)
    right = panel(
        xlabel=r"$df(\lambda)$, " + ("complexité" if fr else "complexity"), ylabel="erreur" if fr else "error"
    )
    right.plot(r.df, r.train, "o-", ms=3.5, color=COLOURS[0], label="apprentissage" if fr else "training")
    right.plot(r.df, r.gcv, "D-", ms=3.5, color=COLOURS[2], label="GCV")
    right.plot(r.df, r.true, "s-", ms=3.5, color=COLOURS[1], label="EPE")
    right.axvline(r.d, color=INK, lw=1, ls=":")
    right.set_ylim(0, 1.2 * max(r.true[-1], r.gcv[-1]))
    legend(right)
    return [left.figure, right.figure]


def formula(r: Results) -> Words:
    criterion = (
        r"\min_\beta \|y - X\beta\|^2 + \lambda\,\|\beta\|^2" if r.state["kind"] == "ridge"
        else r"\min_f \sum_i (y_i - f(x_i))^2 + \lambda \int f''(t)^2\,dt"
    )  # fmt: skip
    lines = blocks(
        rf"{criterion}, \qquad \lambda = {shown(r.lam, 2)}",
        rf"df(\lambda) = tr\, S_\lambda = {shown(r.d)}",
        rf"GCV = \frac{{err}}{{(1 - df/n)^2}} = \frac{{{shown(r.err)}}}{{(1 - {shown(r.d)}/{r.n})^2}} = {shown(r.gcv[r.k])}",
    )
    return Words(lines, lines)


def answer(r: Results) -> Words:
    return Words(
        f"At $\\lambda = {shown(r.lam, 2)}$ the curve spends **{shown(r.d, 2)}** degrees of freedom. GCV would spend **{shown(r.df[r.best], 2)}**, the truth **{shown(r.df[r.best_true], 2)}**.",
        f"Pour $\\lambda = {shown(r.lam, 2)}$, la courbe dépense **{shown(r.d, 2)}** degrés de liberté. GCV en dépenserait **{shown(r.df[r.best], 2)}**, la vérité **{shown(r.df[r.best_true], 2)}**.",
    )


def code(state: State) -> str:
    t, kind = in_language(state), state["kind"]
    low, high = POWERS[kind]
    lam = 10 ** (low + (high - low) * float(state["strength"]) / 20)
    spread_ = t("one at random in each nth of the interval", "un au hasard dans chaque n-ième de l'intervalle")
    fit = {
        "ridge": f"""X = np.polynomial.legendre.legvander(2 * x - 1, {DEGREE})[:, 1:]
model = epee.Ridge(alpha={lam!r}).fit(X, y)
df = 1 + model.effective_dof_  # {t("the intercept is not penalised: it counts for one", "la constante n'est pas pénalisée : elle compte pour un")}""",
        "spline": f"""X = x[:, None]
model = epee.SmoothingSpline(lam={lam!r}).fit(X, y)
df = model.effective_dof_""",
    }[kind]
    return f"""import numpy as np
import epee

{wave_lines(int(state["n"]), float(state["sigma"]), int(state["draw"]), spread_)}
{fit}
gcv = np.mean((y - model.predict(X)) ** 2) / (1 - df / len(y)) ** 2
print("{t("degrees of freedom", "degrés de liberté")}", df, "GCV", gcv)
print("{t("penalty that GCV would choose", "pénalité que choisirait GCV")}", epee.SmoothingSpline(criterion="gcv").fit(x[:, None], y).lam_)
"""


LAB = Lab(
    id="regularisation",
    title=Words("Complexity control by regularisation", "Contrôle de complexité par régularisation"),
    question=Words("Can a single number replace the choice of a degree?", "Un seul nombre peut-il remplacer le choix d'un degré ?"),
    story=Words(
        "The model is rich (a polynomial of degree 12, or a knot at every point), but roughness is paid for. Move the penalty and follow the effective degrees of freedom.",
        "Le modèle est riche (un polynôme de degré 12, ou un nœud en chaque point), mais la rugosité se paie. Bouger la pénalité et suivre les degrés effectifs de liberté.",
    ),
    controls=(
        Choice("kind", Words("smoother", "lisseur"), {"spline": Words("smoothing spline", "spline de lissage"), "ridge": Words("ridge", "régression écrêtée")}, "spline"),
        Slider("strength", Words("penalty (in twentieths of the path)", "pénalité (en vingtièmes du chemin)"), spread(0, 20, 1), 2),
        Slider("n", Words("examples n", "exemples n"), [20, 30, 50, 80, 150, 300], 50),
        Slider("sigma", Words("noise σ", "bruit σ"), spread(0.1, 0.9, 0.1), 0.4),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 20, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("gcv", lambda r: r.gcv[r.k]),
    exercises=(
        Pick(
            Words("When the penalty grows without limit, the smoothing spline becomes…", "Quand la pénalité croît sans limite, la spline de lissage devient…"),
            {"zero": Words("zero everywhere", "nulle partout"), "line": Words("a straight line", "une droite"), "points": Words("a curve through every point", "une courbe par tous les points")},
            "line",
            Words(r"The penalty is on $f''$: what costs nothing?", r"La pénalité porte sur $f''$ : qu'est-ce qui ne coûte rien ?"),
            Words("Right: a line has no second derivative, and $df = 2$ remains.", "Juste : une droite n'a pas de dérivée seconde, et il reste $df = 2$."),
        ),
        Goal(
            Words("Set the penalty that GCV would choose.", "Régler la pénalité que choisirait GCV."),
            lambda r: r.k == r.best,
            lambda r: Words(f"The lowest green point is near $df = {shown(r.df[r.best], 2)}$; a larger penalty moves left.", f"Le point vert le plus bas est vers $df = {shown(r.df[r.best], 2)}$ ; une pénalité plus forte va vers la gauche."),
            lambda r: {"strength": r.best},
        ),
        Number(
            lambda r: Words(
                f"The error is {shown(r.err, 4)}, $df = {shown(r.d, 4)}$, $n = {r.n}$. Compute GCV.",
                f"L'erreur est {shown(r.err, 4)}, $df = {shown(r.d, 4)}$, $n = {r.n}$. Calculer GCV.",
            ),
            lambda r: r.gcv[r.k],
            Words("As for polynomials, with $df$ in the place of the number of parameters.", "Comme pour les polynômes, avec $df$ à la place du nombre de paramètres."),
        ),
    ),
)  # fmt: skip
