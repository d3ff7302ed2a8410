r"""Texts as numbers: the words of a cell, hashed to a fixed number of columns.

A cell is cut into words, lower case, letters and digits; each word, and each pair of words that follow one another, falls into one of
:math:`H` columns by a hash of its letters, so no list of words is learned or kept and any two machines agree. With :math:`c_h` the number
of words in column :math:`h` the cell becomes

.. math:: z_h = \frac{\log(1 + c_h)}{\sqrt{\sum_g \log^2(1 + c_g)}}, \tag{1}

of length one however long the text: a word said twice weighs less than twice, and an empty cell is 0 everywhere. Two words that share a
column are one to everything that follows; more columns make that rarer.

A cell may also list the numbers of a long sparse row by their places: :mod:`epee.table.places`.

Reference: Weinberger and others, "Feature hashing for large scale multitask learning", *ICML*, 2009.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np

from epee.table.folds import mix64
from epee.table.places import are_listed, both, counted, spread
from epee.table.schema import PAIRS, WORDS, Column
from epee.typing import Codes, Matrix

COLUMNS = 256  # that the words of a text fall into
FEWEST = 3.0  # words in a mean cell, from which on it is a text and no name
FEWEST_PAIRS = 2.0  # numbers in a mean cell, from which on places and numbers are no times of day


@dataclass(frozen=True)
class Reading:
    """What the texts of a column are like: how many there are, their words, and how many of them list numbers by their places; adds."""

    cells: int = 0
    words: int = 0
    listed: int = 0
    places: dict[int, int] = field(default_factory=dict)  # in how many rows each occurs, while all texts list some

    @classmethod
    def of(cls, texts: Any, counts: Any) -> Reading:
        """Return it for the different texts of some rows, an Arrow array, each counted as often as it occurs.

        >>> import pyarrow as pa
        >>> Reading.of(pa.array(["a good book", "3:1.5 9:-2"]), np.array([2, 1]))
        Reading(cells=3, words=8, listed=1, places={})
        """
        import pyarrow.compute as pc

        often = np.asarray(counts, dtype=np.int64)
        if not len(often):
            return cls()
        bare = pc.utf8_trim_whitespace(texts)
        words = np.asarray(pc.list_value_length(pc.utf8_split_whitespace(bare))) * np.asarray(pc.not_equal(bare, ""))
        listed = are_listed(texts)
        return cls(
            int(often.sum()), int(words @ often), int(listed @ often), counted(texts, often) if listed.all() else {}
        )

    def __add__(self, other: Reading) -> Reading:
        cells, listed = self.cells + other.cells, self.listed + other.listed
        return Reading(
            cells, self.words + other.words, listed, both(self.places, other.places) if listed == cells else {}
        )

    @property
    def note(self) -> str:
        """How the texts are read: by their sparse numbers, by their words, or not at all."""
        if self.cells and self.listed == self.cells and self.words >= FEWEST_PAIRS * self.cells:
            return PAIRS
        return WORDS if self.cells and self.words >= FEWEST * self.cells else ""


def hashed_width(c: Column, H: int) -> int:
    """Return how many columns a text takes."""
    return H + (len(c.own or ()) if c.note == PAIRS else 0)


def hashed_names(c: Column, H: int) -> list[str]:
    """Return the names of the columns of a text.

    >>> hashed_names(Column("x", "text", note=PAIRS, own=(3, 17)), 2)
    ['x3', 'x17', 'x~0', 'x~1']
    """
    own = [f"{c.name}{place}" for place in c.own or ()] if c.note == PAIRS else []
    return [*own, *(f"{c.name}~{h}" for h in range(H))]


def hashed_text(column: Any, c: Column, H: int, start: int = 0) -> Matrix:
    """Return the columns of the cells of a text, an Arrow array: (1), or those of :mod:`epee.table.places` where they list numbers."""
    import pyarrow.compute as pc

    if c.note != PAIRS:
        return hashed_words(column, H)
    return spread(pc.fill_null(_texts(column), ""), c.own or (), H, c.name, start)


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
