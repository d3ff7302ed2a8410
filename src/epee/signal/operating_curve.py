r"""The receiver operating characteristic, with a band.

Every threshold :math:`\rho` has a rate of false alarms :math:`P(f > \rho \mid H_0)` and a rate of detections
:math:`P(f > \rho \mid H_1)`; the curve draws one against the other. From :math:`N` scores of noise and :math:`P` of signals both are known
up to, at all thresholds at once and with probability :math:`1 - \delta/2` each (Dvoretzky, Kiefer, Wolfowitz, Massart),

.. math:: \epsilon_m = \sqrt{\frac{\log(4/\delta)}{2m}}, \qquad m = N \text{ or } P, \tag{1}

so the whole true curve lies, with probability :math:`1 - \delta`, between the observed one shifted by :math:`(\epsilon_N, -\epsilon_P)`
and by :math:`(-\epsilon_N, \epsilon_P)`. A pointwise band is narrower, and holds at each threshold by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.lazy import drawn
from epee.risk.intervals import check_level
from epee.risk.ranking import area, area_error, area_interval
from epee.risk.rates import rate_interval
from epee.typing import ArrayLike, Matrix, Vector


@dataclass(frozen=True, eq=False)
class Roc:
    """An observed curve.

    Attributes
    ----------
    thresholds : array (m,)
        Decreasing, from infinity; signal is decided for scores at or above each.
    false_alarms, detections : arrays (m,)
    band : array (m, 2)
        Ends of the rate of detections at each rate of false alarms.
    auc, interval : float, and a pair
        The area under the curve: the probability that a signal scores above noise.
    n_noise, n_signal : int
    level : float
    """

    thresholds: Vector
    false_alarms: Vector
    detections: Vector
    band: Matrix
    auc: float
    interval: tuple[float, float]
    n_noise: int
    n_signal: int
    level: float
    kind: str

    def at(self, false_alarm: float) -> tuple[float, float, float]:
        """Return threshold, detections and observed false alarms of the last point that keeps to a rate of false alarms."""
        if not 0 <= false_alarm <= 1:
            raise WrongUse(f"false_alarm is {false_alarm!r}; it must lie between 0 and 1.")
        i = int(np.searchsorted(self.false_alarms, false_alarm + 1e-12, side="right")) - 1
        return float(self.thresholds[i]), float(self.detections[i]), float(self.false_alarms[i])

    plot = drawn("signal.draw_roc", "Draw the curve with its band.")


def roc(
    scores: ArrayLike, truth: ArrayLike, *, signal: Any = None, level: float = 0.95, band: str = "simultaneous"
) -> Roc:
    """Return the operating characteristic of scores.

    Parameters
    ----------
    scores : array (n,)
        Large values speak for the signal.
    truth : array (n,)
        Which rows hold a signal: two labels, the larger of which is the signal unless ``signal`` names it.
    signal : label, optional
    level : float in (0, 1)
    band : {"simultaneous", "pointwise"}
        For the whole curve at once, equation (1), or for each point by itself.

    Examples
    --------
    >>> curve = roc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
    >>> curve.auc, curve.at(0.0)[1]
    (0.75, 0.5)
    """
    check_level(level)
    if band not in ("simultaneous", "pointwise"):
        raise WrongUse(f"band is {band!r}; it must be 'simultaneous' or 'pointwise'.")
    s, t = np.asarray(scores, dtype=np.float64).ravel(), np.asarray(truth).ravel()
    if len(s) != len(t):
        raise DataError(f"there are {len(s)} scores for {len(t)} labels.")
    if not np.isfinite(s).all():
        raise DataError(f"the score of row {int(np.flatnonzero(~np.isfinite(s))[0])} is NaN or infinite.")
    labels = np.unique(t)
    if len(labels) != 2:
        raise DataError(f"truth has {len(labels)} labels ({labels.tolist()[:5]}); a curve needs noise and signal.")
    if signal is not None and signal not in labels.tolist():
        raise WrongUse(f"signal is {signal!r}; it must be one of {labels.tolist()}.")
    positive = t == (labels[1] if signal is None else signal)
    P, N = int(positive.sum()), int((~positive).sum())
    order = np.argsort(-s, kind="stable")
    values = s[order]
    last = np.append(np.flatnonzero(np.diff(values)), len(values) - 1)  # equal scores fall together
    hits, alarms = np.cumsum(positive[order])[last], np.cumsum(~positive[order])[last]
    detections, false_alarms = np.append(0.0, hits / P), np.append(0.0, alarms / N)
    value, placement = area(s, positive, np.ones(len(s)))
    interval = area_interval(value, *area_error(placement, positive, np.ones(len(s))), P, N, level)
    ends = _whole_band(false_alarms, detections, P, N, level) if band == "simultaneous" else np.array(
        [rate_interval(float(d), P, level) for d in detections]
    )  # fmt: skip
    return Roc(
        np.append(np.inf, values[last]), false_alarms, detections, ends, value, (interval.low, interval.high), N, P, level, band
    )  # fmt: skip


def _whole_band(false_alarms: Vector, detections: Vector, P: int, N: int, level: float) -> Matrix:
    """Return the curve shifted both ways by (1)."""
    up, across = (np.sqrt(np.log(4 / (1 - level)) / (2 * m)) for m in (P, N))

    def at(rate: Vector, side: str) -> Vector:
        place = np.searchsorted(false_alarms, rate, side="right") - 1
        found = detections[np.clip(place, 0, len(detections) - 1)]
        return np.where(place < 0, 0.0, found) if side == "low" else np.where(rate >= 1, 1.0, found)

    low = np.maximum(at(false_alarms - across - 1e-12, "low") - up, 0.0)
    high = np.minimum(at(false_alarms + across + 1e-12, "high") + up, 1.0)
    return np.column_stack([low, high])
