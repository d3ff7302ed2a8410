"""ISODATA: the number of clusters follows the cloud, within its bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epee import Isodata


def clouds(k, seed=0, n=40):
    rng = np.random.default_rng(seed)
    centres = 12 * np.array([[i % 3, i // 3] for i in range(k)], dtype=float)
    return np.repeat(centres, n, axis=0) + rng.normal(size=(n * k, 2))


@pytest.mark.parametrize("start", [3, 5, 8])
def test_finds_five_clouds_from_other_numbers(start):
    model = Isodata(start, max_std=2.0, min_distance=4.0, random_state=0).fit(clouds(5))
    assert model.n_clusters_ == 5
    assert sorted(np.bincount(model.labels_)) == [40] * 5


@given(st.integers(0, 10_000), st.integers(2, 6))
@settings(max_examples=15)
def test_number_stays_within_bounds(seed, k):
    X = np.random.default_rng(seed).normal(size=(80, 2))
    model = Isodata(k, max_std=0.3, min_clusters=2, max_clusters=7, random_state=seed).fit(X)
    assert 2 <= model.n_clusters_ <= 7
    assert (model.trace_[:, 0] <= 7).all() and (model.trace_[:, 0] >= 2).all()
    assert np.isfinite(model.cluster_centers_).all()
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    for j in range(model.n_clusters_):
        np.testing.assert_allclose(model.cluster_centers_[j], X[model.labels_ == j].mean(axis=0), atol=1e-8)


def test_small_clusters_are_deleted_and_wide_steps_do_nothing():
    X = np.concatenate([clouds(2), [[100.0, 100.0]]])
    model = Isodata(3, max_std=50.0, min_distance=0.0, min_size=5, random_state=0).fit(X)
    assert model.n_clusters_ == 2
    kept = Isodata(3, max_std=50.0, min_distance=0.0, min_size=1, random_state=0).fit(X)
    assert kept.n_clusters_ == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"n_clusters": 5, "max_clusters": 4}, "between min_clusters=1 and max_clusters=4"),
        ({"n_clusters": 2, "max_std": -1.0}, "max_std is -1.0"),
        ({"n_clusters": 2, "min_distance": np.nan}, "min_distance is nan"),
        ({"n_clusters": 9}, "only 4 distinct rows"),
    ],
)
def test_bad_input(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        Isodata(**arguments).fit(np.repeat(np.eye(4), 5, axis=0))
