"""
What is there to learn in a regression?
=======================================

A curve that nobody sees. What one sees are inputs, and outputs that lie about the curve with some noise.
"""

import numpy as np

from epee.figures.style import COLOURS, legend, new_axes

rng = np.random.default_rng(1)
x = np.linspace(0, 1, 10)
t = np.sin(2 * np.pi * x) + 0.2 * rng.standard_normal(10)

grid = np.linspace(0, 1, 200)
ax = new_axes(xlabel="x", ylabel="t", title="ten rows of y = f(x) + noise")
ax.plot(grid, np.sin(2 * np.pi * grid), color=COLOURS[2], label="f, which is not known")
ax.plot(x, t, "o", color=COLOURS[0], ms=7, mfc="none", mew=2, label="what is seen")
legend(ax)

# %%
# The best prediction at :math:`x` for the squared loss is :math:`f(x) = E[Y \mid X = x]`; what is left is noise.
residual = t - np.sin(2 * np.pi * x)
print(f"mean of the noise {residual.mean():.2f}, its variance {residual.var():.3f} (drawn with 0.04)")
