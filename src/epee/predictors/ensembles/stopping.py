"""When boosting stops: once the score of rows kept aside no longer gets better."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.predictors.ensembles.objectives import Objective
from epee.predictors.ensembles.rounds import Rounds
from epee.typing import Matrix


class Stopping:
    """Tells when the score of the rows kept aside no longer gets better."""

    def __init__(self, model: Any, rounds: Rounds) -> None:
        self.model = model  # whose scores so far, of a fit that goes on, are not forgotten
        self.train: list[float] = model.train_score_.tolist()
        self.held: list[float] = model.validation_score_.tolist()
        self.scorer = None if model.scoring == "loss" else _scorer(model)
        self.rows = rounds.held
        if not self.train:
            self(rounds)

    def _score(self, rounds: Rounds, rows: np.ndarray) -> float:
        if self.scorer is None:
            return -rounds.loss(rows)
        rows = rounds.at(rows)
        spoken = Spoken(self.model, rounds.raw[rows], rounds.objective)
        y = rounds.y[rows]
        classes = getattr(self.model, "classes_", None)
        return float(self.scorer(spoken, np.zeros((len(y), 1)), y if classes is None else classes[y.astype(int)]))

    def __call__(self, rounds: Rounds) -> bool:
        self.train.append(self._score(rounds, rounds.train))
        if self.rows is not None:
            self.held.append(self._score(rounds, self.rows))
        stop: bool = self.model._should_stop(self.held if self.rows is not None else self.train)
        return stop


class Spoken:
    """A model as a scorer sees it, whose answers are at hand."""

    def __init__(self, model: Any, raw: Matrix, objective: Objective) -> None:
        self._estimator_type = "classifier" if hasattr(model, "classes_") else "regressor"
        self._model, self._raw, self._objective = model, raw, objective
        if hasattr(model, "classes_"):
            self.classes_ = model.classes_

    def __sklearn_tags__(self) -> Any:
        return self._model.__sklearn_tags__()

    def fit(self) -> None:
        """Do nothing: it was fitted."""

    def predict(self, X: Any) -> np.ndarray:
        """Return what the trees so far predict."""
        return self._model._said(self._raw, "labels" if hasattr(self, "classes_") else "values", self._objective)

    def score(self, X: Any, y: np.ndarray, sample_weight: Any = None) -> float:
        """Return the accuracy, or the share of the variance that is explained."""
        from sklearn.metrics import accuracy_score, r2_score

        judge = accuracy_score if hasattr(self, "classes_") else r2_score
        return float(judge(y, self.predict(X), sample_weight=sample_weight))

    def predict_proba(self, X: Any) -> Matrix:
        """Return the probabilities so far."""
        return self._objective.answer(self._raw)

    def decision_function(self, X: Any) -> Matrix:
        """Return the scores so far."""
        return self._raw[:, 0] if self._raw.shape[1] == 1 else self._raw


def _scorer(model: Any) -> Any:
    """Return scikit-learn's scorer by its name."""
    from sklearn.metrics import check_scoring

    return check_scoring(model, model.scoring)
