"""
When does a sample ask for a hidden variable?
=============================================

The heights of a population have two humps. One normal law cannot have two humps; a mixture of two can, and its hidden
variable says from which of the two a person was drawn.
"""

import numpy as np

from epee import GaussianDensity, GaussianMixture
from epee.figures.style import COLOURS, legend, new_axes

rng = np.random.default_rng(0)
women, men = rng.normal(162, 5.5, 400), rng.normal(178, 6, 400)
X = np.r_[women, men][:, None]  # heights in cm, drawn here

one = GaussianDensity().fit(X)
two = GaussianMixture(2, random_state=0).fit(X)

x = np.linspace(140, 205, 400)[:, None]
ax = new_axes(xlabel="height (cm)", ylabel="density", title="one normal law, or two?")
ax.hist(X[:, 0], bins=40, density=True, color="#DDDDDD")
ax.plot(x, np.exp(one.score_samples(x)), color=COLOURS[1], ls="--", label="one Gaussian")
ax.plot(x, np.exp(two.score_samples(x)), color=COLOURS[0], label="a mixture of two")
for k in range(2):
    weight, mean, variance = two.weights_[k], two.means_[k, 0], two.covariances_[k].item()
    part = weight * np.exp(-((x - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)
    ax.plot(x, part, color=COLOURS[0], lw=0.8, alpha=0.7)
legend(ax)

# %%
# The mixture is worth its extra parameters by a wide margin, as BIC says.
print(f"BIC: one {one.bic(X):.0f}, two {two.bic(X):.0f}; centres {np.sort(two.means_.ravel()).round(1)}")
assert two.bic(X) < one.bic(X)
