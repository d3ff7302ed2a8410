"""Tables and a learned predictor that the tests of the job share."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import epee


def blobs(n=240, seed=0, classes=("ham", "spam"), gap=2.0):
    """Return a table of two numbers, a category with holes, and a class."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, len(classes), n)
    a = rng.normal(size=n) + gap * codes
    b = rng.normal(size=n)
    town = np.array(["Lyon", "Paris", "Rennes"])[rng.integers(0, 3, n)]
    b_cells = [None if hole else float(v) for hole, v in zip(rng.random(n) < 0.05, b, strict=True)]
    return pa.table({"a": a, "b": b_cells, "town": town, "y": np.array(classes)[codes]})


def line(n=240, seed=0, noise=1.0):
    """Return a table of three numbers and a value."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = X @ [2.0, -1.0, 0.0] + noise * rng.normal(size=n)
    return pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y})


@pytest.fixture(scope="session")
def classifier():
    return epee.learn(blobs(), "y", predictors=["lda", "tree"])


@pytest.fixture(scope="session")
def regressor():
    return epee.learn(line(), "y", predictors=["linear", "ridge"])
