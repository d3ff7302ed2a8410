"""Who learns from whom: partitions, strata, groups, time, splitters, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge as Theirs
from sklearn.model_selection import GroupKFold, KFold, RepeatedStratifiedKFold, ShuffleSplit, TimeSeriesSplit

from epee import KMeans, Ridge
from epee.errors import DataError, DataWarning, WrongUse
from epee.risk import cross_validate
from epee.risk.splitting import Pairs, make_plan, moments_ahead, regrouped


@given(st.integers(4, 60), st.integers(2, 6), st.integers(0, 5), st.booleans())
def test_every_row_is_tested_once_by_a_model_that_did_not_see_it(n, folds, seed, classes):
    folds = min(folds, n // 2)
    codes = np.arange(n) % 2 if classes else None
    plan = make_plan(folds, n, codes=codes if folds <= n // 2 else None, repeats=2, random_state=seed)
    for split in plan.splits:
        assert (split.models_of_rows() >= 0).all()
        for row, t in enumerate(split.models_of_rows()[0]):
            assert row not in split.training_rows(t)
        sizes = np.bincount(split.cell, minlength=folds)
        assert sizes.max() - sizes.min() <= (2 if classes else 1)
        assert sum(len(split.training_rows(t)) for t in range(folds)) == (folds - 1) * n
    assert make_plan(folds, n, codes=codes, random_state=seed).splits[0].cell.tolist() == plan.splits[0].cell.tolist()


def test_strata_keep_their_shares():
    codes = np.repeat([0, 1], [90, 30])
    split = make_plan(10, 120, codes=codes).splits[0]
    assert np.array_equal(np.bincount(split.cell[codes == 1]), np.full(10, 3))


def test_groups_stay_together():
    groups = np.random.default_rng(0).integers(0, 25, 300)
    plan = make_plan(5, 300, groups=groups)
    cell = plan.splits[0].cell
    assert all(len(set(cell[groups == g])) == 1 for g in range(25))
    assert np.bincount(cell).min() > 40
    with pytest.raises(DataError, match="30.*25 groups"):
        make_plan(30, 300, groups=groups)


def test_time_never_looks_ahead():
    when = np.random.default_rng(0).permutation(np.repeat(np.arange(50), 2))  # ties stay together
    split = make_plan(4, 100, time=when).splits[0]
    by = split.models_of_rows()[0]
    for t in range(4):
        assert when[split.training_rows(t)].max() < when[by == t].min()
    assert 30 <= (by == -1).sum() <= 36 and np.bincount(by[by >= 0]).min() >= 14  # a third is only learned from
    with pytest.raises(DataError, match="distinct times"):
        make_plan(4, 100, time=np.zeros(100))


@given(st.lists(st.integers(0, 40), min_size=12, max_size=80), st.integers(2, 6), st.integers(0, 12))
def test_a_gap_keeps_learning_away_from_testing(when, folds, gap):
    when = np.array(when)
    moments, rank = np.unique(when, return_inverse=True)
    assume(len(moments) > folds)
    near = make_plan(folds, len(when), time=when).splits[0]
    first = rank[near.models_of_rows()[0] >= 0].min()
    if gap >= first:
        with pytest.raises(DataError, match=f"gap is {gap}, .* only {first} moments"):
            make_plan(folds, len(when), time=when, gap=gap)
        return
    split = make_plan(folds, len(when), time=when, gap=gap).splits[0]
    by = split.models_of_rows()[0]
    np.testing.assert_array_equal(
        by, near.models_of_rows()[0]
    )  # the same rows are tested, by predictors that learned from fewer
    for t in range(split.n_models):
        learned = split.training_rows(t)
        assert set(learned) == set(np.flatnonzero(rank < rank[by == t].min() - gap))
    assert moments_ahead(split, rank)[0] == gap + 1


@pytest.mark.parametrize("gap", [-1, 1.5, True, "7"])
def test_a_gap_is_a_number_of_moments(gap):
    with pytest.raises(WrongUse, match="gap is"):
        make_plan(4, 100, time=np.arange(100), gap=gap)
    with pytest.raises(WrongUse, match="nothing says when"):
        make_plan(4, 100, gap=1)


def test_regrouped_fine_folds_are_balanced_partitions():
    cell = np.arange(400) % 40
    split = regrouped(cell, 40, 10, 3, 0)
    by = split.models_of_rows()
    assert by.shape == (3, 400) and all(np.array_equal(np.bincount(row % 10), np.full(10, 40)) for row in by)
    for r in range(3):
        for t in range(10 * r, 10 * r + 10):
            assert not set(split.training_rows(t)) & set(np.flatnonzero(by[r] == t))
    assert not np.array_equal(by[0] % 10, by[1] % 10)


def test_repeats_of_many_rows_share_fine_folds():
    plan = make_plan(10, 8000, repeats=5)
    assert len(plan.splits) == 1 and plan.splits[0].n_cells == 200 and plan.splits[0].repeats == 5
    assert len(make_plan(10, 800, repeats=5).splits) == 5


@pytest.mark.parametrize("splitter", [
    KFold(5, shuffle=True, random_state=0), GroupKFold(4), RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
])  # fmt: skip
def test_splitters_that_partition_become_cells(splitter):
    y, groups = np.arange(60) % 2, np.arange(60) // 5 if isinstance(splitter, GroupKFold) else None
    plan = make_plan(splitter, 60, X=np.zeros((60, 1)), y=y, groups=groups)
    pairs = list(splitter.split(np.zeros((60, 1)), y, groups))
    models = [(s, t) for s in plan.splits for t in range(s.n_models)]
    assert len(models) == len(pairs)
    for (split, t), (train, test) in zip(models, pairs, strict=True):
        assert np.array_equal(split.training_rows(t), np.sort(train)) and np.array_equal(
            np.flatnonzero(split.cell == t), np.sort(test)
        )


@pytest.mark.parametrize("splitter", [ShuffleSplit(3, random_state=0), TimeSeriesSplit(3)])
def test_splitters_that_do_not_stay_explicit(splitter):
    plan = make_plan(splitter, 40, X=np.zeros((40, 1)))
    assert isinstance(plan.splits[0], Pairs) and plan.splits[0].n_models == 3


@pytest.mark.parametrize(("folds", "sentence"), [
    (1, "folds is 1.*30 rows"), (31, "folds is 31.*30 rows"), (2.5, "whole number"), ("all", "'loo'"), (np.zeros(30), "1 fold id"),
    (np.zeros(7), "each of the 30 rows"),
])  # fmt: skip
def test_impossible_folds(folds, sentence):
    with pytest.raises(ValueError, match=sentence):
        make_plan(folds, 30)


def test_small_classes_are_told():
    codes = np.repeat([0, 1], [30, 4])
    with pytest.warns(DataWarning, match="class 'b' has 4 members, fewer than the 10 folds"):
        make_plan(10, 34, codes=codes, classes=np.array(["a", "b"]))
    with pytest.raises(DataError, match="'b' has one member only"):
        make_plan(10, 31, codes=np.repeat([0, 1], [30, 1]), classes=np.array(["a", "b"]))


def test_repeats_make_no_sense_with_given_ids():
    with pytest.raises(WrongUse, match="repeats"):
        make_plan(np.arange(10) % 2, 10, repeats=3)


def test_missing_folds_and_times_are_named():
    X, y = np.random.default_rng(0).normal(size=(2, 30, 1))
    ids = np.arange(30) % 3.0
    ids[7] = np.nan
    with pytest.raises(DataError, match="folds is missing .* in row 7"):
        cross_validate(Ridge(), X, y[:, 0], folds=ids)
    with pytest.raises(DataError, match="time is missing .* in row 7"):
        cross_validate(Ridge(), X, y[:, 0], time=ids, folds=2)
    with pytest.warns(DataWarning, match="time alone"):
        cross_validate(Ridge(), X, y[:, 0], time=np.arange(30), groups=np.arange(30) % 4, folds=3)


def test_what_predicts_nothing_is_refused():
    X, y = np.random.default_rng(0).normal(size=(2, 30, 1))
    for model, words in (
        (Ridge, "Ridge is a class; give an instance"), (object(), "not a predictor"), (KMeans(2), "KMeans is neither a classifier"),
    ):  # fmt: skip
        with pytest.raises(WrongUse, match=words):
            cross_validate(model, X, y[:, 0])
    with pytest.raises(DataError, match="y must hold numbers"):
        cross_validate(Theirs(), X, np.full(30, "a"))
    with pytest.raises(DataError, match="first in row 2"):
        cross_validate(Theirs(), X, np.where(np.arange(30) == 2, np.nan, y[:, 0]))
