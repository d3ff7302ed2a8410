r"""Several small logistic regressions side by side, each on rows of its own: the folds of a cross-validation, at every penalty.

One fit of a few hundred rows is some twenty passes of next to no arithmetic, each with its fixed cost. Here a pass is that of all of
them: rows (m, d, n) padded with rows of weight 0, and Newton's step a stack of solves, with the weights :math:`\omega` of the rows and
classes :math:`k, l`

.. math:: g_k = \sum_i \omega_i (P_{ik} - T_{ik})\, \tilde x_i + \lambda w_k, \qquad
          H_{kl} = \sum_i \omega_i P_{ik} (\delta_{kl} - P_{il})\, \tilde x_i \tilde x_i^\top + \delta_{kl} \lambda .

A change common to all classes changes nothing but the penalty: a term that makes :math:`H` regular along it never acts, since the
gradient has no part there. What is found is where each model's own search begins, and mostly ends: it looks at the slope there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from epee.engines.local import one_blas_thread
from epee.typing import Codes, Matrix, Tensor, Vector

FLAT = 1e-11  # slope of the mean loss below which a model is at its minimum
STEPS = 40
AT_ONCE = 4_000_000  # numbers of all padded rows and of all Hessians
SMALL = 700_000  # products in a Hessian beyond which it costs more than passes without one

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
    m, n, d = len(samples), max(len(X) for X, *_ in samples), samples[0][0].shape[1] + bias
    M = 1 if K == 2 else K
    if m * (n * d + (M * d) ** 2) > AT_ONCE or n * d * d * max(1, M * (M - 1) // 2) > SMALL:
        return None
    if any(len(np.unique(t)) != K or t.max() + 1 != K for t in {id(t): t for _, t, _ in samples}.values()):
        return None
    A, T, w = np.zeros((m, d, n)), np.zeros((m, M, n)), np.zeros((m, n))
    for i, (X, t, own) in enumerate(samples):
        A[i, : X.shape[1], : len(X)] = X.T
        T[i, :, : len(X)] = t if M == 1 else t == np.arange(K)[:, None]
        w[i, : len(X)] = 1.0 if own is None else own
    if bias:
        A[:, -1] = 1.0
    if not np.isfinite(A).all():
        return None
    w /= w.sum(axis=1, keepdims=True)
    penalty = np.repeat(np.asarray(strengths, dtype=np.float64)[:, None], d, axis=1)  # (m, d)
    if bias:
        penalty[:, -1] = 0.0
    with one_blas_thread(), np.errstate(all="ignore"):
        found = _descend(A, T, w, penalty)
    return None if found is None else [(W.T, int(steps)) for W, steps in zip(*found, strict=True)]


def _descend(A: Tensor, T: Tensor, w: Matrix, penalty: Matrix) -> tuple[Tensor, Codes] | None:
    """Return the weights (m, M, d) and the numbers of steps (m,) by Newton's method; None where one is not found."""
    W, steps = np.zeros((len(A), T.shape[1], A.shape[1])), np.zeros(len(A), dtype=np.intp)
    left, here = np.arange(len(A)), W
    value, slope, P = _at(A, T, w, penalty, here)
    for _ in range(STEPS):
        steep = ~(np.abs(slope).max(axis=(1, 2)) <= FLAT)
        if not steep.all():  # those that have arrived are left alone
            W[left[~steep]], left = here[~steep], left[steep]
            if not len(left):
                return W, steps
            A, T, w, penalty, here, value, slope, P = (a[steep] for a in (A, T, w, penalty, here, value, slope, P))
        try:
            step = np.linalg.solve(_hessians(A, w, penalty, P), slope.reshape(len(left), -1, 1)).reshape(slope.shape)
        except np.linalg.LinAlgError:
            return None
        length = np.ones((len(left), 1, 1))
        for _ in range(30):
            trial = here - length * step
            new, bent, said = _at(A, T, w, penalty, trial)
            worse = ~(new <= value + 1e-13 * np.abs(value))
            if not worse.any():
                break
            length[worse] /= 2
        else:
            return None
        still = np.abs(length * step).max(axis=(1, 2)) <= 1e-13 * (1.0 + np.abs(trial).max(axis=(1, 2)))
        if still.all() and not (np.abs(bent).max(axis=(1, 2)) <= FLAT).all():
            W[left] = here
            return W, steps  # rounding is all that is left: the searches of their own judge what was reached
        here, value, slope, P = trial, new, bent, said
        steps[left] += 1
    return None


def _at(A: Tensor, T: Tensor, w: Matrix, penalty: Matrix, W: Tensor) -> tuple[Vector, Tensor, Tensor]:
    """Return risks (m,), gradients (m, M, d) and probabilities (m, M, n); with two classes that of the second."""
    S = W @ A
    if S.shape[1] == 1:
        small = np.exp(-np.abs(S))
        P = np.where(S >= 0.0, 1.0, small) / (1.0 + small)
        losses = (np.maximum(S, 0.0) - T * S + np.log(1.0 + small))[:, 0]
    else:
        top = S.max(axis=1, keepdims=True)
        P = np.exp(S - top)
        total = P.sum(axis=1, keepdims=True)
        P /= total
        losses = (top + np.log(total))[:, 0] - (S * T).sum(axis=1)
    shrunk = penalty[:, None, :] * W
    value = (w * losses).sum(axis=1) + 0.5 * (shrunk * W).sum(axis=(1, 2))
    return value, (w[:, None, :] * (P - T)) @ A.swapaxes(1, 2) + shrunk, P


def _hessians(A: Tensor, w: Matrix, penalty: Matrix, P: Tensor) -> Tensor:
    """Return the Hessians (m, M d, M d), class by class: with :math:`1 - P_k` the sum of the others, a product for each pair of classes."""
    m, d, _ = A.shape
    M, turned = P.shape[1], A.swapaxes(1, 2)
    own = penalty[:, :, None] * np.eye(d)
    if M == 1:
        return (A * (w * P[:, 0] * (1.0 - P[:, 0]))[:, None, :]) @ turned + own
    common = np.eye(d) / M  # along a change common to all classes there is no slope
    H, diagonal = np.empty((m, M, d, M, d)), [own + common] * M
    for k, j in combinations(range(M), 2):
        C = (A * (w * P[:, k] * P[:, j])[:, None, :]) @ turned
        H[:, k, :, j, :] = H[:, j, :, k, :] = common - C
        diagonal[k], diagonal[j] = diagonal[k] + C, diagonal[j] + C
    for k in range(M):
        H[:, k, :, k, :] = diagonal[k]
    return H.reshape(m, M * d, M * d)
