"""Trees of clusters without the table of distances, against fastcluster and SciPy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.harness import Problem
from benchmarks.problems import clouds


def problems() -> Iterator[Problem]:
    from epee import linkage

    def vector(method: str):  # type: ignore[no-untyped-def]
        def run(X: np.ndarray) -> np.ndarray:
            import fastcluster

            return fastcluster.linkage_vector(X, method)

        return run

    def table(X: np.ndarray) -> np.ndarray:
        from scipy.cluster import hierarchy

        return hierarchy.linkage(X, "ward")

    def same(a: np.ndarray, b: np.ndarray) -> bool:
        return bool(np.allclose(a[:, 2], b[:, 2], rtol=1e-8))

    yield Problem(
        "Ward 20,000 x 10", data=lambda: (clouds(20_000, 10, 20),), ours=lambda X: linkage(X, "ward"),
        rivals={"fastcluster linkage_vector": vector("ward")},
        claim={"fastcluster linkage_vector": 1, "extra MB": 200}, same=same,
    )  # fmt: skip
    for method in ("single", "centroid"):
        yield Problem(
            f"{method} linkage 20,000 x 10", data=lambda: (clouds(20_000, 10, 20),),
            ours=lambda X, method=method: linkage(X, method), rivals={"fastcluster linkage_vector": vector(method)},
            claim={"fastcluster linkage_vector": 1, "extra MB": 200}, same=same,
        )  # fmt: skip
    yield Problem(
        "Ward 100,000 x 10", data=lambda: (clouds(100_000, 10, 20),), ours=lambda X: linkage(X, "ward"),
        claim={"extra MB": 200, "seconds": 60},
    )  # fmt: skip
    yield Problem(
        "Ward 5,000 x 2", data=lambda: (clouds(5000, 2, 20),), ours=lambda X: linkage(X, "ward"),
        rivals={"fastcluster linkage_vector": vector("ward"), "SciPy": table}, claim={"fastcluster linkage_vector": 1},
        same=same, quick=True,
    )  # fmt: skip
