"""A row's fold is decided by the seed, its class and its rank in that class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from epee.errors import DataError, WrongUse
from epee.table.folds import SORTED_UP_TO, assign_folds, deal_counts, fold_of, ranks_in_class, same_rows, shuffled_ranks


@given(
    arrays(np.int64, st.integers(10, 80), elements=st.integers(0, 3)), st.integers(2, 7), st.integers(0, 5), st.data()
)
def test_a_stream_in_any_cut_gives_the_folds_of_the_whole(codes, K, seed, data):
    whole = assign_folds(codes, len(codes), K, seed)
    cut = data.draw(st.integers(0, len(codes)))
    before, totals = np.zeros(4, dtype=np.int64), np.bincount(codes, minlength=4)
    parts = []
    for part in (codes[:cut], codes[cut:]):
        parts.append(fold_of(ranks_in_class(part, before), part, K, seed, totals))
        before = before + np.bincount(part, minlength=4)
    np.testing.assert_array_equal(np.concatenate(parts), whole)


@given(arrays(np.int64, st.integers(10, 80), elements=st.integers(0, 2)), st.integers(2, 7), st.integers(0, 5))
def test_folds_are_stratified(codes, K, seed):
    fold = assign_folds(codes, len(codes), K, seed)
    assert fold.min() >= 0 and fold.max() < K
    for k in range(3):
        sizes = np.bincount(fold[codes == k], minlength=K)
        assert sizes.max() - sizes.min() <= 1


def test_seeds_differ_and_repeat():
    a, b = (assign_folds(None, 1000, 10, seed) for seed in (0, 1))
    assert (a != b).mean() > 0.5
    np.testing.assert_array_equal(a, assign_folds(None, 1000, 10, 0))


def test_other_rows_do_not_change_a_rows_fold():
    codes = np.zeros(30, dtype=np.intp)
    codes[10:20] = 1
    with_class = assign_folds(codes, 30, 5, 3)
    np.testing.assert_array_equal(with_class[10:20], assign_folds(codes[5:20], 15, 5, 3)[5:])


def test_numbers_that_make_no_folds():
    with pytest.raises(WrongUse, match="folds is 1"):
        assign_folds(None, 10, 1)
    with pytest.raises(DataError, match="folds is 11, but there are only 10 rows"):
        assign_folds(None, 10, 11)


@given(st.integers(1, 300), st.integers(0, 2**64 - 1))
def test_a_key_orders_all_ranks(n, key):
    np.testing.assert_array_equal(np.sort(shuffled_ranks(np.arange(n), n, key)), np.arange(n))


@pytest.mark.parametrize("n", [SORTED_UP_TO + 1, 100_003, 2**17, 150_000])
def test_many_ranks_are_ordered_without_a_table(n):
    places = shuffled_ranks(np.arange(n), n, 5)
    assert (np.bincount(places, minlength=n) == 1).all()
    some = np.array([0, 7, n // 2, n - 1])
    np.testing.assert_array_equal(shuffled_ranks(some, n, 5), places[some])
    assert (np.bincount(assign_folds(None, n, 7, 0)) >= n // 7).all()


@pytest.mark.parametrize("n", [60, 600, 70_000])
def test_folds_of_sorted_rows_are_random_samples(n):
    """The mean place of a fold spreads as that of rows drawn by chance, where dealing K by K would make it nearly fixed."""
    K, seeds = 6, 60
    folds = [assign_folds(None, n, K, seed) for seed in range(seeds)]
    means = np.array([np.bincount(fold, np.arange(n)) / np.bincount(fold) for fold in folds])
    expected = (n + 1) * (K - 1) / 12  # variance of the mean of n / K of the places 0 ... n - 1, without replacement
    ratio = ((means - (n - 1) / 2) ** 2).mean() / expected
    assert 0.75 < ratio < 1.25  # 360 squares of which five in six are free: a standard error of 0.08
    together = np.mean([fold[1:] == fold[:-1] for fold in folds])
    assert abs(together - (n / K - 1) / (n - 1)) < 4 * np.sqrt(
        0.14 / (n * seeds)
    )  # neighbours meet as often as any two rows


def test_folds_of_two_seeds_are_independent():
    a, b = assign_folds(None, 60_000, 5, 1), assign_folds(None, 60_000, 5, 2)
    table = np.bincount(5 * a + b, minlength=25)
    assert ((table - 2400.0) ** 2 / 2400).sum() < 40  # chi-square with 16 degrees of freedom: 0.999


def test_counts_are_dealt_as_their_copies():
    codes, counts = np.array([0, 1, 0]), np.array([5, 7, 6])
    dealt = deal_counts(codes, counts, 4, 3)
    row = np.repeat(np.arange(3), counts)
    fold = assign_folds(codes[row], 18, 4, 3)
    for i in range(3):
        np.testing.assert_array_equal(dealt[i], np.bincount(fold[row == i], minlength=4))


@given(
    arrays(
        float,
        st.tuples(st.integers(1, 12), st.integers(1, 4)),
        elements=st.sampled_from([-1.0, -0.0, 0.0, 2.5, np.inf]),
    )
)
def test_equal_rows_have_one_place_in_the_order_of_the_rows(X):
    different = np.unique(X, axis=0, return_inverse=True)[1].reshape(-1)
    np.testing.assert_array_equal(same_rows(X), different)
    np.testing.assert_array_equal(same_rows(X[:, :-1], X[:, -1]), different)


def test_rows_with_a_missing_cell_are_like_no_other():
    X = np.array([[1.0, np.nan], [0.0, 2.0], [1.0, np.nan], [0.0, 2.0]])
    np.testing.assert_array_equal(np.sort(same_rows(X)), [0, 0, 1, 2])


@pytest.mark.parametrize("K", [1, 3, 12])
def test_many_rows_of_few_and_of_many_classes_are_dealt_as_their_ranks_say(K):
    codes = np.random.default_rng(K).integers(0, K, 100_000)
    totals = np.bincount(codes)
    ranks = ranks_in_class(codes, np.zeros_like(totals))
    expected = np.empty_like(codes)
    for k in range(K):  # rank by rank, a class at a time
        own = np.flatnonzero(codes == k)
        np.testing.assert_array_equal(ranks[own], np.arange(len(own)))
        expected[own] = fold_of(np.arange(len(own)), np.full(len(own), k), 10, 5, totals)
    np.testing.assert_array_equal(assign_folds(codes, len(codes), 10, 5), expected)
