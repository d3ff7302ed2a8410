"""What the rows say about an interval: the shape of their losses, and whether they belong together.

The error bar of fold means knows nothing of how losses are spread. Where the table is not too large it gets the shape of
:mod:`epee.risk.mean_loss`, and its cautions. Folds share training rows as left-out rows do, so their interval is longer by the same
factor (:mod:`epee.risk.leave_one_out`), where the degrees of freedom are known. And in what the predictor leaves over, dependence is
looked for (:mod:`epee.risk.dependence`): where it is shown, the interval is made longer by the design effect, and says that it cannot be
trusted before the user has told which rows belong together, by ``groups`` or ``time``. Groups that were told may belong together in
turn, as the classes of a school do: their mean residuals are looked at as those of rows are. All estimates ask :func:`kinship`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from epee.engines.local import one_blas_thread
from epee.moments.taken import take
from epee.risk.copies import copies_of, looked_at
from epee.risk.cross_validation import CrossValidation
from epee.risk.dependence import Dependence, dependence
from epee.risk.dof import sharing, spread_of_squares
from epee.risk.edges import missed_far_out, reaches_of_a_line
from epee.risk.estimate import Risk
from epee.risk.intervals import Interval, t_quantile, within_range
from epee.risk.mean_loss import MeanLoss, ends_of, mean_loss, summary_interval
from epee.risk.mutual import of_classes, ratio_of_mutual
from epee.risk.route import Route
from epee.risk.splitting import Pairs, Plan, parted
from epee.risk.tied_rows import share_inputs
from epee.risk.units import stands_for_rows
from epee.table.doors import is_stream, width_of
from epee.table.sparse import is_sparse, laid_out
from epee.table.taking import column_names, take_rows
from epee.typing import Codes, Vector
from epee.words import risk_words
from epee.words.numbers import amount, p_value

MOST_ROWS, STRETCHES = 2_000, 20  # in which dependence is looked for, and from how many places they come
FEWEST_ROWS, FEWEST_GROUPS = 50, 20
BETWEEN = 2.0  # times the mean square within groups: an input of rows that are independent has 1
OF_GROUPS = {"order": "file", "season": "file", "slope": "file", "column": "column"}  # what is said of them
ALARM, DOUBT = 0.01, 0.05  # p-values, of all that is tried together, below which intervals are marked, and longer

R = TypeVar("R", bound=Risk)


def shaped(found: CrossValidation, route: Route, plan: Plan) -> CrossValidation:
    """Return a cross-validation of folds whose interval follows the losses of its rows; of a rate, what rows do to each other's labels."""
    losses = np.atleast_2d(found.losses)  # (R, n), NaN of a row that a test set leaves out
    repeats, tested = len(losses), np.maximum((~np.isnan(losses)).sum(axis=0), 1)
    weight, units = np.tile(route.counts / tested, repeats), _units(route, plan, repeats)
    of_rows = partial(mean_loss, losses.ravel(), weight, loss=route.loss, weights="counts", groups=units)
    plain: MeanLoss = of_rows(level=found.level)
    if found.n_folds < 3:
        return replace(found, caution=plain.sentence)
    if not found.stderr > 0:  # folds of equal means, whatever their rows
        return found if route.loss.is_rate or not route.loss.rowwise else _as_rows(found, of_rows)
    if len(plan.parted_groups):  # then folds share them, and vary less than groups do
        found = replace(found, stderr=max(found.stderr, plain.stderr))
    ratio = turned(route, plan)
    if route.loss.is_rate:
        worth = min(found.n, found.value * (1 - found.value) / plain.stderr**2) / ratio
        ends_at = partial(summary_interval, found.value, found.stderr, found.dof, worth, route.loss)
        return replace(found, interval=ends_at(found.level), caution=plain.sentence, ends_at=ends_at)
    mean = np.where(np.isnan(losses), 0.0, losses).sum(axis=0) / tested
    seen = ~np.isnan(losses).all(axis=0)
    spread = spread_of_squares(mean[seen], route.counts[seen], route.loss)
    many = float(route.counts.sum()) if plan.groups is None else float(len(np.unique(plan.groups)))
    bar = found.stderr * sharing(route.freedom, many, spread)
    least = float(np.sqrt(ratio)) if of_classes(route) else 0.0  # no fold knows more of classes than all rows
    ends_at = partial(shaped_ends, of_rows, found.value, bar, found.dof, route.loss, least=least)
    return replace(found, interval=ends_at(found.level), caution=plain.sentence, ends_at=ends_at)


def _as_rows(found: CrossValidation, of_rows: Callable[..., MeanLoss]) -> CrossValidation:
    """Return a cross-validation with the error bar of its rows, where folds show none."""
    ends_at = partial(ends_of, partial(of_rows, centre=found.value))
    plain = of_rows(level=found.level)
    return replace(found, stderr=plain.stderr, interval=ends_at(found.level), caution=plain.sentence, ends_at=ends_at)


def bound_together(route: Route, plan: Plan) -> tuple[Codes | None, str]:
    """Return which rows belong together, groups that were told or else copies, and a caution where folds that a user gave part them.

    Numbered folds know both, and keep them whole.
    """
    if plan.groups is not None:
        k = len(plan.parted_groups)
        return plan.groups, risk_words.say("caution groups parted", n=k, k=int(plan.groups.max()) + 1) if k else ""
    if not plan.given:
        return None, ""
    few = looked_at(route.inputs, route.n) and not stands_for_rows(route.weight, route.weights)
    copies = copies_of(route.inputs, route.raw[1], route.n) if few else None
    if copies is None:
        return None, ""
    many = int(np.isin(copies, parted(plan.splits, copies)).sum())
    return copies, risk_words.say("caution parted", n=many) if many else ""


def turned(route: Route, plan: Plan) -> float:
    """Return how many times the variance of a mean loss of classes is that of rows or groups which do not turn each other's labels.

    Folds of predictors that are no merges, or that do not part the rows, are not asked: it would take several times the fits.
    """
    if isinstance(plan.splits[0], Pairs) or not of_classes(route):
        return 1.0
    if not (route.one_pass and route.at_a_glance) or route.n > MOST_ROWS:
        return 1.0
    alone = route.sampled or not (route.counts > 1).any()  # copies are rows of their own
    return ratio_of_mutual(route, plan.n_folds, plan.groups) if alone else 1.0


def _units(route: Route, plan: Plan, repeats: int) -> Codes | None:
    """Return which losses of all repeats belong to one unit: a group, or a row that stands for a share of a population."""
    one = plan.groups if plan.groups is not None else np.arange(route.n) if route.sampled else None
    return None if one is None else np.tile(one, repeats)


def shaped_ends(
    of_rows: Callable[..., MeanLoss],
    value: float,
    stderr: float,
    dof: float,
    loss: Any,
    level: float,
    *,
    least: float = 0.0,
) -> Interval:
    """Return the interval of the rows' losses about the mean of the folds, as long as the error bar of the folds makes it.

    It is at ``least`` so many times as long as that of rows that share nothing.
    """
    plain = of_rows(level=level)
    if not plain.stderr > 0:
        return within_range(Interval(value, value), loss)
    longer = t_quantile(level, dof) / t_quantile(level, max(plain.dof, 1.0))
    return of_rows(level=level, centre=value, stretch=max(longer * stderr / plain.stderr, least)).interval


def watched(
    found: R, rest: Vector, X: Any, places: Codes | None, columns: Any, target: Vector | None, *seen: Any, v: Vector | None = None
) -> R:  # fmt: skip
    """Return an estimate whose interval is longer, and marked, where :func:`kinship` finds that rows, or groups, belong together.

    It is marked, too, where what the predictor leaves over of numbers follows inputs that reach far out, by ``v`` (n,) or as they lie.
    """
    v = v if v is None or places is None else v[places]
    said = "" if target is None else _missed(rest, X, places, target, v)
    found = replace(found, caution=f"{found.caution} {said}".strip()) if said else found
    return marked(found, kinship(rest, X, places, columns, target, *seen))


def _missed(rest: Vector, X: Any, places: Codes | None, target: Vector, v: Vector | None) -> str:
    """Return what to say of residuals that follow far inputs: of some rows of a large table."""
    rows = _some_rows(len(rest))
    rows = rows[np.isfinite(rest[rows])]
    cells = _numbers(X, rows if places is None else places[rows]) if len(rows) >= FEWEST_ROWS else None
    if cells is None or not np.isfinite(cells).all():
        return ""
    cells = cells.astype(np.float64)
    with one_blas_thread():
        v = reaches_of_a_line(cells) if v is None else v[rows]
        return missed_far_out(rest[rows], (target - rest)[rows], v, cells)


def kinship(
    residuals: Vector, X: Any, places: Codes | None = None, columns: Sequence[tuple[str, Any]] = (), target: Vector | None = None,
    classes: Codes | None = None, groups: Codes | None = None, worth: float = 1.0, shape: bool = True, times: int = 1,
) -> Dependence | None:  # fmt: skip
    r"""Return how rows, or the ``groups`` that were told, most certainly belong together; None where they are few, or no doubt is left.

    Independence is refuted at 1 % before anything is said. What is weak is refuted half of the time, and in the other half its intervals
    would be too short; so what is doubtful at 5 % is returned, too, and makes them longer.

    ``X`` are the inputs, wherever they lie, and ``places`` those of the residuals in it, where they are not all; ``columns`` are pairs of a
    name and its values, of columns that are no numbers. ``target`` are the numbers of which the residuals are left, ``classes`` the codes
    of those whose losses they are, ``shape`` says whether what inputs tell is taken off; p-values are adjusted for so many ``times``.

    Each row that is looked at is ``worth`` :math:`v` rows on average, by its weight. Pairs of rows count :math:`v^2` times then, and rows
    :math:`v` times: a design effect :math:`D` becomes :math:`1 + v (D - 1)`. A table of cells and their counts lists each kind of row once,
    in an order of its own: nothing is looked for there.
    """
    if groups is not None:
        return _kinship_of_groups(groups, residuals, X, columns, target, classes, shape, times)
    if np.isfinite(residuals).sum() < FEWEST_ROWS or not np.nanstd(residuals) > 0:
        return None
    rows = _some_rows(len(residuals))
    beside = [(name, np.asarray(values)[rows]) for name, values in columns]
    inputs = _numbers(X, rows if places is None else places[rows])
    target, classes = None if target is None else target[rows], None if classes is None else classes[rows]
    if not shape and inputs is None:
        return None  # nobody knows what inputs tell
    if worth > 1 and (inputs is None or share_inputs(inputs, len(rows))):
        return None
    if not shape and target is not None:
        target = _if_sorted(target)
    with one_blas_thread():  # matrices so small that BLAS's own threads would only wait for each other
        found = dependence(residuals[rows], inputs, columns=beside, target=target, classes=classes, shape=shape)
    return _doubted([replace(d, effect=1 + worth * (d.effect - 1)) for d in found], times)


def _doubted(tried: Sequence[Dependence], times: int) -> Dependence | None:
    """Return the most certain of what was tried, its p-value adjusted for so many ``times``; None where that leaves no doubt."""
    first = min(tried, key=lambda d: d.p_value, default=None)
    return replace(first, p_value=times * first.p_value) if first is not None and first.shown(DOUBT / times) else None


def _some_rows(n: int) -> Codes:
    """Return the rows that are looked at: all, or stretches of successive ones, spread over the table."""
    if n <= MOST_ROWS:
        return np.arange(n)
    each = MOST_ROWS // STRETCHES
    return (np.linspace(0, n - each, STRETCHES).astype(np.intp)[:, None] + np.arange(each)).ravel()


def _kinship_of_groups(
    groups: Codes, rest: Vector, X: Any, columns: Sequence[tuple[str, Any]], target: Vector | None, classes: Codes | None, shape: bool,
    times: int,
) -> Dependence | None:  # fmt: skip
    r"""Return how ``groups``, coded from 0, most certainly belong together.

    The mean :math:`\bar r_g` of the ``rest`` of :math:`m` rows with the intraclass correlation :math:`\rho` has the same variance in all
    groups once multiplied by :math:`\sqrt{m / (1 + (m - 1) \rho)}`. Groups follow each other as they first occur in the file, with their
    mean inputs. Who says that each row is a group has answered: nothing is looked for. What binds rows across groups, as an item that many
    persons answer, is looked for in their deviations from :math:`\bar r_g`: beside the design effect :math:`D_g` of groups its own
    :math:`D` makes the variance :math:`1 + (D - 1) / D_g` times as large.
    """
    size = np.bincount(groups)
    G, n = len(size), len(groups)
    if not FEWEST_GROUPS <= G < n or not np.isfinite(rest).all() or not np.ptp(rest) > 0:
        return None
    first = np.unique(groups, return_index=True)[1]
    few, some = _some_rows(n), np.argsort(first)[_some_rows(G)]
    of_class = np.zeros(n, dtype=np.intp) if classes is None else classes
    rest = rest - (np.bincount(of_class, rest) / np.maximum(np.bincount(of_class), 1))[of_class]
    words = _words(X, columns)
    inputs, names, beside = _of_groups(X, groups, first, words)
    told = None if target is None else _if_sorted(target[first][some])  # groups are few
    with one_blas_thread():
        tried = dependence(rest[few], columns=[("", groups[few])])
        rho = max((d.correlation for d in tried if d.kind == "column"), default=0.0)
        sums = np.bincount(groups, rest)
        scaled = sums / np.sqrt(size * (1 + (size - 1) * max(rho, 0.0)))
        across = (rest - (sums / size)[groups])[few]
        crossed = dependence(across, _numbers(X, few), columns=[(name, x[few]) for name, x in words], shape=shape)
        ways = dependence(
            scaled[some], None if inputs is None else inputs[some], columns=[(name, own[some]) for name, own in beside],
            target=told, shape=shape,
        )  # fmt: skip
    named, apart = [d for d in crossed if d.kind == "column"], 1 + (float(size @ size) / n - 1) * max(rho, 0.0)
    both = [replace(d, whose="groups") for d in ways]
    both += [replace(d, whose="crossed", effect=1 + (d.effect - 1) / apart) for d in named]
    shown = _doubted(both, times * (1 + bool(named)))
    if shown is None or shown.kind != "column" or shown.name in dict(words):
        return shown
    names = names if shown.whose == "groups" else _names(X, width_of(X))
    return replace(shown, name=names[int(shown.name)])


def _words(X: Any, columns: Sequence[tuple[str, Any]]) -> list[tuple[str, np.ndarray]]:
    """Return the columns that are no numbers, by their names: those that are given, and those of a table that has some."""
    named = [(str(name), np.asarray(values)) for name, values in columns]
    if is_stream(X) or is_sparse(X) or len(np.shape(X)) != 2 or np.asarray(X).dtype.kind in "fiub":
        return named
    cells = np.asarray(X, dtype=object)
    named += zip(_names(X, cells.shape[1]), cells.T, strict=True)
    return [(name, x) for name, x in named if x.dtype != object or isinstance(x[0], str)]


def _names(X: Any, p: int) -> list[str]:
    """Return the names of ``p`` columns: their numbers, where they pass by."""
    return [str(j) for j in range(p)] if is_stream(X) else column_names(X)


def _if_sorted(target: Vector) -> Vector | None:
    """Return numbers of which it is asked no more than whether the file is sorted by them."""
    return None if np.ptp(np.sign(np.diff(target.astype(np.float64)))) > 1 else target


def _of_groups(
    X: Any, groups: Codes, first: Codes, words: Sequence[tuple[str, np.ndarray]]
) -> tuple[np.ndarray | None, list[str], list[tuple[str, np.ndarray]]]:
    """Return the mean inputs (G, p) of groups and their names, and the columns that are no numbers and constant in each group.

    Inputs that vary within groups nearly as much as between them say nothing of these, and are left out.
    """
    inputs, names = None, []
    cells, size = _numbers(X, np.arange(len(groups))), np.bincount(groups)
    if cells is not None:
        G, n = len(size), len(groups)
        sums = np.array([np.bincount(groups, x.astype(np.float64)) for x in cells.T]).reshape(-1, G)
        means = np.where((cells == cells[first][groups]).all(axis=0), cells[first], sums.T / size[:, None])
        between = size @ np.square(means - cells.mean(axis=0)) / (G - 1)
        own = np.flatnonzero(between > BETWEEN * np.square(cells - means[groups]).sum(axis=0) / (n - G))
        every = _names(X, cells.shape[1])
        inputs, names = means[:, own] if len(own) else None, [every[j] for j in own]
    return inputs, names, [(name, x[first]) for name, x in words if (x == x[first][groups]).all()]


def marked(found: R, shown: Dependence | None) -> R:
    """Return an estimate with a longer interval, and the sentence that says why, unless that is a mere doubt."""
    if shown is None:
        return found
    longer, words = float(np.sqrt(shown.effect)), sentence(shown)
    ends_at = partial(longer_ends, found.at, longer, None)
    return replace(
        found, stderr=found.stderr * longer, interval=ends_at(found.level), ends_at=ends_at, kin=words, how=f"{found.how}{doubt(shown)}",
        caution=f"{words} {found.caution}".strip(),
    )  # fmt: skip


def doubt(shown: Dependence | None) -> str:
    """Return the words that say of an error bar that it is longer for a mere doubt, to be put behind how it was found."""
    if shown is None or shown.shown(ALARM) or not shown.effect > 1:
        return ""
    return f", longer, since rows may belong together (p {p_value(shown.p_value)})"


def sentence(shown: Dependence | None) -> str:
    """Say in which way rows, or groups, belong together; nothing where that is doubted, and not shown."""
    if shown is None or not shown.shown(ALARM):
        return ""
    way = OF_GROUPS.get(shown.kind, "inputs") if shown.whose == "groups" else shown.way
    r, p = amount(shown.correlation, 0.01), p_value(shown.p_value)
    return risk_words.say(f"caution {shown.whose} {way}", r=r, p=p, name=shown.name)


def longer_ends(at: Callable[[float], Risk], factor: float, dof: float | None, level: float) -> Interval:
    """Return the interval of a figure that is longer by a factor, and by Student's law where ``dof`` degrees of freedom are fewer."""
    found = at(level)
    if dof is not None:
        factor *= max(t_quantile(level, max(dof, 1.0)) / t_quantile(level, max(found.dof, 1.0)), 1.0)
    low, high = (found.value + factor * (end - found.value) for end in found.interval)
    return found.within(Interval(low, high))


def seen_rows(
    route: Route, losses: np.ndarray, predictions: np.ndarray, together: Codes | None = None, told: bool = False, counted: bool = False
) -> tuple[Any, ...]:  # fmt: skip
    """Return what :func:`kinship` asks for: what the predictor leaves over, residuals of a number or losses, the inputs, and so on.

    Rows that are ``together`` are groups that somebody ``told``, or copies, of which one is looked at; it is worth all of them where
    they are ``counted``, and copies because a count says so. Rows of weight 0 are none.
    """
    target, codes = target_of(route, predictions), route.codes
    rest = _once(losses) if target is None else target - _once(predictions)
    if told:
        return _of_tested(rest, route.inputs, target, codes, together)
    some, worth = looked_rows(route.weight, route.counts, together)
    if counted and some is not None:
        worth = route.n / len(some)
    if some is None:
        return rest, route.inputs, None, (), target, codes, None, worth
    own = [None if a is None else a[some] for a in (target, codes)]
    return rest[some], route.inputs, some, (), *own, None, worth


def _once(values: np.ndarray) -> Vector:
    """Return values (n,) of the first of some repeats (R, n); of test sets that leave rows out, or share some, the mean of a row.

    >>> _once(np.array([[1.0, np.nan, np.nan], [3.0, 4.0, np.nan]])).tolist()
    [2.0, 4.0, nan]
    """
    if values.ndim == 1 or not np.isnan(values[0]).any():
        return values if values.ndim == 1 else values[0]
    seen = ~np.isnan(values)
    many = seen.sum(axis=0)
    return np.divide(
        np.where(seen, values, 0.0).sum(axis=0), many, out=np.full(values.shape[1], np.nan), where=many > 0
    )


def _of_tested(
    rest: Vector, X: Any, target: Vector | None, codes: Codes | None, groups: Codes | None
) -> tuple[Any, ...]:
    """Return what :func:`kinship` asks for of rows whose groups were told; of those that were tested, where folds leave some out."""
    own = np.flatnonzero(~np.isnan(rest))
    if len(own) == len(rest) or is_stream(X) or groups is None:
        return rest, X, None, (), target, codes, groups
    of_own = [None if a is None else a[own] for a in (target, codes)]
    return rest[own], take_rows(X, own), None, (), *of_own, np.unique(groups[own], return_inverse=True)[1].reshape(-1)


def looked_rows(
    weight: Vector | None, counts: Vector | None, together: Codes | None = None
) -> tuple[Codes | None, float]:
    """Return the rows that are looked at, None for all, and how many rows each is worth on average, by ``counts`` of them.

    >>> looked_rows(np.array([3.0, 0.0, 1.0]), np.array([3.0, 0.0, 1.0]))
    (array([0, 2]), 2.0)
    """
    some = None if together is None else np.sort(np.unique(together, return_index=True)[1])
    if weight is None or counts is None:
        return some, 1.0
    if not (weight > 0).all():
        some = np.flatnonzero(weight > 0) if some is None else some[weight[some] > 0]
    return some, float(counts.sum()) / max(len(weight) if some is None else len(some), 1)


def positive(
    left: tuple[Any, ...], weight: Vector | None, counts: Vector | None, groups: Codes | None
) -> tuple[Any, ...]:
    """Return what :func:`kinship` asks for, of rows with their weights: of all rows of ``groups`` that were told, else of those that count.

    ``left`` are residuals (n,), inputs, None, columns, target and classes of all rows.
    """
    some, worth = (None, 1.0) if groups is not None else looked_rows(weight, counts)
    if some is None:
        return *left, groups, worth
    rest, X, _, columns, *own = left
    return rest[some], X, some, columns, *(None if a is None else a[some] for a in own), None, worth


def target_of(route: Route, predictions: np.ndarray) -> Vector | None:
    """Return the numbers (n,) of which the predictor leaves residuals; None where it leaves losses."""
    one = route.codes is None and route.truth.ndim == 1 and predictions.dtype.kind == "f"
    return route.truth if one and predictions.shape[-1:] == route.truth.shape else None


def _numbers(X: Any, rows: Codes) -> np.ndarray | None:
    """Return the inputs of some rows, of ascending numbers, as numbers; None where they are not."""
    if is_stream(X):
        X, rows = take(X, rows).X, np.arange(len(rows))
    if len(np.shape(X)) != 2:
        return None
    cells = laid_out(X.tocsr()[rows]) if is_sparse(X) else np.asarray(X)[rows]
    return cells if cells.dtype.kind in "fiub" and np.isfinite(cells).any(axis=0).all() else None
