r"""Many logistic regressions on the same rows at once, each with its own weights of the rows.

Cross-validation fits the same rows again and again with some of them left out. With weights :math:`\omega_{mi}` of row
:math:`i` in model :math:`m`, one step of Newton's method for all models is two matrix products and a stack of small solves,

.. math:: g_m = \sum_i \omega_{mi} (P_{mi} - t_i)\, \tilde x_i + \lambda w_m, \qquad
          H_m = \sum_i \omega_{mi} P_{mi} (1 - P_{mi})\, \tilde x_i \tilde x_i^\top + \lambda I,

since the products :math:`\tilde x_i \tilde x_i^\top` are common to all.
"""

from __future__ import annotations

import numpy as np

from epee.losses.entropy import sigmoid
from epee.typing import Codes, Matrix, Tensor

EXACT = 1e-10  # slope of the mean loss at which a model is finished
STEPS = 50


def fit_stack(X: Matrix, t: Codes, weights: Matrix, strength: float, bias: bool) -> Tensor | None:
    r"""Return the weights (m, d), the bias last, of the minima for ``weights`` (m, n); None when one is not found.

    ``strength`` is the penalty :math:`\lambda = 1/C`; a class may not be missing from a model.

    >>> X, t = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> fit_stack(X, t, np.ones((1, 4)), 1.0, True).round(4)
    array([[ 0.4529, -0.6793]])
    """
    total = weights.sum(axis=1)
    ones = weights @ t
    if not ((ones > 0) & (ones < total)).all():
        return None
    A = np.column_stack([X, np.ones(len(X))]) if bias else X  # (n, d)
    d, penalty = A.shape[1], np.full(A.shape[1], float(strength))
    if bias:
        penalty[-1] = 0.0
    j, k = np.triu_indices(d)
    products = A[:, j] * A[:, k]  # (n, d (d + 1) / 2)
    W = np.zeros((len(weights), d))
    value, slope = _values(A, t, weights, W, penalty)
    for _ in range(STEPS):
        open_ = np.flatnonzero(np.abs(slope).max(axis=1) > EXACT * total)
        if not len(open_):
            return W
        P = sigmoid(W[open_] @ A.T)  # (m, n)
        H = np.empty((len(open_), d, d))
        H[:, j, k] = H[:, k, j] = (weights[open_] * P * (1 - P)) @ products
        H[:, range(d), range(d)] = H[:, range(d), range(d)] + penalty
        try:
            step = np.linalg.solve(H, slope[open_, :, None])[:, :, 0]
        except np.linalg.LinAlgError:
            return None
        length = np.ones(len(open_))
        for _ in range(30):  # shorten the steps that do not descend
            trial = W[open_] - length[:, None] * step
            new, bend = _values(A, t, weights[open_], trial, penalty)
            worse = ~(new <= value[open_] + 1e-12 * np.abs(value[open_]))
            if not worse.any():
                break
            length[worse] /= 2
        else:
            return None
        W[open_], value[open_], slope[open_] = trial, new, bend
    return None


def _values(A: Matrix, t: Codes, weights: Matrix, W: Matrix, penalty: np.ndarray) -> tuple[np.ndarray, Matrix]:
    """Return the penalised sums of losses (m,) and their gradients (m, d)."""
    S = W @ A.T  # (m, n)
    losses = np.logaddexp(0.0, np.where(t > 0, -S, S))
    value = (weights * losses).sum(axis=1) + 0.5 * (W * W) @ penalty
    return value, (weights * (sigmoid(S) - t)) @ A + W * penalty
