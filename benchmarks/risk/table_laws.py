"""Laws of whole tables, as tables are: skewed, tied, correlated and far inputs; targets that are counts, mostly zero, rounded, cut off.

Classes are of unequal spread, rare, ordered, mislabelled, or on both sides of each other. A law draws inputs of four columns that are
alike, so that two predictors of two of them each are equally good.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Table = tuple[np.ndarray, np.ndarray]


class Law(NamedTuple):
    """How rows are drawn, how many, and whether the target is a class."""

    draw: Callable[[np.random.Generator, int], Table]
    n: int
    classes: bool = False


def _skewed(r: np.random.Generator, n: int) -> Table:
    X = np.exp(r.normal(size=(n, 4)))
    return X, 0.3 * X.sum(axis=1) + r.normal(size=n)


def _mostly_zero(r: np.random.Generator, n: int) -> Table:
    X = r.normal(size=(n, 4))
    return X, np.where(r.random(n) < 0.3, np.exp(0.3 * X.sum(axis=1) + 0.5 * r.normal(size=n)), 0.0)


def _counts(r: np.random.Generator, n: int) -> Table:
    X = r.normal(size=(n, 4))
    return X, r.poisson(np.exp(0.3 * X.sum(axis=1))).astype(float)


def _two_kinds(r: np.random.Generator, n: int) -> Table:
    X = r.normal(size=(n, 4))
    slope = np.where(r.random(n) < 0.2, -1.0, 1.0)
    return X, slope * X.sum(axis=1) / 2 + 0.3 * r.normal(size=n)


def _rounded(r: np.random.Generator, n: int) -> Table:
    X = r.normal(size=(n, 4))
    return X, np.round(0.5 * X.sum(axis=1) + 0.6 * r.normal(size=n))


def _two_values(r: np.random.Generator, n: int) -> Table:
    X = (r.random((n, 4)) < 0.3).astype(float)
    return X, X.sum(axis=1) + r.normal(size=n)


def _correlated(r: np.random.Generator, n: int) -> Table:
    X = r.normal(size=(n, 1)) + 0.03 * r.normal(size=(n, 4))
    return X, X.mean(axis=1) + r.normal(size=n)


def _cut_off(r: np.random.Generator, n: int) -> Table:
    X = r.normal(size=(n, 4))
    return X, np.minimum(np.exp(0.4 * X.sum(axis=1) + 0.7 * r.normal(size=n)), 2.0)


def _fanning_out(r: np.random.Generator, n: int) -> Table:
    X = r.uniform(0, 1, size=(n, 4))
    return X, X.sum(axis=1) * (1 + 0.8 * r.normal(size=n))


def _unequal_spread(r: np.random.Generator, n: int) -> Table:
    y = r.integers(0, 2, n)
    return r.normal(size=(n, 4)) * np.where(y == 1, 2.5, 1.0)[:, None] + y[:, None], y


def _rare(r: np.random.Generator, n: int) -> Table:
    y = (r.random(n) < 0.15).astype(int)
    return r.normal(size=(n, 4)) + 0.8 * y[:, None], y


def _ordered(r: np.random.Generator, n: int) -> Table:
    X = r.normal(size=(n, 4))
    return X, np.digitize(0.6 * X.sum(axis=1) + r.normal(size=n), [-1.2, -0.4, 0.4, 1.2])


def _tied(r: np.random.Generator, n: int) -> Table:
    X = r.integers(0, 3, size=(n, 4)).astype(float)
    return X, (r.random(n) < 1 / (1 + np.exp(3 - 0.8 * X.sum(axis=1)))).astype(int)


def _gamma(r: np.random.Generator, n: int) -> Table:
    X = r.normal(size=(n, 4))
    return X, 0.5 * X.sum(axis=1) + r.gamma(2.0, size=n)


def _leverage(r: np.random.Generator, n: int) -> Table:
    X = r.standard_t(4, size=(n, 4))
    return X, 0.5 * X.sum(axis=1) + r.normal(size=n)


def _interaction(r: np.random.Generator, n: int) -> Table:
    X = r.uniform(-1.5, 1.5, size=(n, 4))
    return X, X.sum(axis=1) + X[:, 0] * X[:, 2] + X[:, 1] * X[:, 3] + 0.5 * r.normal(size=n)


def _lifetimes(r: np.random.Generator, n: int) -> Table:
    X = r.normal(size=(n, 4))
    return X, np.exp(0.2 * X.sum(axis=1)) * r.weibull(1.5, size=n)


def _rounded_inputs(r: np.random.Generator, n: int) -> Table:
    X = r.normal(size=(n, 4))
    return np.round(2 * X) / 2, 0.5 * X.sum(axis=1) + r.laplace(size=n)


def _few_rows(r: np.random.Generator, n: int) -> Table:
    X = r.normal(size=(n, 4))
    return X, 0.5 * X.sum(axis=1) + r.normal(size=n)


def _mislabelled(r: np.random.Generator, n: int) -> Table:
    y = r.integers(0, 2, n)
    return r.normal(size=(n, 4)) + y[:, None], np.where(r.random(n) < 0.1, 1 - y, y)


def _one_to_thirty(r: np.random.Generator, n: int) -> Table:
    y = (r.random(n) < 1 / 31).astype(int)
    return r.normal(size=(n, 4)) + 1.5 * y[:, None], y


def _both_sides(r: np.random.Generator, n: int) -> Table:
    y = r.integers(0, 2, n)
    side = np.where(r.random(n) < 0.3, -1.0, 1.0)
    return r.normal(size=(n, 4)) + (y * side * 1.5)[:, None], y


def _heavy_clouds(r: np.random.Generator, n: int) -> Table:
    y = r.integers(0, 3, n)
    return r.standard_t(2.5, size=(n, 4)) + y[:, None], y


def _two_heaps(r: np.random.Generator, n: int) -> Table:
    X = r.normal(size=(n, 4))
    return X, 0.5 * X.sum(axis=1) + r.choice([-2.0, 2.0], n) + 0.2 * r.normal(size=n)


def _in_a_part(r: np.random.Generator, n: int) -> Table:
    X = r.normal(size=(n, 4))
    told = X[:, 0] * (X[:, 1] > 0) + X[:, 2] * (X[:, 3] > 0)
    return X, (r.random(n) < 1 / (1 + np.exp(-2 * told))).astype(int)


LAWS: dict[str, Law] = {
    "skewed inputs": Law(_skewed, 80),
    "mostly zero": Law(_mostly_zero, 100),
    "counts": Law(_counts, 100),
    "two kinds of rows": Law(_two_kinds, 80),
    "a rounded target": Law(_rounded, 60),
    "inputs of two values": Law(_two_values, 60),
    "very correlated inputs": Law(_correlated, 50),
    "a target cut off": Law(_cut_off, 80),
    "spread grows with the mean": Law(_fanning_out, 80),
    "classes of unequal spread": Law(_unequal_spread, 60, classes=True),
    "a class of 15 %, n = 40": Law(_rare, 40, classes=True),
    "five ordered classes": Law(_ordered, 100, classes=True),
    "inputs of three values": Law(_tied, 80, classes=True),
    "gamma errors": Law(_gamma, 40),
    "far inputs": Law(_leverage, 60),
    "an interaction": Law(_interaction, 100),
    "lifetimes": Law(_lifetimes, 120),
    "rounded inputs": Law(_rounded_inputs, 60),
    "20 rows": Law(_few_rows, 20),
    "one label of ten wrong": Law(_mislabelled, 80, classes=True),
    "one to thirty": Law(_one_to_thirty, 200, classes=True),
    "a class on both sides": Law(_both_sides, 80, classes=True),
    "classes with far rows": Law(_heavy_clouds, 90, classes=True),
    "errors in two heaps": Law(_two_heaps, 45),
    "told in a part of the rows": Law(_in_a_part, 60, classes=True),
}
