r"""
Exercise: the best predictor for an Lp loss
===========================================

*Course: S2 §6.3.1, five questions.* The loss is :math:`|y - h(x)|^p`.
"""

import numpy as np
from scipy import integrate, stats

from epee import KNeighborsRegressor
from epee.figures.style import COLOURS, legend, new_axes
from epee.losses import best_constant

rng = np.random.default_rng(0)

# %%
# **1.** :math:`\frac{d}{dh} \int |y - h|^p\,p(y|x)\,dy = p \int_{-\infty}^h (h - y)^{p-1} p(y|x)\,dy - p
# \int_h^\infty (y - h)^{p-1} p(y|x)\,dy`: zero when the two sides balance. Checked for an exponential law.
law = stats.expon()
for power, answer in ((1.0, np.log(2)), (2.0, 1.0)):
    left = integrate.quad(lambda y: (answer - y) ** (power - 1) * law.pdf(y), 0, answer)[0]  # noqa: B023
    right = integrate.quad(lambda y: (y - answer) ** (power - 1) * law.pdf(y), answer, np.inf)[0]  # noqa: B023
    np.testing.assert_allclose(left, right, rtol=1e-6)

# %%
# **2.** For :math:`p = 1` both sides are probabilities: as much below as above, the conditional median.
y = law.rvs(2001, random_state=1)
np.testing.assert_allclose(best_constant(y, 1.0), np.median(y))
np.testing.assert_allclose(best_constant(y, 2.0), y.mean())
assert best_constant([1.0, 2.0, 3.0, 4.0], 1.0) == 2.5  # an even sample: the middle of the two in the middle

# %%
# **3 and 4.** The :math:`k` nearest neighbours stand for the law at :math:`x`; their mean is the answer for the squared loss,
# their median that for the absolute one.
#
# **5.** One arbitrarily large output among three neighbours carries the mean away and leaves the median between the other two.
x = np.linspace(0, 3, 31)[:, None]
y = np.sin(x[:, 0]) + 0.05 * rng.standard_normal(31)
y[15] = 40.0
mean, median = (KNeighborsRegressor(3, statistic=s).fit(x, y) for s in ("mean", "median"))

grid = np.linspace(0, 3, 300)[:, None]
ax = new_axes(xlabel="x", ylabel="y", title="three neighbours, one outlier (out of the picture)", ylim=(-0.5, 3))
ax.plot(x, y, "o", ms=4, color="#767676")
ax.plot(grid, mean.predict(grid), color=COLOURS[1], label="mean")
ax.plot(grid, median.predict(grid), color=COLOURS[0], label="median")
legend(ax)
at = np.array([[1.5]])
assert mean.predict(at)[0] > 10 and abs(median.predict(at)[0] - np.sin(1.5)) < 0.2
print(f"at 1.5: mean {mean.predict(at)[0]:.2f}, median {median.predict(at)[0]:.2f}, truth {np.sin(1.5):.2f}")
