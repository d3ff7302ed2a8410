"""
Can clusters be found without saying how many?
==============================================

Mean shift moves every row uphill to the mean of its neighbourhood until it stops; rows that stop at the same place
belong together. It asks for a bandwidth instead of a number of clusters.
"""

import numpy as np

from epee import MeanShift
from epee.figures.clusters import plot_clusters

rng = np.random.default_rng(0)
centres = np.array([[0, 0], [5, 1], [2, 5]])
X = np.concatenate([c + rng.standard_normal((60, 2)) for c in centres])

model = MeanShift(bandwidth=1.2, kernel="gaussian").fit(X)
plot_clusters(model, X).set_title("three hills, found by climbing")

# %%
# The bandwidth decides: a wide one sees one hill only.
wide = MeanShift(bandwidth=6.0, kernel="gaussian").fit(X)
print(f"{len(model.cluster_centers_)} clusters at bandwidth 1.2, {len(wide.cluster_centers_)} at 6")
assert len(model.cluster_centers_) == 3 and len(wide.cluster_centers_) == 1
