"""Boosted trees as arrays, and the scores that they give to rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from epee.engines.local import in_order
from epee.kernels.boosting import walk
from epee.predictors.ensembles.growth import Grown
from epee.predictors.ensembles.soundness import refuse_strange, walkable
from epee.stateful import Part
from epee.typing import Codes, Matrix, Vector


@dataclass(frozen=True)
class Trees(Part):
    """All trees of a fit, their nodes one after the other; a leaf is its own child (see the kernel that walks).

    ``sets`` (m, 256) are the bins that go left in a cut by categories, ``outputs`` the score that a tree adds to.
    """

    roots: Codes
    depths: Codes
    outputs: Codes
    first: np.ndarray
    feature: np.ndarray
    threshold: Vector
    missing_left: np.ndarray
    set_of: np.ndarray
    value: Vector
    gain: Vector
    count: Vector
    sets: np.ndarray

    @classmethod
    def empty(cls) -> Trees:
        """Return no trees."""
        whole, small = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
        real = np.zeros(0)
        return cls(
            whole,
            whole,
            whole,
            small,
            small,
            real,
            real.astype(bool),
            small,
            real,
            real,
            real,
            np.zeros((0, 256), np.uint8),
        )

    def check_state(self) -> None:
        """Refuse arrays that are no trees: the compiled walk would leave them."""
        refuse_strange(
            walkable(self, BY_NODE)
            and (self.set_of[self.first == np.arange(len(self.first))] < 0).all()
            and (self.set_of < len(self.sets)).all()
            and self.sets.shape[1:] == (256,)
            and self.depths.shape == self.outputs.shape == self.roots.shape
            and (self.outputs >= 0).all(),
            "trees",
        )

    @property
    def walking(self) -> tuple[np.ndarray, ...]:
        """What the kernel that walks needs after the roots and depths."""
        return self.first, self.feature, self.threshold, self.missing_left, self.set_of, self.sets, self.value

    def upto(self, trees: int) -> Trees:
        """Return the first trees, with their nodes only."""
        if trees >= len(self.roots):
            return self
        nodes = int(self.roots[trees])
        kept = {name: getattr(self, name)[:nodes] for name in BY_NODE}
        sets = int(kept["set_of"].max(initial=-1)) + 1
        return replace(self.only(0, trees), **kept, sets=self.sets[:sets])

    def only(self, a: int, b: int) -> Trees:
        """Return the trees ``a .. b``: the same nodes, other roots."""
        return replace(self, roots=self.roots[a:b], depths=self.depths[a:b], outputs=self.outputs[a:b])

    def followed_by(self, other: Trees) -> Trees:
        """Return these trees and others after them."""
        if not len(self.roots):
            return other
        nodes, sets = len(self.first), len(self.sets)
        later = {"first": other.first + nodes, "set_of": np.where(other.set_of >= 0, other.set_of + sets, -1)}
        by_node = {
            name: np.concatenate([getattr(self, name), later.get(name, getattr(other, name))]).astype(
                getattr(self, name).dtype
            )
            for name in BY_NODE
        }
        return Trees(
            np.concatenate([self.roots, other.roots + nodes]), np.concatenate([self.depths, other.depths]),
            np.concatenate([self.outputs, other.outputs]), sets=np.concatenate([self.sets, other.sets]), **by_node,
        )  # fmt: skip

    def n_leaves(self) -> Codes:
        """Return the leaves of each tree."""
        leaf = self.first == np.arange(len(self.first))
        return np.add.reduceat(leaf, self.roots).astype(int) if len(self.roots) else self.roots

    def goes_left(self, node: int, v: Vector) -> np.ndarray:
        """Return whether the cells (n,) of its column, coded, go left at a node."""
        at, missing = int(self.set_of[node]), bool(self.missing_left[node])
        if at < 0:
            return np.where(np.isnan(v), missing, v <= self.threshold[node])
        known = (v >= 0) & (v < self.sets.shape[1] - 1)
        return np.where(known, self.sets[at, np.where(known, v, 0).astype(int)] != 0, missing)

    def importance(self, p: int) -> Vector:
        """Return the gain of the cuts of each column (p,)."""
        inner = self.first != np.arange(len(self.first))
        return np.bincount(self.feature[inner], weights=self.gain[inner], minlength=p).astype(np.float64)


BY_NODE = ("first", "feature", "threshold", "missing_left", "set_of", "value", "gain", "count")


def joined(grown: Sequence[tuple[Grown, int]]) -> Trees:
    """Return grown trees, each with the output it adds to, as arrays."""
    if not grown:
        return Trees.empty()
    sizes = np.array([len(tree.first) for tree, _ in grown])
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    root = np.repeat(roots, sizes)
    first, tests = (np.concatenate([getattr(tree, name) for tree, _ in grown]) for name in ("first", "tests"))
    bins, inner = grown[0][0].bins, first >= 0
    column, cut = np.where(inner, tests[:, 0], 0), tests[:, 1]
    by_set = inner & (bins.categorical[column] != 0)
    at = bins.starts[column] + cut
    cuts = inner & ~by_set & (at < bins.starts[column + 1])
    threshold = np.full(len(first), np.inf)
    threshold[by_set] = np.nan
    threshold[cuts] = bins.cuts[at[cuts]]
    set_of = np.full(len(first), -1)
    set_of[by_set] = np.arange(int(by_set.sum()))
    masks = (
        np.array([(1 << tree.units.bits) - 1 for tree, _ in grown]),
        np.array([tree.units.count for tree, _ in grown]),
    )
    count = np.concatenate([tree.totals[:, 1] for tree, _ in grown]) & np.repeat(masks[0], sizes)
    return Trees(
        roots, np.array([tree.depth.max() for tree, _ in grown]), np.array([k for _, k in grown]),
        np.where(inner, root + first, np.arange(len(first))).astype(np.int32), column.astype(np.int32), threshold,
        ~inner | (tests[:, 2] != 0), set_of.astype(np.int32), np.concatenate([tree.value for tree, _ in grown]),
        np.where(inner, np.concatenate([tree.gain for tree, _ in grown]), 0.0), count * np.repeat(masks[1], sizes),
        np.concatenate([tree.goes_left for tree, _ in grown])[by_set],
    )  # fmt: skip


def dependence(trees: Trees, X: Matrix, columns: Codes, start: Vector) -> Matrix:
    """Return the mean scores (outputs, n) of coded rows of which only some columns are given.

    At a cut of one of these a row goes its way; at any other both ways are taken, each by its share of the training rows.
    """
    given = np.zeros(X.shape[1], dtype=bool)
    given[columns] = True
    out = np.tile(start[:, None], len(X))
    for root, k in zip(trees.roots.tolist(), trees.outputs.tolist(), strict=True):
        waiting = [(root, np.ones(len(X)))]
        while waiting:
            node, share = waiting.pop()
            left, f = int(trees.first[node]), int(trees.feature[node])
            if left == node:
                out[k] += share * trees.value[node]
                continue
            if given[f]:
                part = share * trees.goes_left(node, X[:, f])
            else:
                part = share * (trees.count[left] / (trees.count[left] + trees.count[left + 1]))
            waiting += [(child, s) for child, s in ((left, part), (left + 1, share - part)) if s.any()]
    return out


def scores(trees: Trees, X: Matrix, start: Vector, step: int = 16_384) -> Matrix:
    """Return the raw scores (n, outputs) of coded rows: the start and what the trees add."""
    out = np.empty((len(X), len(start)))
    out[:] = start

    def work(s: int) -> None:
        walk(X[s : s + step], trees.roots, trees.depths, *trees.walking, trees.outputs, out[s : s + step])

    list(in_order(work, range(0, len(X), step)))
    return out
