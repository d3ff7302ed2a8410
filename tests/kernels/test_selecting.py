"""The k smallest come first, and what follows the keys follows them still."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from epee.kernels.selecting import replace_largest, select

KEYS = st.lists(st.integers(0, 9), min_size=1, max_size=60)


@given(KEYS, st.data(), st.sampled_from([np.float64, np.uint64]))
def test_the_key_of_a_rank_stands_at_its_place(keys, data, kind):
    given_keys, k = np.array(keys, kind), data.draw(st.integers(0, len(keys) - 1))
    found, companions = given_keys.copy(), np.arange(len(keys))
    select(found, companions, k)
    assert found[k] == np.sort(given_keys)[k]
    assert (found[:k] <= found[k]).all() and (found[k:] >= found[k]).all()
    np.testing.assert_array_equal(given_keys[companions], found)


@given(KEYS, st.integers(0, 9))
def test_a_new_key_takes_the_place_of_the_largest(keys, new):
    keys = np.array(sorted(keys, reverse=True), np.float64)
    found, companions = keys.copy(), np.arange(len(keys))
    replace_largest(found, companions, float(new), len(keys))
    kept = np.append(keys[1:], new)
    np.testing.assert_array_equal(np.sort(found), np.sort(kept))
    assert found[0] == kept.max()
    np.testing.assert_array_equal(np.append(keys, new)[companions], found)
