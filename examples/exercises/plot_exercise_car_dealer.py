r"""
Exercise: the car dealer
========================

*Course: S2 §9.4, three questions.* Each Monday Ronan orders cars at :math:`d` apiece; they join the :math:`s` in
stock, at most :math:`S`. In the week he sells :math:`k` of them at :math:`c`, any number being as likely; each car
left costs :math:`u`.

*Precision.* The discounted sum needs :math:`\gamma < 1`; the course allows :math:`\gamma \le 1`.
"""

import numpy as np

from epee.figures.style import legend, new_axes
from epee.mdp import QLearning, car_dealer

S, c, d, u, gamma = 6, 10.0, 4.0, 1.0, 0.8

# %%
# **1.** Decisions are taken on Mondays. The state is the stock :math:`s \in \{0 \dots S\}`, an action orders :math:`a
# \in \{0 \dots S - s\}`. With :math:`s + a` cars for sale, :math:`P(s' | s, a) = \frac1{s + a + 1}` for :math:`s' = 0
# \dots s + a`, and :math:`r(s, a, s') = c\,(s + a - s') - d\,a - u\,s'`.
process = car_dealer(S, c, d, u, gamma)
for s in range(S + 1):
    for a in range(S - s + 1):
        left = np.arange(s + a + 1)
        r = np.mean(c * (s + a - left) - d * a - u * left)
        np.testing.assert_allclose(process.rewards[s, a], r)
        law = np.r_[np.full(s + a + 1, 1 / (s + a + 1)), np.zeros(S - s - a)]
        np.testing.assert_allclose(process.transitions[s, a], law)

# %%
# **2.** The law is known: dynamic programming. Unknown: learn from weeks as they come, by Q-learning.
exact = process.value_iteration()
np.testing.assert_allclose(exact.values, process.policy_iteration().values, atol=1e-6)
agent = QLearning(exploration="uniform", random_state=0).learn(process, 400_000)
regret = exact.values - process.evaluate(agent.policy_).values
assert regret.max() < 0.02 * exact.values.max()

# %%
# Dearer cars to sell can only help, dearer ones to buy or keep can only hurt.
for change in ({"price": c + 1}, {"purchase": d - 1}, {"storage": u - 0.5}):
    terms = {"price": c, "purchase": d, "storage": u} | change
    better = car_dealer(S, terms["price"], terms["purchase"], terms["storage"], gamma).value_iteration()
    assert (better.values >= exact.values - 1e-7).all()

# %%
# **3.** Delivered next Monday, only the :math:`s` cars in stock can be sold: :math:`k` is uniform on :math:`0 \dots
# s`, the next stock is :math:`s - k + a`, and an order must leave room whatever is sold, :math:`a \le S - s`.
process = car_dealer(S, c, d, u, gamma, delivery="next")
for s in range(S + 1):
    for a in range(S - s + 1):
        law = np.r_[np.zeros(a), np.full(s + 1, 1 / (s + 1)), np.zeros(S - s - a)]
        np.testing.assert_allclose(process.transitions[s, a], law)
later = process.value_iteration()
ax = new_axes(xlabel="stock on Monday", ylabel="value", title="what a stock is worth")
ax.plot(exact.values, "o-", label="delivered at once")
ax.plot(later.values, "o-", label="delivered next Monday")
legend(ax)
assert (later.values <= exact.values + 1e-7).all()
print(f"order at once {exact.policy.tolist()}, for next week {later.policy.tolist()}")
