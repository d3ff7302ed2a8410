r"""
Where to cut between two groups of grades?
==========================================

Where the weighted densities cross: :math:`P_1\,\mathcal N(x; \mu_1, \sigma_1^2) = P_2\,\mathcal N(x; \mu_2, \sigma_2^2)`. With
unequal variances this is a quadratic equation, and there may be two cuts. (The grades are drawn here; the prior of a group is
its share of all students, which one slide misprints.)
"""

import numpy as np

from epee import GaussianThreshold
from epee.figures.style import COLOURS, legend, new_axes

rng = np.random.default_rng(0)
info, math = rng.normal(11, 2.0, 90), rng.normal(14.5, 3.0, 60)
x, y = np.r_[info, math], ["info"] * 90 + ["math"] * 60
cut = GaussianThreshold.of(x, y)

grid = np.linspace(0, 25, 400)
ax = new_axes(xlabel="grade", ylabel="share × density", title="two groups of students")
for k, name in enumerate(cut.classes):
    m, v, P = cut.means[k], cut.variances[k], cut.priors[k]
    ax.hist(
        x[np.array(y) == name],
        bins=np.arange(0, 26),
        weights=np.full((np.array(y) == name).sum(), 1 / len(x)),
        color=COLOURS[k],
        alpha=0.25,
    )
    ax.plot(grid, P * np.exp(-((grid - m) ** 2) / (2 * v)) / np.sqrt(2 * np.pi * v), color=COLOURS[k], label=name)
for root in cut.roots:
    if 0 < root < 25:
        ax.axvline(root, color="#222222", ls="--", lw=1)
legend(ax)

# %%
# At each cut both groups are as likely, and no other cut errs less.
for root in cut.roots:
    assert abs(cut.score(root)) < 1e-9
print(f"cuts at {np.round(cut.roots, 2)}; expected error {cut.error:.3f}")
