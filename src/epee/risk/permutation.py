r"""Which columns a predictor leans on: how much its error rises when a column is shuffled on held-out rows.

.. math:: I_j = \frac1n \sum_i \bigl[e(h(x_i^{(j)}), y_i) - e(h(x_i), y_i)\bigr] \tag{1}

with :math:`x_i^{(j)}` the row with the cell :math:`j` of another row. A row takes part twice, as the one that is judged and as the donor of
its cell to others: with :math:`r_i` its mean rise and :math:`g_i` the mean loss of the rows that got its cell, its influence on (1) is
:math:`\psi_i = (r_i - I_j) + (g_i - \bar g)`, and the error bar is that of the mean of :math:`\psi`, skewness included
(:mod:`epee.risk.skewed`). In time what is judged follows what was learned from; a cell comes from a row of another block of time,
wherever that lies among the rows that are judged, and :math:`\psi` has the error bar of values that follow each other. Shuffling tells
apart what is used from what is not; of two columns that say the same thing each may look unimportant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from epee.engines.local import in_order
from epee.errors import WrongUse
from epee.estimator.saying import each_once
from epee.lazy import drawn
from epee.risk.asking import asker
from epee.risk.counts import in_copies
from epee.risk.cross_validation import plan_for
from epee.risk.dependence import Dependence
from epee.risk.in_time import doubts_of_forecasts
from epee.risk.intervals import check_level
from epee.risk.mean_loss import mean_loss
from epee.risk.refit import RefitRoute
from epee.risk.scoring import Laid
from epee.risk.skewed import FEWEST, skewed_interval, too_dominant, too_heavy
from epee.risk.splitting import Split, check_gap, group_codes, places_in_time, say_one_of, seed_of
from epee.risk.units import Units, Weights, check_said, taken_as, units_of, unsaid
from epee.risk.watching import kinship, seen_rows, sentence
from epee.settings import progress
from epee.table.doors import gather, is_stream, open_source
from epee.table.named import named_columns
from epee.table.taking import column_names, shuffled, take_rows
from epee.typing import Codes, Matrix, Vector
from epee.words import risk_words
from epee.words.numbers import amount, p_value, whole

BLOCKS = 20  # of time, which give each other their cells
MOST_LOOKED = 20  # columns, the most important, of which it is asked whether rows share their cells


@dataclass(frozen=True, eq=False)
class Importance:
    """The rise of the error for each column, with its standard error and interval; ``order`` ranks from the largest.

    ``caution`` says in words why intervals cannot be trusted: rows, or groups, that belong together; losses of which the largest are
    too far from the others; columns that matter, and of which a few rows make the figure. Empty where nothing speaks against them.
    """

    names: list[str]
    value: Vector
    stderr: Vector
    low: Vector
    high: Vector
    loss: str
    level: float
    how: str
    caution: str = ""

    @property
    def order(self) -> np.ndarray:
        """Columns from the most important down."""
        return np.argsort(-self.value, kind="stable")

    def __str__(self) -> str:
        """Return one line a column, from the most important down."""
        width = max(len(n) for n in self.names)
        lines = [f"{self.names[j]:<{width}}  {self.value[j]:.4f} ± {self.stderr[j]:.4f}" for j in self.order]
        return "\n".join([*lines, self.caution] if self.caution else lines)

    plot = drawn("risk.plot_importance", "Draw the columns with their intervals; returns the axes.")


@each_once
def importance(
    model: Any, X: Any, y: Any, *, loss: Any = None, repeats: int = 10, folds: int = 5, level: float = 0.95,
    sample_weight: Any = None, random_state: Any = None, weights: Weights | None = None, groups: Any = None, time: Any = None,
    gap: int = 0,
) -> Importance:  # fmt: skip
    """Return how much the error rises when each column is shuffled on held-out rows.

    Parameters
    ----------
    model : estimator
        A fitted one is judged on these rows, which must not be those it learned from; one that is not fitted is fitted on
        the other ``folds`` and judged on each fold in turn.
    X, y : rows and their targets
    loss : name, costs matrix or Loss, default=None
    repeats : int, default=10
        Shuffles of each column; more make the figures steadier.
    level, sample_weight, weights, random_state
        As in :func:`cross_validate`. By sampling weights a row is also drawn as a donor, and the error bar is the sandwich's.
    folds : int, default=5
        Folds, so that rows are permuted where the predictor did not see them.
    groups : array (n,), optional
        Rows that belong together (one patient, one machine): they stay in one fold, and the error bar counts groups.
    time : array (n,) or True, optional
        When each row happened; True is the order of the rows. The folds are then those of forward chaining, cells come from rows of other
        blocks of time, and the error bar knows that neighbours resemble each other.
    gap : int, default=0
        As in :func:`cross_validate`, for a model that is not fitted.

    References
    ----------
    Breiman, "Random forests", *Machine Learning* 45, 2001, section 10.

    Examples
    --------
    >>> from epee import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3)); y = X[:, 1] + 0.1 * rng.normal(size=300)
    >>> importance(LinearRegression(), X, y).order[0]
    np.int64(1)
    """
    check_level(level)
    if repeats < 1:
        raise WrongUse(f"repeats is {repeats}; give at least one shuffle.")
    check_said(weights, X, sample_weight)
    check_gap(gap, time)
    X, y, sample_weight, groups, time = named_columns(X, y, sample_weight, groups, time)
    known = None
    if is_stream(X):  # cells are shuffled among all rows: they come together, and leave their names behind
        source = open_source(X, y, sample_weight)
        known, (X, y, sample_weight) = source.names, gather(source)
    X, y, sample_weight, laid, row = in_copies(X, y, sample_weight, weights, groups is None and time is None)
    route = RefitRoute(model, X, y, sample_weight, loss, weights=weights)
    rng = np.random.default_rng(seed_of(random_state))
    together = None if groups is None else group_codes(groups, route.n)
    try:
        check_is_fitted(model)
        judges, how = [(model, np.arange(route.n))], "held-out rows"
        say_one_of(groups, time)
    except NotFittedError:
        plan = plan_for(route, folds, 1, groups, time, None, random_state, laid is not None, gap)
        split, together = plan.splits[0], plan.groups
        assert isinstance(split, Split)
        judges = list(zip(route.models(split), split.tested_rows(), strict=True))
        how = f"rows held out in turn, {folds} folds" if time is None else plan.how
    in_time = time is not None and together is None
    pools = [_in_time(judges, time, route.n)] if in_time else [_Pool.of_one(*judge, together) for judge in judges]
    seen = pools[0].rows if in_time else np.arange(route.n)
    how += ", error bar for rows in time" if in_time else ""
    how += taken_as(route.weight, route.weights) if laid is None else taken_as(laid, "counts")
    how += "" if together is None else f", error bar from {together.max() + 1} groups"
    names, sampled = column_names(route.X) if known is None else list(known), route.sampled
    w = route.counts
    rises, given = np.zeros((len(names), route.n)), np.zeros((len(names), route.n))  # as receiver, as donor
    seeds, plain = rng.integers(2**63, size=len(names)), Laid(1, route.n)
    with progress("importance of columns", len(pools) * len(names)) as tick:
        for pool in pools:
            rows, part = pool.rows, take_rows(route.X, pool.rows)
            for some, said in pool.answers(route, part):
                plain.put(0, rows[some], said, route.value(said, rows[some]))
            base = plain.losses[0, rows]

            def work(j: int, part: Any = part, pool: _Pool = pool) -> tuple[Vector, Vector]:
                return pool.without(
                    route, part, j, w[pool.rows], repeats, np.random.default_rng([seeds[j], len(pool.rows)])
                )

            for j, (received, donated) in enumerate(in_order(work, range(len(names)))):
                rises[j, rows] = received - base
                given[j, rows] = donated
                tick()
    value = rises[:, seen] @ w[seen] / w[seen].sum()
    meant: Weights = "sampling" if sampled else "counts"
    bound = None if together is None else together[seen]
    units = [units_of(pull[seen], w[seen], weights=meant, groups=bound, in_order=in_time) for pull in rises + given]
    free = [u.independent() for u in units]
    ends = [
        skewed_interval(float(v), *u.spread(), n, dof, level) for v, u, (n, dof) in zip(value, units, free, strict=True)
    ]
    stderr = np.array([u.spread()[0] / np.sqrt(n) for u, (n, _) in zip(units, free, strict=True)])
    low, high = np.array(ends).reshape(-1, 2).T
    cautions = [unsaid(route.weight if laid is None else laid, weights)]
    if in_time:
        cautions.append(doubts_of_forecasts(route, route.asked.decode(plain.predictions[0]), seen))
    elif route.at_a_glance:
        one = together if row is None else row
        left = seen_rows(route, plain.losses, plain.predictions, one, groups is not None, row is not None)
        matter = [j for j in np.argsort(-np.abs(value), kind="stable").tolist() if low[j] * high[j] > 0][:MOST_LOOKED]
        stretch, words = _kin(names, rises + given, matter, *left)
        stderr, low, high = stderr * stretch, value - stretch * (value - low), value + stretch * (high - value)
        cautions.append(words)
    heavy = [name for name, u, end in zip(names, units, low, strict=True) if end > 0 and _leans_on_few(u)]
    worth = min(min(n, u.effective) for u, (n, _) in zip(units, free, strict=True))
    if (in_time or together is not None) and worth < FEWEST:
        cautions.append(risk_words.say("caution units", n=whole(worth)))
    errors = mean_loss(
        plain.losses[0, seen], w[seen], loss=route.loss, weights="counts", groups=bound, in_order=in_time
    )
    if errors.caution == "heavy":
        cautions.append(errors.sentence)
    if heavy:
        cautions.append(risk_words.say("caution importance", n=len(heavy), names=", ".join(heavy)))
    return Importance(names, value, stderr, low, high, route.loss.name, level, how, " ".join(filter(None, cautions)))


@dataclass(frozen=True, eq=False)
class _Pool:
    """Rows (m,) that give each other their cells, and who judges which: pairs of a model and of places among the rows, None for all.

    Cells go between rows that are ``apart``: of other groups, or of other blocks of time.
    """

    rows: Codes
    judges: Sequence[tuple[Any, Codes | None]]
    apart: Codes | None

    @classmethod
    def of_one(cls, model: Any, rows: Codes, together: Codes | None) -> _Pool:
        """Return the rows of one judge."""
        return cls(rows, [(model, None)], None if together is None else together[rows])

    def answers(self, route: RefitRoute, table: Any) -> list[tuple[Any, np.ndarray]]:
        """Return the places that each model judges in a table of these rows, and what it says of them."""
        asked = [(asker(model, route.loss, route.classes, checked=False), some) for model, some in self.judges]
        return [
            (slice(None), np.asarray(ask(table))) if some is None else (some, np.asarray(ask(take_rows(table, some))))
            for ask, some in asked
        ]

    def losses(self, route: RefitRoute, table: Any) -> Vector:
        """Return the losses (m,) of the rows, as they stand in a table."""
        found = np.empty(len(self.rows))
        for some, said in self.answers(route, table):
            found[some] = route.value(said, self.rows[some])
        return found

    def without(
        self, route: RefitRoute, table: Any, j: int, w: Vector, repeats: int, rng: np.random.Generator
    ) -> tuple[Vector, Vector]:
        """Return the mean loss (m,) of each row with cells of column ``j`` from others, and of those that got its own, less their mean."""
        received, donated, times = np.zeros((3, len(self.rows)))
        for _ in range(repeats):
            order = _donors(rng, w, self.apart)
            losses = self.losses(route, shuffled(table, j, order))
            received += losses / repeats
            donated += np.bincount(order, w * losses, minlength=len(w))
            times += np.bincount(order, w, minlength=len(w))
        mean = float(donated.sum() / max(times.sum(), 1e-300))
        return received, np.divide(donated, times, out=np.full(len(w), mean), where=times > 0) - mean


def _in_time(judges: list[tuple[Any, Codes]], time: Any, n: int) -> _Pool:
    """Return all rows that are judged, in the order of time and cut into blocks."""
    judge = np.full(n, -1)
    for t, (_, rows) in enumerate(judges):
        judge[rows] = t
    order = np.argsort(places_in_time(time, n), kind="stable")
    order = order[judge[order] >= 0]
    places = [(model, np.flatnonzero(judge[order] == t)) for t, (model, _) in enumerate(judges)]
    return _Pool(order, places, np.arange(len(order)) * min(BLOCKS, len(order)) // len(order))


def _kin(
    names: list[str], pulls: Matrix, matter: list[int], rest: Vector, X: Any, places: Codes | None, columns: Any, target: Vector | None,
    classes: Codes | None, groups: Codes | None, worth: float = 1.0,
) -> tuple[Vector, str]:  # fmt: skip
    """Return by how much the interval of each column is longer, (p,), where rows or groups belong together, and the words that say it.

    What the predictor leaves over tells it, as of a risk. Where that is silent rows may still share the cells that are shuffled: then
    their ``pulls`` (p, n) on the columns that ``matter`` are alike.
    """
    kin = kinship(rest, X, places, columns, target, classes, groups, worth)
    stretch = np.full(len(names), 1.0 if kin is None else float(np.sqrt(kin.effect)))
    if kin is not None and kin.shown():
        return stretch, sentence(kin)
    found: dict[int, Dependence] = {}
    for j in matter:
        pull = pulls[j] if places is None else pulls[j, places]
        shared = kinship(pull, X, places, columns, target, classes, groups, worth, shape=False, times=len(matter))
        if shared is not None:
            stretch[j] = max(stretch[j], float(np.sqrt(shared.effect)))
            found |= {j: shared} if shared.shown() else {}
    if not found:
        return stretch, ""
    first, cells = min(found.values(), key=lambda d: d.p_value), ", ".join(names[j] for j in found)
    r, p = amount(first.correlation, 0.01), p_value(first.p_value)
    return stretch, risk_words.say("caution cells", n=len(found), names=cells, r=r, p=p)


def _leans_on_few(u: Units) -> bool:
    """Tell whether a few rows make the spread of a mean of influences, or their tail is so heavy that others, not seen, would."""
    sd, skewness = u.spread()
    return sd > 0 and (too_dominant(skewness, u.n) or too_heavy(u.sums, u.copies))


def _donors(g: np.random.Generator, w: Vector, groups: Codes | None) -> Codes:
    """Return the row whose cell each row gets: another one, and of another group unless one holds more than half of the rows.

    The rows are laid in a random order, group by group, and their cells moved on by at least as many places as a group has rows. Each
    donates as often as its weight says to less than one: a systematic sample.

    >>> donor = _donors(np.random.default_rng(0), np.ones(4), np.array([0, 0, 1, 1]))
    >>> sorted(donor[:2].tolist()), sorted(donor[2:].tolist())
    ([2, 3], [0, 1])
    """
    n, most = len(w), 1
    order = g.permutation(n)
    if groups is not None:
        order = order[np.argsort(g.permutation(groups.max() + 1)[groups[order]], kind="stable")]
        most = int(np.bincount(groups).max())
    cells, donors = order, np.empty_like(order)
    if np.ptp(w) > 0:
        places = (np.arange(n) + g.random()) * (w.sum() / n)
        cells = order[np.minimum(np.searchsorted(np.cumsum(w[order]), places, side="right"), n - 1)]
    donors[order] = np.roll(cells, g.integers(most, n - most + 1) if 2 * most <= n else g.integers(n))
    return donors
