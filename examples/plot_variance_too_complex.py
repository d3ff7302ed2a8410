r"""
What does variance look like?
=============================

The same Bézier target, a model of degree eleven. On average over samples it hits the truth, yet every single sample sends it
somewhere else.
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
ax = new_axes(xlabel="x", ylabel="y", title="degree 11: another curve for each sample")
ax.plot(grid, bezier(grid), color=COLOURS[2], lw=2, label="Bézier target, degree 6")
for look in ("o", "+"):
    y = bezier(x) + 0.3 * rng.standard_normal(20)
    ax.plot(x, y, look, color=COLOURS[0], ms=5)
    ax.plot(grid, PolynomialRegression(11).fit(x[:, None], y).predict(grid[:, None]), color=COLOURS[1])
ax.set_ylim(-1.5, 2.5)
legend(ax)

# %%
# Variance dominates: it is :math:`\sigma^2 p / n` on average, whatever the target, as least squares promises.
t = bias_variance(
    PolynomialRegression(11), bezier, noise=0.3, x=x, inputs=x[:, None], repeats=100, random_state=0
).average
assert t.variance > 3 * t.bias2 and abs(t.variance / (0.3**2 * 12 / 20) - 1) < 0.2
print(f"noise {t.noise:.4f} + bias² {t.bias2:.4f} + variance {t.variance:.4f} = {t.epe:.4f}")
