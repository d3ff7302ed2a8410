r"""Lasso and maximum a posteriori: a penalty is the logarithm of a prior.

.. math:: \max_\beta\, P(\beta \mid y) \iff \min_\beta \sum_i \frac{(y_i - x_i^\top\beta)^2}{2\sigma^2} - \ln P(\beta):

a Gaussian prior gives ridge, Laplace's gives the lasso, which sets coefficients to zero.
"""

from __future__ import annotations

import numpy as np

from epee.figures.style import COLOURS, INK, QUIET, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.words.catalogue import Words, plural

TRUE = np.array([2.0, 0.0, -1.5, 0.0, 0.0, 1.0, 0.0, 0.0])
POWERS = np.linspace(-3.0, 1.0, 21)


def sample(n: int, lean: float, draw: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows whose neighbouring columns are correlated, and values that three of them explain."""
    rng = np.random.default_rng(draw)
    X = rng.standard_normal((n, len(TRUE)))
    for j in range(1, len(TRUE)):
        X[:, j] = lean * X[:, j - 1] + np.sqrt(1 - lean**2) * X[:, j]
    return X, X @ TRUE + rng.standard_normal(n)


def coefficients(kind: str, X: np.ndarray, y: np.ndarray, alpha: float) -> np.ndarray:
    """Return the coefficients at a penalty: of the mean square, so that both kinds have one scale."""
    from epee import Lasso, Ridge

    model = Lasso(alpha=alpha, tol=1e-10, max_iter=100_000) if kind == "laplace" else Ridge(alpha=alpha * len(y))
    return model.fit(X, y).coef_


def compute(state: State) -> Results:
    n, kind = int(state["n"]), state["prior"]
    X, y = sample(n, float(state["lean"]), int(state["draw"]))
    path = np.array([coefficients(kind, X, y, 10.0**t) for t in POWERS])
    at = int(state["strength"])
    beta = path[at]
    errors = ((path - TRUE) ** 2).sum(axis=1)
    return Results(X=X, y=y, path=path, at=at, beta=beta, alpha=10.0 ** POWERS[at], zeros=int((beta == 0).sum()), error=float(errors[at]), errors=errors,
                   kept=int((beta != 0).sum()), norm2=float(beta @ beta), norm1=float(np.abs(beta).sum()), best=int(np.argmin(errors)), n=n)  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(xlabel=r"$\log_{10} \lambda$", ylabel="coefficients")
    for j, column in enumerate(r.path.T):
        left.plot(POWERS, column, color=COLOURS[0] if TRUE[j] else QUIET, lw=1.6 if TRUE[j] else 1)
    left.axvline(POWERS[r.at], color=INK, lw=1, ls=":")
    right = panel(xlabel="coefficient", ylabel="valeur" if fr else "value")
    right.bar(np.arange(len(TRUE)) - 0.2, TRUE, width=0.35, color=QUIET, label="vrai" if fr else "true")
    right.bar(np.arange(len(TRUE)) + 0.2, r.beta, width=0.35, color=COLOURS[1], label="estimé" if fr else "estimated")
    legend(right)
    curve = panel(xlabel=r"$\beta$", ylabel="loi a priori" if fr else "prior")
    b = np.linspace(-3, 3, 301)
    curve.plot(b, np.exp(-np.abs(b)) / 2, color=COLOURS[1], label="Laplace")
    curve.plot(b, np.exp(-(b**2) / 2) / np.sqrt(2 * np.pi), color=COLOURS[0], label="Gauss")
    legend(curve)
    return [left.figure, right.figure, curve.figure]


def formula(r: Results) -> Words:
    if r.state["prior"] == "laplace":
        lines = blocks(
            r"\min \frac{1}{2n} \|y - X\beta\|^2 + \lambda \sum_j |\beta_j|",
            rf"\lambda = {shown(r.alpha, 2)}, \quad \sum_j |\beta_j| = {shown(r.norm1)}",
        )
    else:
        lines = blocks(
            r"\min \frac{1}{n} \|y - X\beta\|^2 + \lambda \|\beta\|^2",
            rf"\lambda = {shown(r.alpha, 2)}, \quad \|\beta\|^2 = {shown(r.norm2)} \leq s",
        )
    return Words(lines, lines)


def answer(r: Results) -> Words:
    return Words(
        f"**{r.kept}** {plural(r.kept, 'coefficient is', 'coefficients are', 'en')} not zero (3 in truth), and all together are off by **{shown(r.error)}** (squared).",
        f"**{r.kept}** {plural(r.kept, 'coefficient non nul', 'coefficients non nuls', 'fr')} (3 en vérité), et l'écart total est de **{shown(r.error)}** (au carré).",
    )


def code(state: State) -> str:
    t, n, lean = in_language(state), int(state["n"]), float(state["lean"])
    alpha = 10.0 ** POWERS[int(state["strength"])]
    model = (
        f"epee.Lasso(alpha={alpha!r}, tol=1e-10, max_iter=100_000)"
        if state["prior"] == "laplace"
        else f"epee.Ridge(alpha={alpha * n!r})"
    )
    return f"""import numpy as np
import epee

true = np.array({TRUE.tolist()})
rng = np.random.default_rng({int(state["draw"])})
X = rng.standard_normal(({n}, 8))
for j in range(1, 8):  # {t("neighbouring columns are correlated", "les colonnes voisines sont corrélées")}
    X[:, j] = {lean} * X[:, j - 1] + np.sqrt(1 - {lean}**2) * X[:, j]
y = X @ true + rng.standard_normal({n})
model = {model}.fit(X, y)
error = np.sum((model.coef_ - true) ** 2)
print("{t("squared error of the coefficients", "erreur quadratique des coefficients")}", error, model.coef_.round(3))
"""


LAB = Lab(
    id="lasso_map",
    title=Words("Lasso and maximum a posteriori", "Lasso et maximum a posteriori"),
    question=Words("What does a penalty believe?", "Que croit une pénalité ?"),
    story=Words(
        "Three of eight coefficients are not zero. Laplace's prior believes that many are exactly zero, Gauss's that all are small. Move the penalty along the path and see who is right, and when.",
        "Trois coefficients sur huit ne sont pas nuls. La loi de Laplace croit que beaucoup sont exactement nuls, celle de Gauss que tous sont petits. Déplacer la pénalité le long du chemin et voir qui a raison, et quand.",
    ),
    controls=(
        Slider("strength", Words("penalty (steps along the path)", "pénalité (rang sur le chemin)"), spread(0, 20, 1), 2),
        Choice("prior", Words("prior", "loi a priori"), {"laplace": Words("Laplace: lasso", "Laplace : lasso"), "gauss": Words("Gauss: ridge", "Gauss : régression écrêtée")}, "laplace"),
        Slider("n", Words("examples n", "exemples n"), [10, 15, 20, 30, 50, 100], 20),
        Slider("lean", Words("correlation of neighbouring columns", "corrélation des colonnes voisines"), spread(0.0, 0.9, 0.1), 0.5),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 9, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("error", lambda r: r.error),
    exercises=(
        Goal(
            Words("Make the lasso keep exactly three coefficients.", "Faire garder au lasso exactement trois coefficients."),
            lambda r: r.state["prior"] == "laplace" and r.kept == 3,
            Words("More penalty keeps fewer.", "Plus de pénalité en garde moins."),
            lambda r: {"prior": "laplace", "strength": _three(r), "n": 50},
        ),
        Number(
            Words("One input with $\\overline{x^2} - \\bar x^2 = 2$ and $\\overline{xy} - \\bar x\\bar y = 3$; the prior of the slope adds $\\sigma^2/(n\\sigma_a^2) = 1$ below. What is the slope a posteriori?",
                  "Une entrée avec $\\overline{x^2} - \\bar x^2 = 2$ et $\\overline{xy} - \\bar x\\bar y = 3$ ; la loi a priori de la pente ajoute $\\sigma^2/(n\\sigma_a^2) = 1$ au dénominateur. Quelle est la pente a posteriori ?"),
            lambda r: 1.0,
            Words("Least squares would say 3/2.", "Les moindres carrés diraient 3/2."),
            Words("Right: the prior shrinks 1.5 to 1.", "Juste : la loi a priori ramène 1.5 à 1."),
        ),
        Pick(
            Words("Why does the lasso reach exact zeros?", "Pourquoi le lasso atteint-il des zéros exacts ?"),
            {"kink": Words("its penalty has a kink at 0", "sa pénalité a un coin en 0"), "large": Words("its penalty is larger", "sa pénalité est plus forte"), "luck": Words("by rounding", "par arrondi")},
            "kink",
            Words("Look at the priors near 0.", "Regarder les lois a priori près de 0."),
            Words("Right: the slope of $|\\beta|$ at 0 resists every small gradient.", "Juste : la pente de $|\\beta|$ en 0 résiste à tout petit gradient."),
        ),
    ),
)  # fmt: skip


def _three(r: Results) -> int:
    """Return a penalty at which the lasso keeps three coefficients of fifty rows."""
    X, y = sample(50, float(r.state["lean"]), int(r.state["draw"]))
    kept = [int((coefficients("laplace", X, y, 10.0**t) != 0).sum()) for t in POWERS]
    return int(np.argmin(np.abs(np.array(kept) - 3)))
