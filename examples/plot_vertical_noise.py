r"""
Why least squares for Gaussian noise?
=====================================

If outputs lie about the curve with a normal law, :math:`y \mid x \sim \mathcal N(f(x, \beta), \sigma^2)`, the
log-likelihood of the sample is minus the sum of squares, up to constants: its maximum is the least-squares fit.
"""

import numpy as np

from epee import LinearRegression
from epee.figures.style import COLOURS, legend, new_axes

rng = np.random.default_rng(2)
sigma = 0.6
x = np.sort(rng.uniform(0, 4, 30))
y = 0.5 + 0.8 * x + sigma * rng.standard_normal(30)
model = LinearRegression().fit(x[:, None], y)

ax = new_axes(xlabel="x", ylabel="y", title="a normal law stands on every x")
ax.plot(x, y, "o", ms=4, label="rows")
grid = np.linspace(0, 4.6, 2)
ax.plot(grid, model.predict(grid[:, None]), color=COLOURS[1], label="least squares")
for x0 in (0.7, 2.0, 3.3):
    centre = model.predict([[x0]])[0]
    s = np.linspace(-2.5, 2.5, 80)
    ax.fill_betweenx(centre + sigma * s, x0, x0 + 0.6 * np.exp(-(s**2) / 2), color=COLOURS[2], alpha=0.35, lw=0)
legend(ax)

# %%
# No other line has a larger likelihood; the likely variance is the mean of the squared residuals.


def log_likelihood(slope, intercept, variance):
    return -((y - slope * x - intercept) ** 2).sum() / (2 * variance) - len(y) / 2 * np.log(2 * np.pi * variance)


variance = np.mean((y - model.predict(x[:, None])) ** 2)
best = log_likelihood(model.coef_[0], model.intercept_, variance)
others = model.coef_[0] + 0.1 * rng.standard_normal(100), model.intercept_ + 0.1 * rng.standard_normal(100)
assert all(log_likelihood(a, b, variance) <= best for a, b in zip(*others, strict=True))
print(f"variance by maximum likelihood {variance:.3f}, unbiased {model.residual_variance_:.3f}, true {sigma**2:.2f}")
