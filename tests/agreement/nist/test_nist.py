"""Digits against NIST's certified values: -log10 of the relative error, the worst over the parameters."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from epee import LinearRegression, Moments, PolynomialRegression
from epee.errors import ConditionWarning
from epee.table.arrays import ArraySource

HERE = Path(__file__).parent
CERTIFIED = json.loads((HERE / "certified.json").read_text())
NAMES = sorted(CERTIFIED)


class Cut(ArraySource):
    """Rows that come in seven blocks."""

    def blocks(self, rows=None):
        return super().blocks(-(-self.n_rows // 7))


def problem(name):
    entry = CERTIFIED[name]
    rows = np.genfromtxt(HERE / entry["file"], delimiter=",", skip_header=1)
    x, y = rows[:, 1:], rows[:, 0]
    degree = int(entry["model"].split()[-1]) if "degree" in entry["model"] else None
    X = x if degree is None else np.column_stack([x[:, 0] ** j for j in range(1, degree + 1)])
    return X, y, x, degree, entry


def values(entry, what):
    return np.array([float(p[what]) for p in entry["parameters"].values()])


def digits(found, certified):
    size = np.where(certified == 0, 1.0, np.abs(certified))
    return float(-np.log10(np.abs(found - certified) / size + 1e-16).min())


def quiet(work, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConditionWarning)
        return work(*arguments)


def one_block(model, X, y):
    return model.fit(X, y)


def seven_blocks(model, X, y):
    return model.fit(Cut(X, y), None)


def seven_calls(model, X, y):
    for part in np.array_split(np.arange(len(y)), min(7, len(y) - 1)):
        model.partial_fit(X[part], y[part])
    return model


@pytest.mark.parametrize("fit", [one_block, seven_blocks, seven_calls])
@pytest.mark.parametrize("name", NAMES)
def test_least_squares(name, fit):
    X, y, _, _, entry = problem(name)
    model = quiet(fit, LinearRegression(fit_intercept=entry["intercept"]), X, y)
    table = model.summary()
    assert digits(table.params, values(entry, "estimate")) >= (7.5 if name == "Filip" else 9)
    assert digits(table.bse, values(entry, "sd")) >= 6
    assert digits(np.sqrt(table.scale), float(entry["residual_sd"])) >= 6
    assert digits(table.rsquared, float(entry["r_squared"])) >= 9


@pytest.mark.parametrize("name", [name for name in NAMES if "degree" in CERTIFIED[name]["model"]])
def test_polynomial(name):
    _, y, x, degree, entry = problem(name)
    model = PolynomialRegression(degree, fit_intercept=entry["intercept"]).fit(x, y)
    table = model.summary()
    assert digits(table.params, values(entry, "estimate")) >= 11
    assert digits(table.bse, values(entry, "sd")) >= 9


def test_only_filip_is_called_ill_conditioned():
    for name in NAMES:
        X, y, _, _, entry = problem(name)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            LinearRegression(fit_intercept=entry["intercept"]).fit(X, y)
        assert [w.category for w in heard] == ([ConditionWarning] if name == "Filip" else []), name


def test_numacc4_through_merged_blocks():
    """1001 values 10000000.2, then .1 and .3 in turn: the standard deviation is exactly 0.1."""
    y = np.array([10000000.2] + [10000000.1, 10000000.3] * 500)[:, None]
    assert len(y) == 1001
    for parts in (np.array_split(y, 7), [y]):
        total = parts[0:1] and Moments.of(parts[0])
        for part in parts[1:]:
            total = total + Moments.of(part)
        sd = np.sqrt(total.covariance(ddof=1)[0, 0])
        assert digits(sd, np.array(0.1)) >= 8


def test_slopes_of_columns_with_a_large_mean():
    rng = np.random.default_rng(0)
    X = 1e9 + rng.normal(size=(500, 3))
    exact = X - 1e9  # what the rounded columns are, exactly
    y = exact @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=500)
    reference = np.linalg.lstsq(np.column_stack([np.ones(500), exact]), y, rcond=None)[0][1:]
    for fit in (one_block, seven_blocks):
        assert digits(quiet(fit, LinearRegression(), X, y).coef_, reference) >= 8
