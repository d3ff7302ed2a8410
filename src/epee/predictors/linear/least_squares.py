r"""Classification by least squares.

Each class has a target :math:`t_{ik}`; the scores minimise

.. math:: \sum_i \sum_k (w_k^\top x_i + b_k - t_{ik})^2 + \alpha \sum_k \|w_k\|^2, \qquad
          w_k = (S + \alpha I)^{-1} c_k, \quad b_k = \bar t_k - w_k^\top \bar x, \tag{1}

with the total scatter :math:`S` and :math:`c_k = \sum_i t_{ik} (x_i - \bar x)`. The penalty is the prior of a maximum a
posteriori; the bias is free. Targets are :math:`\pm 1`, 0 and 1, or Fisher's :math:`n/n_k` and :math:`-n/(n - n_k)`,
with which two classes give :math:`w \propto S_W^{-1}(m_1 - m_2)` and the cut at the overall mean. All are the 0/1
targets stretched and shifted, and so are their fits.

Without row :math:`i`, with :math:`h_i = w_i[1/n + (x_i - \bar x)^\top (S + \alpha I)^{-1} (x_i - \bar x)]`, the fit of
a target is :math:`t_i - (t_i - s_i)/(1 - h_i)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import SingularProblem, WrongUse
from epee.estimator.stack import Linear
from epee.moments.moments import Moments
from epee.predictors.linear.closed_forms import (
    EitherSide,
    cross_scatter,
    inverse_factor,
    say_deficient,
    spectral_factor,
)
from epee.typing import Codes, Matrix, Vector

MOST_DEPENDENT = 1e6  # the trace of the inverse of correlations that are solved fold beside fold


class LeastSquaresClassifier(EitherSide):
    r"""Least squares on class targets: :math:`w_k = (S + \alpha I)^{-1} c_k`, the largest score wins.

    Parameters
    ----------
    alpha : float >= 0, default=0.0
        Weight of the penalty in (1); 0 is least squares, large sends ``coef_`` to 0.
    targets : {"signed", "one_hot", "fisher"}, default="signed"
        :math:`\pm 1`; 1 and 0; or :math:`n/n_k` for the class and :math:`-n/(n - n_k)` for the others.
    penalise_intercept : bool, default=False
        Let the penalty count the bias, too, as one slide of the course does.

    Attributes
    ----------
    coef_, intercept_ : arrays (K, p) and (K,), one row with two classes
        With two classes the scores of the second.

    Notes
    -----
    Keeps :math:`p^2 + Kp + K` numbers; one pass, then :math:`O(p^3)`; with fewer rows than columns :math:`O(n^2 p)`
    from the rows. The scores at any point add up to :math:`2 - K` (signed), 1 (one_hot). Well-classified rows far away
    pull the frontier, and with three or more classes in line the middle one may be masked.

    References
    ----------
    Bishop, *Pattern Recognition and Machine Learning*, section 4.1.3 and exercise 4.6.

    Examples
    --------
    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], ["a", "a", "b", "b"]
    >>> LeastSquaresClassifier().fit(X, y).coef_, LeastSquaresClassifier(alpha=10.0).fit(X, y).coef_
    (array([[0.6]]), array([[0.3]]))
    """

    state_parts = ("_by_rows", "_share", "_half", "_centre", "_base", "_coef", "_bias")

    def __init__(self, alpha: float = 0.0, targets: str = "signed", *, penalise_intercept: bool = False) -> None:
        self.alpha = alpha
        self.targets = targets
        self.penalise_intercept = penalise_intercept

    def _check(self) -> None:
        if isinstance(self.alpha, str) or not 0 <= self.alpha < np.inf:
            raise WrongUse(f"alpha is {self.alpha!r}; a penalty must be finite and not negative.")
        if self.targets not in ("signed", "one_hot", "fisher"):
            raise WrongUse(f"targets {self.targets!r} is not one of 'signed', 'one_hot' and 'fisher'.")

    def _target_values(self, count: Vector) -> tuple[Matrix, Matrix]:
        """Return the targets (..., K) in a class's own place and elsewhere, from the counts (..., K)."""
        if self.targets != "fisher":
            return np.ones_like(count), np.full_like(count, -1.0 if self.targets == "signed" else 0.0)
        n = count.sum(axis=-1, keepdims=True)
        rest = n - count
        return n / np.where(count > 0, count, 1.0), -n / np.where(rest > 0, rest, 1.0)

    def _solve(self, m: Moments) -> None:
        self._check()
        n = float(m.count.sum())
        C, level, mean = cross_scatter(m, _hot(len(m.count)))
        S: Any = m.merge("group").scatter
        bend = self._bend(n)
        S, C = S + bend * np.outer(mean, mean) + self.alpha * np.eye(m.p), C + bend * np.outer(mean, level)
        found = inverse_factor(S)
        if found is not None and found[1] > 1e-13:
            half = found[0]
        else:
            half, _ = spectral_factor(S)
            if np.diagonal(S).min() > 0:
                say_deficient(half.shape[1], m.p, "Set alpha above 0, or drop columns.")
        self._adopt(half @ (half.T @ C), half, level, mean, m.count)

    def solve_scores(self, m: Moments) -> Linear | None:
        """Return the scores of every fold at once; None where columns are so nearly dependent that they are looked at fold by fold."""
        if m.kind != "pooled":
            return None
        self._check()
        everyone: Any = m.merge("group")
        n, mean, T = everyone.count, everyone.mean, _hot(m.count.shape[1])
        level = m.frequencies @ T  # (T, K + 1)
        C = ((m.mean - mean[:, None]) * m.count[:, :, None]).swapaxes(1, 2) @ T  # (T, p, K + 1)
        bent = self._bend(n) * mean.T  # (p, T)
        S = everyone.scatter + bent.T[:, :, None] * mean[:, None] + self.alpha * np.eye(m.p)
        C = C + bent.T[:, :, None] * level[:, None]
        sd = np.sqrt(np.diagonal(S, axis1=1, axis2=2))
        if not sd.min(initial=1.0) > 0:
            return None
        eye = np.broadcast_to(np.eye(m.p), S.shape)
        try:
            found = np.linalg.solve(
                S / (sd[:, :, None] * sd[:, None]), np.concatenate([C / sd[:, :, None], eye], axis=2)
            )
        except np.linalg.LinAlgError:
            return None
        if not (np.trace(found[:, :, C.shape[2] :], axis1=1, axis2=2) < MOST_DEPENDENT).all():
            return None
        coef = found[:, :, : C.shape[2]] / sd[:, :, None]  # (T, p, K + 1)
        share = n / (n + self.alpha) if self.penalise_intercept else np.ones(len(n))
        bias = share[:, None] * (level - np.matmul(mean[:, None], coef)[:, 0])
        high, low = self._target_values(m.count)
        W = (high - low)[:, None] * coef[:, :, :-1] + low[:, None] * coef[:, :, -1:]  # (T, p, K)
        b = (high - low) * bias[:, :-1] + low * bias[:, -1:]
        if b.shape[1] == 2:  # the second class wins where its score is positive
            W, b = W * [0.0, 1.0], b * [0.0, 1.0]
        return Linear(np.ascontiguousarray(W.swapaxes(1, 2)), b)

    def _solve_rows(self, X: Matrix, codes: Codes, w: Vector) -> None:
        self._check()
        count, n = np.bincount(codes, weights=w, minlength=len(self.classes_)).astype(np.float64), float(w.sum())
        T, mean = _hot(len(count))[codes], w @ X / n
        level, root = w @ T / n, np.sqrt(w)[:, None]
        Z, R = root * (X - mean), root * (T - level)
        if bend := self._bend(n):  # one row more bends the scatter
            Z, R = np.vstack([Z, np.sqrt(bend) * mean]), np.vstack([R, np.sqrt(bend) * level])
        U, s, Vt = np.linalg.svd(Z, full_matrices=False)
        kept = s > np.finfo(float).eps * max(X.shape) * s.max(initial=0.0)
        U, s, Vt = U[:, kept], s[kept], Vt[kept]
        coef = Vt.T @ ((s / (s**2 + self.alpha))[:, None] * (U.T @ R))
        self._adopt(coef, Vt.T / np.sqrt(s**2 + self.alpha), level, mean, count)

    def _bend(self, n: Any) -> Any:
        """Return what a penalty of the bias adds to the scatter along the mean, once the bias is eliminated."""
        return n * self.alpha / (n + self.alpha) if self.penalise_intercept else 0.0

    def _adopt(self, coef: Matrix, half: Matrix, level: Vector, mean: Vector, count: Vector) -> None:
        """Set the scores from the fits (p, K + 1) of 0/1 targets and of a constant one."""
        n = float(count.sum())
        self._share = n / (n + self.alpha) if self.penalise_intercept else 1.0
        self._half, self._centre, self._base = half, self._share * mean, self._share / n
        self._coef, self._bias = coef, self._share * (level - mean @ coef)  # (p, K + 1), (K + 1,)
        high, low = self._target_values(count)
        W = (high - low) * coef[:, :-1] + low * coef[:, -1:]  # (p, K)
        self._set_scores(W.T, (high - low) * self._bias[:-1] + low * self._bias[-1])

    def _scores_without(self, X: Matrix, codes: Codes, w: Vector) -> Matrix:
        K, rows, out = len(self.classes_), np.arange(len(X)), np.minimum(w, 1.0)
        h = out * ((((X - self._centre) @ self._half) ** 2).sum(axis=1) + self._base)
        if (h > 1 - 1e-10).any():
            raise SingularProblem(
                f"row {int(np.argmax(h))} alone decides its own score (leverage 1): set alpha above 0, or add rows."
            )
        T, fit = _hot(K)[codes], X @ self._coef + self._bias  # (n, K + 1)
        fit = np.where(w[:, None] > 0, T - (T - fit) / (1 - h)[:, None], fit)
        left = np.tile(np.bincount(codes, weights=w, minlength=K).astype(np.float64), (len(X), 1))
        left[rows, codes] -= out
        high, low = self._target_values(left)
        return (high - low) * fit[:, :-1] + low * fit[:, -1:]


def _hot(K: int) -> Matrix:
    """Return 0/1 targets (K, K + 1) with a constant one behind."""
    return np.hstack([np.eye(K), np.ones((K, 1))])
