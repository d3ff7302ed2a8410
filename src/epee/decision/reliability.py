r"""Do probabilities mean what they say? Of the rows given probability :math:`p`, a share :math:`p` should be of the
class.

Rows are put in bins of equal count (or width) by their predicted probability; in each the observed frequency is a
binomial share, whose interval shows whether the diagonal is within reach. Their mean distance, weighed by count, is the
expected calibration error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.lazy import drawn
from epee.losses.decisions import ZeroOne
from epee.risk.intervals import check_level, clopper_pearson
from epee.risk.rates import rate_interval
from epee.risk.units import as_counts
from epee.table.block import check_weights
from epee.typing import Vector


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """Observed frequency against predicted probability.

    Attributes
    ----------
    predicted, observed, low, high, count : arrays (bins,)
        Mean predicted probability, observed frequency with its interval, and rows of each bin, or what their weights are worth.
    error : float
        Expected calibration error.
    brier : float
        Mean squared distance between the probability and what happened.
    label : the class whose probability it is
    """

    predicted: Vector
    observed: Vector
    low: Vector
    high: Vector
    count: Vector
    error: float
    brier: float
    label: Any
    level: float

    plot = drawn("decision.plot_reliability", "Draw the curve with its band; returns the axes.")


def reliability_curve(
    model: Any, X: Any, y: Any, *, label: Any = None, bins: int = 10, strategy: str = "quantile", level: float = 0.95,
    interval: str = "wilson", sample_weight: Any = None,
) -> ReliabilityCurve:  # fmt: skip
    """Return the reliability curve of a fitted probabilistic classifier on rows that it did not learn from.

    Parameters
    ----------
    model : fitted classifier with ``predict_proba``
    X, y : rows and labels
    label : a class, default=None
        Whose probability is judged; the second of two classes by default. With more classes None judges the probability
        of the predicted class.
    bins : int, default=10
        More bins show more, each with a wider interval.
    strategy : {"quantile", "uniform"}, default="quantile"
        Bins of equal count, or of equal width.
    level : float in (0, 1), default=0.95
    interval : {"wilson", "exact"}, default="wilson"
    sample_weight : array (n,), optional

    Examples
    --------
    >>> from epee import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 2000); X = rng.normal(size=(2000, 1)) + y[:, None]
    >>> curve = reliability_curve(GaussianNB().fit(X[:1000], y[:1000]), X[1000:], y[1000:], bins=5)
    >>> bool(((curve.low <= curve.predicted) & (curve.predicted <= curve.high)).all())
    True
    """
    check_level(level)
    if bins < 1 or strategy not in ("quantile", "uniform") or interval not in ("wilson", "exact"):
        raise WrongUse(
            f"bins={bins}, strategy={strategy!r}, interval={interval!r}: there must be a bin, 'quantile' or 'uniform', 'wilson' or 'exact'."
        )
    P, classes = np.asarray(model.predict_proba(X), dtype=np.float64), model.classes_
    y = np.asarray(y)
    if len(y) != len(P):
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {len(P)} rows and y has {len(y)}."
        )
    if label is None and len(classes) > 2:
        p, hit = P.max(axis=1), 1.0 - ZeroOne().value(classes[P.argmax(axis=1)], y)
    else:
        k = 1 if label is None else _place(label, classes)
        p, hit, label = P[:, k], (y == classes[k]).astype(np.float64), classes[k]
    w = as_counts(check_weights(sample_weight, len(p)), len(p))
    if strategy == "uniform":
        where = np.minimum((p * bins).astype(np.int64), bins - 1)
    else:
        order = np.argsort(p, kind="stable")
        ends = np.searchsorted(np.cumsum(w[order]), w.sum() * np.arange(1, bins) / bins)
        where = np.searchsorted(np.unique(p[order[np.minimum(ends, len(p) - 1)]]), p, side="right")
    count = np.bincount(where, weights=w).astype(np.float64)
    full = count > 0
    predicted = (np.bincount(where, weights=w * p)[full]) / count[full]
    observed = np.bincount(where, weights=w * hit)[full] / count[full]
    of = rate_interval if interval == "wilson" else clopper_pearson
    low, high = np.array([of(float(r), float(n), level) for r, n in zip(observed, count[full], strict=True)]).T
    error = float(np.abs(predicted - observed) @ count[full] / w.sum())
    return ReliabilityCurve(
        predicted, observed, low, high, count[full], error, float(w @ (p - hit) ** 2 / w.sum()), label, level
    )


def _place(label: Any, classes: np.ndarray) -> int:
    at = np.flatnonzero(classes == label)
    if not len(at):
        raise WrongUse(f"label {label!r} is not one of the classes {classes.tolist()}.")
    return int(at[0])
