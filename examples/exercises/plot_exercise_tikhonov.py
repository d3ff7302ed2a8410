r"""
Exercise: penalised least squares in general
============================================

*Course: S2 §7.4.1, six questions.* :math:`R(\omega) = \frac12\sum_i (x_i^\top\omega - y_i)^2 + \frac C2\|\omega\|^2`.
"""

import numpy as np

from epee import Ridge, Tikhonov
from epee.figures.style import legend, new_axes

rng = np.random.default_rng(0)
m, n, C = 12, 30, 0.7  # fewer rows than columns
X, y = rng.standard_normal((m, n)), rng.standard_normal(m)


def R(omega):
    return ((X @ omega - y) ** 2).sum() / 2 + C / 2 * omega @ omega


# %%
# **1.** Ridge regression; :math:`C` controls the complexity: the effective degrees of freedom fall as it grows.
alphas = 10.0 ** np.linspace(-3, 4, 40)
dof = [Ridge(alpha, fit_intercept=False).fit(X, y).effective_dof_ for alpha in alphas]
ax = new_axes(xlabel="C", ylabel="degrees of freedom", xscale="log", title="from 12 rows to nothing")
ax.plot(alphas, dof)
assert (np.diff(dof) < 0).all() and dof[0] < m

# %%
# **2.** Add to :math:`\omega \in V` a part :math:`v` orthogonal to every :math:`x_i`: the first term does not change,
# the second grows by :math:`\frac C2\|v\|^2`. So the minimum lies in :math:`V`, as :math:`\omega^* = \sum_i \alpha_i
# x_i`.
omega = Ridge(C, fit_intercept=False).fit(X, y).coef_
basis = np.linalg.qr(X.T, mode="complete")[0][:, m:]  # orthogonal to all rows
v = basis @ rng.standard_normal(n - m)
np.testing.assert_allclose(R(omega + v), R(omega) + C / 2 * v @ v)
alpha = np.linalg.solve(X @ X.T + C * np.eye(m), y)
np.testing.assert_allclose(omega, X.T @ alpha, atol=1e-10)

# %%
# **3.** :math:`F = I`, :math:`g = 0`, with :math:`X` and :math:`y` as they are.
#
# **4.** :math:`\partial RSS/\partial\omega = X^\top(X\omega - y) + C F^\top(F\omega - g)`.
F, g = rng.standard_normal((5, n)), rng.standard_normal(5)


def RSS(w):
    return ((y - X @ w) ** 2).sum() / 2 + C / 2 * ((g - F @ w) ** 2).sum()


w, step = rng.standard_normal(n), 1e-5
gradient = X.T @ (X @ w - y) + C * F.T @ (F @ w - g)
numeric = [(RSS(w + step * e) - RSS(w - step * e)) / (2 * step) for e in np.eye(n)]
np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-6)

# %%
# **5.** Zero gradient: :math:`(X^\top X + C F^\top F)\,\hat\omega = X^\top y + C F^\top g`.
F, g = np.diff(np.eye(n), axis=0), np.zeros(n - 1)  # neighbouring coefficients shall agree
smooth = Tikhonov(F, g, C, fit_intercept=False).fit(X, y).coef_
np.testing.assert_allclose((X.T @ X + C * F.T @ F) @ smooth, X.T @ y + C * F.T @ g, atol=1e-8)

# %%
# **6.** :math:`F = I`, :math:`g = 0`: :math:`(X^\top X + C I)^{-1} X^\top y`, the ridge of the course.
np.testing.assert_allclose(Tikhonov(np.eye(n), np.zeros(n), C, fit_intercept=False).fit(X, y).coef_, omega, atol=1e-10)
ax = new_axes(xlabel="coefficient", title="what is penalised decides what is found")
ax.plot(omega, "o-", ms=3, label="F = identity")
ax.plot(smooth, "o-", ms=3, label="F = differences")
legend(ax)
print(f"the ridge solution is a sum of {m} rows in {n} dimensions")
