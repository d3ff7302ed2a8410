"""The hierarchy of predictors, from the simplest to the most complex, each with the parameter that sets its complexity.

The registry says what there is; a candidate makes the estimator for a table, behind the steps it needs. Candidates run, and are
dropped when a budget is short, in this order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from sklearn.base import clone, is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from epee.errors import WrongUse
from epee.estimator.base import Estimator
from epee.estimator.ensemble_trials import FEW
from epee.estimator.method import Method, Setting, Trial, in_language
from epee.estimator.protocol import gives_probabilities, gives_scores
from epee.estimator.registry import key_of, make, nearest_keys, trials
from epee.estimator.simplicity import order_of
from epee.job.filling import FillMissing
from epee.job.guest_names import guest_named, is_guest, settled
from epee.job.guests import Guest, title_of
from epee.job.levels import TreeColumns, WithoutCodes
from epee.losses.loss import Loss
from epee.risk.steps import last_of
from epee.table.schema import suggestion
from epee.words.job_words import say

LARGEST_COST = 4e9  # cells read by a whole run of one candidate, without a budget
STEPS = {"PolynomialFeatures": {"degree": 2, "include_bias": False}}  # parameters of steps in front of a predictor


@dataclass(frozen=True)
class Candidate:
    """One predictor of the hierarchy: a trial of the registry, or a user's own estimator under a name of its own."""

    trial: Trial
    method: Method | None = None
    estimator: Any = None
    patience: int = 1  # times the usual steps of a search
    held: tuple[tuple[str, Any], ...] = ()  # parameters found once for all folds

    @property
    def key(self) -> str:
        """What it is called on the command line."""
        return self.trial.key

    @property
    def name(self) -> str:
        """What it is called in the current language."""
        if self.method is None:
            return self.trial.key
        return in_language(self.trial.words or self.method.words)

    @property
    def order(self) -> float:
        """Its rank in simplicity."""
        if self.method is None:
            return order_of(last_of(self.estimator.estimator if isinstance(self.estimator, Guest) else self.estimator))
        return self.method.order if self.trial.order is None else self.trial.order

    @property
    def parameter(self) -> str | None:
        """What sets its complexity."""
        return self.trial.parameter

    @property
    def of_others(self) -> bool:
        """Whether it is made of the other candidates."""
        return self.trial.of_others

    def cost(self, s: Setting) -> float:
        """Return the cells that a run reads."""
        return 0.0 if self.method is None else self.trial.cost(s)

    def suits(self, s: Setting) -> bool:
        """Tell whether the table is one for it."""
        return self.trial.suits(s)

    def grid(self, s: Setting) -> list[Any]:
        """Return the values to try, from the simplest on; [None] when there is nothing to choose."""
        return [None] if self.trial.grid is None else list(self.trial.grid(s))

    def make(self, s: Setting) -> list[Any]:
        """Return the steps of the pipeline, the predictor last."""
        front = [] if not s.codes or self.reads_codes else [WithoutCodes(list(s.codes))]
        if self.method is None:
            return [*front, self.estimator]
        steps = [*front, *(self._before(name, s) for name in self.trial.before if name != "TreeColumns" or s.levels)]
        last = make(self.method.name, **self.trial.given(s))
        last.set_params(**dict(self.held))
        if self.patience > 1 and "max_iter" in last.get_params():
            last.set_params(max_iter=self.patience * last.max_iter)
        return [*steps, last]

    @property
    def reads_codes(self) -> bool:
        """Whether it looks up what it knows of a level by its code."""
        return isinstance(self.estimator, Guest) or "TreeColumns" in self.trial.before

    def searches(self, s: Setting) -> bool:
        """Tell whether it takes a number of steps, which may be raised."""
        steps = self.method is not None and "max_iter" in self.make(s)[-1].get_params()
        return steps and self.parameter != "max_iter" and not self.stops_early

    @property
    def stops_early(self) -> bool:
        """Whether it is meant to stop before its search ends: fewer steps make a smoother network."""
        return self.key == "network"

    def _before(self, name: str, s: Setting) -> Any:
        """Return a step in front of the predictor."""
        if name != "TreeColumns":
            return make(name, **STEPS.get(name, {}))
        coded = self.key in ("boosting", "log_boosting")  # which cut codes by sets
        groups, by_class = [list(pair) for pair in s.levels], s.task == "classification"
        return TreeColumns(groups, coded, by_class, FEW, random_state=s.seed, told=list(s.codes))

    def model(self, s: Setting, value: Any = None, *, last: bool = False) -> Any:
        """Return the estimator with one value of its parameter; missing cells are filled in front of it unless it takes them.

        ``last`` asks for the predictor of all rows, which may afford more than those of the folds.
        """
        steps = [clone(step) for step in self.make(s)]
        if self.parameter is not None and value is not None:
            steps[-1].set_params(**{self.parameter: value})
        if last:
            steps[-1].set_params(**self.trial.at_last(s))
        fills = s.holes and not all(get_tags(step).input_tags.allow_nan for step in steps)
        steps = ([FillMissing()] if fills else []) + steps
        return Pipeline([(f"step{i}", step) for i, step in enumerate(steps)])


def hierarchy(s: Setting, predictors: Any = None) -> Iterator[Candidate]:
    """Yield the candidates for a table in order of simplicity: all, those named, or the user's own estimators.

    ``predictors`` is None, a list that mixes keys of the hierarchy, names of other libraries' classes (:mod:`epee.job.guest_names`) and
    estimators, or a dictionary of name to any of them; "all" stands for the whole hierarchy. The baseline always runs: everything else is
    measured against it.
    """
    kind = "classifier" if s.task == "classification" else "regressor"
    by_key = {trial.key: Candidate(trial, entry) for entry, trial in trials(kind)}
    if predictors is None:
        yield from by_key.values()
        return
    yield by_key["baseline"]
    named = list(predictors.items()) if isinstance(predictors, Mapping) else [(None, p) for p in predictors]
    if not named:
        raise WrongUse("predictors is empty: give keys of the hierarchy or estimators, or leave it out.")
    seen = {"baseline"}
    wanted = []
    for name, given in named:
        if given == "all":
            found = list(by_key.values())
        elif isinstance(given, str) and not is_guest(given):
            found = [by_key[_meant(given, kind)]]
        else:
            found = [_own(name, given, kind, seen, s)]
        wanted += [candidate for candidate in found if candidate.key not in seen]
        seen.update(candidate.key for candidate in found)
    yield from sorted(wanted, key=lambda c: c.order)


def _meant(typed: str, kind: str) -> str:
    """Return the key of a predictor that was named; one that is not here is refused with the nearest."""
    found = key_of(typed, kind)
    if found is not None:
        return found
    near = nearest_keys(typed, kind)
    known = {name: trial.key for _, trial in trials(kind) for name in (*trial.aliases, trial.key)}
    close = get_close_matches(typed.lower(), list(known), n=1, cutoff=0.6)
    help_ = suggestion(typed, list(dict.fromkeys(known.values())))
    if near:
        help_ = f"; the nearest to it here is {near[0]!r}."
    elif close:
        help_ = f"; did you mean {known[close[0]]!r}?"
    raise WrongUse(f"there is no predictor {typed!r} for this target{help_}")


def _own(name: str | None, given: Any, kind: str, seen: set[str], s: Setting) -> Candidate:
    """Return the candidate of an estimator that the user gives or names; one that is not ours behind the columns that it takes."""
    label, estimator = guest_named(given, kind) if isinstance(given, str) else (title_of(given), given)
    is_right = is_classifier if kind == "classifier" else is_regressor
    if not hasattr(estimator, "fit") or not (isinstance(estimator, type) or is_right(estimator)):
        raise WrongUse(f"{estimator!r} is no {kind}, which this target needs.")
    if isinstance(estimator, type):
        raise WrongUse(f"{estimator.__name__} is a class; give an instance of it: {estimator.__name__}(...).")
    label = name or label
    key, k = label, 2
    while key in seen:
        key, k = f"{label} ({k})", k + 1
    if not isinstance(last_of(estimator), Estimator):
        estimator = Guest(settled(estimator, s.seed), kind, [list(pair) for pair in s.levels], list(s.codes))
    return Candidate(Trial(key), None, estimator)


def fits_loss(candidate: Candidate, s: Setting) -> bool:
    """Tell whether a candidate for numbers minimises the loss that judges it; the others fit means, which squared errors make."""
    usual = replace(s, loss="squared")
    if candidate.method is None or not candidate.suits(usual):
        return candidate.method is not None  # it is in the hierarchy for this loss
    return repr(candidate.make(s)[-1]) != repr(candidate.make(usual)[-1])


def unfit(candidate: Candidate, s: Setting, loss: Loss) -> str:
    """Return why a candidate cannot run on this table under this loss, or nothing."""
    last = candidate.make(s)[-1]
    if s.weighted and not (last.takes_weights if isinstance(last, Guest) else has_fit_parameter(last, "sample_weight")):
        return say("no_weights")
    probable = candidate.of_others or gives_probabilities(last)  # a mean takes only those that have them
    if s.costs is not None and not probable:
        return say("no_probability")
    enough = probable or (loss.needs == "scores" and gives_scores(last))
    if loss.needs in ("probabilities", "scores") and not enough:
        return say("no_answer", needs=say(loss.needs), loss=loss.name)
    # the contest tries it on one target only
    alone = not candidate.suits(s) and candidate.suits(replace(s, n_targets=1))
    if s.n_targets > 1 and (alone or not get_tags(last).target_tags.multi_output):
        return say("one_target")
    return ""


__all__ = ["LARGEST_COST", "Candidate", "Setting", "hierarchy", "unfit"]
