r"""Fisher's linear discriminant.

The direction that spreads the class means most, against the spread within the classes, maximises

.. math:: J(w) = \frac{w^\top S_B w}{w^\top S_W w}, \qquad S_B = (m_1 - m_2)(m_1 - m_2)^\top, \qquad w \propto S_W^{-1}(m_1 - m_2). \tag{1}

:math:`S_W` is the within-class scatter (S2 of the course), the sum of the class covariances (the criterion of S4;
another direction when the classes are of unequal size), or the identity (the difference of means). A row belongs to
class 1 where :math:`w^\top x + w_0 > 0`: the course prints the sign reversed. With more classes the axes solve
:math:`S_B v = \lambda S_W v`, and the score of class :math:`k` is

.. math:: s_k(x) = m_k^\top \Sigma^{-1} x - \tfrac12 m_k^\top \Sigma^{-1} m_k \; (+ \log \pi_k), \tag{2}

whose differences for two classes are (1) with the cut at the midpoint, moved by the priors ("bayes"); "weighted" cuts
at the overall mean.

Without a row, :math:`\Sigma` changes by one rank; see :mod:`epee.predictors.generative.friedman`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from epee.errors import DataError, WrongUse, of_shares
from epee.estimator.base import NewAxes
from epee.estimator.keep import Keep
from epee.moments.moments import Moments, share
from epee.predictors.linear.closed_forms import LinearScores, inverse_factor, say_deficient
from epee.solve.spectral import fix_signs, whitening
from epee.typing import Codes, Matrix, Vector


class FisherDiscriminant(NewAxes, TransformerMixin, LinearScores):
    r"""The direction :math:`w \propto S_W^{-1}(m_1 - m_2)` that separates the classes best, and a cut along it.

    Parameters
    ----------
    within : {"scatter", "variance", "identity"}, default="scatter"
        The spread in the denominator of (1): the within-class scatter, so that large classes count more; the sum of the
        class covariances, so that all count the same; or none.
    threshold : {"midpoint", "weighted", "bayes"}, default="midpoint"
        Cut halfway between the projected means; at the overall mean, nearer to the *larger* class, as least squares
        does; or by Bayes' rule for Gaussian classes of one covariance, :math:`\log(\pi_1/\pi_2)` nearer to the
        *smaller* one.

    Attributes
    ----------
    coef_, intercept_ : arrays (K, p) and (K,), one row with two classes
        Scaled by :math:`\Sigma`, the spread divided by the count, so that with "scatter" and "bayes" they are those of
        linear discriminant analysis.
    means_ : array (K, p)
    scalings_ : array (p, r)
        The discriminant axes, :math:`r \le \min(K - 1, p)`.
    criterion_ : float
        The largest :math:`J`; the sum of :math:`\lambda` over the axes with more than two classes.

    Notes
    -----
    Keeps :math:`p^2 + Kp + K` numbers ("variance": :math:`K p^2`); one pass, then :math:`O(p^3)`. A singular spread is
    inverted on its range, with a warning.

    References
    ----------
    Bishop, *Pattern Recognition and Machine Learning*, sections 4.1.4 to 4.1.6.

    Examples
    --------
    >>> X = [[0, 0], [1, 1], [0, 1], [4, 4], [5, 5], [4, 5]]
    >>> FisherDiscriminant().fit(X, list("aaabbb")).predict([[1, 0], [5, 4]])
    array(['a', 'b'], dtype='<U1')
    """

    state_parts = ("_half", "_centre")

    def __init__(self, within: str = "scatter", threshold: str = "midpoint") -> None:
        self.within = within
        self.threshold = threshold

    @property
    def keeps(self) -> Keep:
        """One pooled scatter, unless the classes' own are asked for."""
        return Keep(group="y", scatter="full" if self.within == "variance" else "pooled")

    def _solve(self, m: Moments) -> None:
        for name, allowed in (
            ("within", ("scatter", "variance", "identity")),
            ("threshold", ("midpoint", "weighted", "bayes")),
        ):
            if getattr(self, name) not in allowed:
                raise WrongUse(f"{name} {getattr(self, name)!r} is not one of {', '.join(map(repr, allowed))}.")
        if m.count.sum() <= len(m.count):
            raise DataError(
                f"the number of rows ({m.count.sum():g}) must exceed the number of classes ({len(m.count)}); "
                f"n_samples = 1 a class is too few.{of_shares(float(m.count.sum()))}"
            )
        self.means_ = m.mean
        self._half = self._whiten(self._spread(m))  # (p, r): half half' = Sigma^-1
        mean = m.origin + m.count @ m.shift / m.count.sum()
        Z = (m.mean - mean) @ self._half  # (K, r) means in whitened coordinates
        W, b = Z @ self._half.T, self._offsets(Z, m.frequencies)
        b = b - W @ mean
        if len(m.count) == 2:
            W, b = W - W[:1], b - b[:1]
        self._set_scores(W, b)
        self._set_axes(m, Z)

    def _spread(self, m: Moments) -> Matrix:
        """Return the spread within the classes per row."""
        n = m.count.sum()
        if self.within == "variance":
            return m.covariance().mean(axis=0)
        within = m.scatter / n
        return within if self.within == "scatter" else np.trace(within) / m.p * np.eye(m.p)

    def _whiten(self, sigma: Matrix) -> Matrix:
        found = inverse_factor(sigma)
        if found is not None and found[1] > 1e-13:
            return found[0]
        half = whitening(sigma, 1e-6)
        if half.shape[1] == 0:
            raise DataError(
                "every column is constant within its class: there is no spread to divide by. Add rows, or use within='identity'."
            )
        if np.diagonal(sigma).min() > 0:
            say_deficient(half.shape[1], len(sigma), "Drop columns, or use within='identity'.")
        return half

    def _offsets(self, Z: Matrix, frequencies: Vector) -> Vector:
        """Return the constants (K,) of the scores about the overall mean, for whitened means Z about it."""
        if self.threshold == "weighted":
            return np.zeros(len(Z))
        b = -0.5 * (Z**2).sum(axis=1)
        with np.errstate(divide="ignore"):
            return b + np.log(frequencies) if self.threshold == "bayes" else b

    def _set_axes(self, m: Moments, Z: Matrix) -> None:
        K, n = m.count.shape[0], m.count.sum()
        if K == 2:
            gap = Z[1] - Z[0]
            axes, values = gap[None], np.array([gap @ gap])
            scale = {"scatter": 1 / n, "variance": 0.5, "identity": 1.0}[
                self.within
            ]  # from Sigma to the denominator of J
            self.criterion_ = float(values[0] * scale) if self.within != "identity" else self.criterion(self.coef_[0])
        else:
            between = np.sqrt(m.count)[:, None] * Z
            _, s, axes = np.linalg.svd(between, full_matrices=False)
            values = s**2 / n
            self.criterion_ = float(values.sum())
        kept = values > 1e-12 * max(values.max(initial=0.0), np.finfo(float).tiny)
        kept[min(K - 1, m.p) :] = False
        norms = np.sqrt((axes**2).sum(axis=1, keepdims=True))
        axes = axes / np.where(norms > 0, norms, 1.0)
        self.scalings_ = self._half @ (fix_signs(axes[kept]) if K > 2 else axes[kept]).T  # (p, r)
        self._n_features_out = self.scalings_.shape[1]
        self._centre = m.origin + m.count @ m.shift / n

    def criterion(self, w: Any) -> float:
        """Return Fisher's criterion :math:`J(w)` of a direction, for two classes; the length of ``w`` does not matter."""
        check_is_fitted(self, "means_")
        if len(self.means_) != 2:
            raise WrongUse("the criterion of one direction is that of two classes.")
        w, m = np.asarray(w, dtype=np.float64).ravel(), self.moments_
        S = m.scatter if self.within != "variance" else m.covariance().sum(axis=0)
        return float((w @ (m.mean[1] - m.mean[0])) ** 2 / (w @ S @ w))

    def transform(self, X: Any) -> Matrix:
        """Return the rows on the discriminant axes (n, r), about the overall mean."""
        return (self._leave(X) - self._centre) @ self.scalings_

    def _scores_without(self, X: Matrix, codes: Codes, w: Vector) -> Matrix:
        out = np.empty((len(X), len(self.classes_)))
        gone = np.minimum(w, 1.0)
        for k in range(len(self.classes_)):  # rows of one class and one weight share what they leave behind
            for u in np.unique(gone[codes == k]):
                rows = np.flatnonzero((codes == k) & (gone == u))
                out[rows] = self._block_without(X[rows], k, float(u))
        return out - out[:, :1] if out.shape[1] == 2 else out

    def _block_without(self, X: Matrix, k: int, u: float) -> Matrix:
        """Return the scores of rows of class k when weight u of each is left out."""
        m: Any = self.moments_
        left = m.count.copy()
        left[k] -= u
        n, N, p = max(left[k], 1e-300), left.sum(), m.p
        d = X - m.mean[k]  # (n, p)
        h = u * m.count[k] / n
        if self.within == "variance":
            sigma = share(m.scatter, np.broadcast_to(left[:, None, None], m.scatter.shape)).mean(axis=0)
            g = h / n / len(left)
        elif self.within == "scatter":
            sigma, g = m.scatter / N, h / N
        else:
            sigma, g = np.eye(p), 0.0
        half = self._whiten(sigma)
        spread = 1.0
        if self.within == "identity":
            spread = 1.0 / ((np.trace(m.scatter) - h * (d**2).sum(axis=1)) / (N * p))
        mean = m.origin + (m.count @ m.shift - u * (X - m.origin)) / N  # (n, p): overall mean without the row
        dv, xv = d @ half, (X - mean) @ half
        rest = 1.0 - g * (dv**2).sum(axis=1)
        if (rest <= 1e-12).any():
            raise DataError(
                f"without one of its rows, class {self.classes_.tolist()[k]!r} leaves a singular spread; "
                "use within='identity', or add rows."
            )

        def form(a: Matrix, b: Matrix) -> Vector:
            plain = np.einsum("ij,ij->i", a, b)
            return spread * (plain + g * np.einsum("ij,ij->i", a, dv) * np.einsum("ij,ij->i", b, dv) / rest)

        scores = np.empty((len(X), len(left)))
        for j in range(len(left)):
            mv = (m.mean[j] - mean) @ half
            if j == k:
                mv = mv - (u / n) * dv
            score = form(mv, xv)
            if self.threshold != "weighted":
                score = score - 0.5 * form(mv, mv)
            if self.threshold == "bayes":
                score = score + np.log(max(left[j], 1e-300) / N)
            scores[:, j] = score
        return scores
