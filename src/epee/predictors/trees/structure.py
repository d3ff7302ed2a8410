"""A tree as arrays, with the names and conventions of scikit-learn's ``tree_``.

Node 0 is the root; each node comes before its left branch, and that before its right one. A row goes left when its value is
at most the threshold, or its category is in the left set; a leaf has children -1 and feature -2.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np

from epee.engines.local import in_order
from epee.stateful import Part
from epee.table.sparse import laid_out
from epee.typing import Codes, Matrix, Tensor, Vector

LEAF, UNDEFINED = -1, -2


@dataclass(frozen=True, eq=False)
class Tree(Part):
    """The nodes of a fitted tree; the arrays are (nodes,) unless said."""

    children_left: Codes
    children_right: Codes
    feature: Codes
    threshold: Vector
    impurity: Vector
    n_node_samples: Codes
    weighted_n_node_samples: Vector
    missing_go_to_left: np.ndarray
    gain: Vector  # decrease of the weighted impurity by the split
    value: Tensor  # (nodes, outputs, K) shares of the classes, or (nodes, outputs, 1)
    category_set: Codes  # row of ``categories_left`` of a categorical split, else -1
    categories_left: np.ndarray  # (sets, levels) ones for the levels that go left
    levels: Vector  # the categories of all columns, those of column f at ``level_starts[f] .. level_starts[f + 1]``
    level_starts: Codes
    n_features: int
    class_counts: Codes | None = None  # (outputs,) how many of the K classes each output has; None: all of them

    _BY_NODE = (
        "children_left", "children_right", "feature", "threshold", "impurity", "n_node_samples", "weighted_n_node_samples",
        "missing_go_to_left", "gain", "value", "category_set",
    )  # fmt: skip

    def with_parts(self, **parts: Any) -> Self:
        """Return the same tree with other arrays in some places."""
        return type(self)(**self.to_arrays() | parts)

    def check_state(self) -> None:
        """Refuse arrays that are no tree, as a file made by hand may hold: the way down would not end, or leave the arrays."""
        n, columns = self.node_count, self.n_features
        inner = np.asarray(self.children_left) != LEAF
        ways = np.stack([self.children_left, self.children_right])[:, inner]  # (2, inner nodes)
        first, last = self.level_starts[[0, -1]]
        sound = (
            n > 0
            and all(getattr(self, name).shape[:1] == (n,) for name in self._BY_NODE)
            and self.value.ndim == 3
            and (self.class_counts is None or self.class_counts.shape == self.value.shape[1:2])
            and (ways > np.flatnonzero(inner)).all()
            and (ways < n).all()
            and ((self.feature[inner] >= 0) & (self.feature[inner] < columns)).all()
            and (self.category_set < len(self.categories_left)).all()
            and (self.category_set >= LEAF).all()
            and self.level_starts.shape == (columns + 1,)
            and (np.diff(self.level_starts) >= 0).all()
            and (first >= 0 and last <= len(self.levels))
            and (
                np.diff(self.level_starts).max(initial=0) <= self.categories_left.shape[1]
                or not len(self.categories_left)
            )
        )
        if not sound:
            raise ValueError("these arrays are no tree")

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self.feature)

    @property
    def capacity(self) -> int:
        """Room for so many nodes: as many as there are."""
        return self.node_count

    @property
    def n_leaves(self) -> int:
        """How many leaves there are."""
        return int((self.children_left == LEAF).sum())

    @property
    def max_depth(self) -> int:
        """The length of the longest path from the root."""
        return int(self.depth.max())

    @property
    def n_outputs(self) -> int:
        """How many targets the tree predicts."""
        return int(self.value.shape[1])

    @property
    def n_classes(self) -> Codes:
        """How many classes each output has (outputs,); 1 for numbers."""
        return np.full(self.n_outputs, self.value.shape[2]) if self.class_counts is None else self.class_counts

    @property
    def max_n_classes(self) -> int:
        """The most classes of an output."""
        return int(self.value.shape[2])

    @cached_property
    def depth(self) -> Codes:
        """The distance of each node from the root."""
        from epee.kernels.trees_walk import depths

        return depths(self.children_left, self.children_right)

    @cached_property
    def heavier_left(self) -> np.ndarray:
        """Whether the left child holds more weight: where what is unknown goes."""
        w = self.weighted_n_node_samples
        return (w[self.children_left] > w[self.children_right]).astype(np.uint8)

    @property
    def walking(self) -> tuple[Any, ...]:
        """What a row needs to know to walk down."""
        return (
            self.children_left, self.children_right, self.feature, self.threshold, self.missing_go_to_left,
            self.heavier_left, self.category_set, self.categories_left, self.levels, self.level_starts,
        )  # fmt: skip

    def apply(self, X: Matrix) -> Codes:
        """Return the leaf of each row (n,)."""
        from epee.kernels.trees_walk import walk

        X = np.ascontiguousarray(laid_out(X), dtype=np.float64)
        out = np.empty(len(X), dtype=np.int64)

        def work(start: int) -> None:
            walk(X[start : start + 16384], *self.walking, out[start : start + 16384])

        list(in_order(work, range(0, len(X), 16384)))
        return out

    @cached_property
    def parent(self) -> Codes:
        """The parent of each node, -1 for the root."""
        parent = np.full(self.node_count, -1)
        inner = np.flatnonzero(self.children_left != LEAF)
        parent[self.children_left[inner]] = parent[self.children_right[inner]] = inner
        return parent

    def decision_path(self, X: Matrix) -> Any:
        """Return the sparse matrix (n, nodes) with a one where a row passes."""
        from scipy.sparse import csr_matrix

        at = self.apply(X)
        length = self.depth[at] + 1
        indptr = np.concatenate([[0], np.cumsum(length)])
        indices = np.empty(indptr[-1], dtype=np.int64)
        rows, end = np.arange(len(at)), indptr[1:].copy()
        while len(rows):
            end[rows] -= 1
            indices[end[rows]] = at[rows]
            at[rows] = self.parent[at[rows]]
            rows = rows[at[rows] >= 0]
        return csr_matrix((np.ones(len(indices), dtype=np.int64), indices, indptr), shape=(X.shape[0], self.node_count))

    def compute_feature_importances(self, normalize: bool = True) -> Vector:
        """Return the decrease of impurity due to each column (p,), as shares of the whole."""
        inner = self.children_left != LEAF
        sums = np.bincount(self.feature[inner], weights=self.gain[inner], minlength=self.n_features)
        sums = sums / self.weighted_n_node_samples[0]
        return sums / sums.sum() if normalize and sums.sum() > 0 else sums

    def compute_partial_dependence(self, X: Matrix, target_features: Codes, out: Vector) -> None:
        """Add to ``out`` (n,) the mean value of the leaves that rows of some columns can reach, by the weight that takes each way.

        ``X`` (n, q) holds the columns ``target_features`` alone; at a split on another column both ways are taken, each by its share of
        the training weight.
        """
        at = {int(f): k for k, f in enumerate(target_features)}
        w = self.weighted_n_node_samples
        waiting = [(0, np.ones(len(X)))]
        while waiting:
            node, share = waiting.pop()
            left, right, f = (int(a[node]) for a in (self.children_left, self.children_right, self.feature))
            if left == LEAF:
                out += share * self.value[node, 0, 0]
                continue
            if f in at:
                goes = self._goes_left(node, X[:, at[f]])
                shares = (share * goes, share * ~goes)
            else:
                shares = (share * w[left] / w[node], share * w[right] / w[node])
            waiting += [(child, part) for child, part in zip((left, right), shares, strict=True) if part.any()]

    def _goes_left(self, node: int, v: Vector) -> np.ndarray:
        """Return whether cells (n,) of its column go left at a node; the rule is that of the kernel that walks."""
        f, own = int(self.feature[node]), int(self.category_set[node])
        left = v <= self.threshold[node]
        if own >= 0:
            levels = self.levels[self.level_starts[f] : self.level_starts[f + 1]]
            code = np.minimum(np.searchsorted(levels, v), len(levels) - 1)
            left = np.where(levels[code] == v, self.categories_left[own, code] != 0, self.heavier_left[node] != 0)
        return np.where(np.isnan(v), self.missing_go_to_left[node] != 0, left)

    def cut(self, stop: np.ndarray) -> Tree:
        """Return the tree in which the nodes of a mask (nodes,) do not branch."""
        from epee.kernels.trees_walk import preorder

        left, right = np.where(stop, LEAF, self.children_left), np.where(stop, LEAF, self.children_right)
        kept = preorder(left, right)
        place = np.full(self.node_count + 1, LEAF)  # the last entry stands for "no child"
        place[kept] = np.arange(len(kept))
        parts = {name: getattr(self, name)[kept] for name in self._BY_NODE}
        parts["children_left"], parts["children_right"] = place[left[kept]], place[right[kept]]
        leaf = parts["children_left"] == LEAF
        parts["feature"] = np.where(leaf, UNDEFINED, parts["feature"])
        parts["threshold"] = np.where(leaf, float(UNDEFINED), parts["threshold"])
        parts["category_set"] = np.where(leaf, -1, parts["category_set"])
        parts["gain"] = np.where(leaf, 0.0, parts["gain"])
        return self.with_parts(**parts)

    def to_arrays(self) -> dict[str, Any]:
        """Return everything as plain arrays, by name: enough to build the tree again."""
        return {f.name: getattr(self, f.name) for f in fields(self)}
