"""What every figure of merit asks first: are these rows held out, and what does the fitted model say of them?"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.estimator.base import encode_labels
from epee.estimator.protocol import Labels, gives_probabilities, gives_scores
from epee.risk.asking import refuse_missing_truth
from epee.risk.holdout import refuse_training_rows, require_fitted
from epee.risk.intervals import check_level
from epee.table.block import check_weights
from epee.typing import Codes, Matrix, Vector


def truth_and_weights(model: Any, X: Any, y: Any, sample_weight: Any, level: float) -> tuple[np.ndarray, Vector]:
    """Return the truth and the weights of held-out rows; those that the model has learned from are refused."""
    check_level(level)
    require_fitted(model)
    refuse_training_rows(model, X, y, sample_weight)
    truth = np.asarray(y)
    refuse_missing_truth(truth)
    w = check_weights(sample_weight, len(truth))
    return truth, np.ones(len(truth)) if w is None else w


def codes_of(model: Any, truth: np.ndarray) -> Codes:
    """Return the place of each label among the classes of a fitted classifier."""
    if not isinstance(model, Labels):
        raise WrongUse(f"{type(model).__name__} is not a classifier: this figure is for labels; r2 is for numbers.")
    classes = np.asarray(model.classes_)
    labels, codes = encode_labels(truth, len(truth))
    if not np.isin(labels, classes).all():
        raise DataError(
            f"y holds the labels {labels[~np.isin(labels, classes)].tolist()[:5]}, which the predictor never saw."
        )
    return np.searchsorted(classes, labels)[codes]


def ranks_of(model: Any, X: Any) -> Matrix:
    """Return one score a class (n, K): probabilities, or decision scores."""
    if gives_probabilities(model):
        return np.asarray(model.predict_proba(X), dtype=float)
    if not gives_scores(model):
        raise WrongUse(f"{type(model).__name__} gives neither probabilities nor scores: this figure needs one of them.")
    scores = np.asarray(model.decision_function(X), dtype=float)
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def probabilities_of(model: Any, X: Any) -> Matrix:
    """Return the probability of each class (n, K)."""
    if not gives_probabilities(model):
        raise WrongUse(f"{type(model).__name__} gives no probabilities; this figure needs predict_proba.")
    return np.asarray(model.predict_proba(X), dtype=float)
