"""What every figure of merit asks first: are these rows held out, and what does the fitted model say of them?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.estimator.base import encode_labels
from epee.estimator.protocol import gives_labels, gives_probabilities, gives_scores
from epee.risk.asking import refuse_missing_truth
from epee.risk.dependence import Dependence
from epee.risk.estimate import Score
from epee.risk.holdout import require_fitted
from epee.risk.in_time import seasonal
from epee.risk.intervals import Interval, check_level
from epee.risk.mean_loss import mean_loss
from epee.risk.rates import rate_interval
from epee.risk.route import GLANCE
from epee.risk.splitting import group_codes, places_in_time, say_one_of
from epee.risk.training_rows import refuse_training_rows
from epee.risk.units import Units, Weights, as_counts, check_said, per_row, taken_as, units_of, unsaid
from epee.risk.watching import kinship, longer_ends, marked, positive
from epee.table.block import check_weights
from epee.table.doors import is_stream, width_of
from epee.table.named import named_columns
from epee.typing import Codes, Matrix, Vector
from epee.words import risk_words
from epee.words.numbers import whole


@dataclass(frozen=True, eq=False)
class Held:
    """The truth of held-out rows and their weights (n,), as ``given`` and in the unit of a row; ``w`` are the rows that each is worth.

    ``how`` says what the weights were taken as, and ``asked`` asks where nobody said what one number for all of them means,
    and says where the inputs were learned from.
    """

    truth: np.ndarray
    given: Vector
    weight: Vector
    w: Vector
    sampled: bool
    how: str
    X: Any
    groups: Codes | None = None
    order: Codes | None = None  # in time
    asked: str = ""

    def __getstate__(self) -> dict[str, Any]:
        """Travel without the inputs: the interval at another level asks for none (:mod:`epee.risk.when_asked`)."""
        return {**self.__dict__, "X": None}

    def watched(
        self, found: Score, influence: Vector, *, codes: Codes | None = None, rest: Vector | None = None, target: Vector | None = None
    ) -> Score:  # fmt: skip
        """Return a figure whose interval knows which rows belong together, by their ``influence`` (n,) on it.

        It is made of the units that were told, and longer and marked if what the rows leave over shows that these, or rows of which nothing
        was told, belong together: the ``rest`` of a number and its ``target``, or else the influences, and the ``codes`` of labels.
        """
        return self.searched(self.of_units(found, influence), influence, codes=codes, rest=rest, target=target)

    def searched(
        self, found: Score, influence: Vector, *, codes: Codes | None = None, rest: Vector | None = None, target: Vector | None = None
    ) -> Score:  # fmt: skip
        """Return a figure made of the units that were told, its interval longer and marked as :meth:`watched` has it."""
        told = marked(found, self.kin(influence if rest is None else rest, target, codes))
        season = "" if self.order is None or rest is None else seasonal(rest[self.order])
        return replace(told, caution=" ".join(filter(None, [self.asked, told.caution, season])))

    def kin(self, rest: Vector, target: Vector | None = None, codes: Codes | None = None) -> Dependence | None:
        """Return the way in which rows, or groups that were told, belong together; None where none is shown, or it was said."""
        answered = self.groups is None and self.order is not None
        if answered or is_stream(self.X) or len(rest) * width_of(self.X) > GLANCE:
            return None
        return kinship(*positive((rest, self.X, None, (), target, codes), self.weight, self.w, self.groups))

    def of_units(self, found: Score, influence: Vector) -> Score:
        """Return a figure whose interval is longer by the ratio of the error bar of groups, or of rows in time, to that of rows."""
        if self.groups is None and self.order is None:
            return found
        units = self.told(influence)
        longer, dof = self.longer(units, influence)
        ends_at = partial(longer_ends, found.at, longer, dof)
        longest = replace(
            found, stderr=found.stderr * longer, interval=ends_at(found.level), dof=min(dof, found.dof), ends_at=ends_at
        )
        return self.counted(longest, units)

    def longer(self, units: Units, influence: Vector, least: float = 0.0) -> tuple[float, float]:
        """Return how many times as long the error bar of units is, ``least`` if that is more, and its degrees of freedom."""
        many, dof = units.independent()
        bar = max(units.spread()[0] / float(np.sqrt(many)), least)
        return bar / self.stderr(influence) if bar > 0 else float(np.sqrt(self.worth() / units.effective)), dof

    def counted(self, found: Score, units: Units) -> Score:
        """Return a figure that says which units its error bar counts, if any were told, and where they are too few."""
        if self.groups is None and self.order is None:
            return found
        how = f"error bar from {units.n:.0f} groups" if self.groups is not None else "error bar for rows in time"
        n = whole(min(units.independent()[0], units.effective))
        caution = risk_words.say(f"caution {units.doubt}", n=n) if units.doubt else ""
        return replace(found, how=f"{found.how}, {how}", caution=f"{found.caution} {caution}".strip())

    def told(self, values: Vector) -> Units:
        """Return the units behind the mean of some values: the groups, or the rows in time, that were told; rows, if none were."""
        rows = slice(None) if self.order is None else self.order
        meant: Weights = "sampling" if self.sampled else "counts"
        return units_of(
            values[rows], self.weight[rows], weights=meant, groups=self.groups, in_order=self.order is not None
        )

    def units(self, values: Vector, own: Any = slice(None)) -> Units:
        """Return the units behind the mean of some values, one for each of these rows, or of those that are their ``own``."""
        return units_of(values[own], self.weight[own], weights="sampling" if self.sampled else "counts")

    def stderr(self, influence: Vector) -> float:
        """Return the standard error of a figure from the influence of each row on it: by the sandwich for sampling weights."""
        units = self.units(influence)
        return units.spread()[0] / float(np.sqrt(units.n))

    def worth(self, own: Any = slice(None)) -> float:
        """Return how many rows some of the rows are worth: counts added, or Kish's number."""
        w = self.weight[own]
        return float(w.sum() ** 2 / (w @ w)) if self.sampled and w.any() else float(w.sum())

    def members(self, own: Any) -> float:
        """Return how many rows some of the rows are worth, or how many groups they come from where that is less."""
        worth = self.worth(own)
        return worth if self.groups is None else min(worth, float(len(np.unique(self.groups[own]))))

    def share(self, hits: Vector, own: Any, level: float = 0.95) -> tuple[float, float, Interval]:
        """Return the share of hits (n,), 0 or 1, among the ``own`` rows, with its standard error and interval."""
        w = self.weight[own]
        if not w.any():
            return 0.0, 0.0, rate_interval(0.0, 1.0, level)
        if self.sampled:
            found = mean_loss(hits[own], w, loss="zero_one", level=level, weights="sampling")
            return found.value, found.stderr, found.interval
        n = float(w.sum())
        rate = float(w @ hits[own] / n)
        return rate, float(np.sqrt(rate * (1 - rate) / n)), rate_interval(rate, max(n, 1.0), level)


def held_rows(
    model: Any, X: Any, y: Any, sample_weight: Any, level: float, weights: Weights | None = None, groups: Any = None, time: Any = None
) -> Held:  # fmt: skip
    """Return the truth and the weights of held-out rows; those that the model has learned from are refused."""
    check_said(weights, X, sample_weight)
    check_level(level)
    require_fitted(model)
    X, y, sample_weight, groups, time = named_columns(X, y, sample_weight, groups, time)
    again = refuse_training_rows(model, X, y, sample_weight)
    truth = np.asarray(y)
    refuse_missing_truth(truth)
    n, given = len(truth), check_weights(sample_weight, len(truth))
    w, meaning = per_row(given, weights)
    how = f"held-out rows{taken_as(w, meaning)}"
    one = np.ones(n)
    say_one_of(groups, time)
    ids = None if groups is None else group_codes(groups, n)
    order = None if time is None or ids is not None else np.argsort(places_in_time(time, n), kind="stable")
    return Held(
        truth, one if given is None else given, one if w is None else w, as_counts(w, n, meaning), meaning == "sampling", how, X, ids,
        order, " ".join(filter(None, [again, unsaid(given, weights)])),
    )  # fmt: skip


def codes_of(model: Any, truth: np.ndarray) -> Codes:
    """Return the place of each label among the classes of a fitted classifier."""
    if not gives_labels(model):
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
