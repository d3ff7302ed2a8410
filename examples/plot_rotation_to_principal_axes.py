"""
What does PCA do to a cloud of points?
======================================

It turns the axes until the first one follows the longest spread of the cloud, and the second one what is left. On the
new axes the coordinates are uncorrelated, and their variances are the eigenvalues of the covariance matrix.
"""

import numpy as np

from epee import PCA
from epee.figures.style import COLOURS, new_grid

rng = np.random.default_rng(0)
X = rng.multivariate_normal([2.0, 1.0], [[2.0, 1.2], [1.2, 1.0]], size=300)

pca = PCA().fit(X)
Z = pca.transform(X)
np.testing.assert_allclose(np.cov(Z.T, bias=True)[0, 1], 0, atol=1e-12)

left, right = new_grid(1, 2)[0]
left.scatter(*X.T, s=8, alpha=0.5)
for k in range(2):
    arrow = 2 * np.sqrt(pca.explained_variance_[k]) * pca.components_[k]
    left.annotate("", pca.mean_ + arrow, pca.mean_, arrowprops={"arrowstyle": "->", "color": COLOURS[1], "lw": 2})
left.set(title="the cloud and its principal axes", xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
right.scatter(*Z.T, s=8, alpha=0.5)
right.set(title="the same rows on these axes", xlabel="first component", ylabel="second component", aspect="equal")

# %%
# The first axis carries most of the variance of this cloud, and no line through its mean carries more.
print(pca.explained_variance_ratio_.round(3))
