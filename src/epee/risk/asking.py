"""What a loss asks of a fitted predictor: labels, values, scores or probabilities, with classes as codes.

Our own estimators are asked behind their door (``_predict``, ``_score``, ``_proba``), since the rows were checked once when
they came in; anyone else by their public methods. A model whose training rows lacked a class answers for the
classes it knows: the others get probability 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from epee.errors import DataError, MissingValues, WrongUse
from epee.estimator.base import Classifier, Estimator, ProbabilityMixin, Regressor, ScoreMixin
from epee.losses.loss import Loss
from epee.typing import Labels, Matrix

Ask = Callable[[Matrix], np.ndarray]


def asker(model: Any, loss: Loss, classes: Labels | None) -> Ask:
    """Return the function of rows that gives what ``loss`` needs of a fitted ``model``."""
    own = type(model)
    ours = getattr(own, "_leave", None) is Estimator._leave and getattr(own, "_enter", None) is Estimator._enter
    if loss.needs == "values":
        return model._predict if ours and isinstance(model, Regressor) else model.predict
    assert classes is not None
    place = np.searchsorted(classes, model.classes_)  # where the model's classes lie among all
    if loss.needs == "labels":
        return _labels(model, place, classes, ours)
    if loss.needs == "probabilities":
        if not hasattr(model, "predict_proba"):
            raise WrongUse(
                f"the loss {loss.name!r} needs probabilities, and {own.__name__} has no predict_proba; choose another."
            )
        proba = model._proba if ours and own.predict_proba is ProbabilityMixin.predict_proba else model.predict_proba
        return lambda X: spread(proba(X), place, len(classes), 0.0)
    if ours and getattr(own, "decision_function", None) is ScoreMixin.decision_function:
        return lambda X: one_column(spread(model._score(X), place, len(classes), -np.inf))
    return lambda X: _public_scores(model, loss, X, place, len(classes))


def _labels(model: Any, place: np.ndarray, classes: Labels, ours: bool) -> Ask:
    own = type(model)
    same = len(place) == len(classes)
    score = None
    if ours and own.predict is ScoreMixin.predict:
        score = model._score
    elif ours and own.predict is Classifier.predict:
        score = model._proba
    if score is not None:
        return lambda X: np.argmax(score(X), axis=1) if same else place[np.argmax(score(X), axis=1)]
    return lambda X: to_codes(model.predict(X), classes)


def to_codes(labels: Labels, classes: Labels) -> np.ndarray:
    """Return labels as codes; a label that is none of the classes (a rejection) is one past the last."""
    codes = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    return np.where(classes[codes] == labels, codes, len(classes))


def spread(table: Matrix, place: np.ndarray, width: int, empty: float) -> Matrix:
    """Return columns laid out among all classes."""
    table = np.asarray(table)
    if table.ndim == 1:
        table = np.column_stack([-table / 2, table / 2])
    if table.shape[1] == width:
        return table
    out = np.full((len(table), width), empty)
    out[:, place] = table
    return out


def one_column(scores: Matrix) -> np.ndarray:
    """Return the score of the second class against the first when there are two, (n,); else the table.

    >>> one_column(np.array([[1.0, 3.0]]))
    array([2.])
    """
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def _public_scores(model: Any, loss: Loss, X: Any, place: np.ndarray, width: int) -> np.ndarray:
    out = np.asarray(loss.ask(model, X))
    if len(place) == width:
        return out
    return one_column(spread(out, place, width, -np.inf))


def refuse_missing_truth(truth: np.ndarray) -> None:
    """Refuse targets that are missing or infinite, naming the first row."""
    if truth.dtype.kind not in "fO":
        return
    rows = truth.reshape(len(truth), -1)
    if truth.dtype.kind == "f":
        bad = ~np.isfinite(rows).all(axis=1)
    else:
        bad = np.array([any(v is None or v != v for v in row) for row in rows], dtype=bool)
    if bad.any():
        raise MissingValues(
            f"Input y contains NaN, infinity or nothing in {int(bad.sum())} of {len(bad)} rows, first in row {int(np.argmax(bad))}. "
            "Fill or drop them."
        )


def refuse_nan(prediction: np.ndarray, model: Any, where: str) -> None:
    """Refuse predictions that are not numbers, naming the fold."""
    if prediction.dtype.kind == "f" and np.isnan(prediction).any():
        bad = np.isnan(prediction).reshape(len(prediction), -1).any(axis=1)
        raise DataError(
            f"{where}: {type(model).__name__} predicts NaN for {int(bad.sum())} of {len(bad)} rows, first for row "
            f"{int(np.argmax(bad))} of them. Scale the inputs or choose another predictor."
        )
