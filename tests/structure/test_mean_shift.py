"""Mean shift: scikit-learn's modes with the flat kernel, a density that never falls with the Gaussian one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import MeanShift as Theirs
from sklearn.cluster import estimate_bandwidth as their_bandwidth

from epee import MeanShift
from epee.errors import DataWarning
from epee.structure.mean_shift import climb, estimate_bandwidth


def blobs(n=150, p=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) + 7 * rng.normal(size=(4, p))[rng.integers(4, size=n)]


@pytest.mark.parametrize(
    "arguments", [{}, {"cluster_all": False, "bandwidth": 1.2}, {"bin_seeding": True, "min_bin_freq": 2}]
)
@pytest.mark.parametrize("p", [1, 2, 3])
def test_flat_kernel_is_scikit_learns(arguments, p):
    X = blobs(p=p)
    arguments = {"bandwidth": 2.5} | arguments
    ours, theirs = MeanShift(**arguments).fit(X), Theirs(**arguments).fit(X)
    np.testing.assert_allclose(
        ours.cluster_centers_, theirs.cluster_centers_, atol=1e-5
    )  # their grid is in single precision
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_bandwidth_is_scikit_learns():
    X = blobs(120)
    np.testing.assert_allclose(estimate_bandwidth(X, np.ones(120)), their_bandwidth(X))
    assert MeanShift().fit(X).bandwidth_ == estimate_bandwidth(X, np.ones(120))


@given(st.integers(0, 10_000), st.floats(0.2, 3.0))
@settings(max_examples=15)
def test_density_never_falls_on_the_way_up(seed, h):
    X = blobs(60, seed=seed)
    w = np.random.default_rng(seed).integers(1, 4, 60).astype(float)

    def density(x):
        return np.exp(-0.5 * ((x[:, None] - X) ** 2).sum(axis=2) / h**2) @ w

    x = X[:10].copy()
    for _ in range(12):
        new = climb(X, w, x, h, "gaussian", 1)[0]
        assert (density(new) >= density(x) * (1 - 1e-8)).all()
        x = new


def test_modes_in_one_dimension_do_not_grow_with_the_bandwidth():
    X = np.concatenate([np.random.default_rng(k).normal(loc=c, size=60) for k, c in enumerate((0, 4, 9))])[:, None]
    counts = [len(MeanShift(bandwidth=h, kernel="gaussian").fit(X).cluster_centers_) for h in (0.6, 0.9, 1.5, 3.0, 6.0)]
    assert counts == sorted(counts, reverse=True)
    assert 3 in counts and counts[-1] == 1


@pytest.mark.parametrize("kernel", ["flat", "gaussian"])
def test_weights_are_counts(kernel):
    X, w = blobs(60), np.random.default_rng(1).integers(0, 4, 60)
    a = MeanShift(bandwidth=2.0, kernel=kernel).fit(X, sample_weight=w)
    b = MeanShift(bandwidth=2.0, kernel=kernel).fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(a.cluster_centers_, b.cluster_centers_, atol=1e-6)
    np.testing.assert_allclose(
        MeanShift().fit(X, sample_weight=w).bandwidth_, MeanShift().fit(np.repeat(X, w, axis=0)).bandwidth_
    )


def test_rows_that_are_copies():
    X = np.repeat([[0.0, 1.0], [2.0, 3.0], [5.0, 5.0]], 10, axis=0)
    with pytest.warns(DataWarning, match="estimated bandwidth is 0"):
        model = MeanShift().fit(X)
    assert len(model.cluster_centers_) == 3
    np.testing.assert_allclose(np.sort(model.cluster_centers_, axis=0), [[0, 1], [2, 3], [5, 5]], atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"bandwidth": 0}, "bandwidth is 0; it must be a number above 0"),
        ({"bandwidth": -2.0}, "bandwidth is -2.0"),
        ({"bandwidth": np.nan}, "bandwidth is nan"),
        ({"bandwidth": 1.0, "seeds": [[1e6, 1e6]]}, "No point was within bandwidth=1"),
        ({"bandwidth": 1.0, "seeds": [[1.0]]}, r"seeds has shape \(1, 1\)"),
        ({"bandwidth": 1.0, "seeds": [[np.nan, 0.0]]}, "Input seeds contains NaN"),
        ({"bandwidth": 1.0, "bin_seeding": True, "min_bin_freq": 1000}, "min_bin_freq=1000"),
        ({"kernel": "cubic"}, "kernel is 'cubic'"),
        ({"max_iter": 0}, "max_iter is 0"),
    ],
)
def test_bad_input(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        MeanShift(**arguments).fit(blobs(40))
