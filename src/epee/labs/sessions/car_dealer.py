r"""The car dealer, and agents that learn his trade by trial and error.

Each month :math:`s` cars stand in the yard, :math:`a` are bought, a random number is sold: :math:`r = c k - d a - u s'`. The law known,
value iteration solves it; unknown, agents learn from simulated months,

.. math:: Q(s, a) \leftarrow Q(s, a) + \alpha_n\, [\, r + \gamma \max_b Q(s', b) - Q(s, a)\,].
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.figures.style import COLOURS, INK, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.words.catalogue import Words, plural

AGENTS = {
    "QLearning": Words("Q-learning", "Q-apprentissage"),
    "Sarsa": Words("Sarsa", "Sarsa"),
    "LinearQLearning": Words("features (a table)", "caractéristiques (une table)"),
}
WAYS = {"uniform": Words("every action alike", "toutes les actions pareilles"), "epsilon_greedy": Words("best so far, 10 % at random", "la meilleure, 10 % au hasard")}  # fmt: skip


@lru_cache(maxsize=64)
def learned(
    name: str, way: str, capacity: int, gamma: float, steps: int, seed: int
) -> tuple[np.ndarray, np.ndarray, list, list]:
    """Return exact and learned values, the learned policy, and the trace of the distance or of the rewards."""
    from epee import mdp

    process = mdp.car_dealer(capacity, 10.0, 4.0, 1.0, gamma)
    if name == "LinearQLearning":
        agent = mdp.LinearQLearning(exploration=way, random_state=seed).learn(
            process, min(steps, 5_000), checkpoints=20
        )
        values = np.array([agent.value(s) for s in range(process.n_states)])
        policy = np.array([agent.policy(s) for s in range(process.n_states)])
        return values, policy, list(agent.trace_.steps), list(agent.trace_.reward)
    agent = getattr(mdp, name)(exploration=way, random_state=seed).learn(process, steps, checkpoints=20)
    return agent.values_, agent.policy_, list(agent.trace_.steps), list(agent.trace_.distance)


def compute(state: State) -> Results:
    from epee import mdp

    capacity, gamma, steps = int(state["capacity"]), float(state["gamma"]), int(10 ** float(state["power"]))
    process = mdp.car_dealer(capacity, 10.0, 4.0, 1.0, gamma)
    best = process.value_iteration()
    values, policy, at, trace = learned(state["agent"], state["way"], capacity, gamma, steps, int(state["draw"]))
    own = process.evaluate(policy).values
    return Results(process=process, best=best, values=values, policy=policy, at=at, trace=trace, steps=steps, loss=float((best.values - own).max()),
                   gap=float(np.abs(values - best.values).max()), wrong=int((policy != best.policy).sum()), gamma=gamma)  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    S = np.arange(len(r.best.values))
    left = panel(xlabel="voitures en stock" if fr else "cars in the yard", ylabel="valeur" if fr else "value")
    left.plot(S, r.best.values, "o-", color=INK, ms=4, label="exacte" if fr else "exact")
    left.plot(S, r.values, "s--", color=COLOURS[1], ms=4, label=AGENTS[r.state["agent"]](lang))
    legend(left)
    middle = panel(xlabel="voitures en stock" if fr else "cars in the yard", ylabel="achats" if fr else "bought")
    middle.step(S, r.best.policy, where="mid", color=INK, label="exacte" if fr else "exact")
    middle.plot(S, r.policy, "s", color=COLOURS[1], ms=5, label=AGENTS[r.state["agent"]](lang))
    legend(middle)
    linear = r.state["agent"] == "LinearQLearning"
    label = ("récompense par pas" if fr else "reward a step") if linear else (r"$\max |Q - Q^*|$")
    right = panel(xlabel="pas simulés" if fr else "simulated steps", ylabel=label, xscale="log")
    right.plot(r.at, r.trace, "o-", ms=3, color=COLOURS[0])
    return [left.figure, middle.figure, right.figure]


def formula(r: Results) -> Words:
    lines = blocks(
        rf"V^*(s) = \max_a (r + {shown(r.gamma)} \sum_{{s'}} p(s' | s, a)\, V^*(s')), \quad V^*(0) = {shown(r.best.values[0], 4)}",
        rf"\hat V(0) = {shown(r.values[0], 4)}, \quad \max_s |V^* - \hat V| = {shown(r.gap)}",
    )
    return Words(lines, lines)


def answer(r: Results) -> Words:
    months = f"{r.steps:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    return Words(
        f"After {r.steps:,} months the learned policy differs in **{r.wrong}** {plural(r.wrong, 'state', 'states', 'en')} and costs at most **{shown(r.loss)}** in value.",
        f"Après {months} mois, la politique apprise diffère en **{r.wrong}** {plural(r.wrong, 'état', 'états', 'fr')} et coûte au plus **{shown(r.loss)}** en valeur.".replace(
            ",", "\N{NARROW NO-BREAK SPACE}", 1
        ),
    )


def code(state: State) -> str:
    t, name = in_language(state), state["agent"]
    steps = int(10 ** float(state["power"]))
    learn = f'mdp.{name}(exploration="{state["way"]}", random_state={int(state["draw"])}).learn(process, {min(steps, 5_000) if name == "LinearQLearning" else steps}, checkpoints=20)'
    values = (
        "np.array([agent.value(s) for s in range(process.n_states)])" if name == "LinearQLearning" else "agent.values_"
    )
    return f"""import numpy as np
from epee import mdp

process = mdp.car_dealer({int(state["capacity"])}, 10.0, 4.0, 1.0, {float(state["gamma"])})
exact = process.value_iteration()  # {t("the law is known", "la loi est connue")}
agent = {learn}  # {t("it is not", "elle ne l'est pas")}
values = {values}
gap = np.abs(values - exact.values).max()
print("{t("largest error of the values", "plus grande erreur des valeurs")}", gap)
"""


LAB = Lab(
    id="car_dealer",
    title=Words("The car dealer and the agents", "Le marchand de voitures et les agents"),
    question=Words("Can one learn a trade without knowing its laws?", "Peut-on apprendre un métier sans en connaître les lois ?"),
    story=Words(
        "A dealer buys and sells cars under random demand. Value iteration knows the law of the demand; the agents only see months go by. More months, and trying every action, bring them to the same policy.",
        "Un marchand achète et vend des voitures face à une demande aléatoire. L'itération de la valeur connaît la loi de la demande ; les agents ne voient que des mois passer. Plus de mois, et l'essai de toutes les actions, les mènent à la même politique.",
    ),
    controls=(
        Slider("power", Words("simulated months, power of ten", "mois simulés, puissance de dix"), spread(2.0, 4.5, 0.5), 3.0),
        Choice("agent", Words("agent", "agent"), AGENTS, "QLearning"),
        Choice("way", Words("exploration", "exploration"), WAYS, "epsilon_greedy"),
        Slider("capacity", Words("places in the yard", "places dans le parc"), [2, 3, 4, 6, 8], 4),
        Slider("gamma", Words("discount γ", "actualisation γ"), [0.5, 0.7, 0.8, 0.9], 0.8),
        Slider("draw", Words("draw number", "numéro du tirage"), spread(0, 4, 1), 0),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("gap", lambda r: r.gap),
    exercises=(
        Goal(
            Words("Make an agent find the exact policy in every state.", "Amener un agent à trouver la politique exacte dans tous les états."),
            lambda r: r.wrong == 0,
            Words("Give it more months, and let it try every action.", "Lui donner plus de mois, et lui faire essayer toutes les actions."),
            lambda r: {"power": 4.5, "way": "uniform", "agent": "QLearning", "capacity": 2, "gamma": 0.8},
        ),
        Number(
            lambda r: Words(f"How much is a reward of 10 worth two months from now, with $\\gamma = {shown(r.gamma)}$?", f"Que vaut aujourd'hui une récompense de 10 dans deux mois, avec $\\gamma = {shown(r.gamma)}$ ?"),
            lambda r: 10 * r.gamma**2,
            Words(r"Each month multiplies by $\gamma$.", r"Chaque mois multiplie par $\gamma$."),
        ),
        Pick(
            Words("Sarsa with a constant exploration of 10 % learns…", "Sarsa avec une exploration constante de 10 % apprend…"),
            {"own": Words("the value of what it does, exploration included", "la valeur de ce qu'il fait, exploration comprise"), "best": Words("the optimal value", "la valeur optimale"), "none": Words("nothing", "rien")},
            "own",
            Words("Its target uses the action that it takes next.", "Sa cible utilise l'action qu'il prend ensuite."),
        ),
    ),
)  # fmt: skip
