r"""
Exercise: centring inside the Gram matrix
=========================================

*Course: S2 §3.1.3, footnote.* Show that :math:`X^{c\top} X^c = X^\top X - n \bar x \bar x^\top`.

With :math:`X^c = X - \mathbf 1 \bar x^\top` and :math:`X^\top \mathbf 1 = n \bar x`,

.. math:: X^{c\top} X^c = X^\top X - X^\top \mathbf 1 \bar x^\top - \bar x \mathbf 1^\top X + \bar x \mathbf 1^\top \mathbf 1
          \bar x^\top = X^\top X - n \bar x \bar x^\top - n \bar x \bar x^\top + n \bar x \bar x^\top .
"""

import numpy as np

from epee import Moments
from epee.figures.style import legend, new_axes

rng = np.random.default_rng(0)
X = rng.standard_normal((200, 4)) @ rng.standard_normal((4, 4)) + [1, -2, 3, 0]
mean, n = X.mean(axis=0), len(X)
np.testing.assert_allclose((X - mean).T @ (X - mean), X.T @ X - n * np.outer(mean, mean))

# %%
# True on paper, dangerous in floating point: far from the origin both terms are huge and their difference loses its digits.
# The moments of this library are centred from the start, and merge without subtraction.
shifts, naive, ours = 10.0 ** np.arange(0, 9), [], []
for shift in shifts:
    Y = X + shift
    truth = (X - mean).T @ (X - mean)
    m = Y.mean(axis=0)
    naive.append(np.abs(Y.T @ Y - n * np.outer(m, m) - truth).max() / np.abs(truth).max())
    ours.append(np.abs(Moments.of(Y).scatter - truth).max() / np.abs(truth).max())

ax = new_axes(
    xlabel="shift of the data",
    ylabel="relative error",
    xscale="log",
    yscale="log",
    title="a formula that is right and wrong",
)
ax.plot(shifts, naive, "o-", label="by subtraction")
ax.plot(shifts, np.maximum(ours, 1e-17), "o-", label="Moments")
legend(ax)
assert naive[-1] > 1e-3 and max(ours) < 1e-7
print(f"shift 1e8: subtraction {naive[-1]:.0e}, moments {ours[-1]:.0e}")
