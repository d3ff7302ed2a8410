r"""Axes as a law: a Gaussian that spreads by the axes kept and evenly in all other directions (Tipping and Bishop, 1999).

.. math:: x \sim \mathcal N\bigl(\mu,\; U_q (\Lambda_q - \sigma^2 I) U_q^\top + \sigma^2 I\bigr),

with :math:`\sigma^2` the mean of the variances left out. It has a density, and it fills missing cells by their conditional mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from epee.errors import SingularProblem
from epee.table.block import refuse_bad_cells
from epee.table.sparse import laid_out
from epee.typing import Matrix, Vector


class AxesAsLaw:
    """The probabilistic model of fitted axes."""

    if TYPE_CHECKING:
        components_: Matrix
        explained_variance_: Vector
        mean_: Vector
        noise_variance_: float
        inertia_: float
        n_components_: int
        n_features_in_: int
        _leave: Any

    def _filled(self, X: Matrix) -> Matrix:
        """Return rows with missing cells at their conditional mean under the model of the axes."""
        from epee.structure.gaussian_forms import Components
        from epee.structure.gaussian_steps import marginal, patterns_of

        sigma = self.get_covariance()
        if self.noise_variance_ <= 0:
            sigma = sigma + 1e-12 * self.inertia_ * np.eye(len(sigma))
        whole = Components(np.ones(1), self.mean_[None], sigma[None], "full")
        X = np.array(X, dtype=np.float64)
        for missing, rows in patterns_of(X):
            if missing.all():
                X[rows] = self.mean_
            elif missing.any():
                part = marginal(whole, missing)
                seen = X[np.ix_(rows, ~missing)] - self.mean_[~missing]
                X[np.ix_(rows, missing)] = self.mean_[missing] + seen @ part.regression[0]
        return X

    def get_covariance(self) -> Matrix:
        """Return the covariance of the probabilistic model: axes plus isotropic noise."""
        check_is_fitted(self)
        extra = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
        U = self.components_
        return (U.T * extra) @ U + self.noise_variance_ * np.eye(self.n_features_in_)

    def get_precision(self) -> Matrix:
        """Return the inverse of :meth:`get_covariance`."""
        check_is_fitted(self)
        if self.n_components_ == 0:
            return np.eye(self.n_features_in_) / self.noise_variance_
        if self.noise_variance_ <= 0:
            return np.asarray(np.linalg.pinv(self.get_covariance(), hermitian=True), dtype=np.float64)
        U, noise = self.components_, self.noise_variance_
        shrink = 1.0 / noise - 1.0 / np.maximum(self.explained_variance_, noise)
        return np.eye(self.n_features_in_) / noise - (U.T * shrink) @ U

    def score_samples(self, X: Any) -> Vector:
        """Return the log-density of each row under the probabilistic model (Tipping and Bishop, 1999)."""
        X = laid_out(self._leave(X))
        refuse_bad_cells(X, getattr(self, "feature_names_in_", None))
        spread = self.explained_variance_
        least = self.noise_variance_ if self.n_components_ < self.n_features_in_ else float(spread.min())
        if least <= 1e-14 * max(float(spread.max(initial=0.0)), self.noise_variance_):
            raise SingularProblem(
                "the axes left out have no variance, so the density is infinite on a plane and zero elsewhere. Drop constant columns "
                "and copies, or keep fewer axes."
            )
        D = X - self.mean_
        precision = self.get_precision()
        _, logdet = np.linalg.slogdet(precision)
        return -0.5 * (
            np.einsum("ij,jk,ik->i", D, precision, D, optimize=True) + self.n_features_in_ * np.log(2 * np.pi) - logdet
        )

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean of :meth:`score_samples`."""
        return float(self.score_samples(X).mean())
