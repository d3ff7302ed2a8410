"""One awkward table in every dialect, frame and place that a table may come in, and damage done to files."""

from __future__ import annotations

import csv
import gzip
import os
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

slow = pytest.mark.skipif(not os.environ.get("EPEE_FAULTS"), reason="long: make faults")

DIALECTS = {
    "plain": {}, "semicolons": {"delimiter": ";"}, "tabs": {"delimiter": "\t"}, "bars": {"delimiter": "|"},
    "all quoted": {"quoting": csv.QUOTE_ALL}, "windows lines": {"lineterminator": "\r\n"}, "mac lines": {"lineterminator": "\r"},
    "french": {"delimiter": ";", "decimal": ","}, "utf-16": {"encoding": "utf-16"}, "marked utf-8": {"encoding": "utf-8-sig"},
    "western": {"encoding": "cp1252"}, "compressed": {"packed": True},
}  # fmt: skip
PLACES = ("parquet", "parts", "folder", "query on text", "query on parquet", "pattern", "pandas", "polars", "arrow")


def awkward_table(n: int = 120, seed: int = 0) -> pa.Table:
    """Return numbers with holes, a category with accents, delimiters and quotes, identifiers, booleans, dates, and a target."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    size = np.round(rng.normal(size=n) + 2 * y, 3)
    towns = ["Orléans", 'L"Haÿ', "Aix; en, Provence", "Nice"]
    return pa.table({
        "size": pa.array([None if k % 17 == 3 else v for k, v in enumerate(size.tolist())], pa.float64()),
        "count": pa.array(rng.integers(-5, 2000, n).astype(float)),
        "town": [towns[k] for k in rng.integers(0, 4, n)],
        "code": [f"{k:03}" for k in rng.integers(0, 4, n)],
        "open": pa.array((rng.random(n) < 0.5).tolist(), pa.bool_()),
        "day": pa.array([datetime(2020, 1, 1) + timedelta(days=int(k)) for k in rng.integers(0, 300, n)], pa.timestamp("us")),
        "kind": ["yes it is" if k else "not at all" for k in y],
    })  # fmt: skip


def cells_of(table: pa.Table, decimal: str = ".") -> list[list[str]]:
    """Return the rows as texts."""
    rows = []
    for row in table.to_pylist():
        line = []
        for value in row.values():
            text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
            line.append(text.replace(".", decimal) if isinstance(value, float) else text.removesuffix(" 00:00:00"))
        rows.append(line)
    return rows


def write_text(table, path, *, decimal=".", encoding="utf-8", packed=False, lineterminator="\n", **dialect) -> Path:
    """Write a table as CSV in some dialect."""
    path = path.with_suffix(".csv.gz") if packed else path.with_suffix(".csv")
    opened = gzip.open if packed else open
    with opened(path, "wt", encoding=encoding, newline="") as out:
        writer = csv.writer(out, lineterminator=lineterminator, **dialect)
        writer.writerows([table.column_names, *cells_of(table, decimal)])
    return path


def put(table: pa.Table, place: str, folder: Path):
    """Return a table as it comes from some place."""
    if place in DIALECTS:
        return str(write_text(table, folder / "t", **DIALECTS[place]))
    cuts = [table.slice(0, 50), table.slice(50, 3), table.slice(53)]
    if place in ("parts", "pattern", "folder"):
        for k, part in enumerate(cuts):
            pq.write_table(part, folder / f"p{k}.parquet") if place != "folder" else write_text(part, folder / f"p{k}")
        return str(folder / "p*.parquet") if place == "pattern" else str(folder)
    if place.startswith("query"):
        path = write_text(table, folder / "t") if place.endswith("text") else folder / "t.parquet"
        if place.endswith("parquet"):
            pq.write_table(table, path, row_group_size=37)
        return f"SELECT * FROM '{path}' -- all of it"
    if place == "parquet":
        pq.write_table(table, folder / "t.parquet")
        return str(folder / "t.parquet")
    if place == "pandas":
        return table.to_pandas()
    if place == "polars":
        import polars

        return polars.from_arrow(table)
    return table


def one_line(fault: BaseException) -> bool:
    """Tell whether a refusal is a sentence."""
    return "\n" not in str(fault) and len(str(fault)) > 10


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """Return bytes with a flipped bit, a cut, a hole or a byte too many."""
    at = int(rng.integers(len(data)))
    match int(rng.integers(4)):
        case 0:
            return data[:at] + bytes([data[at] ^ (1 << int(rng.integers(8)))]) + data[at + 1 :]
        case 1:
            return data[:at]
        case 2:
            return data[:at] + data[at + int(rng.integers(1, 50)) :]
        case _:
            return data[:at] + rng.bytes(3) + data[at:]
