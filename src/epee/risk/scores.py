r"""Figures of merit of a fitted predictor on held-out rows, each with its error bar.

Every figure :math:`\hat\theta` here is a smooth function of means over rows, so each row has an *influence*
:math:`\psi_i` on it, and

.. math:: \hat\theta - \theta \approx \frac1n \sum_i \psi_i, \qquad \mathrm{se} = \frac{\mathrm{sd}(\psi)}{\sqrt n}. \tag{1}

For the area under the ROC curve, :math:`P(s_+ > s_-) + \frac12 P(s_+ = s_-)`, (1) is the method of DeLong, DeLong
and Clarke-Pearson (1988). Average precision takes a bootstrap of the rows. Intervals of figures between 0 and 1 are
made on the logit scale, so they stay there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.estimator.base import encode_labels
from epee.estimator.protocol import Decisions, Labels, Probabilities
from epee.risk.asking import refuse_missing_truth, refuse_nan
from epee.risk.estimate import Score
from epee.risk.holdout import refuse_training_rows, require_fitted
from epee.risk.intervals import (
    MOST_COPIES,
    Interval,
    check_level,
    logit_interval,
    normal_quantile,
    t_interval,
    weighted_mean,
    wilson,
)
from epee.table.block import check_weights
from epee.typing import Codes, Matrix, Vector


def _open(model: Any, X: Any, y: Any, sample_weight: Any, level: float) -> tuple[np.ndarray, Vector]:
    check_level(level)
    require_fitted(model)
    refuse_training_rows(model, X, y, sample_weight)
    truth = np.asarray(y)
    refuse_missing_truth(truth)
    w = check_weights(sample_weight, len(truth))
    return truth, np.ones(len(truth)) if w is None else w


def _codes(model: Any, truth: np.ndarray) -> Codes:
    if not isinstance(model, Labels):
        raise WrongUse(f"{type(model).__name__} is not a classifier: this figure is for labels; r2 is for numbers.")
    classes = np.asarray(model.classes_)
    labels, codes = encode_labels(truth, len(truth))
    if not np.isin(labels, classes).all():
        raise DataError(
            f"y holds the labels {labels[~np.isin(labels, classes)].tolist()[:5]}, which the predictor never saw."
        )
    return np.searchsorted(classes, labels)[codes]


def _ranks(model: Any, X: Any) -> Matrix:
    """Return one score a class (n, K): probabilities, or decision scores."""
    if isinstance(model, Probabilities):
        return np.asarray(model.predict_proba(X), dtype=float)
    if not isinstance(model, Decisions):
        raise WrongUse(f"{type(model).__name__} gives neither probabilities nor scores: this figure needs one of them.")
    scores = np.asarray(model.decision_function(X), dtype=float)
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def _probabilities(model: Any, X: Any) -> Matrix:
    if not isinstance(model, Probabilities):
        raise WrongUse(f"{type(model).__name__} gives no probabilities; this figure needs predict_proba.")
    return np.asarray(model.predict_proba(X), dtype=float)


def _bounded(value: float, stderr: float, level: float, n: float) -> Interval:
    """Return an interval within [0, 1]; at an end, where no spread is seen, that of a rate on n rows."""
    return logit_interval(value, stderr, level) if 0 < value < 1 and stderr > 0 else wilson(value, n, level)


def _stderr(influence: Vector, w: Vector) -> float:
    n = w.sum()
    return float(np.sqrt(w @ influence**2 / max(n - 1, 1) / n))


def _auc(score: Vector, positive: np.ndarray, w: Vector) -> tuple[float, Vector]:
    """Return the area and the influence of each row."""
    wp, wn = np.where(positive, w, 0.0), np.where(positive, 0.0, w)
    values, where = np.unique(score, return_inverse=True)
    where = where.reshape(-1)
    p, q = np.bincount(where, wp, minlength=len(values)), np.bincount(where, wn, minlength=len(values))
    P, N = p.sum(), q.sum()
    below, above = np.cumsum(q) - q / 2, P - np.cumsum(p) + p / 2
    placement = np.where(positive, below[where] / N, above[where] / P)  # share of the other class on the right side
    value = float(wp @ placement / P)
    n = w.sum()
    return value, (placement - value) * np.where(positive, n / P, n / N)


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
    truth, w = _open(model, X, y, sample_weight, level)
    codes, scores = _codes(model, truth), _ranks(model, X)
    classes = _each_class(model, codes)
    found = [_auc(scores[:, k], codes == k, w) for k in classes]
    value = float(np.mean([v for v, _ in found]))
    stderr = _stderr(np.mean([i for _, i in found], axis=0), w)
    curves = []
    for k in classes:
        tp, fp, _ = _curve(scores[:, k], codes == k, w)
        curves.append((str(model.classes_[k]), np.append(0, fp / fp[-1]), np.append(0, tp / tp[-1])))
    fewest = min(min(w[codes == k].sum(), w[codes != k].sum()) for k in classes)
    return Score(
        value,
        stderr,
        _bounded(value, stderr, level, fewest),
        level,
        float(w.sum()),
        "roc_auc",
        "held-out rows",
        curve=curves,
    )


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
    0.92 ± 0.14 [0.23, 1.00]
    """
    truth, w = _open(model, X, y, sample_weight, level)
    codes, scores = _codes(model, truth), _ranks(model, X)
    classes = _each_class(model, codes)
    value = float(np.mean([_precision(scores[:, k], codes == k, w) for k in classes]))
    rng, n = np.random.default_rng(random_state), len(truth)
    whole = w.sum() <= MOST_COPIES and bool((w == np.round(w)).all())
    copies = np.repeat(np.arange(n), w.astype(np.int64)) if whole else np.arange(n)  # weights are counts
    each = np.ones(n) if whole else w
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
    curves = []
    for k in classes:
        tp, fp, _ = _curve(scores[:, k], codes == k, w)
        curves.append((str(model.classes_[k]), np.append(0, tp / tp[-1]), np.append(1, tp / (tp + fp))))
    fewest = min(w[codes == k].sum() for k in classes)
    return Score(
        value,
        stderr,
        _bounded(value, stderr, level, fewest),
        level,
        float(w.sum()),
        "average_precision",
        "held-out rows",
        curve=curves,
    )


def _precision(score: Vector, positive: np.ndarray, w: Vector) -> float:
    tp, fp, _ = _curve(score, positive, w)
    total = tp + fp
    precision = np.divide(tp, total, out=np.ones_like(tp), where=total > 0)
    return float((np.diff(tp, prepend=0.0) * precision).sum() / tp[-1]) if tp[-1] > 0 else float("nan")


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
    0.33 ± 0.21 [0.00, 0.87]
    """
    truth, w = _open(model, X, y, sample_weight, level)
    codes, P = _codes(model, truth), _probabilities(model, X)
    T = np.eye(P.shape[1])[codes]
    losses = (P[:, 1] - T[:, 1]) ** 2 if P.shape[1] == 2 else ((P - T) ** 2).sum(axis=1)
    value, stderr, n = weighted_mean(losses, w)
    ends = t_interval(value, stderr, n - 1, level)
    classes = [1] if P.shape[1] == 2 else range(P.shape[1])
    curves = [(str(model.classes_[k]), *calibration_bins(P[:, k], T[:, k], w, bins, level)) for k in classes]
    return Score(
        value, stderr, Interval(max(ends.low, 0.0), ends.high), level, n, "brier", "held-out rows", n - 1, row_losses=losses, weight=w,
        curve=curves,
    )  # fmt: skip


def calibration_bins(p: Vector, t: Vector, w: Vector, bins: int, level: float) -> tuple[Vector, Vector, Vector, Vector]:
    """Return mean probability, observed frequency and its interval (Wilson) in bins of equal counts."""
    order = np.argsort(p, kind="stable")
    edge = np.minimum((np.cumsum(w[order]) - w[order] / 2) / w.sum() * bins, bins - 1e-9).astype(int)
    where = np.empty(len(p), dtype=int)
    where[order] = edge
    count = np.bincount(where, w, minlength=bins)
    kept = count > 0
    mean_p, mean_t = (np.bincount(where, w * a, minlength=bins)[kept] / count[kept] for a in (p, t))
    ends = [wilson(float(f), float(c), level) for f, c in zip(mean_t, count[kept], strict=True)]
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
    0.88 ± 0.17 [0.56, 1.00]
    """
    truth, w = _open(model, X, y, sample_weight, level)
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
    half = normal_quantile(level) * stderr
    return Score(value, stderr, Interval(value - half, min(value + half, 1.0)), level, n, "r2", "held-out rows")


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
    0.67 ± 0.24 [0.19, 0.94]
    """
    truth, w = _open(model, X, y, sample_weight, level)
    codes = _codes(model, truth)
    decided = np.asarray(model.predict(X))
    values: list[float] = []
    influences: list[Vector] = []
    n = float(w.sum())
    for k in _each_class(model, codes):
        says, is_k = decided == model.classes_[k], codes == k
        hit, miss = (says & is_k).astype(float), (says != is_k).astype(float)
        a, b = w @ hit / n, w @ miss / n
        total = 2 * a + b
        values.append(float(2 * a / total) if total > 0 else 0.0)
        influences.append((2 * b * (hit - a) - 2 * a * (miss - b)) / total**2 if total > 0 else np.zeros(len(w)))
    value, stderr = float(np.mean(values)), _stderr(np.mean(influences, axis=0), w)
    fewest = min(w[codes == k].sum() for k in _each_class(model, codes))
    return Score(value, stderr, _bounded(value, stderr, level, fewest), level, n, "f1", "held-out rows")
