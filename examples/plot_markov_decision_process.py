r"""
What is a Markov decision process?
==================================

States, actions, the chances :math:`p(s' \mid s, a)` of what comes next and the rewards :math:`r(s, a)`. The past matters only
through the present state. Drawn here: the yard of a car dealer who has room for two.
"""

import numpy as np

from epee.figures.style import COLOURS, new_axes
from epee.mdp import car_dealer

process = car_dealer(2, 10.0, 6.0, 0.5, 0.9)
best = process.policy_iteration()

ax = new_axes(size=(7, 3.4), title="two cars at most; under the best policy each next stock has chance 1/3")
ax.grid(False)
spots = {s: (2.2 * s, 0.0) for s in range(3)}
for s, spot in spots.items():
    a = int(best.policy[s])
    chances = process.transitions[s, a]
    np.testing.assert_allclose(chances, 1 / 3)  # the order fills the yard, and any number is sold
    for t in np.flatnonzero(chances):
        if t != s:
            ax.annotate("", spots[t], spot, arrowprops={
                "arrowstyle": "-|>", "lw": 1 + 3 * chances[t], "color": COLOURS[1], "alpha": 0.7, "shrinkA": 22, "shrinkB": 22,
                "connectionstyle": "arc3,rad=-0.35",
            })  # fmt: skip
    ax.text(
        *spot,
        f"{s} in\nstock",
        ha="center",
        va="center",
        bbox={"boxstyle": "circle,pad=0.5", "fc": "#EEF4F8", "ec": COLOURS[0]},
    )
    ax.text(spot[0], -1.45, f"order {a}\nvalue {best.values[s]:.1f}", ha="center", fontsize=9)
ax.set(xlim=(-1, 5.4), ylim=(-1.9, 1.6))
ax.set_axis_off()

# %%
# The best policy satisfies Bellman's equation: no single change of an action gains anything.
np.testing.assert_allclose(best.values, best.q.max(axis=1))
print(best.q.round(2))
