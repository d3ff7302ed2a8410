r"""Bayesian decision, first session: two normal classes on a line, priors and costs.

One decides for class 1 where :math:`c_1 P_1 p(x|\omega_1) > c_2 P_2 p(x|\omega_2)`, with :math:`c_i` the cost of missing class i.
"""

from __future__ import annotations

import numpy as np

from epee.figures.style import COLOURS, INK, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, percent, shown
from epee.words.catalogue import Words
from epee.words.numbers import local

GRID = np.linspace(-5, 8, 1301)
STEP = GRID[1] - GRID[0]


def density(x: np.ndarray, mean: float, sigma: float) -> np.ndarray:
    return np.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi))


def compute(state: State) -> Results:
    from epee import GaussianThreshold

    mean, sigma, prior, cost = (float(state[k]) for k in ("mean", "sigma", "prior", "cost"))
    a = prior * density(GRID, 0.0, 1.0)  # P1 p(x|1)
    b = (1 - prior) * density(GRID, mean, sigma)
    first = cost * a > b  # where class 1 is decided
    weights = np.array([cost * prior, 1 - prior])
    best = GaussianThreshold((0.0, mean), (1.0, sigma**2), tuple(weights / weights.sum()))
    cut = float(state["cut"])
    mine = cut > GRID if mean >= 0 else cut < GRID
    return Results(
        a=a, b=b, first=first, roots=best.roots, miss1=float(a[~first].sum() * STEP), miss2=float(b[first].sum() * STEP),
        mean=mean, sigma=sigma, prior=prior, cost=cost, cut=cut,
        mine=float(cost * a[~mine].sum() * STEP + b[mine].sum() * STEP),
        least=float(cost * a[~first].sum() * STEP + b[first].sum() * STEP),
    )  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    left = panel(xlabel="$x$", title=r"$P_i\,p(x\,|\,\omega_i)$", xlim=(-5, 8))
    left.plot(GRID, r.a, color=COLOURS[0], lw=2, label="classe 1" if fr else "class 1")
    left.plot(GRID, r.b, color=COLOURS[1], lw=2, label="classe 2" if fr else "class 2")
    left.fill_between(GRID, 0, np.where(~r.first, r.a, 0), color=COLOURS[0], alpha=0.35, lw=0)
    left.fill_between(GRID, 0, np.where(r.first, r.b, 0), color=COLOURS[1], alpha=0.35, lw=0)
    for root in r.roots:
        left.axvline(root, color=INK, lw=1)
    left.axvline(r.cut, color=COLOURS[2], lw=1.5, ls="--", label="votre seuil" if fr else "your threshold")
    left.set_ylim(0, None)
    legend(left)
    right = panel(xlabel="$x$", title=r"$P(\omega_1\,|\,x)$", xlim=(-5, 8), ylim=(0, 1.02))
    posterior = r.a / (r.a + r.b)
    right.plot(GRID, posterior, color=COLOURS[0], lw=2)
    level = 1 / (1 + r.cost)
    right.axhline(
        level,
        color=INK,
        lw=1,
        ls=":",
        label=("décider 1 au-dessus de " if fr else "decide 1 above ") + local(f"{level:.2f}"),
    )
    right.fill_between(GRID, 0, 1.02, where=r.first, color=COLOURS[0], alpha=0.12, lw=0)
    right.fill_between(GRID, 0, 1.02, where=~r.first, color=COLOURS[1], alpha=0.12, lw=0)
    legend(right)
    return [left.figure, right.figure]


def formula(r: Results) -> Words:
    roots = r",\; ".join(shown(x) for x in r.roots) or r"\emptyset"
    lines = blocks(
        rf"c_1 P_1\, p(x|\omega_1) > c_2 P_2\, p(x|\omega_2), \qquad {shown(r.cost)} \cdot {shown(r.prior)}\, p(x|\omega_1) > {shown(1 - r.prior)}\, p(x|\omega_2)",
        rf"x^* = {roots}",
        rf"R^* = c_1 \cdot {shown(r.miss1)} + c_2 \cdot {shown(r.miss2)} = {shown(r.least)}, \qquad R({shown(r.cut)}) = {shown(r.mine)}",
    )
    return Words("Decide for class 1 where\n\n" + lines, "Décider la classe 1 là où\n\n" + lines)


def answer(r: Results) -> Words:
    n = len(r.roots)
    excess = max(r.mine / r.least - 1, 0.0) if r.least > 0 else 0.0
    en = {
        0: "One class always wins: no threshold.",
        1: "**One** threshold.",
        2: "**Two** thresholds: the wider class wins on both sides.",
    }[n]
    fr = {
        0: "Une classe l'emporte toujours : pas de seuil.",
        1: "**Un** seuil.",
        2: "**Deux** seuils : la classe la plus étalée l'emporte des deux côtés.",
    }[n]
    if excess < 0.005:
        return Words(
            f"{en} Your own threshold costs no more than the best decision, to within half a percent.",
            f"{fr} Votre seuil ne coûte pas plus que la meilleure décision, à un demi pour cent près.",
        )
    return Words(
        f"{en} Your own threshold costs {percent(excess, 0)} % more than the best decision.",
        f"{fr} Votre seuil coûte {percent(excess, 0)} % de plus que la meilleure décision.",
    )


def code(state: State) -> str:
    t = in_language(state)
    mean, sigma, prior, cost = (float(state[k]) for k in ("mean", "sigma", "prior", "cost"))
    return f"""import numpy as np
import epee

x = np.linspace(-5, 8, 1301)
a = {prior} * np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)  # P1 p(x|1)
b = {1 - prior!r} * np.exp(-(((x - {mean}) / {sigma}) ** 2) / 2) / ({sigma} * np.sqrt(2 * np.pi))  # P2 p(x|2)
least = np.minimum({cost} * a, b).sum() * (x[1] - x[0])
print("{t("least expected cost", "plus petit coût espéré")}", least)

# {t("the same, learned from examples and judged on others", "la même chose, apprise d'exemples et jugée sur d'autres")}
rng = np.random.default_rng(0)
n1 = int(4000 * {prior})
X = np.r_[rng.normal(0, 1, n1), rng.normal({mean}, {sigma}, 4000 - n1)][:, None]
y = np.r_[np.full(n1, 1), np.full(4000 - n1, 2)]
half = rng.random(4000) < 0.5
model = epee.BayesDecision(epee.QuadraticDiscriminantAnalysis(), costs=[[0, 1], [{cost}, 0]]).fit(X[half], y[half])
print("{t("cost of the learned decision", "coût de la décision apprise")}", model.risk(X[~half], y[~half]))
"""


LAB = Lab(
    id="bayes_one",
    title=Words("Bayesian decision, 1: thresholds and costs", "Décision bayésienne, 1 : seuils et coûts"),
    question=Words("Where should one cut between two classes?", "Où couper entre deux classes ?"),
    story=Words(
        "Class 1 is normal around 0 with standard deviation 1. Move class 2, make it rarer or wider, make missing class 1 dearer; put your own threshold and try to beat the best decision. Shaded: the errors.",
        "La classe 1 est normale autour de 0, d'écart-type 1. Déplacer la classe 2, la rendre plus rare ou plus large, faire payer plus cher l'oubli de la classe 1 ; placer son propre seuil et essayer de battre la meilleure décision. En couleur : les erreurs.",
    ),
    controls=(
        Slider("mean", Words("mean of class 2", "moyenne de la classe 2"), spread(0, 4, 0.25), 2.0),
        Slider("sigma", Words("standard deviation of class 2", "écart-type de la classe 2"), spread(0.5, 3, 0.25), 1.0),
        Slider("prior", Words("P(class 1)", "P(classe 1)"), spread(0.05, 0.95, 0.05), 0.5),
        Slider("cost", Words("cost of missing class 1", "coût d'un oubli de la classe 1"), [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0], 1.0),
        Slider("cut", Words("your threshold", "votre seuil"), spread(-4, 7, 0.25), 0.0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("least", lambda r: r.least),
    exercises=(
        Number(
            Words("Equal standard deviations 1, means 0 and 2, $P_1 = 1/2$, equal costs: where is the threshold?", "Écarts-types 1, moyennes 0 et 2, $P_1 = 1/2$, coûts égaux : où est le seuil ?"),
            lambda r: 1.0,
            Words("The two densities cross half-way.", "Les deux densités se croisent à mi-chemin."),
            Words(r"Right. In general $x^* = \frac{\mu_1 + \mu_2}{2} + \frac{\sigma^2}{\mu_2 - \mu_1} \log\frac{c_1 P_1}{c_2 P_2}$.", r"Juste. En général $x^* = \frac{\mu_1 + \mu_2}{2} + \frac{\sigma^2}{\mu_2 - \mu_1} \log\frac{c_1 P_1}{c_2 P_2}$."),
        ),
        Goal(
            Words("Bring your threshold within 2 % of the best expected cost, with missing class 1 five times as dear.", "Placer votre seuil à moins de 2 % du meilleur coût espéré, l'oubli de la classe 1 coûtant cinq fois plus."),
            lambda r: r.cost == 5.0 and r.mine <= 1.02 * r.least,
            Words("Set the cost to 5 first, then move the green line to the black one.", "Régler d'abord le coût à 5, puis amener la ligne verte sur la noire."),
            lambda r: {"cost": 5.0, "mean": 2.0, "sigma": 1.0, "prior": 0.5, "cut": 1.75},
            Words("Right: the dearer an oversight, the more readily one decides for that class.", "Juste : plus un oubli coûte cher, plus on décide facilement pour cette classe."),
        ),
        Pick(
            Words("Missing class 1 costs 4 times as much as missing class 2. From which $P(\\omega_1|x)$ on does one decide for class 1?", "Oublier la classe 1 coûte 4 fois plus qu'oublier la classe 2. À partir de quelle $P(\\omega_1|x)$ décide-t-on la classe 1 ?"),
            {"0.5": Words("0.5", "0,5"), "0.8": Words("0.8", "0,8"), "0.2": Words("0.2", "0,2")},
            "0.2",
            Words("Compare $4\\,P(\\omega_1|x)$ with $1 - P(\\omega_1|x)$.", "Comparer $4\\,P(\\omega_1|x)$ à $1 - P(\\omega_1|x)$."),
            Words("Right: $1/(1 + 4)$.", "Juste : $1/(1 + 4)$."),
        ),
    ),
)  # fmt: skip
