r"""
Exercise: are two classifiers different?
========================================

*Course: S3 §2.1.4, the closing question.* Hebb and the pseudo-inverse have success rates :math:`\tau_1` and
:math:`\tau_2`. When is the difference significant?

On *independent* test bases compare it with its standard deviation, :math:`z = (\tau_1 - \tau_2)/\sqrt{s_1^2 +
s_2^2}`. On *one* base the rates are correlated, and only the rows where exactly one is right count (McNemar): of
:math:`b + c` such rows, half should go to each.
"""

import numpy as np

from epee import Hebb, PseudoInverse
from epee.figures.style import COLOURS, legend, new_axes
from epee.risk import compare_rates, mcnemar

rng = np.random.default_rng(0)
C = np.array([[1.0, 0.8], [0.8, 1.0]])


def draw(n):
    y = rng.choice([-1, 1], n)
    return rng.multivariate_normal([0, 0], C, n) + 0.8 * y[:, None] * [1.0, 0.2], y


X, y = draw(150)
hebb, pseudo = Hebb().fit(X, y), PseudoInverse().fit(X, y)
T, t = draw(200)
a, b = hebb.predict(T), pseudo.predict(T)
right_a, right_b = int((a == t).sum()), int((b == t).sum())

apart = compare_rates(right_a, 200, right_b, 200)
paired = mcnemar(t, a, b)
print(
    f"rates {right_a / 200:.3f} and {right_b / 200:.3f}; as if on two bases p = {apart.p_value:.3f}; paired p = {paired.p_value:.4f}"
)
assert paired.p_value <= apart.p_value  # they err on the same rows, which the paired test knows

# %%
# The tests keep their level: where both rules are the same law, at most 5 % of the differences are called significant.
calls = []
for _ in range(400):
    truth = rng.integers(0, 2, 120)
    flip = rng.random((2, 120)) < 0.2
    calls.append(mcnemar(truth, np.where(flip[0], 1 - truth, truth), np.where(flip[1], 1 - truth, truth)).p_value)
assert np.mean(np.array(calls) < 0.05) < 0.075

grid = np.linspace(0, 1, 50)
ax = new_axes(
    xlabel="p", ylabel="share of p-values below", title="no difference: p-values are nearly uniform", aspect="equal"
)
ax.plot(grid, [np.mean(np.array(calls) <= g) for g in grid], color=COLOURS[0], label="McNemar, exact")
ax.plot(grid, grid, color="#767676", ls=":", label="uniform")
legend(ax)
