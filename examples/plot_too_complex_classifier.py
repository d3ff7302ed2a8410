"""
What does a classifier that is too complex look like?
=====================================================

The nearest neighbour has no error at all on its training rows: every row, noise included, gets a patch of its own. New
rows pay for that.
"""

import numpy as np

from epee import KNeighborsClassifier
from epee.risk import empirical_risk, holdout_error, plot_regions

rng = np.random.default_rng(0)


def draw(n):
    """Two classes that follow a bent border, with some overlap."""
    X = rng.uniform(-2, 2, (n, 2))
    return X, (X[:, 1] + 0.5 * rng.standard_normal(n) > X[:, 0] ** 2 - 1.2).astype(int)


X, y = draw(80)
patches = KNeighborsClassifier(1).fit(X, y)
plot_regions(patches, X, y).set_title("too complex: one neighbour")

# %%
# Zero training error is not the mark of a good predictor.
training, new = empirical_risk(patches, X, y), holdout_error(patches, *draw(5000))
assert training == 0 and new.low > 0.05
print(f"training {training:.3f}, new rows {new}")
