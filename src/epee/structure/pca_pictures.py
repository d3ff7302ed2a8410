"""Pictures of principal axes: the circle of correlations, rows and columns together, the variances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from epee.errors import WrongUse
from epee.typing import Matrix, Vector


class AxesInPictures:
    """What is drawn of fitted axes."""

    if TYPE_CHECKING:
        components_: Matrix
        explained_variance_: Vector
        n_components_: int
        n_features_in_: int
        n_samples_: Any
        get_covariance: Any
        transform: Any

    def correlations(self) -> Matrix:
        """Return the correlation of each column with each component (p, q): the points of the correlation circle."""
        check_is_fitted(self)
        U, var = self.components_, self.explained_variance_
        total = np.sqrt(np.maximum(np.diag(self.get_covariance()), np.finfo(float).tiny))
        return np.clip(U.T * np.sqrt(var) / total[:, None], -1.0, 1.0)

    def _names(self) -> list[str]:
        return [str(n) for n in getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])]

    def circle(self, ax: Any = None) -> Any:
        """Draw the correlation circle of the first two axes."""
        from epee.figures.projections import draw_circle

        if self.n_components_ < 2:
            raise WrongUse("the correlation circle needs two axes: keep n_components of at least 2.")
        return draw_circle(self.correlations()[:, :2], self._names(), ax)

    def biplot(self, X: Any, ax: Any = None, labels: Any = None) -> Any:
        """Draw the rows of ``X`` and the columns together on the first two axes."""
        from epee.figures.projections import draw_biplot

        if self.n_components_ < 2:
            raise WrongUse("a biplot needs two axes: keep n_components of at least 2.")
        return draw_biplot(self.transform(X), self.components_[:2].T, self._names(), ax, labels)

    def scree(self, ax: Any = None, *, level: float = 0.95) -> Any:
        """Draw the variances along the axes with intervals (asymptotic, of a Gaussian table)."""
        from scipy.stats import norm

        from epee.figures.projections import draw_scree

        check_is_fitted(self)
        half = norm.ppf((1 + level) / 2) * np.sqrt(2.0 / self.n_samples_)
        values = self.explained_variance_
        return draw_scree(values, values / (1 + half), values / max(1 - half, 1e-3), ax=ax)
