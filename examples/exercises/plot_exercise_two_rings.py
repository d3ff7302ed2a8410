r"""
Exercise: two rings for Bayes
=============================

*Course: S2 §6.3.4, four questions.* Class 1 fills the ring :math:`0.9 \le \|x\|^2 \le 1.1`, class 2 the ring
:math:`3.9 \le \|x\|^2 \le 4.1`.
"""

import warnings

import numpy as np

from epee import Perceptron, QuadraticDiscriminantAnalysis
from epee.figures.style import COLOURS
from epee.predictors.generative.threshold import ring_frontier
from epee.risk import plot_regions

rng = np.random.default_rng(0)

# %%
# **1.** The data.


def ring(low, high, n):
    radius, turn = np.sqrt(rng.uniform(low, high, n)), rng.uniform(0, 2 * np.pi, n)
    return np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])


X, y = np.concatenate([ring(0.9, 1.1, 200), ring(3.9, 4.1, 200)]), np.repeat([1, 2], 200)

# %%
# **2.** Not by a line: every line through the outer ring's inside leaves points of it on both sides. Any circle with
# :math:`1.1 < \|x\|^2 < 3.9` separates them.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it says that the classes cannot be separated
    assert not Perceptron(max_iter=50).fit(X, y).separated_
assert ((X**2).sum(axis=1) < 2.0).tolist() == (y == 1).tolist()

# %%
# **3.** :math:`d = 2`; both clouds turn about the origin, so :math:`\mu_1 = \mu_2 = 0`; no direction is special, so
# :math:`\Sigma_i = \sigma_i^2 I`. Maximum likelihood would take :math:`\sigma_i^2 = E\|x\|^2/d`, one half and two.
#
# **4.** Decide for the larger :math:`\delta_i`; the frontier is :math:`\delta_1 = \delta_2`. With equal priors
#
# .. math:: -\tfrac d2 \log\sigma_1^2 - \frac{\|x\|^2}{2\sigma_1^2} = -\tfrac d2 \log\sigma_2^2 - \frac{\|x\|^2}{2\sigma_2^2}
#           \iff \|x\|^2 = \frac{d\,\sigma_1^2 \sigma_2^2}{\sigma_2^2 - \sigma_1^2} \log\frac{\sigma_2^2}{\sigma_1^2}.
v1, v2 = 0.5, 2.0
r2 = ring_frontier(v1, v2)
np.testing.assert_allclose(r2, 2 * v1 * v2 / (v2 - v1) * np.log(v2 / v1))
assert 2 * v1 < r2 < 2 * v2 and 1.1 < r2 < 3.9 and np.isclose(r2, ring_frontier(v2, v1))
assert (((X**2).sum(axis=1) > r2) + 1 == y).all()

# %%
# The quadratic discriminant finds it from the data.
model = QuadraticDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y)
ax = plot_regions(model, X, y)
turn = np.linspace(0, 2 * np.pi, 200)
ax.plot(np.sqrt(r2) * np.cos(turn), np.sqrt(r2) * np.sin(turn), "--", color=COLOURS[4], lw=2)
ax.set(title="the circle of the formula on the regions of QDA", aspect="equal")
assert model.score(X, y) == 1.0
print(f"frontier at squared radius {r2:.3f}")
