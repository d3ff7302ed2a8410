"""Dynamic clouds: points are k-means, lines find lines, Gaussian laws find ellipses; the criterion never rises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from epee import KMeans
from epee.structure.dynamic_clouds import KERNELS, DynamicClouds


@given(st.integers(0, 10_000), st.sampled_from(KERNELS), st.integers(1, 4))
@settings(max_examples=20)
def test_criterion_never_rises(seed, kernel, k):
    X = np.random.default_rng(seed).normal(size=(60, 3))
    model = DynamicClouds(k, kernel=kernel, n_init=2, floor=1e-9, random_state=seed).fit(X)
    assert (np.diff(model.trace_) <= 1e-8 * (1 + np.abs(model.trace_[:-1]))).all()
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert np.isfinite(model.inertia_) and np.isfinite(model.cluster_centers_).all()


def test_points_are_k_means():
    X = np.random.default_rng(0).normal(size=(150, 2)) + 8 * np.eye(3)[np.arange(150) % 3][:, :2]
    a, b = DynamicClouds(3, n_init=5, random_state=0).fit(X), KMeans(3, n_init=5, random_state=0).fit(X)
    np.testing.assert_allclose(a.inertia_, b.inertia_)
    assert adjusted_rand_score(a.labels_, b.labels_) == 1


def test_lines_that_cross():
    rng = np.random.default_rng(0)
    t = rng.uniform(-1, 1, 200)
    truth = np.arange(200) % 2
    X = np.where(truth[:, None], np.column_stack([t, t]), np.column_stack([t, -t])) + rng.normal(
        scale=0.01, size=(200, 2)
    )
    model = DynamicClouds(2, kernel="line", random_state=0).fit(X)
    far = np.abs(t) > 0.1
    assert adjusted_rand_score(model.labels_[far], truth[far]) == 1
    np.testing.assert_allclose(np.abs(model.axes_), np.sqrt(0.5), atol=0.01)
    assert adjusted_rand_score(KMeans(2, random_state=0).fit(X).labels_[far], truth[far]) < 0.2


@pytest.mark.parametrize("kernel", ["mahalanobis", "gaussian"])
def test_long_ellipses(kernel):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(200, 2)) * [8, 0.3], rng.normal(size=(200, 2)) * [8, 0.3] + [0, 4]])
    model = DynamicClouds(2, kernel=kernel, random_state=0).fit(X)
    assert adjusted_rand_score(model.labels_, np.arange(400) // 200) == 1
    assert model.covariances_.shape == (2, 2, 2)


def test_collapsing_classes_stay_finite():
    X = np.repeat(np.arange(6.0), 4)[:, None] * [1.0, 2.0]  # all on a line, with copies
    for kernel in KERNELS:
        model = DynamicClouds(3, kernel=kernel, random_state=0).fit(X)
        assert np.isfinite(model.inertia_) and len(np.unique(model.labels_)) <= 3


def test_weights_are_counts():
    X, w = np.random.default_rng(0).normal(size=(80, 2)), np.random.default_rng(1).integers(1, 4, 80)
    model = DynamicClouds(2, kernel="gaussian", random_state=0).fit(X, sample_weight=w)
    whole = DynamicClouds(2, kernel="gaussian", random_state=0).fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(model.inertia_, whole.inertia_, rtol=0.05)
    labels = np.repeat(model.labels_, w)
    means = [np.repeat(X, w, axis=0)[labels == k].mean(axis=0) for k in range(2)]
    np.testing.assert_allclose(model.cluster_centers_, means, atol=1e-10)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"kernel": "circle"}, "kernel is 'circle'"),
        ({"floor": 0}, "floor is 0"),
        ({"n_clusters": 6}, "only 5 distinct rows"),
    ],
)
def test_bad_input(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        DynamicClouds(**({"n_clusters": 2} | arguments)).fit(np.eye(5))
