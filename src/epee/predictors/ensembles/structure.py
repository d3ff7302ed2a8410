"""Boosted trees as arrays, and the scores that they give to rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epee.engines.local import in_order
from epee.predictors.ensembles.growth import Growth
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
        """Return the first trees."""
        return self.only(0, trees)

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

    def importance(self, p: int) -> Vector:
        """Return the gain of the cuts of each column (p,)."""
        inner = self.first != np.arange(len(self.first))
        return np.bincount(self.feature[inner], weights=self.gain[inner], minlength=p).astype(np.float64)


BY_NODE = ("first", "feature", "threshold", "missing_left", "set_of", "value", "gain", "count")


def joined(grown: Sequence[tuple[Growth, int]]) -> Trees:
    """Return grown trees, each with the output it adds to, as arrays."""
    if not grown:
        return Trees.empty()
    sizes = [len(tree.nodes) for tree, _ in grown]
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    columns: dict[str, list[Any]] = {name: [] for name in BY_NODE}
    sets: list[np.ndarray] = []
    for (tree, _), root in zip(grown, roots):
        for k, node in enumerate(tree.nodes):
            inner = node.first >= 0
            by_set = inner and bool(tree.bins.categorical[node.column])
            cuts = tree.bins.cut(node.column)
            threshold = np.nan if by_set else cuts[node.cut] if inner and node.cut < len(cuts) else np.inf
            row = (root + (node.first if inner else k), node.column if inner else 0, threshold, node.missing_left or not inner,
                   len(sets) if by_set else -1, node.value, node.gain if inner else 0.0, tree.units.read(node.pair)[2])  # fmt: skip
            for name, cell in zip(BY_NODE, row):
                columns[name].append(cell)
            if by_set and node.goes_left is not None:
                sets.append(node.goes_left)
    kinds = (np.int32, np.int32, np.float64, np.bool_, np.int32, np.float64, np.float64, np.float64)
    by_node: dict[str, Any] = {name: np.array(columns[name], dtype=kind) for name, kind in zip(BY_NODE, kinds)}
    depths = [max(node.depth for node in tree.nodes) for tree, _ in grown]
    return Trees(
        roots, np.array(depths), np.array([k for _, k in grown]), **by_node,
        sets=np.array(sets, dtype=np.uint8).reshape(-1, 256),
    )  # fmt: skip


def scores(trees: Trees, X: Matrix, start: Vector, steps: Any, step: int = 16_384) -> Matrix:
    """Return the raw scores (n, outputs) of coded rows: the start and what the trees add."""
    out = np.empty((len(X), len(start)))
    out[:] = start

    def work(s: int) -> None:
        steps.walk(X[s : s + step], trees.roots, trees.depths, *trees.walking, trees.outputs, out[s : s + step])

    list(in_order(work, range(0, len(X), step)))
    return out
