r"""
Exercise: Fisher's discriminant
===============================

*Course: S2 §3.3.2, six questions.* Project on :math:`y = w^\top x`; decide :math:`C_1` if :math:`y \ge -\omega_0`.

*Errata.* With that rule the direction must give :math:`C_1` the larger scores: :math:`w \propto S_W^{-1}(m_1 - m_2)`, where the
text ends on :math:`m_2 - m_1` (and a slide of S4 decides class 1 for :math:`y < 0`). :math:`S_B` and :math:`S_W` are scatter
matrices, not covariances.
"""

import numpy as np

from epee import FisherDiscriminant
from epee.figures.style import COLOURS, new_grid

rng = np.random.default_rng(0)

# %%
# **1.** Two populations with the same gap between projected means and different widths: the criterion of the means is the
# same, Fisher's is not.
narrow = [np.diag([0.3, 2.0]), np.diag([1.6, 2.0])]
samples = []
for C in narrow:
    noise = [rng.multivariate_normal([0, 0], C, 120) for _ in range(2)]
    noise = [e - e.mean(axis=0) for e in noise]  # exactly the same means in both pictures
    samples.append((noise[0], noise[1] + [3.0, 0.0]))
w = np.array([1.0, 0.0])


def fisher_ratio(w, A, B):
    a, b = A @ w, B @ w
    return (b.mean() - a.mean()) ** 2 / (((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum())


axes = new_grid(1, 2, sharey=True)[0]
ratios = []
for ax, (A, B) in zip(axes, samples, strict=True):
    ratios.append(fisher_ratio(w, A, B))
    ax.plot(*A.T, "o", ms=4, color=COLOURS[0])
    ax.plot(*B.T, "x", ms=5, color=COLOURS[1])
    ax.axvline(1.5, color="#222222", ls="--")
    ax.set_title(f"gap 3.0, Fisher's criterion {ratios[-1]:.4f}")
assert ratios[0] > 2 * ratios[1]

# %%
# **2 and 3.** :math:`(m_2 - m_1)^2 = w^\top S_B w` and :math:`s_1^2 + s_2^2 = w^\top S_W w`, so
# :math:`J(w) = w^\top S_B w \,/\, w^\top S_W w`.
A, B = samples[1]
m1, m2 = A.mean(axis=0), B.mean(axis=0)
S_B = np.outer(m2 - m1, m2 - m1)
S_W = (A - m1).T @ (A - m1) + (B - m2).T @ (B - m2)
v = np.array([0.8, -0.6])
np.testing.assert_allclose(fisher_ratio(v, A, B), (v @ S_B @ v) / (v @ S_W @ v))

# %%
# **4 and 5.** :math:`\max w^\top S_B w` subject to :math:`w^\top S_W w = 1`. The Lagrangian :math:`w^\top S_B w -
# \lambda (w^\top S_W w - 1)` has the derivative :math:`2 S_B w - 2 \lambda S_W w`, zero when :math:`S_B w = \lambda
# S_W w`; then :math:`\lambda = J(w)`.
#
# **6.** :math:`S_B w` is a multiple of :math:`m_1 - m_2`, so :math:`w \propto S_W^{-1} (m_1 - m_2)`; the largest criterion is
# :math:`(m_1 - m_2)^\top S_W^{-1} (m_1 - m_2)`.
X, y = np.concatenate([A, B]), np.repeat(["1", "2"], 120)
model = FisherDiscriminant().fit(X, y)
w = np.linalg.solve(S_W, m1 - m2)
J = (m1 - m2) @ w
np.testing.assert_allclose(S_B @ w, J * S_W @ w, atol=1e-10)
np.testing.assert_allclose(np.abs(model.coef_[0] @ w), np.linalg.norm(model.coef_[0]) * np.linalg.norm(w))
np.testing.assert_allclose(model.criterion_, J)
assert w @ m1 > w @ m2  # class 1 on the side of large scores
assert all(fisher_ratio(u, A, B) <= J + 1e-12 for u in rng.standard_normal((200, 2)))
print(f"J = {J:.5f}, and no direction of 200 does better")
