r"""
Exercise: the optimal binary classifier
=======================================

*Course: S2 §6.3.2, eleven questions.* :math:`X` is uniform on :math:`[0, 1]` and :math:`P(Y = 1 \mid x) = x^2`.
"""

import numpy as np

from epee import KNeighborsClassifier, OptimalClassifier
from epee.figures.style import COLOURS, legend, new_axes
from epee.risk import holdout_error

rng = np.random.default_rng(3)

# %%
# **1.** Two samples of ten: inputs anywhere, ones more and more frequent to the right.


def draw(n):
    x = rng.random(n)
    return x[:, None], (rng.random(n) < x**2).astype(int)


(x1, y1), (x2, y2) = draw(10), draw(10)

# %%
# **2 and 3.** The nearest neighbour of the first sample: a step function that repeats every accident of the sample. On the
# second sample it errs where the accidents differ.
nearest = KNeighborsClassifier(1).fit(x1, y1)
grid = np.linspace(0, 1, 500)[:, None]
ax = new_axes(xlabel="x", ylabel="y", title="two samples, one nearest neighbour")
ax.plot(grid, grid**2, color=COLOURS[2], label="P(Y = 1 | x)")
ax.plot(grid, nearest.predict(grid), color=COLOURS[0], lw=1, label="nearest neighbour of the first sample")
ax.plot(x1, y1, "o", color=COLOURS[0])
ax.plot(x2, y2 + 0.03, "+", color=COLOURS[1], ms=9, mew=2, label="second sample")
ax.axvline(2**-0.5, color="#767676", ls=":")
legend(ax, loc="center left")
assert nearest.score(x1, y1) == 1.0
print(f"nearest neighbour on the second sample: {holdout_error(nearest, x2, y2)}")

# %%
# **4 to 7.** The 0-1 loss counts errors. Given :math:`x`, deciding 1 costs :math:`1 - P(1|x)` and deciding 0 costs
# :math:`P(1|x)`: the conditional risk is least for the more probable class, 1 if and only if :math:`x^2 > \frac12`,
# that is :math:`x > 1/\sqrt2`.
best = OptimalClassifier(posterior=lambda x: x**2, support=(0, 1))
assert best.predict([0.70, 0.71]).tolist() == [0, 1]

# %%
# **8.** :math:`EPE = \int_0^{1/\sqrt2} x^2 dx + \int_{1/\sqrt2}^1 (1 - x^2) dx = \frac13 2^{-3/2} + 1 - 2^{-1/2} -
# \frac13 (1 - 2^{-3/2}) = \frac{2 - \sqrt2}{3} \approx 0.195`.
np.testing.assert_allclose(best.epe(), (2 - np.sqrt(2)) / 3, rtol=1e-12)
X, y = draw(200_000)
np.testing.assert_allclose(np.mean((X[:, 0] > 2**-0.5) != y), best.epe(), atol=0.004)

# %%
# **9.** Because the law is known here, which it never is in practice: there one has a sample of it.
#
# **10.** :math:`r(x) = 0 \cdot P(0|x) + 1 \cdot P(1|x) = x^2`: for labels 0 and 1 the regression is the probability of 1.
#
# **11.** :math:`R_r = \int x^2 (1 - x^2) dx = \frac13 - \frac15 = \frac2{15}`.
np.testing.assert_allclose(best.epe("squared"), 2 / 15, rtol=1e-12)
assert best.risk(nearest) >= best.epe()
print(
    f"EPE of the best {best.epe():.4f}, of this nearest neighbour {best.risk(nearest):.4f}; squared {best.epe('squared'):.4f}"
)
