"""
What does a classifier of the right complexity look like?
=========================================================

One more family up: products of the inputs are added as columns, so the border may bend once.
"""

import numpy as np
from sklearn.pipeline import make_pipeline

from epee import LinearDiscriminantAnalysis, PolynomialFeatures
from epee.risk import empirical_risk, holdout_error, plot_regions

rng = np.random.default_rng(0)


def draw(n):
    """Two classes that follow a bent border, with some overlap."""
    X = rng.uniform(-2, 2, (n, 2))
    return X, (X[:, 1] + 0.5 * rng.standard_normal(n) > X[:, 0] ** 2 - 1.2).astype(int)


X, y = draw(80)
curve = make_pipeline(PolynomialFeatures(2, include_bias=False), LinearDiscriminantAnalysis()).fit(X, y)
plot_regions(curve, X, y).set_title("about right: a parabola may appear")

# %%
# It still errs on some training rows, which are noise, and does nearly as well on new ones.
new = holdout_error(curve, *draw(5000))
print(f"training {empirical_risk(curve, X, y):.3f}, new rows {new}")
assert new.value < 0.2
