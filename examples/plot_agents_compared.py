r"""
What do other agents learn?
===========================

TD(:math:`\lambda`) learns the value of a policy, R-learning the reward a step without discount, and backward induction needs no learning:
with a horizon of :math:`H` steps, :math:`V_t = \max_a (r + \sum p V_{t+1})` from the end.
"""

import numpy as np

from epee.figures.style import COLOURS, INK, legend, new_grid
from epee.mdp import RLearning, TDLambda, car_dealer, random_walk

walk, process = random_walk(7), car_dealer(3, 10.0, 4.0, 1.0, 0.8)
axes = new_grid(1, 3, size=(11.5, 3.5))[0]
exact = walk.evaluate([0] * 9).values
axes[0].plot(exact[1:-1], "o-", color=INK, label="exact")
for k, lam in enumerate((0.0, 0.9)):
    agent = TDLambda(trace_decay=lam, random_state=0).learn(walk, 3000)
    axes[0].plot(agent.values_[1:-1], "s--", ms=4, color=COLOURS[k], label=f"TD({lam:g})")
axes[0].set(title="value of a walk", xlabel="state")
legend(axes[0])
gain = RLearning(random_state=0, exploration="uniform").learn(process, 30_000)
axes[1].plot(gain.trace_.steps, gain.trace_.reward, color=COLOURS[2])
axes[1].set(title="R-learning: reward a step", xlabel="steps")
horizons = np.arange(1, 25)
axes[2].plot(
    horizons,
    [float(np.ravel(process.backward_induction(int(h)).values)[0]) for h in horizons],
    "o-",
    ms=3,
    color=COLOURS[3],
)
axes[2].axhline(process.value_iteration().values[0], color=INK, lw=1, ls="--")
axes[2].set(title="value of an empty yard", xlabel="horizon")

# %%
# With discount, a long horizon is as good as an endless one.
assert abs(np.ravel(process.backward_induction(60).values)[0] - process.value_iteration().values[0]) < 1e-3
print("the horizon is forgotten")
