r"""
How does a penalty take a model's freedom away?
===============================================

Along the directions in which the inputs vary little: coefficient by coefficient in the singular basis by
:math:`d_j^2/(d_j^2 + \lambda)`, whose sum is the effective number of degrees of freedom. A hundred penalties, ten
folds each, cost about one pass over the rows.
"""

import numpy as np

from epee import Ridge, RidgeCV, samples
from epee.figures.style import new_grid
from epee.risk import complexity_curve

table = samples.load("diabetes")
y = table["progression"].to_numpy(float)
X = table.drop(columns="progression").to_numpy(float)
X = (X - X.mean(axis=0)) / X.std(axis=0)
alphas = 10.0 ** np.linspace(-1, 5, 60)

left, right = new_grid(1, 2, size=(9.5, 3.8))[0]
paths = np.array([Ridge(alpha).fit(X, y).coef_ for alpha in alphas])
left.semilogx(alphas, paths)
left.set(xlabel=r"$\lambda$", ylabel="coefficients", title="shrinking")
curve = complexity_curve(Ridge(), X, y, "alpha", alphas.tolist(), simpler="larger", random_state=0)
curve.plot(ax=right)
right.set_title("cross-validated error")

# %%
# The smoother's trace, two ways.
d2 = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
np.testing.assert_allclose(Ridge(50.0).fit(X, y).effective_dof_, (d2 / (d2 + 50.0)).sum())
print(f"chosen penalty {curve.chosen:.3g}; by GCV {RidgeCV(alphas).fit(X, y).alpha_:.3g}")
