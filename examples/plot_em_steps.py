"""
How does EM find a mixture?
===========================

Step E says how much each row belongs to each cloud, step M puts each cloud where its rows are, and the log-likelihood
rises until nothing moves.
"""

import warnings

import numpy as np

from epee import GaussianMixture, expectation_maximisation
from epee.figures.mixtures import draw_ellipses
from epee.figures.style import new_grid

rng = np.random.default_rng(2)
X = np.concatenate([
    rng.multivariate_normal([0, 0], [[1.0, 0.6], [0.6, 1.0]], 120),
    rng.multivariate_normal([4, 1], [[0.6, -0.3], [-0.3, 1.2]], 80),
])  # fmt: skip

axes = new_grid(2, 2, size=(8, 6), sharex=True, sharey=True)
start = np.array([[1.0, 3.0], [2.0, -2.0]])
for ax, steps in zip(axes.flat, (1, 2, 5, 40), strict=True):
    model = GaussianMixture(2, means_init=start, init_params="wide", max_iter=steps, tol=0.0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # stopped early, as asked
        model.fit(X)
    draw_ellipses(model, X, ax)
    ax.set_title(f"after {steps} step{'s' * (steps > 1)}: {model.score(X):.3f} a row")

# %%
# The mean log-likelihood never falls.
climb = expectation_maximisation(GaussianMixture(2, means_init=start, init_params="wide", random_state=0), X, tol=1e-8)
assert (np.diff(climb.trace) >= -1e-10).all()
print(f"{climb.iterations} steps, {climb.reason}")
