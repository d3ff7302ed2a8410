"""A line of about as many columns as rows is marked, and what is far from that, or held down, is not."""

from __future__ import annotations

import numpy as np
import pytest

from epee import KNeighborsRegressor, Lasso, LinearDiscriminantAnalysis, LinearRegression, Ridge
from epee.risk import cross_validate, loo
from epee.risk.dof import sharing

SAID = "changes wildly"


def table(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, X.sum(axis=1) / np.sqrt(p) + rng.normal(size=n)


@pytest.mark.parametrize(("model", "n", "p"), [
    (LinearRegression(), 60, 32), (LinearRegression(), 60, 58), (Ridge(1e-6), 50, 48), (Ridge(1e-8), 60, 80), (Ridge(1e-8), 60, 110),
])  # fmt: skip
def test_about_as_many_columns_as_rows_are_said(model, n, p):
    X, y = table(n, p)
    for found in (
        cross_validate(model, X, y),
        loo(model, X, y),
        cross_validate(model, X, y, interval="nested", repeats=2),
    ):
        assert SAID in found.caution and f"{p} columns and {n} rows" in found.caution


@pytest.mark.parametrize(("model", "n", "p"), [
    (LinearRegression(), 60, 20), (Ridge(1e-8), 60, 200), (Ridge(30.0), 60, 58), (Lasso(0.1), 60, 58), (KNeighborsRegressor(1), 60, 58),
])  # fmt: skip
def test_lines_far_from_there_or_held_down_are_not(model, n, p):
    X, y = table(n, p)
    assert SAID not in cross_validate(model, X, y).caution and SAID not in loo(model, X, y).caution


def test_classes_are_another_matter():
    X, y = table(60, 50)
    assert SAID not in cross_validate(LinearDiscriminantAnalysis(), X, y > 0).caution


@pytest.mark.parametrize("p", [30, 60, 80])
def test_left_out_losses_share_more_than_the_first_order_tells(p):
    """The mean over tables of the exact ratio of :mod:`epee.risk.leave_one_out` is that of all orders, for Gaussian columns."""
    n, found = 120, []
    for seed in range(20):
        X = np.column_stack([np.ones(n), np.random.default_rng(seed).normal(size=(n, p))])
        back = np.linalg.solve(X.T @ X, X.T)  # (p + 1, n)
        rest = np.eye(n) - X @ back
        A = rest @ np.diag(1 / np.diagonal(rest) ** 2) @ rest / n - back.T @ back
        found.append(np.square(A).sum() / ((1 / np.diagonal(rest) ** 2).sum() / n**2))
    d = p + 1
    assert np.sqrt(np.mean(found)) == pytest.approx(np.sqrt(1 + 2 * d / (n - d)), rel=0.1)
    assert np.sqrt(np.mean(found)) > (1 + 0.4 * (d / n) ** 2) * sharing(d, n)
