r"""Thresholds with a promise, from scores of noise alone.

Where the law of the statistic under :math:`H_0` is not known, :math:`n` scores of noise stand in for it. Their :math:`k`-th smallest as
threshold has a rate of false alarms whose law is known whatever that of the scores, a :math:`\mathrm{Beta}(n - k + 1, k)`: its mean is

.. math:: E[\text{false alarms}] = \frac{n - k + 1}{n + 1} \le \alpha, \tag{1}

and with :math:`P(\text{false alarms} > \alpha) = \sum_{j \ge k} \binom nj (1 - \alpha)^j \alpha^{n-j} \le \delta` it stays below
:math:`\alpha` in all samples but a share :math:`\delta` of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from epee.errors import DataError, WrongUse
from epee.typing import ArrayLike


class Threshold(NamedTuple):
    """A threshold, how many scores it was drawn from, the mean of its rate of false alarms, and how sure the bound is (or None)."""

    value: float
    n: int
    expected: float
    confidence: float | None


def neyman_pearson(scores: ArrayLike, false_alarm: float = 0.05, *, confidence: float | None = None) -> Threshold:
    """Return the smallest threshold that keeps false alarms below a rate; decide for the signal where a score is above it.

    Parameters
    ----------
    scores : array (n,)
        Of rows in which there is no signal, and that the statistic was not learned from.
    false_alarm : float in (0, 1)
    confidence : float in (0, 1), optional
        None bounds the rate on average, equation (1); 0.95 bounds it in 95 of 100 samples of scores, with a higher threshold.

    References
    ----------
    Tong, Feng and Li, "Neyman-Pearson classification algorithms and NP receiver operating characteristics", *Science Advances* 4, 2018.

    Examples
    --------
    >>> neyman_pearson(np.arange(1.0, 100.0), 0.1).value
    90.0
    >>> neyman_pearson(np.arange(1.0, 100.0), 0.1, confidence=0.95).value
    95.0
    """
    s = np.sort(np.asarray(scores, dtype=np.float64).ravel())
    n = len(s)
    if not n or not np.isfinite(s).all():
        raise DataError("scores must be at least one finite number for each row of noise.")
    if not 0 < false_alarm < 1:
        raise WrongUse(f"false_alarm is {false_alarm!r}; it must lie between 0 and 1.")
    if confidence is None:
        k = int(np.ceil((n + 1) * (1 - false_alarm) - 1e-9))
        need = f"at least {int(np.ceil(1 / false_alarm - 1e-9)) - 1}"
    else:
        if not 0 < confidence < 1:
            raise WrongUse(f"confidence is {confidence!r}; it must lie between 0 and 1, or be None.")
        ranks = np.arange(1, n + 1)
        exceed = special.betainc(ranks, n - ranks + 1, 1 - false_alarm)  # P(Binomial(n, 1 - alpha) >= k)
        enough = np.flatnonzero(exceed <= 1 - confidence)
        k = int(ranks[enough[0]]) if len(enough) else n + 1
        need = f"at least {int(np.ceil(np.log(1 - confidence) / np.log(1 - false_alarm)))}"
    if k > n:
        raise DataError(
            f"{n} scores of noise are too few to keep false alarms below {false_alarm:g}: {need} are needed."
        )
    return Threshold(float(s[k - 1]), n, (n - k + 1) / (n + 1), confidence)
