r"""PCA, the showcase: handwritten digits in a few numbers.

A digit of 64 pixels is written as its mean plus a few axes, :math:`\hat x = \bar x + U_q U_q^\top (x - \bar x)`; the share of the contrast that is
kept is the sum of the first eigenvalues over their total.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.figures.style import COLOURS, INK, legend
from epee.labs.machinery.canvas import image, panel, panels
from epee.labs.machinery.exercises import Goal, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, percent, shown
from epee.words.catalogue import Words, plural

SHOWN = 8


@lru_cache(maxsize=4)
def learned(which: str):
    """Return training digits, test digits, the labels of the former, and the axes."""
    from sklearn.datasets import load_digits

    from epee import PCA

    X, y = load_digits(return_X_y=True)
    keep = np.ones(len(y), bool) if which == "all" else np.isin(y, [int(c) for c in which])
    X, y = X[keep], y[keep]
    half = len(y) * 2 // 3
    return X[:half], X[half:], y[:half], PCA().fit(X[:half])


def compute(state: State) -> Results:
    train, test, y, model = learned(state["which"])
    q = int(state["q"])
    U = model.components_[:q]
    new = test[int(state["first"]) : int(state["first"]) + SHOWN]
    noisy = np.clip(new + float(state["grain"]) * np.random.default_rng(0).standard_normal(new.shape), 0, 16)
    rebuilt = model.mean_ + (noisy - model.mean_) @ U.T @ U
    share = np.cumsum(model.explained_variance_ratio_)
    all_ = model.mean_ + (test - model.mean_) @ U.T @ U
    plane = (train - model.mean_) @ model.components_[:2].T
    return Results(noisy=noisy, rebuilt=rebuilt, share=share, q=q, here=share[q - 1], plane=plane, y=y, error=float(np.mean(((test - all_) ** 2).sum(axis=1))),
                   before=float(np.mean((noisy - new) ** 2)), after=float(np.mean((rebuilt - new) ** 2)), grain=float(state["grain"]))  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    rows = panels(2, SHOWN, size=(6.4, 2.0))
    for k in range(SHOWN):
        image(
            rows[0, k],
            r.noisy[k].reshape(8, 8),
            ("donné" if fr else "given") if k == 0 else "",
            cmap="gray_r",
            vmin=0,
            vmax=16,
        )
        image(rows[1, k], r.rebuilt[k].reshape(8, 8), f"{r.q} / 64" if k == 0 else "", cmap="gray_r", vmin=0, vmax=16)
    plane = panel(size=(5.2, 4.0), xlabel="axe 1" if fr else "axis 1", ylabel="axe 2" if fr else "axis 2")
    from matplotlib import colormaps

    for k in np.unique(r.y):
        points = r.plane[r.y == k]
        plane.plot(*points[:80].T, ".", ms=4, alpha=0.5, color=colormaps["tab10"](int(k)))
        plane.text(
            *points.mean(axis=0), str(k), fontsize=14, weight="bold", color=colormaps["tab10"](int(k)), ha="center"
        )
    curve = panel(
        size=(5.2, 3.0),
        xlabel="axes gardés q" if fr else "axes kept q",
        ylabel="contraste conservé" if fr else "contrast kept",
        ylim=(0, 1.05),
    )
    curve.plot(np.arange(1, 65), r.share, color=COLOURS[0], lw=2)
    curve.plot(
        [r.q],
        [r.here],
        "o",
        ms=9,
        color=COLOURS[1],
        label=f"q = {r.q} : {100 * r.here:.0f} %" if fr else f"q = {r.q}: {100 * r.here:.0f} %",
    )
    curve.axhline(0.8, color=INK, lw=0.8, ls=":")
    legend(curve, loc="lower right")
    return [rows.flat[0].figure, plane.figure, curve.figure]


def formula(r: Results) -> Words:
    lines = blocks(
        r"\hat x = \bar x + U_q U_q^\top (x - \bar x)",
        rf"\frac{{\lambda_1 + \dots + \lambda_{{{r.q}}}}}{{\lambda_1 + \dots + \lambda_{{64}}}} = {shown(r.here)}, \qquad E\,\|x - \hat x\|^2 = {shown(r.error)}",
    )
    return Words(
        f"{r.q} number{'s' if r.q > 1 else ''} in place of 64 pixels; the second figure is measured on digits that were not learned:\n\n{lines}",
        f"{r.q} nombre{'s' if r.q > 1 else ''} au lieu de 64 pixels ; la seconde valeur est mesurée sur des chiffres non appris :\n\n{lines}",
    )


def answer(r: Results) -> Words:
    p = percent(r.here, 0)
    if r.grain > 0:
        better = r.after < r.before
        return Words(
            f"{p} % of the contrast with {r.q} {plural(r.q, 'axis', 'axes', 'en')}. The grain: mean squared error {shown(r.before, 2)} before, **{shown(r.after, 2)}** after"
            + (": PCA removes noise." if better else ": too few axes, the digit goes with the grain."),
            f"{p} % du contraste avec {r.q} {plural(r.q, 'axe', 'axes', 'fr')}. Le grain : erreur quadratique {shown(r.before, 2)} avant, **{shown(r.after, 2)}** après"
            + (" : l'ACP débruite." if better else " : trop peu d'axes, le chiffre part avec le grain."),
        )
    return Words(
        f"With {r.q} {plural(r.q, 'number', 'numbers', 'en')} out of 64, **{p} %** of the contrast is kept.",
        f"Avec {r.q} {plural(r.q, 'nombre', 'nombres', 'fr')} sur 64, **{p} %** du contraste est conservé.",
    )


def code(state: State) -> str:
    t, which = in_language(state), state["which"]
    kept = "" if which == "all" else f"kept = np.isin(y, {[int(c) for c in which]})\nX, y = X[kept], y[kept]\n"
    return f"""import numpy as np
from sklearn.datasets import load_digits
import epee

X, y = load_digits(return_X_y=True)
{kept}half = len(y) * 2 // 3
pca = epee.PCA({int(state["q"])}).fit(X[:half])
contrast = pca.explained_variance_ratio_.sum()
print("{t("contrast kept", "contraste conservé")}", contrast)
rebuilt = pca.inverse_transform(pca.transform(X[half:]))
print("{t("squared error on new digits", "erreur quadratique sur des chiffres nouveaux")}", ((X[half:] - rebuilt) ** 2).sum(axis=1).mean())
"""


LAB = Lab(
    id="pca_showcase",
    title=Words("PCA, the showcase", "ACP, la vitrine"),
    question=Words("How few numbers still show a digit?", "Combien de nombres suffisent à montrer un chiffre ?"),
    story=Words(
        "New digits are compressed to q numbers and unfolded again. Add grain: with few axes, the axes see the digit and not the grain.",
        "De nouveaux chiffres sont comprimés en q nombres, puis dépliés. Ajouter du grain : avec peu d'axes, les axes voient le chiffre et non le grain.",
    ),
    controls=(
        Slider("q", Words("axes q", "axes q"), [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30, 40, 50, 64], 5),
        Choice("which", Words("digits", "chiffres"), {"all": Words("all", "tous"), "01": Words("0 and 1", "0 et 1"), "38": Words("3 and 8", "3 et 8")}, "all"),
        Slider("grain", Words("grain", "grain"), spread(0, 8, 1), 0),
        Slider("first", Words("which ones to show", "lesquels montrer"), spread(0, 96, 8), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("contrast", lambda r: r.here),
    exercises=(
        Goal(
            Words("Find the smallest offered q that keeps at least 80 % of the contrast of all digits.", "Trouver le plus petit q proposé qui conserve au moins 80 % du contraste de tous les chiffres."),
            lambda r: r.state["which"] == "all" and r.here >= 0.8 and r.q <= 13,
            Words("Follow the curve to the dotted line.", "Suivre la courbe jusqu'à la ligne pointillée."),
            lambda r: {"q": 13, "which": "all"},
        ),
        Goal(
            Words("With grain of at least 4, choose q so that the rebuilt digits are nearer to the clean ones than the given ones are, by a factor of 2.", "Avec un grain d'au moins 4, choisir q pour que les chiffres reconstruits soient deux fois plus proches des chiffres propres que les chiffres donnés."),
            lambda r: r.grain >= 4 and 2 * r.after <= r.before,
            Words("Too many axes keep the grain, too few lose the digit.", "Trop d'axes gardent le grain, trop peu perdent le chiffre."),
            lambda r: {"grain": 6, "q": 13, "which": "all"},
            Words("Right: compression that removes noise.", "Juste : une compression qui débruite."),
        ),
        Pick(
            Words("With q = 64, the rebuilt digit is…", "Avec q = 64, le chiffre reconstruit est…"),
            {"same": Words("the digit itself", "le chiffre lui-même"), "mean": Words("the mean digit", "le chiffre moyen"), "blur": Words("a blurred digit", "un chiffre flou")},
            "same",
            Words("The axes are then a whole orthonormal basis.", "Les axes forment alors une base orthonormée complète."),
            Words("Right: $U U^\\top = I$, a rotation and back.", "Juste : $U U^\\top = I$, une rotation aller et retour."),
        ),
    ),
)  # fmt: skip
