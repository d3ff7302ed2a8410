"""
How does a tree decide?
=======================

By questions about one column each. Every question cuts a box in two, so the leaves are boxes, and a tree reads as a list
of rules.
"""

import numpy as np

from epee import DecisionTreeClassifier
from epee.figures.style import new_grid
from epee.risk import plot_regions

rng = np.random.default_rng(0)
X = rng.random((120, 2))
y = np.where((X[:, 0] < 0.5) & (X[:, 1] > 0.4), 1, -1)  # columns are counted from 0: the root asks about x0

tree = DecisionTreeClassifier(random_state=0).fit(X, y)
left, right = new_grid(1, 2)[0]
tree.plot(ax=left)
plot_regions(tree, X, y, ax=right)
right.set(xlabel="x0", ylabel="x1")

# %%
# Each leaf is one sentence, and together they cover the plane once.
print(tree.rules())
assert tree.score(X, y) == 1.0
