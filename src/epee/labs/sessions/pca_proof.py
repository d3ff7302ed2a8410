r"""PCA, the proof in numbers: the direction of largest variance is the first eigenvector of the covariance.

Each step of the proof is computed: centring, the variance along a direction :math:`u` is :math:`u^\top \Sigma u`, its gradient on the circle
vanishes at the eigenvectors, the two variances add to the inertia, and what is not kept is the reconstruction error.
"""

from __future__ import annotations

import numpy as np

from epee.figures.style import COLOURS, INK, QUIET, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, percent, shown
from epee.labs.sessions.worlds import cloud, cloud_lines, turned
from epee.words.catalogue import Words

ANGLES = np.linspace(0, 180, 181)


def compute(state: State) -> Results:
    from epee import PCA

    rng = np.random.default_rng(int(state["draw"]))
    X = cloud(rng, (0, 0), turned(float(state["long"]), 0.5, 25 + 17 * int(state["draw"])), int(state["n"]))
    C = X - X.mean(axis=0)
    S = C.T @ C / len(C)
    angle = np.deg2rad(float(state["angle"]))
    u = np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-u[1], u[0]])
    directions = np.c_[np.cos(np.deg2rad(ANGLES)), np.sin(np.deg2rad(ANGLES))]  # (181, 2)
    variances = np.einsum("ij,jk,ik->i", directions, S, directions)
    model = PCA().fit(X)
    values = model.explained_variance_ * (len(X) - 1) / len(X)  # the course divides by n
    first = model.components_[0]
    best = float(np.rad2deg(np.arctan2(first[1], first[0])) % 180)
    return Results(
        C=C, S=S, u=u, variances=variances, angle=float(state["angle"]), here=float(u @ S @ u), lost=float(across @ S @ across),
        slope=float(2 * across @ S @ u), values=values, best=best, inertia=float(np.trace(S)),
    )  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(size=(4.8, 4.4), xlabel="$x_1$", ylabel="$x_2$", aspect="equal", xlim=(-5.2, 5.2), ylim=(-4.6, 4.6))
    shadow = (r.C @ r.u)[:, None] * r.u
    for point, foot in zip(r.C[:60], shadow[:60]):
        left.plot(*np.c_[point, foot], color=QUIET, lw=0.6, zorder=1)
    left.plot(*r.C.T, "o", ms=3.5, color=COLOURS[0])
    left.plot(*shadow[:60].T, "o", ms=3.5, color=COLOURS[1])
    left.plot(*np.c_[-6 * r.u, 6 * r.u], color=COLOURS[1], lw=1.5, label="direction $u$")
    legend(left, loc="upper left")
    right = panel(
        size=(5.4, 3.8),
        xlabel="angle de $u$ (degrés)" if fr else "angle of $u$ (degrees)",
        ylabel="variance",
        xlim=(0, 180),
    )
    right.plot(ANGLES, r.variances, color=COLOURS[0], lw=2, label=r"$u^\top \Sigma u$")
    for k, value in enumerate(r.values):
        right.axhline(value, color=COLOURS[2], lw=1, ls="--", label=r"$\lambda_1,\ \lambda_2$" if k == 0 else None)
    right.plot([r.angle], [r.here], "o", ms=9, color=COLOURS[1])
    right.axvline(r.best, color=INK, lw=0.8, ls=":")
    right.set_ylim(0, 1.25 * r.values[0])
    legend(right, loc="upper right", ncols=2)
    return [left.figure, right.figure]


def formula(r: Results) -> Words:
    S = r.S
    lines = blocks(
        rf"\Sigma:\quad \Sigma_{{11}} = {shown(S[0, 0])},\quad \Sigma_{{22}} = {shown(S[1, 1])},\quad \Sigma_{{12}} = {shown(S[0, 1])}",
        rf"u^\top \Sigma u = {shown(r.here)}, \qquad \frac{{d}}{{d\theta}}\, u^\top \Sigma u = {shown(r.slope)}",
        rf"{shown(r.here)} + {shown(r.lost)} = {shown(r.inertia)} = tr\,\Sigma = \lambda_1 + \lambda_2 = {shown(r.values[0])} + {shown(r.values[1])}",
    )
    return Words(
        "Kept along $u$, lost across it; together, always the inertia:\n\n" + lines,
        "Conservé le long de $u$, perdu en travers ; ensemble, toujours l'inertie :\n\n" + lines,
    )


def answer(r: Results) -> Words:
    kept = percent(r.here / r.inertia, 0)
    near = abs((r.angle - r.best + 90) % 180 - 90)
    if near <= 1.5:
        return Words(
            f"**Here.** {kept} % of the inertia is kept, the slope is nil: $u$ is an eigenvector of $\\Sigma$.",
            f"**Ici.** {kept} % de l'inertie est conservée, la pente est nulle : $u$ est un vecteur propre de $\\Sigma$.",
        )
    return Words(
        f"This direction keeps {kept} % of the inertia; the best keeps {percent(r.values[0] / r.inertia, 0)} %.",
        f"Cette direction conserve {kept} % de l'inertie ; la meilleure en conserve {percent(r.values[0] / r.inertia, 0)} %.",
    )


def code(state: State) -> str:
    t, n, draw = in_language(state), int(state["n"]), int(state["draw"])
    covariance = turned(float(state["long"]), 0.5, 25 + 17 * draw)
    return f"""import numpy as np
import epee

rng = np.random.default_rng({draw})
X = {cloud_lines((0, 0), covariance, n)}
moments = epee.Moments.of(X)
S = moments.covariance()  # {t("with 1/n, as in the course", "en 1/n, comme dans le cours")}
angle = np.deg2rad({float(state["angle"])})
u = np.array([np.cos(angle), np.sin(angle)])
share = u @ S @ u / moments.inertia()
print("{t("share of the inertia kept by u", "part de l'inertie conservée par u")}", share)
pca = epee.PCA().fit(X)
print("{t("best direction", "meilleure direction")}", pca.components_[0], pca.explained_variance_ratio_[0])
"""


LAB = Lab(
    id="pca_proof",
    title=Words("PCA, the proof in numbers", "ACP, la preuve en nombres"),
    question=Words("Along which direction does a cloud show itself best?", "Dans quelle direction un nuage se montre-t-il le mieux ?"),
    story=Words(
        "Turn the direction: the points fall onto it. The variance of their shadows is largest at one angle, and there the slope vanishes. Every term of the proof is below, with its number.",
        "Tourner la direction : les points tombent dessus. La variance de leurs ombres est la plus grande pour un angle, et la pente s'y annule. Chaque terme de la preuve est ci-dessous, avec son nombre.",
    ),
    controls=(
        Slider("angle", Words("angle of u (degrees)", "angle de u (degrés)"), spread(0, 179, 1), 100),
        Slider("long", Words("length of the cloud", "longueur du nuage"), spread(0.5, 2, 0.25), 1.75),
        Slider("n", Words("points", "points"), [20, 50, 100, 200], 100),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 10, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("share", lambda r: r.here / r.inertia),
    exercises=(
        Goal(
            Words("Turn $u$ to the first principal axis (within 2 degrees).", "Tourner $u$ jusqu'au premier axe principal (à 2 degrés près)."),
            lambda r: abs((r.angle - r.best + 90) % 180 - 90) <= 2,
            Words("Climb the blue curve: a positive slope says turn further.", "Monter la courbe bleue : une pente positive dit de tourner encore."),
            lambda r: {"angle": round(r.best) % 180},
        ),
        Number(
            lambda r: Words(
                f"The variance along $u$ is {shown(r.here, 4)} and the inertia {shown(r.inertia, 4)}. What is the mean squared distance of the points to the line?",
                f"La variance le long de $u$ est {shown(r.here, 4)} et l'inertie {shown(r.inertia, 4)}. Quelle est la distance quadratique moyenne des points à la droite ?",
            ),
            lambda r: r.inertia - r.here,
            Words("Pythagoras: kept plus lost is the inertia.", "Pythagore : conservé plus perdu font l'inertie."),
            Words("Right: to maximise the variance kept is to minimise the error of reconstruction.", "Juste : maximiser la variance conservée, c'est minimiser l'erreur de reconstruction."),
            margin=0.005,
        ),
        Pick(
            Words("The derivative of $u^\\top \\Sigma u$ also vanishes at the second axis. There the variance is…", "La dérivée de $u^\\top \\Sigma u$ s'annule aussi au second axe. La variance y est…"),
            {"max": Words("a maximum too", "maximale aussi"), "min": Words("a minimum", "minimale"), "none": Words("neither", "ni l'un ni l'autre")},
            "min",
            Words("Look at the blue curve 90 degrees further.", "Regarder la courbe bleue 90 degrés plus loin."),
            Words("Right in the plane; in more dimensions, the axes between the first and the last are saddle points.", "Juste dans le plan ; en plus grande dimension, les axes entre le premier et le dernier sont des points selles."),
        ),
    ),
)  # fmt: skip
