r"""What linear classifiers in closed form share: one score a class, and two sides from which to solve.

.. math:: s_k(x) = w_k^\top x + b_k, \qquad \hat y = \arg\max_k s_k(x).

With two classes only the difference counts, and ``coef_`` has one row: the second class wins where the score is
positive, the first where it is zero or less. With fewer rows than columns the :math:`n \times n` side is used: a
singular value decomposition of the rows, which costs :math:`O(n^2 p)`, in place of a scatter matrix.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone

from epee.arrays import affine_rows
from epee.errors import ConditionWarning, WrongUse
from epee.estimator.base import Classifier, ScoreMixin, both_sides, refuse_large, say
from epee.estimator.keep import Keep
from epee.estimator.moment import MomentClassifier, MomentEstimator
from epee.moments.moments import Moments
from epee.table.arrays import ArraySource
from epee.table.block import Source, refuse_bad_cells
from epee.typing import Codes, Matrix, Vector


class LinearScores(ScoreMixin, MomentEstimator, Classifier):
    """A linear classifier on the moments of each class, whose scores are not probabilities."""

    keeps = Keep(group="y", scatter="pooled")
    answers_anywhere = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` (n, p) and their labels ``y`` (n,); weights are counts."""
        return MomentEstimator.fit(self, X, y, sample_weight)

    partial_fit = MomentClassifier.partial_fit  # type: ignore[assignment]
    _known_codes = MomentClassifier._known_codes

    def _set_scores(self, W: Matrix, b: Vector) -> None:
        """Set ``coef_`` (K, p) and ``intercept_`` (K,), of two classes the second row alone."""
        one = len(self.classes_) == 2
        self.coef_, self.intercept_ = (W[1:], b[1:]) if one else (W, b)

    def _score(self, X: Matrix) -> Matrix:
        scores: Matrix = affine_rows(X, self.coef_.T, self.intercept_)
        return both_sides(scores) if len(self.classes_) == 2 else scores

    def left_out(self, X: Matrix, codes: Codes, w: Vector | None = None) -> Matrix | None:
        """Return the scores (n, K) of each row by the model fitted without it, in closed form.

        An estimator that is not fitted yet learns from these rows first. One copy of a row is left out when its weight
        is a larger count.
        """
        X, codes = np.asarray(X, dtype=np.float64), np.asarray(codes)
        w = None if w is None else np.asarray(w, dtype=np.float64)
        model = self if hasattr(self, "coef_") else clone(self).fit(X, codes, sample_weight=w)
        scores = model._scores_without(X, codes, np.ones(len(X)) if w is None else w)
        if scores is None or scores.shape[1] != 2:
            return scores
        return np.hstack([np.zeros((len(X), 1)), scores[:, 1:]])

    def _scores_without(self, X: Matrix, codes: Codes, w: Vector) -> Matrix | None:
        """Return the scores behind :meth:`left_out`; None when this setting has no formula."""
        return None


class EitherSide(LinearScores):
    """Solves from moments when there are at least as many rows as columns, else from the rows by ``_solve_rows(X, codes, w)``."""

    def _from_rows(self, source: Source) -> bool:
        n, p = source.n_rows, source.n_columns
        self._by_rows = isinstance(source, ArraySource) and n is not None and n < p
        if not self._by_rows:
            return False
        assert isinstance(source, ArraySource)
        assert source.group is not None
        refuse_large(n, p)
        refuse_bad_cells(source.X, source.names)
        w = np.ones(len(source.group)) if source.weight is None else source.weight
        self._solve_rows(np.asarray(source.X, dtype=np.float64), source.group, w)
        return True

    def fit_moments(self, m: Moments) -> Self:
        """Solve from moments."""
        self._by_rows = False
        return super().fit_moments(m)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to what was learned; the order and the cut of the rows do not matter."""
        if getattr(self, "_by_rows", False):
            raise WrongUse(
                "fit had fewer rows than columns and kept no moments to add to: begin with partial_fit instead of fit."
            )
        if not hasattr(self, "moments_") and classes is None:
            source = self.rows_in(X, y, sample_weight)
            m = self._sum(source)
            self.fit_moments(m)
            self.refine(source, m)
            self._look(m)
            return self
        return LinearScores.partial_fit(self, X, y, classes, sample_weight)

    def _solve_rows(self, X: Matrix, codes: Codes, w: Vector) -> None:
        raise TypeError(f"{type(self).__name__} does not say how rows become parameters.")


def target_codes(K: int, low: float = -1.0) -> Matrix:
    """Return the targets (K, K) of each class: 1 in its own place, ``low`` elsewhere.

    >>> target_codes(3)[1]
    array([-1.,  1., -1.])
    """
    return np.where(np.eye(K, dtype=bool), 1.0, low)


def cross_scatter(m: Moments, T: Matrix) -> tuple[Matrix, Vector, Vector]:
    """Return the scatter (p, K) of the inputs against targets T (groups, K), the mean target and the mean input."""
    n = m.count.sum()
    mean = m.origin + m.count @ m.shift / n
    level = m.count @ T / n
    return (m.count[:, None] * (m.mean - mean)).T @ T, level, mean


def inverse_factor(S: Matrix) -> tuple[Matrix, float] | None:
    """Return W (p, p) with W' S W = I, and a lower bound on the smallest eigenvalue of the correlations; None when singular."""
    from scipy.linalg.lapack import dpotrf, dtrtri

    sd = np.sqrt(np.diagonal(S))
    if not len(S) or sd.min() <= 0:
        return None
    L, info = dpotrf(S / sd / sd[:, None], lower=1, clean=1)
    if info != 0:
        return None
    inverse, _ = dtrtri(L, lower=1)
    return inverse.T / sd[:, None], float(1.0 / np.einsum("ij,ij->", inverse, inverse))


def spectral_factor(S: Matrix, tol: float = 1e-8) -> tuple[Matrix, Matrix]:
    """Return W (p, r) with W W' the pseudo-inverse of S, and a basis (p, p - r) of what S maps to zero."""
    values, V = np.linalg.eigh(S)
    rounding = 16 * np.finfo(float).eps * len(S)  # what the eigenvalues of a matrix of sums are known to
    kept = values > max(tol**2, rounding) * values.max(initial=0.0)
    return V[:, kept] / np.sqrt(values[kept]), V[:, ~kept]


def say_deficient(rank: int, p: int, remedy: str) -> None:
    """Warn that columns depend on one another."""
    say(
        f"the columns are linearly dependent, or nearly so (rank {rank} of {p}): the solution of least norm is taken. {remedy}",
        ConditionWarning,
    )
