"""
What does a prediction cost?
============================

The vertical gaps between what was said and what came, each passed through a loss, and averaged: the empirical risk.
"""

import numpy as np

from epee import PolynomialRegression
from epee.figures.style import COLOURS, legend, new_axes
from epee.risk import empirical_risk

rng = np.random.default_rng(1)
x = np.linspace(0, 1, 10)
t = np.sin(2 * np.pi * x) + 0.2 * rng.standard_normal(10)

model = PolynomialRegression(3).fit(x[:, None], t)
said = model.predict(x[:, None])

grid = np.linspace(0, 1, 200)
ax = new_axes(xlabel="x", ylabel="t", title="a predictor and its gaps")
ax.vlines(x, np.minimum(t, said), np.maximum(t, said), color="#767676", lw=1.5, label="gaps")
ax.plot(grid, model.predict(grid[:, None]), color=COLOURS[1], label="predictor")
ax.plot(x, t, "o", color=COLOURS[0], ms=6, label="rows")
legend(ax)

# %%
# The squared loss counts the square of each gap, the absolute one its length.
np.testing.assert_allclose(empirical_risk(model, x[:, None], t), np.mean((t - said) ** 2))
np.testing.assert_allclose(empirical_risk(model, x[:, None], t, loss="absolute"), np.mean(np.abs(t - said)))
print(f"squared {empirical_risk(model, x[:, None], t):.4f}")
