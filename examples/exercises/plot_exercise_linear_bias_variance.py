r"""
Exercise: the expected error of a linear model
==============================================

*Course: S2 §7.4.2, six questions.* :math:`y = x^\top\beta^* + \epsilon`, learned by least squares.

*Precision.* :math:`\sigma^2(1 + p/n)` is exact for new outputs at the *same* inputs; for centred Gaussian inputs the
exact value is :math:`\sigma^2 (1 + \frac{p}{n - p - 1})`.
"""

import numpy as np

from epee import LinearRegression
from epee.figures.style import COLOURS, legend, new_axes
from epee.risk import bias_variance

rng = np.random.default_rng(0)
p, sigma = 5, 1.0
beta = np.array([1.0, -2.0, 0.5, 0.0, 3.0])

# %%
# **1 and 2.** Noise of mean 0, variance :math:`\sigma^2`, independent of the inputs and from row to row. :math:`E
# \sim \mathcal N(0, \sigma^2 I_n)`, :math:`\hat\beta \sim \mathcal N(\beta^*, \sigma^2 (X^\top X)^{-1})`; :math:`X`
# is :math:`n \times p`, :math:`Y` and :math:`E` have :math:`n` entries.
#
# **3.** :math:`h_D(x_0) = x_0^\top\hat\beta`; its mean is :math:`x_0^\top\beta^*`, so there is no bias, and its
# variance given :math:`X` is :math:`\sigma^2 x_0^\top (X^\top X)^{-1} x_0`.
X, x0 = rng.standard_normal((25, p)), rng.standard_normal((1, p))
found = bias_variance(
    LinearRegression(fit_intercept=False), lambda Z: Z @ beta, noise=sigma, x=x0, inputs=X, repeats=1000, random_state=0
)
exact = sigma**2 * (x0 @ np.linalg.solve(X.T @ X, x0.T)).item()
assert found.bias2[0] < 0.01 and abs(found.variance[0] / exact - 1) < 0.2

# %%
# **4 and 5.** With :math:`\mathrm{Cov}(x) \approx X^\top X/n` and :math:`u^\top A u = \mathrm{tr}(A u u^\top)`, the
# integral of :math:`x^\top \mathrm{Cov}(x)^{-1} x` is :math:`\mathrm{tr}\,I_p = p`, hence :math:`EPE \approx
# \sigma^2(1 + p/n)`.
sizes = np.array([8, 10, 15, 20, 30, 50, 100])
training, expected = [], []
for n in sizes:
    A = rng.standard_normal((3000, n, p))
    variance = np.trace(np.linalg.inv(np.swapaxes(A, 1, 2) @ A), axis1=1, axis2=2)  # E over x of x' (X'X)^-1 x
    expected.append(sigma**2 * (1 + variance.mean()))
    noise = sigma * rng.standard_normal((3000, n, 1))
    left = noise - A @ np.linalg.solve(np.swapaxes(A, 1, 2) @ A, np.swapaxes(A, 1, 2) @ noise)  # residuals
    training.append((left**2).mean())
gaussian = sigma**2 * (1 + p / (sizes - p - 1))
np.testing.assert_allclose(expected[1:], gaussian[1:], rtol=0.05)
np.testing.assert_allclose(training, sigma**2 * (1 - p / sizes), rtol=0.05)

# %%
# **6.** The training error is too small by :math:`\sigma^2 p/n`, the expected error too large by as much: fitting the
# noise is paid for twice. With more parameters the two curves part, with more rows both go to :math:`\sigma^2`.
ax = new_axes(xlabel="rows n", ylabel="error", title=f"p = {p}", ylim=(0, 3.2))
ax.plot(sizes, sigma**2 * (1 - p / sizes), color=COLOURS[0], label=r"training, $\sigma^2(1 - p/n)$")
ax.plot(sizes, sigma**2 * (1 + p / sizes), color=COLOURS[1], ls="--", label=r"expected, $\sigma^2(1 + p/n)$")
ax.plot(sizes, gaussian, color=COLOURS[1], label=r"expected, Gaussian inputs, exactly")
ax.plot(sizes, expected, "o", color=COLOURS[2], label="3,000 samples each")
ax.plot(sizes, training, "o", color=COLOURS[2])
ax.axhline(sigma**2, color="#767676", ls=":")
legend(ax)
print(np.round(expected, 3))
