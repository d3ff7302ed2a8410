"""First steps: the training error falls with the complexity, the expected prediction error does not.

Polynomials of rising degree are fitted to a noisy curve, or polynomial frontiers between two crescents. The empirical risk
can only fall as the degree grows, because each class of functions contains the one before.
"""

from __future__ import annotations

import numpy as np

from epee.figures.style import COLOURS, INK, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.labs.sessions.worlds import moons, moons_lines, noisy_wave, wave, wave_lines
from epee.words.catalogue import Words

DEGREES = np.arange(0, 13)
NOISE = {"curve": 0.35, "frontier": 0.28}


def compute(state: State) -> Results:
    r = _curve(state) if state["task"] == "curve" else _frontier(state)
    r.degree, r.n = int(state["degree"]), int(state["n"])
    r.here_train, r.here_true = r.train[r.degree], r.true[r.degree]
    r.best = int(np.argmin(r.true))
    return r


def _curve(state: State) -> Results:
    from epee import PolynomialRegression

    x, y = noisy_wave(int(state["n"]), NOISE["curve"], int(state["draw"]))
    grid = np.linspace(0, 1, 301)
    fits = [PolynomialRegression(int(d)).fit(x[:, None], y) for d in DEGREES if d < len(x)]
    train = np.full(len(DEGREES), np.nan)
    true = train.copy()
    for d, fit in enumerate(fits):
        train[d] = np.mean((y - fit.predict(x[:, None])) ** 2)
        true[d] = NOISE["curve"] ** 2 + np.mean((fit.predict(grid[:, None]) - wave(grid)) ** 2)
    fit = fits[int(state["degree"])].predict(grid[:, None])
    return Results(x=x, y=y, grid=grid, fit=fit, train=train, true=true, floor=NOISE["curve"] ** 2)


def _frontier(state: State) -> Results:
    from epee import LeastSquaresClassifier, PolynomialFeatures

    rng = np.random.default_rng(50 + int(state["draw"]))
    X, y = moons(int(state["n"]), NOISE["frontier"], rng)
    new, labels = moons(4000, NOISE["frontier"], np.random.default_rng(7))
    train, true = np.full(len(DEGREES), np.nan), np.full(len(DEGREES), np.nan)
    train[0] = true[0] = 0.5
    kept = None
    for d in DEGREES[1:]:
        features = PolynomialFeatures(int(d), include_bias=False).fit(X / 2)
        model = LeastSquaresClassifier(alpha=1e-9).fit(features.transform(X / 2), y)
        train[d] = np.mean(model.predict(features.transform(X / 2)) != y)
        true[d] = np.mean(model.predict(features.transform(new / 2)) != labels)
        if d == int(state["degree"]):
            kept = (features, model)
    return Results(X=X, y=y, train=train, true=true, kept=kept, floor=None)


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel()
    if r.state["task"] == "curve":
        left.plot(r.grid, wave(r.grid), color=INK, lw=1, ls="--", label="vraie courbe" if fr else "true curve")
        left.plot(r.grid, r.fit, color=COLOURS[1], lw=2, label=f"degré {r.degree}" if fr else f"degree {r.degree}")
        left.plot(r.x, r.y, "o", color=COLOURS[0], ms=5, label="exemples" if fr else "examples")
        left.set(xlabel="$x$", ylabel="$y$", ylim=(-1.9, 2.6))
        legend(left, loc="upper right")
    else:
        a, b = np.linspace(-1.9, 2.9, 160), np.linspace(-1.6, 2.0, 160)
        if r.kept is not None:
            grid = np.array(np.meshgrid(a, b)).reshape(2, -1).T
            score = r.kept[1].decision_function(r.kept[0].transform(grid / 2)).reshape(160, 160)
            left.contourf(a, b, score > 0, levels=[-0.5, 0.5, 1.5], colors=[COLOURS[0], COLOURS[1]], alpha=0.15)
            left.contour(a, b, score, levels=[0], colors=INK, linewidths=1.5)
        for k in (0, 1):
            left.plot(*r.X[r.y == k].T, "os"[k], color=COLOURS[k], ms=4.5, label=f"{'classe' if fr else 'class'} {k}")
        left.set(xlabel="$x_1$", ylabel="$x_2$", xlim=(a[0], a[-1]), ylim=(b[0], b[-1]))
        left.grid(False)
        legend(left, loc="upper right")
    right = panel(xlabel="degré (complexité)" if fr else "degree (complexity)", ylabel="erreur" if fr else "error")
    right.plot(DEGREES, r.train, "o-", color=COLOURS[0], label="apprentissage" if fr else "training")
    right.plot(DEGREES, r.true, "s-", color=COLOURS[1], label="espérée (EPE)" if fr else "expected (EPE)")
    right.axvline(r.degree, color=INK, lw=1, ls=":")
    if r.floor:
        right.axhline(r.floor, color="#767676", lw=1, label="bruit" if fr else "noise")
        right.set_yscale("log")
        right.set_ylim(0.004, 10)
    legend(right)
    return [left.figure, right.figure]


def formula(r: Results) -> Words:
    if r.state["task"] == "curve":
        risk = rf"R_{{emp}}(h) = \frac{{1}}{{n}}\sum_{{i=1}}^n (y_i - h(x_i))^2 = {shown(r.here_train)}"
    else:
        wrong = round(r.here_train * r.n)
        risk = rf"R_{{emp}}(h) = \frac{{1}}{{n}}\sum_{{i=1}}^n [h(x_i) \neq y_i] = \frac{{{wrong}}}{{{r.n}}} = {shown(r.here_train)}"
    lines = blocks(risk, rf"EPE(h) = E\,[L(Y, h(X))] = {shown(r.here_true)}")
    return Words(
        f"The average loss over the $n = {r.n}$ examples, and over all the examples that could come:\n\n{lines}",
        f"La perte moyenne sur les $n = {r.n}$ exemples, puis sur tous ceux qui pourraient venir :\n\n{lines}",
    )


def answer(r: Results) -> Words:
    ratio = r.here_true / max(r.here_train, 1e-12)
    far = shown(min(ratio, 1000), 2)
    if r.degree > r.best + 1:
        return Words(
            f"**No.** At degree {r.degree} the expected error is {far} times the training error: the curve has learned the noise. Degree {r.best} does best.",
            f"**Non.** Au degré {r.degree}, l'erreur espérée vaut {far} fois l'erreur d'apprentissage : le bruit a été appris par cœur. Le degré {r.best} fait mieux.",
        )
    if r.degree < r.best - 1:
        return Words(
            f"Degree {r.degree} is too stiff: both errors are large. Degree {r.best} does best.",
            f"Le degré {r.degree} est trop raide : les deux erreurs sont grandes. Le degré {r.best} fait mieux.",
        )
    return Words(
        f"Degree {r.degree} is about right: the expected error is close to its minimum (degree {r.best}).",
        f"Le degré {r.degree} convient : l'erreur espérée est proche de son minimum (degré {r.best}).",
    )


def code(state: State) -> str:
    t, n, degree = in_language(state), int(state["n"]), int(state["degree"])
    if state["task"] == "curve":
        spread_ = t("one at random in each nth of the interval", "un au hasard dans chaque n-ième de l'intervalle")
        return f"""import numpy as np
import epee

{wave_lines(n, NOISE["curve"], int(state["draw"]), spread_)}
model = epee.PolynomialRegression(degree={degree}).fit(x[:, None], y)
error = epee.risk.empirical_risk(model, x[:, None], y)
print("{t("training error", "erreur d'apprentissage")}", error)
print("{t("cross-validation", "validation croisée")}", epee.risk.cross_validate(model, x[:, None], y, random_state=0))
"""
    fit = (
        f"""features = epee.PolynomialFeatures({degree}, include_bias=False).fit(X / 2)
model = epee.LeastSquaresClassifier(alpha=1e-9).fit(features.transform(X / 2), y)
error = np.mean(model.predict(features.transform(X / 2)) != y)"""
        if degree
        else f"error = 0.5  # {t('a constant answer', 'une réponse constante')}"
    )
    return f"""import numpy as np
import epee

rng = np.random.default_rng({50 + int(state["draw"])})
{moons_lines(n, NOISE["frontier"])}
{fit}
print("{t("training error", "erreur d'apprentissage")}", error)
"""


LAB = Lab(
    id="first_steps",
    title=Words("First steps", "Premiers pas"),
    question=Words(
        "Does a predictor that fits its examples better predict better?",
        "Un prédicteur qui colle mieux à ses exemples prédit-il mieux ?",
    ),
    story=Words(
        "A polynomial is fitted by least squares to noisy examples; or, in the second world, a polynomial frontier is drawn "
        "between two classes. Raise the degree and watch the two errors part.",
        "Un polynôme est ajusté par moindres carrés à des exemples bruités ; ou, dans le second monde, une frontière polynomiale "
        "sépare deux classes. Augmenter le degré et regarder les deux erreurs se séparer.",
    ),
    controls=(
        Choice(
            "task",
            Words("world", "monde"),
            {"curve": Words("a curve", "une courbe"), "frontier": Words("a frontier", "une frontière")},
            "curve",
        ),
        Slider("degree", Words("degree", "degré"), spread(0, 12, 1), 9),
        Slider("n", Words("examples n", "exemples n"), [14, 20, 30, 50, 80, 150, 300], 20),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 20, 1), 0),
    ),
    compute=compute,
    draw=draw,
    formula=formula,
    answer=answer,
    exercises=(
        Pick(
            Words(
                "When the degree grows, the training error of least squares…",
                "Quand le degré augmente, l'erreur d'apprentissage des moindres carrés…",
            ),
            {
                "falls": Words("never rises", "n'augmente jamais"),
                "rises": Words("always rises", "augmente toujours"),
                "u": Words("falls, then rises", "baisse, puis remonte"),
            },
            "falls",
            Words(
                "A polynomial of degree 3 is also one of degree 4, with a last coefficient of 0.",
                "Un polynôme de degré 3 en est aussi un de degré 4, de dernier coefficient nul.",
            ),
            Words(
                "Right: each class of functions contains the one before, so its best fit is at least as close.",
                "Juste : chaque classe de fonctions contient la précédente, son meilleur ajustement est donc au moins aussi proche.",
            ),
        ),
        Goal(
            Words(
                "Set the degree that predicts best for these examples, then check.",
                "Régler le degré qui prédit le mieux pour ces exemples, puis vérifier.",
            ),
            lambda r: r.degree == r.best,
            Words(
                "Look for the lowest point of the orange curve, not of the blue one.",
                "Chercher le point le plus bas de la courbe orange, et non de la bleue.",
            ),
            lambda r: {"degree": r.best},
            Words(
                "Right: only a simulation can show the orange curve. The next labs estimate it from the data alone.",
                "Juste : seule une simulation montre la courbe orange. Les TP suivants l'estiment à partir des seules données.",
            ),
        ),
        Number(
            lambda r: Words(
                f"How many times larger than the training error ({shown(r.here_train, 4)}) is the expected error ({shown(r.here_true, 4)})?",
                f"Combien de fois l'erreur espérée ({shown(r.here_true, 4)}) est-elle plus grande que l'erreur d'apprentissage ({shown(r.here_train, 4)}) ?",
            ),
            lambda r: r.here_true / max(r.here_train, 1e-12),
            Words("Divide the second figure by the first.", "Diviser la seconde valeur par la première."),
            Words("Right. Far above 1, it is overfitting.", "Juste. Très au-dessus de 1, c'est du sur-apprentissage."),
            tolerance=0.05,
        ),
    ),
    code=code,
    own=("error", lambda r: r.here_train),
)
