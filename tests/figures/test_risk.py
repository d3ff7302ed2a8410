"""Every result draws; what the pictures show is what the results hold."""

from __future__ import annotations

import numpy as np
import pytest

from epee import GaussianNB, KNeighborsRegressor, LinearDiscriminantAnalysis, LinearRegression, Ridge, options
from epee.errors import WrongUse
from epee.figures.style import COLOURS, new_axes, new_grid
from epee.risk import (
    average_precision,
    bias_variance,
    bic,
    brier,
    compare,
    complexity_curve,
    conformal,
    confusion_matrix,
    cross_validate,
    f1,
    holdout_error,
    importance,
    learning_curve,
    loo,
    plot_regions,
    roc_auc,
)


@pytest.fixture
def clouds():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    return rng.normal(size=(120, 2)) + 1.2 * y[:, None], np.where(y, "b", "a")


@pytest.fixture
def line():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    return X, X[:, 0] + rng.normal(size=80)


def words(ax):
    return " ".join(
        t.get_text()
        for t in [ax.title, ax.xaxis.label, ax.yaxis.label, *(ax.get_legend().get_texts() if ax.get_legend() else [])]
    )


def test_folds(clouds):
    cv = cross_validate(LinearDiscriminantAnalysis(), *clouds)
    ax = cv.plot()
    drawn = np.concatenate([line.get_ydata() for line in ax.lines if line.get_marker() == "o"])
    np.testing.assert_allclose(np.sort(drawn), np.sort(cv.per_fold))
    assert str(cv) in ax.get_title()
    assert loo(LinearDiscriminantAnalysis(), *clouds).plot() is not None
    assert cross_validate(LinearDiscriminantAnalysis(), *clouds, repeats=2, interval="nested").plot() is not None


def test_complexity_marks_best_and_chosen(line):
    curve = complexity_curve(Ridge(), *line, "alpha", [0.1, 1.0, 10.0, 100.0])
    ax = curve.plot()
    assert (
        "one standard error" in words(ax)
        and "degrees of freedom" in words(ax)
        and f"chosen: {curve.chosen:.3g}" in words(ax)
    )
    level = next(line for line in ax.lines if line.get_linestyle() == "--").get_ydata()[0]
    assert level == pytest.approx(curve.cv.min() + curve.stderr[curve.best_index])
    plain = complexity_curve(KNeighborsRegressor(), *line, "n_neighbors", [1, 5, 60], simpler="larger").plot()
    assert plain.get_xlabel() in ("n_neighbors", "effective degrees of freedom")


def test_comparison(clouds):
    found = compare({"one": LinearDiscriminantAnalysis(), "two": GaussianNB()}, *clouds, repeats=2)
    left, right = found.plot()
    assert [t.get_text() for t in left.get_yticklabels()] == [row["name"] for row in found.table]
    assert any("p = " in t.get_text() for t in right.texts)


def test_bias_variance():
    found = bias_variance(KNeighborsRegressor(3), np.sin, noise=0.2, x=np.linspace(0, 3, 8), n=20, repeats=10)
    ax = found.plot()
    assert len(ax.collections) == 3 and "bias²" in words(ax)
    flat = bias_variance(
        LinearRegression(),
        lambda X: X.sum(axis=1),
        noise=0.2,
        x=np.ones((3, 2)),
        inputs=np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [2, 1]]),
        repeats=5,
    )
    assert len(flat.plot().patches) == 3
    labels = bias_variance(
        LinearDiscriminantAnalysis(),
        lambda X: (X[:, 0] > 1) * 0.8 + 0.1,
        x=np.linspace(0, 2, 5),
        n=20,
        repeats=10,
        loss="zero_one",
    )
    assert "bias" in words(labels.plot())


def test_learning_curve(line):
    assert "extrapolation" in words(learning_curve(LinearRegression(), *line).plot())
    assert "extrapolation" not in words(learning_curve(LinearRegression(), *line, sizes=2).plot())


def test_scores(clouds):
    X, y = clouds
    model, held = LinearDiscriminantAnalysis().fit(X[:60], y[:60]), (X[60:], y[60:])
    assert "chance" in words(roc_auc(model, *held).plot())
    assert "precision" in words(average_precision(model, *held, draws=5).plot())
    assert "observed frequency" in words(brier(model, *held).plot())
    assert f1(model, *held).plot() is not None and holdout_error(model, *held).plot() is not None
    assert len(confusion_matrix(model, *held).plot().texts) == 4


def test_the_others(line, clouds):
    X, y = line
    assert len(importance(LinearRegression(), X, y, repeats=2).plot().get_yticklabels()) == 2
    assert conformal(LinearRegression(), X, y).plot(X, y) is not None
    assert "BIC" in words(bic([Ridge(0.1), Ridge(10.0)], X, y).plot())
    ax = plot_regions(LinearDiscriminantAnalysis().fit(*clouds), *clouds)
    assert words(ax).split()[-3:] == ["a", "b", "wrong"]
    with pytest.raises(WrongUse, match="LinearRegression predicts numbers"):
        plot_regions(LinearRegression().fit(X, y), X)


def test_what_is_rejected_is_named_and_not_wrong(clouds):
    from epee import BayesDecision

    X, y = clouds
    model = BayesDecision(LinearDiscriminantAnalysis(), reject_cost=0.3).fit(X, y)
    ax = plot_regions(model, X, y)
    assert words(ax).split()[-4:] == ["a", "b", "wrong", "reject"]
    rings = ax.collections[[c.get_label() for c in ax.collections].index("wrong")]
    said = model.predict(X)
    assert len(rings.get_offsets()) == ((said != y) & (said != "reject")).sum()


def test_labels_stay_inside_the_picture(line):
    """The p-values of a comparison, and the title of a learning curve."""
    X, y = line
    left, right = compare({"line": LinearRegression(), "flat": Ridge(1e4)}, X, y, repeats=2).plot()
    right.figure.canvas.draw()
    edge = right.figure.get_window_extent().x1
    assert all(text.get_window_extent().x1 <= edge for text in right.texts)
    ax = learning_curve(LinearRegression(), X, y, random_state=0).plot()
    ax.figure.canvas.draw()
    title, whole = ax.title.get_window_extent(), ax.figure.get_window_extent()
    assert whole.x0 <= title.x0 and title.x1 <= whole.x1


def test_regions_of_a_frame(clouds):
    import pandas as pd

    X, y = clouds
    frame = pd.DataFrame(X, columns=["width", "height"])
    ax = plot_regions(LinearDiscriminantAnalysis().fit(frame, y), frame)
    assert ax.get_xlabel() == "width"


def test_french(line):
    options.language = "fr"
    assert "erreur de validation croisée" in words(complexity_curve(Ridge(), *line, "alpha", [0.1, 1.0]).plot())


def test_one_look():
    ax = new_axes(xlabel="x")
    assert not ax.spines["top"].get_visible() and len(set(COLOURS)) == len(COLOURS)
    given = new_grid(1, 2)[0, 1]
    assert new_axes(given) is given
