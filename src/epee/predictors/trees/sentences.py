"""A tree told as rules: one sentence a leaf, and one box a leaf."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from epee.predictors.trees.structure import LEAF, Tree
from epee.typing import Tensor
from epee.words.numbers import figures
from epee.words.tree_words import say


class Rules(list[str]):
    """Rules, one a leaf; printed one a line."""

    def __str__(self) -> str:
        return "\n".join(self)


def branches(tree: Tree, node: int) -> list[tuple[int, bool]]:
    """Return the (node, went left) on the way from the root to a node."""
    way = []
    while node:
        parent = int(tree.parent[node])
        way.append((parent, bool(tree.children_left[parent] == node)))
        node = parent
    return way[::-1]


def write_rules(
    tree: Tree,
    names: Sequence[str],
    conclusion: Callable[[int], str],
    digits: int = 4,
    texts: Mapping[int, list[str]] | None = None,
) -> Rules:
    """Return "if a <= 2.5 and b in {1, 3}: conclusion" for each leaf, the tests of one column merged."""
    rules = Rules()
    for leaf in np.flatnonzero(tree.children_left == LEAF):
        low: dict[int, float] = {}
        high: dict[int, float] = {}
        sets: dict[int, np.ndarray] = {}
        missing: dict[int, bool] = {}
        for node, left in branches(tree, int(leaf)):
            f = int(tree.feature[node])
            missing[f] = missing.get(f, True) and bool(tree.missing_go_to_left[node]) == left
            if tree.category_set[node] >= 0:
                levels = tree.categories_left[tree.category_set[node]].astype(bool)
                sets[f] = sets.get(f, np.ones(len(levels), dtype=bool)) & (levels if left else ~levels)
            elif left:
                high[f] = min(high.get(f, np.inf), float(tree.threshold[node]))
            else:
                low[f] = max(low.get(f, -np.inf), float(tree.threshold[node]))
        tests = [_test(tree, names[f], f, low, high, sets, digits, texts or {}) for f in dict.fromkeys(missing)]
        when = say("if {tests}", tests=say(" and ").join(tests)) if tests else say("always")
        rules.append(say("{when}: {then}", when=when, then=conclusion(int(leaf))))
    return rules


def _test(
    tree: Tree,
    name: str,
    f: int,
    low: dict[int, float],
    high: dict[int, float],
    sets: dict[int, np.ndarray],
    digits: int,
    texts: Mapping[int, list[str]],
) -> str:
    if f in sets:
        start, end = tree.level_starts[f], tree.level_starts[f + 1]
        inside = tree.levels[start:end][sets[f][: end - start]]
        names = [texts[f][int(v)] if f in texts else f"{v:g}" for v in inside]
        return say("{name} in {levels}", name=name, levels=f"{{{', '.join(names)}}}")
    a, b = low.get(f, -np.inf), high.get(f, np.inf)
    if np.isinf(a) and a > 0:
        return say("{name} is missing", name=name)
    if np.isinf(a):
        return f"{name} <= {figures(b, digits)}" if np.isfinite(b) else say("{name} is known", name=name)
    if np.isinf(b):
        return f"{name} > {figures(a, digits)}"
    return f"{figures(a, digits)} < {name} <= {figures(b, digits)}"


def boxes(tree: Tree) -> Tensor:
    """Return the box (leaves, p, 2) of each leaf, lower and upper ends; the boxes cut the space without overlap."""
    box = np.tile(np.array([-np.inf, np.inf]), (tree.node_count, tree.n_features, 1))
    for node in np.flatnonzero(tree.children_left != LEAF):  # parents come first
        left, right, f = tree.children_left[node], tree.children_right[node], tree.feature[node]
        box[left] = box[right] = box[node]
        if tree.category_set[node] < 0:
            box[left, f, 1] = min(box[left, f, 1], tree.threshold[node])
            box[right, f, 0] = max(box[right, f, 0], tree.threshold[node])
    return box[tree.children_left == LEAF]
