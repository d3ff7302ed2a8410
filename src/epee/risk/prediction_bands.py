r"""Intervals for a value not yet seen, around any regressor, that cover it as often as they claim.

*Split*: the regressor learns from one part of the rows; on the other, with residuals :math:`R_i = |y_i - h(x_i)|`,
the band is :math:`h(x) \pm q` with :math:`q` the :math:`\lceil (1 - \alpha)(m + 1) \rceil`-th smallest of the
:math:`m` residuals. It covers at least :math:`1 - \alpha`, whatever the law, as long as rows are exchangeable.

*CV+* (Barber, Candès, Ramdas and Tibshirani, 2021) wastes no rows: with :math:`h_{-k(i)}` the model that did not see
the fold of row :math:`i`, the band is

.. math:: \bigl[q_\alpha^-\{h_{-k(i)}(x) - R_i\},\; q_{1-\alpha}^+\{h_{-k(i)}(x) + R_i\}\bigr]. \tag{1}

It covers at least about :math:`1 - 2\alpha`, and in practice :math:`1 - \alpha`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, is_regressor

from epee.errors import DataError, WrongUse
from epee.risk.cross_validation import plan_for
from epee.risk.intervals import check_level
from epee.risk.refit import RefitRoute
from epee.risk.splitting import Split
from epee.typing import Matrix, Vector

CELLS = 4_000_000


class ConformalRegressor(RegressorMixin, BaseEstimator):
    """A regressor with bands; what :func:`conformal` returns.

    Attributes
    ----------
    model : fitted regressor
        Trained on all rows for "cv+", on the first part for "split"; it gives the predictions.
    residuals_ : array (m,)
        Held-out residuals, in absolute value.
    """

    def __init__(self, model: Any, level: float = 0.9, method: str = "cv+") -> None:
        self.model = model
        self.level = level
        self.method = method

    def __sklearn_is_fitted__(self) -> bool:
        """Tell that it comes fitted."""
        return True

    def fit(self, X: Any, y: Any) -> ConformalRegressor:
        """Make the bands anew from other rows."""
        return conformal(self.model, X, y, self.level, method=self.method)

    def predict(self, X: Any) -> Vector:
        """Return the predicted value of each row."""
        return np.asarray(self.model.predict(X), dtype=float)

    def predict_interval(self, X: Any, level: float | None = None) -> Matrix:
        """Return the band of each row (n, 2): lower and upper end, infinite when the rows are too few for the level."""
        level = self.level if level is None else level
        check_level(level)
        if self.method == "split":
            centre = self.predict(X)
            q = _upper(self.residuals_[None], self.weight_, level)[0]
            return np.column_stack([centre - q, centre + q])
        P = np.column_stack([np.asarray(m.predict(X), dtype=float) for m in self.models_])  # (n, K)
        out = np.empty((len(P), 2))
        step = max(1, CELLS // len(self.residuals_))
        for i in range(0, len(P), step):
            centre = P[i : i + step][:, self.fold_]  # (rows, m)
            out[i : i + step, 0] = -_upper(self.residuals_ - centre, self.weight_, level)
            out[i : i + step, 1] = _upper(centre + self.residuals_, self.weight_, level)
        return out

    def plot(self, X: Any, y: Any = None, ax: Any = None) -> Any:
        """Draw predictions and bands over the first column of ``X``; returns the axes."""
        from epee.figures.risk import plot_bands

        return plot_bands(self, X, y, ax)


def _upper(values: Matrix, w: Vector | None, level: float) -> Vector:
    """Return for each row (rows, m) the value of rank ceil(level (m + 1)), counting weights; infinity beyond the last."""
    if w is None:
        m = values.shape[1]
        rank = math.ceil(level * (m + 1) - 1e-9)
        if rank > m:
            return np.full(len(values), np.inf)
        return np.partition(values, rank - 1, axis=1)[:, rank - 1]
    order = np.argsort(values, axis=1)
    total = np.cumsum(w[order], axis=1)
    wanted = level * (w.sum() + 1) - 1e-9
    place = (total < wanted).sum(axis=1)
    rows, inside = np.arange(len(values)), place < values.shape[1]
    ends = values[rows, order[rows, np.minimum(place, values.shape[1] - 1)]]
    return np.where(inside, ends, np.inf)


def conformal(
    model: Any, X: Any, y: Any, level: float = 0.9, *, method: str = "cv+", folds: int = 10, share: float = 0.5,
    sample_weight: Any = None, groups: Any = None, random_state: Any = None,
) -> ConformalRegressor:  # fmt: skip
    """Return a regressor whose ``predict_interval`` covers new values as often as ``level`` says.

    Parameters
    ----------
    model : regressor
    X, y : rows and their values (n,)
    level : float in (0, 1), default=0.9
        A larger one makes wider bands.
    method : {"cv+", "split"}, default="cv+"
        "split" is fitted once, on the part ``1 - share`` of the rows; "cv+" once for each of ``folds`` and uses all rows twice.
    folds, groups, random_state
        As in :func:`cross_validate`.
    share : float in (0, 1), default=0.5
        Part of the rows that gives the residuals of "split".
    sample_weight : array (n,), optional
        Counts, or sampling weights, whose scale means nothing.

    Returns
    -------
    ConformalRegressor

    References
    ----------
    Barber, Candès, Ramdas and Tibshirani, "Predictive inference with the jackknife+", *Annals of Statistics* 49, 2021.

    Examples
    --------
    >>> from epee import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 1)); y = X[:, 0] + rng.normal(size=200)
    >>> low, high = conformal(LinearRegression(), X, y, 0.9).predict_interval([[0.0]])[0]
    >>> bool(-2.2 < low < -1.2 and 1.2 < high < 2.2)
    True
    """
    check_level(level)
    if not is_regressor(model):
        raise WrongUse(f"{type(model).__name__} is not a regressor: conformal bands are for numbers.")
    if method not in ("cv+", "split"):
        raise WrongUse(f"method is {method!r}; it must be 'cv+' or 'split'.")
    route = RefitRoute(model, X, y, sample_weight, "squared")
    if route.truth.ndim != 1:
        raise DataError(f"y has shape {route.truth.shape}; conformal bands are for one value a row.")
    if method == "split" and not 0 < share < 1:
        raise WrongUse(f"share is {share!r}; it must lie between 0 and 1.")
    cut = folds if method == "cv+" else max(2, round(1 / min(share, 1 - share)))
    split = plan_for(route, cut, 1, groups, None, None, random_state).splits[0]
    assert isinstance(split, Split)
    if method == "split":
        few, many = split.rows_of[0], np.concatenate(split.rows_of[1:])
        test, train = (few, many) if share <= 0.5 else (many, few)
        fitted = route.fit_rows(np.sort(train))
        out = ConformalRegressor(fitted, level, method)
        out.residuals_ = np.abs(route.truth[test] - route.ask_rows(fitted, test, "the split"))
        out.weight_ = None if route.weight is None else route.counts[test]
        return out
    out = ConformalRegressor(route.fit_rows(None), level, method)
    out.models_ = list(route.models(split))
    residuals = np.empty(route.n)
    for k, (fitted, rows) in enumerate(zip(out.models_, split.rows_of, strict=True)):
        residuals[rows] = np.abs(route.truth[rows] - route.ask_rows(fitted, rows, f"fold {k}"))
    out.residuals_, out.fold_, out.weight_ = residuals, split.cell, None if route.weight is None else route.counts
    return out
