"""Learning curves: each point is a fit on fewer rows; the extrapolation finds a power law."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

from epee import KNeighborsClassifier, LinearDiscriminantAnalysis, LinearRegression, Ridge, options
from epee.errors import DataError, DataWarning, WrongUse
from epee.risk import cross_validate, learning_curve
from epee.risk.curves import LearningCurve

rng = np.random.default_rng(0)


@pytest.fixture
def line():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    return X, X[:, 0] + rng.normal(size=300)


def test_both_routes_agree(line):
    from sklearn.linear_model import LinearRegression as Theirs

    ours, theirs = (learning_curve(m, *line, sizes=5, folds=5) for m in (LinearRegression(), Theirs()))
    for name in ("sizes", "train", "test", "stderr"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8)
    assert ours.sizes[-1] == pytest.approx(240) and (np.diff(ours.sizes) > 0).all()


def test_more_rows_help(line):
    curve = learning_curve(LinearRegression(), *line)
    assert curve.test[0] > curve.test[-1] and curve.train[0] < curve.train[-1] < curve.test[-1]
    full = learning_curve(LinearRegression(), *line, sizes=[1.0])
    assert full.test[0] == pytest.approx(curve.test[-1])


def test_sizes_and_groups(line):
    X, y = line
    curve = learning_curve(LinearRegression(), X, y, sizes=[60, 120, 240], folds=5)
    np.testing.assert_allclose(curve.sizes, [60, 120, 240], atol=6)
    grouped = learning_curve(LinearRegression(), X, y, sizes=3, folds=5, groups=np.arange(300) // 6)
    assert len(grouped.sizes) == 3
    labels = learning_curve(LinearDiscriminantAnalysis(), X, (y > 0).astype(int), sizes=3)
    assert labels.loss == "zero_one" and (labels.test < 0.5).all()


def made(a=0.1, b=2.0, c=0.8, noise=0.002, K=10, seed=0):
    sizes = np.geomspace(50, 2000, 9)
    truth = a + b * sizes**-c
    per_fold = truth[:, None] + noise * np.random.default_rng(seed).normal(size=(9, K))
    return LearningCurve(
        sizes,
        truth / 2,
        per_fold.mean(axis=1),
        per_fold.std(axis=1, ddof=1) / np.sqrt(K),
        per_fold,
        "zero_one",
        0.95,
        "made",
    )


def test_extrapolation_finds_the_law():
    found = made(noise=1e-5).extrapolate(8000)
    assert found.value == pytest.approx(0.1 + 2 * 8000**-0.8, rel=0.01) and found.low < found.value < found.high
    held = [abs(made(seed=s).extrapolate(8000).value - (0.1 + 2 * 8000**-0.8)) < 0.004 for s in range(10)]
    assert np.mean(held) >= 0.8


def test_verdict_says_what_more_rows_bring():
    assert "With twice the rows (4,000)" in made().verdict
    options.language = "fr"
    assert "deux fois plus de lignes" in made().verdict


def test_bad_input(line):
    for sizes, sentence in (([0.0], "positive"), ([500], "270 rows"), (0, "at least one")):
        with pytest.raises(WrongUse, match=sentence):
            learning_curve(LinearRegression(), *line, sizes=sizes)
    with pytest.raises(WrongUse, match="at least 4 sizes"):
        learning_curve(LinearRegression(), *line, sizes=2).extrapolate(1000)
    with pytest.raises(WrongUse, match="positive number"):
        made().extrapolate(0)


def test_sizes_of_our_choice_begin_where_the_model_can_be_fitted(line):
    X, y = line[0], np.digitize(line[1], [-0.5, 0.5])
    with pytest.warns(DataWarning, match="the curve begins at .* cannot be fitted on fewer"):
        curve = learning_curve(KNeighborsClassifier(40), X, y, sizes=4, folds=5, random_state=0)
    assert curve.sizes[0] >= 40
    assert np.isfinite(curve.test).all()
    with pytest.raises(DataError, match="n_neighbors"):
        learning_curve(KNeighborsClassifier(40), X, y, sizes=[20, 200], folds=5, random_state=0)
    with pytest.raises(DataError, match="n_neighbors"):
        learning_curve(KNeighborsClassifier(400), X, y, folds=5, random_state=0)


def test_an_extrapolated_error_has_the_shape_of_the_losses():
    """Squares of skewed errors miss large means more often than small ones: the upper end is farther away, and a caution says more."""
    r = np.random.default_rng(0)
    X = r.normal(size=(80, 3))
    found = learning_curve(LinearRegression(), X, X.sum(axis=1) + r.exponential(size=80) ** 1.5).extrapolate(160)
    assert found.high - found.value > 1.5 * (found.value - found.low) and found.caution
    assert found.at(0.5).high < found.at(0.8).high < found.high


def test_few_rows_a_column_have_no_extrapolation_that_is_trusted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 30))
    y = 0.3 * X.sum(axis=1) + rng.normal(size=120)
    few, enough = learning_curve(Ridge(5.0), X[:60], y[:60]), learning_curve(Ridge(5.0), X[:, :6], y)
    assert "54 training rows for 30 columns" in few.extrapolate(120).caution and not enough.extrapolate(240).caution
    assert "training rows" not in few.extrapolate(40).caution
    assert few.extrapolate(120).at(0.5).caution == few.extrapolate(120).caution


def test_more_columns_than_rows_are_steep_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 80))
    y = X.sum(axis=1) / 9 + rng.normal(size=60)
    found = learning_curve(Ridge(1e-8), X, y)
    assert "54 training rows for 80 columns" in found.extrapolate(120).caution
    assert "training rows" not in found.extrapolate(50).caution
    labels = learning_curve(KNeighborsClassifier(), X, (y > 0).astype(int))
    assert not labels.extrapolate(120).caution  # which fits no column


def test_a_rare_class_is_learned_at_every_size():
    """It is dealt to cells that follow each other: samples of these in turn held none of it up to half the rows, and lost 700 a row."""
    rng = np.random.default_rng(6)
    y = rng.permutation(np.repeat(np.arange(4), (110, 50, 30, 10)))
    X = rng.normal(size=(200, 3)) + 1.5 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]])[y]
    curve = learning_curve(LinearDiscriminantAnalysis(), X, y, loss="log", random_state=0)
    assert curve.begins == 0 and len(curve.sizes) == 10 and curve.test.max() < 3
    then = curve.extrapolate(400)
    assert 0.6 < then.value < curve.test[-1] + 0.05 and not then.caution
    given = learning_curve(
        LinearDiscriminantAnalysis(), X, y, loss="log", sizes=[8, 12, 40, 80, 120, 180], random_state=0
    )
    assert given.begins and given.test[0] > 3 > given.extrapolate(400).value > 0.6


@pytest.mark.filterwarnings("ignore::epee.errors.DataWarning")
def test_a_class_that_most_samples_miss_is_said():
    rng = np.random.default_rng(7)
    y = np.repeat([0, 1, 2], (60, 60, 2))
    X = rng.normal(size=(122, 2)) + y[:, None]
    curve = learning_curve(LinearDiscriminantAnalysis(), X, y, sizes=[0.1, 0.2, 0.4, 0.6, 0.8], loss="log")
    assert "miss a class" in curve.extrapolate(250).caution


@pytest.mark.parametrize("gap", [0, 3])
def test_the_largest_samples_of_the_past_are_forward_chaining(line, gap):
    """All that came before is what cross-validation in time learns from: the same error, and the same error bar."""
    X, y = line
    when = rng.permutation(300) // 2
    curve = learning_curve(LinearRegression(), X, y, time=when, gap=gap, folds=6)
    whole = cross_validate(LinearRegression(), X, y, time=when, gap=gap, folds=6)
    np.testing.assert_allclose(curve.per_fold[-1], whole.per_fold)
    assert curve.test[-1] == pytest.approx(float(whole)) and curve.stderr[-1] == pytest.approx(whole.stderr)
    assert curve.how.startswith(whole.how.partition(", error bar")[0]) and len(curve.sizes) == 10
    assert curve.test[0] > curve.test[-1] and curve.train[0] < curve.train[-1]


def test_both_routes_agree_on_samples_of_the_past(line):
    from sklearn.linear_model import LinearRegression as Theirs

    ours, theirs = (learning_curve(m, *line, sizes=5, folds=5, time=True) for m in (LinearRegression(), Theirs()))
    for name in ("sizes", "train", "test", "stderr"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8)


def test_small_samples_are_the_latest_rows():
    """Where the law turns halfway, the latest rows before a stretch teach more than all of them."""
    n = 600
    x = rng.normal(size=(n, 1))
    y = np.where(np.arange(n) < 150, -3, 3) * x[:, 0] + 0.1 * rng.normal(size=n)
    table = pd.DataFrame({"x": x[:, 0], "y": y, "when": np.arange(n)})
    curve = learning_curve(LinearRegression(), table, "y", time="when", sizes=[0.2, 1.0])
    assert curve.test[0] < curve.test[1] / 5
    for share, size in zip((0.2, 1.0), curve.sizes, strict=True):
        assert size == pytest.approx(share * np.mean(200 + 40 * np.arange(10)), abs=3)


def test_an_extrapolation_in_time_has_the_error_bar_of_its_rows():
    n = 500
    X = rng.normal(size=(n, 3))
    drift = lfilter([0.6], [1, -0.8], rng.normal(size=n))
    curve = learning_curve(LinearRegression(), X, X[:, 0] + drift, time=True)
    then = curve.extrapolate(1000)
    whole = cross_validate(LinearRegression(), X, X[:, 0] + drift, time=True)
    assert then.stderr >= 0.99 * whole.stderr and then.low < drift.var() < then.high
    with pytest.raises(WrongUse, match="give time, too"):
        learning_curve(LinearRegression(), X, drift, gap=1)
