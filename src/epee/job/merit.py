"""What the chosen predictor does on the sealed rows: the headline in words people use, other figures, tables and curves.

Everything looks at the sealed rows at hand, the same on every road, and knows which of them belong together: the error bar of a share, of
a score and of a curve is that of the groups, or of the rows in time, as that of the error is. The errors of a card are means of its loss;
the headline says them in the unit of the target: the root of a mean squared error, whose interval is that of the square, end by end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from epee.errors import DataError, WrongUse
from epee.job.card import figure
from epee.job.predictor import Predictor
from epee.job.told import Told
from epee.losses.names import named
from epee.losses.ordering import parts_of
from epee.risk.class_figures import class_figures
from epee.risk.confusion import confusion_matrix, share_of
from epee.risk.dependence import Dependence
from epee.risk.estimate import Risk, Score
from epee.risk.held_rows import Held, codes_of, held_rows
from epee.risk.intervals import Interval
from epee.risk.ranking_curves import Band, ranking_curves
from epee.risk.watching import marked, sentence
from epee.typing import Codes, Labels, Matrix, Vector

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
    first = {"name": risk.loss, **_said(first)}
    if named(risk.loss).unit == "target²" and risk.loss == "squared" and targets == 1:
        first |= {"name": "rmse", **{k: _root(first[k]) for k in ("value", "low", "high")}}
    out = [first]
    for name in ("r2", "roc_auc"):
        if scores.get(name) and name != {"auc": "roc_auc"}.get(risk.loss) and not tilted(risk.loss):
            out.append({"name": name, **_said(scores[name])})
    return out


def _root(square: float | None) -> float | None:
    return None if square is None else float(np.sqrt(max(square, 0.0)))


def _said(figure: dict[str, Any]) -> dict[str, Any]:
    """Return what is said of a figure, its caution with it."""
    return {k: figure[k] for k in ("value", "low", "high", "level", "n", "caution") if k in figure}


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


@dataclass(frozen=True, eq=False)
class Sealed:
    """The sealed rows as every figure asks about them: inputs, truth, weights, what was ``told`` of them, the ``kin`` that errors show."""

    X: Matrix
    y: np.ndarray
    w: Any
    told: Told
    level: float
    kin: Dependence | None = None

    @property
    def beside(self) -> dict[str, Any]:
        """What figures of merit are given beside the rows."""
        return {"level": self.level, "sample_weight": self.w, **self.told.beside}

    def marked(self, found: Any) -> Any:
        """Return a figure whose interval knows the kin, unless it has found its own."""
        return found if found.kin else marked(found, self.kin)


def sealed_facts(predictor: Predictor, sealed: Sealed, seed: int) -> dict[str, Any]:
    """Return confusion, calibration, residuals, curves and scores on the sealed rows."""
    X, y = sealed.X, sealed.y
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
        held = held_rows(model, X, y, sealed.w, sealed.level, **sealed.told.beside)
        codes, said = codes_of(model, y), np.asarray(model.predict(X))
        kin = held.kin((said != y).astype(float), codes=codes)
        if kin is None or not sentence(kin):
            kin = sealed.kin
        else:
            sealed = replace(sealed, kin=None)  # the matrix finds it, too
        out["confusion"] = attempt(lambda: confusion_facts(model, sealed))
        if out["confusion"] is not None:
            out["by_class"] = by_class(held, codes, said, model.classes_, sealed.level, kin)
        if predictor.has_probabilities:
            shares = Shares(held, sealed.level, kin)
            out["calibration"] = attempt(lambda: calibration_points(model, X, y, shares)) or []
            out["ranking"] = attempt(lambda: ranking_facts(model, sealed, shares, seed)) or []
    elif y.ndim == 1:
        out["residuals"] = residual_facts(model, X, y)
    out["scores"] = score_facts(predictor, model, sealed)
    if len(out["by_class"]) == 2 and "f1" in out["scores"]:  # of the second class, and told once
        out["by_class"][1]["f1"] = {name: out["scores"]["f1"][name] for name in ("value", "low", "high")}
    return out


def confusion_facts(model: Any, sealed: Sealed) -> dict[str, Any]:
    """Return the confusion matrix with its error bars."""
    found = confusion_matrix(model, sealed.X, sealed.y, **sealed.beside)
    longer = 1.0 if sealed.kin is None else float(np.sqrt(sealed.kin.effect))
    low, high = (np.clip(found.rates + longer * (end - found.rates), 0.0, 1.0) for end in (found.low, found.high))
    return {
        "labels": found.labels, "decided": found.decided, "counts": found.counts, "rates": found.rates, "stderr": longer * found.stderr,
        "low": low, "high": high, "caution": found.caution or ("" if sealed.kin is None else sentence(sealed.kin)),
    }  # fmt: skip


def by_class(
    held: Held, codes: Codes, said: Labels, classes: Labels, level: float, kin: Dependence | None
) -> list[dict[str, Any]]:
    """Return precision, recall and F1 of each class with their intervals."""
    place = np.full(len(said), -1)
    for k, label in enumerate(classes):
        place[said == label] = k
    found = class_figures(held, codes, place, len(classes), level, kin)
    return [
        {
            "label": str(label), "rows": own.rows, "decided": own.decided, "precision": _ends(own.precision), "recall": _ends(own.recall),
            "f1": _ends(own.f1),
        }
        for label, own in zip(np.asarray(classes).tolist(), found, strict=True)
    ]  # fmt: skip


def _ends(score: Score | None) -> dict[str, float] | None:
    return None if score is None else {"value": score.value, "low": score.low, "high": score.high}


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of the sealed rows, each with its interval: what curves of probabilities are made of."""

    held: Held
    level: float
    kin: Dependence | None

    def of(self, hits: np.ndarray, own: np.ndarray) -> Score:
        """Return the share of hits among the own rows."""
        return marked(share_of(self.held, hits, own, self.level), self.kin)

    def longer(self, score: Vector, own: np.ndarray) -> float:
        """Return how many times longer the error bar of the area under a ROC curve is than that of rows that stand alone."""
        parts, unit = parts_of(score, own, self.held.w), Score(0.5, 1.0, Interval(0.0, 1.0), self.level)
        return marked(self.held.of_units(unit, parts - np.average(parts, weights=self.held.w)), self.kin).stderr

    @property
    def longer_for_kin(self) -> float:
        """How many times longer error bars are for rows, or groups, that belong together without being told."""
        return 1.0 if self.kin is None else float(np.sqrt(self.kin.effect))

    def in_bins(self, p: Vector, hits: np.ndarray) -> list[dict[str, Any]]:
        """Return, for bins of equal weight of a probability (n,), its mean and how often it came true."""
        w = self.held.w
        bins = int(np.clip(len(p) // 20, 2, 10))
        order = np.argsort(p, kind="stable")
        place = np.empty(len(p), dtype=np.intp)
        place[order] = np.minimum((np.cumsum(w[order]) - w[order] / 2) / w.sum() * bins, bins - 1e-9)
        points = []
        for k in range(bins):
            own = (place == k) & (w > 0)
            if own.any():
                share = self.of(hits, own)
                predicted, rows = float(np.average(p[own], weights=w[own])), int(own.sum())
                points.append(
                    {
                        "predicted": predicted,
                        "observed": share.value,
                        "low": share.low,
                        "high": share.high,
                        "rows": rows,
                    }
                )
        return points


def calibration_points(model: Any, X: Matrix, y: np.ndarray, shares: Shares) -> list[dict[str, Any]]:
    """Return, for bins of the probability of the answer, how often it was right."""
    P = np.asarray(model.predict_proba(X))
    return shares.in_bins(P.max(axis=1), (model.classes_[P.argmax(axis=1)] == y).astype(float))


def ranking_facts(model: Any, sealed: Sealed, shares: Shares, seed: int) -> list[dict[str, Any]]:
    """Return the curves of each class against the rest: ROC, precision over recall, lift and calibration, with their bands.

    Bands are those of rows that stand alone, or of groups that were told; as many times longer as rows in time, or those that belong
    together without being told, make the error bar of the area.
    """
    y, w, level = sealed.y, shares.held.w, sealed.level
    P, classes = np.asarray(model.predict_proba(sealed.X)), model.classes_
    counts = np.array([(y == label).sum() for label in classes])
    kept = [1] if len(classes) == 2 else sorted(np.argsort(-counts, kind="stable")[:DRAWN_CLASSES].tolist())
    out = []
    for k in kept:
        own = y == classes[k]
        if not own.any() or own.all():
            continue
        found = ranking_curves(P[:, k], own, w, groups=shares.held.groups, level=level, seed=seed)
        longer = shares.longer_for_kin if shares.held.groups is not None else shares.longer(P[:, k], own)
        parts = shares.in_bins(P[:, k], own.astype(float))
        out.append({
            "label": str(classes[k]), "share": float(np.average(own, weights=w)), "rows": int(own.sum()),
            "roc": _longer(found.roc, longer), "precision_recall": _longer(found.precision_recall, longer),
            "lift": _longer(found.lift, longer, 1 / found.lift.x),
            "calibration": {name: [part[name] for part in parts] for name in ("predicted", "observed", "low", "high")},
        })  # fmt: skip
    return out


def _longer(band: Band, factor: float, most: Any = 1.0) -> dict[str, Any]:
    """Return a band so many times as wide about its curve, within what a share can be."""
    low, high = (np.clip(band.y + factor * (end - band.y), 0.0, most) for end in (band.low, band.high))
    return Band(band.x, band.y, np.minimum(low, band.y), np.maximum(high, band.y)).to_dict()


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


def score_facts(predictor: Predictor, model: Any, sealed: Sealed) -> dict[str, Any]:
    """Return other figures of merit on the sealed rows."""
    from epee import risk

    def loss(name: str) -> Any:
        return sealed.marked(risk.holdout_error(model, sealed.X, sealed.y, loss=name, **sealed.beside))

    def score(name: str) -> Any:
        return sealed.marked(getattr(risk, name)(model, sealed.X, sealed.y, **sealed.beside))

    wanted: list[tuple[str, Callable[[str], Any]]] = [("r2", score), ("absolute", loss)]
    if predictor.task == "classification":
        wanted = [("zero_one", loss)]
        if predictor.has_probabilities:
            wanted += [("log", loss), ("roc_auc", score), ("average_precision", score), ("brier", score)]
        wanted.append(("f1", score))
    found = {name: attempt(lambda name=name, make=make: make(name)) for name, make in wanted}
    return {name: figure(score) for name, score in found.items() if score is not None}
