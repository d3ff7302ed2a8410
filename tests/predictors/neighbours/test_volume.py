"""Densities from counts and volumes, and the link between Bayes' rule and the nearest neighbour."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from epee import KNeighborsClassifier
from epee.errors import WrongUse
from epee.predictors.neighbours.volume import NeighborDensity, edge_length, log_ball_volume

rng = np.random.default_rng(0)


def test_volumes_of_balls():
    np.testing.assert_allclose(np.exp([log_ball_volume(p) for p in (1, 2, 3)]), [2, np.pi, 4 / 3 * np.pi])
    np.testing.assert_allclose(np.exp([log_ball_volume(p, "manhattan") for p in (1, 2)]), [2, 2])


def test_a_fixed_radius_integrates_to_one():
    density = NeighborDensity(radius=0.3).fit(rng.normal(size=(40, 1)))
    grid = np.linspace(-6, 6, 40_001)[:, None]
    total = np.exp(density.score_samples(grid)).sum() * (grid[1, 0] - grid[0, 0])
    assert total == pytest.approx(1, abs=1e-3)
    assert quad(lambda x: np.exp(density.score_samples([[x]])[0]), 9, 10)[0] == 0


@pytest.mark.parametrize("metric", ["euclidean", "chebyshev", "manhattan"])
def test_it_finds_a_uniform_density(metric):
    X = rng.uniform(size=(4000, 2))
    for density in (NeighborDensity(100, metric=metric), NeighborDensity(radius=0.1, metric=metric)):
        found = np.exp(density.fit(X).score_samples(rng.uniform(0.3, 0.7, size=(50, 2))))
        np.testing.assert_allclose(found.mean(), 1, atol=0.1)


def test_bayes_with_the_smallest_balls_is_the_nearest_neighbour():
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 3, 80)
    Q = rng.normal(size=(200, 3))
    scores = [
        NeighborDensity(1).fit(X[y == k]).score_samples(Q) + np.log((y == k).mean()) for k in range(3)
    ]  # log density + log prior
    np.testing.assert_array_equal(np.argmax(scores, axis=0), KNeighborsClassifier(1).fit(X, y).predict(Q))


def test_weights_are_counts():
    X, w = rng.normal(size=(30, 2)), rng.integers(0, 4, 30)
    for density in (NeighborDensity(7), NeighborDensity(radius=0.5)):
        a = density.fit(X, sample_weight=w).score_samples(X)
        b = density.fit(np.repeat(X, w, axis=0)).score_samples(X)
        np.testing.assert_allclose(a, b)


def test_the_curse():
    assert edge_length(0.01, 10) == pytest.approx(0.63, abs=0.005)
    assert edge_length(0.01, 1) == 0.01
    from epee.figures.neighbours import plot_curse, plot_neighbour_errors

    ax = plot_curse()
    assert len(ax.lines) == 11
    assert ax.lines[9].get_ydata()[-1] == pytest.approx(0.6**0.1)
    assert "k = 2" in plot_neighbour_errors([1, 2, 3], [0.2, 0.1, 0.3]).get_legend().get_texts()[0].get_text()


def test_sentences():
    with pytest.raises(WrongUse, match="radius"):
        NeighborDensity(radius=-1).fit([[0.0]])
    with pytest.raises(ValueError, match="n_neighbors = 10, n_samples = 2"):
        NeighborDensity().fit([[0.0], [1.0]])
