"""The trees of a forest one by one, as decision trees: what ``estimators_`` gives, and what explainers of trees walk through."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from epee.predictors.ensembles.forest_structure import Forest
from epee.predictors.trees.structure import LEAF, UNDEFINED, Tree
from epee.typing import Matrix, Vector


class Members(Sequence[Any]):
    """The trees of a forest, each made when it is asked for; those of classes answer with codes 0, 1, ..., as scikit-learn's do."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._made = lru_cache(maxsize=256)(self._make)

    def __len__(self) -> int:
        return len(self.model.forest_)

    def __getitem__(self, at: Any) -> Any:
        numbers = range(len(self))[at]
        return self._made(numbers) if isinstance(numbers, int) else [self._made(t) for t in numbers]

    def _make(self, t: int) -> Any:
        model, own = self.model, type(self.model)._tree_class
        known = own().get_params()
        given = {name: value for name, value in model.get_params(deep=False).items() if name in known}
        given |= {"splitter": "random" if model._random_cuts else "best", "random_state": model.seed_of(t)}
        if given.get("class_weight") == "balanced_subsample":
            given["class_weight"] = "balanced"
        made = own(**given)
        made.n_features_in_, made.text_levels_ = model.n_features_in_, {}
        made.tree_ = made._grown = as_tree(model, t)
        made._path, made._costs = None, None
        made.max_features_ = made._max_features(model.n_features_in_)
        if hasattr(model, "classes_"):
            sizes = made.tree_.n_classes.tolist()
            several = len(sizes) > 1
            made.n_classes_ = sizes if several else sizes[0]
            made.classes_ = [np.arange(K, dtype=float) for K in sizes] if several else np.arange(sizes[0], dtype=float)
        made._settle()
        return made


def as_tree(model: Any, t: int) -> Tree:
    """Return tree t of a fitted forest as the arrays of a decision tree, each node before its left branch."""
    forest: Forest = model.forest_
    a = int(forest.roots[t])
    b = int(forest.roots[t + 1]) if t + 1 < len(forest) else len(forest.first)
    size = b - a
    first = forest.first[a:b].astype(np.int64) - a
    leaf = first == np.arange(size)
    p = model.n_features_in_
    tree = Tree(
        np.where(leaf, LEAF, first), np.where(leaf, LEAF, first + 1), np.where(leaf, UNDEFINED, forest.feature[a:b]).astype(np.int64),
        np.where(leaf, float(UNDEFINED), forest.threshold[a:b]), impurities(model, t, a, b), forest.held[a:b].astype(np.int64),
        forest.weight[a:b], forest.missing_left[a:b].astype(np.uint8), forest.gain[a:b], model.said_by_nodes(forest.value[a:b]),
        np.full(size, -1), np.zeros((0, 0), dtype=np.uint8), np.zeros(0), np.zeros(p + 1, dtype=np.int64), p,
        model.class_counts(),
    )  # fmt: skip
    return tree.cut(np.zeros(size, dtype=bool))


def impurities(model: Any, t: int, a: int, b: int) -> Vector:
    """Return the impurity of the nodes a .. b of tree t: from the shares of the classes, or from the values of the rows it holds.

    A forest keeps the rows of each leaf and draws again how often each was taken; one read from a file cannot, and says NaN for numbers.
    """
    forest: Forest = model.forest_
    if hasattr(model, "classes_"):
        return _of_shares(model.said_by_nodes(forest.value[a:b]), model.criterion)
    draw = model.__dict__.get("_draw")
    if draw is None or np.ndim(model._values) != 1 or model.criterion not in model._by_histogram:
        return np.full(b - a, np.nan)
    count = draw.counts(t)
    start = forest.starts[a:b]
    held = forest.rows[start[0] : start[0] + forest.held[a]]  # the root holds them all
    w, y = count[held], model._values[held] - model._level
    sums = np.concatenate([np.zeros((1, 3)), np.cumsum(np.column_stack([w, w * y, w * y * y]), axis=0)])
    low = start - start[0]
    if not _nested(forest, a, b):
        return np.full(b - a, np.nan)
    W, S, Q = (sums[low + forest.held[a:b]] - sums[low]).T
    return np.maximum(Q / W - (S / W) ** 2, 0.0)


def _nested(forest: Forest, a: int, b: int) -> bool:
    """Tell whether the rows of every node lie side by side, as forests by histograms leave them; exact trees keep those of leaves alone."""
    return bool((forest.held[a:b] > 0).all())


def _of_shares(value: Matrix, criterion: str) -> Vector:
    """Return the impurity of shares (nodes, outputs, K), mean over the outputs."""
    if criterion == "gini":
        return np.maximum(1.0 - (value**2).sum(axis=2), 0.0).mean(axis=1)
    logs = np.log2(np.where(value > 0, value, 1.0))
    return np.maximum(-(value * logs).sum(axis=2), 0.0).mean(axis=1)
