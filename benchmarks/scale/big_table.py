"""A Parquet folder of any size: 30 columns of float64 and a label, made in pieces, so memory stays small.

The inputs are correlated Gaussian columns, the value a linear function of them with noise, the label one of three classes
whose means differ. ``python -m benchmarks.scale.big_table FOLDER GIGABYTES`` makes one; ``--remove`` takes it away.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import numpy as np

INPUTS = 29  # and the value: 30 columns of float64
FILE_ROWS = 1_000_000
GROUP_ROWS = 125_000


def make(folder: Path, gigabytes: float, seed: int = 0) -> int:
    """Write at least so many gigabytes (10^9 bytes) of float64; return the number of rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    rows = -(-int(gigabytes * 1e9) // (8 * (INPUTS + 1)))
    law = np.random.default_rng(seed)
    mixing = np.eye(INPUTS) + 0.1 * law.normal(size=(INPUTS, INPUTS))
    means, beta = 0.5 * law.normal(size=(3, INPUTS)), law.normal(size=INPUTS)
    for k, start in enumerate(range(0, rows, FILE_ROWS)):
        n, rng = min(FILE_ROWS, rows - start), np.random.default_rng([seed, k])
        label = rng.choice(3, n, p=[0.5, 0.3, 0.2]).astype(np.int8)
        X = rng.standard_normal((n, INPUTS)) @ mixing
        X += means[label]
        columns = {f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(INPUTS)}
        columns["value"] = X @ beta + rng.standard_normal(n)
        table = pa.table({**columns, "label": label})
        pq.write_table(
            table, folder / f"part-{k:05d}.parquet", row_group_size=GROUP_ROWS, compression="none", use_dictionary=False,
            column_encoding={f"x{j}": "PLAIN" for j in range(INPUTS)} | {"value": "PLAIN", "label": "PLAIN"},
        )  # fmt: skip
    return rows


def remove(folder: Path) -> None:
    """Take the folder away."""
    shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Make a folder, or remove it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("gigabytes", type=float, nargs="?", default=10.0)
    parser.add_argument("--remove", action="store_true")
    chosen = parser.parse_args()
    if chosen.remove:
        remove(chosen.folder)
    else:
        print(f"{make(chosen.folder, chosen.gigabytes):,} rows")


if __name__ == "__main__":
    main()
