r"""Where a line has about as many columns as rows to learn from, no error bar of other samples tells its error.

Least squares on :math:`n` rows of :math:`p` Gaussian columns, of the least norm where :math:`p > n`, errs beyond the noise by

.. math:: \sigma^2 \frac{p}{n - p - 1} \quad (p < n - 1), \qquad \sigma^2 \frac{n}{p - n - 1} \quad (p > n + 1), \tag{1}

and by what it cannot see of the coefficients. Between the two lies a peak without an expectation (Hastie, Montanari, Rosset and Tibshirani,
"Surprises in high-dimensional ridgeless least squares interpolation", *The Annals of Statistics* 50, 2022). Folds that learn from rows on
one side of it say nothing of the predictor of all rows on the other; and near it left-out rows share more than the
:math:`\sqrt{1 + 2d / n}` of :mod:`epee.risk.leave_one_out` knows, which is :math:`\sqrt{1 + 2d / (n - d)}` to all orders: with
:math:`d = n / 2` it is 1.2 times too short, with :math:`d = \tfrac34 n` 1.7 times. A penalty that takes a tenth of the
degrees of freedom away holds the peak down.
"""

from __future__ import annotations

from epee.estimator.base import Estimator
from epee.risk.dof import degrees_of_freedom
from epee.risk.refit import RefitRoute
from epee.risk.route import MomentRoute, Route
from epee.words import risk_words

NEAR = 2.0  # times as many columns as rows, or rows as columns
HELD = 0.9  # of the degrees of freedom that rows and columns allow, below which a penalty holds


def crowding(route: Route, learned: float) -> str:
    """Return what to say of a line that learned from about as many rows as it has columns; nothing of any other predictor.

    ``learned`` are the rows of the smallest training sample.

    >>> import numpy as np
    >>> from epee import LinearRegression
    >>> from epee.risk.opening import open_route
    >>> X = np.random.default_rng(0).normal(size=(40, 35))
    >>> crowding(open_route(LinearRegression(), X, X[:, 0]), 36.0)[:22], crowding(open_route(LinearRegression(), X[:, :9], X[:, 0]), 36.0)
    ('35 columns and 40 rows', '')
    """
    model = route.probe if isinstance(route, MomentRoute) else route.model
    if route.kind != "regressor" or not isinstance(model, Estimator) or not model.is_linear:
        return ""
    p, n = route.n_columns, route.n
    if not learned / NEAR < p + 1 < NEAR * n:
        return ""
    free = degrees_of_freedom(route.fit_rows(None), route.X) if isinstance(route, RefitRoute) else route.freedom
    return risk_words.say("caution peak", p=p, n=n) if free >= HELD * min(n, p + 1) else ""
