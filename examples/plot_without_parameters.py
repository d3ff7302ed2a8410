"""
What does a predictor without a formula look like?
==================================================

A regression tree is a staircase, nearest neighbours a broken line, a kernel a smooth one. All three average values of near points; they
differ in what near means.
"""

import numpy as np

from epee import DecisionTreeRegressor, KernelRegression, KNeighborsRegressor, samples
from epee.figures.style import COLOURS, QUIET, legend, new_axes

drawn = samples.functional(lambda x: np.sin(2 * np.pi * x), 0.3, 60, random_state=0)
grid = np.linspace(0, 1, 400)[:, None]
ax = new_axes(xlabel="x", ylabel="y")
ax.plot(drawn.x, drawn.y, "o", ms=3.5, color=QUIET)
models = {
    "tree, four leaves": DecisionTreeRegressor(max_leaf_nodes=4),
    "9 neighbours": KNeighborsRegressor(9),
    "kernel": KernelRegression(),
}
for colour, (name, model) in zip(COLOURS, models.items(), strict=False):
    ax.plot(grid, model.fit(drawn.x[:, None], drawn.y).predict(grid), color=colour, lw=1.8, label=name)
legend(ax)

# %%
# A leaf predicts the mean of its values: no other constant has a smaller squared error there.
tree = models["tree, four leaves"]
said = tree.predict(drawn.x[:, None])
for value in np.unique(said):
    assert np.isclose(value, drawn.y[said == value].mean())
print(f"{len(np.unique(said))} values, one a leaf")
