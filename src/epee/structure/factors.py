r"""Discriminant factor analysis: the axes on which the classes stand furthest apart.

.. math:: S_B v = \lambda S_W v, \qquad \lambda_1 \ge \dots \ge \lambda_{K-1} \ge 0, \tag{1}

maximises the between-class scatter of a projection against its within-class scatter; the *discriminating power* of an axis is
the share :math:`\lambda / (1 + \lambda)` of its variance that lies between the classes. There are at most :math:`\min(K - 1, p)` axes,
and for two classes the only one is Fisher's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from epee.errors import SingularProblem, WrongUse
from epee.estimator.base import NewAxes
from epee.estimator.keep import Keep
from epee.estimator.moment import MomentClassifier
from epee.moments.moments import Moments
from epee.solve.spectral import fix_signs, whitening
from epee.typing import Matrix


class DiscriminantFactorAnalysis(NewAxes, TransformerMixin, MomentClassifier):
    r"""Axes that solve :math:`S_B v = \lambda S_W v`, and the nearest class mean on them.

    Parameters
    ----------
    n_components : int, default=None
        Axes kept, at most :math:`\min(K - 1, p)`; None keeps them all.

    Attributes
    ----------
    axes_ : array (p, q)
        Columns v, with within-class variance 1 along each.
    eigenvalues_ : array (q,)
        :math:`\lambda` of (1).
    discriminating_power_ : array (q,)
        :math:`\lambda / (1 + \lambda)`, in [0, 1].
    means_, mean_ : class means (K, p) and overall mean (p,)
    projected_means_ : array (K, q)

    Notes
    -----
    One pass of the pooled scatter, then :math:`O(p^3)`. ``transform`` equals that of linear discriminant analysis.

    References
    ----------
    Charvillat, *Apprentissage artificiel*, section 3.3; Saporta, *Probabilités, analyse des données et statistique*, chapter 18.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> DiscriminantFactorAnalysis().fit(X, y).discriminating_power_.round(2)
    array([0.97, 0.22])
    """

    keeps = Keep(group="y", scatter="pooled")

    def __init__(self, n_components: int | None = None) -> None:
        self.n_components = n_components

    def _solve(self, m: Moments) -> None:
        K, most = len(m.count), min(len(m.count) - 1, m.p)
        if self.n_components is not None and not 1 <= self.n_components <= most:
            raise WrongUse(f"n_components is {self.n_components!r}; it must be between 1 and min(K - 1, p) = {most}.")
        self.priors_, self.means_ = m.frequencies, m.mean
        self.mean_ = self.priors_ @ self.means_
        W = whitening(m.covariance(), 1e-4)
        if W.shape[1] == 0:
            raise SingularProblem(
                "every column is constant within its class: the within-class scatter is zero. Add rows, or drop columns."
            )
        between = np.sqrt(self.priors_)[:, None] * ((self.means_ - self.mean_) @ W)  # (K, r)
        _, s, V = np.linalg.svd(between, full_matrices=False)
        q = min(most if self.n_components is None else int(self.n_components), len(s))
        self.axes_ = W @ fix_signs(V[:q]).T
        self.eigenvalues_ = s[:q] ** 2
        self.discriminating_power_ = self.eigenvalues_ / (1 + self.eigenvalues_)
        self.projected_means_ = (self.means_ - self.mean_) @ self.axes_
        self._n_features_out = q
        self.n_classes_ = K

    def transform(self, X: Any) -> Matrix:
        """Return the rows on the axes (n, q)."""
        X = self._leave(X)
        return (X - self.mean_) @ self.axes_

    def _score(self, X: Matrix) -> Matrix:
        Z = (X - self.mean_) @ self.axes_
        return Z @ self.projected_means_.T - 0.5 * (self.projected_means_**2).sum(axis=1) + np.log(self.priors_)

    def plot(self, X: Any, y: Any, ax: Any = None) -> Any:
        """Draw the rows on the first two axes, the classes in their colours."""
        from epee.figures.projections import draw_projection

        check_is_fitted(self)
        power = self.discriminating_power_
        words = [f"axis {j + 1} (power {power[j]:.2f})" for j in range(min(2, len(power)))]
        return draw_projection(self.transform(X), np.asarray(y), ax, words)
