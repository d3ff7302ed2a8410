r"""The trees of a forest as arrays, and what rows find in them.

The nodes of all trees lie one after the other; the children of a node lie side by side, and a leaf is its own child. A row that
reaches the leaf :math:`\ell_t(x)` of tree :math:`t` is given the mean over the trees of what their leaves say,

.. math:: f(x) = \frac1T \sum_{t=1}^{T} v_{\ell_t(x)}. \tag{1}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from epee.engines.local import in_order
from epee.predictors.ensembles.soundness import refuse_strange, walkable
from epee.stateful import Part
from epee.typing import Codes, Matrix, Vector

STRIP = 4096  # rows that walk at once


@dataclass(frozen=True, eq=False)
class Forest(Part):
    """Arrays (nodes,) unless said; ``value`` (nodes, K) are shares of the classes, or means (nodes, 1)."""

    roots: Codes  # (T,)
    first: np.ndarray
    feature: np.ndarray
    threshold: Vector
    missing_left: np.ndarray
    gain: Vector  # decrease of the weighted impurity
    weight: Vector
    value: Matrix
    starts: Codes  # (nodes,) where the training rows of a node begin in ``rows``; how many there are in ``held``
    held: Codes
    rows: np.ndarray  # training rows, tree by tree, ordered by leaf

    def check_state(self) -> None:
        """Refuse arrays that are no forest: the compiled walk would leave them."""
        by_node = [f.name for f in fields(self) if f.name not in ("roots", "rows")]
        refuse_strange(
            walkable(self, by_node)
            and self.value.ndim == 2
            and (self.starts >= 0).all()
            and (self.held >= 0).all()
            and (self.starts + self.held <= len(self.rows)).all(),
            "forest",
        )

    def __len__(self) -> int:
        return len(self.roots)

    def followed_by(self, other: Forest) -> Forest:
        """Return these trees and others after them."""
        moved = {"roots": len(self.first), "first": len(self.first), "starts": len(self.rows)}
        parts = {
            f.name: np.concatenate([getattr(self, f.name), getattr(other, f.name) + moved.get(f.name, 0)])
            if f.name in moved
            else np.concatenate([getattr(self, f.name), getattr(other, f.name)])
            for f in fields(self)
        }
        return Forest(**parts)

    def leaves(self, X: Matrix, trees: Any = slice(None)) -> np.ndarray:
        """Return the leaf (n, T) that each row reaches in each tree."""
        from epee.kernels.forest import reach

        roots = np.atleast_1d(self.roots[trees])
        out = np.empty((len(X), len(roots)), dtype=np.int32)
        reach(X, roots, self.first, self.feature, self.threshold, self.missing_left, out)
        return out

    def numbers(self) -> np.ndarray:
        """Return the number (nodes,) that each node has in its own tree, a node before its left branch."""
        from epee.kernels.trees_walk import preorder

        size = len(self.first)
        leaf = self.first == np.arange(size)
        out = np.empty(size, dtype=np.intp)
        for a, b in zip(self.roots.tolist(), [*self.roots[1:].tolist(), size], strict=True):
            left = np.where(leaf[a:b], -1, self.first[a:b].astype(np.int64) - a)
            order = preorder(left, np.where(leaf[a:b], -1, left + 1))
            out[a + order] = np.arange(len(order))
        return out

    def mean(self, X: Matrix) -> Matrix:
        """Return (1) for each row, (n, K)."""
        out = np.empty((len(X), self.value.shape[1]))

        def work(s: int) -> None:
            leaves = self.leaves(X[s : s + STRIP])
            here = out[s : s + STRIP]
            here[:] = 0.0
            for t in range(len(self)):
                here += self.value[leaves[:, t]]
            here /= len(self)

        list(in_order(work, range(0, len(X), STRIP)))
        return out

    def importances(self, p: int) -> Matrix:
        """Return the share (T, p) of each column in the decrease of impurity of each tree."""
        ends = np.append(self.roots[1:], len(self.first))
        inner = self.first != np.arange(len(self.first))
        out = np.zeros((len(self), p))
        for t, (a, b) in enumerate(zip(self.roots, ends)):
            cuts = a + np.flatnonzero(inner[a:b])
            gains = np.bincount(self.feature[cuts], weights=self.gain[cuts], minlength=p)
            out[t] = gains / gains.sum() if gains.sum() > 0 else gains
        return out

    def n_leaves(self) -> int:
        """Return the leaves of all trees."""
        return int((self.first == np.arange(len(self.first))).sum())


def merged(parts: Sequence[Forest]) -> Forest:
    """Return the trees of several forests in one, copying each once."""
    nodes = np.concatenate([[0], np.cumsum([len(part.first) for part in parts])])
    rows = np.concatenate([[0], np.cumsum([len(part.rows) for part in parts])])
    moved = {"roots": nodes, "first": nodes, "starts": rows}
    return Forest(**{
        f.name: np.concatenate([
            (getattr(part, f.name) + moved[f.name][i]).astype(getattr(part, f.name).dtype) if f.name in moved else getattr(part, f.name)
            for i, part in enumerate(parts)
        ])
        for f in fields(Forest)
    })  # fmt: skip


def from_tree(tree: Any, rows: np.ndarray, X: Matrix) -> Forest:
    """Return a single tree of the exact kind (:mod:`epee.predictors.trees`) in this form, with the rows that taught it."""
    size = tree.node_count
    place, order = np.zeros(size, dtype=np.int64), [np.array([0])]
    count = 1
    while len(order[-1]):  # level by level, children side by side
        inner = order[-1][tree.children_left[order[-1]] >= 0]
        children = np.column_stack([tree.children_left[inner], tree.children_right[inner]]).ravel()
        place[children] = count + np.arange(len(children))
        count += len(children)
        order.append(children)
    nodes = np.concatenate(order)
    leaf = tree.children_left[nodes] < 0
    at = place[tree.apply(X[rows])]
    by_leaf = np.argsort(at, kind="stable")
    held = np.bincount(at, minlength=size)
    return Forest(
        np.zeros(1, dtype=np.int64), np.where(leaf, np.arange(size), place[tree.children_left[nodes]]).astype(np.int32),
        np.where(leaf, 0, tree.feature[nodes]).astype(np.int32), np.where(leaf, np.inf, tree.threshold[nodes]),
        leaf | (tree.missing_go_to_left[nodes] != 0), tree.gain[nodes], tree.weighted_n_node_samples[nodes],
        tree.value[nodes].reshape(size, -1), np.cumsum(held) - held, held, rows[by_leaf].astype(np.int32),
    )  # fmt: skip
