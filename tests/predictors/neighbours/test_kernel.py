"""Kernel regression: definition, limits, exact leave-one-out."""

from __future__ import annotations

import numpy as np
import pytest

from epee import KernelRegression
from epee.errors import SearchWarning, WrongUse
from epee.predictors.neighbours.kernel import KERNELS, profile

rng = np.random.default_rng(0)
X = rng.uniform(size=(60, 2))
y = np.sin(4 * X[:, 0]) + 0.1 * rng.normal(size=60)


@pytest.mark.parametrize("kernel", KERNELS)
def test_it_is_the_weighted_mean_of_its_definition(kernel):
    Q = rng.uniform(size=(20, 2))
    K = profile(kernel, ((Q[:, None] - X) ** 2).sum(axis=2) / 0.4**2)
    model = KernelRegression(0.4, kernel=kernel).fit(X, y)
    np.testing.assert_allclose(model.predict(Q), K @ y / K.sum(axis=1), rtol=1e-9)
    assert 1 < model.effective_dof_ < 60


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("h", [0.02, 0.3])
def test_left_out_predictions_are_those_of_refits(kernel, h):
    left = KernelRegression(h, kernel=kernel).left_out(X, y)
    for i in range(0, 60, 7):
        rest = np.arange(60) != i
        np.testing.assert_allclose(
            left[i], KernelRegression(h, kernel=kernel).fit(X[rest], y[rest]).predict(X[i : i + 1])[0], rtol=1e-7
        )


def test_a_path_of_bandwidths_is_its_members():
    grid = 0.8 * 2.0 ** (-0.25 * np.arange(12))
    path = KernelRegression().left_out_path(X, y, None, "bandwidth", grid)
    for h, row in zip(grid, path):
        np.testing.assert_allclose(row, KernelRegression(h).left_out(X, y), rtol=1e-8)


def test_limits():
    np.testing.assert_allclose(KernelRegression(1e6).fit(X, y).predict(X), y.mean())
    np.testing.assert_allclose(KernelRegression(1e-6).fit(X, y).predict(X), y)
    far = np.array([[100.0, 100.0]])
    nearest = y[np.argmin(((X - far) ** 2).sum(axis=1))]
    for kernel in ("gaussian", "epanechnikov", "tophat"):
        np.testing.assert_allclose(KernelRegression(0.05, kernel=kernel).fit(X, y).predict(far), nearest)


def test_the_chosen_bandwidth_has_the_smallest_error():
    model = KernelRegression().fit(X, y)
    assert model.loo_.min() == model.loo_[model.bandwidths_ == model.bandwidth_][0]
    again = KernelRegression(model.bandwidth_).left_out(X, y)
    np.testing.assert_allclose(np.mean((again - y) ** 2), model.loo_.min())


def test_weights_are_counts():
    w = rng.integers(0, 3, 60)
    again = np.repeat(np.arange(60), w)
    a, b = KernelRegression().fit(X, y, w), KernelRegression().fit(X[again], y[again])
    assert a.bandwidth_ == pytest.approx(b.bandwidth_)
    np.testing.assert_allclose(a.predict(X), b.predict(X))


def test_several_targets():
    Y = np.column_stack([y, -2 * y])
    two = KernelRegression(0.2).fit(X, Y).predict(X)
    np.testing.assert_allclose(two[:, 1], -2 * two[:, 0])


def test_sentences():
    with pytest.raises(WrongUse, match="bandwidth is"):
        KernelRegression(-1.0).fit(X, y)
    with pytest.raises(WrongUse, match="kernel is 'box'"):
        KernelRegression(kernel="box").fit(X, y)
    with pytest.warns(SearchWarning, match="try smaller"):
        KernelRegression(bandwidths=[2.0, 3.0]).fit(X, y)
