r"""
Exercise: Gaussian naive Bayes
==============================

*Course: S0 §2.4.6.* Derive the learning equations when every feature of a class has a normal law of its own.

The log-likelihood splits into one sum for each class :math:`k` and feature :math:`d`,

.. math:: \ell_{kd} = -N_k \log(\sigma_{kd}\sqrt{2\pi}) - \sum_{y_n = k} \frac{(x_{nd} - \mu_{kd})^2}{2\sigma_{kd}^2}.

:math:`\partial\ell/\partial\mu = 0` gives the class mean; :math:`\partial\ell/\partial\sigma = -N_k/\sigma + \sum (x
- \mu)^2/\sigma^3 = 0` the class variance with :math:`1/N_k`. (S0, equations 56 and 57, have the signs of this
derivative wrong; its result is right.) The priors are the class frequencies. A feature that is constant in a class
has the variance 0, and needs a floor.
"""

import numpy as np
from sklearn.datasets import load_iris

from epee import GaussianNB
from epee.figures.style import COLOURS, new_axes

X, y = load_iris(return_X_y=True)
model = GaussianNB().fit(X, y)

# %%
# The learned parameters are the class moments, up to the floor on variances.
for k in range(3):
    np.testing.assert_allclose(model.theta_[k], X[y == k].mean(axis=0))
    np.testing.assert_allclose(model.var_[k], X[y == k].var(axis=0), rtol=1e-6)

# %%
# At these values the derivatives vanish, and any other value is less likely.
x = X[y == 1, 2]
mu, sigma, N = x.mean(), x.std(), len(x)


def log_likelihood(mu, sigma):
    return -N * np.log(sigma * np.sqrt(2 * np.pi)) - ((x - mu) ** 2).sum() / (2 * sigma**2)


assert abs(-N / sigma + ((x - mu) ** 2).sum() / sigma**3) < 1e-10
np.testing.assert_allclose(log_likelihood(mu, sigma), -N * np.log(sigma * np.sqrt(2 * np.pi)) - N / 2)

mus, sigmas = np.linspace(mu - 0.3, mu + 0.3, 80), np.linspace(0.3, 0.8, 80)
surface = np.array([[log_likelihood(a, b) for a in mus] for b in sigmas])
assert surface.max() <= log_likelihood(mu, sigma)
ax = new_axes(xlabel=r"$\mu$", ylabel=r"$\sigma$", title="log-likelihood of one feature in one class")
ax.contour(
    mus, sigmas, surface, levels=surface.max() - np.array([20, 10, 5, 2, 0.5]), colors=COLOURS[0], linestyles="solid"
)
ax.plot(mu, sigma, "X", color=COLOURS[1], ms=10)

# %%
# The decision is the largest sum of log-densities plus the log prior.
score = np.stack([
    np.log(np.mean(y == k)) + (-0.5 * np.log(2 * np.pi * model.var_[k]) - (X - model.theta_[k]) ** 2 / (2 * model.var_[k])).sum(axis=1)
    for k in range(3)
], axis=1)  # fmt: skip
assert (model.predict(X) == score.argmax(axis=1)).all()
print(f"training error {1 - model.score(X, y):.3f}")
