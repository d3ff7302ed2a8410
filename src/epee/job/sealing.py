r"""Which rows are sealed for the final test, and how a row is known again.

With a test share of :math:`a/b`, the rows are dealt at random to :math:`b` folds, class by class, and the first :math:`a` folds are
sealed (:mod:`epee.table.folds`): every class keeps its share, and the sealed rows are the same in memory and in a stream. With groups,
whole groups are sealed; with a time column, the last rows.

A row is known by a 64-bit *fingerprint* of its cells, whatever file it comes from and wherever it stands in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.risk.splitting import group_codes
from epee.table.folds import fold_of, mix64
from epee.table.raw import RawBlock
from epee.typing import Codes, Vector
from epee.words.job_words import say

FEWEST = 5  # folds that a small class does not lower
AT_ONCE = 512  # rows whose cells are mixed while they lie in the cache
SALT = 0x5EA1  # the sealed rows and the folds must not follow the same permutations


def check_seed(seed: Any) -> None:
    """Refuse what no random numbers can begin with."""
    if not (isinstance(seed, int | np.integer) and seed >= 0):
        raise WrongUse(
            f"random_state is {seed!r}; give a whole number of at least 0, so that the result can be had again."
        )


def test_fraction(test_size: float) -> Fraction:
    """Return the test share as a simple fraction.

    >>> test_fraction(0.2), test_fraction(0.33)
    (Fraction(1, 5), Fraction(1, 3))
    """
    if not (isinstance(test_size, int | float) and 0 <= test_size < 1):
        raise WrongUse(f"test_size is {test_size!r}; it must be a share of the rows, from 0 (no test) to below 1.")
    found = Fraction(test_size).limit_denominator(20)
    return found if found or not test_size else Fraction(1, 20)


def seal(
    n: int,
    test_size: float,
    seed: int,
    *,
    codes: Codes | None = None,
    groups: np.ndarray | None = None,
    time: Vector | None = None,
) -> tuple[np.ndarray, str]:
    """Return which rows (n,) are sealed, and how, in words."""
    part = test_fraction(test_size)
    if not part:
        return np.zeros(n, dtype=bool), ""
    if time is not None:
        moments = np.sort(time)
        start = moments[min(int(np.ceil(n * (1 - test_size))), n - 1)]  # rows of one moment stay together
        sealed = time >= start
        if sealed.all():
            raise DataError(
                "all rows have the same time: the last ones cannot be set aside. Leave the time column out."
            )
        return sealed, say("by_time")
    if groups is not None:
        ids = group_codes(groups, n)
        sizes = np.bincount(ids)
        if len(sizes) < 3:
            raise DataError(f"there are only {len(sizes)} groups: at least 3 are needed, to learn from and to test.")
        order = np.random.default_rng(seed ^ SALT).permutation(len(sizes))
        before = np.cumsum(sizes[order]) - sizes[order]
        chosen = order[before + sizes[order] / 2 <= n * test_size]
        chosen = chosen if len(chosen) else order[:1]
        return np.isin(ids, chosen), say("by_group")
    strata = np.zeros(n, dtype=np.intp) if codes is None else codes
    totals = np.bincount(strata)
    sealed = fold_of(None, strata, part.denominator, seed ^ SALT, totals) < part.numerator
    if codes is None:
        return sealed, say("by_chance")
    for k, count in enumerate(totals):  # a small class leaves at least two rows to learn from
        own = np.flatnonzero(codes == k)
        excess = int(sealed[own].sum()) - max(count - 2, 0)
        if excess > 0:
            sealed[own[sealed[own]][:excess]] = False
    return sealed, say("by_class")


def fold_number(
    asked: int, n: int, notes: list[str], *, groups: Any = None, classes: np.ndarray | None = None, counts: Any = None,
    ranks: bool = False,
) -> int:  # fmt: skip
    """Return how many folds n training rows allow, and note it when these are fewer than asked for.

    ``counts`` are the rows of each of the ``classes``, which every fold should have; whole ``groups`` make a fold. A class of fewer rows
    than ``FEWEST`` is absent from some folds instead, unless each must rank all classes: two folds would leave no error bar to anyone.
    """
    limits = [(n // 2, say("few_rows", n=n))]
    if groups is not None:
        k = len(np.unique(groups))
        limits.append((k, say("few_groups", n=k)))
    elif classes is not None:
        least = int(counts.min())
        why = say("few_members", name=classes[int(np.argmin(counts))], n=least)
        limits.append((max(least, 2 if ranks else FEWEST), why))
    most, why = min(limits, key=lambda pair: pair[0])
    if asked > most:
        notes.append(say("fewer_folds", folds=most, asked=asked, why=why))
    return max(min(asked, most), 2)


def fingerprints(raw: RawBlock, names: Sequence[str], target: Mapping[str, Any] | None = None) -> np.ndarray:
    """Return a 64-bit number (n,) for each row, equal for equal cells in equally named columns.

    >>> block = RawBlock({"a": np.array([1.0, 2.0, 1.0])}, rows=3)
    >>> f = fingerprints(block, ["a"])
    >>> bool(f[0] == f[2]), bool(f[0] == f[1])
    (True, False)
    """
    out = np.zeros(len(raw), dtype=np.uint64)
    columns = {name: raw.columns[name] for name in names} | dict(target or {})
    numbers = [n for n, cells in columns.items() if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiub"]
    with np.errstate(over="ignore"):
        if numbers:
            keys = np.array([_text(name) for name in numbers], dtype=np.uint64)[:, None]
            for i in range(0, len(raw), AT_ONCE):
                part = slice(i, i + AT_ONCE)
                X = np.stack([columns[name][part] for name in numbers], dtype=np.float64)  # (p, rows)
                X += 0.0  # no -0.0
                if np.isnan(X.sum()):
                    X[np.isnan(X)] = np.nan  # one NaN
                bits = X.view(np.uint64)
                bits ^= keys
                out[part] = mix64(bits).sum(axis=0, dtype=np.uint64)
        for name in columns:
            if name not in numbers:
                out += mix64(_words(columns[name]) ^ np.uint64(_text(name)))
        return mix64(out)


def _words(column: Any) -> np.ndarray:
    """Return 64 bits for each text of a column."""
    import pyarrow as pa

    texts = column if isinstance(column, pa.Array) else pa.array([str(v) for v in column], pa.string())
    coded = texts if isinstance(texts, pa.DictionaryArray) else texts.dictionary_encode()
    words = np.array([*(_text(str(v)) for v in coded.dictionary.to_pylist()), _text("\0missing")], dtype=np.uint64)
    index = coded.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False)
    return words[index]


def _text(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
