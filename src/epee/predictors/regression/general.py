r"""Generalised least squares: noise that is correlated, or not of one size.

With :math:`\operatorname{Var} \varepsilon = \sigma^2 G` and :math:`G = L L^\top`, the rows :math:`L^{-1} A` and the values
:math:`L^{-1} y` have ordinary noise, so

.. math:: \hat\theta = (A^\top G^{-1} A)^{-1} A^\top G^{-1} y, \qquad
          \operatorname{Var} \hat\theta = \sigma^2 (A^\top G^{-1} A)^{-1}.

The column of ones is whitened with the others, so the whitened problem has no intercept of its own.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from epee.errors import DataError, EpeeWarning, SingularProblem, WrongUse
from epee.solve.cholesky import Cholesky
from epee.table.doors import is_stream
from epee.typing import ArrayLike


def fit_general(model: Any, X: Any, y: Any, sample_weight: Any, covariance: ArrayLike) -> Any:
    """Fit ``model``, a :class:`LinearRegression`, with noise covariance (n, n) or variances (n,)."""
    if is_stream(X):
        raise WrongUse("a covariance of the noise needs the rows in memory: pass arrays.")
    if model.positive:
        raise WrongUse("positive=True cannot be combined with a covariance of the noise.")
    X, y, w = model._enter_both(X, y, sample_weight)
    X = X.toarray() if hasattr(X, "toarray") else X
    G, n = np.asarray(covariance, dtype=np.float64), len(X)
    if G.shape not in ((n,), (n, n)):
        raise DataError(f"covariance has shape {G.shape}; for {n} rows it must be ({n},) variances or ({n}, {n}).")
    if not np.isfinite(G).all():
        raise DataError("covariance contains NaN or infinity. Give finite variances.")
    A = np.column_stack([np.ones(n), X]) if model.fit_intercept else X
    Y = y.reshape(n, -1)
    if G.ndim == 1:
        if not (G > 0).all():
            raise DataError(
                f"the variance of row {int(np.flatnonzero(G <= 0)[0])} is {G.min():g}; variances must be positive."
            )
        root = 1 / np.sqrt(G)[:, None]
        A, Y, logdet = root * A, root * Y, float((np.log(G) if w is None else w * np.log(G)).sum())
    else:
        if w is not None:
            raise WrongUse(
                "counts (sample_weight) and a full covariance of the noise cannot be combined: repeat the rows instead."
            )
        if not np.allclose(G, G.T, rtol=1e-8, atol=0):
            raise DataError("covariance is not symmetric.")
        try:
            L = Cholesky(G)
        except SingularProblem as error:
            raise SingularProblem(f"the covariance of the noise cannot be inverted: {error}") from error
        A, Y, logdet = L.half_solve(A), L.half_solve(Y), L.logdet
    inner = clone(model).set_params(fit_intercept=False)
    with warnings.catch_warnings():  # it would count the column of ones among the columns
        warnings.filterwarnings("ignore", "column", EpeeWarning)
        inner.fit(A, Y, sample_weight=w)
    inner.feature_names_in_ = np.array(["intercept"] * model.fit_intercept + model._coef_names(), dtype=object)
    if not hasattr(inner, "_wide"):
        inner._say_condition()
    parameters = inner.coef_  # (m, k)
    model._one_target = np.ndim(y) == 1
    model._factor, model._rss, model._count, model.rank_ = inner._factor, inner._rss, inner._count, inner.rank_
    model._centre, model.condition_, model._rows, model._log_weights = (
        inner._centre,
        inner.condition_,
        inner._count,
        -logdet,
    )
    model._tss = inner._tss
    model._general = True
    if model.fit_intercept:
        ones = clone(model).set_params(fit_intercept=False).fit(A[:, :1], Y, sample_weight=w)
        model._tss = ones._rss
        model._set_linear(parameters[:, 1:], parameters[:, 0])
    else:
        model._set_linear(parameters, np.zeros(len(parameters)))
        model.intercept_ = 0.0
    model.__dict__.pop("moments_", None)
    return model
