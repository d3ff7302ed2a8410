r"""
Exercise: Gaussian, and not so naive
====================================

*Course: S0 §2.4.7.* Drop the independence: each class has a full covariance matrix. What is learned, and what may go wrong?

Maximum likelihood gives the class mean and the empirical covariance :math:`\hat\Sigma_k = \frac1{N_k}\sum (x_n -
\hat\mu_k)(x_n - \hat\mu_k)^\top`; the score is :math:`\delta_k(x) = -\frac12\log|\Sigma_k| - \frac12(x -
\mu_k)^\top\Sigma_k^{-1}(x - \mu_k) + \log\pi_k`. With :math:`N_k \le p` rows, or features that depend on each other,
:math:`\hat\Sigma_k` is singular and must be shrunk. (S0, equation 66, raises :math:`2\pi` to half the number of
*rows*; it is half the dimension.)
"""

import warnings

import numpy as np
from scipy import stats

from epee import GaussianNB, QuadraticDiscriminantAnalysis
from epee.figures.style import new_grid
from epee.risk import plot_regions

rng = np.random.default_rng(0)
shapes = ([[1.0, 0.9], [0.9, 1.0]], [[1.0, -0.9], [-0.9, 1.0]])
y = np.repeat([0, 1], 150)
X = np.concatenate([rng.multivariate_normal([0, 0], C, 150) for C in shapes])

# %%
# Two clouds with one centre and crossed shapes: the naive model sees the same variances in both and learns nothing.
naive, full = GaussianNB().fit(X, y), QuadraticDiscriminantAnalysis().fit(X, y)
for ax, model, title in zip(
    new_grid(1, 2, size=(8.5, 3.8))[0], (naive, full), ("naive", "full covariance"), strict=True
):
    plot_regions(model, X, y, ax=ax)
    ax.set_title(f"{title}: training error {1 - model.score(X, y):.2f}")
assert full.score(X, y) > 0.75 > naive.score(X, y)

# %%
# Its posterior is Bayes' rule with these densities.
fitted = [stats.multivariate_normal(X[y == k].mean(axis=0), np.cov(X[y == k].T, bias=True)) for k in range(2)]
joint = np.stack([0.5 * law.pdf(X) for law in fitted], axis=1)
np.testing.assert_allclose(full.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), rtol=1e-3, atol=1e-6)

# %%
# With fewer rows than columns the covariance is singular: a share of the diagonal repairs it.
few, labels = rng.standard_normal((12, 20)), np.repeat([0, 1], 6)
assert np.linalg.matrix_rank(np.cov(few[labels == 0].T)) < 20
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it says that the covariances are singular before the repair
    repaired = QuadraticDiscriminantAnalysis(reg_param=0.3).fit(few, labels)
assert np.isfinite(repaired.predict_proba(few)).all()
print("crossed shapes: naive", round(naive.score(X, y), 2), "full", round(full.score(X, y), 2))
