"""The ordinary road: every model is fitted on its rows, several at once. For estimators that must see them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from epee.engines.deadline import check_time
from epee.engines.local import in_order
from epee.errors import DataError, WrongUse
from epee.estimator.base import Estimator, encode_labels
from epee.estimator.protocol import FitsTogether
from epee.losses.names import resolve
from epee.risk.asked import Asked, kind_of
from epee.risk.asking import refuse_missing_truth, refuse_nan
from epee.risk.dof import degrees_of_freedom
from epee.risk.route import Route
from epee.risk.scoring import Laid, Outcome
from epee.risk.splitting import Pairs, Split
from epee.risk.steps import last_of
from epee.risk.units import Weights, per_row
from epee.settings import progress
from epee.table.block import check_weights
from epee.table.doors import gather, is_stream, open_source
from epee.table.taking import take_rows

AT_ONCE = 4_000_000  # cells of all samples on which models are fitted side by side
Answered = tuple[int, np.ndarray, np.ndarray]  # layer, rows, what a model that did not see them says of them


def truth_of(model: Any, y: Any, n: int, loss: Any) -> tuple[Asked, np.ndarray]:
    """Return what the loss asks of a model, and the truth of the rows as codes or values."""
    kind = kind_of(model)
    resolved = resolve(loss, kind)
    if kind == "classifier":
        classes, codes = encode_labels(y, n)
        return Asked(resolved, kind, classes), codes
    if y is None:
        raise DataError("requires y to be passed, but the target y is None.")
    if kind is None and resolved.kind != "value":
        raise WrongUse(
            f"{type(model).__name__} is neither a classifier nor a regressor: it predicts nothing that y could be compared with."
        )
    try:
        truth: np.ndarray = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"y must hold numbers for a regressor: {error}.") from error
    refuse_missing_truth(truth)
    if len(truth) != n:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {n} rows and y has {len(truth)}."
        )
    return Asked(resolved, kind, None, truth.ndim > 1), truth


class RefitRoute(Route):
    """Fit every model on its rows, several at once."""

    def __init__(
        self, model: Any, X: Any, y: Any, sample_weight: Any = None, loss: Any = None, costs: Any = None,
        weights: Weights | None = None,
    ) -> None:  # fmt: skip
        if is_stream(X):
            X, y, sample_weight = gather(open_source(X, y, sample_weight))
        n = int(X.shape[0]) if hasattr(X, "shape") else len(X)
        asked, self.truth = truth_of(model, y, n, loss)
        super().__init__(model, asked if costs is None else Asked(asked.loss, asked.kind, asked.classes, costs=costs))
        self.n = n
        self.weight, self.weights = per_row(check_weights(sample_weight, n), weights)
        self.raw = (X, y, self.weight)
        self.X = X if hasattr(X, "shape") or hasattr(X, "iloc") else np.asarray(X)
        self.y = y if hasattr(y, "shape") else np.asarray(y)
        self._keywords = weight_keywords(model) if self.weight is not None else []
        self.fitted: Any = None  # the model of all rows, where it was fitted on the way
        self.folds: Callable[[], Iterable[Any]] | None = None  # what gives those without each fold, likewise

    def fit_rows(self, rows: np.ndarray | None, model: Any = None) -> Any:
        """Return a clone of the model fitted on some rows, or on all; begun only while there is time."""
        check_time()
        X, y, w = self.sample(rows)
        return clone(self.model if model is None else model).fit(X, y, **dict.fromkeys(self._keywords, w))

    def sample(self, rows: np.ndarray | None) -> tuple[Any, Any, Any]:
        """Return the inputs, targets and weights of some rows, or of all."""
        if rows is None:
            return self.X, self.y, self.weight
        return take_rows(self.X, rows), take_rows(self.y, rows), None if self.weight is None else self.weight[rows]

    def ask_rows(self, fitted: Any, rows: np.ndarray, where: str) -> np.ndarray:
        """Return what the loss needs of a fitted model on some rows."""
        prediction = np.asarray(self.asked.of(fitted, checked=False)(take_rows(self.X, rows)))
        refuse_nan(prediction, fitted, where)
        return prediction

    def on_all(self, fitted: Any) -> tuple[float, float]:
        """Return the error on all rows of a model that learned from them, and its degrees of freedom."""
        rows = np.arange(self.n)
        losses = self.value(self.ask_rows(fitted, rows, "all rows"), rows)
        return float(np.average(losses, weights=self.weight)), degrees_of_freedom(fitted, self.X)

    def models(self, split: Split | Pairs) -> Any:
        """Yield a fitted model for each model of a split, in order."""

        def fit(t: int) -> Any:
            return self.fit_rows(split.train[t] if isinstance(split, Pairs) else split.training_rows(t))

        return in_order(fit, range(split.n_models))

    def evaluate(self, split: Split | Pairs) -> Outcome:
        """Return the losses of rows under the models of a split; rows in several test sets have their mean loss."""
        if isinstance(split, Pairs):
            return self._evaluate_pairs(split)
        rows_of = split.rows_of

        def answer(t: int, fitted: Any) -> list[Answered]:
            done = []
            for r in range(split.repeats):
                cells = np.flatnonzero(split.tested_by[r] == t)
                if len(cells):
                    rows = np.concatenate([rows_of[c] for c in cells])
                    if len(rows):
                        done.append((r, rows, self.ask_rows(fitted, rows, f"fold {t}")))
            return done

        tests = [t for t in range(split.n_models) if (split.tested_by == t).any()]
        if isinstance(last_of(self.model), FitsTogether):
            fits = side_by_side([self], [split.training_rows(t) for t in tests])
            answered: Iterable[list[Answered]] = (answer(t, one) for t, (one,) in zip(tests, fits, strict=True))
        else:
            answered = in_order(lambda t: answer(t, self.fit_rows(split.training_rows(t))), tests)
        return self._gathered(split.repeats, split.n_models, answered)

    def _evaluate_pairs(self, split: Pairs) -> Outcome:
        """One layer of losses for each explicit test set."""

        def answered() -> Iterator[list[Answered]]:
            for t, fitted in enumerate(self.models(split)):
                yield [(t, split.test[t], self.ask_rows(fitted, split.test[t], f"fold {t}"))]

        return self._gathered(split.n_models, split.n_models, answered())

    def _gathered(self, layers: int, n_models: int, answered: Iterable[list[Answered]]) -> Outcome:
        """Return what the models answered, each row in its layer."""
        laid = Laid(layers, self.n)
        with progress("cross-validation", n_models) as tick:
            for done in answered:
                for r, rows, prediction in done:
                    laid.put(r, rows, prediction, self.value(prediction, rows))
                tick()
        return laid.outcome()


def side_by_side(routes: Sequence[RefitRoute], samples: Sequence[np.ndarray | None]) -> Iterator[list[Any]]:
    """Yield, for each sample of rows (None is all), the models of all routes fitted on it, as many at once as ``AT_ONCE`` cells allow.

    The routes differ in a parameter of their last step, which must fit together; the steps before it are fitted once a sample.
    """
    first = routes[0]
    model = first.model if isinstance(first.model, Pipeline) else Pipeline([("step", first.model)])
    names = weight_keywords(model) if first.weight is not None else []
    cells = max(int(np.prod(first.X.shape)), 1)
    group = max(1, AT_ONCE // cells)
    for begin in range(0, len(samples), group):
        fitted: list[Any] = []
        given: list[Any] = []
        for rows in samples[begin : begin + group]:
            check_time()
            X, y, w = first.sample(rows)
            maps, X = fitted_front(clone(model), X, y, dict.fromkeys(names[:-1], w))
            front = [] if maps is None else maps.steps
            fitted += [Pipeline([*front, (model.steps[-1][0], clone(last_of(route.model)))]) for route in routes]
            given += [(X, y, w)] * len(routes)
        last_of(model).fit_together([last_of(pipe) for pipe in fitted], given)
        for k in range(0, len(fitted), len(routes)):
            yield fitted[k : k + len(routes)]


def fitted_front(model: Any, X: Any, y: Any, weights: dict[str, Any]) -> tuple[Pipeline | None, Any]:
    """Return the steps before the last of a pipeline, fitted, and the rows that they hand on; None and the rows where there are none.

    They are fitted as a whole pipeline would fit them: an encoder may tell the rows it learns from otherwise than new ones.
    """
    if not isinstance(model, Pipeline) or len(model.steps) < 2:
        return None, X
    front = Pipeline(model.steps[:-1], memory=model.memory)
    return front, front.fit_transform(X, y, **weights)


def weight_keywords(model: Any) -> list[str]:
    """Return the names under which ``fit`` takes weights: all steps of a pipeline that count rows get them."""
    if isinstance(model, Pipeline):
        *maps, (last, _) = [(name, step) for name, step in model.steps if hasattr(step, "fit")]
        counting = [name for name, step in maps if has_fit_parameter(step, "sample_weight")]
        return [f"{name}__sample_weight" for name in (*counting, last)]
    if not (has_fit_parameter(model, "sample_weight") or isinstance(model, Estimator)):
        raise WrongUse(f"{type(model).__name__} takes no sample_weight, so weights cannot be used with it.")
    return ["sample_weight"]
