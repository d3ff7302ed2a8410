"""Halves of a table: what a difference varies by from table to table, and the error bar of left-out rows that share their inputs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsRegressor as Theirs

from epee import KNeighborsClassifier, LinearDiscriminantAnalysis, LinearRegression, Ridge
from epee.risk import compare, cross_validate, loo
from epee.risk.dof import sharing
from epee.risk.halves import Halves, halvings, parted, variance_by_halves
from epee.risk.mean_loss import mean_loss
from epee.risk.nested import nested_interval, nested_sums
from epee.risk.opening import open_route
from epee.risk.paired_tests import corrected_difference, corrected_t
from epee.risk.refit import RefitRoute
from epee.risk.splitting import make_plan
from epee.risk.tied_rows import cells_of, spread_of_halves

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 4))
Y = X.sum(axis=1) + RNG.normal(size=80)


def test_each_fold_is_tested_by_the_other_folds_of_its_half():
    plan = make_plan(6, len(Y), repeats=2)
    found = Halves(open_route(Ridge(), X, Y, None, None), plan, 10).means
    assert found.shape == (10, 6)
    for h, side in enumerate(halvings(6, 10)):
        fold = plan.splits[h % 2].cell
        for k in range(6):
            taught = (side[fold] == side[k]) & (fold != k)
            model, tested = Ridge().fit(X[taught], Y[taught]), fold == k
            assert found[h, k] == pytest.approx(np.mean((model.predict(X[tested]) - Y[tested]) ** 2))


def test_merged_and_fitted_predictors_meet_in_the_first_halvings():
    plan, y = make_plan(10, len(Y)), (Y > 0) * 1
    merged = Halves(open_route(LinearDiscriminantAnalysis(), X, y, None, None), plan, 10).means
    fitted = Halves(RefitRoute(LinearDiscriminantAnalysis(), X, y), plan, 5).means
    np.testing.assert_allclose(merged[: len(fitted)], fitted)
    np.testing.assert_array_equal(halvings(10, 5), halvings(10, 10)[:5])
    assert not parted(np.arange(10), halvings(10, 3)).learns[np.arange(30), np.tile(np.arange(10), 3)].any()


def test_independent_folds_have_their_own_variance_and_shared_luck_is_seen():
    d = np.random.default_rng(1).normal(size=(400, 1, 10))
    alone = np.mean([variance_by_halves(np.repeat(one, 10, axis=0), one) for one in d])
    assert alone == pytest.approx(0.1, rel=0.3)
    luck = np.where(halvings(10, 10), 1.0, -1.0)  # what a half learned is in all of its folds
    assert variance_by_halves(d[0, 0] + luck, d[0]) > 3 * variance_by_halves(np.repeat(d[0], 10, axis=0), d[0])
    assert variance_by_halves(np.zeros((10, 10)), d[0]) == 0


def test_a_difference_is_told_by_the_more_careful_test():
    """Between classes of unequal spread a linear rule varies a lot from table to table."""
    careful = 0
    for seed in range(8):
        r = np.random.default_rng(seed)
        y = r.integers(0, 2, 60)
        rows = r.normal(size=(60, 4)) * np.where(y == 1, 4.0, 1.0)[:, None] + y[:, None]
        a, b = (cross_validate(LinearDiscriminantAnalysis(), half, y, repeats=5) for half in (rows[:, :2], rows[:, 2:]))
        found, plain = corrected_difference(a, b, 0.95), corrected_t(a.per_fold - b.per_fold, 6 / 54, folds=10)
        assert found.p_value >= plain.p_value - 1e-12 and found.value == pytest.approx(plain.value)
        careful += found.p_value > plain.p_value
    assert careful >= 4


def test_who_cannot_learn_from_a_half_keeps_the_test_by_folds():
    a = cross_validate(LinearRegression(), X, Y, repeats=2)
    b = cross_validate(Theirs(40), X, Y, repeats=2)  # a half teaches from 32 rows
    assert len(a.halves.means) == 10 and len(b.halves.means) == 0
    plain = corrected_t(a.per_fold - b.per_fold, 8 / 72, folds=10)
    assert corrected_difference(a, b, 0.95).p_value == pytest.approx(plain.p_value)


def test_every_road_tells_the_same_difference(tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame(X, columns=list("abcd")).assign(y=Y).to_csv(path, index=False)
    candidates = {"plain": LinearRegression(), "ridge": Ridge(30.0)}
    here, there = (
        compare(candidates, *table, repeats=2).difference("ridge", "plain") for table in ((X, Y), (str(path), "y"))
    )
    assert here.stderr == pytest.approx(there.stderr) and here.p_value == pytest.approx(there.p_value)
    assert here.how == there.how


def test_left_out_rows_of_few_cells_err_together(monkeypatch):
    """On nine cells, three at chance 1/2, the bar is longer than for rows that all differ, and the same in any order or as counts.

    What neighbours in the file do to each other is looked for beside it, and hangs on the order.
    """
    monkeypatch.setattr("epee.risk.leave_one_out.watched", lambda found, *seen, **v: found)
    cells = np.array([[a, b] for a in range(3) for b in range(3)], dtype=float)
    model, longer = LinearDiscriminantAnalysis(), []
    for seed in range(4):
        r = np.random.default_rng(seed)
        rows = cells[r.integers(0, 9, 200)]
        y = (r.random(200) < 1 / (1 + np.exp(2 - rows.sum(axis=1)))) * 1
        found = loo(model, rows, y, level=0.9)
        apart = loo(model, rows + 1e-9 * r.normal(size=rows.shape), y, level=0.9)
        longer.append((found.high - found.low) / (apart.high - apart.low))
    assert min(longer) > 1 and np.mean(longer) > 1.15
    order, (first, counts) = r.permutation(200), cells_of(rows, y, np.ones(200))
    assert loo(model, rows[order], y[order], level=0.9).interval == pytest.approx(found.interval)
    short = loo(model, rows[first], y[first], sample_weight=counts, level=0.9)
    assert short.interval == pytest.approx(found.interval)


def test_left_out_rows_of_neighbours_err_together():
    """Five neighbours of sixty rows: the binomial law and 1 + 2 d / n alone cover 84 of 90 %."""
    r = np.random.default_rng(2)
    labels = np.arange(60) % 2
    found = loo(KNeighborsClassifier(5), r.normal(size=(60, 2)) + 0.8 * labels[:, None], labels, level=0.9)
    alone = mean_loss(found.losses, loss="zero_one", level=0.9, stretch=sharing(12.0, 60.0))
    assert found.stderr > 1.05 * alone.stderr


def test_halves_that_teach_nothing_leave_the_error_bar_alone():
    def refuse(cells, counts):
        raise ValueError("one class")

    assert spread_of_halves(refuse, np.ones(10)) == 1.0


def test_nested_intervals_of_few_repeats_lean_on_halves():
    """Fitted again in two repeats, LDA has nearly the error bar that a hundred repeats by merges give it."""
    wide, steady = [], []
    for seed in range(3):
        r = np.random.default_rng(seed)
        y = r.permutation(np.arange(60) % 2)
        rows = r.normal(size=(60, 4)) + 0.8 * y[:, None]
        many = cross_validate(LinearDiscriminantAnalysis(), rows, y, interval="nested")
        few = nested_interval(
            RefitRoute(LinearDiscriminantAnalysis(), rows, y), make_plan(10, 60, codes=y, repeats=2), 0.95
        )
        sums = nested_sums(
            open_route(LinearDiscriminantAnalysis(), rows, y, None, None), make_plan(10, 60, codes=y, repeats=2)
        )
        steady.append(np.log(few.stderr / many.stderr))
        wide.append(np.log(sums.stderr() / many.stderr))
    assert np.mean(np.square(steady)) < np.mean(np.square(wide)) / 2
