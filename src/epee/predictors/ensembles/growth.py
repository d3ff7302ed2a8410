r"""One boosted tree, grown best leaf first from histograms.

A node whose rows add to the gradient :math:`G` and the curvature :math:`H` lowers the quadratic approximation of the loss most with the
value :math:`v` below; a cut into two such nodes gains

.. math:: v = -\frac{G}{H + \lambda}, \qquad \frac{G_L^2}{H_L + \lambda} + \frac{G_R^2}{H_R + \lambda} - \frac{G^2}{H + \lambda}. \tag{1}

The leaf that gains most is cut first, until there are enough leaves. Its smaller child is summed over the rows; the other is what is
left of the parent. Rows live in *strips*, one a thread: each splits and sums its own rows, and the sums of whole numbers add to the
same histogram however the rows were cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from typing import Any

import numpy as np

from epee.predictors.ensembles.binning import MISSING, Bins
from epee.predictors.ensembles.strips import Strip, Team
from epee.typing import Codes, Vector

LEAST_CURVATURE = 1e-3  # of a child, as in scikit-learn
NODE_STRIDE = 0x94D049BB133111EB  # between the keys of the draws of two nodes


@dataclass(frozen=True)
class Plan:
    """The parameters of growth in the units of the histograms; ``groups`` are the sets of columns that may meet in a branch."""

    max_leaves: int
    max_depth: int
    min_leaf: float
    l2: float
    share: float  # of the columns that a node looks at
    monotone: Codes
    groups: Sequence[frozenset[int]] | None
    rate: float
    seed: int


@dataclass(frozen=True)
class Units:
    """What one step of the whole numbers of a round is worth: gradient, curvature (0: it is the count), count."""

    gradient: float
    curvature: float
    count: float
    bits: int
    joint: int = 0  # bits of the count, where it fits a word below the gradient; else 0

    @property
    def scales(self) -> tuple[float, float, float]:
        """As kernels take them."""
        return self.gradient, self.curvature, self.count

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many low bits of a word hold the count, their mask, and their number again where gradients fit above them."""
        return self.bits, (1 << self.bits) - 1, self.joint

    def read(self, pair: Any) -> tuple[float, float, float]:
        """Return (gradient, curvature, count) of a sum."""
        count = float(int(pair[1]) & ((1 << self.bits) - 1)) * self.count
        curvature = float(int(pair[1]) >> self.bits) * self.curvature if self.curvature else count
        return float(pair[0]) * self.gradient, curvature, count


@dataclass
class Node:
    """A node while it grows."""

    pair: np.ndarray  # (2,) what its rows add to
    depth: int
    value: float
    low: float = -np.inf
    high: float = np.inf
    groups: Sequence[frozenset[int]] | None = None
    sums: np.ndarray | None = None
    first: int = -1  # the left child; the right one follows it
    gain: float = 0.0
    column: int = 0
    cut: int = 0
    missing_left: bool = True
    goes_left: np.ndarray | None = None
    left_pair: np.ndarray | None = None


@dataclass(frozen=True)
class Grown:
    """A grown tree as arrays over its nodes; ``first`` is the left child, the right one follows it, -1 for a leaf."""

    bins: Bins
    units: Units
    first: Codes
    depth: Codes
    tests: Codes  # (m, 3) column, bin, whether missing cells go left
    gain: Vector
    goes_left: np.ndarray  # (m, 256)
    value: Vector
    low: Vector
    high: Vector
    totals: Codes  # (m, 2) the pair that its rows add to

    @cached_property
    def leaves(self) -> Codes:
        """The numbers of the leaves."""
        return np.flatnonzero(self.first < 0)


@dataclass(frozen=True)
class Slopes:
    """The derivatives of a round (K, n), the powers of two (K, 2) that make whole numbers of them, and those that stand for counts (n,)."""

    gradient: np.ndarray
    curvature: np.ndarray  # (0, n) where it is the count
    powers: np.ndarray
    copies: Codes


def grown_at_once(
    strip: Strip, slopes: Slopes, units: Sequence[Units], pairs: np.ndarray, bins: Bins, missing: np.ndarray, plan: Plan, rate: float,
    number: int, raw: np.ndarray,
) -> list[Grown]:  # fmt: skip
    """Return the trees of a round, from ``number`` on, of the rows of one strip; the same as :class:`Growth` grows step by step.

    With a ``rate`` above 0 they are added to the scores ``raw``. Of few rows none while one would have to wait for a compiler: the call is
    then compiled beside the work.
    """
    from epee.kernels.boosting_tree import grow_round

    K, p = len(units), len(bins.n_bins)
    most = min(plan.max_leaves, max(2, len(strip.chosen)))
    nodes = 2 * most - 1
    first, tests = np.empty((K, nodes, 2), np.int64), np.zeros((K, nodes, 3), np.int64)
    gain, goes_left, values = np.zeros((K, nodes)), np.zeros((K, nodes, 256), np.uint8), np.empty((K, nodes, 3))
    totals, bounds, sizes = np.empty((K, nodes, 2), np.int64), np.empty((K, nodes, 2), np.int64), np.zeros(K, np.int64)
    keys = np.array([tree_key(plan.seed, number + k) for k in range(K)], dtype=np.uint64)
    arguments = (
        strip.words, strip.columns, strip.chosen, strip.rows, strip.spare, slopes.gradient, slopes.curvature, slopes.copies,
        slopes.powers, pairs, bins.n_bins, missing, bins.categorical, plan.monotone, units[0].counts, units[0].count,
        (plan.min_leaf, LEAST_CURVATURE, plan.l2), (most, plan.max_depth), columns_wanted(plan.share, p), keys, rate,
        strip.room((most + 1, 8 * bins.groups, 256, 2)), sizes, first, tests, gain, goes_left, values, totals, bounds, raw.T,
    )  # fmt: skip
    if not grow_round(*arguments):
        return []
    ends = sizes.tolist()
    strip.bounds = bounds[-1, : ends[-1]]
    return [
        Grown(
            bins, units[k], first[k, :m, 0], first[k, :m, 1], tests[k, :m], gain[k, :m], goes_left[k, :m], values[k, :m, 0],
            values[k, :m, 1], values[k, :m, 2], totals[k, :m],
        )
        for k, m in enumerate(ends)
    ]  # fmt: skip


def columns_wanted(share: float, p: int) -> int:
    """Return how many of p columns a node looks at."""
    return p if share >= 1 else max(1, int(np.ceil(share * p)))


def tree_key(seed: int, number: int) -> int:
    """Return the key of the draws of a tree."""
    return (seed * 0x9E3779B97F4A7C15 + (number + 1) * 0xBF58476D1CE4E5B9) % 2**64


@dataclass
class Growth:
    """One tree from the pairs of a round, step by step: for rows in several strips, and columns that may not meet."""

    bins: Bins
    missing: np.ndarray  # (p,) uint8: columns with missing cells among the training rows
    plan: Plan
    units: Units
    steps: Any
    nodes: list[Node] = field(default_factory=list)

    def grow(self, team: Team, pairs: np.ndarray, number: int) -> Grown:
        """Grow tree ``number``."""
        self.number, self.pairs = number, pairs
        self.shape = (8 * self.bins.groups, 256, 2)
        self.limits = (self.plan.min_leaf, LEAST_CURVATURE, self.plan.l2)
        team.each(lambda strip: strip.begin())
        sums = self._summed(team, lambda strip: strip.sums(self.steps, 0, pairs, self.units.joint, self.shape))
        total = sums[0].sum(axis=0)
        G, H, _ = self.units.read(total)
        self.nodes = [Node(total, 0, -G / (H + self.plan.l2 + 1e-15), groups=self.plan.groups, sums=sums)]
        heap: list[tuple[float, int]] = []
        self._consider(0, heap)
        leaves = 1
        while heap and leaves < self.plan.max_leaves:
            self._split(heappop(heap)[1], team, heap, last=leaves + 1 == self.plan.max_leaves)
            leaves += 1
        return self._grown()

    def _grown(self) -> Grown:
        """Return the nodes as arrays."""
        none = np.zeros(256, np.uint8)
        return Grown(
            self.bins, self.units, np.array([node.first for node in self.nodes]), np.array([node.depth for node in self.nodes]),
            np.array([(node.column, node.cut, node.missing_left) for node in self.nodes], dtype=np.int64),
            np.array([node.gain for node in self.nodes]),
            np.array([none if node.goes_left is None else node.goes_left for node in self.nodes]),
            np.array([node.value for node in self.nodes]), np.array([node.low for node in self.nodes]),
            np.array([node.high for node in self.nodes]), np.array([node.pair for node in self.nodes]),
        )  # fmt: skip

    @staticmethod
    def _summed(team: Team, work: Callable[[Any], Any]) -> np.ndarray:
        parts = [part for part in team.each(work) if part is not None]
        for part in parts[1:]:
            parts[0] += part
        return parts[0]

    def _consider(self, k: int, heap: list[tuple[float, int]]) -> None:
        """Find the best cut of a node and put it in the queue if there is one."""
        node = self.nodes[k]
        best, node.goes_left, node.left_pair = np.zeros(4), np.zeros(256, np.uint8), np.zeros(2, np.int64)
        self.steps.find_split(
            node.sums, node.pair, self.units.counts, self._columns(k), self.bins.n_bins, self.missing, self.bins.categorical,
            self.plan.monotone, self.units.scales, self.limits, (node.value, node.low, node.high), best, node.goes_left,
            node.left_pair,
        )  # fmt: skip
        if best[1] >= 0:
            node.gain, node.column, node.cut, node.missing_left = best[0], int(best[1]), int(best[2]), best[3] != 0
            heappush(heap, (-best[0], k))
        else:
            node.sums = None

    def _columns(self, k: int) -> np.ndarray:
        """Return which columns (p,) a node may ask about."""
        p = len(self.bins.n_bins)
        allowed = np.ones(p, dtype=np.uint8)
        groups = self.nodes[k].groups
        if groups is not None:
            allowed[:] = 0
            allowed[list(frozenset().union(*groups))] = 1
        if self.plan.share < 1:
            key = (tree_key(self.plan.seed, self.number) + k * NODE_STRIDE) % 2**64
            self.steps.draw(allowed, columns_wanted(self.plan.share, int(allowed.sum())), np.uint64(key))
        return allowed

    def _split(self, k: int, team: Team, heap: list[tuple[float, int]], last: bool) -> None:
        """Cut a node in two, and look for the cuts of its children."""
        node, plan, left = self.nodes[k], self.plan, len(self.nodes)
        assert node.goes_left is not None and node.left_pair is not None and node.sums is not None
        node.first = left
        pairs = (node.left_pair, node.pair - node.left_pair)
        read = [self.units.read(pair) for pair in pairs]
        values = [min(max(-G / (H + plan.l2 + 1e-15), node.low), node.high) for G, H, _ in read]
        groups = node.groups and [g for g in node.groups if node.column in g]
        for pair, value in zip(pairs, values):
            self.nodes.append(Node(pair, node.depth + 1, value, node.low, node.high, groups))
        sign = int(plan.monotone[node.column])
        if sign:
            below, above = (left, left + 1) if sign > 0 else (left + 1, left)
            self.nodes[below].high = self.nodes[above].low = (values[0] + values[1]) / 2
        if not self.missing[node.column]:  # none were seen: they follow the larger side
            node.missing_left = read[0][2] > read[1][2]
            node.goes_left[MISSING] = node.missing_left
        open_ = [
            left + side
            for side, (_, H, count) in enumerate(read)
            if not last and node.depth + 1 < plan.max_depth and count >= 2 * plan.min_leaf and H >= 2 * LEAST_CURVATURE
        ]
        small = left if read[0][2] <= read[1][2] else left + 1
        column, goes_left, steps = node.column, node.goes_left, self.steps

        def work(strip: Strip) -> np.ndarray | None:
            strip.split(steps, k, left, column, goes_left)
            return strip.sums(steps, small, self.pairs, self.units.joint, self.shape) if open_ else None

        if not open_:
            team.each(work)
        else:
            sums = self._summed(team, work)
            node.sums -= sums
            self.nodes[small].sums, self.nodes[2 * left + 1 - small].sums = sums, node.sums
        node.sums = None
        for child in open_:
            self._consider(child, heap)
        for child in (left, left + 1):
            if child not in open_:
                self.nodes[child].sums = None
