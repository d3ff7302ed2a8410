r"""Nyström's features: a kernel seen from some landmarks.

With landmarks :math:`z_1 \dots z_m` drawn from the rows and :math:`K_{zz}` their kernel,

.. math:: \varphi(x) = K_{zz}^{-1/2} \bigl(k(x, z_1), \dots, k(x, z_m)\bigr)^\top, \qquad
          \varphi(x)^\top \varphi(x') = k_z(x)^\top K_{zz}^{-1} k_z(x') \approx k(x, x'), \tag{1}

exactly so where x or x' is a landmark. A linear method on :math:`\varphi` is a kernel method; with sums it needs only moments of
m columns, whatever the number of rows.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from epee.arrays import at_home, is_elsewhere, is_real, like, namespace, select_rows
from epee.errors import DataWarning, WrongUse
from epee.estimator.base import NewAxes, Transformer, say
from epee.predictors.ensembles.parameters import whole
from epee.predictors.kernels.similarity import THERE, similarity, similarity_there
from epee.table.doors import open_source
from epee.typing import Matrix, Vector


class Nystroem(NewAxes, Transformer):
    r"""The features (1) of a kernel.

    Parameters
    ----------
    kernel : name or callable, default="rbf"
        The likeness of two rows.
    gamma : float, default=None
        Width of the kernel: larger is more local; None is 1 / p.
    coef0, degree : float, default=None
        Of the polynomial and sigmoid kernels.
    kernel_params : dict, default=None
        Of a callable.
    n_components : int, default=100
        Landmarks; more come nearer to the kernel.
    random_state : int, default=None
        Seed of the landmarks.
    n_jobs : int, default=None
        Kept for scikit-learn's signature.

    Attributes
    ----------
    components_ : array (m, p)
        The landmarks.
    component_indices_ : array (m,)
        Their rows.
    normalization_ : array (m, m)
        :math:`K_{zz}^{-1/2}`.

    Notes
    -----
    Costs :math:`O(m^3)` once and :math:`O(m p + m^2)` a row.

    References
    ----------
    C. Williams and M. Seeger, "Using the Nyström method to speed up kernel machines", *NIPS*, 2001.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> F = Nystroem(gamma=1.0, n_components=3, random_state=0).fit_transform(X)
    >>> (F @ F.T).round(3)
    array([[1.   , 0.368, 0.018],
           [0.368, 1.   , 0.368],
           [0.018, 0.368, 1.   ]])
    """

    _takes_sparse = True

    @property
    def answers_anywhere(self) -> bool:
        """Whether features of rows that lie elsewhere are made there."""
        return isinstance(self.kernel, str) and self.kernel in THERE

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Draw the landmarks among the rows of ``X`` (n, p); of rows that lie elsewhere only these travel. ``y`` is ignored."""
        if not is_elsewhere(X) or not is_real(X) or X.ndim != 2:
            return super().fit(X, y, sample_weight)
        self._enter_stream(open_source(X), reset=True)
        self._fit(self._enter_elsewhere(X), None)
        return self

    def __init__(
        self, kernel: Any = "rbf", *, gamma: float | None = None, coef0: float | None = None, degree: float | None = None,
        kernel_params: dict[str, Any] | None = None, n_components: int = 100, random_state: Any = None, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: Matrix, w: Vector | None) -> None:
        if (callable(self.kernel) or self.kernel == "precomputed") and (self.gamma, self.coef0, self.degree) != (
            None,
        ) * 3:
            raise WrongUse(
                "Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed kernel: use kernel_params."
            )
        n, m = X.shape[0], whole("n_components", self.n_components, 1)
        if m > n:
            say(f"n_components is {m}, but there are only {n} rows: all of them are landmarks.", DataWarning)
        chosen = check_random_state(self.random_state).permutation(n)[: min(m, n)]
        rows = at_home(select_rows(X, like(chosen, X))) if is_elsewhere(X) else X[chosen]
        self.components_ = rows.astype(np.float64)  # the root of a nearly singular kernel takes all digits
        U, s, Vt = np.linalg.svd(self._kernel(self.components_))
        self.normalization_ = (U / np.sqrt(np.maximum(s, 1e-12))) @ Vt
        self.component_indices_ = chosen
        self._n_features_out = len(chosen)

    def _kernel(self, X: Matrix) -> Matrix:
        own = self.kernel_params or {}
        return similarity(X, self.components_, self.kernel, own, gamma=self.gamma, coef0=self.coef0, degree=self.degree)

    def _transform(self, X: Any) -> Any:
        if is_elsewhere(X):
            xp = namespace(X)
            wide = xp.astype(X, xp.float64)
            K = similarity_there(wide, self.components_, self.kernel, self.gamma, self.coef0, self.degree)
            return xp.astype(K @ like(self.normalization_.T, wide), X.dtype)
        return (self._kernel(X.astype(np.float64, copy=False)) @ self.normalization_.T).astype(X.dtype, copy=False)
