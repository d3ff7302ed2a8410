r"""
Exercise: how optimistic is the training error?
===============================================

*Course: S2 §4.6, four questions.* The model is exact, :math:`Y = X\beta^* + E`, with normal noise of variance
:math:`\sigma^2`.
"""

import numpy as np

from epee import LinearRegression
from epee.figures.style import COLOURS, legend, new_axes

rng = np.random.default_rng(0)
n, p, sigma = 40, 8, 1.5
X, beta = rng.standard_normal((n, p)), rng.standard_normal(p)

# %%
# **1.** :math:`H^2 = X(X^\top X)^{-1} X^\top X (X^\top X)^{-1} X^\top = H`: a projection. To predict the predictions
# changes nothing.
H = X @ np.linalg.solve(X.T @ X, X.T)
np.testing.assert_allclose(H @ H, H, atol=1e-12)
np.testing.assert_allclose(np.trace(H), p)

# %%
# **2 and 3.** :math:`\mathrm{err} = \frac1n \|Y - \hat Y\|^2`, and :math:`Y - \hat Y = (I - H)(X\beta^* + E) = (I - H) E`, since
# :math:`HX = X`. As :math:`I - H` is a projection, :math:`\mathrm{err} = \frac1n (E^\top E - E^\top H E)`.
E = sigma * rng.standard_normal(n)
model = LinearRegression(fit_intercept=False).fit(X, X @ beta + E)
err = np.mean((X @ beta + E - model.predict(X)) ** 2)
np.testing.assert_allclose(err, (E @ E - E @ H @ E) / n)

# %%
# **4.** :math:`E[E^\top M E] = \sigma^2\,\mathrm{tr}\,M`, so :math:`E_D[\mathrm{err}] = \sigma^2 (n - p)/n = \sigma^2
# (1 - p/n)`: too good by a factor that grows with the number of parameters.
sizes = np.array([10, 15, 20, 30, 50, 80, 120])
measured = []
for size in sizes:
    A = rng.standard_normal((size, p))
    Q = np.linalg.qr(A)[0]
    noise = sigma * rng.standard_normal((size, 4000))
    measured.append(((noise**2).sum(axis=0) - ((Q.T @ noise) ** 2).sum(axis=0)).mean() / size)
promised = sigma**2 * (1 - p / sizes)
np.testing.assert_allclose(measured, promised, rtol=0.05)

ax = new_axes(xlabel="rows n", ylabel="mean training error", title=f"p = {p} parameters")
ax.plot(sizes, promised, color=COLOURS[0], label=r"$\sigma^2(1 - p/n)$")
ax.plot(sizes, measured, "o", color=COLOURS[1], label="4,000 samples each")
ax.axhline(sigma**2, color="#767676", ls=":", label=r"$\sigma^2$")
legend(ax)
print(np.round(measured, 3))
