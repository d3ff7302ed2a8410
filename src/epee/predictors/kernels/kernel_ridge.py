r"""Kernel ridge regression, exactly.

Among the functions of a kernel's space the one that makes

.. math:: \sum_i w_i \bigl(y_i - f(x_i)\bigr)^2 + \alpha \|f\|^2 \tag{1}

smallest lies in the span of the rows: adding to :math:`f = \sum_i a_i k(\cdot, x_i)` something orthogonal to all
:math:`k(\cdot, x_i)` changes no :math:`f(x_i)` and makes the norm larger. So n numbers are sought,

.. math:: (K + \alpha W^{-1})\, a = y. \tag{2}
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from epee.errors import WrongUse
from epee.estimator.base import Regressor, refuse_large
from epee.estimator.smoother import LinearSmoother
from epee.predictors.kernels.similarity import similarity
from epee.typing import Matrix, Vector


class KernelRidge(LinearSmoother, Regressor):
    r"""The minimum of (1) by the equations (2).

    Parameters
    ----------
    alpha : float or array (m,) >= 0, default=1
        The penalty of (1), one for each target if several; larger is smoother.
    kernel : name, "precomputed" or callable, default="linear"
        The likeness of two rows.
    gamma : float, default=None
        Width of the kernel: larger is more local; None is 1 / p.
    degree, coef0 : float, default=3, 1
        Of the polynomial and sigmoid kernels.
    kernel_params : dict, default=None
        Of a callable.

    Attributes
    ----------
    dual_coef_ : array (n,) or (n, m)
        The :math:`a` of (2).
    X_fit_ : array (n, p)
        The rows.

    Notes
    -----
    Takes :math:`O(n^2)` memory and :math:`O(n^3)` time; beyond some thousand rows see :class:`LandmarkRegressor`.

    References
    ----------
    C. Saunders, A. Gammerman, V. Vovk, "Ridge regression learning algorithm in dual variables", *ICML*, 1998.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0]
    >>> KernelRidge(alpha=1e-6, kernel="poly", degree=2).fit(X, y).predict([[4.0]]).round(2)
    array([16.])
    """

    _several_targets = True
    _takes_sparse = True

    def __init__(
        self, alpha: Any = 1, *, kernel: Any = "linear", gamma: float | None = None, degree: float = 3, coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _kernel(self, X: Matrix, Z: Matrix | None) -> Matrix:
        own = self.kernel_params or {}
        return similarity(X, Z, self.kernel, own, gamma=self.gamma, coef0=self.coef0, degree=self.degree)

    def _fit(self, X: Matrix, y: np.ndarray, w: Vector | None) -> None:
        n = X.shape[0]
        refuse_large(n, n)
        T = y if y.ndim == 2 else y[:, None]
        alphas = np.ravel(np.asarray(self.alpha, dtype=float))
        alphas = np.repeat(alphas, T.shape[1]) if len(alphas) == 1 else alphas
        if alphas.shape != (T.shape[1],) or not (alphas >= 0).all():
            raise WrongUse(
                f"alpha is {self.alpha!r}; it must be one penalty, or one for each of the {T.shape[1]} targets, not negative."
            )
        root = np.ones(n) if w is None else np.sqrt(w)
        K = np.asarray(self._kernel(X, None), dtype=np.float64) * root[:, None] * root
        dual = np.column_stack([_solve(K, root * T[:, j], float(a)) for j, a in enumerate(alphas)]) * root[:, None]
        self.dual_coef_ = dual if y.ndim == 2 else dual[:, 0]
        self.X_fit_ = X.copy()  # the caller may write in its own table

    def _predict(self, X: Matrix) -> np.ndarray:
        return self._kernel(X, self.X_fit_) @ self.dual_coef_


def _solve(K: Matrix, t: Vector, alpha: float) -> Vector:
    """Return (K + alpha I)^-1 t, of least norm where that is singular."""
    S = K + alpha * np.eye(len(K))
    try:
        return linalg.solve(S, t, assume_a="pos")
    except linalg.LinAlgError:
        return linalg.lstsq(S, t)[0]
