r"""EM step by step: a mixture of normal laws on the eruptions of Old Faithful.

E: the responsibility of component k for point i is :math:`r_{ik} \propto \pi_k N(x_i; \mu_k, \Sigma_k)`. M: each component takes the weighted mean and
covariance of its share. The log-likelihood never falls.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.figures.style import COLOURS, INK
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.words.catalogue import Words, plural

STEPS = 40
STARTS = {
    "bad": Words("all in one cloud", "toutes dans un nuage"),
    "random": Words("random points", "points au hasard"),
    "cross": Words("across", "en travers"),
}


@lru_cache(maxsize=1)
def eruptions() -> np.ndarray:
    """Return durations and waiting times, each divided by its standard deviation."""
    from epee import samples

    table = samples.load("faithful")
    X = np.column_stack([np.asarray(table[name], dtype=float) for name in list(table.columns)[:2]])
    return (X - X.mean(axis=0)) / X.std(axis=0)


@lru_cache(maxsize=64)
def climb(k: int, start: str, draw: int):
    """Return the parameters before each step and the mean log-likelihoods."""
    from epee import GaussianMixture, expectation_maximisation

    X = eruptions()
    rng = np.random.default_rng(draw)
    if start == "random":
        means = X[rng.choice(len(X), k, replace=False)]
    elif start == "bad":
        means = np.array([0.9, 0.9]) + 0.25 * rng.standard_normal((k, 2))
    else:
        means = np.c_[np.linspace(-1.2, 1.2, k), np.linspace(1.2, -1.2, k)] + 0.05 * rng.standard_normal((k, 2))
    model = GaussianMixture(
        k,
        means_init=means,
        weights_init=np.full(k, 1 / k),
        precisions_init=np.stack([2.0 * np.eye(2)] * k),
        random_state=0,
    )
    seen: list = []
    found = expectation_maximisation(
        model, X, tol=0.0, max_iter=STEPS + 1, watch=lambda i, theta, value: seen.append(theta)
    )
    return seen, np.array(found.trace)


def responsibilities(X: np.ndarray, theta) -> tuple[np.ndarray, np.ndarray]:
    """Return r (n, K) and the log density (n,)."""
    logs = []
    for weight, mean, S in zip(theta.weights, theta.means, theta.matrices()):
        L = np.linalg.cholesky(S)
        half = np.linalg.solve(L, (X - mean).T)
        logs.append(np.log(weight) - 0.5 * (half**2).sum(axis=0) - np.log(np.diag(L)).sum() - np.log(2 * np.pi))
    joint = np.array(logs).T
    top = joint.max(axis=1, keepdims=True)
    density = top[:, 0] + np.log(np.exp(joint - top).sum(axis=1))
    return np.exp(joint - density[:, None]), density


def compute(state: State) -> Results:
    k = int(state["k"])
    seen, trace = climb(k, state["start"], int(state["draw"]))
    step = min(int(state["step"]), len(seen) - 1)
    theta = seen[step]
    X = eruptions()
    R, density = responsibilities(X, theta)
    gain = trace[step] - trace[step - 1] if step else 0.0
    return Results(X=X, R=R, theta=theta, trace=trace, step=step, k=k, loglik=float(density.sum()), mean_loglik=float(trace[step]), gain=float(gain),
                   share=R.sum(axis=0), best=float(trace[-1]), one=R[0])  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(
        size=(4.8, 4.4),
        xlabel="durée (réduite)" if fr else "duration (scaled)",
        ylabel="attente (réduite)" if fr else "waiting (scaled)",
        xlim=(-2.6, 2.6),
        ylim=(-3, 3),
    )
    from matplotlib.colors import to_rgb

    tint = np.array([to_rgb(COLOURS[c]) for c in range(r.k)])
    left.scatter(*r.X.T, s=14, c=r.R @ tint)
    t = np.linspace(0, 2 * np.pi, 80)
    for c, (mean, S) in enumerate(zip(r.theta.means, r.theta.matrices())):
        for size, look in ((1.0, "-"), (2.0, "--")):
            left.plot(
                *(mean[:, None] + size * np.linalg.cholesky(S) @ [np.cos(t), np.sin(t)]), look, color=COLOURS[c], lw=1.8
            )
        left.plot(*mean, "+", ms=14, mew=3, color=COLOURS[c])
    right = panel(
        size=(5.4, 3.4),
        xlabel="pas" if fr else "step",
        ylabel="log-vraisemblance moyenne" if fr else "mean log-likelihood",
    )
    right.plot(np.arange(len(r.trace)), r.trace, ".-", color=COLOURS[0])
    right.plot([r.step], [r.mean_loglik], "o", ms=10, color=COLOURS[1])
    right.axhline(r.best, color=INK, lw=0.8, ls=":")
    return [left.figure, right.figure]


def formula(r: Results) -> Words:
    chances = r",\; ".join(shown(v, 2) for v in r.one)
    weights = r",\; ".join(shown(v / len(r.X), 2) for v in r.share)
    lines = blocks(
        rf"r_{{ik}} = \frac{{\pi_k\, N(x_i; \mu_k, \Sigma_k)}}{{\sum_l \pi_l\, N(x_i; \mu_l, \Sigma_l)}}, \qquad r_{{1\cdot}} = ({chances})",
        rf"\pi_k^{{new}} = \frac{{1}}{{n}}\sum_i r_{{ik}}, \qquad \pi^{{new}} = ({weights})",
        rf"\ell(\theta) = \sum_i \log \sum_k \pi_k N(x_i; \mu_k, \Sigma_k) = {shown(r.loglik, 4)}",
    )
    return Words(
        f"After {r.step} {plural(r.step, 'step', 'steps', 'en')}, and the weights of the next one:\n\n{lines}",
        f"Après {r.step} pas, et les poids du suivant :\n\n{lines.replace('new', 'nouveau')}",
    )


def answer(r: Results) -> Words:
    if r.step == 0:
        return Words(
            "Before the first step. The colours are the responsibilities: move the step slider.",
            "Avant le premier pas. Les couleurs sont les responsabilités : bouger le curseur des pas.",
        )
    left = r.best - r.mean_loglik
    if left < 1e-6:
        return Words(
            f"EM has arrived: from this start it ends with a mean log-likelihood of **{shown(r.mean_loglik)}**, a local maximum.",
            f"EM est arrivé : depuis ce départ, il finit avec une log-vraisemblance moyenne de **{shown(r.mean_loglik)}**, un maximum local.",
        )
    return Words(
        f"This step raised the mean log-likelihood by **${shown(r.gain, 2)}$**; it is still ${shown(left, 2)}$ below where EM ends from this start.",
        f"Ce pas a augmenté la log-vraisemblance moyenne de **${shown(r.gain, 2)}$** ; elle est encore à ${shown(left, 2)}$ de là où EM finit depuis ce départ.",
    )


def code(state: State) -> str:
    t, k, draw = in_language(state), int(state["k"]), int(state["draw"])
    start = {
        "random": f"means = X[rng.choice(len(X), {k}, replace=False)]",
        "bad": f"means = np.array([0.9, 0.9]) + 0.25 * rng.standard_normal(({k}, 2))",
        "cross": f"means = np.c_[np.linspace(-1.2, 1.2, {k}), np.linspace(1.2, -1.2, {k})] + 0.05 * rng.standard_normal(({k}, 2))",
    }[state["start"]]
    return f"""import numpy as np
import epee

X = epee.samples.load("faithful").iloc[:, :2].to_numpy(float)
X = (X - X.mean(axis=0)) / X.std(axis=0)
rng = np.random.default_rng({draw})
{start}
model = epee.GaussianMixture(
    {k}, means_init=means, weights_init=np.full({k}, 1 / {k}), precisions_init=np.stack([2.0 * np.eye(2)] * {k}), random_state=0
)
found = epee.expectation_maximisation(model, X, tol=0.0, max_iter={STEPS + 1})
likelihood = found.trace[min({int(state["step"])}, len(found.trace) - 1)]
print("{t("mean log-likelihood before step", "log-vraisemblance moyenne avant le pas")} {int(state["step"]) + 1}:", likelihood)
print("{t("at the end", "à la fin")}", found.trace[-1])
"""


LAB = Lab(
    id="em_steps",
    title=Words("EM, step by step", "EM, pas à pas"),
    question=Words("How do two clouds find themselves without labels?", "Comment deux nuages se trouvent-ils sans étiquettes ?"),
    story=Words("272 eruptions of a geyser: how long, and how long until the next. Step through EM: points take the colours of the components that answer for them, then the components move.",
                "272 éruptions d'un geyser : leur durée, et l'attente jusqu'à la suivante. Avancer pas à pas : les points prennent les couleurs des composantes qui en répondent, puis les composantes bougent."),
    controls=(
        Slider("step", Words("step", "pas"), spread(0, STEPS, 1), 0),
        Slider("k", Words("components", "composantes"), spread(1, 4, 1), 2),
        Choice("start", Words("start", "départ"), STARTS, "bad"),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 10, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("likelihood", lambda r: r.mean_loglik),
    exercises=(
        Goal(Words("Advance until a step gains less than 0.0001, with two components.", "Avancer jusqu'à ce qu'un pas gagne moins de 0.0001, avec deux composantes."),
             lambda r: r.k == 2 and r.step > 0 and r.gain < 1e-4,
             Words("Watch the curve flatten.", "Regarder la courbe s'aplatir."), lambda r: {"k": 2, "step": STEPS, "start": "bad", "draw": 0},
             Words("Right: EM stops where it no longer gains; a local maximum, not always the best one.", "Juste : EM s'arrête quand il ne gagne plus ; un maximum local, pas toujours le meilleur.")),
        Number(lambda r: Words(f"The responsibilities of component 1 add up to {shown(r.share[0], 4)} over the 272 points. What is its new weight $\\pi_1$?",
                               f"Les responsabilités de la composante 1 totalisent {shown(r.share[0], 4)} sur les 272 points. Quel est son nouveau poids $\\pi_1$ ?"),
               lambda r: r.share[0] / 272, Words("Divide by the number of points.", "Diviser par le nombre de points."), margin=0.002),
        Pick(Words("In one step of EM, the log-likelihood can…", "En un pas de EM, la log-vraisemblance peut…"),
             {"up": Words("rise or stay", "monter ou rester"), "down": Words("fall", "baisser"), "both": Words("rise or fall", "monter ou baisser")}, "up",
             Words("E makes the bound touch, M raises the bound.", "E fait toucher la borne, M élève la borne."),
             Words("Right: a fall is a sign of a programming error.", "Juste : une baisse signale une erreur de programmation.")),
    ),
)  # fmt: skip
