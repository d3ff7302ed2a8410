"""
Which groups are sure?
======================

Isodata splits and merges as it goes, dynamic clouds take lines for centres where points lie along lines, and strong forms keep only what
several runs of k-means agree on.
"""

import numpy as np

from epee import DynamicClouds, Isodata, KMeans, count_partitions, strong_forms
from epee.figures.style import COLOURS, new_grid

rng = np.random.default_rng(0)
along = rng.uniform(-3, 3, (120, 1))
lines = np.r_[along[:60] * [1, 0.3] + [0, 2], along[60:] * [1, -0.3] - [0, 2]] + 0.15 * rng.standard_normal((120, 2))
clouds = np.repeat([[0, 0], [4, 0], [2, 3]], 40, axis=0) + rng.standard_normal((120, 2)) * 0.9
runs = [KMeans(4, n_init=1, init="random", random_state=k).fit(clouds).labels_ for k in range(6)]

axes = new_grid(1, 3, size=(11, 3.4))[0]
shown = {
    "Isodata": (clouds, Isodata(6, min_distance=2.5, random_state=0).fit(clouds).labels_),
    "dynamic clouds, axes": (lines, DynamicClouds(2, kernel="line", random_state=0).fit(lines).labels_),
    "strong forms of six runs": (clouds, strong_forms(runs)),
}
for ax, (title, (points, labels)) in zip(axes, shown.items(), strict=True):
    ax.scatter(*points.T, c=[COLOURS[k % len(COLOURS)] for k in labels], s=14)
    ax.set_title(title)

# %%
# There are far too many partitions to try them all.
print(f"120 points fall into 3 groups in about 10^{np.log10(float(count_partitions(120, 3))):.0f} ways")
assert count_partitions(4, 2) == 7
