r"""
What does bias look like?
=========================

The target is a Bézier curve of degree six; the model is a parabola. Whatever the sample, the parabola misses the curve in the
same places: the average over samples is far from the truth, and two samples give nearly the same answer.
"""

from math import comb

import numpy as np

from epee import PolynomialRegression
from epee.figures.style import COLOURS, legend, new_axes
from epee.risk import bias_variance

corners = np.array([0.0, 3.0, -2.0, 2.0, -1.5, 2.5, 0.5])


def bezier(X):
    t = np.asarray(X).reshape(-1, 1)
    return np.concatenate([comb(6, j) * t**j * (1 - t) ** (6 - j) for j in range(7)], axis=1) @ corners


x = np.linspace(0, 1, 20)
rng = np.random.default_rng(0)
grid = np.linspace(0, 1, 200)
ax = new_axes(xlabel="x", ylabel="y", title="degree 2: the same mistake each time")
ax.plot(grid, bezier(grid), color=COLOURS[2], lw=2, label="Bézier target, degree 6")
for look in ("o", "+"):
    y = bezier(x) + 0.3 * rng.standard_normal(20)
    ax.plot(x, y, look, color=COLOURS[0], ms=5)
    ax.plot(grid, PolynomialRegression(2).fit(x[:, None], y).predict(grid[:, None]), color=COLOURS[1])
legend(ax)

# %%
# Bias dominates, and the three terms add up.
t = bias_variance(
    PolynomialRegression(2), bezier, noise=0.3, x=x, inputs=x[:, None], repeats=60, random_state=0
).average
assert t.bias2 > 2 * t.variance and abs(t.noise + t.bias2 + t.variance - t.epe) < 1e-12
print(f"noise {t.noise:.4f} + bias² {t.bias2:.4f} + variance {t.variance:.4f} = {t.epe:.4f}")
