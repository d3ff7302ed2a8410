"""What the pictures of regressions draw."""

from __future__ import annotations

import numpy as np

from epee import AdditiveSplines, Lasso, LinearRegression, PolynomialRegression, Ridge, design, options
from epee.figures.projections import draw_biplot
from epee.figures.regression import plot_bands, plot_hierarchy, plot_path, plot_sample_sizes, spread_out

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


def test_lasso_paths_end_at_least_squares_and_keep_their_names():
    from pandas import DataFrame

    path = Lasso().path(DataFrame(X, columns=["a", "b", "c"]), z, eps=1e-6)
    assert path.dof[0] == 0 and path.dof[-1] == 3
    np.testing.assert_allclose(path.coef[-1], LinearRegression().fit(X, z).coef_, atol=1e-4)
    np.testing.assert_allclose(path.coef[30], Lasso(path.alphas[30], tol=1e-10).fit(X, z).coef_, atol=1e-6)
    assert {t.get_text() for t in path.plot().texts} == {"a", "b", "c"}


def test_labels_of_a_path_stand_apart():
    heights = np.sort(spread_out(np.array([0.0, 0.01, 0.02, 3.0, 3.0]), 0.5))
    assert (np.diff(heights) >= 0.5 - 1e-12).all()
    np.testing.assert_array_equal(spread_out(np.array([2.0, 0.0]), 1.0), [2.0, 0.0])


def test_models_of_frames_are_drawn_without_a_warning():
    from pandas import DataFrame

    frame = DataFrame(x, columns=["speed"])
    assert LinearRegression().fit(frame, y).plot(frame, y).get_xlabel() == "speed"  # warnings are errors here
    plot_hierarchy([PolynomialRegression(2).fit(frame, y)], frame, y)
    axes = AdditiveSplines().fit(DataFrame(X, columns=list("abc")), z).plot(DataFrame(X, columns=list("abc")))
    assert [ax.get_xlabel() for ax in np.ravel(axes)] == ["a", "b", "c"]


def test_every_picture_of_a_hierarchy_has_named_axes():
    axes = plot_hierarchy([PolynomialRegression(d).fit(x, y) for d in range(6)], x, y)
    assert axes.shape == (2, 4) and not axes[1, 2].axison and not axes[1, 3].axison
    assert axes[0, 0].get_ylabel() == axes[1, 0].get_ylabel() == "y"
    assert axes[1, 0].get_xlabel() == axes[0, 2].get_xlabel() == "x" and axes[0, 0].get_xlabel() == ""


def test_arrows_of_a_biplot_lie_inside_it():
    scores = np.column_stack([np.linspace(-3, 3, 20), 0.1 * np.ones(20)])
    ax = draw_biplot(scores, np.array([[0.1, 0.9], [0.9, 0.1]]), ["up", "right"])
    tips = [t.xy for t in ax.texts if t.get_text() == ""]
    low, high = ax.get_ylim()
    assert len(tips) == 2 and all(low < tip[1] < high for tip in tips)
