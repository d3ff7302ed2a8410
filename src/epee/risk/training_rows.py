"""Test rows that were learned from: refused, unless only their inputs were.

Rows are known by the fingerprints of their inputs and of their targets; where they come in another order, by the moments of both, which
many predictors keep. New targets at the same inputs, of replicated experiments or of a fixed design, are a test; but it asks for the
error where the predictor has learned, which is smaller than that at new inputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from epee.errors import DataError
from epee.estimator.base import encode_labels
from epee.estimator.protocol import Remembers, Seen, Wraps, gives_labels
from epee.moments.moments import Moments
from epee.table.block import check_weights
from epee.table.doors import is_stream
from epee.table.fingerprints import fingerprint, target_fingerprint
from epee.words import risk_words


def refuse_training_rows(model: Any, X: Any, y: Any, sample_weight: Any = None) -> str:
    """Refuse test rows that are the training rows; return what is to be said where their targets alone are new, else nothing.

    A wrapper answers for what it holds. Of a predictor that does not know its targets the inputs alone are looked at.
    """
    if is_stream(X):
        return ""
    if isinstance(model, Pipeline):  # the last step of a pipeline saw transformed rows
        if len(model.steps) > 1:
            X = model[:-1].transform(X)
        model = model.steps[-1][1]
    if isinstance(model, Wraps) and (not isinstance(model, Seen) or model.training_fingerprint is None):
        model = model.estimator_
    if not (_same_fingerprints(model, X) or _same_moments(model, X, None, sample_weight)):
        return ""
    if _new_targets(model, X, y, sample_weight):
        return risk_words.say("caution inputs learned")
    raise DataError(
        "the test rows are the rows that the predictor learned from: their error is too small. Hold rows out before "
        "fitting, or use cross_validate; empirical_risk gives the training error."
    )


def _same_fingerprints(model: Any, X: Any) -> bool:
    return isinstance(model, Seen) and model.training_fingerprint == fingerprint(X)


def _new_targets(model: Any, X: Any, y: Any, sample_weight: Any) -> bool:
    """Tell whether the targets of rows with the inputs that were learned are others than those that were learned."""
    if _same_fingerprints(model, X):
        known = model.training_targets
        if known is not None:
            codes = (
                [encode_labels(y)[1]] if gives_labels(model) else []
            )  # as whoever wraps a classifier may have given them
            return all(known != target_fingerprint(told) for told in (y, *codes))
    kept = model.moments_ if isinstance(model, Remembers) else None
    told = isinstance(kept, Moments) and (kept.targets > 0 or "group" in kept.axes)
    return told and not _same_moments(model, X, y, sample_weight)


def _same_moments(model: Any, X: Any, y: Any, sample_weight: Any) -> bool:
    """Tell whether rows have the moments of those that were learned from; with the targets ``y``, unless these are None."""
    kept = model.moments_ if isinstance(model, Remembers) else None
    m = kept.here() if isinstance(kept, Moments) else None
    if m is None or m.count.sum() != _weight(X, sample_weight):
        return False
    rows = np.asarray(X)
    if not (rows.dtype.kind in "fiub" and rows.ndim == 2 and rows.shape[1] == m.p):
        return False
    if y is not None and "group" in m.axes:
        return _same_classes(model, m, rows, y, sample_weight)
    target = y if m.targets else None
    own = Moments.of(rows, target, sample_weight=sample_weight, scatter="diagonal")
    learned, p = m.merge("group") if "group" in m.axes else m, own.n_columns
    spread = np.sqrt(np.maximum(own.variances, 1e-300))
    same = bool((np.abs(own.mean - learned.mean[:p]) <= 1e-10 * spread).all())
    return same and (learned.scatter is None or np.allclose(own.variances, learned.variances[:p], rtol=1e-9, atol=0))


def _same_classes(model: Any, m: Moments, rows: np.ndarray, y: Any, sample_weight: Any) -> bool:
    """Tell whether each class has as many rows as it had, about the same mean."""
    if not gives_labels(model) or not np.isin(np.asarray(y), model.classes_).all():
        return False
    codes = np.searchsorted(model.classes_, np.asarray(y)).reshape(-1)
    own = Moments.of(rows, sample_weight=sample_weight, group=codes, groups=len(model.classes_), scatter=None)
    if own.count.shape != m.count.shape or not np.allclose(own.count, m.count, rtol=1e-12):
        return False
    spread = rows.std(axis=0) + 1e-300
    return bool((np.abs(own.mean - m.x_mean)[own.count > 0] <= 1e-9 * spread).all())


def _weight(X: Any, sample_weight: Any) -> float:
    n = int(X.shape[0]) if hasattr(X, "shape") else len(X)
    w = check_weights(sample_weight, n)
    return float(n) if w is None else float(w.sum())
