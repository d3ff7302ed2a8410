r"""
Exercise: is the matrix of the normal equations invertible?
===========================================================

*Course: S3 §2.1.3, in the text.* The pseudo-inverse discriminator solves :math:`\mathbf X \mathbf X^\top w = \mathbf
X d`, with the :math:`P` observations in the *columns* of the :math:`N \times P` matrix :math:`\mathbf X`. Is
:math:`\mathbf X\mathbf X^\top` always invertible? What are its eigenvalues? What to do when it is not?

*Precision.* The course multiplies :math:`\mathbf X^\top w = d` by :math:`\mathbf X`; that system has no solution in
general, and the product gives the normal equations of the least-squares problem.
"""

import numpy as np

from epee import PseudoInverse
from epee.figures.style import legend, new_axes

rng = np.random.default_rng(0)
N, P = 12, 7  # fewer observations than dimensions
X, d = rng.standard_normal((N, P)), rng.choice([-1.0, 1.0], P)

# %%
# Not always: its rank is that of :math:`\mathbf X`, at most :math:`P`; with :math:`P < N` the eigenvalues
# :math:`\lambda_n` with :math:`n > P` are zero.
lam = np.linalg.eigvalsh(X @ X.T)[::-1]
assert np.linalg.matrix_rank(X @ X.T) == P and np.abs(lam[P:]).max() < 1e-10

# %%
# The link with the singular values of :math:`\mathbf X = U \Delta V^\top`: :math:`\mathbf X\mathbf X^\top = U
# \Delta^2 U^\top`, so :math:`\lambda_n = \delta_n^2`. It is invertible if and only if no :math:`\lambda_n` is zero.
U, delta, Vt = np.linalg.svd(X, full_matrices=False)
np.testing.assert_allclose(lam[:P], delta**2)

# %%
# Otherwise invert what can be: :math:`w = U\,\Delta_{1/\delta}\,V^\top d`. It solves the normal equations, and is the
# shortest vector that does.
w = U @ ((Vt @ d) / delta)
np.testing.assert_allclose(X @ (X.T @ w), X @ d, atol=1e-10)
np.testing.assert_allclose(w, np.linalg.pinv(X.T) @ d)
other = w + (np.eye(N) - U @ U.T) @ rng.standard_normal(N)
np.testing.assert_allclose(X @ (X.T @ other), X @ d, atol=1e-9)
assert np.linalg.norm(w) < np.linalg.norm(other)

# %%
# The library does the same on the cheap side (rows here, a constant input included).
y = np.where(d > 0, "yes", "no")
model = PseudoInverse().fit(X.T, y)
augmented = np.column_stack([np.ones(P), X.T])
reference = np.linalg.pinv(augmented) @ d
np.testing.assert_allclose(model.decision_function(X.T), augmented @ reference, atol=1e-8)

ax = new_axes(xlabel="n", ylabel="value", title="seven observations in twelve dimensions")
ax.plot(np.arange(1, N + 1), lam, "o", label=r"$\lambda_n$ of $XX^\top$")
ax.plot(np.arange(1, P + 1), delta**2, "+", ms=12, label=r"$\delta_n^2$ of $X$")
legend(ax)
print(f"rank {P} of {N}: {N - P} eigenvalues are zero")
