r"""Trees of a forest, each on rows drawn with replacement, or on all of them.

A tree's seed is its number, so a forest of 200 trees begins with the forest of 100, and the number of threads changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from epee.engines.deadline import check_time
from epee.engines.local import in_order
from epee.kernels.forest_twin import BITS
from epee.predictors.ensembles.binning import Binned, Bins
from epee.predictors.ensembles.forest_structure import Forest, from_tree, merged
from epee.risk.units import meaning_of
from epee.settings import progress
from epee.typing import Codes, Matrix, Vector


@dataclass(frozen=True)
class Draw:
    """How the rows of a tree are drawn: how many, out of copies counted by weights; none for all rows."""

    n: int
    size: int | None
    weight: Vector | None
    seed: int

    def counts(self, t: int) -> Vector:
        """Return how often each row (n,) is in tree t."""
        if self.size is None:
            return np.ones(self.n) if self.weight is None else self.weight
        rng = np.random.default_rng([self.seed, t])
        if self.weight is None:
            return np.bincount(rng.integers(0, self.n, self.size), minlength=self.n).astype(np.float64)
        return rng.multinomial(self.size, self.weight / self.weight.sum()).astype(np.float64)

    def left_out(self, t: int) -> Vector:
        """Return the share of the copies of each row (n,) that tree t left out, as it is on average.

        A row of count w is w rows, and each draw of it takes one of them; a row of sampling weight is one.
        """
        drawn = self.counts(t)
        if self.weight is None or meaning_of(self.weight) == "sampling":
            return (drawn == 0).astype(np.float64)
        return np.power(np.maximum(1 - 1 / np.maximum(self.weight, 1.0), 0.0), drawn)


@dataclass(frozen=True)
class UnitDraw(Draw):
    """Draws of units, codes (n,) from 0, of which a tree has seen all rows once it has seen one: copies of a row."""

    units: Codes = field(default_factory=lambda: np.empty(0, dtype=np.intp))

    def counts(self, t: int) -> Vector:
        """Return how often rows of the unit of each row (n,) are in tree t."""
        drawn: Vector = np.bincount(self.units, super().counts(t)).astype(np.float64)
        return drawn[self.units]


class Grown(NamedTuple):
    """A tree as the kernel leaves it, by node; ``rows`` are those it was grown on, ordered by leaf."""

    first: np.ndarray  # the left child, -1 for a leaf
    feature: np.ndarray
    cut: np.ndarray
    missing_left: np.ndarray
    gain: Vector
    sums: Matrix  # (m, 3 or more) weight, count, and the weights of the classes or the sum of the values
    bounds: Codes  # (m, 2)
    rows: np.ndarray


@dataclass(frozen=True)
class Recipe:
    """What one tree is made of: bytes, targets, and the rules of growth (see the kernel)."""

    table: Binned
    bins: Bins
    centres: Matrix  # (p, 256) a value inside each bin, for cuts drawn at random
    y: Vector  # values, or codes
    K: int  # classes; 0 for numbers
    factor: Vector | None  # weights of the classes, by row
    draw: Draw
    flags: tuple[int, int, int, int]
    limits: tuple[float, float, float, float]

    def tree(self, t: int) -> Grown:
        """Grow tree t."""
        from epee.kernels.forest import grow
        from epee.kernels.forest_twin import whole

        count = self.draw.counts(t)
        weight = count if self.factor is None else count * self.factor
        rows = np.flatnonzero(count > 0).astype(np.int32)
        several = self.K > 2
        if self._counted:
            about = np.column_stack([count, count, count * self.y, self.y])
        else:
            about = np.column_stack([whole(weight), whole(count), whole(weight * self.y), self.y])
        most = 2 * len(rows) + 1
        first, feature, cut = (np.zeros(most, dtype=np.int64) for _ in range(3))
        missing_left, gain = np.zeros(most, dtype=np.uint8), np.zeros(most)
        sums, bounds = np.zeros((most, 2 + (self.K if several else 1))), np.zeros((most, 2), dtype=np.int64)
        entropy, *rest = self.flags
        if entropy and not several:  # two classes: both sums are needed
            sums = np.zeros((most, 4))
        # the variance of 0 and 1 is half of Gini's index; with no least gain a cut that gains nothing is a cut
        least = (
            self.limits[3] * float(weight.sum()) / (2 if self.K == 2 and not entropy else 1)
            if self.limits[3] > 0
            else -0.5
        )
        size, _ = grow(
            self.table.columns, self.centres, rows, about, (entropy, *rest, int(self.factor is None)), (*self.limits[:3], least),
            np.uint64(self.draw.seed * 1_000_003 + t), first, feature, cut, missing_left, gain, sums, bounds,
        )  # fmt: skip
        if self.K == 0 or (about[:, 0] != weight).any():  # leaves speak for values and weights as they are given
            leaves = np.flatnonzero(first[:size] < 0)
            leaves = leaves[np.argsort(bounds[leaves, 0])]
            sums[leaves, 0] = np.add.reduceat(weight[rows], bounds[leaves, 0])
            for k in range(sums.shape[1] - 2):
                part = weight * (self.y == k if sums.shape[1] > 3 else self.y)
                sums[leaves, 2 + k] = np.add.reduceat(part[rows], bounds[leaves, 0])
        left, column, bin_ = (a[:size].astype(np.int32) for a in (first, feature, cut))
        return Grown(
            left,
            column,
            bin_,
            missing_left[:size].copy(),
            gain[:size].copy(),
            sums[:size].copy(),
            bounds[:size].copy(),
            rows,
        )

    @cached_property
    def _counted(self) -> bool:
        """Whether weights, counts and sums are whole numbers as they are: rows that are counted, and codes of classes."""
        whole = self.draw.size is not None or self.draw.weight is None
        return whole and self.factor is None and self.K > 0 and self.K * (self.draw.size or self.draw.n) < 2**BITS

    def forest(self, trees: Sequence[Grown]) -> Forest:
        """Return grown trees as one forest."""
        sizes, held = np.array([len(tree.first) for tree in trees]), np.array([len(tree.rows) for tree in trees])
        roots, begins = np.cumsum(sizes) - sizes, np.cumsum(held) - held
        first, feature, cut, missing_left, gain, sums, bounds, rows = (
            np.concatenate(parts) for parts in zip(*trees, strict=True)
        )
        leaf = first < 0
        W, S = sums[:, :1], sums[:, 2:]
        value = S / W
        if self.K == 2 and S.shape[1] == 1:
            value = np.column_stack([1 - value[:, 0], value[:, 0]])
        threshold = np.full(len(first), np.inf)
        inner = np.flatnonzero(~leaf)
        at, most = self.bins.starts[feature[inner]] + cut[inner], self.bins.starts[feature[inner] + 1]
        inside = at < most
        threshold[inner[inside]] = self.bins.cuts[at[inside]]
        child = np.where(leaf, np.arange(len(first)), first + np.repeat(roots, sizes)).astype(np.int32)
        return Forest(
            roots, child, feature, threshold, leaf | (missing_left != 0), np.where(leaf, 0.0, gain), W[:, 0].copy(), value,
            bounds[:, 0] + np.repeat(begins, sizes), bounds[:, 1] - bounds[:, 0], rows,
        )  # fmt: skip


@dataclass(frozen=True)
class ExactRecipe:
    """A tree by the exact kernels, for what histograms do not do: absolute errors, Poisson, monotone columns, pruning, few leaves."""

    tree_class: Any
    arguments: dict[str, Any]
    X: Matrix
    y: Any
    draw: Draw

    def tree(self, t: int) -> Forest:
        """Grow tree t."""
        count = self.draw.counts(t)
        seed = int(np.random.default_rng([self.draw.seed, t, 1]).integers(2**31 - 1))
        model = self.tree_class(**self.arguments, random_state=seed).fit(self.X, self.y, count)
        return from_tree(model.tree_, np.flatnonzero(count > 0), np.ascontiguousarray(self.X, dtype=np.float64))

    def forest(self, trees: Sequence[Forest]) -> Forest:
        """Return grown trees as one forest."""
        return merged(trees)


def grow_trees(recipe: Recipe | ExactRecipe, numbers: Sequence[int]) -> Forest:
    """Grow some trees, several at once."""
    parts: list[Any] = []
    with progress("growing trees", len(numbers)) as tick:
        for part in in_order(recipe.tree, numbers):
            check_time()
            parts.append(part)
            tick()
    return recipe.forest(parts)


def centres_of(bins: Bins) -> Matrix:
    """Return a value (p, 256) inside each bin: half way between its cuts, the nearest cut for the outermost.

    Cuts drawn uniformly between the centres of the outermost bins of a node are, for columns of few values, uniform between the values.
    """
    out = np.zeros((len(bins.n_bins), 256))
    for f in range(len(out)):
        cuts = bins.cut(f)
        if len(cuts):
            step = cuts[1] - cuts[0] if len(cuts) > 1 else 1.0, cuts[-1] - cuts[-2] if len(cuts) > 1 else 1.0
            out[f, : len(cuts) + 1] = np.concatenate(
                [[cuts[0] - step[0] / 2], (cuts[1:] + cuts[:-1]) / 2, [cuts[-1] + step[1] / 2]]
            )
    return out
