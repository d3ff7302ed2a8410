r"""
How sure is a logistic regression?
==================================

It turns the score into a probability by the sigmoid :math:`\sigma(a) = 1/(1 + e^{-a})`: one half on the line, and sure
far from it. The score is the logarithm of the odds of class 1 *against* class 0 (one slide has the ratio upside down).
"""

import numpy as np

from epee import LogisticRegression
from epee.figures.regions import plot_sigmoid

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 80)
X = rng.standard_normal((160, 2)) + 2.0 * y[:, None] * [1.0, 0.5]
model = LogisticRegression().fit(X, y)
plot_sigmoid(model, X, y)

# %%
# The log-odds are the score.
P = model.predict_proba(X)
np.testing.assert_allclose(np.log(P[:, 1] / P[:, 0]), model.decision_function(X), rtol=1e-6, atol=1e-9)
print(f"on the line: {1 / (1 + np.exp(-0.0))}; steepness |w| = {np.linalg.norm(model.coef_):.2f}")
