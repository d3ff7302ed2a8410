r"""
Exercise: grey levels for a Bernoulli model
===========================================

*Course: S0 §2.4.4.* The model expects inputs in :math:`\{0, 1\}`: what must be done to images first?

Threshold them, for instance at mid-range. What is lost matters little as long as the threshold is somewhere in the middle.
"""

import numpy as np
from sklearn.datasets import load_digits

from epee import BernoulliNB
from epee.figures.style import COLOURS, band, new_axes
from epee.risk import cross_validate

X, y = load_digits(return_X_y=True)  # grey levels 0 to 16
X, y = X[:900], y[:900]

# %%
# A threshold is idempotent: once more changes nothing.
ones = (X > 8).astype(float)
assert ((ones > 0.5) == ones.astype(bool)).all() and set(np.unique(ones)) == {0.0, 1.0}

# %%
# The error for every threshold, with its standard error. ``BernoulliNB(binarize=t)`` does it inside, so that a fold
# needs nothing else.
thresholds = np.array([0.5, 2, 4, 6, 8, 10, 12, 14, 15.5])
risks = [cross_validate(BernoulliNB(binarize=t), X, y, folds=5, random_state=0) for t in thresholds]
value, error = (np.array([getattr(r, name) for r in risks]) for name in ("value", "stderr"))
ax = new_axes(
    xlabel="threshold (of 16 grey levels)", ylabel="cross-validated error", title="Bernoulli naive Bayes on digits"
)
ax.plot(thresholds, value, "o-")
band(ax, thresholds, value - error, value + error, COLOURS[0])
assert value[3:6].max() < value[-1]
print(f"mid-range: {risks[4]}")
