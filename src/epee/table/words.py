r"""Texts as numbers: the words of a cell, hashed to a fixed number of columns.

A cell is cut into words, lower case, letters and digits; each word, and each pair of words that follow one another, falls into one of
:math:`H` columns by a hash of its letters, so no list of words is learned or kept and any two machines agree. With :math:`c_h` the number
of words in column :math:`h` the cell becomes

.. math:: z_h = \frac{\log(1 + c_h)}{\sqrt{\sum_g \log^2(1 + c_g)}}, \tag{1}

of length one however long the text: a word said twice weighs less than twice, and an empty cell is 0 everywhere. Two words that share a
column are one to everything that follows; more columns make that rarer.

A cell may also list the numbers of a long sparse row by their places, ``3:0.5 17:2``. It stays as it is written until a block is encoded;
then each number :math:`x_j` falls, with a sign :math:`s_j` that the hash of its place gives, into one of :math:`4H` columns,

.. math:: z_h = \sum_{j :\, h(j) = h} s_j x_j, \qquad E\, z^\top z' = x^\top x', \tag{2}

so that products of rows, which linear methods live on, are kept in the mean however many places there are.

Reference: Weinberger and others, "Feature hashing for large scale multitask learning", *ICML*, 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from epee.errors import DataError
from epee.table.folds import mix64
from epee.table.schema import PAIRS, WORDS
from epee.typing import Codes, Matrix

COLUMNS = 256  # that the words of a text fall into
FEWEST = 3.0  # words in a mean cell, from which on it is a text and no name
FEWEST_PAIRS = 2.0  # numbers in a mean cell, from which on places and numbers are no times of day
PAIR = r"\d+:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
LISTED = rf"^\s*(?:{PAIR}(?:\s+{PAIR})*)?\s*$"


@dataclass(frozen=True)
class Reading:
    """What the texts of a column are like: how many there are, their words, and how many of them list numbers by their places; adds."""

    cells: int = 0
    words: int = 0
    listed: int = 0

    @classmethod
    def of(cls, texts: Any, counts: Any) -> Reading:
        """Return it for the different texts of some rows, an Arrow array, each counted as often as it occurs.

        >>> import pyarrow as pa
        >>> Reading.of(pa.array(["a good book", "3:1.5 9:-2"]), np.array([2, 1]))
        Reading(cells=3, words=8, listed=1)
        """
        import pyarrow.compute as pc

        often = np.asarray(counts, dtype=np.int64)
        if not len(often):
            return cls()
        words = np.asarray(pc.count_substring_regex(texts, r"\S+"), dtype=np.int64)
        listed = np.asarray(pc.match_substring_regex(texts, LISTED))
        return cls(int(often.sum()), int(words @ often), int(listed @ often))

    def __add__(self, other: Reading) -> Reading:
        return Reading(self.cells + other.cells, self.words + other.words, self.listed + other.listed)

    @property
    def note(self) -> str:
        """How the texts are read: by their sparse numbers, by their words, or not at all."""
        if self.cells and self.listed == self.cells and self.words >= FEWEST_PAIRS * self.cells:
            return PAIRS
        return WORDS if self.cells and self.words >= FEWEST * self.cells else ""


def hashed_width(note: str, H: int) -> int:
    """Return how many columns a text takes."""
    return 4 * H if note == PAIRS else H


def hashed_text(column: Any, note: str, H: int, name: str = "", start: int = 0) -> Matrix:
    """Return (1), or (2) where the cells list numbers, for an Arrow array of texts; a cell that lists none is named."""
    return hashed_pairs(column, hashed_width(note, H), name, start) if note == PAIRS else hashed_words(column, H)


def hashed_pairs(column: Any, H: int, name: str = "", start: int = 0) -> Matrix:
    """Return (2) for the cells of an Arrow array of listed numbers, (n, H).

    >>> import pyarrow as pa
    >>> Z = hashed_pairs(pa.array(["3:0.5 17:2", None, "17:2 3:0.5"]), 8)
    >>> bool((Z[0] == Z[2]).all()), float((Z[0] ** 2).sum()), Z[1].any()
    (True, 4.25, np.False_)
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pc.fill_null(_texts(column), "")
    fit = np.asarray(pc.match_substring_regex(texts, LISTED))
    if not fit.all():
        row = int(np.argmin(fit))
        raise DataError(
            f"column {name!r}, row {start + row}: {str(texts[row])[:60]!r} does not list numbers by their places, as '3:0.5 17:2' does."
        )
    cut = pc.split_pattern_regex(pc.utf8_trim_whitespace(texts), r"\s+")
    cut = cut.combine_chunks() if isinstance(cut, pa.ChunkedArray) else cut
    rows = np.repeat(np.arange(len(texts)), np.asarray(pc.list_value_length(cut)))
    listed = pc.list_flatten(cut)
    there = np.asarray(pc.not_equal(listed, ""))
    halves = pc.list_flatten(pc.split_pattern(listed.filter(pa.array(there)), ":"))
    places = np.asarray(halves.take(pa.array(np.arange(0, len(halves), 2))).cast(pa.uint64()))
    values = np.asarray(halves.take(pa.array(np.arange(1, len(halves), 2))).cast(pa.float64()))
    keys = mix64(places + np.uint64(1))
    buckets = (keys % np.uint64(H)).astype(np.int64)
    signs = np.where((keys >> np.uint64(63)).astype(bool), -1.0, 1.0)
    sums = np.bincount(rows[there] * H + buckets, weights=signs * values, minlength=len(texts) * H)
    return sums.reshape(len(texts), H).astype(np.float64, copy=False)


def _texts(column: Any) -> Any:
    """Return a column as an Arrow array of strings."""
    import pyarrow as pa

    texts = column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(list(column), pa.string())
    texts = texts.dictionary_decode() if hasattr(texts, "dictionary_decode") else texts
    return texts.cast(pa.string())


def hashed_words(column: Any, H: int = COLUMNS) -> Matrix:
    """Return (1) for the cells of an Arrow array of texts, (n, H).

    >>> import pyarrow as pa
    >>> Z = hashed_words(pa.array(["Good, good book!", None, "GOOD good book"]), 16)
    >>> bool((Z[0] == Z[2]).all()), Z[1].any(), float((Z[0] ** 2).sum().round(12))
    (True, np.False_, 1.0)
    """
    n = len(column)
    rows, buckets = _fallen(column, H)
    counts = np.bincount(rows * H + buckets, minlength=n * H).reshape(n, H)
    Z: Matrix = np.log1p(counts)
    length = np.sqrt(np.einsum("ij,ij->i", Z, Z))
    Z /= np.where(length > 0, length, 1.0)[:, None]
    return Z


def _fallen(column: Any, H: int) -> tuple[Codes, Codes]:
    """Return the row and the bucket of every word and every pair of neighbouring words."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = _texts(column)
    cut = pc.split_pattern_regex(pc.utf8_lower(pc.fill_null(texts, "")), r"[^\pL\pN]+")
    cut = cut.combine_chunks() if isinstance(cut, pa.ChunkedArray) else cut
    rows = np.repeat(np.arange(len(texts)), np.asarray(pc.list_value_length(cut)))
    words = pc.list_flatten(cut).dictionary_encode()
    codes = np.asarray(words.indices)
    known = list(words.dictionary.to_pylist())
    there = np.array([bool(word) for word in known], dtype=bool)[codes] if known else np.zeros(0, dtype=bool)
    keys = (
        np.array([crc32(word.encode()) for word in known], dtype=np.uint64)[codes][there]
        if known
        else np.zeros(0, np.uint64)
    )
    rows = rows[there]
    together = np.flatnonzero(rows[1:] == rows[:-1])
    with np.errstate(over="ignore"):
        pairs = mix64(keys[together] * np.uint64(0x9E3779B97F4A7C15) ^ keys[together + 1])
        all_keys = np.concatenate([mix64(keys), pairs])
    return np.concatenate([rows, rows[together]]), (all_keys % np.uint64(H)).astype(np.int64)
