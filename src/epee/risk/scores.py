r"""Figures of merit of a fitted predictor on held-out rows, each with its error bar.

Every figure :math:`\hat\theta` here is a smooth function of means over rows, so each row has an *influence*
:math:`\psi_i` on it, and

.. math:: \hat\theta - \theta \approx \frac1n \sum_i \psi_i, \qquad \mathrm{se} = \frac{\mathrm{sd}(\psi)}{\sqrt n}. \tag{1}

The area under the ROC curve and average precision are in :mod:`epee.risk.ranking`. :math:`F_1` is a function of a rate,
:math:`2g / (1 + g)` with :math:`g = TP / (TP + FP + FN)`, and has the interval of that rate. :math:`1 - R^2` is a ratio of two sums
over rows, whose interval follows its skewness as that of a loss does (:mod:`epee.risk.skewed`).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.estimator.protocol import Labels
from epee.risk.asking import refuse_nan
from epee.risk.estimate import Score
from epee.risk.held_rows import codes_of, probabilities_of, ranks_of, truth_and_weights
from epee.risk.intervals import (
    MOST_COPIES,
    Interval,
    logit_interval,
    normal_quantile,
    t_quantile,
)
from epee.risk.mean_loss import mean_loss
from epee.risk.ranking import FEW_OF_A_CLASS, area, area_error, area_interval, precision_over_recall
from epee.risk.rates import rate_interval
from epee.risk.skewed import FEWEST_ROWS, skewed_interval, too_dominant
from epee.risk.units import Units
from epee.typing import Codes, Vector
from epee.words import risk_words
from epee.words.numbers import whole


def _stderr(influence: Vector, w: Vector) -> float:
    n = w.sum()
    return float(np.sqrt(w @ influence**2 / max(n - 1, 1) / n))


def _curve(score: Vector, positive: np.ndarray, w: Vector) -> tuple[Vector, Vector, Vector]:
    """Return true positives, false positives (weights) and thresholds, from the highest score down."""
    order = np.argsort(-score, kind="stable")
    s = score[order]
    last = np.flatnonzero(np.append(np.diff(s) != 0, True))
    tp, fp = (
        np.cumsum(np.where(positive[order], w[order], 0.0))[last],
        np.cumsum(np.where(positive[order], 0.0, w[order]))[last],
    )
    return tp, fp, s[last]


def _each_class(model: Any, codes: Codes) -> list[int]:
    """Return the classes to average over: the second of two, else all that are present."""
    K = len(model.classes_)
    present = np.bincount(codes, minlength=K)
    if (present > 0).sum() < 2:
        raise DataError("the test rows have one class only: there is nothing to tell apart. Add rows of another class.")
    return [1] if K == 2 else [k for k in range(K) if present[k]]


def roc_auc(model: Any, X: Any, y: Any, *, level: float = 0.95, sample_weight: Any = None) -> Score:
    """Return the area under the ROC curve on held-out rows: the chance that a positive row scores above a negative one.

    With several classes it is the mean over classes of one against the rest.

    Parameters
    ----------
    model : fitted classifier
    X, y : held-out rows and their labels
    level : float in (0, 1), default=0.95
    sample_weight : array (n,), optional
        Counts.

    Returns
    -------
    Score
        Its ``plot`` draws the curve.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson, "Comparing the areas under two or more correlated ROC curves", *Biometrics* 44, 1988.

    Examples
    --------
    >>> from epee import LinearDiscriminantAnalysis
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2)); y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    >>> 0.7 < roc_auc(LinearDiscriminantAnalysis().fit(X[:100], y[:100]), X[100:], y[100:]).value < 0.95
    True
    """
    truth, w = truth_and_weights(model, X, y, sample_weight, level)
    codes, scores = codes_of(model, truth), ranks_of(model, X)
    classes = _each_class(model, codes)
    found = [area(scores[:, k], codes == k, w) for k in classes]
    value = float(np.mean([v for v, _ in found]))
    errors = [area_error(v, place, codes == k, w) for k, (v, place) in zip(classes, found, strict=True)]
    pulls = [_pull(*f, codes == k, w) for k, f in zip(classes, found, strict=True)]
    stderr = errors[0][0] if len(classes) == 1 else _stderr(np.mean(pulls, axis=0), w)
    k = min(classes, key=lambda k: min(w[codes == k].sum(), w[codes != k].sum()))
    P, N = float(w[codes == k].sum()), float(w[codes != k].sum())
    dof = min(d for _, d in errors)
    curves = []
    for k in classes:
        tp, fp, _ = _curve(scores[:, k], codes == k, w)
        curves.append((str(model.classes_[k]), np.append(0, fp / fp[-1]), np.append(0, tp / tp[-1])))
    ends_at = partial(area_interval, value, stderr, dof, P, N)
    return Score(
        value, stderr, ends_at(level), level, float(w.sum()), "roc_auc", "held-out rows", dof, curve=curves, ends_at=ends_at
    )  # fmt: skip


def _pull(value: float, placement: Vector, positive: np.ndarray, w: Vector) -> Vector:
    """Return the influence (1) of each row on an area."""
    n, P = w.sum(), w[positive].sum()
    return (placement - value) * np.where(positive, n / P, n / (n - P))


def average_precision(
    model: Any,
    X: Any,
    y: Any,
    *,
    level: float = 0.95,
    sample_weight: Any = None,
    draws: int = 200,
    random_state: int = 0,
) -> Score:
    r"""Return average precision on held-out rows, :math:`\sum_k (R_k - R_{k-1}) P_k`: the precision averaged over recall.

    With several classes it is the mean over classes of one against the rest. The standard error is that of ``draws`` bootstrap
    samples of the rows. Its ``plot`` draws precision against recall.

    Parameters
    ----------
    model : fitted classifier
    X, y : test rows and their labels
    level : float in (0, 1), default=0.95
        What the interval covers.
    sample_weight : array (n,), optional
        Counts.
    draws : int, default=200
        Bootstrap samples behind the standard error.
    random_state : int, default=0

    Examples
    --------
    >>> from epee import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> X, y = [[0.5], [2.8], [2.0], [4.5], [1.0], [6.0]], [0, 0, 1, 1, 0, 1]
    >>> print(average_precision(model, X, y))
    0.92 ± 0.14 [0.01, 1.00]
    """
    truth, w = truth_and_weights(model, X, y, sample_weight, level)
    codes, scores = codes_of(model, truth), ranks_of(model, X)
    classes = _each_class(model, codes)
    value = float(np.mean([_precision(scores[:, k], codes == k, w) for k in classes]))
    rng, n = np.random.default_rng(random_state), len(truth)
    counted = w.sum() <= MOST_COPIES and bool((w == np.round(w)).all())
    copies = np.repeat(np.arange(n), w.astype(np.int64)) if counted else np.arange(n)  # weights are counts
    each = np.ones(n) if counted else w
    orders = {k: np.argsort(-scores[:, k], kind="stable") for k in classes}
    drawn = []
    for _ in range(draws):
        weights = each * np.bincount(copies[rng.integers(0, len(copies), len(copies))], minlength=n)
        parts = [
            _precision(scores[orders[k], k], (codes == k)[orders[k]], weights[orders[k]])
            for k in classes
            if weights[codes == k].any()
        ]
        drawn.append(float(np.mean(parts)) if parts else np.nan)
    stderr = float(np.nanstd(drawn, ddof=1))
    centre = float(np.mean([_precision(scores[:, k], codes == k, w, own=0.5) for k in classes]))
    curves = []
    for k in classes:
        tp, fp, _ = _curve(scores[:, k], codes == k, w)
        curves.append((str(model.classes_[k]), np.append(0, tp / tp[-1]), np.append(1, tp / (tp + fp))))
    fewest = float(min(w[codes == k].sum() for k in classes))
    ends_at = partial(_precision_ends, value, centre, stderr, fewest)
    caution = risk_words.say("caution positives", n=whole(fewest)) if fewest < FEW_OF_A_CLASS else ""
    return Score(
        value, stderr, ends_at(level), level, float(w.sum()), "average_precision", "held-out rows", fewest - 1, curve=curves,
        caution=caution, ends_at=ends_at,
    )  # fmt: skip


def _precision_ends(value: float, centre: float, stderr: float, fewest: float, level: float) -> Interval:
    """Return the interval about the figure that counts half of each positive itself, stretched to hold the plain one."""
    if not (0 < centre < 1 and stderr > 0):
        return rate_interval(value, max(fewest, 1.0), level)
    wide = t_quantile(level, max(fewest - 1, 1.0)) / normal_quantile(level)
    ends = logit_interval(centre, wide * stderr, level)
    return Interval(min(ends.low, value), max(ends.high, value))


def _precision(score: Vector, positive: np.ndarray, w: Vector, own: float = 1.0) -> float:
    tp, fp, _ = _curve(score, positive, w)
    return precision_over_recall(tp, fp, own)


def brier(model: Any, X: Any, y: Any, *, level: float = 0.95, sample_weight: Any = None, bins: int = 10) -> Score:
    r"""Return Brier's score on held-out rows, the mean of :math:`(p_i - t_i)^2`; 0 is perfect, smaller is better.

    With several classes the squares are added over classes. Its ``plot`` shows calibration: observed frequencies against
    predicted probabilities, in ``bins`` of equal counts.

    Parameters
    ----------
    model : fitted classifier
    X, y : test rows and their labels
    level : float in (0, 1), default=0.95
        What the interval covers.
    sample_weight : array (n,), optional
        Counts.
    bins : int, default=10
        Bins of the calibration curve.

    Examples
    --------
    >>> from epee import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> X, y = [[0.5], [2.8], [2.0], [4.5], [1.0], [6.0]], [0, 0, 1, 1, 0, 1]
    >>> print(brier(model, X, y))
    0.33 ± 0.21 [0.00, 1.00]
    """
    truth, w = truth_and_weights(model, X, y, sample_weight, level)
    codes, P = codes_of(model, truth), probabilities_of(model, X)
    T = np.eye(P.shape[1])[codes]
    losses = (P[:, 1] - T[:, 1]) ** 2 if P.shape[1] == 2 else ((P - T) ** 2).sum(axis=1)
    n, ends_at = float(w.sum()), partial(_brier_ends, losses, w, 1.0 if P.shape[1] == 2 else 2.0)
    found = mean_loss(losses, w, loss="brier", level=level)
    classes = [1] if P.shape[1] == 2 else range(P.shape[1])
    curves = [(str(model.classes_[k]), *calibration_bins(P[:, k], T[:, k], w, bins, level)) for k in classes]
    return Score(
        found.value, found.stderr, ends_at(level), level, n, "brier", "held-out rows", found.dof, row_losses=losses, weight=w,
        curve=curves, caution=found.sentence, ends_at=ends_at,
    )  # fmt: skip


def _brier_ends(losses: Vector, w: Vector, most: float, level: float) -> Interval:
    low, high = mean_loss(losses, w, loss="brier", level=level).interval
    return Interval(low, min(high, most))


def calibration_bins(p: Vector, t: Vector, w: Vector, bins: int, level: float) -> tuple[Vector, Vector, Vector, Vector]:
    """Return mean probability, observed frequency and its interval in bins of equal counts."""
    order = np.argsort(p, kind="stable")
    edge = np.minimum((np.cumsum(w[order]) - w[order] / 2) / w.sum() * bins, bins - 1e-9).astype(int)
    where = np.empty(len(p), dtype=int)
    where[order] = edge
    count = np.bincount(where, w, minlength=bins)
    kept = count > 0
    mean_p, mean_t = (np.bincount(where, w * a, minlength=bins)[kept] / count[kept] for a in (p, t))
    ends = [rate_interval(float(f), float(c), level) for f, c in zip(mean_t, count[kept], strict=True)]
    return mean_p, mean_t, np.array([e.low for e in ends]), np.array([e.high for e in ends])


def r2(model: Any, X: Any, y: Any, *, level: float = 0.95, sample_weight: Any = None) -> Score:
    r"""Return the share of the variance explained on held-out rows, :math:`1 - \sum (y - \hat y)^2 / \sum (y - \bar y)^2`.

    Several targets are averaged. Negative when the mean would predict better.

    Parameters
    ----------
    model : fitted regressor
    X, y : test rows and their values
    level : float in (0, 1), default=0.95
        What the interval covers.
    sample_weight : array (n,), optional
        Counts.

    Examples
    --------
    >>> from epee import LinearRegression
    >>> model = LinearRegression().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> print(r2(model, [[3.0], [4.0], [5.0]], [3.0, 4.5, 5.0]))
    0.88 ± 0.17 [-1.72, 1.00]
    """
    truth, w = truth_and_weights(model, X, y, sample_weight, level)
    if isinstance(model, Labels):
        raise WrongUse(
            f"{type(model).__name__} is a classifier: r2 is for numbers; roc_auc, brier and f1 are for labels."
        )
    Y = truth.astype(float).reshape(len(truth), -1)
    F = np.asarray(model.predict(X), dtype=float)
    refuse_nan(F, model, "the test sample")
    F = F.reshape(Y.shape)
    n = float(w.sum())
    A = (w[:, None] * (Y - F) ** 2).sum(axis=0) / n
    d2 = (Y - (w @ Y) / n) ** 2
    B = w @ d2 / n
    if (B <= 0).any():
        raise DataError("y is constant on the test rows: the share of its variance that is explained has no meaning.")
    value = float((1 - A / B).mean())
    influence = (-((Y - F) ** 2 - A - (A / B) * (d2 - B)) / B).mean(axis=1)
    stderr = _stderr(influence, w)
    pull = Units(-influence, np.ones(len(w)), w, n)  # of 1 - r2, which is never negative
    ends_at, few = partial(_r2_ends, value, pull, n), n < FEWEST_ROWS
    parts = [pull, *(Units(a, np.ones(len(w)), w, n) for a in (((Y - F) ** 2).sum(axis=1), d2.sum(axis=1)))]
    heavy = any(too_dominant(part.spread()[1], n) for part in parts)
    caution = risk_words.say("caution few" if few else "caution ratio", n=whole(n)) if few or heavy else ""
    return Score(
        value, stderr, ends_at(level), level, n, "r2", "held-out rows", n - 1, caution=caution, ends_at=ends_at
    )


def _r2_ends(value: float, pull: Units, n: float, level: float) -> Interval:
    ends = skewed_interval(1 - value, *pull.spread(), n, n - 1, level)
    return Interval(1 - ends.high, min(1 - ends.low, 1.0))


def f1(model: Any, X: Any, y: Any, *, level: float = 0.95, sample_weight: Any = None) -> Score:
    r"""Return :math:`F_1 = 2\,TP / (2\,TP + FP + FN)` on held-out rows, for the second of two classes; else the mean over classes.

    Parameters
    ----------
    model : fitted classifier
    X, y : test rows and their labels
    level : float in (0, 1), default=0.95
        What the interval covers.
    sample_weight : array (n,), optional
        Counts.

    Examples
    --------
    >>> from epee import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> X, y = [[0.5], [2.8], [2.0], [4.5], [1.0], [6.0]], [0, 0, 1, 1, 0, 1]
    >>> print(f1(model, X, y))
    0.67 ± 0.24 [0.16, 0.95]
    """
    truth, w = truth_and_weights(model, X, y, sample_weight, level)
    codes = codes_of(model, truth)
    decided = np.asarray(model.predict(X))
    rates: list[tuple[float, float]] = []  # of each class: g, and the rows it is a rate of
    influences: list[Vector] = []
    n = float(w.sum())
    for k in _each_class(model, codes):
        says, is_k = decided == model.classes_[k], codes == k
        hit, miss = (says & is_k).astype(float), (says != is_k).astype(float)
        a, b = w @ hit / n, w @ miss / n
        total = 2 * a + b
        rates.append((float(a / (a + b)) if a + b > 0 else 0.0, float((a + b) * n)))
        influences.append((2 * b * (hit - a) - 2 * a * (miss - b)) / total**2 if total > 0 else np.zeros(len(w)))
    value, stderr = float(np.mean([_f1(g) for g, _ in rates])), _stderr(np.mean(influences, axis=0), w)
    ends_at = partial(_f1_ends, tuple(rates))
    return Score(value, stderr, ends_at(level), level, n, "f1", "held-out rows", n - 1, ends_at=ends_at)


def _f1(g: float) -> float:
    return 2 * g / (1 + g)


def _f1_ends(rates: tuple[tuple[float, float], ...], level: float) -> Interval:
    """Return the interval from those of the rates g; distances of several classes are squared and added."""
    ends = [rate_interval(g, max(m, 1.0), level) for g, m in rates]
    value = np.array([_f1(g) for g, _ in rates])
    below = np.linalg.norm(value - [_f1(e.low) for e in ends]) / len(ends)
    above = np.linalg.norm([_f1(e.high) for e in ends] - value) / len(ends)
    return Interval(float(max(value.mean() - below, 0.0)), float(min(value.mean() + above, 1.0)))
