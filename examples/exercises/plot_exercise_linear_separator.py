r"""
Exercise: the geometry of a linear separator
============================================

*Course: S2 §1.2.1, seven questions.* Two inputs in the unit square, threshold :math:`\theta = 0`, prediction
:math:`\hat y = \mathrm{sgn}(w^\top x)` with :math:`\mathrm{sgn}(0) = -1`.

*Errata.* The sample lies in :math:`(\mathcal X \times \mathcal Y)^n`; the two regions are half-planes, not hyperplanes; and from
:math:`w = 0` the strict test "< 0" of a slide of S4 never updates: a row on the frontier is wrong, too.
"""

import warnings

import numpy as np

from epee import Perceptron
from epee.figures.style import COLOURS, new_axes

rng = np.random.default_rng(0)
w0 = np.array([-1.0, 1.0]) / np.sqrt(2)

# %%
# **1 and 2.** :math:`w_0^\top x = (x^2 - x^1)/\sqrt2`: the frontier is the diagonal :math:`x^2 = x^1`, and :math:`w_0` is
# at right angles to it, on the side of the points above.
X = rng.random((10, 2))
said = np.where(X @ w0 > 0, 1, -1)
assert (said == np.where(X[:, 1] > X[:, 0], 1, -1)).all()

ax = new_axes(title="ten points, one diagonal", xlabel="$x^1$", ylabel="$x^2$", aspect="equal", size=(4.5, 4.5))
ax.axline((0, 0), (1, 1), color="#222222")
for label, look in ((1, "o"), (-1, "x")):
    ax.plot(*X[said == label].T, look, color=COLOURS[(label < 0) * 1])
ax.annotate("", [0.5 + w0[0] / 5, 0.5 + w0[1] / 5], (0.5, 0.5), arrowprops={"arrowstyle": "-|>", "color": COLOURS[2]})
ax.set(xlim=(0, 1), ylim=(0, 1))

# %%
# **3.** Four corners with the classes on the diagonals (exclusive or) cannot be separated: the two conditions on one
# diagonal add up to the contrary of those on the other. The perceptron keeps its best weights, and says that it failed.
corners = np.array([[0, 0], [1, 1], [0, 1], [1, 0]], float)
xor = np.array([1, 1, -1, -1])
model = Perceptron(max_iter=50, tol=None)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns that the classes are not separable
    model.fit(corners, xor)
assert not model.separated_ and model.errors_ >= 1

# %%
# **4 and 5.** Off the frontier the prediction is right exactly when :math:`y_t w^\top x_t > 0`; a row on it is counted as
# wrong. The update :math:`w \leftarrow w + y_t x_t` adds :math:`y_t^2\, x_t^\top x_t = \|x_t\|^2` to that product, so
# repeated on one row it ends, after at most
# :math:`\lfloor -y_t w^\top x_t / \|x_t\|^2 \rfloor + 1` corrections.
w, x, y = np.array([3.0, -2.0]), np.array([0.4, 0.3]), -1
bound, steps = int(-y * (w @ x) // (x @ x)) + 1, 0
while y * (w @ x) <= 0:
    before = y * (w @ x)
    w = w + y * x
    steps += 1
    np.testing.assert_allclose(y * (w @ x) - before, x @ x)
assert steps <= bound

# %%
# **6.** Run over the rows and correct each that is wrong, until a pass makes no mistake or patience ends. If a margin
# :math:`\gamma` exists this takes at most :math:`(R/\gamma)^2` corrections.
y = np.where(X[:, 1] > X[:, 0], 1, -1)
learned = Perceptron(fit_intercept=False, max_iter=5000, tol=None).fit(X, y)
assert learned.separated_ and learned.score(X, y) == 1.0

# %%
# **7.** No: each input has its own weight, and no term holds two inputs. Where their relation matters, as between
# neighbouring pixels of a character, products of inputs are added: with :math:`x^1 x^2` the exclusive or is separable.
products = np.column_stack([corners, corners[:, 0] * corners[:, 1]])
assert Perceptron(max_iter=1000, tol=None).fit(products, xor).separated_
print(f"{steps} corrections of one row (bound {bound}); exclusive or is linear in (x1, x2, x1 x2)")
