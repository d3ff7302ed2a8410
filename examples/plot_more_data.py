"""
What cures overfitting?
=======================

More rows, where they can be had. A polynomial of degree nine that was useless on ten rows is a fine predictor on a thousand.
"""

import numpy as np

from epee import PolynomialRegression
from epee.figures.style import COLOURS, new_grid

rng = np.random.default_rng(1)
grid = np.linspace(0, 1, 300)
truth = np.sin(2 * np.pi * grid)

gaps = []
axes = new_grid(1, 3, size=(10, 3), sharey=True)[0]
for ax, n in zip(axes, (10, 30, 1000), strict=True):
    x = np.linspace(0, 1, n)
    t = np.sin(2 * np.pi * x) + 0.2 * rng.standard_normal(n)
    curve = PolynomialRegression(9).fit(x[:, None], t).predict(grid[:, None])
    gaps.append(np.mean((curve - truth) ** 2))
    ax.plot(x, t, "o", ms=3, alpha=0.4)
    ax.plot(grid, truth, color=COLOURS[2], lw=1)
    ax.plot(grid, curve, color=COLOURS[1])
    ax.set(title=f"{n} rows, degree 9", ylim=(-2, 2))

# %%
# The squared gap to the curve falls as one over the number of rows.
assert (np.diff(gaps) < 0).all()
print(np.round(gaps, 5))
