"""What the chosen predictor does on the sealed rows: the headline in words people use, other figures, tables and curves.

Everything looks at the sealed rows at hand, the same on every road. The errors of a card are means of its loss; the headline says them in
the unit of the target: the root of a mean squared error, whose interval is that of the square, end by end.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from epee.errors import DataError, WrongUse
from epee.job.card import figure
from epee.job.predictor import Predictor
from epee.losses.names import named
from epee.risk.brier_score import calibration_bins
from epee.risk.confusion import confusion_matrix
from epee.risk.estimate import Risk
from epee.risk.intervals import wilson
from epee.risk.ranking_curves import ranking_curves
from epee.risk.rates import rate_interval
from epee.risk.units import as_counts
from epee.typing import Matrix, Vector

Rows = tuple[Matrix, np.ndarray, Any]
SHOWN_POINTS = 500  # of a scatter of residuals
DRAWN_CLASSES = 6  # classes whose curves are drawn, the most frequent


def attempt(work: Callable[[], Any]) -> Any:
    """Return what can be said, or None where the rows are too few for it."""
    try:
        return work()
    except (DataError, WrongUse, np.linalg.LinAlgError):
        return None


def headline_of(risk: Risk, scores: dict[str, Any], targets: int) -> list[dict[str, Any]]:
    """Return the figures that are said first: the error in the unit of the target, then how much is explained or ranked."""
    first = figure(risk) or {}
    first = {"name": risk.loss, **{k: first[k] for k in ("value", "low", "high", "level", "n")}}
    if named(risk.loss).unit == "target²" and risk.loss == "squared" and targets == 1:
        first |= {"name": "rmse", **{k: float(np.sqrt(max(first[k], 0.0))) for k in ("value", "low", "high")}}
    out = [first]
    for name in ("r2", "roc_auc"):
        if scores.get(name) and name != {"auc": "roc_auc"}.get(risk.loss) and not tilted(risk.loss):
            out.append({"name": name, **{k: scores[name][k] for k in ("value", "low", "high", "level", "n")}})
    return out


def tilted(loss: str) -> bool:
    """Tell whether a loss asks for a quantile aside of the middle, of which R² says nothing.

    >>> tilted("quantile0.9"), tilted("quantile0.5"), tilted("squared")
    (True, False, False)
    """
    return loss.startswith("quantile") and loss != "quantile0.5"


class Answered(BaseEstimator):
    """A fitted predictor that is asked for many figures of the same rows ``X``: what it said of them it does not work out again."""

    def __init__(self, model: Any, X: Matrix) -> None:
        self.model = model
        self.X = X

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.model)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> Any:
        """The labels that it may answer."""
        return self.model.classes_

    def fit(self, X: Any, y: Any = None) -> Self:
        """Return itself: it is fitted."""
        return self

    def _said(self, way: str, X: Matrix) -> np.ndarray:
        if X is not self.X:
            return np.asarray(getattr(self.model, way)(X))
        known: dict[str, np.ndarray] = self.__dict__.setdefault("known", {})
        if way not in known:
            known[way] = np.asarray(getattr(self.model, way)(X))
        return known[way]

    def predict(self, X: Matrix) -> np.ndarray:
        """Return its answers."""
        return self._said("predict", X)

    def __getattr__(self, name: str) -> Any:
        """Return how probabilities and scores are asked for, where the predictor gives them."""
        if name in ("predict_proba", "decision_function") and hasattr(vars(self).get("model"), name):
            return partial(self._said, name)
        raise AttributeError(f"{type(self).__name__} has no {name!r}.")


def sealed_facts(predictor: Predictor, sealed: Rows, level: float, seed: int) -> dict[str, Any]:
    """Return confusion, calibration, residuals, curves and scores on the sealed rows."""
    X, y, w = sealed
    model = Answered(predictor.model, X)
    out: dict[str, Any] = {
        "confusion": None,
        "residuals": None,
        "calibration": [],
        "scores": {},
        "by_class": [],
        "ranking": [],
    }
    if len(y) < 4:
        return out
    if predictor.task == "classification":
        out["confusion"] = attempt(lambda: confusion_facts(model, X, y, w, level))
        if out["confusion"] is not None:
            out["by_class"] = class_facts(out["confusion"], w, level)
        if predictor.has_probabilities:
            out["calibration"] = attempt(lambda: calibration_points(model, X, y, level)) or []
            out["ranking"] = attempt(lambda: ranking_facts(model, X, y, w, level, seed)) or []
    elif y.ndim == 1:
        out["residuals"] = residual_facts(model, X, y)
    out["scores"] = score_facts(predictor, model, X, y, w, level)
    return out


def confusion_facts(model: Any, X: Matrix, y: np.ndarray, w: Any, level: float) -> dict[str, Any]:
    """Return the confusion matrix with its error bars."""
    found = confusion_matrix(model, X, y, level=level, sample_weight=w)
    names = ("labels", "decided", "counts", "rates", "stderr", "low", "high")
    return {name: getattr(found, name) for name in names}


def class_facts(confusion: dict[str, Any], w: Any, level: float) -> list[dict[str, Any]]:
    r"""Return precision, recall and F1 of each class with their intervals, from the confusion matrix.

    Each is a rate, or a function of one: F1 is :math:`2g / (1 + g)` of the rate :math:`g = TP / (TP + FP + FN)`.
    """
    counts = np.asarray(confusion["counts"], dtype=float)
    worth = 1.0 if w is None else float(as_counts(w, len(w)).sum() / np.sum(w))  # rows that a unit of weight stands for
    out = []
    for k, label in enumerate(np.asarray(confusion["labels"]).tolist()):
        hit, said, true = counts[k, k] * worth, counts[:, k].sum() * worth, counts[k].sum() * worth
        either = said + true - hit
        rate = _rate(hit, either, level)
        f1 = None if rate is None else {name: 2 * g / (1 + g) for name, g in rate.items()}
        out.append({
            "label": str(label), "rows": true, "decided": said, "precision": _rate(hit, said, level), "recall": _rate(hit, true, level),
            "f1": f1,
        })  # fmt: skip
    return out


def _rate(hits: float, n: float, level: float) -> dict[str, float] | None:
    if not n > 0:
        return None
    ends = rate_interval(hits / n, n, level)
    return {"value": hits / n, "low": ends.low, "high": ends.high}


def calibration_points(model: Any, X: Matrix, y: np.ndarray, level: float) -> list[dict[str, Any]]:
    """Return, for bins of the probability of the answer, how often it was right."""
    P = model.predict_proba(X)
    top, right = P.max(axis=1), model.classes_[P.argmax(axis=1)] == y
    bins = int(np.clip(len(y) // 20, 2, 10))
    points = []
    for rows in np.array_split(np.argsort(top, kind="stable"), bins):
        share = float(right[rows].mean())
        ends = wilson(share, len(rows), level)
        points.append(
            {"predicted": top[rows].mean(), "observed": share, "low": ends.low, "high": ends.high, "rows": len(rows)}
        )
    return points


def ranking_facts(model: Any, X: Matrix, y: np.ndarray, w: Any, level: float, seed: int) -> list[dict[str, Any]]:
    """Return the curves of each class against the rest: ROC, precision over recall, lift and calibration, with their bands."""
    P, classes = np.asarray(model.predict_proba(X)), model.classes_
    counts = np.array([(y == label).sum() for label in classes])
    kept = [1] if len(classes) == 2 else sorted(np.argsort(-counts, kind="stable")[:DRAWN_CLASSES].tolist())
    weight = np.ones(len(y)) if w is None else as_counts(w, len(y))
    bins = int(np.clip(len(y) // 20, 2, 10))
    out = []
    for k in kept:
        own = y == classes[k]
        if not own.any() or own.all():
            continue
        found = ranking_curves(P[:, k], own, weight, level=level, seed=seed)
        parts = calibration_bins(P[:, k], own.astype(float), weight, bins, level)
        out.append({
            "label": str(classes[k]), "share": float(np.average(own, weights=weight)), "rows": int(own.sum()),
            "roc": found.roc.to_dict(), "precision_recall": found.precision_recall.to_dict(), "lift": found.lift.to_dict(),
            "calibration": dict(zip(("predicted", "observed", "low", "high"), parts, strict=True)),
        })  # fmt: skip
    return out


def residual_facts(model: Any, X: Matrix, y: Vector) -> dict[str, Any]:
    """Return residuals against predictions, the largest always among them, and their quantiles."""
    predicted = np.asarray(model.predict(X))
    residual = y - predicted
    some = np.linspace(0, len(y) - 1, min(len(y), SHOWN_POINTS)).astype(np.intp)
    largest = np.argsort(-np.abs(residual), kind="stable")[:5]
    some = np.unique(np.concatenate([some, largest]))
    levels = (0.05, 0.25, 0.5, 0.75, 0.95)
    return {
        "quantiles": {str(q): float(v) for q, v in zip(levels, np.quantile(residual, levels), strict=True)},
        "predicted": predicted[some], "residual": residual[some], "scale": float(np.sqrt(np.mean(residual**2))),
    }  # fmt: skip


def score_facts(predictor: Predictor, model: Any, X: Matrix, y: np.ndarray, w: Any, level: float) -> dict[str, Any]:
    """Return other figures of merit on the sealed rows."""
    from epee import risk

    def loss(name: str) -> Any:
        return risk.holdout_error(model, X, y, loss=name, level=level, sample_weight=w)

    def score(name: str) -> Any:
        return getattr(risk, name)(model, X, y, level=level, sample_weight=w)

    wanted: list[tuple[str, Callable[[str], Any]]] = [("r2", score), ("absolute", loss)]
    if predictor.task == "classification":
        wanted = [("zero_one", loss)]
        if predictor.has_probabilities:
            wanted += [("log", loss), ("roc_auc", score), ("average_precision", score), ("brier", score)]
        wanted.append(("f1", score))
    found = {name: attempt(lambda name=name, make=make: make(name)) for name, make in wanted}
    return {name: figure(score) for name, score in found.items() if score is not None}
