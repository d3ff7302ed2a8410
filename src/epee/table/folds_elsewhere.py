"""The folds of rows that lie elsewhere: the rule of :mod:`epee.table.folds`, dealt where the rows are, to the same folds.

Numbers of 64 bits are signed there, which changes no product and no sum modulo 2^64; a shift to the right has its upper bits cut off.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.arrays import at_home, like, namespace, numbers_like
from epee.table.folds import ROUNDS, SORTED_UP_TO, check_folds, class_keys, mix64, shuffled_ranks

FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # of splitmix64, as in the rule itself


def folds_elsewhere(there: Any, codes: Any, n: int, n_folds: int, seed: int = 0) -> Any:
    """Return the fold of each of ``n`` rows where ``there`` lies; ``codes`` are their classes there, None for a regression.

    >>> from epee.table.folds import assign_folds
    >>> bool((folds_elsewhere(np.zeros(1), None, 70_000, 7) == assign_folds(None, 70_000, 7)).all())
    True
    """
    check_folds(n_folds, n)
    xp = namespace(there)
    if codes is None:
        rank, totals = numbers_like(n, there), np.array([n])
    else:
        order = xp.argsort(codes, stable=True)
        classes = int(xp.max(codes)) + 1
        totals = _counted(xp, xp.take(codes, order), classes)
        starts = like(np.cumsum(totals) - totals, order, order.dtype)
        sorted_rank = numbers_like(n, there) - xp.take(starts, xp.take(codes, order))
        rank = xp.take(sorted_rank, xp.argsort(order, stable=True))  # back in the order of the rows
    keys = class_keys(len(totals), seed)
    first = (mix64(keys) % np.uint64(n_folds)).astype(np.int64)
    small = [k for k, total in enumerate(totals) if total <= SORTED_UP_TO]
    place = rank
    if small:
        sizes = [int(total) if total <= SORTED_UP_TO else 0 for total in totals]
        table = np.concatenate([shuffled_ranks(np.arange(sizes[k]), sizes[k], int(keys[k])) for k in small])
        offset = like(np.cumsum(sizes) - sizes, rank, rank.dtype)
        at = rank if codes is None else rank + xp.take(offset, codes)
        mine = xp.ones_like(rank, dtype=xp.bool) if codes is None else xp.take(like(np.array(sizes) > 0, rank), codes)
        found = xp.take(like(table, rank, rank.dtype), xp.where(mine, at, xp.zeros_like(at)))
        place = xp.where(mine, found, rank)
    for k in set(range(len(totals))) - set(small):
        walked = _feistel(xp, rank, int(totals[k]), int(keys[k]))
        place = walked if codes is None else xp.where(codes == k, walked, place)
    begin = int(first[0]) if codes is None else xp.take(like(first, rank, rank.dtype), codes)
    return (place + begin) % n_folds


def _counted(xp: Any, ordered: Any, classes: int) -> np.ndarray:
    ends = at_home(xp.searchsorted(ordered, numbers_like(classes, ordered, ordered.dtype), side="right"))
    return np.diff(ends, prepend=0)


def _feistel(xp: Any, rank: Any, n: int, key: int) -> Any:
    """Return the places of ranks among ``n``; ranks beyond them walk, too, and are nobody's."""
    bits = int(n - 1).bit_length()
    low, masks = bits // 2, (2 ** (bits // 2) - 1, 2 ** (bits - bits // 2) - 1)
    with np.errstate(over="ignore"):
        keys = [int(k) for k in mix64(np.uint64(key) + np.arange(1, ROUNDS + 1, dtype=np.uint64))]
    x = rank % n
    outside = xp.ones_like(x, dtype=xp.bool)
    while bool(xp.any(outside)):
        a, b = x & masks[0], x >> low
        for r in range(0, ROUNDS, 2):
            b = b ^ (_hash(a, keys[r]) & masks[1])
            a = a ^ (_hash(b, keys[r + 1]) & masks[0])
        x = xp.where(outside, a | (b << low), x)
        outside = outside & (x >= n)
    return x


def _hash(x: Any, key: int) -> Any:
    h = (x ^ _signed(key)) * _signed(FIRST)
    h = (h ^ ((h >> 29) & (2**35 - 1))) * _signed(SECOND)
    return (h >> 32) & (2**32 - 1)


def _signed(number: int) -> int:
    """Return the signed number of 64 bits with the same bits."""
    return number - 2**64 if number >= 2**63 else number
