"""What tells two tables apart without keeping them: a fingerprint of some hundred rows spread over each.

It hashes the shape and these rows, so it costs microseconds. Two risks with the same fingerprint are of the same rows and may be paired;
a test sample with that of the training sample is no test sample.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from epee.arrays import at_home, is_elsewhere
from epee.table.doors import is_stream
from epee.table.folds import mix64
from epee.table.sparse import is_sparse
from epee.table.taking import take_rows

TARGETS = 1024  # that are looked at: many may be equal of the labels of two samples
FETCHED = 4096  # cells that travel here from a table that lies elsewhere


def fingerprint(*tables: Any, rows: int = 256) -> str:
    """Return a short text that is equal for equal tables.

    >>> a = np.arange(10.0)
    >>> fingerprint(a) == fingerprint(a.copy()), fingerprint(a) == fingerprint(a + 1)
    (True, False)
    """
    digest = hashlib.blake2b(digest_size=12)
    for table in tables:
        if is_elsewhere(table):
            n = int(table.shape[0])
            few = max(16, min(rows, FETCHED // max(1, int(table.shape[1]) if table.ndim > 1 else 1)))
            digest.update(str((n, tuple(table.shape))).encode())
            some = at_home(table[:: max(1, -(-n // few)), ...])  # each so many rows: no list of them need travel
            digest.update(_bytes(some, np.arange(len(some))))
            continue
        if table is None or is_stream(table):
            digest.update(repr(table).encode())
            continue
        if not hasattr(table, "shape"):
            table = table if hasattr(table, "__len__") else np.asarray(table)
        n = table.shape[0] if hasattr(table, "shape") else len(table)
        some = np.unique(np.linspace(0, max(n - 1, 0), min(n, rows)).astype(np.intp))
        digest.update(str((n, getattr(table, "shape", ()))).encode())
        digest.update(_bytes(table, some))
    return digest.hexdigest()


def target_fingerprint(y: Any) -> str | None:
    """Return a short text that is equal for equal targets, however they are held; None where there are none.

    >>> target_fingerprint([1, 2]) == target_fingerprint(np.array([[1.0], [2.0]])), target_fingerprint(["a"]) == target_fingerprint(["b"])
    (True, False)
    """
    values = np.asarray(at_home(y) if is_elsewhere(y) else y)
    if y is None or values.ndim == 0:
        return None
    few = values[:: max(1, -(-len(values) // TARGETS))]
    if few.dtype.kind == "O":  # numbers in a column of objects are numbers, and texts are texts
        words = len(few) and isinstance(few.flat[0], str)
        try:
            few = few.astype(str if words else np.float64)
        except (TypeError, ValueError):
            few = few.astype(str)
    cells = few.reshape(len(few), -1)
    digest = hashlib.blake2b(str((len(values), cells.shape)).encode(), digest_size=12)
    digest.update(_bytes(cells, np.arange(len(cells))))
    return digest.hexdigest()


def _bytes(table: Any, some: np.ndarray) -> bytes:
    if is_sparse(table):
        rows = table.tocsr()[some].sorted_indices()
        parts = (rows.indptr, rows.indices.astype(np.int64), rows.data.astype(np.float64))
        return b"".join(np.asarray(a).tobytes() for a in parts)
    part = np.asarray(take_rows(table, some))
    if part.dtype.kind in "OUS":
        return repr(part.tolist()).encode()
    return np.ascontiguousarray(part, dtype=np.float64).tobytes() if part.dtype.kind in "fiub" else part.tobytes()


def row_hashes(X: Any) -> np.ndarray:
    """Return a 64-bit number for each row, equal for equal rows."""
    table = np.asarray(X)
    table = table.reshape(len(table), -1)
    if table.dtype.kind not in "fiub":
        return np.array([hash(tuple(row)) for row in table.tolist()], dtype=np.int64)
    bits = np.ascontiguousarray(table, dtype=np.float64) + 0.0  # -0.0 and 0.0 are equal
    words = bits.view(np.uint64).reshape(table.shape)
    out = np.full(len(table), 0x9E3779B97F4A7C15, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for j in range(words.shape[1]):
            out = (out ^ words[:, j]) * np.uint64(0xBF58476D1CE4E5B9)
            out ^= out >> np.uint64(29)
    return out.view(np.int64)


def row_uniforms(X: Any, seed: int = 0) -> np.ndarray:
    """Return a number in [0, 1) for each row (n,) that follows from its cells and the seed alone, and looks like chance.

    >>> u = row_uniforms(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]))
    >>> bool(u[0] == u[2]), bool(u[0] == u[1])
    (True, False)
    """
    rows = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    if rows.dtype.kind not in "fiub":
        bits = [
            int.from_bytes(hashlib.blake2b(repr(row).encode(), digest_size=8).digest(), "little")
            for row in rows.tolist()
        ]
        total = np.array(bits, dtype=np.uint64)
    else:
        cells = np.ascontiguousarray(rows, dtype=np.float64) + 0.0  # no -0.0
        keys = mix64(np.arange(cells.shape[1], dtype=np.uint64))
        with np.errstate(over="ignore"):
            total = mix64(cells.view(np.uint64) ^ keys).sum(axis=1, dtype=np.uint64)
    mixed = mix64(total ^ mix64(np.array([seed], dtype=np.uint64)))
    return (mixed >> np.uint64(11)).astype(np.float64) / 2.0**53
