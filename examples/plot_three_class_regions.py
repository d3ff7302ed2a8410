"""
How do three linear scores share the plane?
===========================================

The largest score wins. Regions of linear scores are convex, and meet along straight lines, three of them in a point.
"""

import numpy as np

from epee import LinearDiscriminantAnalysis
from epee.risk import plot_regions

rng = np.random.default_rng(0)
means = np.array([[0, 0], [4, 0.5], [1.5, 3.5]])
y = np.repeat([0, 1, 2], 60)
X = means[y] + rng.standard_normal((180, 2))
model = LinearDiscriminantAnalysis().fit(X, y)
plot_regions(model, X, y).set_title("three classes, three lines")

# %%
# Convexity, tried on a thousand segments: between two points of one region there is no other.
a, b = rng.uniform(-3, 7, (2, 1000, 2))
same = model.predict(a) == model.predict(b)
middle = model.predict((a + b) / 2)
assert (middle[same] == model.predict(a)[same]).all()
print(f"{same.sum()} segments with ends in one region; none leaves it in the middle")
