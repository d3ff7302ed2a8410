"""One pass over the rows, against one ``X.T @ X``, and two threads against one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.harness import Problem, gram, memory_copy
from benchmarks.problems import gaussian_classes
from epee import Moments, options


def one_thread(X: np.ndarray) -> Moments:
    with options(threads=1):
        return Moments.of(X)


def same(a: Moments, b: Moments) -> bool:
    return bool(np.array_equal(a.scatter, b.scatter))


def problems() -> Iterator[Problem]:
    def data() -> tuple[np.ndarray, np.ndarray]:
        return gaussian_classes(200_000, 100, 10)

    yield Problem(
        "full scatter, 200,000 x 100",
        data=data,
        ours=lambda X, y: Moments.of(X),
        rivals={"one thread": lambda X, y: one_thread(X)},
        limits={"one X.T @ X": lambda X, y: gram(X), "memory copy": lambda X, y: memory_copy(X)},
        claim={"one X.T @ X": 1.3, "one thread": 1.6},
        same=same,
        quick=True,
    )
    yield Problem(
        "scatter by class, 200,000 x 100, 10 classes",
        data=data,
        ours=lambda X, y: Moments.of(X, group=y),
        limits={"one X.T @ X": lambda X, y: gram(X)},
        claim={"one X.T @ X": 3},
    )
    yield Problem(
        "pooled scatter by fold and class, 200,000 x 100, 10 x 10",
        data=lambda: (*data(), np.arange(200_000) % 10),
        ours=lambda X, y, fold: Moments.of(X, group=y, fold=fold, scatter="pooled"),
        limits={"one X.T @ X": lambda X, y, fold: gram(X)},
    )
