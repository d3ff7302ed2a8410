"""Who learns from which rows, and who is tested on them.

Rows are cut into *cells*. Model ``t`` learns from the union of the cells ``learns[t]``; in repeat ``r`` the rows of cell ``c``
are tested by the model ``tested_by[r, c]``, which never saw them. A K-fold cross-validation has K cells and K models, each
learning from all cells but its own; forward chaining learns from the cells before, or from those before a gap; repeats over
*fine folds* share some hundred small cells and only regroup them. What cannot be written so (overlapping test sets of a
splitter) is kept as explicit sets of rows.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from epee.errors import DataError, DataWarning, WrongUse
from epee.estimator.base import say
from epee.table.folds import assign_folds, check_folds
from epee.table.times import has_texts, moments_of_texts
from epee.typing import Codes, Vector

FINE_FOLDS = 200
FIRST_STRETCH = 1 / 3  # of the rows in time, before anything is tested


@dataclass(frozen=True, eq=False)
class Deal:
    """Cells that follow from a rule as rows pass: ``strata`` classes, or None, and the seed; see :mod:`epee.table.folds`."""

    seed: int
    strata: int | None = None


@dataclass(frozen=True)
class Split:
    """Cells, and the models that learn from their unions; see the module docstring."""

    cell: Any  # (n,), -1 for a row that takes no part; or the rule by which rows are dealt as they pass
    learns: np.ndarray  # (T, C) bool
    tested_by: np.ndarray  # (R, C) int, -1 where a cell is not tested
    fold_of_cell: np.ndarray | None = None  # (R, C) int, for repeats that deal fine folds to K folds at random

    @property
    def n_models(self) -> int:
        """Number of models, T."""
        return len(self.learns)

    @property
    def n_cells(self) -> int:
        """Number of cells, C."""
        return self.learns.shape[1]

    @property
    def repeats(self) -> int:
        """Number of repeats, R: how often each row is tested."""
        return len(self.tested_by)

    @cached_property
    def is_kfold(self) -> bool:
        """Tell whether each model learns from all cells but its own."""
        T, C = self.learns.shape
        return T == C and not np.diagonal(self.learns).any() and int(self.learns.sum()) == C * (C - 1)

    @cached_property
    def rows_of(self) -> list[np.ndarray]:
        """The rows of each cell."""
        order = np.argsort(self.cell, kind="stable")
        counts = np.bincount(self.cell + 1, minlength=self.n_cells + 1)
        return np.split(order[counts[0] :], np.cumsum(counts[1:])[:-1])

    def tests(self) -> np.ndarray:
        """Return which cells each model is tested on, (T, C) bool."""
        out = np.zeros(self.learns.shape, dtype=bool)
        r, c = np.nonzero(self.tested_by >= 0)
        out[self.tested_by[r, c], c] = True
        return out

    def models_of_rows(self) -> np.ndarray:
        """Return which model tests each row in each repeat, (R, n), -1 for none."""
        padded = np.hstack([self.tested_by, np.full((self.repeats, 1), -1)])
        return padded[:, self.cell]

    def tested_rows(self) -> list[np.ndarray]:
        """Return the rows that each model is tested on, of whichever repeat."""
        return [
            np.flatnonzero(tested[self.cell])
            for tested in np.hstack([self.tests(), np.zeros((self.n_models, 1), bool)])
        ]

    def training_rows(self, t: int) -> np.ndarray:
        """Return the rows that model ``t`` learns from."""
        return np.flatnonzero(np.append(self.learns[t], False)[self.cell])


@dataclass(frozen=True)
class Pairs:
    """Explicit sets of training and test rows, when test sets overlap or training sets are not what remains."""

    n: int
    train: list[np.ndarray]
    test: list[np.ndarray]

    @property
    def n_models(self) -> int:
        """Number of models."""
        return len(self.train)


@dataclass(frozen=True)
class Plan:
    """A whole cross-validation: splits, folds a repeat, and how to say it."""

    splits: list[Any]  # of Split or of Pairs
    n_folds: int
    repeats: int
    how: str
    groups: Codes | None = field(default=None, repr=False)
    seed: int = 0
    given: bool = False  # by a user, as ids or by a splitter

    @cached_property
    def overlap(self) -> float:
        """The share of its rows that a test set has in common with another one, on average; 0 of folds that part the rows."""
        if not isinstance(self.splits[0], Pairs) or self.n_folds < 2:
            return 0.0
        often = np.bincount(np.concatenate(self.splits[0].test)).astype(np.float64)
        return float(often @ (often - 1) / ((self.n_folds - 1) * often.sum()))

    @cached_property
    def parted_groups(self) -> Codes:
        """The groups of which some rows are tested by a model that learned from others."""
        return parted(self.splits, self.groups) if self.groups is not None else np.empty(0, dtype=np.intp)


def parted(splits: list[Any], units: Codes) -> Codes:
    """Return the units, of codes (n,) from 0, of which some rows are tested by a model that learned from others.

    >>> parted([kfold(np.array([0, 1, 1, 1]), 2)], np.array([0, 0, 1, 1]))
    array([0])
    """
    seen = np.zeros(int(units.max()) + 1, dtype=bool)
    for split in splits:
        if isinstance(split, Pairs):
            for train, test in zip(split.train, split.test, strict=True):
                seen[np.intersect1d(units[train], units[test])] = True
        else:
            pairs = np.unique(np.stack([units, split.cell])[:, split.cell >= 0], axis=1)
            seen |= np.bincount(pairs[0], minlength=len(seen)) > 1
    return np.flatnonzero(seen)


def kfold(cell: Codes | Deal, n_folds: int) -> Split:
    """Return the split whose cells are folds."""
    cell = cell if isinstance(cell, Deal) else np.asarray(cell, dtype=np.intp)
    return Split(cell, ~np.eye(n_folds, dtype=bool), np.arange(n_folds)[None])


def all_rows(n: int) -> Split:
    """Return the split of one model that learns from all ``n`` rows and is tested on them."""
    return Split(np.zeros(n, dtype=np.int8), np.ones((1, 1), dtype=bool), np.zeros((1, 1), dtype=np.intp))


def seed_of(random_state: Any) -> int:
    """Return a whole number from a ``random_state``; None is 0, so that folds are the same each time."""
    if random_state is None:
        return 0
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise WrongUse(f"random_state is {random_state!r}; give a whole number, a NumPy generator or None.")


def repeat_seed(seed: int, r: int) -> int:
    """Return the seed of repeat ``r``; the first repeat has the seed itself."""
    return seed if r == 0 else zlib.crc32(f"{seed}:{r}".encode())


def make_plan(
    folds: Any, n: int, *, codes: Codes | None = None, classes: Any = None, repeats: int = 1, groups: Any = None,
    time: Any = None, random_state: Any = None, X: Any = None, y: Any = None, copies: Codes | None = None, gap: int = 0,
) -> Plan:  # fmt: skip
    """Return the plan that a user means by ``folds`` and its companions.

    ``codes`` are what the folds are stratified by, None for no strata; ``copies`` are equal for rows that are dealt as one; ``gap`` is how
    many moments lie between the last that is learned from and the first that is tested.
    """
    _check_repeats(repeats)
    check_gap(gap, time)
    if time is not None:
        if groups is not None:
            say(
                "the folds follow time alone: a group may have rows before and after a cut. Give groups or time, not both."
            )
        return _forward(folds, n, time, int(gap))
    if isinstance(folds, str):
        if folds != "loo":
            raise WrongUse(f"folds is {folds!r}; give a number, 'loo', a splitter, or an array of fold ids.")
        ids = copies if groups is None else group_codes(groups, n)
        K = n if ids is None else int(ids.max()) + 1
        check_folds(K, n)
        how = "leave-one-out" + (
            "" if ids is None else ", copies of a row together" if groups is None else ", a group at a time"
        )
        return Plan([kfold(np.arange(n) if ids is None else ids, K)] if K <= 5000 else [], K, 1, how, ids)
    if isinstance(folds, int | np.integer | float):
        return _numbered(float(folds), n, codes, classes, int(repeats), groups, random_state, copies)
    if hasattr(folds, "split"):
        return _from_pairs(folds.split(X if X is not None else np.zeros((n, 1)), y, groups), n)
    listed = isinstance(folds, list | tuple)
    if listed and len(folds) and isinstance(folds[0], tuple) and len(folds[0]) == 2:
        return _from_pairs(folds, n)
    return _from_ids(np.asarray(folds), n, repeats) if listed or hasattr(folds, "__array__") else _from_pairs(folds, n)


def _check_repeats(repeats: Any) -> None:
    if repeats < 1 or int(repeats) != repeats:
        raise WrongUse(f"repeats is {repeats!r}; it must be a whole number of at least 1.")


def _numbered(
    folds: float, n: int, codes: Codes | None, classes: Any, repeats: int, groups: Any, random_state: Any, copies: Codes | None
) -> Plan:  # fmt: skip
    check_folds(int(folds) if folds == int(folds) else folds, n)  # type: ignore[arg-type]
    K, seed = int(folds), seed_of(random_state)
    if groups is not None:
        ids = group_codes(groups, n)
        splits = [kfold(_by_group(ids, K, repeat_seed(seed, r)), K) for r in range(repeats)]
        return Plan(splits, K, repeats, _said(K, repeats, how=" by group"), ids)
    if codes is not None:
        check_strata(np.bincount(codes), K, classes)
    how = _said(K, repeats, codes is not None)
    rows: Any = slice(None)
    if copies is not None and int(copies.max()) + 1 >= K:
        first = np.unique(copies, return_index=True)[1]
        rows, n, codes = copies, len(first), None if codes is None else codes[first]
        how = f"{how}, copies of a row together"
    else:
        copies = None
    sizes = np.array([n]) if codes is None else np.bincount(codes)
    splits = _repeated(lambda cells, seed: assign_folds(codes, n, cells, seed)[rows], sizes, K, repeats, seed)
    return Plan(splits, K, repeats, how, copies)


def deal_plan(
    K: int, n: int, counts: np.ndarray, stratified: bool, classes: Any, repeats: int, random_state: Any
) -> Plan:  # fmt: skip
    """Return the plan of rows that pass by, ``counts`` of each class: the folds that the same rows have in memory."""
    _check_repeats(repeats)
    check_folds(K, n)
    seed, by_class = seed_of(random_state), stratified and classes is not None
    sizes = counts if by_class else np.array([n])
    if by_class:
        check_strata(sizes, K, classes)
    strata = len(counts) if by_class else None
    splits = _repeated(lambda cells, seed: Deal(seed, strata), sizes, K, repeats, seed)
    return Plan(splits, K, repeats, _said(K, repeats, by_class), seed=seed)


def _said(K: int, repeats: int, stratified: bool = False, how: str = "") -> str:
    times = f", repeated {repeats} times" if repeats > 1 else ""
    return f"{'stratified ' if stratified else ''}{K}-fold cross-validation{how}{times}"


def _repeated(
    deal: Callable[[int, int], Codes | Deal], sizes: np.ndarray, K: int, repeats: int, seed: int
) -> list[Split]:
    """Return the splits of numbered folds, where ``deal`` gives so many cells by a seed: fine folds dealt anew, or each repeat its own."""
    fine = fine_cells(sizes, K)
    if repeats > 1 and fine:
        return [regrouped(deal(fine, seed), fine, K, repeats, seed)]
    return [kfold(deal(K, repeat_seed(seed, r)), K) for r in range(repeats)]


def fine_cells(sizes: np.ndarray, n_folds: int) -> int:
    """Return how many fine folds to cut of classes of these ``sizes``, 0 when the rows are too few for balanced unions of them.

    Each class needs some thirty rows a fine fold, so that unions of fine folds stay stratified to a few rows in a hundred.
    """
    smallest = int(sizes.min())
    fine = -(-FINE_FOLDS // n_folds) * n_folds
    return fine if n_folds <= FINE_FOLDS // 2 and smallest >= 30 * fine else 0


def regrouped(cell: Codes | Deal, fine: int, n_folds: int, repeats: int, seed: int) -> Split:
    """Return repeats that share fine folds: each deals them to the folds anew."""
    rng = np.random.default_rng(seed)
    deal = np.arange(fine) % n_folds
    fold = np.stack([deal[rng.permutation(fine)] for _ in range(repeats)])  # (R, fine)
    tested_by = fold + n_folds * np.arange(repeats)[:, None]
    learns = (fold[:, None, :] != np.arange(n_folds)[None, :, None]).reshape(-1, fine)
    return Split(cell, learns, tested_by, fold)


def check_strata(counts: np.ndarray, n_folds: int, classes: Any = None) -> None:
    """Say what happens to a class with fewer members than folds, of which ``counts`` tell; refuse a class of one."""
    present = np.flatnonzero(counts)
    k = int(present[np.argmin(counts[present])])
    name = classes[k] if classes is not None else k
    name = name.item() if hasattr(name, "item") else name
    if counts[k] == 1 and len(present) > 1:
        raise DataError(
            f"class {name!r} has one member only: when it is tested, nothing is left to learn the class from. "
            "Add rows of it, merge it with another class, or drop it."
        )
    if counts[k] < n_folds:
        say(
            f"class {name!r} has {counts[k]} members, fewer than the {n_folds} folds: its rows go to {counts[k]} different "
            f"folds, the other {n_folds - counts[k]} are tested without it. Take at most {counts[k]} folds to have it in each.",
            DataWarning,
        )


def group_codes(groups: Any, n: int) -> Codes:
    """Return groups as codes 0 ... G-1."""
    values = np.asarray(groups)
    if values.shape != (n,):
        raise DataError(f"groups has shape {values.shape}; give one group for each of the {n} rows.")
    _refuse_nan("groups", values)
    try:
        codes: Codes = np.unique(values, return_inverse=True)[1].reshape(-1)
    except TypeError:
        raise DataError("groups holds texts beside numbers, which have no order: give all of them as texts.") from None
    return codes


def _by_group(ids: Codes, n_folds: int, seed: int) -> Codes:
    """Return folds of whole groups, of nearly equal sizes: the largest groups go first, each to the lightest fold."""
    sizes = np.bincount(ids)
    if len(sizes) < n_folds:
        raise DataError(f"folds is {n_folds}, but there are only {len(sizes)} groups: take at most {len(sizes)} folds.")
    order = np.random.default_rng(seed).permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    fold, load = np.empty(len(sizes), dtype=np.intp), np.zeros(n_folds)
    for g in order:
        fold[g] = np.argmin(load)
        load[fold[g]] += sizes[g]
    return fold[ids]


def say_one_of(groups: Any, time: Any) -> None:
    """Say that an error bar counts groups alone, where rows are told to be in time, too."""
    if groups is not None and time is not None:
        say(
            "the error bar counts groups alone: rows of different groups are taken as independent, whenever they happened. "
            "Give groups or time, not both."
        )


def check_weighed(weight: Vector | None) -> None:
    """Refuse weights of which fewer than two are above 0."""
    if weight is not None and np.count_nonzero(weight > 0) < 2:
        raise DataError(
            "fewer than two rows have a weight above 0: nothing is left to predict one of them from. Give more rows a weight."
        )


def check_gap(gap: Any, time: Any) -> None:
    """Refuse a gap that is no number of moments, or where nothing follows in time."""
    if isinstance(gap, bool | np.timedelta64) or not isinstance(gap, int | np.integer) or gap < 0:
        raise WrongUse(
            f"gap is {gap!r}; give the whole number of moments that lie between learning and testing, 0 or more."
        )
    if gap and time is None:
        raise WrongUse(f"gap is {gap}, but nothing says when rows happened: give time, too.")


def check_order(time: Any, repeats: Any, stratify: Any) -> None:
    """Refuse what has no meaning where folds follow time: they are the same each time, and no class tells who goes where."""
    if time is None:
        return
    if repeats not in (None, 1):
        raise WrongUse(
            f"repeats is {repeats!r}, but with time the folds follow from the order of the rows and are the same each time: leave repeats "
            "out."
        )
    if not (stratify is None or stratify is False):
        raise WrongUse("stratify has no meaning with time: the folds follow the order of the rows. Leave stratify out.")


def _forward(folds: Any, n: int, time: Any, gap: int) -> Plan:
    """Return forward chaining: test on each stretch of time after learning from all that came before, up to ``gap`` moments earlier.

    The first third of the rows is only learned from: what a predictor of some rows errs by says little of the one that all rows teach.
    Cells end where a stretch begins, and where learning for it ends.
    """
    if not isinstance(folds, int | np.integer):
        raise WrongUse(f"folds is {folds!r}; with time it must be a whole number.")
    check_folds(int(folds), n)
    when = places_in_time(time, n)
    moments, rank = np.unique(when, return_inverse=True)
    K = int(folds)
    if len(moments) < K + 1:
        raise DataError(
            f"folds is {K}, but there are only {len(moments)} distinct times: forward chaining needs {K + 1}."
        )
    rank = rank.reshape(-1)
    middle = np.cumsum(np.bincount(rank)) - np.bincount(rank) / 2  # ties stay together
    stretch = np.clip(1 + np.floor((middle / n - FIRST_STRETCH) / (1 - FIRST_STRETCH) * K), 0, K).astype(np.intp)
    stretch = np.unique(stretch, return_inverse=True)[1].reshape(-1)  # (M,) of each moment
    M, K = len(moments), int(stretch.max())
    begins = np.searchsorted(stretch, np.arange(1, K + 1))  # (K,) the first moment that each model is tested on
    learned = begins - gap  # moments that it learns from
    if learned[0] < 1:
        raise DataError(
            f"gap is {gap}, but the first stretch, from which the first predictor learns, has only {begins[0]} moments: give a smaller gap."
        )
    cuts = np.unique(np.append(begins, learned))
    cell = np.searchsorted(cuts, np.arange(M), side="right")[rank]
    learns = np.append(cuts, M)[None] <= learned[:, None]  # (K, C)
    tested_by = stretch[np.append(0, cuts)] - 1
    split = Split(cell, learns, tested_by[None])
    near, far = moments_ahead(split, rank)
    return Plan([split], K, 1, f"forward chaining in time, {K} folds, forecasts {near} to {far} moments ahead")


def moments_ahead(split: Split, rank: Codes) -> tuple[int, int]:
    """Return how far after the last moment that its model learned from a tested row lies, at least and at most; ``rank`` (n,) in time."""
    last = np.array([rank[split.training_rows(t)].max() for t in range(split.n_models)])
    by = split.models_of_rows()[0]
    ahead = rank[by >= 0] - last[by[by >= 0]]
    return int(ahead.min()), int(ahead.max())


def places_in_time(time: Any, n: int) -> np.ndarray:
    """Return when each of ``n`` rows happened, in an order; True is that of the rows. Texts are read as dates or numbers.

    >>> places_in_time(True, 3), places_in_time(["10", "9"], 2)
    (array([0, 1, 2]), array([10.,  9.]))
    """
    when = np.arange(n) if time is True else np.asarray(time)
    if when.shape != (n,):
        raise DataError(f"time has shape {when.shape}; give one moment for each of the {n} rows.")
    if has_texts(when):
        when, note = moments_of_texts(when)
        if note:
            say(note)
    _refuse_nan("time", when)
    if when.dtype.kind == "O":
        try:
            np.argsort(when)
        except TypeError:
            raise DataError(
                "time holds values of several kinds, which have no order: give dates, or numbers."
            ) from None
    return when


def _refuse_nan(what: str, values: np.ndarray) -> None:
    bad = np.isnan(values) if values.dtype.kind == "f" else np.isnat(values) if values.dtype.kind in "mM" else None
    if values.dtype.kind == "O":
        bad = np.array([v is None or type(v).__name__ == "NAType" or v != v for v in values], dtype=bool)
    if bad is not None and bad.any():
        raise DataError(
            f"{what} is missing (NaN) in row {int(np.argwhere(bad)[0, -1])}. Give one for each row, or drop the row."
        )


def _from_ids(ids: np.ndarray, n: int, repeats: int) -> Plan:
    if ids.ndim not in (1, 2) or ids.shape[-1] != n:
        raise WrongUse(f"folds has shape {ids.shape}; an array of fold ids has one for each of the {n} rows.")
    if repeats > 1:
        raise WrongUse(
            "repeats cannot be more than 1 when folds are given as ids; give one row of ids for each repeat."
        )
    _refuse_nan("folds", ids)
    splits = []
    for row in np.atleast_2d(ids):
        names, cell = np.unique(row, return_inverse=True)
        if len(names) < 2:
            raise WrongUse(f"folds holds {len(names)} fold id only; at least 2 are needed (there are {n} rows).")
        splits.append(kfold(cell.reshape(-1), len(names)))
    K = splits[0].n_cells
    return Plan(splits, K, len(splits), f"{K}-fold cross-validation on given folds", given=True)


def _from_pairs(given: Iterable[tuple[Any, Any]], n: int) -> Plan:
    """Return the plan of a splitter: cells where its test sets partition the rows, explicit sets otherwise."""
    pairs = [(_positions(np.asarray(a), n), _positions(np.asarray(b), n)) for a, b in given]
    if not pairs:
        raise WrongUse("the splitter gives no folds.")
    trains, tests = zip(*pairs, strict=True)
    how = f"{len(pairs)} given splits"
    if len(pairs) > 1 and all(train.max() < test.min() for train, test in pairs if len(train)):
        how += " along the file (of rows in time, time= knows more)"
    explicit = Plan([Pairs(n, list(trains), list(tests))], len(pairs), 1, how, given=True)
    splits: list[Split] = []
    cell, k = np.full(n, -1, dtype=np.intp), 0
    for train, test in pairs:
        if (cell[test] >= 0).any() or len(train) + len(test) != n or len(np.intersect1d(train, test)):
            return explicit
        cell[test] = k
        k += 1
        if (cell >= 0).all():
            splits.append(kfold(cell, k))
            cell, k = np.full(n, -1, dtype=np.intp), 0
    if k or len({s.n_cells for s in splits}) != 1:
        return explicit
    K = splits[0].n_cells
    return Plan(splits, K, len(splits), _said(K, len(splits), how=" on given folds"), given=True)


def _positions(rows: np.ndarray, n: int) -> np.ndarray:
    rows = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)
    if len(rows) == 0 or rows.min() < 0 or rows.max() >= n:
        raise WrongUse(f"a split of folds names {len(rows)} rows that are not all among the {n} rows of the table.")
    return rows
