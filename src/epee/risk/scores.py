r"""Figures of merit of a fitted predictor on held-out rows, each with its error bar.

Every figure :math:`\hat\theta` here is a smooth function of means over rows, so each row has an *influence*
:math:`\psi_i` on it, and

.. math:: \hat\theta - \theta \approx \frac1n \sum_i \psi_i, \qquad \mathrm{se} = \frac{\mathrm{sd}(\psi)}{\sqrt n}. \tag{1}

The area under the ROC curve and average precision are in :mod:`epee.risk.ranking`, Brier's score in
:mod:`epee.risk.brier_score`. :math:`F_1` is a function of a rate,
:math:`2g / (1 + g)` with :math:`g = TP / (TP + FP + FN)`, and has the interval of that rate. :math:`1 - R^2` is a ratio of two sums
over rows, and has a jackknife of units (:mod:`epee.risk.explained`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.estimator.protocol import gives_labels
from epee.risk.asking import refuse_nan
from epee.risk.estimate import Score
from epee.risk.explained import freedom_of_spread, pseudo_values, share_ends
from epee.risk.held_rows import Held, codes_of, held_rows, ranks_of
from epee.risk.intervals import MOST_COPIES, Interval, logit_interval, normal_quantile, t_quantile
from epee.risk.ranking import (
    FEW_OF_A_CLASS,
    area,
    area_error,
    area_interval,
    areas_left,
    counts_drawn,
    jackknifed,
    precision_over_recall,
)
from epee.risk.rates import rate_interval
from epee.risk.skewed import FEWEST_ROWS, skewed_interval, too_dominant
from epee.risk.units import Units, Weights
from epee.typing import Codes, Matrix, Vector
from epee.words import risk_words
from epee.words.numbers import whole

MOST_LEFT_OUT = 1_000  # groups: of more, each says hardly anything alone


def _curve(score: Vector, positive: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return true and false positives at each threshold, from the highest score down, under weights (n,) or several (n, draws)."""
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)
    own, w = positive[order].reshape(-1, *[1] * (w.ndim - 1)), w[order]
    return np.cumsum(np.where(own, w, 0.0), axis=0)[last], np.cumsum(np.where(own, 0.0, w), axis=0)[last]


def _each_class(model: Any, codes: Codes) -> list[int]:
    """Return the classes to average over: the second of two, else all that are present."""
    K = len(model.classes_)
    present = np.bincount(codes, minlength=K)
    if (present > 0).sum() < 2:
        raise DataError("the test rows have one class only: there is nothing to tell apart. Add rows of another class.")
    return [1] if K == 2 else [k for k in range(K) if present[k]]


def averaged(how: str, k: int) -> str:
    """Return how a figure was found, and over how many classes of one against the rest it is the mean.

    >>> averaged("held-out rows", 1), averaged("held-out rows", 3)
    ('held-out rows', 'held-out rows, mean over 3 classes of one against the rest')
    """
    return how if k == 1 else f"{how}, mean over {k} classes of one against the rest"


def roc_auc(
    model: Any, X: Any, y: Any, *, level: float = 0.95, sample_weight: Any = None, weights: Weights | None = None,
    groups: Any = None, time: Any = None,
) -> Score:  # fmt: skip
    """Return the area under the ROC curve on held-out rows: the chance that a positive row scores above a negative one.

    With several classes it is the mean over classes of one against the rest.

    Parameters
    ----------
    model : fitted classifier
    X, y : held-out rows and their labels
    level : float in (0, 1), default=0.95
        What the interval covers.
    sample_weight : array (n,), optional
        Counts, or sampling weights, whose scale means nothing.
    weights : {"counts", "sampling"}, default=None
        What the weights mean; None takes whole numbers as counts and others as sampling weights, whose error bar is the sandwich's.
    groups : array (n,), optional
        Rows that belong together (one patient, one machine): the error bar then counts groups.
    time : array (n,) or True, optional
        When each row happened; True is the order of the rows. The error bar then knows that neighbours resemble each other.

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
    held = held_rows(model, X, y, sample_weight, level, weights, groups, time)
    truth, w = held.truth, held.w
    codes, scores = codes_of(model, truth), ranks_of(model, held.X)
    classes = _each_class(model, codes)
    found = [area(scores[:, k], codes == k, w) for k in classes]
    value = float(np.mean([v for v, _ in found]))
    errors = [area_error(place, codes == k, w, held.sampled) for k, (_, place) in zip(classes, found, strict=True)]
    pulls = [_pull(*f, codes == k, w) for k, f in zip(classes, found, strict=True)]
    influence = np.mean(pulls, axis=0)
    stderr = errors[0][0] if len(classes) == 1 else held.stderr(influence)
    P, N = min(((held.worth(codes == k), held.worth(codes != k)) for k in classes), key=min)
    dof = min(d for _, d in errors)
    curves = []
    for k in classes:
        tp, fp = _curve(scores[:, k], codes == k, w)
        curves.append((str(model.classes_[k]), np.append(0, fp / fp[-1]), np.append(0, tp / tp[-1])))
    units = None if held.groups is None and held.order is None else held.told(influence)
    if units is not None:  # then it is the interval of as many rows as have their error bar
        longer, free = held.longer(units, influence, _jackknifed_area(held, scores, codes, classes, value))
        stderr, dof, worth = longer * stderr, min(dof, free), max(longer, 1.0) ** -2
        P, N = worth * P, worth * N
    ends_at = partial(area_interval, value, stderr, dof, P, N)
    score = Score(
        value,
        stderr,
        ends_at(level),
        level,
        held.worth(),
        "roc_auc",
        averaged(held.how, len(classes)),
        dof,
        curve=curves,
        ends_at=ends_at,
    )
    return held.searched(score if units is None else held.counted(score, units), influence, codes=codes)


def _jackknifed_area(held: Held, scores: Matrix, codes: Codes, classes: list[int], value: float) -> float:
    """Return the error bar of an area that groups make by leaving one out after the other; 0 of many, or where none has rows to compare."""
    if held.groups is None or held.groups.max() >= MOST_LEFT_OUT:
        return 0.0
    if np.all(codes == codes[np.unique(held.groups, return_index=True)[1]][held.groups]):
        return 0.0
    left = np.mean([areas_left(scores[:, k], codes == k, held.w, held.groups) for k in classes], axis=0)
    return jackknifed(value, left)


def _pull(value: float, placement: Vector, positive: np.ndarray, w: Vector) -> Vector:
    """Return the influence (1) of each row on an area."""
    n, P = w.sum(), w[positive].sum()
    return (placement - value) * np.where(positive, n / P, n / (n - P))


def average_precision(
    model: Any, X: Any, y: Any, *, level: float = 0.95, sample_weight: Any = None, weights: Weights | None = None, draws: int = 200,
    random_state: int = 0, groups: Any = None, time: Any = None,
) -> Score:  # fmt: skip
    r"""Return average precision on held-out rows, :math:`\sum_k (R_k - R_{k-1}) P_k`: the precision averaged over recall.

    With several classes it is the mean over classes of one against the rest. The standard error is that of ``draws`` bootstrap
    samples of the rows. Its ``plot`` draws precision against recall.

    Parameters
    ----------
    model : fitted classifier
    X, y : test rows and their labels
    level, sample_weight, weights, groups, time
        As in :func:`roc_auc`.
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
    held = held_rows(model, X, y, sample_weight, level, weights, groups, time)
    truth, w = held.truth, held.w
    codes, scores = codes_of(model, truth), ranks_of(model, held.X)
    classes = _each_class(model, codes)
    value = float(np.mean([_precision(scores[:, k], codes == k, w) for k in classes]))
    rng, n = np.random.default_rng(random_state), len(truth)
    counted = not held.sampled and w.sum() <= MOST_COPIES and bool((w == np.round(w)).all())
    copies = np.repeat(np.arange(n), w.astype(np.int64)) if counted else np.arange(n)  # else rows are drawn whole
    each = np.ones(n) if counted else w
    drawn = []
    for many in counts_drawn(rng, copies, n, draws):
        again = each[:, None] * many.T  # (n, some)
        drawn.append(_mean_of_known(np.stack([_precision(scores[:, k], codes == k, again) for k in classes])))
    stderr = float(np.nanstd(np.concatenate(drawn), ddof=1))
    centre = float(np.mean([_precision(scores[:, k], codes == k, w, own=0.5) for k in classes]))
    curves = []
    for k in classes:
        tp, fp = _curve(scores[:, k], codes == k, w)
        curves.append((str(model.classes_[k]), np.append(0, tp / tp[-1]), np.append(1, tp / (tp + fp))))
    positives, others = (min(held.members((codes == k) == own) for k in classes) for own in (True, False))
    fewest = min(positives, others)
    ends_at = partial(_precision_ends, value, centre, stderr, fewest)
    which = "caution positives" if positives <= others else "caution negatives"
    caution = risk_words.say(which, n=whole(fewest)) if fewest < FEW_OF_A_CLASS else ""
    found = Score(
        value, stderr, ends_at(level), level, held.worth(), "average_precision", averaged(held.how, len(classes)), fewest - 1, curve=curves,
        caution=caution, ends_at=ends_at,
    )  # fmt: skip
    pulls = [_pull_of_precision(scores[:, k], codes == k, w) for k in classes]
    return held.watched(found, np.mean(pulls, axis=0), codes=codes)


def _pull_of_precision(score: Vector, positive: np.ndarray, w: Vector) -> Vector:
    r"""Return the influence (1) of each row on average precision.

    With :math:`T_i, F_i` the true and false positives at the score of the positive :math:`i`, and :math:`P` all positives, the figure is
    :math:`\frac1P \sum_i w_i T_i / (T_i + F_i)`: a row counts in the precision of every positive that scores no higher, and a positive
    in :math:`P`, too.
    """
    tp, fp = _curve(score, positive, w)
    block = np.searchsorted(-np.unique(score)[::-1], -score)  # the threshold at which a row is taken
    P, here = tp[-1], np.bincount(block, np.where(positive, w, 0.0), minlength=len(tp))
    precision, square = tp / (tp + fp), np.maximum(tp + fp, 1e-300) ** 2
    gain, harm = (np.cumsum((here * a / square)[::-1])[::-1][block] for a in (fp, tp))
    own = precision[block] - float(here @ precision) / P
    return np.where(positive, own + gain, -harm) * w.sum() / P


def _precision_ends(value: float, centre: float, stderr: float, fewest: float, level: float) -> Interval:
    """Return the interval about the figure that counts half of each positive itself, stretched to hold the plain one."""
    if not (0 < centre < 1 and stderr > 0):
        return rate_interval(value, max(fewest, 1.0), level)
    wide = t_quantile(level, max(fewest - 1, 1.0)) / normal_quantile(level)
    ends = logit_interval(centre, wide * stderr, level)
    return Interval(min(ends.low, value), max(ends.high, value))


def _precision(score: Vector, positive: np.ndarray, w: np.ndarray, own: float = 1.0) -> np.ndarray:
    """Return average precision under weights (n,), or under each of several (n, draws); NaN without a positive."""
    return precision_over_recall(*_curve(score, positive, w), own)


def _mean_of_known(parts: Matrix) -> Vector:
    """Return the mean of each column over the rows that are known there, NaN where none is."""
    known = ~np.isnan(parts)
    many = known.sum(axis=0)
    return np.divide(np.where(known, parts, 0.0).sum(axis=0), many, out=np.full(len(many), np.nan), where=many > 0)


def r2(
    model: Any, X: Any, y: Any, *, level: float = 0.95, sample_weight: Any = None, weights: Weights | None = None,
    groups: Any = None, time: Any = None,
) -> Score:  # fmt: skip
    r"""Return the share of the variance explained on held-out rows, :math:`1 - \sum (y - \hat y)^2 / \sum (y - \bar y)^2`.

    Several targets are averaged. Negative when the mean would predict better.

    Parameters
    ----------
    model : fitted regressor
    X, y : test rows and their values
    level, sample_weight, weights, groups, time
        As in :func:`roc_auc`.

    Examples
    --------
    >>> from epee import LinearRegression
    >>> model = LinearRegression().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> print(r2(model, [[3.0], [4.0], [5.0]], [3.0, 4.5, 5.0]))
    0.88 ± 0.17 [-1.72, 1.00]
    """
    held = held_rows(model, X, y, sample_weight, level, weights, groups, time)
    truth, w = held.truth, held.w
    if gives_labels(model):
        raise WrongUse(
            f"{type(model).__name__} is a classifier: r2 is for numbers; roc_auc, brier and f1 are for labels."
        )
    Y = truth.astype(float).reshape(len(truth), -1)
    F = np.asarray(model.predict(held.X), dtype=float)
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
    pull = held.units(-influence)  # on 1 - r2, which is never negative
    few = pull.effective < FEWEST_ROWS
    parts = [pull, *(held.units(a) for a in (((Y - F) ** 2).sum(axis=1), d2.sum(axis=1)))]
    heavy = any(too_dominant(part.spread()[1], part.n) for part in parts)
    caution = risk_words.say("caution few" if few else "caution ratio", n=whole(pull.effective)) if few or heavy else ""
    left, units = pseudo_values(held.told, (Y - F) ** 2, Y), held.told(influence)

    def score(ends_at: Callable[[float], Interval], stderr: float, dof: float) -> Score:
        return Score(
            value, stderr, ends_at(level), level, held.worth(), "r2", held.how, dof, caution=caution, ends_at=ends_at, least=-np.inf
        )  # fmt: skip

    if left is None:  # some unit makes all of the errors, or all that there is to explain
        ends_at = partial(_r2_ends, value, pull)
        found = held.of_units(score(ends_at, held.stderr(influence), pull.effective - 1), influence)
    else:
        many, dof = left.independent()
        stderr = left.spread()[0] / float(np.sqrt(many))
        dof = min(dof, max(units.effective - 1, 0.0), freedom_of_spread(left))
        ends_at = partial(share_ends, value, left.mean, stderr, dof)
        found = held.counted(score(ends_at, (1 - value) * stderr, dof), units)
    alone = {} if Y.shape[1] > 1 else {"rest": (Y - F)[:, 0], "target": Y[:, 0]}
    return held.searched(found, influence, **alone)


def _r2_ends(value: float, pull: Units, level: float) -> Interval:
    ends = skewed_interval(1 - value, *pull.spread(), pull.n, pull.effective - 1, level)
    return Interval(1 - ends.high, min(1 - ends.low, 1.0))


def f1(
    model: Any, X: Any, y: Any, *, level: float = 0.95, sample_weight: Any = None, weights: Weights | None = None,
    groups: Any = None, time: Any = None,
) -> Score:  # fmt: skip
    r"""Return :math:`F_1 = 2\,TP / (2\,TP + FP + FN)` on held-out rows, for the second of two classes; else the mean over classes.

    Parameters
    ----------
    model : fitted classifier
    X, y : test rows and their labels
    level, sample_weight, weights, groups, time
        As in :func:`roc_auc`.

    Examples
    --------
    >>> from epee import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> X, y = [[0.5], [2.8], [2.0], [4.5], [1.0], [6.0]], [0, 0, 1, 1, 0, 1]
    >>> print(f1(model, X, y))
    0.67 ± 0.24 [0.16, 0.95]
    """
    held = held_rows(model, X, y, sample_weight, level, weights, groups, time)
    truth, w = held.truth, held.w
    codes = codes_of(model, truth)
    decided = np.asarray(model.predict(held.X))
    rates: list[tuple[Vector, Any]] = []  # of each class: which rows are hit, among those that g is a rate of
    influences: list[Vector] = []
    n = float(w.sum())
    for k in _each_class(model, codes):
        says, is_k = decided == model.classes_[k], codes == k
        hit, miss = (says & is_k).astype(float), (says != is_k).astype(float)
        a, b = w @ hit / n, w @ miss / n
        total = 2 * a + b
        rates.append((hit, says | is_k))
        influences.append((2 * b * (hit - a) - 2 * a * (miss - b)) / total**2 if total > 0 else np.zeros(len(w)))
    values = np.array([_f1(held.share(*rate)[0]) for rate in rates])
    influence = np.mean(influences, axis=0)
    value, stderr = float(values.mean()), held.stderr(influence)
    apart = float(np.linalg.norm([held.stderr(one) for one in influences])) / len(influences)
    ends_at = partial(_f1_ends, held, values, rates, stderr / apart if apart > 0 else 1.0)
    found = Score(
        value, stderr, ends_at(level), level, n, "f1", averaged(held.how, len(values)), n - 1, ends_at=ends_at
    )
    return held.watched(found, influence, codes=codes)


def _f1(g: float) -> float:
    return 2 * g / (1 + g)


def _f1_ends(held: Held, values: Vector, rates: list[tuple[Vector, Any]], longer: float, level: float) -> Interval:
    """Return the interval from those of the rates g: distances of several classes are squared and added.

    A row that is mistaken counts against two classes, so that their figures vary together: the sum is ``longer`` than independent ones make
    it, by what the influences of the rows tell.
    """
    ends = [held.share(*rate, level)[2] for rate in rates]
    below = longer * np.linalg.norm(values - [_f1(e.low) for e in ends]) / len(ends)
    above = longer * np.linalg.norm([_f1(e.high) for e in ends] - values) / len(ends)
    return Interval(float(max(values.mean() - below, 0.0)), float(min(values.mean() + above, 1.0)))
