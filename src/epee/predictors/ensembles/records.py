"""Boosted trees in scikit-learn's records, which its tests and tools around it read: one structured array a tree.

A set of categories is a bitset of eight words of 32 bits there, by the values of the column themselves, which are whole numbers below
256; values beyond are known to our trees alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.predictors.ensembles.binning import Bins
from epee.predictors.ensembles.structure import Trees
from epee.typing import Codes

WORDS = 8  # of 32 bits in a set of scikit-learn's


def as_records(trees: Trees, bins: Bins, outputs: int) -> list[list[Any]]:
    """Return the trees by round and output."""
    from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor

    ends = np.append(trees.roots[1:], len(trees.first))
    nodes, depth = _nodes(trees), _depths(trees)
    nodes["depth"] = depth
    made = []
    for a, b in zip(trees.roots.tolist(), ends.tolist(), strict=True):
        own = nodes[a:b].copy()
        for name in ("left", "right"):
            own[name] = np.where(own["is_leaf"], 0, own[name] - np.uint32(a))
        by_set = np.flatnonzero(own["is_categorical"])
        own["bitset_idx"][by_set] = np.arange(len(by_set))
        of = trees.set_of[a:b][by_set]
        raw = [_raw_set(trees.sets[s], bins, int(f)) for s, f in zip(of, own["feature_idx"][by_set], strict=True)]
        binned = [_bits(np.flatnonzero(trees.sets[s])) for s in of]
        made.append(TreePredictor(own, *(np.array(sets, np.uint32).reshape(-1, WORDS) for sets in (binned, raw))))
    return [made[i : i + outputs] for i in range(0, len(made), outputs)]


def _nodes(trees: Trees) -> np.ndarray:
    """Return the nodes of all trees as records; children count from the first node of all."""
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE

    nodes = np.zeros(len(trees.first), dtype=PREDICTOR_RECORD_DTYPE)
    leaf = trees.first == np.arange(len(trees.first))
    nodes["value"], nodes["gain"] = trees.value, trees.gain
    nodes["count"] = np.rint(trees.count)
    nodes["feature_idx"], nodes["num_threshold"] = trees.feature, np.where(leaf, 0.0, trees.threshold)
    nodes["missing_go_to_left"], nodes["is_leaf"] = trees.missing_left & ~leaf, leaf
    nodes["left"], nodes["right"] = trees.first, trees.first + 1
    nodes["is_categorical"] = trees.set_of >= 0
    return nodes


def _depths(trees: Trees) -> Codes:
    """Return the distance of each node from its root; children come after their parent."""
    depth = np.zeros(len(trees.first), dtype=np.int64)
    level = trees.roots
    while len(level):
        inner = level[trees.first[level] != level]
        children = np.concatenate([trees.first[inner], trees.first[inner] + 1])
        depth[children] = np.repeat(depth[inner][None], 2, axis=0).ravel() + 1
        level = children
    return depth


def _raw_set(goes_left: np.ndarray, bins: Bins, f: int) -> np.ndarray:
    """Return the values of a column of categories that go left, as a bitset."""
    levels = bins.cut(f)
    left = levels[goes_left[bins.level_bins[bins.starts[f] : bins.starts[f + 1]]] != 0]
    return _bits(left[(left >= 0) & (left < 32 * WORDS)].astype(np.int64))


def _bits(numbers: Codes) -> np.ndarray:
    """Return numbers below 256 as a bitset of eight words.

    >>> _bits(np.array([0, 2, 33])).tolist()
    [5, 2, 0, 0, 0, 0, 0, 0]
    """
    words = np.zeros(WORDS, dtype=np.uint32)
    np.bitwise_or.at(words, numbers // 32, np.uint32(1) << (numbers % 32).astype(np.uint32))
    return words
