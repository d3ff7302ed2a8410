"""The contest: every predictor at its own complexity, on the same folds.

Within a family the value of the parameter with the smallest cross-validated error is kept. What is kept is then tested on the
same repeated folds as all others, and gets an interval: nested where the predictor lives on sums and its rows are at hand, that
of the folds, marked approximate, elsewhere. Those who live on sums come first: their models are solves, and where the rows pass
by all of them are scored in one pass. The losses of every value of every candidate are kept for the rows that a choice looks
at, so that the whole rule of choice can be bootstrapped (:mod:`epee.risk.verdict`).
"""

from __future__ import annotations

import time as clock
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from epee.engines.deadline import OutOfTime, until
from epee.engines.local import alone
from epee.errors import DataError, SearchWarning, WrongUse
from epee.estimator.protocol import SolvesStack
from epee.job.combining import combine
from epee.job.ground import Ground
from epee.job.guests import Guest
from epee.job.hierarchy import LARGEST_COST, Candidate, unfit
from epee.job.variants import Tried, at_every_value, kept_folds, out_of_bag, together, varied
from epee.job.widening import MOST_TURNS, STEPS, beyond
from epee.job.witness import Stopped, present
from epee.losses.residuals import Power
from epee.moments.moments import share
from epee.moments.unions import select
from epee.risk.cross_validation import CrossValidation, assemble, fold_error, from_outcomes, gathered
from epee.risk.in_time import with_long_run_error
from epee.risk.linear_stack import linear_of, squared_risk
from epee.risk.mean_loss import summary_interval
from epee.risk.nested import nested_interval, rare_class
from epee.risk.refit import RefitRoute
from epee.risk.route import LARGEST_MOMENTS, MomentRoute
from epee.risk.scoring import Models, Outcome, Panel
from epee.risk.splitting import Split
from epee.risk.steps import last_of
from epee.risk.when_asked import Told
from epee.settings import progress
from epee.typing import Matrix, Vector
from epee.words.job_words import say

MOST_WORK, NESTED_WORK = 1e11, 5e9  # multiplications of all solves of a candidate, and of its nested interval
LEAST_GROWTH = 0.1  # seconds by which a fit on twice the rows must take longer to tell how its time grows
PATIENCE = 10  # times the steps of a search that stopped early
MANY, SOME = 3_000, 2_000  # training rows from which a parameter is settled on some of them, once for all folds


@dataclass(frozen=True, eq=False)
class Curve:
    """Errors along the parameter of a candidate; losses (n, V) and Brier scores (n, V) of every looked row under every value."""

    parameter: str | None
    values: list[Any]
    dof: Vector
    train: Vector
    cv: Vector
    stderr: Vector
    losses: Matrix
    brier: Matrix  # NaN where they decide nothing, see Ground.brier

    @cached_property
    def best(self) -> int:
        """The value that is taken: with the smallest error, on ties the simplest."""
        return int(np.nanargmin(self.cv))

    @property
    def at_edge(self) -> bool:
        """Tell whether the best value is the most complex that was tried."""
        return len(self.values) > 2 and self.best == len(self.values) - 1

    def joined(self, other: Curve, before: bool) -> Curve:
        """Return the curve with the values of another, before its own or behind them."""
        a, b = (other, self) if before else (self, other)
        names = ("dof", "train", "cv", "stderr", "losses", "brier")
        parts = {name: np.concatenate([getattr(a, name), getattr(b, name)], axis=-1) for name in names}
        return Curve(self.parameter, [*a.values, *b.values], **parts)


@dataclass(frozen=True, eq=False)
class Entry:
    """One line of the leaderboard."""

    candidate: Candidate
    value: Any
    route: Any  # the road it took, at this value
    risk: CrossValidation  # on the folds that all share
    sure: Any  # the risk whose interval is shown
    nested: bool
    dof: float
    seconds: float
    curve: Curve
    outcome: Outcome  # of the looked rows, held out
    sealed: Matrix | None = None  # sums (weight, loss, loss²) of each sealed part, where the rows passed by
    models: Models | None = None  # of one that lives on sums
    said: np.ndarray | None = (
        None  # (R, n, ...) of the rows at hand, by models that did not see them, where rows were fitted
    )
    members: tuple[tuple[Entry, float], ...] = ()  # of a combination, with their weights

    @property
    def name(self) -> str:
        """What it is called."""
        return self.candidate.name

    @property
    def order(self) -> tuple[float, float, float]:
        """Rank of simplicity: the family, then the degrees of freedom, of which a parameter that was searched is one more.

        Of others' predictors they are often unknown: then the one that takes fewer bytes to write down is the simpler.
        """
        free = self.dof + (self.curve.parameter is not None) if np.isfinite(self.dof) else np.inf
        return self.candidate.order, free, self.route.length


@dataclass(eq=False)
class Solved:
    """The models of a candidate that lives on sums, at the value it takes, and what they lose on the folds."""

    candidate: Candidate
    route: MomentRoute
    models: Models
    curve: Curve
    outcome: Outcome
    seconds: float
    means: Vector | None = None  # (T,), None while the rows must still be scored
    sizes: Vector | None = None
    sealed: Matrix | None = None


@dataclass(eq=False)
class Contest:
    """Runs candidates on one ground; ``dropped`` names those that did not run, and why."""

    ground: Ground
    budget: float | None = None
    named: bool = False  # the user named the candidates, and hears of each that cannot run
    dropped: list[tuple[str, str]] = field(default_factory=list)

    def run(self, candidates: Iterable[Candidate]) -> list[Entry]:
        """Return the entries of the candidates that could run, in their order."""
        self._start, self._spent = clock.perf_counter(), False
        wanted = [candidate for candidate in candidates if self._wanted(candidate)]
        on_sums = [c for c in wanted if not c.of_others and self.ground.on_sums(c)]
        by_cost = sorted(
            (c for c in wanted if c not in on_sums), key=lambda c: (c.of_others, c.cost(self.ground.setting))
        )
        entries: dict[str, Entry] = {}
        self._witness = present()
        self._witness.begins(self, wanted)
        with progress(say("candidates"), len(wanted)) as tick:
            alone = (
                [[c] for c in on_sums] if self.ground.at_hand else [on_sums]
            )  # rows that pass by are scored for all at once
            for some in alone:
                solved = []
                for candidate in some:
                    solved += self._tried(candidate, self.solve)
                    tick()
                self.score([one for one in solved if one.means is None])
                for one in solved:
                    for entry in self._tried(one.candidate, lambda _, one=one: self.enter(one), begun=True):
                        entries[one.candidate.key] = entry
                        self._witness.entered(entry)
            for candidate in by_cost:  # cheapest first: the order of the board is there soon
                work = partial(self.enter_combined, entries) if candidate.of_others else self.enter_refit
                for entry in self._tried(candidate, work):
                    entries[candidate.key] = entry
                    self._witness.entered(entry)
                tick()
        return [entries[c.key] for c in wanted if c.key in entries]

    def _wanted(self, candidate: Candidate) -> bool:
        if candidate.suits(self.ground.setting):
            return True
        if self.named:
            self.dropped.append(
                (candidate.name, unfit(candidate, self.ground.setting, self.ground.asked.loss) or say("unsuited"))
            )
        return False

    @property
    def stopped(self) -> bool:
        """Tell whether who watches ended the contest."""
        return self._witness.stopping

    def _tried(self, candidate: Candidate, work: Any, *, begun: bool = False) -> list[Any]:
        """Return what the work gives, or nothing, noting why; what was ``begun`` before a stop is carried to its end."""
        why = unfit(candidate, self.ground.setting, self.ground.asked.loss)
        if not why and self.stopped and not begun and candidate.key != "baseline":
            why = say("stopped")
        if not why and candidate.key != "baseline":
            why = self._out_of_reach(candidate)
            self._spent = self._spent or (bool(why) and self.budget is not None and candidate.method is not None)
        if not why:
            try:
                with (
                    progress(say("trying", name=candidate.name)) as step,
                    self._witness.at_work(),
                    self._in_time(candidate),
                ):
                    step()
                    return [self._patiently(candidate, work)]
            except OutOfTime:
                why = say("out_of_budget", budget=f"{self.budget:g}")
            except Stopped:
                if candidate.key == "baseline":
                    raise
                why = say("stopped")
            except (DataError, WrongUse, np.linalg.LinAlgError) as fault:
                if candidate.key == "baseline":
                    raise
                why = say("failed", why=str(fault))
            except Exception as fault:
                if candidate.method is not None:
                    raise
                why = say("failed", why=f"{type(fault).__name__}: {fault}")  # of someone else's: the others run on
        if (candidate.name, why) not in self.dropped:
            self.dropped.append((candidate.name, why))
        return []

    @contextmanager
    def _in_time(self, candidate: Candidate) -> Iterator[None]:
        """Let no fit begin once the budget is spent, and end one of another library; those who use all cores go one by one."""
        guest = candidate.estimator
        ends = self._start + self.budget if self.budget is not None and candidate.key != "baseline" else np.inf
        with until(ends), alone() if isinstance(guest, Guest) and guest.threads else nullcontext():
            yield

    def _patiently(self, candidate: Candidate, work: Any) -> Any:
        """Do the work; where a search stopped before its end, once more with ten times as many steps."""
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", SearchWarning)
            done = work(candidate)
        stopped = any(issubclass(warning.category, SearchWarning) for warning in heard)
        if stopped and candidate.searches(self.ground.setting):
            return work(replace(candidate, patience=PATIENCE))
        for warning in heard if not candidate.stops_early else ():
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        return done

    def _out_of_reach(self, candidate: Candidate) -> str:
        """Return why there is no time for a candidate; once one is dropped, so are those after it."""
        g, s = self.ground, self.ground.setting
        if g.on_sums(candidate) and g.at_hand:  # whatever the budget: no matrix of that size can be had
            models = (g.n_models + 1) * len(candidate.grid(s))
            room = g.split.n_cells * max(s.n_classes, 1) * float(g.rows.source.n_columns) ** 2
            work = g.square_cost(candidate, models)
            if work > MOST_WORK or (work > 0 and room > LARGEST_MOMENTS):
                return say("too_wide", p=s.p)
        if self.budget is None:
            s = s if self.ground.at_hand else replace(s, n=len(self.ground.hand.train))
            return say("too_large", n=f"{s.n:,}", p=s.p) if candidate.cost(s) > LARGEST_COST else ""
        left = self.budget - (clock.perf_counter() - self._start)
        if self._spent or left <= 0 or (self._unsure(candidate) and self._needed(candidate) > left):
            return say("out_of_budget", budget=f"{self.budget:g}")
        return ""

    def _unsure(self, candidate: Candidate) -> bool:
        """Tell whether a trial must show how long a candidate takes: a large one, or one that is not ours."""
        return not candidate.of_others and (candidate.method is None or candidate.cost(self.ground.setting) > 2e7)

    def _needed(self, candidate: Candidate) -> float:
        """Return the seconds that a candidate will take, from fits on a tenth of the rows and on a fifth."""
        g, grid = self.ground, candidate.grid(self.ground.setting)
        if g.on_sums(candidate):
            return 0.0
        route = g.refit(candidate, grid[len(grid) // 2])
        place = np.arange(len(g.hand.train)) % 10

        def trial(tenths: int) -> float:
            rows = np.flatnonzero(place < tenths)
            begin = clock.perf_counter()
            route.ask_rows(route.fit_rows(rows), rows, "a trial")
            return clock.perf_counter() - begin

        each = 1 if at_every_value(route) else len(grid)  # fits of a fold
        fits = len(grid) if candidate.trial.out_of_bag(g.setting) else g.n_models * (each + g.repeats - 1) + each
        try:
            with self._in_time(candidate):
                trial(1)  # loads the library, or the kernels
                small, double = trial(1), trial(2)
        except OutOfTime:
            return np.inf
        except Exception:  # noqa: BLE001 it will fail again, and be named
            return 0.0
        # the power of the rows that the time grows with; a smaller difference is that of the clock
        power = np.clip(np.log2(double / small), 0.0, 3.0) if double - small > LEAST_GROWTH else 0.0
        return float(fits * double * 5.0**power)

    def solve(self, candidate: Candidate) -> Solved:
        """Return the models of a candidate at the value of its parameter that does best."""
        begin = clock.perf_counter()
        curve, one = self._searched(candidate, self._solve_on, STEPS)
        return replace(one, curve=curve, seconds=clock.perf_counter() - begin)

    def _searched(
        self, candidate: Candidate, work: Callable[[Candidate, list[Any]], tuple[Curve, Any]], steps: int
    ) -> tuple[Curve, Any]:
        """Return the curve along a parameter and what belongs to its best value, searched on where that is the last of its grid.

        ``work`` gives both for some values, ``steps`` further ones at a time; those that cannot be had are let be.
        """
        curve, kept = work(candidate, candidate.grid(self.ground.setting))
        for _ in range(MOST_TURNS):
            more, before = beyond(curve.parameter, curve.values, curve.losses, curve.best, steps)
            if not more:
                break
            try:
                other, its = work(candidate, more)
            except (DataError, WrongUse, np.linalg.LinAlgError):
                break
            curve = curve.joined(other, before)
            kept = its if curve.values[curve.best] in more else kept
        return curve, kept

    def _solve_on(self, candidate: Candidate, grid: list[Any]) -> tuple[Curve, Solved]:
        """Return the curve along some values, with the models at the best of them."""
        g = self.ground
        routes = [g.route(candidate, value) for value in grid]
        tried = [self._try_value(route) for route in routes]
        ends = [self._whole(route, one[0]) for route, one in zip(routes, tried, strict=True)]
        losses, brier = [outcome.losses[0] for _, outcome, *_ in tried], [one[-1] for one in tried]
        curve = curve_of_values(candidate, grid, [means for _, _, means, *_ in tried], ends, losses, brier)
        models, outcome, means, sizes, sealed, _ = tried[curve.best]
        done = g.all_looked or sizes is not None or not g.asked.loss.rowwise
        if sizes is None:
            means, sizes = g.looked_means(outcome.losses[0])
        route = routes[curve.best]
        return curve, Solved(candidate, route, models, curve, outcome, 0.0, means if done else None, sizes, sealed)

    def _try_value(self, route: MomentRoute) -> tuple[Models, Outcome, Vector, Vector | None, Matrix | None, Vector]:
        """Return the models at one value, what becomes of the looked rows, fold means (of all rows by moments), and Brier scores."""
        g = self.ground
        models = route.models(g.split)
        outcome, brier = g.held(route, models)
        squared = isinstance(route.loss, Power) and route.loss.power == 2 and route.is_linear()
        risks = None if g.all_looked or not squared else self._squared(route, models)
        return models, outcome, *(risks or (g.looked_means(outcome.losses[0])[0], None, None)), brier

    def _squared(self, route: MomentRoute, models: Models) -> tuple[Vector, Vector, Matrix | None] | None:
        """Return fold means, sizes and the sums of the sealed parts from moments, or None where they would lose digits."""
        g, linear = self.ground, linear_of(models)

        def keep(source: Any, folds: int | None = None) -> Any:
            return replace(route.probe.summation(source, folds), scatter="full")

        m = g.rows.moments(keep, g.split.cell, g.split.n_cells)
        sealed = np.flatnonzero(g.split.tested_by[0] == g.n_models)
        tested = m.regroup(
            "fold", np.vstack([g.split.tests()[: g.n_models], np.eye(g.split.n_cells, dtype=bool)[sealed]])
        )
        by = np.append(np.arange(g.n_models), np.full(len(sealed), g.n_models))
        risk, sound = squared_risk(tested, linear.coef[by][:, None], linear.intercept[by][:, None])
        if not sound.all():
            return None
        risk, own, count = risk[:, 0], risk[g.n_models :, 0], tested.count[g.n_models :]
        sums = np.stack([count, count * own, count * own**2])
        return risk[: g.n_models], tested.count[: g.n_models], sums if len(sealed) else None

    def _whole(self, route: MomentRoute, models: Models) -> tuple[float, float]:
        """Return the training error and the degrees of freedom of the model of all training rows."""
        g = self.ground
        dof = route.freedom_of(models, select(route.training(g.split), slice(g.n_models, None)))
        return float(np.average(g.look(models, training=True).losses[0], weights=g.hand.looked_weight)), dof

    def score(self, waiting: list[Solved]) -> None:
        """Find the fold means of all rows for those that moments do not tell: where the rows pass by, in one pass."""
        g = self.ground
        if not waiting:
            return
        begin = clock.perf_counter()
        panels = [Panel(g.asked, one.models, g.split.tested_by) for one in waiting]
        if g.at_hand:
            for one in waiting:
                found = one.route.test(g.split, one.models)
                one.means, one.sizes = one.route.fold_means(g.split, found)
                one.means, one.sizes = one.means[: g.n_models], one.sizes[: g.n_models]
        else:
            scored = waiting[0].route.scored(panels, g.split, by_cell=True)
            for one, sums in zip(waiting, scored.panels, strict=True):  # (3, cells)
                sealed = g.split.tested_by[0] == g.n_models
                sizes, totals = sums[:2] @ g.split.tests()[: g.n_models].T  # (2, models)
                one.means, one.sizes = share(totals, sizes), sizes
                one.sealed = sums[:, sealed] if sealed.any() else None
        for one in waiting:
            one.seconds += (clock.perf_counter() - begin) / len(waiting)

    def enter(self, one: Solved) -> Entry:
        """Return the line of a candidate that lives on sums."""
        begin, g = clock.perf_counter(), self.ground
        risk = self._passing(one) if not g.at_hand else self._repeated(one.route, one)
        sure, nested = risk, False
        if (
            one.candidate.trial.closed
            and g.at_hand
            and not g.cells.forward
            and g.plan(1).n_folds >= 3
            and g.asked.costs is None
            and g.asked.loss.rowwise
            and rare_class(one.route) is None  # a nested interval leaves two folds out, and such a class with them
            and self._affordable(one.candidate) >= 2
        ):
            sure, nested = self._nested(one.candidate, one.route), True
        seconds = one.seconds + clock.perf_counter() - begin
        found = self._entry(one.candidate, one.route, risk, sure, nested, one.curve, one.outcome, seconds, one.sealed)
        return replace(found, models=one.models)

    def enter_refit(self, candidate: Candidate) -> Entry:
        """Return the line of a candidate that is fitted on the rows at hand."""
        begin = clock.perf_counter()
        candidate = self._settled(candidate)
        fits: dict[int, Any] = {}
        curve, (route, outcome, bagged) = self._searched(candidate, partial(self._refit_on, fits=fits), 1)
        g = self.ground
        route.folds = kept_folds(
            route, fits, g.plan(1).splits[0].n_models, str(candidate.parameter), curve.values[curve.best]
        )
        repeated = bagged * len(g.plan(g.repeats).splits) if bagged else self._outcomes(route, outcome)
        risk = self._over_repeats(route, repeated)
        looked = g.hand.looked
        kept = Outcome(outcome.losses[:, looked], outcome.predictions[:, looked])
        entry = self._entry(candidate, route, risk, risk, False, curve, kept, clock.perf_counter() - begin)
        return replace(entry, said=np.concatenate([o.predictions for o in repeated]))

    def _settled(self, candidate: Candidate) -> Candidate:
        """Return a candidate with what a fit on a seeded sample of a large table settles for all folds."""
        g = self.ground
        n = len(g.hand.train)
        if candidate.trial.settled is None or n < MANY:
            return candidate
        rows = np.sort(np.random.default_rng([g.setting.seed, n]).permutation(n)[:SOME])
        fitted = g.refit(candidate, candidate.grid(g.setting)[0]).fit_rows(rows)
        return replace(candidate, held=tuple(candidate.trial.settled(last_of(fitted)).items()))

    def _refit_on(
        self, candidate: Candidate, grid: list[Any], fits: dict[int, Any]
    ) -> tuple[Curve, tuple[RefitRoute, Outcome, list[Outcome]]]:
        """Return the curve along some values, with the road and the outcome of the best of them, and what the bag says, if it does.

        ``fits`` are those of the folds that an earlier turn of the search made.
        """
        g = self.ground
        split = g.plan(1).splits[0]
        routes = [g.refit(candidate, value) for value in grid]
        bagged = out_of_bag(routes) if candidate.trial.out_of_bag(g.setting) else None
        several = len(grid) > 1 or bool(fits)
        found = bagged or (varied(routes[-1], split, str(candidate.parameter), grid, fits) if several else None)
        found = (
            found or together(routes, split) or Tried([r.evaluate(split) for r in routes], [_on_all(r) for r in routes])
        )
        outcomes = found.outcomes
        grid, routes = grid[: len(outcomes)], routes[: len(outcomes)]  # the others were not worth trying
        means = [r.fold_means(split, o)[0] for r, o in zip(routes, outcomes, strict=True)]
        losses = [o.losses[0][g.hand.looked] for o in outcomes]
        brier = [g.brier(o.predictions[0][g.hand.looked]) for o in outcomes]
        curve = curve_of_values(candidate, grid, means, found.ends, losses, brier)
        route, outcome = routes[curve.best], outcomes[curve.best]
        route.fitted = found.whole[curve.best] if found.whole else None
        return curve, (route, outcome, [outcome] if bagged else [])

    def enter_combined(self, entries: dict[str, Entry], candidate: Candidate) -> Entry:
        """Return the line of the mean of those who have run, by the rule that errs less."""
        tried = combine(self.ground, list(entries.values()))
        cv, stderr = (np.array([getattr(one.risk, name) for one in tried]) for name in ("value", "stderr"))
        dof = np.array([sum(weight * entry.dof for entry, weight in one.members) for one in tried])
        losses = np.column_stack([one.outcome.losses[0] for one in tried])
        brier = np.column_stack([self.ground.brier(one.outcome.predictions[0]) for one in tried])
        curve = Curve(None, [None] * len(tried), dof, np.full(len(tried), np.nan), cv, stderr, losses, brier)
        c = tried[curve.best]
        found = self._entry(candidate, c.route, c.risk, c.risk, False, curve, c.outcome, c.seconds)
        return replace(found, members=tuple(c.members))

    def _entry(
        self, candidate: Candidate, route: Any, risk: Any, sure: Any, nested: bool, curve: Curve, outcome: Outcome, seconds: float,
        sealed: Matrix | None = None,
    ) -> Entry:  # fmt: skip
        g = self.ground
        if g.cells.forward and g.at_hand:
            sure = with_long_run_error(risk, g.cells.time, route)
        value, dof = curve.values[curve.best], g.free(float(curve.dof[curve.best]))
        return Entry(candidate, value, route, risk, sure, nested, dof, seconds, curve, outcome, sealed)

    def _repeated(self, route: Any, one: Solved) -> CrossValidation:
        """Return the cross-validation on all repeats of the folds, rows at hand."""
        g = self.ground
        plan = g.plan(g.repeats)
        if plan is g.plan(1) and one.means is not None and one.sizes is not None:
            per_fold, sizes = one.means, one.sizes

            def look() -> tuple[np.ndarray, np.ndarray]:
                return gathered(route, [one.outcome if g.all_looked else route.evaluate(plan.splits[0])])

            return assemble(route, plan, per_fold, sizes, g.level, look)
        return self._over_repeats(route, self._outcomes(route))

    def _outcomes(self, route: Any, first: Outcome | None = None) -> list[Outcome]:
        """Return what becomes of the rows at hand in each repeat of the folds; ``first`` is known of those that the search was made on."""
        searched = self.ground.plan(1).splits[0]
        return [
            first if first is not None and alike(split, searched) else route.evaluate(split)
            for split in self.ground.plan(self.ground.repeats).splits
        ]

    def _over_repeats(self, route: Any, outcomes: list[Outcome]) -> CrossValidation:
        return from_outcomes(route, self.ground.plan(self.ground.repeats), outcomes, self.ground.level)

    def _passing(self, one: Solved) -> CrossValidation:
        """Return the cross-validation of rows that passed by, from their sums."""
        g = self.ground
        assert one.means is not None and one.sizes is not None
        plan, loss = g.plan(1), g.asked.loss
        value, bar, K = fold_error(one.means, 1)
        total = float(one.sizes.sum())
        n = total * g.unit
        ends_at = partial(summary_interval, value, bar, K - 1, n, loss)
        found = one.outcome.losses[0], g.asked.decode(one.outcome.predictions)[0]
        return CrossValidation(
            value, bar, ends_at(g.level), g.level, n, loss.name, plan.how, K - 1, pooled=float(one.means @ one.sizes / total),
            per_fold=one.means, n_folds=K, sizes=one.sizes * g.unit, one_pass=True, look=Told(found), ends_at=ends_at,
        )  # fmt: skip

    def _affordable(self, candidate: Candidate) -> int:
        """Return how many repeats of a nested interval the solves leave time for."""
        K = self.ground.plan(1).n_folds
        work = self.ground.square_cost(candidate, K * (K + 1) // 2)
        return 30 if not work > 0 else int(min(30.0, NESTED_WORK / work))

    def _nested(self, candidate: Candidate, route: MomentRoute) -> CrossValidation:
        most = 30 if isinstance(route.probe, SolvesStack) else 8
        repeats = int(np.clip(60_000 // self.ground.setting.n, 2, min(most, self._affordable(candidate))))
        return nested_interval(route, self.ground.plan(repeats), self.ground.level)


def interval_of(entry: Entry) -> str:
    """Return what kind of interval a line shows: nested, or one that covers less than it claims."""
    return "nested" if entry.nested and not entry.sure.kin else "approximate"


def curve_of_values(
    candidate: Candidate,
    values: list[Any],
    means: list[Vector],
    ends: Sequence[tuple[float, float]],
    losses: list[Vector],
    brier: list[Vector],
) -> Curve:
    """Return the curve of some values from fold means, (training error, degrees of freedom), losses and Brier scores of looked rows."""
    cv, stderr, _ = fold_error(np.column_stack(means), 1)
    train, dof = np.array(ends).T
    return Curve(candidate.parameter, values, dof, train, cv, stderr, np.column_stack(losses), np.column_stack(brier))


def alike(a: Split, b: Split) -> bool:
    """Tell whether two splits have the same models, tested on the same rows."""
    return a is b or all(np.array_equal(getattr(a, part), getattr(b, part)) for part in ("cell", "learns", "tested_by"))


def _on_all(route: RefitRoute) -> tuple[float, float]:
    """Return the training error and the degrees of freedom of a model fitted on all rows at hand."""
    fitted = route.fit_rows(None)
    if isinstance(last_of(fitted), Guest):
        route.length = last_of(fitted).length()
    return route.on_all(fitted)
