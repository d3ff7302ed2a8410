"""Principal components by moments, by the dual and by random projections."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn.decomposition as rival

from benchmarks.harness import Problem, gram
from epee import PCA


def intel(*args: Any, **kw: Any) -> Any:
    from sklearnex.decomposition import PCA as Theirs

    return Theirs(*args, **kw)


def tall() -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(200_000, 100)) @ rng.normal(size=(100, 100)) + 3


def same(ours: PCA, theirs: Any) -> bool:
    return bool(np.allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-6))


def problems() -> Iterator[Problem]:
    yield Problem(
        "PCA(20) fit, 200,000 x 100",
        data=lambda: (tall(),),
        ours=lambda X: PCA(20).fit(X),
        rivals={
            "scikit-learn": lambda X: rival.PCA(20).fit(X),
            "scikit-learn covariance_eigh": lambda X: rival.PCA(20, svd_solver="covariance_eigh").fit(X),
            "scikit-learn-intelex": lambda X: intel(20, svd_solver="covariance_eigh").fit(X),
        },
        limits={"one X.T @ X": gram},
        claim={
            "scikit-learn": 1.2,
            "scikit-learn covariance_eigh": 1.2,
            "scikit-learn-intelex": 1.2,
            "one X.T @ X": 1.6,
        },
        same=same,
        quick=True,
    )
    yield Problem(
        "PCA of nine images, 9 x 307,200",
        data=lambda: (np.random.default_rng(0).normal(size=(9, 307_200)) + 3,),
        ours=lambda X: PCA(8).fit(X),
        rivals={
            "scikit-learn": lambda X: rival.PCA(8).fit(X),
            "scikit-learn full": lambda X: rival.PCA(8, svd_solver="full").fit(X),
        },
        limits={"one X @ X.T": lambda X: X @ X.T},
        claim={"scikit-learn": 3, "one X @ X.T": 3},
        same=same,
        quick=True,
    )
    yield Problem(
        "PCA(20) fit, 1,000,000 x 50",
        data=lambda: (np.random.default_rng(0).normal(size=(1_000_000, 50)),),
        ours=lambda X: PCA(20).fit(X),
        rivals={
            "scikit-learn": lambda X: rival.PCA(20).fit(X),
            "scikit-learn-intelex": lambda X: intel(20, svd_solver="covariance_eigh").fit(X),
        },
        limits={"one X.T @ X": gram},
        claim={"scikit-learn": 1.2, "scikit-learn-intelex": 1.2},
        same=same,
    )
    yield Problem(
        "randomised PCA(20), 5,000 x 5,000",
        data=lambda: (np.random.default_rng(0).normal(size=(5_000, 5_000)),),
        ours=lambda X: PCA(20, svd_solver="randomized", random_state=0).fit(X),
        rivals={"scikit-learn": lambda X: rival.PCA(20, svd_solver="randomized", random_state=0).fit(X)},
        claim={"scikit-learn": 1},
    )
