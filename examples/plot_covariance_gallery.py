"""
What does a covariance matrix look like?
========================================

A cloud: variances stretch it along the axes, the covariance tilts it.
"""

import numpy as np

from epee import Moments
from epee.figures.style import COLOURS, new_grid

rng = np.random.default_rng(0)
matrices = [
    np.diag([1, 1]),
    np.diag([3, 0.4]),
    [[1, 0.8], [0.8, 1]],
    [[1, -0.8], [-0.8, 1]],
    [[3, 1], [1, 0.6]],
    [[0.3, 0], [0, 0.3]],
]
axes = new_grid(2, 3, size=(8, 5.4), sharex=True, sharey=True)
for ax, C in zip(axes.flat, matrices, strict=True):
    C = np.asarray(C, float)
    X = rng.standard_normal((400, 2)) @ np.linalg.cholesky(C).T  # x = L z with L L' = C
    ax.plot(*X.T, ".", ms=3, alpha=0.5)
    turn = np.linspace(0, 2 * np.pi, 100)
    ax.plot(*(2 * np.linalg.cholesky(C) @ [np.cos(turn), np.sin(turn)]), color=COLOURS[1])
    ax.set(title=f"[{C[0, 0]:g} {C[0, 1]:g}; {C[1, 0]:g} {C[1, 1]:g}]", aspect="equal", xlim=(-5, 5), ylim=(-4, 4))
    assert np.abs(Moments.of(X).covariance() - C).max() < 0.5

# %%
# No covariance does not mean independent: for a symmetric :math:`x`, the pair :math:`(x, x^2)` has covariance zero.
x = np.linspace(-1, 1, 201)
assert abs(Moments.of(np.column_stack([x, x**2])).covariance()[0, 1]) < 1e-12
print("cov(x, x²) = 0, and x² is a function of x")
