"""
What does a classifier that is too simple look like?
====================================================

A straight line between two classes whose border is bent. It is wrong on its own training rows, and more rows would not
help it.
"""

import numpy as np

from epee import LinearDiscriminantAnalysis
from epee.risk import empirical_risk, holdout_error, plot_regions

rng = np.random.default_rng(0)


def draw(n):
    """Two classes that follow a bent border, with some overlap."""
    X = rng.uniform(-2, 2, (n, 2))
    return X, (X[:, 1] + 0.5 * rng.standard_normal(n) > X[:, 0] ** 2 - 1.2).astype(int)


X, y = draw(80)
line = LinearDiscriminantAnalysis().fit(X, y)
plot_regions(line, X, y).set_title("too simple: a line")

# %%
# The error on new rows is as bad as that on the training rows: both are high. That is bias.
print(f"training {empirical_risk(line, X, y):.3f}, new rows {holdout_error(line, *draw(5000))}")
