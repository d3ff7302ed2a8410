r"""Texts as numbers: the words of a cell, hashed to a fixed number of columns.

A cell is cut into words, lower case, letters and digits; each word, and each pair of words that follow one another, falls into one of
:math:`H` columns by a hash of its letters, so no list of words is learned or kept and any two machines agree. With :math:`c_h` the number
of words in column :math:`h` the cell becomes

.. math:: z_h = \frac{\log(1 + c_h)}{\sqrt{\sum_g \log^2(1 + c_g)}}, \tag{1}

of length one however long the text: a word said twice weighs less than twice, and an empty cell is 0 everywhere. Two words that share a
column are one to everything that follows; more columns make that rarer.

Reference: Weinberger and others, "Feature hashing for large scale multitask learning", *ICML*, 2009.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from zlib import crc32

import numpy as np

from epee.table.folds import mix64
from epee.typing import Codes, Matrix

COLUMNS = 256  # that the words of a text fall into
FEWEST = 3.0  # words in a mean cell, from which on it is a text and no name


def words_in(texts: Iterable[str], counts: Iterable[int] | None = None) -> float:
    """Return how many words a cell has in the mean, each text counted as often as it occurs.

    >>> words_in(["a good book", "bad"], [1, 1])
    2.0
    """
    sizes = np.array([len(text.split()) for text in texts], dtype=np.float64)
    often = np.ones(len(sizes)) if counts is None else np.fromiter(counts, dtype=np.float64, count=len(sizes))
    return float(sizes @ often / often.sum()) if often.sum() > 0 else 0.0


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

    texts = column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(list(column), pa.string())
    texts = texts.dictionary_decode() if hasattr(texts, "dictionary_decode") else texts
    cut = pc.split_pattern_regex(pc.utf8_lower(pc.fill_null(texts.cast(pa.string()), "")), r"[^\pL\pN]+")
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
