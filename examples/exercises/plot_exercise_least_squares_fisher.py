r"""
Exercise: Fisher by regression
==============================

*Course: S2 §3.4, eight questions.* Least squares with the targets :math:`N/N_1` and :math:`-N/N_2`.
"""

import numpy as np

from epee import FisherDiscriminant, LeastSquaresClassifier
from epee.risk import plot_regions

rng = np.random.default_rng(0)
C = [[1.5, 0.8], [0.8, 1.0]]
X1, X2 = rng.multivariate_normal([0, 0], C, 60), rng.multivariate_normal([2.5, 0], C, 90)
X, N1, N2 = np.concatenate([X1, X2]), 60, 90
N = N1 + N2
t = np.r_[np.full(N1, N / N1), np.full(N2, -N / N2)]

# %%
# **1.** :math:`\sum t_n = N_1 N/N_1 - N_2 N/N_2 = 0`.  **2.** :math:`m = (N_1 m_1 + N_2 m_2)/N`.
m1, m2, m = X1.mean(axis=0), X2.mean(axis=0), X.mean(axis=0)
assert abs(t.sum()) < 1e-10
np.testing.assert_allclose(m, (N1 * m1 + N2 * m2) / N)

# %%
# **3 to 5.** :math:`\partial E/\partial\omega_0 = \sum (w^\top x_n + \omega_0 - t_n) = N w^\top m + N \omega_0 - 0`, so
# :math:`\omega_0 = -w^\top m`; the derivative in :math:`w` is equation (3.10).
A = np.column_stack([X, np.ones(N)])
solution = np.linalg.lstsq(A, t, rcond=None)[0]
w, omega0 = solution[:2], solution[2]
np.testing.assert_allclose(omega0, -w @ m)
np.testing.assert_allclose((A @ solution - t) @ X, 0, atol=1e-9)

# %%
# **6.** Put :math:`\omega_0` into (3.10): :math:`\sum (x_n - m) x_n^\top w = \sum t_n x_n`. The left side is the total scatter,
# :math:`S_W + \frac{N_1 N_2}{N} S_B`, and the right side :math:`N (m_1 - m_2)`.
S_B = np.outer(m2 - m1, m2 - m1)
S_W = (X1 - m1).T @ (X1 - m1) + (X2 - m2).T @ (X2 - m2)
np.testing.assert_allclose((S_W + N1 * N2 / N * S_B) @ w, N * (m1 - m2))

# %%
# **7.** :math:`S_B w` is a multiple of :math:`m_1 - m_2`, hence :math:`S_W w` is one, too: :math:`w \propto S_W^{-1}(m_1 - m_2)`,
# Fisher's direction (with this sign, for :math:`C_1` has the positive targets).
fisher = np.linalg.solve(S_W, m1 - m2)
np.testing.assert_allclose(w / np.linalg.norm(w), fisher / np.linalg.norm(fisher))

# %%
# **8.** Fisher gave a direction; least squares gives the offset as well. The rule: :math:`C_1` if and only if
# :math:`w^\top (x - m) \ge 0`. It cuts at the overall mean, which is the "weighted" threshold of the library.
y = np.repeat([1, 2], [N1, N2])
regression = LeastSquaresClassifier(targets="fisher").fit(X, y)
cut = FisherDiscriminant(threshold="weighted").fit(X, y)
assert (regression.predict(X) == np.where((X - m) @ w >= 0, 1, 2)).all()
assert (regression.predict(X) == cut.predict(X)).all()
plot_regions(regression, X, y).set_title("least squares with Fisher's targets")
print("the two rules agree on every row")
