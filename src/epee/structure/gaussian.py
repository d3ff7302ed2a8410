r"""One Gaussian, by maximum likelihood.

.. math:: \hat\mu = \bar x, \qquad \hat\Sigma = \frac1n \sum_i (x_i - \bar x)(x_i - \bar x)^\top,

for a full covariance; its diagonal for independent coordinates; the mean of that for a round cloud. It is a mixture of one component,
so missing cells, sampling, imputation and outliers are those of :class:`~epee.GaussianMixture`.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from epee.errors import SingularProblem
from epee.structure.gaussian_mixture import GaussianMixture
from epee.typing import Vector


class GaussianDensity(GaussianMixture):
    r"""The Gaussian of largest likelihood: :math:`\hat\mu = \bar x`, :math:`\hat\Sigma` the covariance with :math:`1/n`.

    Parameters
    ----------
    covariance_type : {"full", "diag", "spherical"}, default="full"
        "diag" fits each coordinate alone; "spherical" one variance for all.
    reg_covar : float, default=0.0
        Floor of the eigenvalues of :math:`\hat\Sigma`; 0 refuses a singular covariance.
    tol, max_iter :
        Stop of the EM steps that missing cells need; complete rows need one step.
    random_state : int or None
        Seed of ``sample``.

    Attributes
    ----------
    mean_, covariance_ : arrays (p,) and (p, p)

    Notes
    -----
    One pass when no cell is missing. The variance is biased by :math:`(n-1)/n`.

    References
    ----------
    Landes, *Introduction à l'apprentissage statistique*, sections 2.1 and 2.2.

    Examples
    --------
    >>> g = GaussianDensity().fit([[0.0, 1.0], [2.0, 2.0], [4.0, 0.0]])
    >>> g.mean_, g.covariance_.round(3).tolist()
    (array([2., 1.]), [[2.667, -0.667], [-0.667, 0.667]])
    """

    def __init__(
        self, *, covariance_type: str = "full", reg_covar: float = 0.0, tol: float = 1e-8, max_iter: int = 500, random_state: Any = None
    ) -> None:  # fmt: skip
        self.covariance_type = covariance_type
        self.reg_covar = reg_covar
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    n_components, n_init, init_params, noise, warm_start = 1, 1, "kmeans", False, False
    weights_init = means_init = precisions_init = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the mean and covariance of the rows; ``y`` is ignored, NaN is a missing cell."""
        try:
            super().fit(X, sample_weight=sample_weight)
        except SingularProblem as error:
            raise SingularProblem(
                "the covariance is singular: there are no more rows than columns, a column is constant, or columns are collinear. "
                "Set reg_covar above 0, use covariance_type='diag', or drop columns."
            ) from error
        self.mean_ = self.means_[0]
        self.covariance_ = self._components().matrices()[0]
        return self

    def mahalanobis(self, X: Any) -> Vector:
        """Return the squared Mahalanobis distance of each row to the mean."""
        from epee.structure.gaussian_forms import precision_factors

        c = self._components()
        U = precision_factors(c)
        D = self._leave(X) - self.mean_
        Y = D @ U[0] if self.covariance_type == "full" else D * U[0]
        return np.einsum("ij,ij->i", Y, Y)
