r"""
Exercise: classification by nearest neighbours
==============================================

*Course: S2 §6.3.3, twelve questions.*
"""

import numpy as np

from epee import KNeighborsClassifier
from epee.figures.style import new_grid
from epee.risk import plot_regions

rng = np.random.default_rng(0)

# %%
# **1 and 2.** The nearest neighbour: :math:`h(x_0) = y_{i^*}` with :math:`i^* = \arg\min_i d(x_0, x_i)`. Its regions
# are unions of the cells of the training rows.
#
# **3 to 6.** A row of class 2 alone among rows of class 1 makes an island. With three neighbours and the majority it
# is outvoted, and the island is gone: a larger :math:`k` is a *simpler* predictor.
X = rng.random((60, 2))
y = np.where(X[:, 0] + X[:, 1] > 1.1, 2, 1)
X = np.concatenate([X, [[0.25, 0.25]]])
y = np.append(y, 2)  # alone among the others
one, three = (KNeighborsClassifier(k).fit(X, y) for k in (1, 3))
axes = new_grid(1, 2, size=(8.5, 3.8))[0]
for ax, model, title in zip(axes, (one, three), ("one neighbour: an island", "three neighbours: gone"), strict=True):
    plot_regions(model, X, y, ax=ax)
    ax.set_title(title)
assert one.score(X, y) == 1.0 and one.predict([[0.25, 0.25]])[0] == 2 and three.predict([[0.25, 0.25]])[0] == 1

# %%
# **7.** With :math:`k = 4` two against two is possible: a rule must break ties, by the nearer ones, by distance
# weights, by :math:`k = 3`, or by lot.
tied = KNeighborsClassifier(4, ties="first").fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
assert tied.predict_proba([[1.5]])[0].tolist() == [0.5, 0.5]

# %%
# **8.** :math:`P^j_V` is the chance that a row of class :math:`j` falls into :math:`V`; for a small :math:`V` on
# which the density hardly changes it is :math:`p(x_0|\omega_j)\,\mathrm{Vol}(V)`.
#
# **9.** :math:`\hat p(x_0|\omega_j) = \dfrac{N_j / n_j}{\mathrm{Vol}(V)}`.
#
# **10.** Take for :math:`V_j` the ball about :math:`x_0` that reaches the nearest row of class :math:`j`: the nearest
# neighbour decides for the class with the *smaller* volume.
#
# **11 and 12.** Bayes' rule compares :math:`P(\omega_j)\,\hat p(x_0|\omega_j) = \frac{n_j}{n} \cdot
# \frac{1/n_j}{\mathrm{Vol}(V_j)} = \frac1{n\, \mathrm{Vol}(V_j)}`: again the smaller volume. Both rules, on drawn
# points:
new = rng.random((500, 2))
radius = np.stack([np.sqrt(((new[:, None] - X[y == j]) ** 2).sum(axis=2)).min(axis=1) for j in (1, 2)], axis=1)
counts = np.array([(y == 1).sum(), (y == 2).sum()])
posterior = counts / len(y) * (1 / counts) / (np.pi * radius**2)
assert (one.predict(new) == np.array([1, 2])[posterior.argmax(axis=1)]).all()
print("the nearest neighbour is Bayes' rule with one row a ball: the same answer at 500 points")
