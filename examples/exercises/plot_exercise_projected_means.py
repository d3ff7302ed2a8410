r"""
Exercise: the direction that parts the means
============================================

*Course: S4, proof left for the class.* Maximise :math:`|w^\top(\mu_1 - \mu_2)|`.

As it stands there is no maximum: doubling :math:`w` doubles it. Under :math:`\|w\| = 1` the Lagrangian
:math:`w^\top(\mu_1 - \mu_2) - \lambda(\|w\|^2 - 1)` has the derivative :math:`\mu_1 - \mu_2 - 2\lambda w`, so
:math:`w \propto \mu_1 - \mu_2`; the same follows from the Cauchy-Schwarz inequality, and the maximum is
:math:`\|\mu_1 - \mu_2\|`.
"""

import numpy as np

from epee import FisherDiscriminant
from epee.figures.style import COLOURS, new_axes

rng = np.random.default_rng(0)
X = np.concatenate([rng.standard_normal((70, 2)) + np.array([2, 1]), rng.standard_normal((30, 2))])
y = np.repeat([1, 2], [70, 30])
mu1, mu2 = X[y == 1].mean(axis=0), X[y == 2].mean(axis=0)

angles = np.linspace(0, 2 * np.pi, 720)
W = np.stack([np.cos(angles), np.sin(angles)], axis=1)
gaps = np.abs(W @ (mu1 - mu2))
best = (mu1 - mu2) / np.linalg.norm(mu1 - mu2)
assert gaps.max() <= best @ (mu1 - mu2) + 1e-12
np.testing.assert_allclose(gaps.max(), np.linalg.norm(mu1 - mu2), rtol=1e-4)
model = FisherDiscriminant(within="identity").fit(X, y)
np.testing.assert_allclose(np.abs(model.coef_[0] @ best), np.linalg.norm(model.coef_[0]))

ax = new_axes(
    xlabel="angle of w (degrees)",
    ylabel="gap between projected means",
    title="longest along the difference of the means",
)
ax.plot(np.degrees(angles), gaps)
ax.axvline(np.degrees(np.arctan2(best[1], best[0])) % 360, color=COLOURS[1], ls="--")

# %%
# Two offsets. Halfway, :math:`-\frac12 w^\top(\mu_1 + \mu_2)`; or at the overall mean, :math:`-w^\top(N_1\mu_1 +
# N_2\mu_2)/N`, which the slide takes for unbalanced classes. The second cuts nearer to the *larger* class, the
# opposite of what Bayes' rule does with its :math:`\ln(P_1/P_2)`.
cut = {}
for threshold in ("midpoint", "weighted", "bayes"):
    model = FisherDiscriminant(within="identity", threshold=threshold).fit(X, y)
    w = model.coef_[0]
    side = 1 if w @ mu2 + model.intercept_[0] > w @ mu1 + model.intercept_[0] else -1  # towards class 2
    cut[threshold] = -model.intercept_[0] / np.linalg.norm(w) * side  # position along mu1 -> mu2
    along = side * w / np.linalg.norm(w)
where = {name: (value - along @ mu1) / (along @ mu2 - along @ mu1) for name, value in cut.items()}
np.testing.assert_allclose(where["midpoint"], 0.5)
np.testing.assert_allclose(where["weighted"], 0.3, atol=1e-9)
assert where["weighted"] < 0.5 < where["bayes"]
print("position of the cut from class 1 (0) to class 2 (1):", {name: round(float(v), 3) for name, v in where.items()})
