"""
How does k-means find its clusters?
===================================

By turns: every row goes to its nearest centre, every centre goes to the mean of its rows. Each half-step lowers the sum of
squared distances :math:`J`, so it must stop; where, depends on the start.
"""

import numpy as np

from epee import KMeans
from epee.figures.style import COLOURS, new_grid

rng = np.random.default_rng(4)
X = np.concatenate([c + 0.7 * rng.standard_normal((50, 2)) for c in ([0, 0], [4, 0], [2, 3])])
centres = X[[0, 1, 2]]  # a poor start: three rows of one cloud

J = []
shown = dict(zip((0, 1, 6, 9), new_grid(1, 4, size=(11, 2.9), sharey=True)[0], strict=True))
for step in range(10):
    distance = ((X[:, None] - centres) ** 2).sum(axis=2)
    labels = distance.argmin(axis=1)
    J.append(distance.min(axis=1).sum())
    if step in shown:
        ax = shown[step]
        ax.scatter(*X.T, s=8, c=[COLOURS[k] for k in labels], alpha=0.5)
        ax.scatter(*centres.T, s=90, c=COLOURS[:3], marker="X", edgecolors="k")
        ax.set(title=f"step {step}: J = {J[-1]:.0f}", aspect="equal")
    centres = np.stack([X[labels == k].mean(axis=0) for k in range(3)])

# %%
# The whole climb, as the library keeps it: :math:`J` after each half-step.
trace = KMeans(3, init=X[[0, 1, 2]], n_init=1).fit(X).trace_
assert (np.diff(trace) <= 1e-9).all() and (np.diff(J) <= 1e-9).all()
print(np.round(trace, 1))
