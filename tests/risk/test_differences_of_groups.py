"""Differences of rows that come from groups: the error bar is no shorter than that of the groups, and few of them are said."""

import numpy as np
import pytest

from epee import LinearRegression, Ridge
from epee.risk import compare, cross_validate


def schools(G, seed, size=8):
    """Return pupils whose errors, and slopes, are those of their school."""
    rng = np.random.default_rng(seed)
    g = np.repeat(np.arange(G), size)
    X = rng.normal(size=(G * size, 3))
    y = X[:, 0] + (rng.normal(size=G)[g]) * X[:, 1] + rng.normal(size=G)[g] + rng.normal(size=G * size)
    return X, y, g


@pytest.mark.parametrize("seed", range(4))
def test_the_error_bar_is_at_least_that_of_groups(seed):
    X, y, g = schools(30, seed)
    a, b = (cross_validate(model, X, y, groups=g, random_state=0) for model in (LinearRegression(), Ridge(200.0)))
    d = a.losses - b.losses
    sums = np.bincount(g, d) / np.bincount(g)
    assert (a - b).stderr >= sums.std(ddof=1) / np.sqrt(30) * (1 - 1e-9) or (a - b).p_value >= 0.05


def test_few_groups_are_said():
    X, y, g = schools(12, 0)
    found = compare({"line": LinearRegression(), "ridge": Ridge(200.0)}, X, y, groups=g).difference("line", "ridge")
    assert "12 independent" in found.caution
    X, y, g = schools(80, 0)
    found = compare({"line": LinearRegression(), "ridge": Ridge(200.0)}, X, y, groups=g).difference("line", "ridge")
    assert "independent" not in found.caution
