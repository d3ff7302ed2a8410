r"""
Why not descend the number of errors?
=====================================

Because it is flat: it changes by jumps, and its gradient is zero wherever it exists. The perceptron's criterion
:math:`\sum_{n \in M} -t_n w^\top x_n` counts how far on the wrong side the misclassified points are, and slopes towards
the solution.
"""

import numpy as np

from epee.figures.regions import plot_criterion
from epee.figures.style import new_grid

rng = np.random.default_rng(0)
t = np.repeat([-1, 1], 40)
X = rng.standard_normal((80, 2)) + 1.2 * t[:, None] * [1.0, 0.6]

left, right = new_grid(1, 2, size=(9.5, 4))[0]
plot_criterion(X, t, "zero_one", left)
left.set_title("errors")
plot_criterion(X, t, "perceptron", right)
right.set_title("perceptron's criterion")

# %%
# Stretching the weights changes the criterion in proportion and the errors not at all.


def errors(w):
    return (t * (X @ w) <= 0).sum()


def criterion(w):
    return np.maximum(0, -t * (X @ w)).sum()


w = np.array([-1.0, 0.5])
assert errors(w) == errors(3 * w) and np.isclose(criterion(3 * w), 3 * criterion(w))
print(f"at w = {w}: {errors(w)} errors, criterion {criterion(w):.1f}")
