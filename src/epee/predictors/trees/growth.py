"""A tree grown from sorted columns, its branches in threads.

The answer does not depend on the number of threads: each node is split by its own rows, and its random numbers, if any, come
from its place in the tree.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.engines.local import in_order
from epee.predictors.trees.columns import Columns
from epee.predictors.trees.outputs import by_output
from epee.predictors.trees.structure import LEAF, UNDEFINED, Tree
from epee.settings import options
from epee.stateful import Part
from epee.typing import Codes, Vector

CRITERIA = {
    "gini": 0, "entropy": 1, "log_loss": 1, "error": 2,
    "squared_error": 3, "friedman_mse": 3, "absolute_error": 4, "poisson": 5,
}  # fmt: skip


@dataclass(frozen=True)
class Plan(Part):
    """When to stop and what to try; the fields are scikit-learn's parameters with counts made absolute."""

    criterion: str
    max_depth: int
    min_samples_split: float
    min_samples_leaf: float
    min_weight_leaf: float
    max_features: int
    random: bool
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    monotone: np.ndarray
    seed: int


def grow_tree(
    columns: Columns, order: Codes, y: Vector, codes: Codes, K: int, w: Vector, counts: Vector, plan: Plan, several: Any = None
) -> Tree:  # fmt: skip
    """Return the tree of the rows in ``order`` (2, p, m), which is used up; ``w`` weigh the impurity, ``counts`` the rows.

    Where there are ``several`` outputs (:mod:`epee.predictors.trees.outputs`), ``y`` and ``codes`` are not looked at, and ``K`` is the
    number of classes of all of them.
    """
    from epee.kernels.trees_grow import Nodes, describe, grow
    from epee.kernels.trees_split import Data, Rules

    m = order.shape[2]
    rows = order[0, 0] & 0xFFFFFFFF
    data = Data(
        y, codes, w, counts, columns.values, columns.offsets, columns.missing, columns.categorical, plan.monotone
    )
    unit = bool((w[rows] == 1).all())
    total = float(w[rows].sum())
    counted = plan.min_samples_split > 2 or plan.min_samples_leaf > 1
    leaves = min(m, int(m / plan.min_samples_leaf) if counted and unit else m, 2 ** min(plan.max_depth, 40))
    levels = columns.most_levels
    width = max(K, 1) if several is None else int(several.starts[-1])
    set_width = levels if columns.categorical.any() else 0
    medians = np.zeros(0) if plan.criterion == "absolute_error" else None  # None: the kernel compiles without them

    def sets() -> list[Any]:
        """Return room for the levels of a split and for those of the best; None without categorical columns."""
        return [np.zeros(max(levels, 1), dtype=np.uint8) if set_width else None for _ in range(2)]

    def room(leaves: int) -> Any:
        size = 2 * max(leaves, 1) + 1
        return Nodes(
            np.full(size, LEAF, dtype=np.int64), np.full(size, LEAF, dtype=np.int64),
            np.full(size, UNDEFINED, dtype=np.int64), np.zeros(size, dtype=np.uint8), np.empty(size, dtype=np.int64),
            np.full(size, float(UNDEFINED)), np.empty(size), np.empty(size), np.empty(size), np.zeros(size),
            np.full(size, -np.inf), np.full(size, np.inf), np.empty((size, width)),
            np.zeros((size, set_width), dtype=np.uint8),
        )  # fmt: skip

    def rules(pure: float) -> Any:
        return Rules(
            CRITERIA[plan.criterion], K, unit, counted, float(plan.min_samples_split), float(plan.min_samples_leaf),
            float(plan.min_weight_leaf), plan.max_depth, plan.max_features, plan.random,
            plan.min_impurity_decrease * total, pure,
        )  # fmt: skip

    go = np.zeros(len(w), dtype=np.uint8)
    nodes = room(leaves)
    describe(order[0, 0], go, -1, data, rules(0.0), nodes, 0, medians, several)
    said = rules(1e-15 * float(nodes.impurity[0]))
    threads = options.thread_count()
    defer = max(m // (8 * threads), 1000) if threads > 1 and m >= 4000 else 0
    later, later_keys = np.empty((m + 1, 5), dtype=np.int64), np.empty(m + 1, dtype=np.uint64)
    size, waiting = grow(
        order, go, data, said, nodes, 0, m, 0, 0, np.uint64(plan.seed), defer, later, later_keys, *sets(), medians, several
    )  # fmt: skip
    parts = [_trim(nodes, size)]
    branches = sorted(range(waiting), key=lambda i: later[i, 1] - later[i, 2])  # the largest first

    def branch(i: int) -> Any:
        node, s, e, turn, depth = (int(v) for v in later[i])
        own = room(min(leaves, e - s, 2 ** min(plan.max_depth - depth, 40)))
        for name in ("rows", "impurity", "weight", "count", "low", "high", "value"):
            getattr(own, name)[0] = getattr(nodes, name)[node]
        none, no_keys = np.empty((0, 5), dtype=np.int64), np.empty(0, dtype=np.uint64)
        found, _ = grow(
            order, go, data, said, own, s, e, turn, depth, later_keys[i], 0, none, no_keys, *sets(), medians, several
        )  # fmt: skip
        return _trim(own, found)

    grown = list(in_order(branch, branches, ahead=0))
    whole = _join(parts[0], [(int(later[i, 0]), part) for i, part in zip(branches, grown)])
    tree = _tree(whole, columns, K, several)
    return tree if plan.max_leaf_nodes is None else _best_first(tree, plan.max_leaf_nodes)


def _trim(nodes: Any, size: int) -> Any:
    return type(nodes)(*(a[:size] for a in nodes))


def _join(top: Any, branches: list[tuple[int, Any]]) -> Any:
    """Hang branches on the nodes that waited for them."""
    if not branches:
        return top
    starts = np.cumsum([len(top.left)] + [len(part.left) for _, part in branches])
    joined = {
        name: np.concatenate([getattr(top, name)] + [getattr(b, name) for _, b in branches]) for name in top._fields
    }
    for (node, part), start in zip(branches, starts):
        for name in ("left", "right"):
            child = getattr(part, name)
            joined[name][start : start + len(child)] = np.where(child >= 0, child + start, child)
        for name in ("left", "right", "feature", "missing_left", "threshold", "gain", "sets"):
            joined[name][node] = joined[name][start]
    return type(top)(**joined)


def _tree(nodes: Any, columns: Columns, K: int, several: Any) -> Tree:
    from epee.kernels.trees_walk import preorder

    kept = preorder(nodes.left, nodes.right)
    place = np.full(len(nodes.left) + 1, LEAF)
    place[kept] = np.arange(len(kept))
    feature, value, weight = nodes.feature[kept], nodes.value[kept], nodes.weight[kept]
    if np.isfinite(nodes.low).any() or np.isfinite(nodes.high).any():  # monotone columns bound the values
        share = np.clip(value[:, -1] / (weight if K else 1.0), nodes.low[kept], nodes.high[kept])
        value = np.column_stack([1 - share, share]) * weight[:, None] if K else share[:, None]
    by_set = (feature >= 0) & (columns.categorical[np.maximum(feature, 0)] == 1)
    return Tree(
        place[nodes.left[kept]], place[nodes.right[kept]], feature, nodes.threshold[kept], nodes.impurity[kept],
        nodes.rows[kept], weight, nodes.missing_left[kept], nodes.gain[kept],
        value[:, None, :] if several is None else by_output(value, several.starts),
        np.where(by_set, np.cumsum(by_set) - 1, -1), np.ascontiguousarray(nodes.sets[kept][by_set]), *_levels(columns),
        len(columns.missing), None if several is None or not K else np.diff(several.starts),
    )  # fmt: skip


def _levels(columns: Columns) -> tuple[Vector, Codes]:
    """Return the values of the categorical columns alone: thresholds stand for the others."""
    sizes = np.diff(columns.offsets) * columns.categorical
    kept = np.repeat(columns.categorical.astype(bool), np.diff(columns.offsets))
    return columns.values[kept], np.concatenate([[0], np.cumsum(sizes)])


def _best_first(tree: Tree, most: int) -> Tree:
    """Keep the splits that a growth by largest gain would have made first, up to a number of leaves."""
    stop = np.ones(tree.node_count, dtype=bool)
    heap = [(-float(tree.gain[0]), 0)] if tree.children_left[0] != LEAF else []
    for _ in range(most - 1):
        if not heap:
            break
        node = heapq.heappop(heap)[1]
        stop[node] = False
        for child in (int(tree.children_left[node]), int(tree.children_right[node])):
            if tree.children_left[child] != LEAF:
                heapq.heappush(heap, (-float(tree.gain[child]), child))
    return tree.cut(stop)
