r"""
When are two points far from each other?
========================================

When the cloud between them is thin. Mahalanobis' distance :math:`d^2 = (x - \mu)^\top \Sigma^{-1} (x - \mu)` counts in standard
deviations of the cloud, so its circles are ellipses along the principal axes.
"""

import numpy as np

from epee import GaussianDensity
from epee.figures.style import COLOURS, new_axes

rng = np.random.default_rng(0)
X = rng.multivariate_normal([0, 0], [[2.0, 1.3], [1.3, 1.2]], size=250)
cloud = GaussianDensity().fit(X)

side = np.linspace(-5, 5, 150)
grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
distance = np.sqrt(cloud.mahalanobis(grid)).reshape(150, 150)
a, b = np.array([2.0, 1.5]), np.array([1.5, -2.0])  # equally far for Euclid

ax = new_axes(title="one, two, three deviations away", aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
ax.plot(*X.T, ".", ms=4, color="#AAAAAA")
ax.contour(side, side, distance, levels=[1, 2, 3], colors=COLOURS[0])
for point, name in ((a, "a"), (b, "b")):
    ax.plot(*point, "o", color=COLOURS[1])
    ax.annotate(name, point + 0.15, color=COLOURS[1], fontsize=12)

# %%
# Along the cloud the step is small, across it is large; after whitening both are Euclid's.
d2 = cloud.mahalanobis(np.stack([a, b]))
white = np.linalg.solve(np.linalg.cholesky(np.cov(X.T, bias=True)), (np.stack([a, b]) - X.mean(0)).T)
np.testing.assert_allclose(d2, (white**2).sum(axis=0), rtol=1e-6)
print(f"|a| = |b| = {np.linalg.norm(a):.2f}; Mahalanobis {np.sqrt(d2[0]):.2f} and {np.sqrt(d2[1]):.2f}")
