r"""Rows far out: what one out there, or farther, would cost is more than a sample says.

A linear smoother predicts a row of leverage :math:`h_i` by that row itself to a share of :math:`h_i`. Left out, its residual is

.. math:: u_i = \frac{1}{1 - h_i} = 1 + v_i \tag{1}

times as large, and :math:`v_i` is what the noise in its prediction adds to the variance of its error. Where one row has more than three
times the mean of :math:`u`, a few rows nobody has seen make most of the error: of a fourth power in forty rows of a normal column the
interval holds in 71 of 100 tables. Of Gaussian columns no row has twice the mean, however many they are. Of a row that was held out
:math:`v` is its leverage under the rows learned from, and the same is said: of that power by 60 held-out rows the interval holds in 75.

A predictor that misses a shape errs more the farther out a row lies, as :math:`v` and the square of what it says do, or worse. So
where one of these has a heavy tail (Hill's estimate, as that of losses in :mod:`epee.risk.skewed`) and residuals, or their sizes, still
follow a cubic in the ranks of the inputs (Fisher's tests, at 10 % together), rows farther out than these decide, and the estimate says so:
of a line on a lognormal column in place of a root the interval holds in 77 of 100 tables, at 100 rows as at 400. Of predictors that are no
smoothers :math:`v` is that of a line.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special
from sklearn.pipeline import Pipeline

from epee.estimator.protocol import Leans
from epee.risk.normal_scores import normal_scores, shares_below
from epee.risk.skewed import tail, too_heavy
from epee.typing import Matrix, Vector
from epee.words import risk_words
from epee.words.numbers import whole

FAR_OUT = 3.0  # times the mean of (1)
ITSELF = 1e-9  # of the largest residual: a row that is met exactly tells nothing
SMOOTHER = (
    1 - 1e-6
)  # the least of (1), but for rounding; of nearest neighbours others come in for a row, and (1) does not hold
MISSED = 0.1  # where a shape is taken to be missed
TOLD = 0.1  # of what is left over: a predictor that says hardly more than the mean reaches nowhere
MOST_ROWS = 2_000  # that were held out: among so many, few that lie far out no longer decide
ROWS_OF_A_COLUMN = 30  # for a cubic in its ranks


def reaches(left: Vector, left_out: Vector) -> Vector | None:
    """Return v of (1) from residuals (n,) of the rows learned from and of the same rows ``left_out``; None of what is no linear smoother.

    >>> reaches(np.array([1.0, -1.0, 0.0]), np.array([1.5, -3.0, 0.0])).tolist(), reaches(np.ones(2), np.array([0.5, 2.0]))
    ([0.5, 2.0, 0.0], None)
    """
    told = np.abs(left) > ITSELF * float(np.abs(left_out).max(initial=0.0))
    u = np.divide(left_out, left, out=np.ones(len(left)), where=told)
    return np.maximum(u - 1, 0.0) if told.any() and u.min() >= SMOOTHER else None


def reaches_of_a_line(X: Matrix) -> Vector | None:
    """Return v of (1) of a line through inputs (n, p); None where they are many."""
    if ROWS_OF_A_COLUMN * X.shape[1] > 10 * len(X) or not np.isfinite(X).all():
        return None
    h = np.square(np.linalg.qr(np.column_stack([np.ones(len(X)), X - X.mean(axis=0)]))[0]).sum(axis=1)
    v: Vector = h / np.maximum(1 - h, ITSELF)
    return v


def reaches_of_new_rows(model: Any, X: Any) -> Vector | None:
    """Return v of (1) of rows that a fitted linear smoother did not learn from; None of what is none, and of many rows.

    >>> from epee import LinearRegression
    >>> reaches_of_new_rows(LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 0.0, 2.0]), np.array([[1.0], [3.0]])).round(2).tolist()
    [0.33, 2.33]
    """
    if X.shape[0] > MOST_ROWS:
        return None
    if isinstance(model, Pipeline):  # the last step saw transformed rows
        X, model = model[:-1].transform(X) if len(model.steps) > 1 else X, model.steps[-1][1]
    return np.asarray(model.leverage(X)) if isinstance(model, Leans) else None


def far_out(v: Vector | None, *, held: bool = False) -> str:
    """Return what to say of rows that make their own prediction, or, of rows ``held`` out, of those whose prediction is mostly noise.

    >>> far_out(np.full(4, 0.2)), far_out(np.append(np.zeros(8), 19.0))[:11]
    ('', '1 row lies ')
    """
    many = 0 if v is None else int(np.count_nonzero(1 + v > FAR_OUT * (1 + v.mean())))
    return risk_words.say("caution apart" if held else "caution edge", n=whole(many)) if many else ""


def missed_far_out(residuals: Vector, predictions: Vector, v: Vector | None, X: Matrix) -> str:
    """Return what to say where inputs (n, p) reach far out and what was left over still follows them."""
    one, said, varies = np.ones(len(X)), np.square(predictions - predictions.mean()), X[:, np.ptp(X, axis=0) > 0]
    tells = said.mean() > TOLD * np.square(residuals).mean()
    if not varies.size or not any(too_heavy(reach, one) for reach in (said if tells else None, v) if reach is not None):
        return ""
    far = np.argsort([-tail(np.square(x - x.mean()), one) for x in varies.T], kind="stable")
    t = np.column_stack([2 * shares_below(x) - 1 for x in varies[:, far[: len(X) // ROWS_OF_A_COLUMN]].T])
    B = np.column_stack([one, t, t * t, t**3])
    least = min(_follows(normal_scores(r), B) for r in (residuals, np.abs(residuals)))
    return risk_words.say("caution missed") if 2 * least < MISSED else ""


def _follows(z: Vector, B: Matrix) -> float:
    """Return the p-value of Fisher's test that values (n,) of mean 0 do not follow the columns of B, the first of which is constant."""
    w, _, rank, _ = np.linalg.lstsq(B, z, rcond=1e-10)
    rest, dof = float(np.square(z - B @ w).sum()), len(z) - int(rank)
    if rank < 2 or dof < 1:
        return 1.0
    return float(special.fdtrc(rank - 1, dof, (float(z @ z) - rest) / (rank - 1) * dof / rest)) if rest > 0 else 0.0
