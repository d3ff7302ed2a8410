"""Rows that change each other's losses: what left-out losses share."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.pipeline import make_pipeline

from epee import (
    BernoulliNB,
    LinearDiscriminantAnalysis,
    LinearRegression,
    QuadraticDiscriminantAnalysis,
    StandardScaler,
    TableEncoder,
)
from epee.risk import cross_validate, loo
from epee.risk.leave_one_out import _together
from epee.risk.mean_loss import mean_loss
from epee.risk.mutual import ratio_of_mutual
from epee.risk.opening import open_route
from epee.risk.rates import rate_interval


def clouds(gap, n, seed, p=4):
    r = np.random.default_rng(seed)
    y = r.integers(0, 2, n)
    X = r.normal(size=(n, p))
    X[:, 0] += gap * y
    return X, np.array(["no", "yes"])[y]


def ratio(model, X, y):
    return ratio_of_mutual(open_route(model, X, y))


def test_least_squares_share_as_the_formula_says():
    """1 + 2 d / n with six degrees of freedom and two hundred rows is 1.06; models without two folds of ten learn from fewer."""
    r = np.random.default_rng(0)
    tables = [(r.normal(size=(200, 5)), r.normal(size=200)) for _ in range(30)]
    assert np.mean([ratio(LinearRegression(), X, y) for X, y in tables]) == pytest.approx(1.08, abs=0.02)


def test_classes_that_nearly_coincide_share_more():
    """The squared error of left-out rates, over the binomial variance, is 1.07 for clouds 2 apart and 1.5 for clouds 0.5 apart."""
    near, apart = ([ratio(LinearDiscriminantAnalysis(), *clouds(g, 80, s)) for s in range(20)] for g in (0.5, 2.0))
    assert 1.25 < np.mean(near) < 1.6 and 1.0 < np.mean(apart) < 1.15


@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(), make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())]
)
def test_left_out_rates_have_the_longer_bar(model):
    X, y = clouds(0.5, 80, 1)
    found = loo(model, X, y, level=0.9)
    alone = mean_loss(found.losses, loss="zero_one", level=0.9)
    longer = np.sqrt(ratio(LinearDiscriminantAnalysis(), X, y))
    assert longer > 1.1 and found.stderr == pytest.approx(longer * alone.stderr)


@pytest.mark.parametrize("loss", ["zero_one", np.array([[0.0, 8.0], [1.0, 0.0]])], ids=["rate", "costs"])
@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(), make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())]
)
def test_order_means_nothing_and_counts_are_rows(model, loss):
    X, y = clouds(0.5, 60, 2)
    found, order = loo(model, X, y, loss), np.random.default_rng(0).permutation(60)
    assert loo(model, X[order], y[order], loss).interval == pytest.approx(found.interval)
    assert loo(model, X, y, loss, sample_weight=np.ones(60)).interval == pytest.approx(found.interval)
    times = np.where(np.arange(60) < 6, 2, 1)
    long = open_route(model, np.repeat(X, times, axis=0), np.repeat(y, times), None, loss)
    assert _together(open_route(model, X, y, times, loss), 5.0) == pytest.approx(_together(long, 5.0))


def test_sparse_rows_and_frames_are_rows():
    X, y = clouds(0.5, 60, 5)
    X = np.round(np.abs(X) * 2) * (X > 0)
    found = loo(BernoulliNB(), X, y)
    assert loo(BernoulliNB(), csr_matrix(X), y).interval == pytest.approx(found.interval)
    frame, model = (
        pd.DataFrame(X).rename(columns=str).assign(c=list("uvw") * 20),
        make_pipeline(TableEncoder(), LinearDiscriminantAnalysis()),
    )
    assert loo(model, frame, y, sample_weight=np.ones(60)).interval == pytest.approx(loo(model, frame, y).interval)


def test_a_class_of_two_rows_leaves_the_bar_alone():
    X, y = clouds(1.0, 40, 3)
    y[:] = "no"
    y[:2] = "yes"
    assert ratio(LinearDiscriminantAnalysis(), X, y) >= 1
    assert ratio(QuadraticDiscriminantAnalysis(reg_param=0.5), X, y) >= 1
    assert ratio(LinearDiscriminantAnalysis(), *clouds(60.0, 40, 4)) == 1.0


def test_folds_know_that_rows_turn_each_other_where_nothing_tells_the_classes():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), np.arange(400) % 2
    lengths = []
    for signal in (0.0, 2.0):
        found = cross_validate(LinearDiscriminantAnalysis(), X + signal * y[:, None], y, level=0.9)
        low, high = rate_interval(found.value, found.n, 0.9)
        lengths.append((found.high - found.low) / (high - low))
    assert lengths[0] > 1.2 * lengths[1]
