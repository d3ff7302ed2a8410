r"""
What if noise is not as it should be?
=====================================

Outliers call for a loss that stops growing, uneven noise for weights (generalised least squares), a known part for an offset, several
values for several columns; and a Gaussian prior has a Gaussian posterior.
"""

import numpy as np

from epee import LinearRegression, MapRegression, RobustRegression
from epee.figures.style import COLOURS, QUIET, band, legend, new_grid

rng = np.random.default_rng(0)
x = np.linspace(0, 1, 60)
X = x[:, None]
axes = new_grid(1, 3, size=(11.5, 3.5))[0]
wild = 2 * x + 0.2 * rng.standard_normal(60) + np.where(rng.random(60) < 0.15, 4.0, 0.0)
axes[0].plot(x, wild, ".", color=QUIET)
for k, model in enumerate((LinearRegression(), RobustRegression("huber"), RobustRegression("tukey"))):
    axes[0].plot(x, model.fit(X, wild).predict(X), color=COLOURS[k], label=("squares", "Huber", "Tukey")[k])
axes[0].set(title="outliers")
spread = 0.05 + x**2
uneven = 2 * x + spread * rng.standard_normal(60)
axes[1].plot(x, uneven, ".", color=QUIET)
axes[1].plot(x, LinearRegression().fit(X, uneven).predict(X), color=COLOURS[0], label="ordinary")
axes[1].plot(
    x, LinearRegression().fit(X, uneven, covariance=spread**2).predict(X), color=COLOURS[1], label="generalised"
)
axes[1].set(title="noise that grows")
few = rng.choice(60, 8, replace=False)
posterior = MapRegression("gaussian").fit(X[few], uneven[few])
ends = posterior.predict_interval(X, 0.9)
axes[2].plot(x[few], uneven[few], "o", color=QUIET)
band(axes[2], x, ends[:, 0], ends[:, 1], COLOURS[2])
axes[2].plot(x, posterior.predict(X), color=COLOURS[2], label="posterior, 90 %")
axes[2].set(title="eight points and a prior")
for ax in axes:
    legend(ax)

# %%
# A known part is taken off, and several values are fitted column by column.
plain = LinearRegression().fit(X, uneven)
np.testing.assert_allclose(LinearRegression().fit(X, uneven + x**2, offset=x**2).coef_, plain.coef_)
both = LinearRegression().fit(X, np.column_stack([uneven, wild]))
np.testing.assert_allclose(both.coef_[0], plain.coef_)
print("slopes:", LinearRegression().fit(X, wild).coef_.round(2), RobustRegression("tukey").fit(X, wild).coef_.round(2))
