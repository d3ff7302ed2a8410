r"""
What is a fitted law good for?
==============================

It fills missing cells by their conditional mean :math:`\mu_m + \Sigma_{mo}\Sigma_{oo}^{-1}(x_o - \mu_o)`, draws new rows that look like
the old ones, and, where counts are counted, its mean is the maximum-likelihood rate. With known labels the maximum needs no EM.
"""

import numpy as np

from epee import GaussianDensity, GaussianMixture, PoissonMixture, QuadraticDiscriminantAnalysis, samples
from epee.figures.style import COLOURS, QUIET, legend, new_grid

rng = np.random.default_rng(0)
X = samples.load("faithful").to_numpy(float)
holes = X.copy()
holes[rng.random(len(X)) < 0.3, 1] = np.nan
filled = GaussianDensity().fit(holes).impute(holes)
mixture = GaussianMixture(2, random_state=0).fit(X)
drawn = mixture.sample(272)[0]
axes = new_grid(1, 3, size=(11.5, 3.5))[0]
gone = np.isnan(holes[:, 1])
axes[0].plot(*X[~gone].T, ".", color=QUIET)
axes[0].plot(*filled[gone].T, "x", color=COLOURS[1], label="filled")
axes[0].set(title="missing waiting times")
axes[1].plot(*X.T, ".", color=QUIET, label="seen")
axes[1].plot(*drawn.T, ".", color=COLOURS[0], label="drawn")
axes[1].set(title="a mixture, and rows drawn from it")
counts = rng.poisson(np.repeat([2.0, 9.0], 150))[:, None]
rates = PoissonMixture(2, random_state=0).fit(counts)
axes[2].hist(counts[:, 0], bins=np.arange(20) - 0.5, color=QUIET)
axes[2].set(title="counts of two kinds")
for ax in axes[:2]:
    legend(ax)

# %%
# One Poisson law has the mean as its rate; known labels give each class its own mean and covariance at once.
np.testing.assert_allclose(PoissonMixture(1).fit(counts).means_.ravel(), counts.mean(), rtol=1e-6)
labels = mixture.predict(X)
qda = QuadraticDiscriminantAnalysis().fit(X, labels)
np.testing.assert_allclose(qda.means_[0], X[labels == 0].mean(axis=0))
print("rates", np.sort(rates.means_.ravel()).round(1))
