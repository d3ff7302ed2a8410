r"""Markov decision processes: a walker on a slippery grid, by value iteration or by trial and error.

.. math:: V(\sigma) = \max_a \sum_{\sigma'} p(\sigma' | \sigma, a)\,[r(\sigma, a, \sigma') + \gamma V(\sigma')].
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.figures.mdp import draw_grid
from epee.figures.style import COLOURS, INK
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, shown
from epee.words.catalogue import Words

SWEEPS = 30
TRIALS = [100, 300, 1000, 3000, 10_000, 30_000]
MAPS = {
    "small": Words("a small house", "une petite maison"),
    "bridge": Words("a bridge", "un pont"),
    "maze": Words("a maze", "un labyrinthe"),
}
ROWS = {
    "small": ["...G", ".#.T", "S..."],
    "bridge": [".TTTT.", "S....G", ".TTTT."],
    "maze": ["S.#....", ".##.##.", "....#..", ".#.##.#", ".#...TG"],
}


@lru_cache(maxsize=64)
def solved(map_: str, slip: float, living: float, discount: float):
    """Return its exact solution, and the values and policies after 0 to 30 sweeps from 0: those of a horizon of as many steps."""
    from epee import mdp

    world = mdp.gridworld(ROWS[map_], slip=slip, living=living, discount=discount)
    horizon = world.backward_induction(SWEEPS)
    return world, world.policy_iteration(), np.asarray(horizon.values)[::-1], np.asarray(horizon.policy)[::-1]


@lru_cache(maxsize=128)
def learned(map_: str, slip: float, living: float, discount: float, steps: int):
    """Return the Q-values that an agent found by trial and error."""
    from epee import mdp

    world = solved(map_, slip, living, discount)[0]
    agent = mdp.QLearning(discount=discount, exploration=mdp.EpsilonGreedy(0.3), random_state=0)
    agent.learn(world, steps, episode_length=60)
    return np.asarray(agent.values_), np.asarray(agent.policy_)


def compute(state: State) -> Results:
    slip, living, discount = float(state["slip"]), float(state["living"]), float(state["discount"])
    _, best, values, policies = solved(state["map"], slip, living, discount)
    k = int(state["effort"])
    if state["how"] == "sweeps":
        V, policy = values[k], policies[max(k - 1, 0)]
        gaps = np.array([np.abs(v - best.values).max() for v in values])
    else:
        gaps = np.array(
            [np.abs(learned(state["map"], slip, living, discount, s)[0] - best.values).max() for s in TRIALS]
        )
        k = min(k, len(TRIALS) - 1)
        V, policy = learned(state["map"], slip, living, discount, TRIALS[k])
    letters = best.grid["letters"]
    begin = int(np.flatnonzero((letters == "S").ravel())[0])
    right = float(np.mean((np.asarray(policy) == np.asarray(best.policy))[np.isin(letters.ravel(), [".", "S"])]))
    return Results(V=V, policy=policy, grid=best.grid, best=best, gaps=gaps, k=k, begin=begin, here=float(V[begin]), value=float(best.values[begin]), first=int(best.policy[begin]),
                   q=np.asarray(best.q)[begin], right=right, how=state["how"], slip=slip, living=living, discount=discount)  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    height, width = r.grid["shape"]
    left = panel(size=(max(3.6, 0.85 * width + 0.9), max(3.0, 0.85 * height + 0.3)))
    draw_grid(r.V, r.policy, r.grid, left)
    words = (
        ("balayages" if fr else "sweeps")
        if r.how == "sweeps"
        else ("essais : 100, 300, … 30 000 pas" if fr else "trials: 100, 300, … 30,000 steps")
    )
    right = panel(
        size=(5.4, 3.4),
        xlabel=words,
        ylabel="plus grand écart à l'optimum" if fr else "largest distance to the optimum",
        yscale="log",
    )
    right.plot(np.maximum(r.gaps, 1e-10), ".-", color=COLOURS[0])
    right.plot([r.k], [max(r.gaps[r.k], 1e-10)], "o", ms=10, color=COLOURS[1])
    if r.how == "sweeps":
        k = np.arange(len(r.gaps))
        right.plot(k, r.gaps[0] * r.discount**k, color=INK, lw=0.8, ls=":", label=r"$\gamma^k$")
        right.legend(frameon=False)
    return [left.figure, right.figure]


ARROWS = ["↑", "→", "↓", "←"]


def formula(r: Results) -> Words:
    names = (r"\uparrow", r"\rightarrow", r"\downarrow", r"\leftarrow")
    q = r",\quad ".join(rf"Q({n}) = {shown(v)}" for n, v in zip(names, r.q))
    rule = (
        rf"V_{{k+1}}(s) = \max_a \sum_{{s'}} p(s'|s,a)\,[\,r + \gamma V_k(s')\,], \qquad \gamma = {shown(r.discount)}" if r.how == "sweeps"
        else rf"Q(s,a) \leftarrow Q(s,a) + \alpha\,[\,r + \gamma \max_b Q(s',b) - Q(s,a)\,], \qquad \gamma = {shown(r.discount)}"
    )  # fmt: skip
    lines = blocks(rule, q, rf"V(S) = {shown(r.here)}, \qquad V^*(S) = {shown(r.value)}")
    return Words(
        "The best values of the four moves from the start S:\n\n" + lines,
        "Les meilleures valeurs des quatre mouvements depuis le départ S :\n\n" + lines,
    )


def answer(r: Results) -> Words:
    p = f"{100 * r.right:.0f}"
    return Words(f"From S the best first move is **{ARROWS[r.first]}**, worth {shown(r.value, 3)}. The arrows shown agree with the best policy in **{p} %** of the cells.",
                 f"Depuis S, le meilleur premier mouvement est **{ARROWS[r.first]}**, et vaut {shown(r.value, 3)}. Les flèches montrées s'accordent avec la meilleure politique dans **{p} %** des cases.")  # fmt: skip


def code(state: State) -> str:
    t, k, discount = in_language(state), int(state["effort"]), float(state["discount"])
    if state["how"] == "sweeps":
        found = f"""values = world.backward_induction({SWEEPS}).values[::-1][{k}]  # {t("after so many sweeps from 0", "après autant de balayages depuis 0")}"""
    else:
        found = f"""agent = mdp.QLearning(discount={discount}, exploration=mdp.EpsilonGreedy(0.3), random_state=0)
agent.learn(world, {TRIALS[min(k, len(TRIALS) - 1)]}, episode_length=60)
values = agent.values_  # {t("by trial and error", "par essai-erreur")}"""
    return f"""import numpy as np
from epee import mdp

world = mdp.gridworld({ROWS[state["map"]]!r}, slip={float(state["slip"])}, living={float(state["living"])}, discount={discount})
best = world.policy_iteration()
begin = int(np.flatnonzero((best.grid["letters"] == "S").ravel())[0])
{found}
value = values[begin]
print("{t("value of the start, found and best", "valeur du départ, trouvée et optimale")}", value, best.values[begin])
"""


LAB = Lab(
    id="decision_process",
    title=Words("Markov decision processes", "Processus décisionnels de Markov"),
    question=Words("Which way to go when the floor is slippery?", "Par où aller quand le sol est glissant ?"),
    story=Words("G pays 1, T costs 1, each step costs a little. With some probability the walker slips sideways. Colours are values, arrows the policy: computed by sweeps, or learned by trial and error.",
                "G rapporte 1, T coûte 1, chaque pas coûte un peu. Avec une certaine probabilité, le marcheur glisse de côté. Les couleurs sont les valeurs, les flèches la politique : calculées par balayages, ou apprises par essai-erreur."),
    controls=(
        Choice("map", Words("map", "carte"), MAPS, "small"),
        Choice("how", Words("by", "par"), {"sweeps": Words("value iteration", "itération de la valeur"), "trials": Words("Q-learning", "Q-apprentissage")}, "sweeps"),
        Slider("effort", Words("effort (sweeps, or stages of trials)", "effort (balayages, ou étapes d'essais)"), spread(0, SWEEPS, 1), 3),
        Slider("slip", Words("slip", "glissade"), spread(0, 0.8, 0.1), 0.2),
        Slider("living", Words("reward of each step", "récompense de chaque pas"), [-2.0, -1.0, -0.5, -0.2, -0.1, -0.04, 0.0], -0.04),
        Slider("discount", Words("discount γ", "actualisation γ"), [0.5, 0.8, 0.9, 0.95, 0.99], 0.95),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("value", lambda r: r.here),
    exercises=(
        Number(Words("A reward of 1 comes in 3 steps (the third pays). With $\\gamma = 0.9$ and nothing else, what is it worth now?", "Une récompense de 1 arrive dans 3 pas (le troisième paie). Avec $\\gamma = 0.9$ et rien d'autre, que vaut-elle maintenant ?"),
               lambda r: 0.81, Words("The first step is not discounted: $\\gamma^0, \\gamma^1, \\gamma^2$.", "Le premier pas n'est pas actualisé : $\\gamma^0, \\gamma^1, \\gamma^2$."), Words("Right: $\\gamma^2$.", "Juste : $\\gamma^2$."), tolerance=0.005),
        Goal(Words("On the small house, make the walker so hurried that it prefers the trap T to walking on: the cell below T should point up.", "Dans la petite maison, rendre le marcheur si pressé qu'il préfère le piège T à continuer : la case sous T doit pointer vers le haut."),
             lambda r: r.grid["shape"] == (3, 4) and int(r.best.policy[11]) == 0,
             Words("Make each step cost more.", "Faire payer chaque pas plus cher."), lambda r: {"map": "small", "living": -2.0},
             Words("Right: rewards are taken literally.", "Juste : les récompenses sont prises au mot.")),
        Pick(Words("After k sweeps from 0, the error is at most…", "Après k balayages depuis 0, l'erreur est au plus…"),
             {"gk": Words("γ to the power k times the first error", "γ puissance k fois la première erreur"), "k": Words("the first error divided by k", "la première erreur divisée par k"), "none": Words("nothing can be said", "on ne peut rien dire")}, "gk",
             Words("The update is a contraction.", "La mise à jour est une contraction."),
             Words("Right: the dotted line of the picture.", "Juste : la ligne pointillée de la figure.")),
    ),
)  # fmt: skip
