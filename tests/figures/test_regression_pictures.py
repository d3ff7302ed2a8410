"""What the pictures of regressions draw."""

from __future__ import annotations

import numpy as np

from epee import LinearRegression, PolynomialRegression, Ridge, design, options
from epee.figures.regression import plot_bands, plot_hierarchy, plot_path, plot_sample_sizes

rng = np.random.default_rng(0)
x = rng.uniform(size=(30, 1))
y = np.sin(6 * x[:, 0]) + 0.1 * rng.normal(size=30)
X = rng.normal(size=(40, 3))
z = X @ [1.0, 2.0, 0.0] + rng.normal(size=40)


def test_fit_with_bands():
    model = PolynomialRegression(3).fit(x, y)
    ax = model.plot(x, y, level=0.9)
    assert len(ax.collections) == 2  # two bands
    grid, curve = ax.lines[1].get_data()
    np.testing.assert_allclose(curve, model.predict(np.asarray(grid)[:, None]))
    assert {t.get_text() for t in ax.get_legend().get_texts()} == {"fit", "prediction, 90 %", "mean, 90 %"}
    many = LinearRegression().fit(X, z).plot(X, z)
    assert many.get_xlabel() == "predicted"


def test_paths_end_at_least_squares():
    path = Ridge().path(X, z)
    ax = path.plot()
    ends = [line.get_ydata()[-1] for line in ax.lines[:3]]
    np.testing.assert_allclose(ends, LinearRegression().fit(X, z).coef_, rtol=1e-2)
    assert plot_path(path, against="alpha", chosen=1.0).get_xscale() == "log"


def test_hierarchy_and_sample_sizes():
    models = [PolynomialRegression(d).fit(x, y) for d in (0, 1, 5)]
    axes = plot_hierarchy(models, x, y, truth=np.sin)
    assert [ax.get_title() for ax in np.ravel(axes)] == ["degree 0", "degree 1", "degree 5"]
    axes = plot_sample_sizes(models[:2], [(x[:10], y[:10]), (x, y)])
    assert [ax.get_title() for ax in np.ravel(axes)] == ["10 rows", "30 rows"]


def test_diagnostics_speak_french():
    with options(language="fr"):
        axes = LinearRegression().fit(X, z).plot_diagnostics(X, z)
    assert np.ravel(axes)[3].get_xlabel() == "levier"
    assert len(np.ravel(axes)[3].texts) == 3  # the three largest distances


def test_shrinking_band():
    grid = np.column_stack([np.ones(50), np.linspace(-1, 1, 50)])
    ax = plot_bands({"few": grid[design.select(grid, 3)], "many": grid}, grid)
    few, many = (line.get_ydata() for line in ax.lines if len(line.get_ydata()) == 50 and line.get_linestyle() == "-")
    assert (many < few).all()
