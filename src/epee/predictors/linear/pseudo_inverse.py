r"""The pseudo-inverse discriminator.

With targets :math:`d_{ik} = \pm 1` and augmented rows :math:`a_i = (1, x_i)`, minimise

.. math:: J = \sum_i w_i \sum_k (d_{ik} - a_i^\top v_k)^2 \quad\Rightarrow\quad v = A^+ d, \tag{1}

by the pseudo-inverse :math:`A^+ = V \operatorname{diag}(1/\delta_1, \dots, 1/\delta_r)\, U^\top` of :math:`A = U \Delta
V^\top`: of all the solutions of the normal equations :math:`A^\top A v = A^\top d` the one of least norm. (The course
solves :math:`A v = d`; in general that has no solution but in the least-squares sense.)

From moments: with the centred scatter :math:`S = WW^\top` inverted on its range and :math:`N` a basis of its null
space, the bias :math:`b_0 = \bar d - w_0^\top \bar x` of :math:`w_0 = S^+ c` is shared with the null space so that the
norm is least, :math:`w = w_0 + N N^\top \bar x\, b_0 / (1 + \|N^\top \bar x\|^2)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.moments.moments import Moments
from epee.predictors.linear.closed_forms import (
    EitherSide,
    cross_scatter,
    inverse_factor,
    say_deficient,
    spectral_factor,
    target_codes,
)
from epee.table.arrays import ArraySource
from epee.table.block import Source
from epee.typing import Codes, Matrix, Vector


class PseudoInverse(EitherSide):
    r"""Least squares on :math:`\pm 1` targets by the pseudo-inverse: :math:`v = A^+ d`, of least norm when :math:`A` is
    rank-deficient.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Add a constant input 1 to every row.
    tol : float >= 0, default=None
        Singular values below this part of the largest count as zero; a larger one drops more directions. By default
        :math:`\max(n, p)` times the precision of a float.

    Attributes
    ----------
    coef_, intercept_ : arrays (K, p) and (K,), one row with two classes
    rank_ : int
        Rank of :math:`A`.

    Notes
    -----
    Keeps :math:`p^2 + Kp + K` numbers; one pass, then :math:`O(p^3)`. With fewer rows than columns, or columns that
    depend on one another, the rows themselves are decomposed, in :math:`O(np \min(n, p))`.

    References
    ----------
    Hertz, Krogh and Palmer, *Introduction to the Theory of Neural Computation*, section 5.3.

    Examples
    --------
    >>> PseudoInverse().fit([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]).coef_
    array([[0.6]])
    """

    state_parts = ("_by_rows", "_regular")

    def __init__(self, *, fit_intercept: bool = True, tol: float | None = None) -> None:
        self.fit_intercept = fit_intercept
        self.tol = tol

    def _check(self) -> None:
        if self.tol is not None and not 0 <= self.tol < 1:
            raise WrongUse(f"tol is {self.tol!r}; it must be at least 0 and below 1.")

    def _solve(self, m: Moments) -> None:
        self._check()
        K, p = len(m.count), m.p
        C, level, mean = cross_scatter(m, target_codes(K))
        S: Any = m.merge("group").scatter
        if not self.fit_intercept:
            n = m.count.sum()
            S, C = S + n * np.outer(mean, mean), C + n * np.outer(mean, level)
        found = inverse_factor(S)
        self._regular = found is not None and found[1] > max(1e-10, self.tol or 0.0)
        if self._regular:
            W, null = found[0], np.empty((p, 0))  # type: ignore[index]
        else:
            W, null = spectral_factor(S, self.tol or 1e-8)
        coef, b = W @ (W.T @ C), np.zeros(K)  # (p, K)
        if self.fit_intercept:
            along = null.T @ mean
            coef += null @ np.outer(along, (level - mean @ coef) / (1 + along @ along))
            b = level - mean @ coef
        self.rank_ = W.shape[1] + int(self.fit_intercept)
        self._set_scores(coef.T, b)

    def refine(self, source: Source, m: Moments) -> None:
        if self._regular:
            return
        if isinstance(source, ArraySource) and source.group is not None:
            weight = np.ones(source.n_rows) if source.weight is None else source.weight
            self._solve_rows(np.asarray(source.X, dtype=np.float64), source.group, weight)
        else:
            say_deficient(self.rank_, m.p + 1, "Its digits are few; give the rows as an array to have them all.")

    def _decomposed(self, X: Matrix, w: Vector) -> tuple[Matrix, Vector, Matrix]:
        """Return the singular value decomposition of the weighted augmented rows, cut at the rank."""
        A = np.hstack([np.ones((len(X), 1)), X]) if self.fit_intercept else X
        U, s, Vt = np.linalg.svd(np.sqrt(w)[:, None] * A, full_matrices=False)
        tol = np.finfo(float).eps * max(A.shape) if self.tol is None else self.tol
        r = int((s > tol * s.max(initial=0.0)).sum())
        return U[:, :r], s[:r], Vt[:r]

    def _solve_rows(self, X: Matrix, codes: Codes, w: Vector) -> None:
        self._check()
        U, s, Vt = self._decomposed(X, w)
        D = target_codes(len(self.classes_))[codes] * np.sqrt(w)[:, None]  # (n, K)
        V = Vt.T @ ((U.T @ D) / s[:, None])  # (p + 1, K)
        self.rank_ = len(s)
        if self.fit_intercept:
            self._set_scores(V[1:].T, V[0])
        else:
            self._set_scores(V.T, np.zeros(len(self.classes_)))

    def _scores_without(self, X: Matrix, codes: Codes, w: Vector) -> Matrix:
        D = target_codes(len(self.classes_))[codes]
        U, s, _ = self._decomposed(X, w)
        root = np.sqrt(np.where(w > 0, w, 1.0))
        fitted = U @ (U.T @ (D * np.sqrt(w)[:, None])) / root[:, None]
        if (w <= 0).any():
            scores = X @ self.coef_.T + self.intercept_
            fitted[w <= 0] = (np.hstack([-scores, scores]) if len(self.coef_) == 1 else scores)[w <= 0]
        h = (
            (U**2).sum(axis=1) * np.minimum(w, 1.0) / np.where(w > 0, w, 1.0)
        )  # what one copy of the row holds of its own fit
        alone = h > 1 - 1e-9  # the only row along some direction
        out = np.where(w[:, None] > 0, D - (D - fitted) / np.where(alone, 1.0, 1 - h)[:, None], fitted)
        if alone.any():
            dual = U / s  # G^+ = dual dual'
            g = (dual**2).sum(axis=1)[:, None]
            out[alone] = (D - (dual @ (dual.T @ (D * root[:, None]))) / g / root[:, None])[alone]
        return out
