"""Mean shift with the flat kernel, against scikit-learn; the time is in proportion to the seeds, so a few hundred tell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.harness import Problem
from benchmarks.problems import clouds


def problems() -> Iterator[Problem]:
    from sklearn.cluster import MeanShift as Theirs

    from epee import MeanShift

    def same(a: np.ndarray, b: np.ndarray) -> bool:
        return a.shape == b.shape and bool(np.allclose(a, b, atol=1e-4))

    for words, n, arguments, quick in (
        ("300 of the rows as seeds", 20_000, {"seeds": 300}, False),
        ("seeds on a grid", 20_000, {"bin_seeding": True}, False),
        ("seeds on a grid", 2000, {"bin_seeding": True}, True),
    ):

        def run(model: type, X: np.ndarray, arguments: dict = arguments) -> np.ndarray:  # type: ignore[type-arg]
            more = {"seeds": X[:: len(X) // 300]} if "seeds" in arguments else arguments
            return model(bandwidth=1.5, **more).fit(X).cluster_centers_

        yield Problem(
            f"MeanShift {n:,} x 2, {words}",
            data=lambda n=n: (clouds(n, 2, 6, distance=6.0),),
            ours=lambda X, run=run: run(MeanShift, X),
            rivals={"scikit-learn": lambda X, run=run: run(Theirs, X)},
            claim={"scikit-learn": 5},
            same=same,
            quick=quick,
        )
    yield Problem(
        "MeanShift 20,000 x 2, every row a seed", data=lambda: (clouds(20_000, 2, 6, distance=6.0),),
        ours=lambda X: MeanShift(bandwidth=1.5).fit(X), claim={"seconds": 30},
    )  # fmt: skip
