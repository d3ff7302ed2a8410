"""The compiled sums equal the ordinary pass."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epee.moments.class_sums import ClassSummation
from epee.moments.moments import Moments
from epee.moments.passes import Summation
from epee.table.block import Block


@given(
    st.integers(1, 40),
    st.integers(1, 4),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["diagonal", None]),
    st.sampled_from("CF"),
    st.integers(0, 99),
)
def test_equals_the_ordinary_pass(n, p, weighted, folded, scatter, order, seed):
    rng = np.random.default_rng(seed)
    X = np.asarray(rng.normal(size=(n, p)) * 10.0 ** rng.integers(-3, 4, p), order=order)
    w = rng.integers(0, 4, n).astype(float) if weighted else None
    fold = rng.integers(0, 2, n) if folded else None
    block = Block(X, None, w, fold, rng.integers(0, 3, n))
    arguments = (X[:1].mean(axis=0), scatter, 2 if folded else None, 3)
    ours, theirs = ClassSummation(*arguments)(block), Summation(*arguments)(block)
    assert np.allclose(ours.count, theirs.count) and np.allclose(ours.shift, theirs.shift)
    if scatter:
        assert np.allclose(ours.scatter, theirs.scatter, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9])
def test_far_means_cost_no_digits(offset):
    rng = np.random.default_rng(0)
    X, g = offset + rng.standard_normal((600, 2)), np.arange(600) % 2
    m: Moments = ClassSummation(np.zeros(2), "diagonal", None, 2)(Block(X, None, None, None, g))
    exact = np.array([(X[g == k] - offset).var(axis=0) for k in range(2)])
    assert np.allclose(m.variances, exact, rtol=1e-6)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_cells_stay_visible(bad, order):
    X = np.ones((10, 2), order=order)
    X[3, 1] = bad
    assert not ClassSummation(np.zeros(2), "diagonal", None, 1)(
        Block(X, None, None, None, np.zeros(10, dtype=int))
    ).is_finite()
