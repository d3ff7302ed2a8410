"""The contest: every predictor at its own complexity, on the same folds.

For each candidate the cross-validated error is found along its parameter, and the simplest value within one standard error of
the best is kept. What is kept is then tested on the same repeated folds as all others, and gets an interval: nested where the
predictor is a closed form, that of the folds, marked approximate, elsewhere. The losses of every value of every candidate are
kept, so that the whole rule of choice can be bootstrapped (:mod:`epee.job.choice`).
"""

from __future__ import annotations

import time as clock
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from epee.engines.local import in_order
from epee.errors import DataError, WrongUse
from epee.estimator.protocol import Varies
from epee.job.filled_route import FilledRoute
from epee.job.hierarchy import LARGEST_COST, Candidate, Setting, unfit
from epee.risk.asking import asker, refuse_nan, to_codes
from epee.risk.complexity import choose, fitted_on_all
from epee.risk.cross_validation import CrossValidation, assemble, fold_error, fold_means, plan_for
from epee.risk.dof import degrees_of_freedom
from epee.risk.intervals import wilson
from epee.risk.nested import nested_interval
from epee.risk.one_pass import MomentRoute, passes_once
from epee.risk.routes import OrdinaryRoute, Outcome, Route, open_route
from epee.risk.splitting import Plan, Split
from epee.settings import progress
from epee.typing import Matrix, Vector
from epee.words.job_words import say

TRAINING_ROWS = 2000  # that the training error along a parameter is taken on


@dataclass(frozen=True, eq=False)
class Curve:
    """Errors along the parameter of a candidate; losses (n, V) of every row under every value."""

    parameter: str | None
    values: list[Any]
    dof: Vector
    train: Vector
    cv: Vector
    stderr: Vector
    best: int
    chosen: int
    losses: Matrix | None

    @property
    def at_edge(self) -> bool:
        """Tell whether the best value is the most complex that was tried."""
        return len(self.values) > 2 and self.best == len(self.values) - 1


@dataclass(frozen=True, eq=False)
class Entry:
    """One line of the leaderboard."""

    candidate: Candidate
    value: Any
    model: Any
    risk: CrossValidation  # on the folds that all share
    sure: Any  # the risk whose interval is shown
    nested: bool
    dof: float
    seconds: float
    curve: Curve

    @property
    def name(self) -> str:
        """What it is called."""
        return self.candidate.name

    @property
    def order(self) -> tuple[float, float]:
        """Rank of simplicity: the family, then the degrees of freedom."""
        return self.candidate.order, self.dof if np.isfinite(self.dof) else np.inf


@dataclass(eq=False)
class Contest:
    """Rows, folds and loss that all candidates share."""

    X: Matrix
    y: np.ndarray
    weight: Vector | None
    setting: Setting
    loss: Any
    folds: int
    repeats: int
    groups: np.ndarray | None
    time: Vector | None
    level: float
    budget: float | None = None
    named: bool = False  # the user named the candidates, and hears of each that cannot run
    dropped: list[tuple[str, str]] = field(default_factory=list)
    _routes: list[MomentRoute] = field(default_factory=list)
    _plans: dict[int, Plan] = field(default_factory=dict)

    def run(self, candidates: Iterable[Candidate]) -> list[Entry]:
        """Return the entries of the candidates that could run, in their order."""
        start, spent = clock.perf_counter(), False
        entries: list[Entry] = []
        wanted = []
        for candidate in candidates:
            if candidate.suits(self.setting):
                wanted.append(candidate)
            elif self.named:
                self.dropped.append((candidate.name, unfit(candidate, self.setting) or say("unsuited")))
        with progress(say("candidates"), len(wanted)) as tick:
            for candidate in wanted:
                why = unfit(candidate, self.setting)
                if not why and candidate.key != "baseline":
                    why = self._out_of_reach(candidate, start, spent)
                    spent = spent or (bool(why) and self.budget is not None)
                if not why:
                    try:
                        with progress(say("trying", name=candidate.name)) as step:
                            step()
                            entries.append(self.enter(candidate))
                    except (DataError, WrongUse, np.linalg.LinAlgError) as fault:
                        if candidate.key == "baseline":
                            raise
                        why = say("failed", why=str(fault))
                if why:
                    self.dropped.append((candidate.name, why))
                tick()
        return entries

    def _out_of_reach(self, candidate: Candidate, start: float, spent: bool) -> str:
        """Return why there is no time for a candidate; once one is dropped, so are those after it."""
        s = self.setting
        if self.budget is None:
            return say("too_large", n=f"{s.n:,}", p=s.p) if candidate.cost(s) > LARGEST_COST else ""
        left = self.budget - (clock.perf_counter() - start)
        if spent or left <= 0:
            return say("out_of_budget", budget=f"{self.budget:g}")
        if candidate.cost(s) > 2e7 and self._needed(candidate) > left:
            return say("out_of_budget", budget=f"{self.budget:g}")
        return ""

    def _needed(self, candidate: Candidate) -> float:
        """Return the seconds that a candidate will take, from one fit on a tenth of the rows."""
        s, grid = self.setting, candidate.grid(self.setting)
        rows = np.flatnonzero(np.arange(s.n) % 10 == 0)
        route = OrdinaryRoute(candidate.model(s, grid[len(grid) // 2]), self.X, self.y, self.weight, self.loss)
        begin = clock.perf_counter()
        route.ask_rows(route.fit_rows(rows), rows, "a trial")
        fits = self.folds * ((1 if isinstance(route.model.steps[-1][1], Varies) else len(grid)) + self.repeats)
        return (clock.perf_counter() - begin) * 10 * fits / 2

    def route(self, model: Any) -> Route:
        """Return the route of a model; those on the same moments of the same rows share them."""
        after = Pipeline(model.steps[1:]) if self.setting.holes else model
        for known in self._routes:
            if known.shares_moments(after):
                return known.like(after)
        found: Route | None = None
        if self.setting.holes and passes_once(after, self.X):
            filled = FilledRoute(after, self.X, self.y, self.weight, self.loss)
            found = filled if filled.fits else None
        if found is None:
            found = open_route(model, self.X, self.y, self.weight, self.loss)
        if isinstance(found, MomentRoute):
            self._routes.append(found)
        return found

    def plan(self, route: Route, repeats: int) -> Plan:
        """Return the folds, the same for every candidate."""
        if repeats not in self._plans:
            self._plans[repeats] = plan_for(route, self.folds, repeats, self.groups, self.time, None, self.setting.seed)
        return self._plans[repeats]

    def enter(self, candidate: Candidate) -> Entry:
        """Find the complexity of a candidate, and test it."""
        begin, s = clock.perf_counter(), self.setting
        curve, route, outcome = self._curve(candidate)
        value = curve.values[curve.chosen]
        plan = self.plan(route, self.repeats)
        outcomes = [outcome] if plan is self.plan(route, 1) else [route.evaluate(split) for split in plan.splits]
        risk = self._risk(route, plan, outcomes)
        sure, nested = risk, False
        if candidate.closed and self.time is None and plan.n_folds >= 3 and s.costs is None:
            sure, nested = self._nested(route), True
        if sure.is_rate and sure.stderr == 0:  # no error seen is not no error
            sure = replace(sure, interval=wilson(sure.value, sure.n, self.level))
        return Entry(
            candidate, value, candidate.model(s, value), risk, sure, nested, float(curve.dof[curve.chosen]),
            clock.perf_counter() - begin, curve,
        )  # fmt: skip

    def _nested(self, route: Route) -> CrossValidation:
        most = 2 if not route.one_pass else 30 if hasattr(getattr(route, "probe", None), "solve_stack") else 8
        repeats = int(np.clip(60_000 // self.setting.n, 2, most))
        return nested_interval(route, self.plan(route, repeats), self.level)

    def _curve(self, candidate: Candidate) -> tuple[Curve, Route, Outcome]:
        """Return the errors along the parameter, the route of the chosen value, and its outcome on the first folds."""
        s, grid = self.setting, candidate.grid(self.setting)
        routes = [self.route(candidate.model(s, value)) for value in grid]
        plan = self.plan(routes[0], 1)
        split = plan.splits[0]
        varied = None
        if len(grid) > 1 and isinstance(split, Split) and isinstance(routes[-1], OrdinaryRoute):
            varied = vary_outcomes(routes[-1], split, candidate, grid)
        outcomes, ends = varied or (
            [route.evaluate(split) for route in routes],
            [fitted_on_all(route) for route in routes],
        )
        means = np.column_stack([fold_means(r, split, o)[0] for r, o in zip(routes, outcomes, strict=True)])
        cv, stderr = (np.array(part) for part in list(zip(*(fold_error(c, 1) for c in means.T), strict=True))[:2])
        train, dof = (np.array(part) for part in zip(*ends, strict=True))
        best, chosen = choose(cv, stderr, np.arange(len(grid), dtype=float))
        losses = np.column_stack([o.losses[0] for o in outcomes])
        curve = Curve(candidate.parameter, grid, dof, train, cv, stderr, best, chosen, losses)
        return curve, routes[chosen], outcomes[chosen]

    def _risk(self, route: Route, plan: Plan, outcomes: list[Outcome]) -> CrossValidation:
        parts = [fold_means(route, split, o) for split, o in zip(plan.splits, outcomes, strict=True)]
        per_fold, sizes = (np.concatenate(part) for part in zip(*parts, strict=True))
        losses = np.concatenate([o.losses for o in outcomes])
        predictions = route.decode(np.concatenate([o.predictions for o in outcomes]))
        found = (losses[0], predictions[0]) if len(losses) == 1 else (losses, predictions)
        return assemble(route, plan, per_fold, sizes, self.level, lambda: found)


def vary_outcomes(
    route: OrdinaryRoute, split: Split, candidate: Candidate, grid: list[Any]
) -> tuple[list[Outcome], list[tuple[float, float]]] | None:
    """Return outcomes, training errors and degrees of freedom along a parameter that needs no new fit: one fit a fold.

    None when the last step cannot be had at other values without one.
    """
    by_row, parameter = split.models_of_rows()[0], str(candidate.parameter)
    if not isinstance(route.model.steps[-1][1], Varies):
        return None
    whole = route.fit_rows(None)
    all_rows = whole.steps[-1][1].variants(parameter, grid)
    if all_rows is None:
        return None

    def answers(fitted: Any, variants: list[Any], rows: np.ndarray, where: str) -> list[np.ndarray]:
        Z = route.X[rows]
        for _, step in fitted.steps[:-1]:
            Z = step.transform(Z)
        if route.loss.needs in ("labels", "values"):
            found = variants[0].answer_together(variants, Z)
            if route.classes is not None:
                found = [to_codes(labels, route.classes) for labels in found]
        else:
            found = [asker(variant, route.loss, route.classes)(Z) for variant in variants]
        for prediction in found:
            refuse_nan(prediction, fitted, where)
        return found

    def work(t: int) -> tuple[np.ndarray, list[np.ndarray]]:
        rows = np.flatnonzero(by_row == t)
        fitted = route.fit_rows(split.training_rows(t))
        return rows, answers(fitted, fitted.steps[-1][1].variants(parameter, grid), rows, f"fold {t}")

    losses = np.full((len(grid), route.n), np.nan)
    predictions: list[np.ndarray] = []
    for rows, found in in_order(work, range(split.n_models)):
        for v, prediction in enumerate(found):
            if len(predictions) <= v:
                predictions.append(route.empty(1, prediction))
            predictions[v][0, rows] = prediction.reshape(predictions[v][0, rows].shape)
            losses[v, rows] = route.value(prediction, rows)
    some = np.unique(np.linspace(0, route.n - 1, min(route.n, TRAINING_ROWS)).astype(np.intp))
    w = None if route.weight is None else route.weight[some]
    train = [float(np.average(route.value(a, some), weights=w)) for a in answers(whole, all_rows, some, "all rows")]
    dof = [degrees_of_freedom(variant) for variant in all_rows]
    outcomes = [Outcome(losses[v : v + 1], predictions[v]) for v in range(len(grid))]
    return outcomes, list(zip(train, dof, strict=True))
