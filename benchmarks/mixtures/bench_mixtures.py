"""Gaussian mixtures from the same start, the same number of iterations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn.mixture as rival

from benchmarks.harness import Problem
from benchmarks.problems import clouds
from epee import GaussianMixture

N, P, K = 100_000, 20, 10


def start(X: np.ndarray, form: str, iterations: int = 20) -> dict[str, Any]:
    precisions = np.stack([np.eye(P)] * K) if form == "full" else np.ones((K, P))
    return {
        "n_components": K, "covariance_type": form, "tol": 0.0, "max_iter": iterations, "means_init": X[:K], "random_state": 0,
        "weights_init": np.full(K, 1 / K), "precisions_init": precisions, "init_params": "random_from_data",
    }  # fmt: skip


def quietly(model: Any, X: np.ndarray) -> Any:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X)


def with_holes() -> tuple[np.ndarray, np.ndarray]:
    """Rows with a tenth of their cells missing in twenty patterns, and the same rows complete."""
    rng = np.random.default_rng(1)
    X = clouds(N, P, K)
    patterns = rng.random((20, P)) < 0.1
    patterns[patterns.all(axis=1)] = False
    Z = X.copy()
    Z[patterns[rng.integers(0, 20, N)]] = np.nan
    return X, Z


def problems() -> Iterator[Problem]:
    for form, claim in (("full", 5), ("diag", 3)):
        yield Problem(
            f"GaussianMixture {form}, {N:,} x {P}, {K} components, 20 iterations",
            data=lambda: (clouds(N, P, K),),
            ours=lambda X, f=form: quietly(GaussianMixture(**start(X, f)), X),
            rivals={"scikit-learn": lambda X, f=form: quietly(rival.GaussianMixture(**start(X, f)), X)},
            claim={"scikit-learn": claim},
            same=lambda a, b: bool(np.allclose(a.means_, b.means_, atol=1e-3)),
            quick=form == "diag",
        )
    yield Problem(
        f"GaussianMixture full, a tenth of the cells missing in 20 patterns, {N:,} x {P}",
        data=with_holes,
        ours=lambda X, Z: quietly(GaussianMixture(**start(X, "full", 5)), Z),
        limits={"the complete table": lambda X, Z: quietly(GaussianMixture(**start(X, "full", 5)), X)},
        claim={"the complete table": 4},
    )

    def fitted() -> tuple[Any, Any, np.ndarray]:
        X = clouds(N, P, K)
        return (
            quietly(GaussianMixture(**start(X, "full", 2)), X),
            quietly(rival.GaussianMixture(**start(X, "full", 2)), X),
            X,
        )

    yield Problem(
        f"score_samples, {N:,} x {P}, {K} full components",
        data=fitted,
        ours=lambda a, b, X: a.score_samples(X),
        rivals={"scikit-learn": lambda a, b, X: b.score_samples(X)},
        claim={"scikit-learn": 3},
        same=lambda a, b: bool(np.allclose(a, b, rtol=1e-3)),
        quick=True,
    )
