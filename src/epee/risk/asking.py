"""What a loss asks of a fitted predictor: labels, values, scores or probabilities, with classes as codes.

Estimators that know the protocol are asked behind their door, since the rows were checked once when they came in; anyone else
by their public methods. A model whose training rows lacked a class answers for the
classes it knows: the others get probability 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from epee.errors import DataError, MissingValues, WrongUse
from epee.estimator.protocol import gives_probabilities, judges
from epee.losses.loss import Loss
from epee.typing import Labels, Matrix

Ask = Callable[[Matrix], np.ndarray]


def asker(model: Any, loss: Loss, classes: Labels | None, checked: bool = True) -> Ask:
    """Return the function of rows that gives what ``loss`` needs of a fitted ``model``.

    ``checked`` says that the rows have passed the door of the estimator; else it checks them.
    """
    answer = _answer(model, loss.needs, checked)
    if loss.needs == "values":
        return model.predict if answer is None else answer
    assert classes is not None
    K, place = len(classes), np.searchsorted(classes, model.classes_)  # where the model's classes lie among all
    if loss.needs == "labels":
        if answer is None:
            return lambda X: to_codes(model.predict(X), classes)
        return answer if len(place) == K else lambda X: place[answer(X)]
    if loss.needs == "probabilities":
        probabilities = answer or _public_probabilities(model, loss)
        return lambda X: spread(probabilities(X), place, K, 0.0)
    if ranks_by_probability(loss, K) and gives_probabilities(model):
        told = _answer(model, "probabilities", checked) or model.predict_proba
        return lambda X: spread(told(X), place, K, 0.0)
    if answer is not None:
        return lambda X: one_column(spread(answer(X), place, K, -np.inf))
    if len(place) == K:
        return lambda X: np.asarray(loss.ask(model, X))
    return lambda X: one_column(spread(loss.ask(model, X), place, K, -np.inf))


def ranks_by_probability(loss: Loss, K: int) -> bool:
    """Tell whether rows are ranked by one class of several: scores are comparable within a row only, probabilities between rows, too."""
    return not loss.rowwise and loss.needs == "scores" and K > 2


def _answer(model: Any, needs: Any, checked: bool) -> Ask | None:
    """Return what an estimator that knows the protocol answers, None for any other."""
    found = model.answers(needs) if judges(type(model)) else None
    if found is None or checked:
        return found
    return lambda X: found(model.clean(X))


def _public_probabilities(model: Any, loss: Loss) -> Ask:
    if not gives_probabilities(model):
        raise WrongUse(
            f"the loss {loss.name!r} needs probabilities, and {type(model).__name__} has no predict_proba; choose another."
        )
    found: Ask = model.predict_proba
    return found


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
