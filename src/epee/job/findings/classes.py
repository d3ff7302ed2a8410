r"""Findings about classes: unequal, too small, and probabilities that are not frequencies.

Calibration is tested on the sealed rows: in bins of the probability :math:`\hat p` of the answer, the number of right answers
:math:`O_b` is compared with its expectation, :math:`\sum_b (O_b - E_b)^2 / V_b` with :math:`V_b = \sum \hat p (1 - \hat p)`, which
follows a chi-square law when the probabilities are right (the predictor did not see these rows, so no degree of freedom is lost).
It must also be shown that the mean distance, less what noise alone gives, is above 10 points.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from epee.job.findings.chance import above, at_least, share_interval
from epee.job.findings.evidence import Evidence
from epee.job.findings.registry import Suspicion, finding
from epee.words.numbers import interval, percent, plus_minus, whole

FEWEST_ROWS = 10  # training rows of a class
OFF = 0.1  # mean distance of probabilities from frequencies


@finding("E002")
def imbalance(e: Evidence) -> Suspicion | None:
    """One class is rare: H0, its share is at least a fifth of an equal one."""
    if e.classes is None or len(e.classes) < 2:
        return None
    counts = np.bincount(e.codes, minlength=len(e.classes))
    k, n, K = int(np.argmin(counts)), int(counts.sum()), len(counts)
    p = min(at_least(int(counts[k]), n, 0.2 / K) * K, 1.0)
    name, common = str(e.classes[k]), str(e.classes[np.argmax(counts)])
    words = {"common": common, "rate": percent(counts.max() / n, 1)}
    return Suspicion.of_share(p, words, counts[k], n, digits=1, names=[name])


@finding("E003")
def small_class(e: Evidence) -> Suspicion | None:
    """A class has fewer than 10 rows to learn from: a fact."""
    if e.classes is None or not len(e.train):
        return None
    K = len(e.classes)
    learned = np.bincount(e.codes[e.train], minlength=K)
    tested = np.bincount(e.codes[e.test], minlength=K)
    k = int(np.argmin(learned))
    n = max(int(tested[k]), int(learned[k]), 1)
    low, high = share_interval(n / 2, n)
    others = int((learned < FEWEST_ROWS).sum()) - 1
    words = {"n": int(learned[k]), "m": int(tested[k]), "half": percent((high - low) / 2), "others": others}
    p = 0.0 if learned[k] < FEWEST_ROWS else 1.0
    return Suspicion(p, words, float(learned[k]), None, low, high, [str(e.classes[k])], "several" if others > 0 else "")


@finding("E015")
def calibration(e: Evidence) -> Suspicion | None:
    """Probabilities are not frequencies: H0, on the mean they are off by at most 10 points.

    Rows that belong together make every variance as many times larger as that of the mean gap (Rao and Scott).
    """
    if e.probabilities is None or e.classes is None or len(e.test) < 40:
        return None
    P = e.probabilities
    top, right = P.max(axis=1), P.argmax(axis=1) == e.codes[e.test]
    order = np.argsort(top, kind="stable")
    bins = [rows for rows in np.array_split(order, int(np.clip(len(top) // 20, 2, 10))) if len(rows)]
    observed = np.array([right[rows].sum() for rows in bins], dtype=float)
    expected = np.array([top[rows].sum() for rows in bins])
    together = e.design_effect(right - top)
    variance = together * np.array([(top[rows] * (1 - top[rows])).sum() for rows in bins])
    sizes = np.array([len(rows) for rows in bins], dtype=float)
    # a bin of near certainties has a variance near 0; half a row keeps its one error from deciding alone
    Q = float(((np.maximum(np.abs(observed - expected) - 0.5, 0)) ** 2 / np.maximum(variance, 0.25)).sum())
    off = (observed - expected) / sizes
    # the square of a gap is too large by its variance
    gaps = np.sqrt(np.maximum((observed - expected) ** 2 - variance, 0.0))
    mean_off = float(gaps.sum() / sizes.sum())
    bar = float(np.sqrt(np.maximum(together * observed * (1 - observed / sizes), variance).sum()) / sizes.sum())
    p = max(float(special.chdtrc(len(bins), Q)), above(mean_off, bar, OFF))
    worst = int(np.argmax(np.abs(off) * np.sqrt(sizes)))
    ends = share_interval(observed[worst] / together, sizes[worst] / together)
    words = {
        "claimed": percent(expected[worst] / sizes[worst]),
        "seen": percent(observed[worst] / sizes[worst]),
        "span": interval(*ends, percent=True),
        "off": plus_minus(100 * mean_off, 100 * bar),
        "m": whole(len(top)),
    }
    return Suspicion.about(p, words, mean_off, bar, form="timid" if off[worst] > 0 else "")
