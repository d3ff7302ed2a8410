"""A row's fold is decided by the seed, its class and its rank in that class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from epee.errors import DataError, WrongUse
from epee.table.folds import assign_folds, fold_of, ranks_in_class


@given(
    arrays(np.int64, st.integers(10, 80), elements=st.integers(0, 3)), st.integers(2, 7), st.integers(0, 5), st.data()
)
def test_a_stream_in_any_cut_gives_the_folds_of_the_whole(codes, K, seed, data):
    whole = assign_folds(codes, len(codes), K, seed)
    cut = data.draw(st.integers(0, len(codes)))
    before = np.zeros(4, dtype=np.int64)
    parts = []
    for part in (codes[:cut], codes[cut:]):
        parts.append(fold_of(ranks_in_class(part, before), part, K, seed))
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
