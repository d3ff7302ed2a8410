r"""
Exercise: how to read Hebb's rule?
==================================

*Course: S3 §2.1.2, in the text.* :math:`w = \sum_p d^{(p)} x^{(p)}` with :math:`d = \pm 1`. What does :math:`\hat
d(x) = \mathrm{sign}(w^\top x)` mean?

Write it out: :math:`w^\top x = \sum_p d^{(p)}\, x^{(p)\top} x`. Every training vector votes for its own class, with a
weight that is its similarity with :math:`x`. Nothing is minimised, and a class with more rows has more votes.
"""

import numpy as np

from epee import Hebb
from epee.risk import plot_regions

rng = np.random.default_rng(0)
y = np.repeat([-1, 1], [60, 60])
X = rng.standard_normal((120, 2)) + 1.5 * y[:, None]
model = Hebb().fit(X, y)

# %%
# The vote, counted by hand, with a constant input for the bias.
new = rng.standard_normal((50, 2)) * 3
A, B = (np.column_stack([np.ones(len(Z)), Z]) for Z in (X, new))
votes = (B @ A.T) @ y
assert (model.predict(new) == np.where(votes > 0, 1, -1)).all()

# %%
# The order of the rows does not matter; with balanced classes :math:`w` follows the difference of the class means.
order = rng.permutation(120)
np.testing.assert_allclose(Hebb().fit(X[order], y[order]).coef_, model.coef_)
difference = X[y == 1].mean(axis=0) - X[y == -1].mean(axis=0)
w = y @ X
np.testing.assert_allclose(w / np.linalg.norm(w), difference / np.linalg.norm(difference))
plot_regions(model, X, y).set_title("every row votes")

# %%
# Unbalanced, the larger class pulls the bias: its rows are right more often, those of the smaller one less.
few = np.r_[np.arange(60), np.arange(60, 70)]
lopsided = Hebb().fit(X[few], y[few])
assert np.mean(lopsided.predict(X[y == 1]) == 1) < np.mean(model.predict(X[y == 1]) == 1)
print("right in the smaller class:", np.mean(lopsided.predict(X[y == 1]) == 1))
