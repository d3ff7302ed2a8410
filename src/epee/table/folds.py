"""Which fold a row belongs to: decided by the seed, the row's class and its rank in that class, and by nothing else.

Each K successive rows of a class take a seeded permutation of the K folds. So folds are stratified, their sizes differ by
at most one row a class, and they are the same in memory, in a stream and on a cluster: an engine only needs to know how
many rows of the class came before, which is a prefix sum.

The permutation comes from a counter-based hash (splitmix64) of (seed, class, rank // K, j): no state is carried along.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.typing import Codes


def _mix(x: np.ndarray) -> np.ndarray:
    """Return splitmix64 of 64-bit counters (Steele, Lea and Flood, 2014)."""
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def ranks_in_class(codes: Codes, counts_before: np.ndarray) -> np.ndarray:
    """Return the rank of each row within its class, given how many rows of each class came before.

    >>> ranks_in_class(np.array([0, 1, 0, 0]), np.array([5, 0]))
    array([5, 0, 6, 7])
    """
    narrow = codes.astype(np.int16) if len(counts_before) < 2**15 else codes  # NumPy sorts short codes by radix
    order = np.argsort(narrow, kind="stable")
    counts = np.bincount(codes, minlength=len(counts_before))
    starts = np.cumsum(counts) - counts
    ranks = np.empty(len(codes), dtype=np.int64)
    ranks[order] = np.arange(len(codes)) - np.repeat(starts - counts_before, counts)
    return ranks


def fold_of(ranks: np.ndarray, codes: Codes, n_folds: int, seed: int) -> Codes:
    """Return the fold (n,) of rows with these ranks in their classes."""
    groups, where = np.divmod(ranks, n_folds)
    n_classes = int(codes.max(initial=0)) + 1
    first = np.full(n_classes, np.iinfo(np.int64).max)
    last = np.full(n_classes, -1, dtype=np.int64)
    np.minimum.at(first, codes, groups)
    np.maximum.at(last, codes, groups)
    spans = np.maximum(
        last - first + 1, 0
    )  # (K,) of each class alone: ranks of rare and frequent classes lie far apart
    starts = np.cumsum(spans) - spans
    first = np.where(spans > 0, first, 0)
    of_class = np.repeat(np.arange(n_classes), spans)  # (m,) the class and the group of each permutation
    group = np.arange(len(of_class)) - np.repeat(starts - first, spans)
    with np.errstate(over="ignore"):
        key = _mix(np.array([seed & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64))
        classes = _mix(key + np.arange(n_classes, dtype=np.uint64))  # (K,)
        bases = _mix(classes[of_class] ^ _mix(group.astype(np.uint64)))  # (m,)
        keys = _mix(bases[:, None] + np.arange(n_folds, dtype=np.uint64))  # (m, folds)
    permutations = np.argsort(keys, axis=1)
    return permutations[starts[codes] + groups - first[codes], where]


def assign_folds(codes: Codes | None, n: int, n_folds: int, seed: int = 0) -> Codes:
    """Return the fold of each of ``n`` rows in memory; ``codes`` are their classes, None for a regression.

    >>> codes = np.repeat([0, 1], 6)
    >>> np.bincount(assign_folds(codes, 12, 3, seed=1)[:6])
    array([2, 2, 2])
    """
    check_folds(n_folds, n)
    if codes is None:
        codes, ranks = np.zeros(n, dtype=np.intp), np.arange(n)
    else:
        ranks = ranks_in_class(codes, np.zeros(int(codes.max(initial=0)) + 1, dtype=np.int64))
    return fold_of(ranks, codes, n_folds, seed)


def check_folds(n_folds: int, n: int) -> None:
    """Refuse a number of folds that the rows cannot fill."""
    if int(n_folds) != n_folds or n_folds < 2:
        raise WrongUse(f"folds is {n_folds}; it must be a whole number of at least 2 (there are {n} rows).")
    if n_folds > n:
        raise DataError(f"folds is {n_folds}, but there are only {n} rows: n_samples={n} is fewer than the folds.")


def same_rows(X: Any) -> np.ndarray:
    """Return a number for each row, equal for equal rows, in an order of the rows alone.

    Folds of these numbers leave a row given twice out as they leave one of weight 2.

    >>> same_rows([[2.0], [1.0], [2.0]])
    array([1, 0, 1])
    """
    if hasattr(X, "tocsr"):
        table = X.tocsr().sorted_indices()
        ends = table.indptr
        keys = np.array([
            table.indices[a:b].tobytes() + table.data[a:b].tobytes() for a, b in pairwise(ends)
        ], dtype=object)  # fmt: skip
        return np.unique(keys, return_inverse=True)[1].reshape(-1)
    cells = np.asarray(X)
    if cells.dtype.kind not in "fiub":
        return np.arange(len(cells))
    return np.unique(cells.astype(np.float64), axis=0, return_inverse=True)[1].reshape(-1)
