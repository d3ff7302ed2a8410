r"""Several small logistic regressions side by side, each on rows of its own: the folds of a cross-validation, at every penalty.

One fit of a few hundred rows is some twenty passes of next to no arithmetic, each with its fixed cost. Here a pass is that of all of
them: rows (m, n, d) padded with rows of weight 0, and Newton's step a stack of solves, with the weights :math:`\omega` of the rows and
classes :math:`k, l`

.. math:: g_k = \sum_i \omega_i (P_{ik} - T_{ik})\, \tilde x_i + \lambda w_k, \qquad
          H_{kl} = \sum_i \omega_i P_{ik} (\delta_{kl} - P_{il})\, \tilde x_i \tilde x_i^\top + \delta_{kl} \lambda .

A change common to all classes changes nothing but the penalty: a term that makes :math:`H` regular along it never acts, since the
gradient has no part there. What is found is where each model's own search begins, and mostly ends: it looks at the slope there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epee.engines.local import one_blas_thread
from epee.typing import Codes, Matrix, Tensor, Vector

FLAT = 1e-11  # slope of the mean loss below which a model is at its minimum
STEPS = 40
AT_ONCE = 4_000_000  # numbers of all padded rows and of all Hessians

Rows = tuple[Matrix, Codes, Vector | None]


def minima(samples: Sequence[Rows], strengths: Sequence[float], bias: bool) -> list[tuple[Matrix, int]] | None:
    r"""Return the weights (d, M) of each minimum, the bias last, and the steps to it; None where they are too many or not all found.

    A sample is (X, codes, weights of the rows or None), every class in it; ``strengths`` are the penalties of the mean loss.

    >>> X, t = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> minima([(X, t, None)], [0.25], True)[0][0].round(4)
    array([[ 0.4529],
           [-0.6793]])
    """
    K = int(samples[0][1].max()) + 1
    if any(len(np.unique(t)) != K or t.max() + 1 != K for _, t, _ in samples):
        return None
    m, n, d = len(samples), max(len(X) for X, *_ in samples), samples[0][0].shape[1] + bias
    M = 1 if K == 2 else K
    if m * (n * d + (M * d) ** 2) > AT_ONCE:
        return None
    A, T, w = np.zeros((m, n, d)), np.zeros((m, n, M)), np.zeros((m, n))
    for i, (X, t, own) in enumerate(samples):
        A[i, : len(X), : X.shape[1]] = X
        T[i, : len(X)] = t[:, None] if M == 1 else t[:, None] == np.arange(K)
        w[i, : len(X)] = 1.0 if own is None else own
    if bias:
        A[:, :, -1] = 1.0
    if not np.isfinite(A).all():
        return None
    w /= w.sum(axis=1, keepdims=True)
    penalty = np.repeat(np.asarray(strengths, dtype=np.float64)[:, None], d, axis=1)  # (m, d)
    if bias:
        penalty[:, -1] = 0.0
    with one_blas_thread(), np.errstate(all="ignore"):
        found = _descend(A, T, w, penalty)
    return None if found is None else [(W, int(steps)) for W, steps in zip(*found, strict=True)]


def _descend(A: Tensor, T: Tensor, w: Matrix, penalty: Matrix) -> tuple[Tensor, Codes] | None:
    """Return the weights (m, d, M) and the numbers of steps (m,) by Newton's method; None where one is not found."""
    W = np.zeros((len(A), A.shape[2], T.shape[2]))
    value, slope, P = _at(A, T, w, penalty, W)
    steps = np.zeros(len(A), dtype=np.intp)
    for _ in range(STEPS):
        left = np.flatnonzero(~(np.abs(slope).max(axis=(1, 2)) <= FLAT))
        if not len(left):
            return W, steps
        rows, own, bend = A[left], penalty[left], _hessians(A[left], w[left], penalty[left], P[left])
        try:
            flat = np.linalg.solve(bend, slope[left].swapaxes(1, 2).reshape(len(left), -1, 1))
        except np.linalg.LinAlgError:
            return None
        step = flat.reshape(len(left), T.shape[2], -1).swapaxes(1, 2)  # (left, d, M)
        length = np.ones((len(left), 1, 1))
        for _ in range(30):
            trial = W[left] - length * step
            new, bent, said = _at(rows, T[left], w[left], own, trial)
            worse = ~(new <= value[left] + 1e-13 * np.abs(value[left]))
            if not worse.any():
                break
            length[worse] /= 2
        else:
            return None
        still = np.abs(length * step).max(axis=(1, 2)) <= 1e-13 * (1.0 + np.abs(trial).max(axis=(1, 2)))
        if still.all() and not (np.abs(bent).max(axis=(1, 2)) <= FLAT).all():
            return W, steps  # rounding is all that is left: the searches of their own judge what was reached
        W[left], value[left], slope[left], P[left] = trial, new, bent, said
        steps[left] += 1
    return None


def _at(A: Tensor, T: Tensor, w: Matrix, penalty: Matrix, W: Tensor) -> tuple[Vector, Tensor, Tensor]:
    """Return risks (m,), gradients (m, d, M) and probabilities (m, n, M); with two classes that of the second."""
    S = A @ W
    if S.shape[2] == 1:
        P = 1.0 / (1.0 + np.exp(-S))
        losses = np.logaddexp(0.0, np.where(T > 0, -S, S))[:, :, 0]
    else:
        top = S.max(axis=2, keepdims=True)
        P = np.exp(S - top)
        total = P.sum(axis=2, keepdims=True)
        P /= total
        losses = (top + np.log(total))[:, :, 0] - (S * T).sum(axis=2)
    value = (w * losses).sum(axis=1) + 0.5 * (penalty[:, :, None] * W * W).sum(axis=(1, 2))
    slope = A.swapaxes(1, 2) @ (w[:, :, None] * (P - T)) + penalty[:, :, None] * W
    return value, slope, P


def _hessians(A: Tensor, w: Matrix, penalty: Matrix, P: Tensor) -> Tensor:
    """Return the Hessians (m, M d, M d), class by class."""
    m, _, d = A.shape
    M = P.shape[2]
    turned = A.swapaxes(1, 2)
    H = np.empty((m, M, d, M, d))
    common = np.eye(d) / M if M > 1 else np.zeros((d, d))  # along a change common to all classes there is no slope
    own = penalty[:, :, None] * np.eye(d) + common
    for k in range(M):
        for j in range(k + 1):
            share = P[:, :, k] * ((1.0 if j == k else 0.0) - P[:, :, j]) * w  # (m, n)
            bend = turned @ (share[:, :, None] * A) + (own if j == k else common)
            H[:, k, :, j, :] = H[:, j, :, k, :] = bend
    return H.reshape(m, M * d, M * d)
