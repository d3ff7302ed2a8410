"""Rows that change each other's losses: what left-out losses share."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.pipeline import make_pipeline

from epee import (
    BernoulliNB,
    CategoricalNB,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    StandardScaler,
    TableEncoder,
)
from epee.risk import cross_validate, loo
from epee.risk.dof import sharing
from epee.risk.leave_one_out import _together, leave_each_out
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
    all_longer = []
    for seed in range(1, 7):
        X, y = clouds(0.5, 80, seed)
        found = loo(model, X, y, level=0.9)
        alone = mean_loss(found.losses, loss="zero_one", level=0.9)
        longer = np.sqrt(ratio(LinearDiscriminantAnalysis(), X, y))
        assert found.stderr == pytest.approx(max(longer, sharing(5.0, 80)) * alone.stderr)
        all_longer.append(longer)
    assert np.mean(all_longer) > 1.1


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


def nothing(n, p, seed):
    r = np.random.default_rng(seed)
    return r.normal(size=(n, p)), r.integers(0, 2, n)


def test_many_folds_see_what_happens_near_the_frontier():
    """The squared error of left-out rates where nothing tells the classes is that of the ratio, of which ten folds see but a part."""
    tables, model = [nothing(60, 2, s) for s in range(400)], LinearDiscriminantAnalysis()
    gaps = [leave_each_out(model, X, y, None, 0.9, None, halved=False).value - 0.5 for X, y in tables]
    routes = [open_route(model, X, y) for X, y in tables[:100]]
    few, many = (np.mean([ratio_of_mutual(route, folds) for route in routes]) for folds in (10, 50))
    assert many > 1.2 * few and many == pytest.approx(4 * 60 * np.mean(np.square(gaps)), rel=0.25)


def test_intervals_of_left_out_rows_hold_the_truth_where_nothing_tells_the_classes():
    held = []
    for s in range(150):
        found = loo(LinearDiscriminantAnalysis(), *nothing(40, 2, s), level=0.9)
        held.append(found.low <= 0.5 <= found.high)
    assert np.mean(held) > 0.9 - 0.02 - 2 * np.sqrt(0.09 / 150)


def test_groups_are_dealt_whole():
    """A table of which each row stands there three times, as a group, shares what its rows do; three rows of one are no evidence."""
    X, y = clouds(0.5, 60, 7)
    whole = ratio(LinearDiscriminantAnalysis(), X, y)
    order = np.random.default_rng(0).permutation(180)
    groups = np.repeat(np.arange(60), 3)[order]
    route = open_route(LinearDiscriminantAnalysis(), X[groups], y[groups])
    assert whole > 1.1 and ratio_of_mutual(route, groups=groups) == pytest.approx(whole, rel=0.05)


def test_what_groups_turn_makes_the_interval_of_folds_longer():
    g, lengths = np.repeat(np.arange(60), 3), []
    for signal in (0.0, 3.0):
        y = np.arange(60)[g] % 2
        X = np.random.default_rng(3).normal(size=(60, 2))[g] + signal * y[:, None]
        found = cross_validate(LinearDiscriminantAnalysis(), X, y, groups=g, level=0.9)
        low, high = rate_interval(found.value, 60, 0.9)
        lengths.append((found.high - found.low) / (high - low))
    assert lengths[0] > 1.15 * lengths[1]


@pytest.mark.parametrize("loss", ["zero_one", np.array([[0.0, 8.0], [1.0, 0.0]])], ids=["rate", "costs"])
def test_scale_of_sampling_weights_means_nothing(loss):
    X, y = clouds(0.5, 60, 2)
    w = np.random.default_rng(0).uniform(0.5, 2.0, 60)
    for how in (loo, cross_validate):
        plain = how(LinearDiscriminantAnalysis(), X, y, loss=loss)
        alike = how(LinearDiscriminantAnalysis(), X, y, loss=loss, sample_weight=np.full(60, 0.5))
        assert alike.interval == pytest.approx(plain.interval)
        one, ten = (how(LinearDiscriminantAnalysis(), X, y, loss=loss, sample_weight=c * w) for c in (1, 10))
        assert one.interval == pytest.approx(ten.interval)


def test_rows_that_stand_for_hardly_different_shares_turn_each_other_too():
    X, y = clouds(0.5, 60, 2)
    w = np.random.default_rng(0).uniform(0.999, 1.001, 60)
    found = loo(LinearDiscriminantAnalysis(), X, y, sample_weight=w, weights="sampling")
    alone = mean_loss(found.losses, w, loss="zero_one", weights="sampling")
    longer = np.sqrt(ratio(LinearDiscriminantAnalysis(), X, y))
    assert longer > 1.1 and found.stderr == pytest.approx(longer * alone.stderr, rel=0.1)


def test_nested_intervals_are_no_shorter_than_what_classes_share():
    X, y = nothing(80, 2, 5)
    nested = cross_validate(LinearDiscriminantAnalysis(), X, y, interval="nested", repeats=5)
    ten = ratio_of_mutual(open_route(LinearDiscriminantAnalysis(), X, y), 10)
    assert ten > 1.2 and nested.stderr >= 0.99 * np.sqrt(ten * nested.value * (1 - nested.value) / 80)


@pytest.mark.parametrize("model", [LogisticRegression(), KNeighborsClassifier(15)], ids=["line", "many"])
def test_predictors_that_are_no_merges_turn_rows_too(model):
    """Their squared errors are those of the longer bar; by the rows' own bar 90 % intervals held in 83 and 82 % of such tables."""
    bars, alone, gaps = [], [], []
    for i in range(80):
        X, y = clouds(0.4, 120, [3, i], p=2)
        found = loo(model, X, y)
        bars.append(found.stderr**2)
        alone.append(leave_each_out(model, X, y, None, 0.95, None, halved=False).stderr ** 2)
        new, truth = clouds(0.4, 10_000, [4, i], p=2)
        gaps.append((found.value - np.mean(model.fit(X, y).predict(new) != truth)) ** 2)
    assert np.mean(np.array(bars) >= alone) == 1
    assert 0.7 < np.mean(gaps) / np.mean(bars) < 1 + 3 * np.sqrt(2 / 80)
    assert np.mean(gaps) > 1.1 * np.mean(alone)


@pytest.mark.parametrize("loss", ["log", "brier"])
@pytest.mark.parametrize("by", [loo, cross_validate])
def test_probabilities_share_most_of_what_varies_where_nothing_tells_the_classes(by, loss):
    """Log losses are all but equal there: 90 % intervals held in 75 to 80 % of such tables by the spread of the rows' losses."""
    gaps, bars, held = [], [], []
    for i in range(80):
        X, y = clouds(0.4, 60, [5, i], p=2)
        found = by(LinearDiscriminantAnalysis(), X, y, loss=loss).at(0.9)
        new, truth = clouds(0.4, 10_000, [6, i], p=2)
        p = LinearDiscriminantAnalysis().fit(X, y).predict_proba(new)[:, 1]
        wrong = np.where(truth == "yes", 1 - p, p)
        risk = float(np.mean(-np.log(1 - wrong) if loss == "log" else wrong**2))
        gaps.append((found.value - risk) ** 2)
        bars.append(((found.interval.high - found.interval.low) / 2 / 1.645) ** 2)
        held.append(found.interval.low <= risk <= found.interval.high)
    assert np.mean(held) > 0.9 - 3 * np.sqrt(0.09 / 80)
    assert np.mean(gaps) < (1 + 3 * np.sqrt(2 / 80)) * np.mean(bars)


def test_smooth_losses_of_few_cells_share_too():
    """Rows of few cells are decided alike, but probabilities move with each row that is left out."""
    r = np.random.default_rng(8)
    X = r.choice(4, (60, 4), p=[0.6, 0.2, 0.15, 0.05]).astype(float)
    y = (r.random(60) < 0.3 + 0.1 * X[:, 0]).astype(int)
    found = loo(CategoricalNB(), X, y, "log", level=0.9)
    alone = mean_loss(found.losses, loss=found.loss, level=0.9)
    assert found.stderr > 1.1 * alone.stderr
