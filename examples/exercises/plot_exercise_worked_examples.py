r"""
Exercise: the worked examples of the slides, worked again
=========================================================

*Course: S4.* Four small computations; three of them carry an erratum.
"""

import numpy as np

from epee.figures.style import COLOURS, new_axes
from epee.losses import sigmoid

# %%
# **Two points and a line.** :math:`w = (2.2, -5.5, 4.4)`, bias first: :math:`(3, 7)` lies in front, :math:`(6, 1)` behind.
w = np.array([2.2, -5.5, 4.4])
scores = [w @ [1, 3, 7], w @ [1, 6, 1]]
np.testing.assert_allclose(scores, [16.5, -26.4])

# %%
# **One step of the multi-class perceptron.** :math:`x = (0.4, -1)`, true class 0. *Erratum:* the first score is
# :math:`-2 + 3.6 \cdot 0.4 - 0.5 = -1.06`, not -1.6. Class 2 wins, so rows 0 and 2 move; the sum of the rows does not change.
W = np.array([[-2, 3.6, 0.5], [-4, 2.4, 4.1], [-6, 4, -4.9]])
x = np.array([1, 0.4, -1])
y = W @ x
np.testing.assert_allclose(y, [-1.06, -7.14, 0.5])
new = W.copy()
new[y.argmax()] -= x
new[0] += x
np.testing.assert_allclose(new.sum(axis=0), W.sum(axis=0))
np.testing.assert_allclose((new @ x)[0] - y[0], x @ x)

# %%
# **A sigmoid.** :math:`x = (0.4, -1)`, :math:`w = (2.0, -3.6, 0.5)`. *Erratum:* 0.125 and "behind" leave out the
# bias; with it the score is 0.06, the output 0.515, and the point lies (barely) in front.
a = np.array([2.0, -3.6, 0.5]) @ x
np.testing.assert_allclose(a, 0.06)
np.testing.assert_allclose(sigmoid(np.array([a]))[0], 0.515, atol=5e-4)
np.testing.assert_allclose(sigmoid(np.array([a - 2.0]))[0], 0.125, atol=1e-3)  # what the slide computed

# %%
# **Two weight vectors, one score.** On :math:`x = (1, 1, 1)`, :math:`(1, 0, 0)` and :math:`(\frac13, \frac13,
# \frac13)` score the same. The L2 penalty prefers the second, L1 does not care. *Erratum:* the gradient of
# :math:`\lambda\|w\|^2` is the vector :math:`2\lambda w`, not the number :math:`2\lambda\sum_d w_d`.
one, three = np.array([1.0, 0, 0]), np.full(3, 1 / 3)
assert one.sum() == three.sum() == 1.0 and three @ three < one @ one
np.testing.assert_allclose(np.abs(one).sum(), np.abs(three).sum())
lam, step, v = 0.3, 1e-6, np.array([0.5, -2.0, 1.0])
numeric = [lam * (((v + step * e) ** 2).sum() - ((v - step * e) ** 2).sum()) / (2 * step) for e in np.eye(3)]
np.testing.assert_allclose(numeric, 2 * lam * v, rtol=1e-7)

ax = new_axes(title="the sigmoid of the example, with and without its bias", xlabel="a", ylabel=r"$\sigma(a)$")
grid = np.linspace(-5, 5, 200)
ax.plot(grid, sigmoid(grid))
for value, name in ((a, "with"), (a - 2.0, "without")):
    ax.plot(value, sigmoid(np.array([value]))[0], "o", color=COLOURS[1])
    ax.annotate(name, (value, sigmoid(np.array([value]))[0]), xytext=(8, -4), textcoords="offset points")
print("scores", np.round(scores, 1), y.round(2), round(float(a), 2))
