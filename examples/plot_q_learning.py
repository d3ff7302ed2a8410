r"""
Can the best policy be learned without knowing the law?
=======================================================

Yes, by trying. Q-learning moves one number a step,
:math:`Q(s, a) \leftarrow Q(s, a) + \alpha\,[r + \gamma \max_b Q(s', b) - Q(s, a)]`, and goes to the true values if every pair is
tried again and again with steps that shrink at the right pace.
"""

import numpy as np

from epee.mdp import QLearning, car_dealer

process = car_dealer(3, 10.0, 4.0, 1.0, 0.8)
exact = process.value_iteration()
agent = QLearning(exploration="uniform", random_state=0).learn(process, 200_000)
agent.trace_.plot()

# %%
# The greedy policy of what was learned is the one that dynamic programming computes from the law.
assert (agent.policy_ == exact.policy).all()
print(f"policy {agent.policy_.tolist()}, largest error of a value {np.abs(agent.values_ - exact.values).max():.3f}")
