r"""
On which line should two classes be looked at?
==============================================

Not on the line of their means: where the classes are long, their shadows overlap there. Fisher's direction
:math:`w \propto S_W^{-1}(m_1 - m_2)` trades the gap between the means for the width of the shadows.
"""

import numpy as np

from epee import FisherDiscriminant
from epee.figures.style import COLOURS, new_grid

rng = np.random.default_rng(0)
C = [[2.0, 1.7], [1.7, 2.0]]
X = np.concatenate([rng.multivariate_normal(m, C, 100) for m in ([0, 0], [2.2, 0.6])])
y = np.repeat([0, 1], 100)

means = FisherDiscriminant(within="identity").fit(X, y)
fisher = FisherDiscriminant().fit(X, y)

axes = new_grid(2, 2, size=(8.5, 6.5), height_ratios=[2, 1])
for column, (model, title) in enumerate(((means, "along the means"), (fisher, "Fisher's direction"))):
    w = model.coef_[0] / np.linalg.norm(model.coef_[0])
    top, bottom = axes[:, column]
    for k in range(2):
        top.plot(*X[y == k].T, "ox"[k], ms=4, color=COLOURS[k], alpha=0.7)
        bottom.hist(X[y == k] @ w, bins=25, color=COLOURS[k], alpha=0.5)
    top.axline(X.mean(axis=0), X.mean(axis=0) + w, color="#222222", lw=1)
    top.set(title=title, aspect="equal")
    bottom.set_xlabel("shadow on the line")

# %%
# Fisher's criterion is larger on Fisher's direction, and so is the share of rows on the right side.
J = [fisher.criterion(model.coef_[0]) for model in (means, fisher)]
assert J[1] >= J[0] and fisher.score(X, y) >= means.score(X, y)
print(f"criterion {J[0]:.4f} and {J[1]:.4f}; right side {means.score(X, y):.2f} and {fisher.score(X, y):.2f}")
