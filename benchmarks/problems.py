"""Named problems: the same words and the same seed give the same data on every machine.

All makers return ``(X, y)`` in C order unless they say otherwise.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np


def gaussian_classes(
    n: int, p: int, K: int, *, spread: float = 0.5, correlation: float = 0.3, dtype: type = np.float64, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """K Gaussian clouds that share a covariance; a larger ``spread`` of the centres makes the classes easier."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    centres = spread * rng.standard_normal((K, p))
    X = rng.standard_normal((n, p))
    X += correlation * rng.standard_normal((n, 1)) + centres[y]
    return X.astype(dtype, copy=False), y


def clouds(n: int, p: int, K: int, *, distance: float = 4.0, dtype: type = np.float64, seed: int = 0) -> np.ndarray:
    """K round Gaussian clouds without labels; a larger ``distance`` sets them further apart."""
    rng = np.random.default_rng(seed)
    centres = distance * rng.standard_normal((K, p)) / np.sqrt(2)
    return (rng.standard_normal((n, p)) + centres[rng.integers(0, K, n)]).astype(dtype, copy=False)


def regression(
    n: int,
    p: int,
    *,
    informative: int | None = None,
    noise: float = 1.0,
    correlation: float = 0.0,
    dtype: type = np.float64,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """A linear target with ``informative`` non-zero coefficients (all by default) and neighbour-correlated columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    for j in range(1, p if correlation else 0):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    w = np.zeros(p)
    chosen = rng.permutation(p)[: informative or p]
    w[chosen] = rng.standard_normal(len(chosen))
    y = X @ w + noise * rng.standard_normal(n)
    return X.astype(dtype, copy=False), y.astype(dtype, copy=False)


def logistic(n: int, p: int, *, K: int = 2, strength: float = 1.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Labels drawn from a logistic model; a larger ``strength`` makes them nearly separable."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    scores = strength * X @ rng.standard_normal((p, K)) / np.sqrt(p)
    return X, np.argmax(scores + rng.gumbel(size=(n, K)), axis=1)


def curve(n: int, *, noise: float = 0.3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A smooth function of one sorted input plus noise: ``(x, y)``, both of shape (n,)."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0, 1, n))
    return x, np.sin(12 * (x + 0.2)) / (x + 0.2) + noise * rng.standard_normal(n)


def binary_classes(n: int, p: int, K: int, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """0/1 columns (float64) whose probabilities depend on the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    chances = rng.beta(1, 2, (K, p))
    return (rng.random((n, p)) < chances[y]).astype(np.float64), y


def counts(n: int, p: int, K: int, *, rate: float = 3.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Poisson columns (float64) whose rates depend on the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    return rng.poisson(rng.gamma(2, rate / 2, (K, p))[y]).astype(np.float64), y


def category_classes(n: int, p: int, K: int, *, levels: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Columns of integer codes ``0 .. levels - 1`` whose frequencies depend on the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    ladder = np.cumsum(rng.dirichlet(np.ones(levels), (K, p)), axis=2)  # (K, p, levels)
    X = np.zeros((n, p), dtype=np.int64)
    draw = rng.random((n, p))
    for level in range(levels - 1):
        X += draw > ladder[y, :, level]
    return X, y


def parquet_classes(n: int, p: int, K: int, *, block: int = 50_000, seed: int = 0) -> Path:
    """A Parquet file of float64 columns ``x0 ...`` and a label ``y``, written once, block by block; return its path."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = Path(tempfile.gettempdir()) / "epee-benchmarks"
    folder.mkdir(exist_ok=True)
    path = folder / f"classes-{n}-{p}-{K}-{seed}.parquet"
    if path.exists():
        return path
    rng = np.random.default_rng(seed)
    centres = 0.5 * rng.standard_normal((K, p))
    schema = pa.schema([*((f"x{j}", pa.float64()) for j in range(p)), ("y", pa.int64())])
    half = path.with_suffix(".part")
    with pq.ParquetWriter(half, schema, compression="none", use_dictionary=False) as writer:
        for start in range(0, n, block):
            y = rng.integers(0, K, min(block, n - start))
            X = rng.standard_normal((len(y), p)) + centres[y]
            writer.write_table(pa.table([*(pa.array(X[:, j]) for j in range(p)), pa.array(y)], schema=schema))
    half.replace(path)
    return path


def csv_classes(n: int, p: int, K: int, *, seed: int = 0) -> Path:
    """A CSV file with a header, columns ``x0 ...`` of six digits and a label ``y``; written once; return its path."""
    import pyarrow as pa
    import pyarrow.csv

    folder = Path(tempfile.gettempdir()) / "epee-benchmarks"
    folder.mkdir(exist_ok=True)
    path = folder / f"classes-{n}-{p}-{K}-{seed}.csv"
    if not path.exists():
        X, y = gaussian_classes(n, p, K, seed=seed)
        table = pa.table({**{f"x{j}": np.round(X[:, j], 6) for j in range(p)}, "y": y})
        half = path.with_suffix(".part")
        pyarrow.csv.write_csv(table, half)
        half.replace(path)
    return path
