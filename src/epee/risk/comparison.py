r"""Comparing predictors on the same folds: a verdict, not a sorted list.

Every candidate is tested on the same folds, so differences are paired. The rule of choice and the words are those of
:mod:`epee.risk.verdict`; simplicity is the order of families in the registry, then the effective degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from epee.errors import WrongUse
from epee.estimator.saying import each_once
from epee.estimator.simplicity import order_of
from epee.lazy import Shown, drawn
from epee.risk.asked import kind_of
from epee.risk.counts import in_copies
from epee.risk.cross_validation import CrossValidation, counted, dealt_by_rule, from_outcomes, plan_for
from epee.risk.estimate import Difference
from epee.risk.halves import halves_of
from epee.risk.in_time import with_long_run_error
from epee.risk.intervals import check_level
from epee.risk.nested import fold_ids, losses_without_two, partitions, rare_class
from epee.risk.one_target import beside_one_target
from epee.risk.opening import open_route
from epee.risk.route import MomentRoute, Route
from epee.risk.scoring import Outcome
from epee.risk.splitting import Plan, check_gap, check_order
from epee.risk.steps import last_of
from epee.risk.units import Weights, check_said, unsaid
from epee.risk.verdict import Verdict, ranks
from epee.risk.watching import bound_together, kinship, marked, seen_rows, shaped
from epee.risk.when_asked import WhenAsked
from epee.risk.winner import Nested, Optimism, without_two
from epee.settings import progress
from epee.table.named import named_columns
from epee.typing import Matrix, Vector
from epee.words.numbers import amount, p_value, plus_minus
from epee.words.risk_words import say

REPEATS = 10  # where folds are numbered; in time, and where they are given, there is one


@dataclass(frozen=True, eq=False)
class Comparison(Shown):
    """Candidates on the same folds.

    Attributes
    ----------
    names : list of str
        In the order given.
    risks : list of CrossValidation
    """

    names: list[str]
    risks: list[CrossValidation]
    dof: Vector
    order: Vector
    level: float
    groups: Any = field(default=None, repr=False)
    nested: Callable[[], Nested | None] | None = field(default=None, repr=False)

    @cached_property
    def judged(self) -> Verdict:
        """The verdict as figures."""
        rank = ranks(list(zip(self.order, np.nan_to_num(self.dof, nan=np.inf), strict=True)))
        return Verdict(self.names, self.risks, rank, self.level, groups=self.groups, nested=self.nested)

    @property
    def values(self) -> Vector:
        """The cross-validated errors, in the order given."""
        return self.judged.values

    @property
    def best(self) -> str:
        """The candidate with the smallest error."""
        return self.names[self.judged.best]

    @property
    def simplest(self) -> str:
        """The simplest candidate that no other is shown to beat."""
        return self.names[self.judged.unbeaten]

    @property
    def chosen(self) -> str:
        """The candidate that :func:`epee.learn` would take: the simplest within one standard error of its difference from the best."""
        return self.names[self.judged.chosen]

    def risk(self, name: str) -> CrossValidation:
        """Return the cross-validation of one candidate."""
        return self.risks[self._index(name)]

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise WrongUse(f"{name!r} is none of the candidates {', '.join(self.names)}.")
        return self.names.index(name)

    def difference(self, a: str, b: str) -> Difference:
        """Return the error of ``a`` minus that of ``b``: paired, corrected for shared training rows, with ``p_value``."""
        return self.judged.difference(self._index(a), self._index(b))

    @property
    def p_values(self) -> Matrix:
        """Holm-adjusted p-values of all pairs, (M, M); 1 on the diagonal."""
        return self.judged.pairs

    @property
    def optimism(self) -> Optimism:
        """How much better the winner looks than it is: chosen again without each fold, or by a bootstrap of the losses."""
        return self.judged.optimism

    @property
    def table(self) -> list[dict[str, Any]]:
        """One row a candidate from the best down: name, value, stderr, low, high, dof, and the paired difference from the best
        with its p-value (Holm).
        """
        rows = []
        first = self._index(self.best)
        for i in np.argsort(self.values, kind="stable"):
            risk, gap = self.risks[i], self.difference(self.names[i], self.best) if i != first else None
            rows.append({
                "name": self.names[i], "value": risk.value, "stderr": risk.stderr, "low": risk.low, "high": risk.high,
                "dof": float(self.dof[i]), "difference": gap.value if gap else 0.0,
                "difference_stderr": gap.stderr if gap else 0.0, "p_value": float(self.p_values[i, first]),
            })  # fmt: skip
        return rows

    @property
    def verdict(self) -> str:
        """Say which is best, whether that is shown, and which is the simplest that nothing beats."""
        if len(self.names) == 1:
            return say("alone", best=self.best)
        best, simplest = self.best, self.simplest
        order = np.argsort(self.values, kind="stable")
        other = simplest if simplest != best else self.names[order[order != self._index(best)][0]]
        gap = self.difference(other, best)
        p = float(self.p_values[self._index(other), self._index(best)])
        if gap.value == 0 and gap.p_value == 1:
            first = say("equal", best=best, other=other)
        else:
            first = say("beats", best=best, other=other, gap=gap.shown(), p=p_value(p),
                         shown=say("shown" if p < 0.05 else "not shown"))  # fmt: skip
        return " ".join(part for part in (first, say("simplest", simplest=simplest), gap.caution) if part)

    def __str__(self) -> str:
        """Return the table and the verdict."""
        width = max(len(name) for name in self.names)
        lines = []
        for row in self.table:
            gap = f"   +{plus_minus(row['difference'], row['difference_stderr'])}, p {p_value(row['p_value'])}"
            lines.append(f"{row['name']:<{width}}  {self.risk(row['name'])}{'' if row['name'] == self.best else gap}")
        best, gain = self.risk(self.best), self.optimism.value
        corrected = amount(best.value + gain, best.stderr)
        choice = say(
            "optimism" if gain > 0 else "no_optimism", optimism=amount(gain, best.stderr / 10), corrected=corrected
        )
        return "\n".join([*lines, self.verdict, *([choice] if len(self.names) > 1 else [])])

    plot = drawn(
        "risk.plot_comparison", "Draw each candidate's error and its paired difference from the best; returns the axes."
    )


def named(models: Any) -> dict[str, Any]:
    """Return candidates by name: those given, or the names of their classes."""
    if isinstance(models, Mapping):
        return {str(name): model for name, model in models.items()}
    out: dict[str, Any] = {}
    for model in models:
        steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
        whole = " + ".join(type(step).__name__ for step in steps)
        name, k = whole, 2
        while name in out:
            name, k = f"{whole} ({k})", k + 1
        out[name] = model
    return out


@each_once
def compare(
    models: Any, X: Any, y: Any, *, folds: Any = 10, repeats: int = REPEATS, loss: Any = None, level: float = 0.95,
    sample_weight: Any = None, groups: Any = None, time: Any = None, stratify: Any = None, random_state: Any = None,
    weights: Weights | None = None, gap: int = 0,
) -> Comparison:  # fmt: skip
    """Compare predictors on the same folds.

    Parameters
    ----------
    models : dict of name to estimator, or list of estimators
    X, y : rows and their targets
    folds, repeats : default 10 x 10, once in time
        More repeats steady the differences; training samples overlap all the same, which the test corrects for.
    loss, level, sample_weight, weights, groups, time, gap, stratify, random_state
        As in :func:`cross_validate`.

    Returns
    -------
    Comparison

    Notes
    -----
    Candidates that live on the same moments share one pass.

    References
    ----------
    Nadeau and Bengio, "Inference for the generalization error", *Machine Learning* 52, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from epee import LinearDiscriminantAnalysis, GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> found = compare({"linear": LinearDiscriminantAnalysis(), "naive": GaussianNB()}, X, y)
    >>> found.verdict
    'linear beats naive by ... points, p = ...: not shown. The simplest predictor that nothing here beats is ...'
    """
    check_level(level)
    check_said(weights, X, sample_weight)
    check_gap(gap, time)
    check_order(time, None if repeats == REPEATS else repeats, stratify)
    candidates = named(models)
    if not candidates:
        raise WrongUse("there is no candidate to compare: give a list or a dict of estimators.")
    X, y, sample_weight, groups, time = named_columns(X, y, sample_weight, groups, time)
    kinds = {kind_of(model) for model in candidates.values()}
    if len(kinds) > 1:
        raise WrongUse("classifiers and regressors cannot be compared with one another; give candidates of one kind.")
    if time is not None or not isinstance(folds, int | np.integer):
        repeats = 1
    X, y, sample_weight, laid, row = in_copies(
        X, y, sample_weight, weights, dealt_by_rule(folds, groups, time, stratify)
    )
    routes = _routes(list(candidates.values()), X, y, sample_weight, loss, weights)
    plan = counted(
        routes[0], plan_for(routes[0], folds, repeats, groups, time, stratify, random_state, laid is not None, gap)
    )
    risks = _run_all(routes, plan, level)
    if time is not None:
        risks = [with_long_run_error(risk, time, route) for risk, route in zip(risks, routes, strict=True)]
    elif all(route.at_a_glance for route in routes):
        risks = [
            replace(shaped(risk, route, plan), halves=halves_of(route, plan))
            for risk, route in zip(risks, routes, strict=True)
        ]
        risks = [beside_one_target(risk, routes[0].truth, routes[0].classes) for risk in risks]
        together, parted = (row, "") if row is not None else bound_together(routes[0], plan)
        best = int(np.argmin([risk.value for risk in risks]))
        seen = seen_rows(
            routes[best], risks[best].losses, risks[best].predictions, together, groups is not None, row is not None
        )
        kin = kinship(*seen)
        risks = [marked(replace(risk, caution=f"{parted} {risk.caution}".strip()), kin) for risk in risks]
    asked = unsaid(routes[0].weight if laid is None else laid, weights)
    risks = [replace(risk, caution=f"{asked} {risk.caution}".strip()) for risk in risks]
    dof = np.array([route.freedom for route in routes])
    nested = WhenAsked(lambda: nested_candidates(routes, plan))
    order = np.array([order_of(last_of(model)) for model in candidates.values()], dtype=float)
    return Comparison(list(candidates), risks, dof, order, level, plan.groups, nested)


def nested_candidates(routes: Sequence[Route], plan: Plan) -> Nested | None:
    """Return the errors of candidates inside and outside each fold; None where folds do not part the rows, or many rows pass by.

    As many models as there are pairs of folds are fitted for each repeat: on all repeats by candidates that merge, once by the others.
    """
    near = all(route.at_hand or route.at_a_glance for route in routes)
    if not near or not partitions(plan) or any(rare_class(route) is not None for route in routes):
        return None
    merged = all(isinstance(route, MomentRoute) for route in routes)
    plan = plan if merged else replace(plan, splits=plan.splits[:1])
    means, weight = [], routes[0].counts
    for route in routes:
        means.append([without_two(losses, fold, weight) for fold, losses in losses_without_two(route, plan)])
    sizes = [np.bincount(fold, weight, minlength=plan.n_folds) for fold in fold_ids(plan)]
    return Nested(np.moveaxis(np.array(means), 0, -1), np.array(sizes, dtype=np.float64))


def _routes(models: list[Any], X: Any, y: Any, sample_weight: Any, loss: Any, weights: Weights | None) -> list[Route]:
    """Return a route for each candidate; those on the same moments of the same rows share them."""
    routes: list[Route] = []
    for model in models:
        twin = next((r for r in routes if isinstance(r, MomentRoute) and r.serves(model)), None)
        routes.append(twin.like(model) if twin is not None else open_route(model, X, y, sample_weight, loss, weights))
    return routes


def _run_all(routes: list[Route], plan: Plan, level: float) -> list[CrossValidation]:
    """Test every candidate on a split before the next split, so that shared moments are made once."""
    done: list[list[Outcome]] = [[] for _ in routes]
    with progress("comparison", len(plan.splits) * len(routes)) as tick:
        for split in plan.splits:
            for route, outcomes in zip(routes, done, strict=True):
                outcomes.append(route.evaluate(split))
                tick()
    return [from_outcomes(route, plan, outcomes, level) for route, outcomes in zip(routes, done, strict=True)]
