r"""Sparse rows in a column of text: numbers by their places, ``3:0.5 17:2``.

Such a cell stays as it is written until a block is encoded. The places that occur in most rows have a column of their own. Any other
number :math:`x_j` falls, with a sign :math:`s_j` that the hash of its place gives, into one of :math:`H` columns,

.. math:: z_h = \sum_{j :\, h(j) = h} s_j x_j, \qquad E\, z^\top z' = x^\top x', \tag{1}

so that products of rows, which linear methods live on, are kept in the mean however many places there are.

Reference: Weinberger and others, "Feature hashing for large scale multitask learning", *ICML*, 2009.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import DataError
from epee.table.folds import mix64
from epee.typing import Codes, Matrix, Vector

OWN = 768  # places that have a column of their own
MOST = 1 << 20  # places that are counted; beyond, those that occurred once are forgotten
PAIR = r"\d+:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
LISTED = rf"^\s*(?:{PAIR}(?:\s+{PAIR})*)?\s*$"


def are_listed(texts: Any) -> np.ndarray:
    """Return which texts (n,) of an Arrow array list numbers by their places."""
    import pyarrow.compute as pc

    return np.asarray(pc.match_substring_regex(texts, LISTED))


def parted(texts: Any) -> tuple[Codes, np.ndarray, Vector]:
    """Return the row, the place and the number of every pair in texts that list them.

    >>> import pyarrow as pa
    >>> parted(pa.array(["3:0.5 17:2", "", " 4:1e1"]))
    (array([0, 0, 2]), array([ 3, 17,  4], dtype=uint64), array([ 0.5,  2. , 10. ]))
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    cut = pc.split_pattern_regex(pc.utf8_trim_whitespace(texts), r"\s+")
    cut = cut.combine_chunks() if isinstance(cut, pa.ChunkedArray) else cut
    rows = np.repeat(np.arange(len(texts)), np.asarray(pc.list_value_length(cut)))
    listed = pc.list_flatten(cut)
    there = np.asarray(pc.not_equal(listed, ""))
    halves = pc.list_flatten(pc.split_pattern(listed.filter(pa.array(there)), ":"))
    places = halves.take(pa.array(np.arange(0, len(halves), 2))).cast(pa.uint64())
    values = halves.take(pa.array(np.arange(1, len(halves), 2))).cast(pa.float64())
    return rows[there], np.asarray(places), np.asarray(values)


def counted(texts: Any, often: Codes) -> dict[int, int]:
    """Return in how many rows each place occurs, for different texts that occur so often."""
    rows, places, _ = parted(texts)
    found, code = np.unique(places, return_inverse=True)
    return dict(zip(found.tolist(), np.bincount(code, weights=often[rows]).astype(int).tolist(), strict=True))


def both(a: dict[int, int], b: dict[int, int]) -> dict[int, int]:
    """Return the counts of two parts of the rows together."""
    total = dict(a)
    for place, k in b.items():
        total[place] = total.get(place, 0) + k
    return total if len(total) <= MOST else {place: k for place, k in total.items() if k > 1}


def frequent(counts: dict[int, int], most: int = OWN) -> tuple[int, ...]:
    """Return the places that occur most often, in more than one row, in order.

    >>> frequent({7: 3, 2: 5, 9: 1, 4: 3}, 2)
    (2, 4)
    """
    often = sorted((place for place, k in counts.items() if k > 1), key=lambda place: (-counts[place], place))
    return tuple(sorted(often[:most]))


def spread(texts: Any, own: tuple[int, ...], H: int, name: str = "", start: int = 0) -> Matrix:
    """Return the numbers of cells (n, own + H): those of the places of their own, then (1) for the others; a strange cell is named.

    >>> import pyarrow as pa
    >>> Z = spread(pa.array(["3:0.5 17:2 9:1", "", "9:1 17:2 3:0.5"]), (3, 17), 8)
    >>> Z[:, :2].tolist(), bool((Z[0] == Z[2]).all()), float((Z[0, 2:] ** 2).sum())
    ([[0.5, 2.0], [0.0, 0.0], [0.5, 2.0]], True, 1.0)
    """
    fit = are_listed(texts)
    if not fit.all():
        row = int(np.argmin(fit))
        raise DataError(
            f"column {name!r}, row {start + row}: {str(texts[row])[:60]!r} does not list numbers by their places, as '3:0.5 17:2' does."
        )
    rows, places, values = parted(texts)
    known = np.array(own, dtype=np.uint64)
    at = np.searchsorted(known, places)
    mine = known[np.minimum(at, len(known) - 1)] == places if len(known) else np.zeros(len(places), dtype=bool)
    keys = mix64(places + np.uint64(1))
    column = np.where(mine, at, len(known) + (keys % np.uint64(H)).astype(np.int64))
    sign = np.where(mine | ((keys >> np.uint64(63)) == 0), 1.0, -1.0)
    width = len(known) + H
    sums = np.bincount(rows * width + column, weights=sign * values, minlength=len(texts) * width)
    return sums.reshape(len(texts), width).astype(np.float64, copy=False)
