r"""
Should a predictor throw dice?
==============================

Drawing the class from :math:`P(g \mid x)` errs with probability :math:`1 - \sum_g P(g \mid x)^2`, at most twice as often as always taking
the most probable one, and never less often.
"""

import numpy as np

from epee import LinearDiscriminantAnalysis, RandomisedClassifier
from epee.figures.style import COLOURS, legend, new_axes

rng = np.random.default_rng(0)
y = np.arange(400) % 2
X = rng.standard_normal((400, 1)) + 2 * y[:, None]
drawn = RandomisedClassifier(LinearDiscriminantAnalysis()).fit(X, y)
grid = np.linspace(-3, 5, 200)[:, None]
P = drawn.law(grid)
ax = new_axes(xlabel="x", ylabel="probability of an error")
ax.plot(grid, 1 - P.max(axis=1), color=COLOURS[0], label="the most probable class")
ax.plot(grid, drawn.expected_cost(grid), color=COLOURS[1], label="a class drawn from the posterior")
ax.plot(grid, 2 * (1 - P.max(axis=1)), ":", color=COLOURS[0], lw=1)
legend(ax)

# %%
assert (drawn.expected_cost(grid) >= 1 - P.max(axis=1) - 1e-12).all()
print(f"mean error {drawn.expected_cost(X).mean():.3f} by dice, {(1 - drawn.law(X).max(axis=1)).mean():.3f} without")
