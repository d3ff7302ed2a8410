"""Products of inputs."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
import sklearn.preprocessing
from hypothesis import given
from hypothesis import strategies as st

from epee import PolynomialFeatures
from epee.errors import WrongUse


@given(
    st.integers(1, 4), st.integers(0, 3), st.integers(0, 3), st.booleans(), st.booleans(), st.sampled_from(["C", "F"])
)  # fmt: skip
def test_agrees_with_scikit_learn(p, low, more, only, bias, order):
    high = low + more
    if not bias and (high == 0 or (only and low > p)):  # no column at all: scikit-learn raises there
        return
    X = np.random.default_rng(p).normal(size=(20, p))
    kw = {"degree": (low, high), "interaction_only": only, "include_bias": bias, "order": order}
    ours = PolynomialFeatures(**kw).fit(X)
    theirs = sklearn.preprocessing.PolynomialFeatures(**kw).fit(X)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    np.testing.assert_array_equal(ours.powers_, theirs.powers_)
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())


def test_the_number_of_products():
    for p, d in ((3, 2), (5, 3), (2, 6)):
        assert PolynomialFeatures(d).fit(np.ones((1, p))).n_output_features_ == comb(p + d, d)


def test_blocks_do_not_matter():
    X = np.random.default_rng(0).normal(size=(5000, 3))
    whole = PolynomialFeatures(3).fit_transform(X)
    np.testing.assert_allclose(whole[4000:], PolynomialFeatures(3).fit_transform(X[4000:]))


def test_a_degree_that_makes_no_sense_is_refused():
    for degree in (-1, 1.5, (3, 2)):
        with pytest.raises(WrongUse, match="degree is"):
            PolynomialFeatures(degree).fit(np.ones((2, 2)))


def test_sparse_rows_of_many_columns_list_no_products():
    from scipy import sparse

    rows = sparse.csr_array(([2.0, 3.0], ([0, 0], [70_000, 120_000])), shape=(1, 120_001))
    model = PolynomialFeatures(2).fit(rows)
    p = 120_001
    assert model.n_output_features_ == 1 + p + p * (p + 1) // 2
    made = model.transform(rows)
    assert sorted(made.data.tolist()) == [1.0, 2.0, 3.0, 4.0, 6.0, 9.0]
    assert made.indices.max() == model.n_output_features_ - 1
    assert PolynomialFeatures(2).fit_transform(sparse.csr_array(np.eye(3))).indices.dtype == np.int32
    with pytest.raises(ValueError, match="too many to be named"):
        model.get_feature_names_out()
    with pytest.raises(ValueError, match="too large to be indexed"):
        PolynomialFeatures(40).fit(rows)
