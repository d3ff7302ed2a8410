"""The folds of rows that lie elsewhere: the rule of :mod:`epee.table.folds`, dealt where the rows are, to the same folds.

A round of the Feistel network hashes half of the bits of a rank, so its function is a short table, made here; there a round is one
look into it. After two walks most ranks have arrived; the few others walk on here, and only they travel.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from epee.arrays import at_home, before_sorting, like, namespace, numbers_like, taken
from epee.table.folds import SORTED_UP_TO, check_folds, class_keys, mix64, places_of, round_tables

WALKS = 2  # that all ranks take there


def folds_elsewhere(
    there: Any, codes: Any, n: int, n_folds: int, seed: int = 0, totals: np.ndarray | None = None
) -> Any:
    """Return the fold of each of ``n`` rows where ``there`` lies; ``codes`` are their classes there, None for a regression.

    ``totals`` (K,) are the rows of each class, counted if they are not given.

    >>> from epee.table.folds import assign_folds
    >>> bool((folds_elsewhere(np.zeros(1), None, 70_000, 7) == assign_folds(None, 70_000, 7)).all())
    True
    """
    check_folds(n_folds, n)
    xp = namespace(there)
    order = None
    if codes is None:
        totals = np.array([n])
    else:
        classes = int(xp.max(codes)) + 1 if totals is None else len(totals)
        narrow = xp.astype(codes, xp.int16) if classes < 2**15 else codes  # short codes are sorted sooner
        order = xp.argsort(narrow, stable=True)
        totals = _counted(xp, taken(codes, order), classes) if totals is None else np.asarray(totals)
    keys = class_keys(len(totals), seed)
    first = (mix64(keys) % np.uint64(n_folds)).astype(np.int64)
    small = totals <= SORTED_UP_TO
    if small.all() and n_folds < 2**15:
        dealt = like(_dealt(tuple(totals.tolist()), n_folds, seed), there)
        return xp.astype(dealt if order is None else before_sorting(dealt, order), xp.int64)
    rank = numbers_like(n, there)
    if order is not None:  # those of a class after those of the classes before it
        rank = before_sorting(rank, order)
        rank = rank - taken(like(np.cumsum(totals) - totals, rank, rank.dtype), codes)
    place = _walked(xp, rank, codes, totals, keys, small)
    begin = int(first[0]) if codes is None else taken(like(first, rank, rank.dtype), codes)
    return (place + begin) % n_folds


@lru_cache(maxsize=4)
def _dealt(totals: tuple[int, ...], n_folds: int, seed: int) -> np.ndarray:
    """Return the fold of each rank in classes that are small, one class after the other: models that are compared ask for the same."""
    keys = class_keys(len(totals), seed)
    first = (mix64(keys) % np.uint64(n_folds)).astype(np.int64)
    parts = [(places_of(t, int(k)) + c) % n_folds for t, k, c in zip(totals, keys, first.tolist(), strict=True)]
    return np.concatenate(parts).astype(np.int16)


def _walked(xp: Any, rank: Any, codes: Any, totals: np.ndarray, keys: np.ndarray, small: np.ndarray) -> Any:
    """Return the place of each rank in its class, of which some are too large to be sorted."""
    place = rank
    if small.any():
        sizes = np.where(small, totals, 0)
        table = np.concatenate([places_of(t, int(k)) for t, k in zip(sizes.tolist(), keys, strict=True)])
        mine = taken(like(small, rank), codes)
        at = xp.where(mine, rank + taken(like(np.cumsum(sizes) - sizes, rank, rank.dtype), codes), xp.zeros_like(rank))
        place = xp.where(mine, taken(like(table, rank, rank.dtype), at), rank)
    for k in np.flatnonzero(~small):
        walked = _feistel(xp, rank, int(totals[k]), int(keys[k]))
        place = walked if codes is None else xp.where(codes == int(k), walked, place)
    return place


def _counted(xp: Any, ordered: Any, classes: int) -> np.ndarray:
    ends = at_home(xp.searchsorted(ordered, numbers_like(classes, ordered, ordered.dtype), side="right"))
    return np.diff(ends, prepend=0)


def _feistel(xp: Any, rank: Any, n: int, key: int) -> Any:
    """Return the places of ranks among ``n``; ranks beyond them walk, too, and are nobody's."""
    low, tables = round_tables(n, key)
    packed, ends = like(np.concatenate(tables), rank, rank.dtype), np.cumsum([len(table) for table in tables])
    there = [packed[end - len(table) : end] for table, end in zip(tables, ends.tolist(), strict=True)]
    x = _walk(xp, rank % n, low, there)
    for _ in range(WALKS - 1):
        x = xp.where(x >= n, _walk(xp, x, low, there), x)
    outside = x >= n
    late = np.array(at_home(x[outside]))
    if not len(late):
        return x
    walking = np.arange(len(late))
    while len(walking):
        late[walking] = part = _walk(np, late[walking], low, tables)
        walking = walking[part >= n]
    add_up = xp.cumulative_sum if hasattr(xp, "cumulative_sum") else xp.cumsum  # NumPy 2.0 has the older name
    which = add_up(xp.astype(outside, rank.dtype)) - 1
    return xp.where(outside, taken(like(late, rank, rank.dtype), xp.where(outside, which, xp.zeros_like(which))), x)


def _walk(xp: Any, x: Any, low: int, tables: list[Any]) -> Any:
    """Return numbers after all rounds."""
    a, b = x & (2**low - 1), x >> low
    for even, odd in zip(tables[::2], tables[1::2], strict=True):
        b = b ^ taken(even, a)
        a = a ^ taken(odd, b)
    return a | (b << low)
