r"""Targets beyond the farthest of the rows: what a predictor that never says so much would lose there.

A tree, a forest or neighbours average targets that they learned from, and say no more however far out a row lies. Where the distances
:math:`d` of the targets from their median have a long tail, the squared error of such a predictor has that of :math:`d^2`, though rows at
hand need not show it: of a tree on a lognormal column four tenths of the error are those of one row in a thousand, and 90 %
intervals from 200 rows held it in 48 of 100 tables. The targets themselves show how long their tail is.
Peaks over a threshold :math:`\theta`, here the farthest quarter, follow a generalised Pareto law, whatever the law (Pickands, Balkema and
de Haan), with the shape and the scale

.. math:: \xi = \tfrac12 \Bigl(1 - \frac{m^2}{s^2}\Bigr), \qquad \sigma = \tfrac m2 \Bigl(1 + \frac{m^2}{s^2}\Bigr) \tag{1}

of their mean :math:`m` and standard deviation :math:`s`. What lies beyond a value :math:`t` follows it too, so that

.. math:: E\,(d - t)_+^2 = E\,(d - \theta)_+^2 \; \Bigl(1 + \xi\, \frac{t - \theta}{\sigma}\Bigr)^{2 - 1/\xi}. \tag{2}

From the farthest target on, (2) is what these rows do not show of the mean of :math:`(d - t)_+^2`; no predictor whose answers stay within
:math:`t` loses less. The estimate says so where that is more than its standard error, by as much as an interval can be wrong unseen, and
where the predictor, asked for the same rows a million times as far out, says no more. Of a tree of Gaussian targets it is said in no table
of 150; of exponential ones in one of twenty where the noise is half of their spread, and in one of two where it is a tenth.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from epee.risk.skewed import FEWEST_ROWS
from epee.table.taking import farther_out, take_rows
from epee.typing import Vector
from epee.words import risk_words

SHARE = 0.25  # of the rows: those whose targets lie farthest out
FEWEST_PEAKS = 10
ASKED, FARTHER = 50, 1e6  # rows that the predictor is asked for, so many times as far out
SAYS_MORE = 10.0  # times the farthest target: no bound is felt


def lost_beyond(distance: Vector, worth: Vector, t: float) -> float:
    """Return the mean (2) of what distances (n,), each of so many rows, have beyond ``t``.

    >>> d = -np.log((np.arange(2000) + 0.5) / 2000)  # of the exponential law it is 2 exp(-t)
    >>> round(float(lost_beyond(d, np.ones(2000), 3.0)), 2), round(float(2 * np.exp(-3)), 2)
    (0.1, 0.1)
    """
    order = np.argsort(-distance, kind="stable")
    d, c = distance[order], worth[order] / worth.sum()
    threshold = d[min(int(np.searchsorted(np.cumsum(c), SHARE, side="right")), len(d) - 1)]
    over = d > threshold
    if over.sum() < FEWEST_PEAKS:
        return 0.0
    peaks, c = d[over] - threshold, c[over]
    square = float(c @ peaks**2)
    mean = float(c @ peaks / c.sum())
    variance = square / float(c.sum()) - mean**2
    if not variance > 0:
        return 0.0
    shape, scale = (1 - mean**2 / variance) / 2, mean / 2 * (1 + mean**2 / variance)
    reach = (t - float(threshold)) / scale
    if abs(shape) < 1e-6:
        return square * float(np.exp(-reach))
    return square * float((1 + shape * reach) ** (2 - 1 / shape)) if 1 + shape * reach > 0 else 0.0


def lost_unseen(model: Any, X: Any, target: Vector, worth: Vector | None, stderr: float) -> str:
    """Return what to say of a mean squared error of held-out rows with this standard error; nothing where targets beyond cost little."""
    some = np.ones(len(target)) if worth is None else worth
    kept = some > 0
    centre = float(np.median(target[kept])) if kept.any() else 0.0
    distance = np.abs(target - centre)
    farthest = float(distance[kept].max(initial=0.0))
    if kept.sum() < FEWEST_ROWS or not lost_beyond(distance[kept], some[kept], farthest) > stderr > 0:
        return ""
    rows = np.argsort(np.where(kept, -distance, 1.0), kind="stable")[:ASKED]
    most = _most_said(model, farther_out(X, rows, FARTHER), take_rows(X, rows), centre)
    if not most < SAYS_MORE * farthest or not lost_beyond(distance[kept], some[kept], max(farthest, most)) > stderr:
        return ""
    return risk_words.say("caution beyond")


def _most_said(model: Any, far: Any, near: Any, centre: float) -> float:
    """Return how far from a value the predictor goes, however far out it is asked; infinity where it cannot be asked."""
    if far is None:
        return np.inf
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # of rows that nobody has
            said = [float(np.abs(np.asarray(model.predict(rows), dtype=float) - centre).max()) for rows in (far, near)]
    except (ValueError, ArithmeticError):  # it refuses rows like these
        return np.inf
    return max(said) if np.isfinite(said).all() else np.inf
