"""
Do cross-validation, GCV, AIC and BIC agree?
============================================

Roughly, on the shape; they differ in how hard they punish a parameter. The rule of one standard error takes the
simplest degree that the data cannot tell from the best.
"""

import numpy as np

from epee import PolynomialRegression
from epee.figures.style import COLOURS, legend
from epee.risk import aic, bic, complexity_curve, gcv, loo

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 1, 60))
X, y = x[:, None], np.sin(2 * np.pi * x) + 0.3 * rng.standard_normal(60)
degrees = list(range(1, 11))

curve = complexity_curve(PolynomialRegression(), X, y, "degree", degrees, random_state=0)
ax = curve.plot()
sigma2 = PolynomialRegression(8).fit(X, y).residual_variance_  # from a model of little bias
for k, (name, criterion) in enumerate((("GCV", gcv), ("AIC", aic), ("BIC", bic))):
    options = {} if criterion is gcv else {"sigma2": sigma2}
    values = [float(criterion(PolynomialRegression(d).fit(X, y), X, y, **options)) for d in degrees]
    ax.plot(curve.dof, values, lw=1, ls="--", color=COLOURS[k + 2], label=name)
ax.set_ylim(0.05, 0.3)
legend(ax)

# %%
# Leave-one-out needs no refit: :math:`(y_i - \\hat y_i)/(1 - H_{ii})` is the residual of the fit without row :math:`i`.
model = PolynomialRegression(3)
fast = loo(model, X, y).value
slow = np.mean(
    [(y[i] - model.fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i : i + 1])[0]) ** 2 for i in range(60)]
)
np.testing.assert_allclose(fast, slow, rtol=1e-8)
print(f"best {curve.best}, within one standard error {curve.chosen}; leave-one-out at degree 3: {fast:.4f}")
