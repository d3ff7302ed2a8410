"""Two routes to the losses of rows under models that did not see them.

The *one-pass* route (:mod:`epee.risk.one_pass`) is for estimators that live on moments: one pass gives the moments of every
cell of rows, training samples are merges of cells, and a second pass scores each row. The *ordinary* route fits each model
on its rows, several at once. Both give the same numbers in the same shape; :func:`open_route` chooses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils.validation import has_fit_parameter

from epee.engines.local import in_order
from epee.errors import DataError, WrongUse
from epee.estimator.base import Estimator, encode_labels, softmax
from epee.losses.loss import Loss
from epee.losses.names import resolve
from epee.risk.asking import asker, one_column, refuse_missing_truth, refuse_nan
from epee.risk.splitting import Pairs, Split
from epee.settings import progress
from epee.table.block import check_weights
from epee.table.doors import gather, is_stream, open_source
from epee.typing import Codes, Labels, Tensor, Vector


@dataclass(frozen=True, eq=False)
class Outcome:
    """Losses (R, n) and predictions (R, n, ...) of rows, NaN or -1 where a row was not tested."""

    losses: np.ndarray
    predictions: np.ndarray


def kind_of(model: Any) -> str | None:
    """Return "classifier", "regressor" or None."""
    if isinstance(model, type):
        raise WrongUse(f"{model.__name__} is a class; give an instance of it: {model.__name__}(...).")
    if not hasattr(model, "fit") or not hasattr(model, "predict"):
        raise WrongUse(f"{model!r} is not a predictor: it needs fit(X, y) and predict(X).")
    return "classifier" if is_classifier(model) else "regressor" if is_regressor(model) else None


class Route:
    """What both routes share: the rows, the truth, the loss.

    ``truth`` are class codes (n,) or values (n,) / (n, m); ``classes`` the sorted labels or None; ``weight`` (n,) or None.
    """

    one_pass = False

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any, loss: Any) -> None:
        self.model, self.kind = model, kind_of(model)
        self.loss: Loss = resolve(loss, self.kind)
        if is_stream(X):
            X, y, sample_weight = gather(open_source(X, y, sample_weight))
        self.X, self.y = X, y
        self.n = int(X.shape[0]) if hasattr(X, "shape") else len(X)
        self.weight: Vector | None = check_weights(sample_weight, self.n)
        self.raw = (self.X, self.y, self.weight)
        self.classes: Labels | None = None
        self.codes: Codes | None = None
        if self.kind == "classifier":
            self.classes, self.codes = encode_labels(y, self.n)
            self.truth: np.ndarray = self.codes
        else:
            if y is None:
                raise DataError("requires y to be passed, but the target y is None.")
            if self.kind is None and self.loss.kind != "value":
                raise WrongUse(
                    f"{type(model).__name__} is neither a classifier nor a regressor: it predicts nothing that y could be "
                    "compared with."
                )
            try:
                self.truth = np.asarray(y, dtype=np.float64)
            except (TypeError, ValueError) as error:
                raise DataError(f"y must hold numbers for a regressor: {error}.") from error
            refuse_missing_truth(self.truth)
            if len(self.truth) != self.n:
                raise DataError(
                    f"Found input variables with inconsistent numbers of samples: X has {self.n} rows and y has {len(self.truth)}."
                )

    def value(self, prediction: np.ndarray, rows: Any) -> Vector:
        """Return the loss of some rows."""
        truth = self.truth[rows]
        if self.loss.needs == "values":
            prediction = np.asarray(prediction, dtype=float).reshape(truth.shape)
        return self.loss.value(prediction, truth)

    def finish(self, raw: Tensor) -> np.ndarray:
        """Return what the loss needs from linear scores (n, k) or values (n, m)."""
        if self.kind == "regressor":
            return raw[:, 0] if self.truth.ndim == 1 else raw
        if self.loss.needs == "labels":
            return np.argmax(raw, axis=1)
        return softmax(raw) if self.loss.needs == "probabilities" else one_column(raw)

    def empty(self, repeats: int, like: np.ndarray) -> np.ndarray:
        """Return room for predictions of all rows."""
        empty = np.nan if like.dtype.kind == "f" else -1
        return np.full((repeats, self.n, *like.shape[1:]), empty, dtype=like.dtype)

    def decode(self, predictions: np.ndarray) -> np.ndarray:
        """Return codes as labels; all else as it is. A row that was not tested has the label of no class."""
        if self.loss.needs != "labels" or self.classes is None:
            return predictions
        if predictions.size and predictions.min() >= 0 and predictions.max() < len(self.classes):
            return self.classes[predictions]
        named = np.array([*self.classes.tolist(), None], dtype=object)
        return named[np.where(predictions < 0, len(self.classes), predictions)]

    def evaluate(self, split: Split | Pairs) -> Outcome:
        """Return the losses of rows under the models of a split."""
        raise TypeError(f"{type(self).__name__} does not say how it evaluates.")


class OrdinaryRoute(Route):
    """Fit every model on its rows, several at once."""

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any, loss: Any) -> None:
        super().__init__(model, X, y, sample_weight, loss)
        if not hasattr(self.X, "shape") and not hasattr(self.X, "iloc"):
            self.X = np.asarray(self.X)
        self.y = self.y if hasattr(self.y, "shape") else np.asarray(self.y)
        self._keywords = self._weight_keywords()

    def _weight_keywords(self) -> list[str]:
        """Return the names under which ``fit`` takes weights: all steps of a pipeline that count rows get them."""
        if self.weight is None:
            return []
        if hasattr(self.model, "steps"):
            *maps, (last, _) = [(name, step) for name, step in self.model.steps if hasattr(step, "fit")]
            counting = [name for name, step in maps if has_fit_parameter(step, "sample_weight")]
            return [f"{name}__sample_weight" for name in (*counting, last)]
        if not (has_fit_parameter(self.model, "sample_weight") or isinstance(self.model, Estimator)):
            raise WrongUse(f"{type(self.model).__name__} takes no sample_weight, so weights cannot be used with it.")
        return ["sample_weight"]

    def fit_rows(self, rows: np.ndarray | None, model: Any = None) -> Any:
        """Return a clone of the model fitted on some rows, or on all."""
        fitted = clone(self.model if model is None else model)
        X, y, w = self.X, self.y, self.weight
        if rows is not None:
            X, y, w = take_rows(X, rows), take_rows(y, rows), None if w is None else w[rows]
        return fitted.fit(X, y, **dict.fromkeys(self._keywords, w))

    def ask_rows(self, fitted: Any, rows: np.ndarray, where: str) -> np.ndarray:
        """Return what the loss needs of a fitted model on some rows."""
        prediction = np.asarray(asker(fitted, self.loss, self.classes)(take_rows(self.X, rows)))
        refuse_nan(prediction, fitted, where)
        return prediction

    def models(self, split: Split | Pairs) -> Any:
        """Yield a fitted model for each model of a split, in order."""

        def fit(t: int) -> Any:
            rows = split.train[t] if isinstance(split, Pairs) else split.training_rows(t)
            return self.fit_rows(rows)

        return in_order(fit, range(split.n_models))

    def evaluate(self, split: Split | Pairs) -> Outcome:
        """Return the losses of rows under the models of a split; rows in several test sets have their mean loss."""
        if isinstance(split, Pairs):
            return self._evaluate_pairs(split)
        tests = [np.flatnonzero((split.tested_by == t).any(axis=0)) for t in range(split.n_models)]
        rows_of = split.rows_of

        def work(t: int) -> list[tuple[int, np.ndarray, np.ndarray]]:
            if not len(tests[t]):
                return []
            fitted = self.fit_rows(split.training_rows(t))
            done = []
            for r in range(split.repeats):
                cells = np.flatnonzero(split.tested_by[r] == t)
                if len(cells):
                    rows = np.concatenate([rows_of[c] for c in cells])
                    if len(rows):
                        done.append((r, rows, self.ask_rows(fitted, rows, f"fold {t}")))
            return done

        losses, predictions = np.full((split.repeats, self.n), np.nan), None
        with progress("cross-validation", split.n_models) as tick:
            for done in in_order(work, range(split.n_models)):
                for r, rows, prediction in done:
                    if predictions is None:
                        predictions = self.empty(split.repeats, prediction)
                    predictions[r, rows] = prediction.reshape(predictions[r, rows].shape)
                    losses[r, rows] = self.value(prediction, rows)
                tick()
        assert predictions is not None
        return Outcome(losses, predictions)

    def _evaluate_pairs(self, split: Pairs) -> Outcome:
        """One layer of losses for each explicit test set."""
        losses, predictions = np.full((split.n_models, self.n), np.nan), None
        with progress("cross-validation", split.n_models) as tick:
            for t, fitted in enumerate(self.models(split)):
                rows = split.test[t]
                prediction = self.ask_rows(fitted, rows, f"fold {t}")
                if predictions is None:
                    predictions = self.empty(split.n_models, prediction)
                predictions[t, rows] = prediction.reshape(predictions[t, rows].shape)
                losses[t, rows] = self.value(prediction, rows)
                tick()
        assert predictions is not None
        return Outcome(losses, predictions)


def open_route(model: Any, X: Any, y: Any, sample_weight: Any = None, loss: Any = None) -> Route:
    """Return the one-pass route where the estimator allows it, else the ordinary one."""
    from epee.risk.one_pass import MomentRoute, passes_once, split_steps

    if is_stream(X) and passes_once(model, X) and not split_steps(model)[0]:  # type: ignore[index]
        from epee.risk.stream_route import StreamRoute

        return StreamRoute(model, X, y, sample_weight, loss)
    if passes_once(model, X):
        route = MomentRoute(model, X, y, sample_weight, loss)
        if route.fits:
            return route
        X, y, sample_weight = route.raw
    return OrdinaryRoute(model, X, y, sample_weight, loss)
