r"""The rounds of boosting.

Scores start at the best constant; each round takes the slopes of the loss at the scores, grows a tree on them and adds it,

.. math:: f \leftarrow f + \nu\, T, \tag{1}

with the learning rate :math:`\nu`. Slopes become whole numbers in units of a power of two, fine enough that the sum over all rows
fills the word: about :math:`60 - \log_2 n` bits a row for gradients, :math:`62 - 2 \log_2 n` for curvatures beside counts. Where the
curvature is constant gradients lie beside the counts themselves, if that leaves them 22 bits: one sum a cell instead of two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from epee.engines.deadline import check_time
from epee.engines.local import free_threads
from epee.kernels import boosting, boosting_twin
from epee.predictors.ensembles.binning import MISSING, Binned, Bins
from epee.predictors.ensembles.growth import Grown, Growth, Plan, Slopes, Units, grown_at_once
from epee.predictors.ensembles.objectives import Objective
from epee.predictors.ensembles.strips import Strip, Team, team
from epee.predictors.ensembles.structure import Trees, joined
from epee.settings import progress
from epee.typing import Codes, Matrix, Vector

ENOUGH = 22  # bits a row for gradients that share a word with the counts: as many as a float32 has
EACH = 700_000  # cells that a thread should have at least: to meet at every node takes threads as long as summing these alone
STEP = 1 << 16  # rows whose slopes become whole numbers at once
SPREAD = 100_000  # rows of a strip that are worth laying out anew
REGROUPED = {1, 15, 63, 255}  # rounds after which they are: trees change less and less
LARGEST_ROOM = 4096  # words of a row times leaves: 130 MB of histograms


@dataclass
class Rounds:
    """A fit under way: the table as words, the scores of its rows, the trees so far."""

    table: Binned
    bins: Bins
    y: Vector
    weight: Vector | None  # (n,) with the factors of the classes
    counts: Vector | None  # (n,) copies of each row, None for one
    objective: Objective
    plan: Plan
    held: np.ndarray | None = None  # (n,) rows kept for early stopping
    onlookers: Onlookers | None = None
    grown: list[tuple[Grown, int]] = field(default_factory=list)
    place: np.ndarray | None = None  # (n,) where each row lies, once they were laid out anew

    def __post_init__(self) -> None:
        n = len(self.y)
        train = np.ones(n, dtype=bool) if self.held is None else ~self.held
        if self.counts is not None:
            train &= self.counts > 0
        self.train = train
        missing = [bool(((column == MISSING) & train).any()) for column in self.table.columns]
        self.missing = np.array(missing, dtype=np.uint8)
        self._count()

    def _count(self) -> None:
        """Set the whole numbers that stand for the counts, and how many bits their sum takes."""
        n = int(self.train.sum())
        self.whole = self.counts is None or bool((self.counts == np.rint(self.counts)).all())
        if self.counts is None:
            self.count_unit, total = 1.0, n
        else:
            weight = np.where(self.train, self.counts, 0.0)
            self.count_unit = 1.0 if self.whole else 2.0 ** (np.frexp(weight.sum())[1] - 26)
            total = int(self.copies.sum())
        self.bits, self.row_bits = total.bit_length(), n.bit_length()
        self.constant = self.objective.constant and self.whole and self.weight is self.counts

    @cached_property
    def copies(self) -> Codes:
        """The whole numbers (n,) that stand for the counts."""
        if self.counts is None:
            return np.ones(len(self.y), dtype=np.int64)
        return np.rint(np.where(self.train, self.counts, 0.0) / self.count_unit).astype(np.int64)

    def start(self) -> Vector:
        """Return the best constant, and put the scores there."""
        w = None if self.weight is None else self.weight[self.train]
        begin = self.objective.start(self.y[self.train], w)
        self.raw = np.empty((len(self.y), len(begin)), order="F")
        self.raw[:] = begin
        if self.onlookers is not None:
            self.onlookers.start(begin)
        return begin

    def _strips(self) -> list[Pair]:
        """Cut the rows into strips, one a thread, and those kept aside likewise."""
        n = len(self.y)
        edges = np.linspace(0, n, max(1, min(free_threads(), 8 * self.bins.groups * n // EACH)) + 1).astype(int)
        strips = []
        for a, b in pairwise(edges):
            train = np.flatnonzero(self.train[a:b]).astype(np.int32)
            other = np.flatnonzero(~self.train[a:b]).astype(np.int32)
            strips.append(Pair(slice(a, b), Strip(self.table.rows(a, b), train), Strip(self.table.rows(a, b), other)))
        return strips

    def run(self, rounds: int, done: int, stop: Callable[[Rounds], bool] | None = None) -> int:
        """Add up to ``rounds`` trees an output; return how many rounds there were."""
        with closing(self.each(rounds, done)) as made:
            for r in made:
                if stop is not None and stop(self):
                    return r - done + 1
        return rounds

    def each(self, rounds: int, done: int) -> Generator[int]:
        """Add as many trees an output, and yield the number of each round after it."""
        K = self.raw.shape[1]
        pairs = self.table.make((len(self.y), 2), dtype=np.int64)
        with team(self._strips()) as workers, progress("boosting", rounds) as tick:
            at_once = self._at_once(workers)
            for r in range(done, done + rounds):
                check_time()
                self._slopes(workers)
                if not (at_once and self._round(workers, pairs, r * K)):
                    for k in range(K):
                        units = self._pack(workers, k, pairs)
                        tree = Growth(self.bins, self.missing, self.plan, units, boosting_twin if at_once else boosting)
                        self._finish(tree.grow(workers, pairs, r * K + k), workers, k)
                if r - done in REGROUPED and self._spread(workers):
                    self._regroup(workers)
                tick()
                yield r

    def _spread(self, workers: Team) -> bool:
        """Tell whether strips are larger than what a core has near, and lie in memory: then it pays to lay them out anew."""
        here = self.table.make is np.empty and not self.objective.refits
        return here and any(len(pair.train.rows) >= SPREAD for pair in workers.strips)

    def _regroup(self, workers: Team) -> None:
        """Lay out the rows of each strip as the leaves of the last tree have them, and all that goes beside them.

        The rows of a node are far apart in a large table, and each costs a line of memory or two. Trees that follow each other cut
        alike: in this order the rows of a node of the next come in stretches. Whole numbers add up to the same sums in any order.
        """
        n = len(self.y)
        beside = [name for name in ("y", "weight", "counts", "copies") if vars(self).get(name) is not None]
        table, raw, place = Binned.room(n, self.bins), np.empty_like(self.raw), np.empty(n, dtype=np.int32)
        fresh = {name: np.empty_like(getattr(self, name)) for name in beside}

        def work(pair: Pair) -> None:
            own, here, m = pair.all_rows(), pair.rows, len(pair.train.rows)
            table.words[here] = self.table.words[here].take(own, axis=0)
            table.turn(here.start, here.stop)
            for name, values in fresh.items():
                values[here] = getattr(self, name)[here].take(own)
            for k in range(raw.shape[1]):
                raw[here, k] = self.raw[here, k].take(own)
            place[here][own] = np.arange(here.start, here.stop)
            pair.take(table.rows(here.start, here.stop), m)

        workers.each(work)
        vars(self).update(fresh, table=table, raw=raw, place=place if self.place is None else place[self.place])

    @property
    def scores(self) -> Matrix:
        """The scores (n, K) in the order of the table."""
        return self.raw if self.place is None else self.raw[self.place]

    def at(self, rows: np.ndarray) -> np.ndarray:
        """Return where some rows of the table, a mask, lie now."""
        return rows if self.place is None else self.place[rows]

    def _at_once(self, workers: Team) -> bool:
        """Tell whether a round is one call: all rows are in one strip, and the histograms of all leaves of a tree have room."""
        small = self.plan.max_leaves * self.bins.groups <= LARGEST_ROOM
        one = len(workers.strips) == 1
        return small and one and self.plan.groups is None and not (self.objective.refits and self.raw.shape[1] > 1)

    def _round(self, workers: Team, pairs: np.ndarray, number: int) -> bool:
        """Grow the trees of a round in one call and add them; tell whether that could be done.

        While that one call is being compiled, the steps in NumPy grow the same trees.
        """
        (g, h, *_), K, refits = self.slopes[0], self.raw.shape[1], self.objective.refits
        g = np.ascontiguousarray(g.T)
        curve = np.ones((0 if self.constant else 1, len(self.y))) if self.constant or h is None else h.T
        units = [self._units(k) for k in range(K)]
        powers = np.array([[1 / u.gradient, 1 / u.curvature if u.curvature else 0.0] for u in units])
        slopes = Slopes(g, np.ascontiguousarray(curve), powers, self.copies)
        rate = 0.0 if refits else self.plan.rate
        strip, other, plan = workers.strips[0].train, workers.strips[0].other, self.plan
        trees = grown_at_once(strip, slopes, units, pairs, self.bins, self.missing, plan, rate, number, self.raw)
        for k, tree in enumerate(trees):
            if len(other.rows):
                other.follow(boosting, tree.first, tree.tests[:, 0], tree.goes_left)
            if refits:
                self._finish(tree, workers, k)
                continue
            if len(other.rows):
                leaves = tree.leaves
                boosting.add_values(other.rows, other.bounds_of(leaves), tree.value[leaves], self.raw[:, k])
            self._keep(tree, k)
        return bool(trees)

    def _slopes(self, workers: Team) -> None:
        """Set the derivatives of the loss at the scores, weights included."""
        w = None if self.weight is None else self.weight[self.train]
        self.objective.prepare(self.y[self.train], self.raw[self.train], w) if self.objective.refits else None

        def work(pair: Pair) -> tuple[Matrix, Matrix | None, Vector, Vector]:
            here = pair.rows
            g, h = self.objective.slopes(self.y[here], self.raw[here])
            if self.weight is not None:
                w = self.weight[here][:, None]
                g = g * w
                h = w if h is None else h * w
            top = np.maximum(g.max(axis=0, initial=0.0), -g.min(axis=0, initial=0.0))
            return g, h, top, (g if h is None else h).max(axis=0, initial=0.0)

        self.slopes = workers.each(work)
        self.top = np.max([s[2] for s in self.slopes], axis=0), np.max([s[3] for s in self.slopes], axis=0)

    def _units(self, k: int) -> Units:
        """Return the units of the whole numbers for one output."""
        joint = self.constant and 62 - self.bits - self.row_bits >= ENOUGH
        gradient = 1 / _power((62 - self.bits if joint else 60) - self.row_bits, self.top[0][k])
        curvature = 0.0
        if not self.constant:
            curvature = 1 / _power(62 - self.bits - self.row_bits, self.top[1][min(k, len(self.top[1]) - 1)])
        return Units(gradient, curvature, self.count_unit, self.bits, self.bits if joint else 0)

    def _pack(self, workers: Team, k: int, pairs: np.ndarray) -> Units:
        """Fill the pairs of whole numbers for one output, and return their units."""
        units = self._units(k)
        g_scale, h_scale = (
            1 / units.gradient,
            1 / units.curvature if units.curvature else 0.0,
        )  # powers of two, and exact
        for pair, slopes in zip(workers.strips, self.slopes):
            pair.slopes = slopes

        last = k + 1 == self.raw.shape[1]
        self.slopes = [] if last else self.slopes  # each pair has its own, and lets them go

        def work(pair: Pair) -> None:
            g, h = pair.slopes[:2]
            for a in range(0, len(g), STEP):  # few at a time: nothing of the length of the table is made in passing
                here, there = (
                    slice(a, a + STEP),
                    slice(pair.rows.start + a, min(pair.rows.start + a + STEP, pair.rows.stop)),
                )
                one = np.ascontiguousarray(g[here, k])
                own = np.ones(len(one)) if h is None else np.ascontiguousarray(h[here, min(k, h.shape[1] - 1)])
                c = np.ones(len(one), dtype=np.int64) if self.counts is None else self.copies[there]
                boosting.pack(one, np.zeros(0) if self.constant else own, c, g_scale, h_scale, self.bits, pairs[there])
            pair.slopes = None if last else pair.slopes

        workers.each(work)
        return units

    def _finish(self, tree: Grown, workers: Team, k: int) -> None:
        """Set the values of the leaves, add them to the scores, and keep the tree."""
        leaves = tree.leaves
        if self.objective.refits:
            for leaf in leaves:
                rows = np.concatenate([pair.rows.start + pair.train.of(leaf) for pair in workers.strips])
                w = None if self.weight is None else self.weight[rows]
                found = self.objective.leaf(self.y[rows] - self.raw[rows, k], w)
                tree.value[leaf] = min(max(found, tree.low[leaf]), tree.high[leaf])
        tree.value[leaves] *= self.plan.rate
        values = tree.value[leaves]

        def work(pair: Pair) -> None:
            for strip in (pair.train, pair.other):
                if len(strip.rows):
                    boosting.add_values(strip.rows, strip.bounds_of(leaves), values, self.raw[pair.rows, k])

        workers.each(work)
        self._keep(tree, k)

    def _keep(self, tree: Grown, k: int) -> None:
        """Keep a finished tree, and let who looks on follow it."""
        self.grown.append((tree, k))
        if self.onlookers is not None:
            self.onlookers.follow(tree, k)

    def loss(self, rows: np.ndarray) -> float:
        """Return the mean loss of some rows of the table, a mask, at the scores."""
        rows = self.at(rows)
        w = None if self.weight is None else self.weight[rows]
        return float(np.average(self.objective.losses(self.y[rows], self.raw[rows]), weights=w))

    def trees(self) -> Trees:
        """Return what was grown, as arrays."""
        return joined(self.grown)


@dataclass
class Onlookers:
    """Rows that neither teach nor tell when to stop: after every round they have the scores that the trees so far give them."""

    table: Binned
    raw: Matrix = field(default_factory=lambda: np.empty((0, 0)))

    def start(self, begin: Vector) -> None:
        """Put the scores at the constant."""
        self.raw = np.empty((self.table.columns.shape[1], len(begin)), order="F")
        self.raw[:] = begin

    def follow(self, tree: Grown, k: int) -> None:
        """Add the leaves that the rows reach in a tree of output ``k``."""
        first, tests, value = map(np.ascontiguousarray, (tree.first, tree.tests, tree.value))
        boosting.follow(self.table.columns, first, tests, tree.goes_left, value, self.raw[:, k])


@dataclass
class Pair:
    """The rows of one thread: those that teach, and the others, which only walk along."""

    rows: slice
    train: Strip
    other: Strip
    slopes: Any = None

    def all_rows(self) -> np.ndarray:
        """Return those that teach as the last tree has them, then the others likewise."""
        return np.concatenate([self.train.rows, self.other.rows])

    def take(self, table: Binned, teach: int) -> None:
        """Take rows of which the first ones teach in place of those before."""
        rows = np.arange(len(table.words), dtype=np.int32)
        self.train, self.other = Strip(table, rows[:teach]), Strip(table, rows[teach:])

    def begin(self) -> None:
        """Put all rows into the root."""
        self.train.begin()
        self.other.begin()

    def split(self, steps: Any, node: int, left: int, column: int, goes_left: np.ndarray) -> None:
        """Give the rows of a node to its children."""
        self.train.split(steps, node, left, column, goes_left)
        if len(self.other.rows):
            self.other.split(steps, node, left, column, goes_left)
        else:
            self.other.bounds[left] = self.other.bounds[left + 1] = (0, 0)

    def sums(self, steps: Any, node: int, pairs: np.ndarray, joint: int, shape: tuple[int, ...]) -> np.ndarray:
        """Return the histograms of a node over the rows that teach."""
        return self.train.sums(steps, node, pairs[self.rows], joint, shape)


def _power(bits: int, top: float) -> float:
    """Return the power of two that brings numbers up to ``top`` below 2 to the ``bits``."""
    return math.ldexp(1.0, bits - math.frexp(top)[1]) if top > 0 else 1.0


def rows_aside(codes: Codes | None, n: int, share: float, seed: int) -> np.ndarray:
    """Return the rows (n,) to keep aside: about a share of each class, drawn by the rule of the folds."""
    from epee.table.folds import assign_folds

    folds = max(2, min(n, round(1 / min(share, 1 - share))))
    one = assign_folds(codes, n, folds, seed) == 0
    return one if share <= 0.5 else ~one
