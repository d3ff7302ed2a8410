r"""Which fold a row belongs to: decided by the seed, the row's class and its rank in that class, and by nothing else.

The :math:`n_k` rows of class k are put into a random order by a keyed permutation :math:`\pi` of their ranks and dealt in that order,

.. math:: \text{fold} = \bigl(\pi_k(\text{rank}) + c_k\bigr) \bmod K, \tag{1}

so the folds are stratified, the sizes of any two differ by at most one row in each class, and whatever the order of the rows was
(sorted, by hospital, by day) the folds are random samples of them. To deal each K successive rows one to each fold would be a
systematic sample: in a sorted table the folds would be more alike than chance makes them, and error bars from their spread too short.

The permutation keeps no state, so folds are the same in memory, in a stream and on a cluster: an engine needs to know how many rows
of the class came before (a prefix sum) and how many there are. Up to 65,536 ranks it sorts them by a counter-based hash
(splitmix64) of (seed, class, rank); beyond, it is a Feistel network on the bits of the rank, walked on while it leaves
:math:`0 \dots n_k - 1` (Black and Rogaway, 2002).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.table.sparse import is_sparse
from epee.typing import Codes

SORTED_UP_TO = 65_536
ROUNDS = 6
AT_ONCE = 16_384  # numbers that are mixed while they lie in the cache: fresh memory costs more than the steps
FEW_CLASSES = 8  # that are sooner looked for one by one than sorted


def mix64(x: np.ndarray) -> np.ndarray:
    """Return splitmix64 of 64-bit counters (Steele, Lea and Flood, 2014), some at a time."""
    if np.size(x) > AT_ONCE:
        flat, out = x.reshape(-1), np.empty(x.size, dtype=np.uint64)
        for i in range(0, len(flat), AT_ONCE):
            out[i : i + AT_ONCE] = mix64(flat[i : i + AT_ONCE])
        return out.reshape(x.shape)
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)  # a new one, which may be written to
        x ^= x >> np.uint64(30)
        x *= np.uint64(0xBF58476D1CE4E5B9)
        x ^= x >> np.uint64(27)
        x *= np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
        return x


def ranks_in_class(codes: Codes, counts_before: np.ndarray) -> np.ndarray:
    """Return the rank of each row within its class, given how many rows of each class came before.

    >>> ranks_in_class(np.array([0, 1, 0, 0]), np.array([5, 0]))
    array([5, 0, 6, 7])
    """
    if len(counts_before) == 1:
        return np.arange(counts_before[0], counts_before[0] + len(codes))
    narrow = codes.astype(np.int16) if len(counts_before) < 2**15 else codes  # NumPy sorts short codes by radix
    order = np.argsort(narrow, kind="stable")
    counts = np.bincount(codes, minlength=len(counts_before))
    starts = np.cumsum(counts) - counts
    ranks = np.empty(len(codes), dtype=np.int64)
    ranks[order] = np.arange(len(codes)) - np.repeat(starts - counts_before, counts)
    return ranks


def class_keys(n_classes: int, seed: int) -> np.ndarray:
    """Return the key (K,) of the permutation of each class."""
    with np.errstate(over="ignore"):
        key = mix64(np.array([seed & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64))
        return mix64(key + np.arange(n_classes, dtype=np.uint64))


def shuffled_ranks(ranks: np.ndarray, n: int, key: int) -> np.ndarray:
    """Return the place of each rank in the random order of 0 ... n-1 that belongs to a key.

    >>> np.sort(shuffled_ranks(np.arange(7), 7, key=3))
    array([0, 1, 2, 3, 4, 5, 6])
    """
    return places_of(n, key)[ranks] if n <= SORTED_UP_TO else _feistel(ranks, n, key)


@lru_cache(maxsize=64)
def places_of(n: int, key: int) -> np.ndarray:
    """Return the place of each rank of a small class, (n,); it is not to be written to."""
    with np.errstate(over="ignore"):
        order = np.argsort(mix64(np.uint64(key) ^ mix64(np.arange(n, dtype=np.uint64))), kind="stable")
    places = np.empty(n, dtype=np.int64)
    places[order] = np.arange(n)
    places.flags.writeable = False
    return places


def _feistel(ranks: np.ndarray, n: int, key: int) -> np.ndarray:
    """Return the places of some ranks among many: rounds that change one half of the bits by a hash of the other."""
    low, tables = round_tables(n, key)

    def rounds(part: np.ndarray) -> np.ndarray:
        a, b = part & ((1 << low) - 1), part >> low
        for r in range(0, ROUNDS, 2):
            b ^= tables[r].take(a)
            a ^= tables[r + 1].take(b)
        return a | (b << low)

    x = rounds(ranks.astype(np.int64))
    walking = np.flatnonzero(x >= n)
    while len(walking):
        x[walking] = part = rounds(x[walking])
        walking = walking[part >= n]
    return x


@lru_cache(maxsize=64)
def round_tables(n: int, key: int) -> tuple[int, list[np.ndarray]]:
    """Return the bits of the lower half of a rank below ``n``, and what each round of the network makes of every value of a half.

    They are the same for every block of a table, and not to be written to.

    >>> low, tables = round_tables(70_000, key=3)
    >>> low, [len(table) for table in tables]
    (8, [256, 512, 256, 512, 256, 512])
    """
    bits = int(n - 1).bit_length()
    sizes = (2 ** (bits // 2), 2 ** (bits - bits // 2))
    with np.errstate(over="ignore"):
        keys = mix64(np.uint64(key) + np.arange(1, ROUNDS + 1, dtype=np.uint64))
        return bits // 2, [
            (_hash(np.arange(sizes[r % 2], dtype=np.uint64), keys[r]) & np.uint64(sizes[1 - r % 2] - 1)).astype(
                np.int64
            )
            for r in range(ROUNDS)
        ]


def _hash(x: np.ndarray, key: np.uint64) -> np.ndarray:
    """Return 32 well-mixed bits of each number; half of splitmix64."""
    h = (x ^ key) * np.uint64(0xBF58476D1CE4E5B9)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0x94D049BB133111EB)
    return h >> np.uint64(32)


def fold_of(ranks: np.ndarray | None, codes: Codes, n_folds: int, seed: int, totals: np.ndarray) -> Codes:
    """Return the fold (1) of rows with these ranks in their classes, which have ``totals`` (K,) rows in all.

    Without ``ranks`` the rows are all there are, in order.

    >>> np.bincount(fold_of(None, np.zeros(10, dtype=int), 5, 0, np.array([10])))
    array([2, 2, 2, 2, 2])
    """
    keys = class_keys(len(totals), seed)
    starts = (mix64(keys) % np.uint64(n_folds)).astype(np.int64)
    out = np.empty(len(codes), dtype=np.intp)
    for k, own in enumerate(_rows_of_each(codes, len(totals))):
        for i in range(0, len(own), AT_ONCE):
            some = own[i : i + AT_ONCE]
            mine = np.arange(i, i + len(some)) if ranks is None else ranks[some]
            out[some] = (shuffled_ranks(mine, int(totals[k]), int(keys[k])) + starts[k]) % n_folds
    return out


def _rows_of_each(codes: Codes, n_classes: int) -> Iterator[Codes]:
    """Yield which rows are of each class, in order."""
    if n_classes == 1:
        yield np.arange(len(codes))
    elif n_classes <= FEW_CLASSES:
        yield from (np.flatnonzero(codes == k) for k in range(n_classes))
    else:
        narrow = codes.astype(np.int16) if n_classes < 2**15 else codes  # NumPy sorts short codes by radix
        ends = np.cumsum(np.bincount(codes, minlength=n_classes))
        yield from np.split(np.argsort(narrow, kind="stable"), ends[:-1])


def assign_folds(codes: Codes | None, n: int, n_folds: int, seed: int = 0) -> Codes:
    """Return the fold of each of ``n`` rows in memory; ``codes`` are their classes, None for a regression.

    >>> codes = np.repeat([0, 1], 6)
    >>> np.bincount(assign_folds(codes, 12, 3, seed=1)[:6])
    array([2, 2, 2])
    """
    check_folds(n_folds, n)
    if codes is None:
        return fold_of(None, np.zeros(n, dtype=np.int8), n_folds, seed, np.array([n]))
    return fold_of(None, codes, n_folds, seed, np.bincount(codes))


def deal_counts(codes: Codes | None, counts: np.ndarray, n_folds: int, seed: int = 0) -> np.ndarray:
    """Return how many of the copies of each row go to each fold, (n, folds): as if the copies were rows of the table.

    >>> dealt = deal_counts(None, np.array([8, 0, 4]), 4)
    >>> dealt.sum(axis=1), dealt.sum(axis=0)
    (array([8, 0, 4]), array([3, 3, 3, 3]))
    """
    row = np.repeat(np.arange(len(counts)), counts)
    fold = assign_folds(None if codes is None else codes[row], len(row), n_folds, seed)
    return np.bincount(row * n_folds + fold, minlength=len(counts) * n_folds).reshape(len(counts), n_folds)


def check_folds(n_folds: int, n: int) -> None:
    """Refuse a number of folds that the rows cannot fill."""
    if int(n_folds) != n_folds or n_folds < 2:
        raise WrongUse(f"folds is {n_folds}; it must be a whole number of at least 2 (there are {n} rows).")
    if n_folds > n:
        raise DataError(f"folds is {n_folds}, but there are only {n} rows: n_samples={n} is fewer than the folds.")


def same_rows(X: Any, *beside: np.ndarray) -> np.ndarray:
    """Return a number for each row, equal for equal rows, in an order of the rows alone; columns may stand ``beside`` those of full rows.

    Folds of these numbers leave a row given twice out as they leave one of weight 2.

    >>> same_rows([[2.0], [1.0], [2.0]])
    array([1, 0, 1])
    """
    if is_sparse(X):
        return np.unique(_keys_of_sparse(X), return_inverse=True)[1].reshape(-1)
    cells = np.asarray(X)
    if cells.dtype.kind not in "fiub":
        return np.arange(len(cells))
    parts = [
        part[:, None] if part.ndim == 1 else part
        for part in (np.asarray(part, dtype=np.float64) for part in (cells, *beside))
    ]
    found = _places([column for part in parts for column in part.T]) if cells.size else None
    return np.unique(np.column_stack(parts), axis=0, return_inverse=True)[1].reshape(-1) if found is None else found


def _places(columns: Sequence[np.ndarray]) -> np.ndarray | None:
    """Return the place of each row among the different ones, compared column by column from the left, as ``np.unique`` has it.

    A column is looked at only where those before it are equal: mostly the first alone. None where it has a NaN there, unlike itself.

    >>> _places([np.array([1.0, 1.0, 0.0, 1.0]), np.array([2.0, 0.0, 5.0, 2.0])])
    array([2, 1, 0, 2])
    """
    order = np.argsort(columns[0])
    below = np.empty(len(order), dtype=np.intp)  # how many rows come before each
    own = np.zeros(len(order), dtype=np.intp)  # the same of those in ``order``, as far as it is known
    for column in columns:
        value, at = column[order], np.arange(len(order))
        group = np.append(True, own[1:] != own[:-1])  # where rows begin that were equal so far
        if np.isnan(value).any():
            return None
        if (group[1:] | (value[1:] == value[:-1])).all():
            continue
        if column is not columns[0]:
            order = order[np.lexsort((value, own))]
            value = column[order]
        run = group | np.append(True, value[1:] != value[:-1])
        own = own + np.maximum.accumulate(np.where(run, at, 0)) - np.maximum.accumulate(np.where(group, at, 0))
        below[order] = own
        size = np.diff(np.append(np.flatnonzero(run), len(order)))
        shared = np.repeat(size > 1, size)
        order, own = order[shared], own[shared]
        if not len(order):
            return below
    below[order] = own
    return first_of_each(below)[1]


def first_of_each(numbers: np.ndarray) -> tuple[Codes, Codes]:
    """Return where each of the different numbers, small and not negative, comes first, and which of them each is; no sorting.

    >>> first_of_each(np.array([5, 2, 5, 0]))
    (array([3, 1, 0]), array([2, 1, 2, 0]))
    """
    there = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=bool)
    there[numbers] = True
    which = (np.cumsum(there) - 1)[numbers]
    first = np.empty(int(there.sum()), dtype=np.intp)
    first[which[::-1]] = np.arange(len(which))[::-1]
    return first, which


def _keys_of_sparse(X: Any) -> np.ndarray:
    """Return a key for each sparse row (n,); keys are in the order of the rows laid out, compared column by column from the left.

    At the first column where two rows differ a cell above 0 is beyond a 0, the more so the further left it is, and one below 0 falls
    behind it. So an entry is written as that distance with the sign of its value, then the value, and the end of a row as 0.
    """
    table = X.tocsr().astype(np.float64)
    table.sum_duplicates()
    table.eliminate_zeros()
    bits = table.data.view(np.uint64)
    top = np.uint64(1 << 63)
    ordered = np.where(table.data < 0, ~bits, bits | top)  # of floats, as whole numbers
    far = table.shape[1] - table.indices.astype(np.int64)
    place = np.where(table.data < 0, -far, far).view(np.uint64) ^ top
    entries, end = np.column_stack([place, ordered]).astype(">u8").tobytes(), (1 << 63).to_bytes(8, "big")
    keys = np.empty(table.shape[0], dtype=object)
    keys[:] = [entries[16 * a : 16 * b] + end for a, b in pairwise(table.indptr)]
    return keys
