"""
What changes when the sample changes?
=====================================

Two samples share the inputs and the curve; only the noise was drawn again. A predictor learned on one differs from that
learned on the other, and by how much is the variance of the bias-variance decomposition.
"""

import numpy as np

from epee import PolynomialRegression
from epee.figures.style import COLOURS, legend, new_axes

rng = np.random.default_rng(0)
x = np.linspace(0, 1, 15)
truth = np.sin(2 * np.pi * x)
first, second = (truth + 0.25 * rng.standard_normal(15) for _ in range(2))

grid = np.linspace(0, 1, 200)
ax = new_axes(xlabel="x", ylabel="y", title="one curve, two samples")
ax.plot(grid, np.sin(2 * np.pi * grid), color=COLOURS[0], label="f")
ax.plot(x, first, "o", color=COLOURS[1], label="first sample")
ax.plot(x, second, "+", color=COLOURS[1], ms=9, mew=2, label="second sample")
legend(ax)

# %%
# Both predictors are right in the same measure, and they disagree.
fits = [PolynomialRegression(6).fit(x[:, None], y).predict(grid[:, None]) for y in (first, second)]
gap = np.sqrt(np.mean((fits[0] - fits[1]) ** 2))
print(f"predictors of degree 6 differ by {gap:.2f} on average, with a noise of 0.25")
assert not np.allclose(first, second) and gap > 0.05
