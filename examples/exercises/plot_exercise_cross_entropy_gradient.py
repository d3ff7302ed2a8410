r"""
Exercise: the gradient of the cross-entropy
===========================================

*Course: S4, proof left for the class.* For :math:`y_n = \sigma(w^\top x_n)` and :math:`t_n \in \{0, 1\}`, show that
:math:`E = -\sum_n [t_n \ln y_n + (1 - t_n) \ln(1 - y_n)]` has the gradient :math:`\sum_n (y_n - t_n)\,x_n`.

By the chain rule, with :math:`a_n = w^\top x_n` and :math:`\sigma' = \sigma(1 - \sigma)`,

.. math:: \frac{\partial E}{\partial w} = -\sum_n \Big[\frac{t_n}{y_n} - \frac{1 - t_n}{1 - y_n}\Big]\, y_n (1 - y_n)\, x_n
          = -\sum_n [t_n (1 - y_n) - (1 - t_n) y_n]\, x_n = \sum_n (y_n - t_n)\, x_n.

The Hessian :math:`\sum_n y_n(1 - y_n)\,x_n x_n^\top` is positive semi-definite: :math:`E` is convex.

*Errata.* The likelihood on the slide bears a minus sign before the product, and the sum needs brackets about both
terms. In the K-class form the product runs over :math:`P(c_k|x)^{t_{nk}}`, and the update :math:`W - \eta (y - t)
x^\top` is an outer product.
"""

import numpy as np

from epee import LogisticRegression
from epee.losses import sigmoid, softmax
from epee.optimize import newton

rng = np.random.default_rng(0)
X = np.column_stack([np.ones(80), rng.standard_normal((80, 2))])
t = (rng.random(80) < sigmoid(X @ [0.3, 1.0, -1.5])).astype(float)


def E(w):
    a = X @ w
    return np.logaddexp(0, -np.where(t == 1, a, -a)).sum()


def gradient(w):
    return X.T @ (sigmoid(X @ w) - t)


def hessian(w):
    y = sigmoid(X @ w)
    return (X * (y * (1 - y))[:, None]).T @ X


# %%
# Finite differences agree, and the Hessian has no negative eigenvalue.
w, h = rng.standard_normal(3), 1e-6
np.testing.assert_allclose(gradient(w), [(E(w + h * e) - E(w - h * e)) / (2 * h) for e in np.eye(3)], rtol=1e-5)
assert np.linalg.eigvalsh(hessian(w)).min() >= 0

# %%
# K classes: the gradient of row k is :math:`\sum_n (y_k(x_n) - t_{nk})\,x_n^\top`, and the rows add up to zero.
T = np.eye(3)[rng.integers(0, 3, 80)]
W = rng.standard_normal((3, 3))


def E3(W):
    return -(T * np.log(softmax(X @ W.T))).sum()


G = (softmax(X @ W.T) - T).T @ X
bump = np.zeros((3, 3))
bump[1, 2] = h
np.testing.assert_allclose(G[1, 2], (E3(W + bump) - E3(W - bump)) / (2 * h), rtol=1e-5)
np.testing.assert_allclose(G.sum(axis=0), 0, atol=1e-10)

# %%
# Newton's steps with these two find the maximum of the likelihood; there the residuals are orthogonal to the inputs.
# (Pure Newton from a far start may overflow, whatever S1 says; the library halves steps.)
found = newton(E, np.zeros(3), gradient, hessian)
np.testing.assert_allclose(X.T @ (sigmoid(X @ found.x) - t), 0, atol=1e-6)
model = LogisticRegression(C=np.inf, solver="newton").fit(X[:, 1:], t.astype(int))
np.testing.assert_allclose(np.r_[model.intercept_, model.coef_[0]], found.x, rtol=1e-4)
found.plot()
print(f"{found.iterations} Newton steps: {found.x.round(3)}")
