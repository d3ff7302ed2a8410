r"""
Does the tree of clusters depend on how clusters are compared?
==============================================================

Very much. Single linkage chains along bridges, complete linkage makes compact classes, and Ward's jump
:math:`\frac{n_A n_B}{n_A + n_B}\|g_A - g_B\|^2` (with the distance *squared*, which the course forgets) loses as little
between-class inertia as it can. The dashed line cuts each tree into three.
"""

import numpy as np

from epee import linkage
from epee.figures.clusters import plot_dendrogram
from epee.figures.style import new_grid

rng = np.random.default_rng(0)
X = np.concatenate([c + 0.6 * rng.standard_normal((8, 2)) for c in ([0, 0], [3, 0], [1.5, 2.5])])

trees = {method: linkage(X, method) for method in ("single", "complete", "average", "ward")}
for ax, (method, Z) in zip(new_grid(2, 2, size=(9, 6.5)).flat, trees.items(), strict=True):
    plot_dendrogram(Z, ax, n_clusters=3)
    ax.set_title(method)
    ax.get_legend().remove()

# %%
# Heights rise from merge to merge for these four. Ward's jumps add up to the inertia of the whole cloud: SciPy's
# heights are :math:`\sqrt{2\Delta}`.
assert all((np.diff(Z[:, 2]) >= -1e-12).all() for Z in trees.values())
total = ((X - X.mean(axis=0)) ** 2).sum()
np.testing.assert_allclose((trees["ward"][:, 2] ** 2 / 2).sum(), total)
print(f"{len(trees['ward'])} merges; the jumps add up to {total:.2f}")
