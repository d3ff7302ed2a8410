"""Laws of tables that a second examiner brought: what people heap, clip, pool, paste, forget to say and measure twice.

Targets in heaps of ten, cut at both ends, over six decades, zero for two reasons; spreads that belong to a level; answers of a
questionnaire, where most rows have a twin; levels that hardly appear; columns that are the same but for a millionth; hidden regimes;
far origins; cells that are missing, by chance or because of what they were. A law draws rows, inputs and target.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit

Table = tuple[np.ndarray, np.ndarray]
Draw = Callable[[np.random.Generator, int], Table]


def plane(r: np.random.Generator, n: int, p: int = 4) -> Table:
    """Return normal inputs and half of their sum."""
    X = r.normal(size=(n, p))
    return X, 0.5 * X.sum(axis=1)


def heaped(r: np.random.Generator, n: int) -> Table:
    """Six of ten say a multiple of ten, the others a whole number."""
    X, told = plane(r, n)
    y = 50 + 12 * told + 12 * r.normal(size=n)
    return X, np.where(r.random(n) < 0.6, 10 * np.round(y / 10), np.round(y))


def cut_at_both_ends(r: np.random.Generator, n: int) -> Table:
    """A share that is 0 or 1 for half of the rows."""
    X, told = plane(r, n)
    return X, np.clip(0.5 + 0.6 * told + 0.4 * r.normal(size=n), 0, 1)


def zero_for_two_reasons(r: np.random.Generator, n: int) -> Table:
    """Counts, of which four of ten are zero whatever the inputs."""
    X, told = plane(r, n)
    return X, np.where(r.random(n) < 0.4, 0, r.poisson(np.exp(1 + 0.6 * told))).astype(float)


def six_decades(r: np.random.Generator, n: int) -> Table:
    """A sum of money, from cents to ten thousands, as it is."""
    X, told = plane(r, n)
    return X, 10 ** (1 + told + 0.6 * r.normal(size=n))


def spread_of_a_level(r: np.random.Generator, n: int) -> Table:
    """Four levels, one-hot, whose noise is 0.2, 0.5, 1 and 3; the noisiest is one row of twenty."""
    level = r.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])
    X = np.column_stack([np.eye(4)[level][:, 1:], r.normal(size=n)])
    return X, X[:, 3] + level + np.array([0.2, 0.5, 1.0, 3.0])[level] * r.normal(size=n)


def questionnaire(r: np.random.Generator, n: int) -> Table:
    """Answers from 1 to 5 of one mood, and a mark from 0 to 5: rows repeat by chance."""
    mood = r.normal(size=(n, 1))
    X = np.clip(np.round(3 + 0.8 * mood + 0.7 * r.normal(size=(n, 2))), 1, 5)
    return X, r.binomial(5, expit(0.8 * (X.mean(axis=1) - 3))).astype(float)


def ticked_boxes(r: np.random.Generator, n: int) -> Table:
    """Three boxes, and a class: sixteen rows that differ."""
    X = (r.random((n, 3)) < [0.5, 0.3, 0.7]).astype(float)
    return X, (r.random(n) < 0.15 + 0.2 * X.sum(axis=1)).astype(int)


def rare_levels(r: np.random.Generator, n: int) -> Table:
    """Twelve levels, each half as frequent as the one before, one-hot."""
    share = 0.6 ** np.arange(12)
    level = r.choice(12, n, p=share / share.sum())
    effect = np.array([0, 1, -1, 2, 0, -2, 1, 3, -1, 0, 2, -3.0])
    return np.column_stack([np.eye(12)[level][:, 1:], r.normal(size=n)]), effect[level] + r.normal(size=n)


def hidden_regime(r: np.random.Generator, n: int) -> Table:
    """One row of ten lies five higher, and nothing tells which."""
    X, told = plane(r, n)
    return X, told + 5.0 * (r.random(n) < 0.1) + r.normal(size=n)


def nearly_equal_columns(r: np.random.Generator, n: int) -> Table:
    """Six columns, three of which are the others but for a millionth."""
    X = r.normal(size=(n, 3))
    return np.hstack([X, X + 1e-6 * r.normal(size=(n, 3))]), X.sum(axis=1) + r.normal(size=n)


def far_origin(r: np.random.Generator, n: int) -> Table:
    """Years, heights over the sea, amounts of money: everything a million from zero."""
    X, told = plane(r, n)
    return X + 1e6, told + r.normal(size=n) + 1e6


def single_precision(r: np.random.Generator, n: int) -> Table:
    """Single precision, a thousand from zero."""
    X, told = plane(r, n)
    return (X + 1e3).astype(np.float32), (told + r.normal(size=n)).astype(np.float32)


def missed_step(r: np.random.Generator, n: int) -> Table:
    """A step and a product that a plane does not see."""
    X = r.uniform(-1, 1, size=(n, 4))
    return X, 3.0 * (X[:, 0] > 0.6) + 2 * X[:, 1] * X[:, 2] + 0.3 * r.normal(size=n)


def uniform_errors(r: np.random.Generator, n: int) -> Table:
    """Errors that are bounded and even."""
    X, told = plane(r, n)
    return X, told + r.uniform(-1, 1, n)


def ordinary(r: np.random.Generator, n: int) -> Table:
    """Gaussian errors."""
    X, told = plane(r, n)
    return X, told + r.normal(size=n)


def missing_by_chance(r: np.random.Generator, n: int) -> Table:
    """One cell of five is missing."""
    X, told = plane(r, n)
    return np.where(r.random(X.shape) < 0.2, np.nan, X), told + r.normal(size=n)


def missing_because_large(r: np.random.Generator, n: int) -> Table:
    """Large cells are missing more often than small ones."""
    X, told = plane(r, n)
    return np.where(r.random(X.shape) < expit(2 * X - 1.5), np.nan, X), told + r.normal(size=n)


def ten_classes(r: np.random.Generator, n: int) -> Table:
    """Ten classes on a circle."""
    y = r.integers(0, 10, n)
    angle = 2 * np.pi * y / 10
    return 2.5 * np.column_stack([np.cos(angle), np.sin(angle)]) + r.normal(size=(n, 2)), y


def one_percent(r: np.random.Generator, n: int) -> Table:
    """A class of one row in a hundred."""
    y = (r.random(n) < 0.01).astype(int)
    return r.normal(size=(n, 3)) + 1.2 * y[:, None], y


def far_apart(r: np.random.Generator, n: int) -> Table:
    """Two classes that hardly touch: one row of some 160 on the wrong side."""
    y = r.integers(0, 2, n)
    return r.normal(size=(n, 2)) + 2.5 * np.sqrt(2) * y[:, None], y


def one_sided_mistakes(r: np.random.Generator, n: int) -> Table:
    """A quarter of one class bears the label of the other."""
    y = r.integers(0, 2, n)
    return r.normal(size=(n, 3)) + 1.2 * y[:, None], np.where(r.random(n) < 0.25, 0, y)


def crossed(r: np.random.Generator, n: int) -> Table:
    """Two classes in opposite corners: a line tells nothing."""
    X = r.normal(size=(n, 2))
    return X, (X[:, 0] * X[:, 1] + 0.3 * r.normal(size=n) > 0).astype(int)


def told_by_nothing(r: np.random.Generator, n: int) -> Table:
    """Two classes that are even, and inputs that tell nothing."""
    return r.normal(size=(n, 2)), r.integers(0, 2, n)


def seven_steps(r: np.random.Generator, n: int) -> Table:
    """Marks from 0 to 6."""
    X, told = plane(r, n)
    return X, np.clip(np.round(3 + 1.5 * told + r.normal(size=n)), 0, 6).astype(int)


def two_populations(r: np.random.Generator, n: int) -> Table:
    """Two populations in which the class is told by opposite signs, in proportions of three to one."""
    y, other = r.integers(0, 2, n), r.random(n) < 0.25
    sign = np.where(other, -1.0, 1.0)
    return r.normal(size=(n, 3)) + (sign * y)[:, None] + 3.0 * other[:, None] * [0, 0, 1], y


NUMBERS: dict[str, Draw] = {
    "heaps of ten": heaped, "cut at both ends": cut_at_both_ends, "zero for two reasons": zero_for_two_reasons, "six decades": six_decades,
    "the spread of a level": spread_of_a_level, "a questionnaire": questionnaire, "rare levels": rare_levels,
    "a hidden regime": hidden_regime, "columns equal to a millionth": nearly_equal_columns, "an origin of a million": far_origin,
    "single precision": single_precision, "a missed step": missed_step, "uniform errors": uniform_errors, "Gaussian": ordinary,
    "cells missing by chance": missing_by_chance, "cells missing because large": missing_because_large,
}  # fmt: skip
CLASSES: dict[str, Draw] = {
    "ticked boxes": ticked_boxes, "ten classes": ten_classes, "a class of 1 %": one_percent, "classes far apart": far_apart,
    "mistakes of one class": one_sided_mistakes, "opposite corners": crossed, "told by nothing": told_by_nothing,
    "seven steps": seven_steps, "two populations": two_populations,
}  # fmt: skip
LAWS: dict[str, Draw] = NUMBERS | CLASSES


def with_every_class(draw: Draw, classes: int, r: np.random.Generator, n: int, fewest: int = 3) -> Table:
    """Draw again until each class has some rows, for tables without are refused."""
    while True:
        X, y = draw(r, n)
        if np.bincount(y, minlength=classes).min() >= fewest:
            return X, y


def table_of(law: str, r: np.random.Generator, n: int) -> Table:
    """Return a table to learn from."""
    if law in NUMBERS:
        return LAWS[law](r, n)
    return with_every_class(LAWS[law], {"ten classes": 10, "seven steps": 7}.get(law, 2), r, n)
