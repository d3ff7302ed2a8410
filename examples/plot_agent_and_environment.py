"""
Who tells a reinforcement learner what is right?
================================================

Nobody. The agent acts, the environment answers with a new state and a reward, and that is all the agent learns from.
"""

import numpy as np

from epee.figures.style import COLOURS, new_axes
from epee.mdp import car_dealer

ax = new_axes(size=(6, 3), title="the loop of decisions")
ax.grid(False)
for x, word in ((0.2, "agent"), (0.8, "environment")):
    ax.text(
        x,
        0.5,
        word,
        ha="center",
        va="center",
        fontsize=13,
        bbox={"boxstyle": "round,pad=0.8", "fc": "#EEF4F8", "ec": COLOURS[0]},
    )
for begin, end, word, height, bend in (
    ((0.2, 0.66), (0.8, 0.66), "action $a_t$", 0.92, -0.35),
    ((0.8, 0.34), (0.2, 0.34), "state $s_{t+1}$, reward $r_t$", 0.06, -0.35),
):
    ax.annotate(
        "",
        end,
        begin,
        arrowprops={"arrowstyle": "-|>", "lw": 2, "color": COLOURS[1], "connectionstyle": f"arc3,rad={bend}"},
    )
    ax.text(0.5, height, word, ha="center", va="center", fontsize=11)
ax.set(xlim=(0, 1), ylim=(0, 1))
ax.set_axis_off()

# %%
# Three turns of the loop: a dealer with a policy that always fills the yard.
process = car_dealer(4, 10.0, 6.0, 0.5, 0.9)
walk = process.simulate(np.array([4, 3, 2, 1, 0]), 3, random_state=0)
for s, a, r, s2 in zip(walk.states, walk.actions, walk.rewards, walk.next_states, strict=False):
    print(f"in stock {s}, ordered {a}: earned {r:.1f}, next Monday {s2} in stock")
