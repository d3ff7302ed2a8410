"""Equal tables have equal fingerprints; repeated rows are counted."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from epee.risk import repeated_rows
from epee.table.fingerprints import fingerprint, row_hashes


@given(st.integers(1, 600), st.integers(0, 2**16))
def test_a_change_of_shape_or_of_the_ends_shows(n, seed):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    other = X.copy()
    other[-1, 0] += 1
    assert fingerprint(X) == fingerprint(X.copy()) == fingerprint(np.asfortranarray(X))
    assert len({fingerprint(X), fingerprint(other), fingerprint(X[:, :1]), fingerprint(X, X)}) == 4


def test_frames_and_text():
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    assert fingerprint(frame) == fingerprint(frame.copy()) != fingerprint(frame.assign(b=["x", "z"]))


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30),
)
def test_repeated_rows_by_definition(test, train):
    assert repeated_rows(np.array(test, float), np.array(train, float)) == np.mean([row in set(train) for row in test])
    assert repeated_rows(np.array(test, float)) == np.mean([test.count(row) > 1 for row in test])


def test_zero_has_one_sign():
    a = row_hashes(np.array([[0.0, 1.0], [-0.0, 1.0]]))
    assert a[0] == a[1]
    assert repeated_rows(np.array([["a", 1], ["b", 2]], dtype=object), np.array([["b", 2]], dtype=object)) == 0.5
