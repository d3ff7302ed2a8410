"""Linear discriminant analysis: fit in memory, and from a Parquet file in bounded memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import sklearn.discriminant_analysis as rival

from benchmarks.harness import Problem, gram
from benchmarks.problems import gaussian_classes
from epee import LinearDiscriminantAnalysis


def same(ours: LinearDiscriminantAnalysis, theirs: rival.LinearDiscriminantAnalysis) -> bool:
    return bool(np.allclose(ours.predict_proba(np.eye(100)), theirs.predict_proba(np.eye(100)), atol=1e-8))


def write_parquet(rows: int, p: int) -> tuple[str]:
    """Write a Parquet file of rows x p float64 in row groups, without holding it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(tempfile.gettempdir()) / f"epee_bench_{rows}_{p}.parquet"
    if not path.exists():
        rng = np.random.default_rng(0)
        means = rng.normal(size=(10, p))
        writer = None
        for start in range(0, rows, 100_000):
            y = rng.integers(0, 10, min(100_000, rows - start))
            X = rng.normal(size=(len(y), p)) + means[y]
            batch = pa.table({f"x{j}": X[:, j] for j in range(p)} | {"y": y})
            writer = writer or pq.ParquetWriter(path, batch.schema, compression="none", use_dictionary=False)
            writer.write_table(batch)
        writer.close()
    return (str(path),)


def problems() -> Iterator[Problem]:
    yield Problem(
        "LDA fit, 200,000 x 100, 10 classes",
        data=lambda: gaussian_classes(200_000, 100, 10),
        ours=lambda X, y: LinearDiscriminantAnalysis().fit(X, y),
        rivals={
            "scikit-learn default": lambda X, y: rival.LinearDiscriminantAnalysis().fit(X, y),
            "scikit-learn lsqr": lambda X, y: rival.LinearDiscriminantAnalysis(solver="lsqr").fit(X, y),
            "scikit-learn eigen": lambda X, y: rival.LinearDiscriminantAnalysis(solver="eigen").fit(X, y),
        },
        limits={"one X.T @ X": lambda X, y: gram(X)},
        claim={"scikit-learn default": 20, "scikit-learn lsqr": 5, "scikit-learn eigen": 5},
        same=same,
        quick=True,
    )
    yield Problem(
        "LDA fit from a 2 GB Parquet file, 5,000,000 x 50",
        data=lambda: write_parquet(5_000_000, 50),
        ours=lambda path: LinearDiscriminantAnalysis().fit(path, "y"),
        claim={"process MB": 500},
    )
