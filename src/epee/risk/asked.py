"""What a loss asks of a predictor, and what it makes of the answer; small enough to travel with a block of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from epee.arrays import at_home
from epee.errors import WrongUse
from epee.estimator.base import largest_of, softmax
from epee.losses.entropy import LogLoss
from epee.losses.loss import Loss
from epee.risk.asking import Ask, asker, one_column, ranks_by_probability
from epee.typing import Labels, Matrix, Tensor, Vector

PROBABILITIES = LogLoss()  # a loss that needs them


def kind_of(model: Any) -> str | None:
    """Return "classifier", "regressor" or None."""
    if isinstance(model, type):
        raise WrongUse(f"{model.__name__} is a class; give an instance of it: {model.__name__}(...).")
    if not hasattr(model, "fit") or not hasattr(model, "predict"):
        raise WrongUse(f"{model!r} is not a predictor: it needs fit(X, y) and predict(X).")
    return "classifier" if is_classifier(model) else "regressor" if is_regressor(model) else None


@dataclass(frozen=True, eq=False)
class Asked:
    """The loss, for predictors of one kind: ``classes`` in order or None; ``several`` targets or one.

    With a table of ``costs`` (K, K) or (K + 1, K), probabilities are turned into the decision of least expected cost. ``probable``
    keeps the probabilities behind a label or a decision, for those who will average them: the answer of a model is then (n, K).
    """

    loss: Loss
    kind: str | None
    classes: Labels | None = None
    several: bool = False
    costs: Matrix | None = None
    probable: bool = False

    def of(self, model: Any, checked: bool = True) -> Ask:
        """Return the function of rows, ``checked`` for the model or not, that gives what the loss needs of it once fitted."""
        if self.costs is None and not self.probable:
            return asker(model, self.loss, self.classes, checked)
        probabilities = asker(model, PROBABILITIES, self.classes, checked)
        return probabilities if self.probable else lambda X: self.decide(probabilities(X))

    def decide(self, P: Matrix) -> np.ndarray:
        """Return the decision (n,) of least expected cost from probabilities (n, K); without costs the most probable class."""
        return np.argmax(P, axis=1) if self.costs is None else np.argmin(P @ self.costs.T, axis=1)

    def with_probabilities(self) -> Asked:
        """Return the same question, with the probabilities behind its labels or ranks kept; others are as they are."""
        hidden = self.loss.needs == "labels" or not self.loss.rowwise
        return replace(self, probable=True) if self.classes is not None and hidden else self

    def finish(self, raw: Tensor) -> np.ndarray:
        """Return what the loss needs from linear scores (n, k) or values (n, m), here."""
        labels = self.kind != "regressor" and self.costs is None and self.loss.needs == "labels" and not self.probable
        if labels:
            return largest_of(raw)
        raw = at_home(raw)
        if self.kind == "regressor":
            return raw if self.several else raw[:, 0]
        if self.probable:
            return softmax(raw)
        if self.costs is not None:
            return self.decide(softmax(raw))
        by_chance = self.loss.needs == "probabilities" or ranks_by_probability(self.loss, raw.shape[1])
        return softmax(raw) if by_chance else one_column(raw)

    def value(self, prediction: np.ndarray, truth: np.ndarray, weight: Vector | None = None) -> Vector:
        """Return the loss of each row; weights matter where the rows of a sample are ranked."""
        if self.loss.needs == "values":
            truth = np.asarray(truth, dtype=np.float64)
            prediction = np.asarray(prediction, dtype=float).reshape(truth.shape)
        if self.probable:
            prediction = self.decide(prediction) if self.loss.needs == "labels" else one_column(prediction)
        return self.loss.value(prediction, truth) if weight is None else self.loss.weighed(prediction, truth, weight)

    def decode(self, predictions: np.ndarray) -> np.ndarray:
        """Return codes as labels; all else as it is. A row that was not tested has the label of no class."""
        if self.loss.needs != "labels" or self.classes is None:
            return predictions
        if self.probable:
            untold = np.isnan(predictions).any(axis=-1)
            told = self.decide(np.where(untold[..., None], 0.0, predictions).reshape(-1, predictions.shape[-1]))
            predictions = np.where(untold, -1, told.reshape(untold.shape))
        if predictions.size and predictions.min() >= 0 and predictions.max() < len(self.classes):
            return self.classes[predictions]
        named = np.array([*self.classes.tolist(), None], dtype=object)
        return named[np.where(predictions < 0, len(self.classes), predictions)]
