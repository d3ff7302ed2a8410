r"""
Which degree does this sample deserve?
======================================

Polynomials of degree :math:`M` are nested: each class contains the one before, so the training error can only fall. At
:math:`M = 9` ten points are met exactly, and the curve is useless between them. (The weights live in
:math:`\mathbb R^{M+1}`; equation 2.12 of the course forgets the constant.)
"""

import numpy as np

from epee import PolynomialRegression
from epee.figures.style import COLOURS, new_grid
from epee.risk import empirical_risk

rng = np.random.default_rng(1)
x = np.linspace(0, 1, 10)
X, t = x[:, None], np.sin(2 * np.pi * x) + 0.2 * rng.standard_normal(10)
grid = np.linspace(0, 1, 300)

errors = []
axes = new_grid(2, 2, size=(8, 6), sharex=True, sharey=True)
for ax, degree in zip(axes.flat, (0, 1, 3, 9), strict=True):
    model = PolynomialRegression(degree).fit(X, t)
    errors.append(empirical_risk(model, X, t))
    ax.plot(grid, np.sin(2 * np.pi * grid), color=COLOURS[2], lw=1)
    ax.plot(grid, model.predict(grid[:, None]), color=COLOURS[1])
    ax.plot(x, t, "o", color=COLOURS[0], ms=5)
    ax.set(title=f"M = {degree}, training error {errors[-1]:.4f}", ylim=(-2, 2))

# %%
# Nested classes, falling training errors, and none left at degree nine.
assert (np.diff(errors) <= 1e-12).all() and errors[-1] < 1e-12
print(np.round(errors, 4))
