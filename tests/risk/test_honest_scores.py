"""Do the intervals of figures of merit hold on laws with few positives, skewed errors and heavy tails? Nominal 95 %."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from epee import LinearDiscriminantAnalysis
from epee.risk import average_precision, brier, f1, holdout_error, importance, r2, roc_auc
from epee.risk.ranking import area, area_interval, precision_over_recall, score_interval


class FirstColumn(ClassifierMixin, BaseEstimator):
    """Ranks by the first column, decides above 1/2."""

    def __init__(self):
        self.classes_ = np.array([0, 1])

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-X[:, 0]))
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return (X[:, 0] > 0.5).astype(int)


class FirstNumber(RegressorMixin, BaseEstimator):
    """Predicts the first column."""

    def __init__(self):
        self.fitted_ = True

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


def coverage(draw, simulations=200):
    held = safe = 0
    for s in range(simulations):
        found, truth = draw(np.random.default_rng([6, s]))
        low, high = found[:2] if isinstance(found, tuple) else (found.low, found.high)
        inside = low <= truth <= high
        held, safe = held + inside, safe + (inside or bool(getattr(found, "caution", "")))
    return held / simulations, safe / simulations


LEAST = 0.95 - 0.02 - 2.5 * np.sqrt(0.0475 / 200)


@pytest.mark.parametrize(("P", "n"), [(3, 100), (15, 500)])
@pytest.mark.parametrize("gap", [0.5, 2.5])
def test_area_with_few_positives(P, n, gap):
    y = np.repeat([1, 0], [P, n - P])

    def draw(rng):
        return roc_auc(FirstColumn(), rng.normal(size=(n, 1)) + gap * y[:, None], y), ndtr(gap / np.sqrt(2))

    assert coverage(draw)[0] > LEAST


def test_area_agrees_with_its_definition_and_a_perfect_ranking_is_no_certainty():
    rng = np.random.default_rng(0)
    s, positive = rng.integers(0, 5, 30).astype(float), rng.random(30) < 0.4
    pairs = np.sign(s[positive][:, None] - s[~positive])
    assert area(s, positive, np.ones(30))[0] == pytest.approx((pairs.mean() + 1) / 2)
    assert area_interval(1.0, 0.0, 2.0, 3.0, 97.0, 0.95).low < 0.8 and score_interval(1.0, 10, 10, 0.95).high == 1


def test_average_precision_counts_less_of_itself():
    assert precision_over_recall(np.array([1.0]), np.array([3.0])) == 0.25
    assert precision_over_recall(np.array([1.0]), np.array([3.0]), own=0.5) == pytest.approx(0.5 / 3.5)
    y = np.repeat([1, 0], [4, 60])
    found = average_precision(FirstColumn(), np.random.default_rng(0).normal(size=(64, 1)) + y[:, None], y, draws=20)
    assert "4 rows" in found.caution and found.low <= found.value <= found.high


def test_average_precision_with_few_others():
    """Nine rows of ten are positive: the figure hangs on the places of six rows, as many as make the error bar."""

    def draw(rng):
        y = np.append((rng.random(58) < 0.9).astype(int), [0, 1])
        return average_precision(
            FirstColumn(), rng.normal(size=(60, 1)) + y[:, None], y, random_state=int(rng.integers(99))
        ), truth

    y = np.repeat([1, 0], [180_000, 20_000])
    truth = average_precision(
        FirstColumn(), np.random.default_rng(1).normal(size=(200_000, 1)) + y[:, None], y, draws=2
    ).value
    assert coverage(draw)[0] > LEAST and "not of the class" in draw(np.random.default_rng(0))[0].caution


@pytest.mark.parametrize(("rate", "n"), [(0.05, 200), (0.3, 100)])
def test_f1(rate, n):
    def draw(rng):
        y = (rng.random(n) < rate).astype(int)
        y[0] = 1
        a, b = ndtr(0.5), ndtr(-0.5)
        truth = 2 * a * rate / (2 * a * rate + b * (1 - rate) + (1 - a) * rate)
        return f1(FirstColumn(), rng.normal(size=(n, 1)) + y[:, None], y), truth

    assert coverage(draw)[0] > LEAST


@pytest.mark.parametrize(
    ("noise", "variance"), [(lambda r, n: r.normal(size=n), 1.0), (lambda r, n: r.standard_t(3, n), 3.0)]
)
def test_r2_is_covered_or_says_why_not(noise, variance):
    def draw(rng, n=100):
        X = rng.normal(size=(n, 1))
        return r2(FirstNumber(), X, X[:, 0] + noise(rng, n)), 1 - variance / (1 + variance)

    assert coverage(draw)[1] > LEAST


def test_importance_knows_both_sources_of_spread():
    def draw(rng, n=60):
        X = rng.normal(size=(n, 2))
        found = importance(FirstNumber(), X, X[:, 0] + rng.normal(size=n), repeats=5)
        return (found.low[0], found.high[0]), 2.0

    assert coverage(draw)[0] > LEAST


def test_weights_groups_and_time_of_a_holdout():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 1))
    y = X[:, 0] + rng.normal(size=120)
    plain = holdout_error(FirstNumber(), X, y)
    tenfold = holdout_error(FirstNumber(), X, y, sample_weight=np.full(120, 10.0), weights="sampling")
    small = holdout_error(FirstNumber(), X, y, sample_weight=np.full(120, 1 / 120))
    np.testing.assert_allclose([tenfold.stderr, small.stderr], plain.stderr)
    assert tenfold.n == pytest.approx(120) and small.n == pytest.approx(120) and "sampling" in small.how
    counted = holdout_error(FirstNumber(), X, y, sample_weight=np.full(120, 10.0))
    assert counted.n == 1200 and counted.stderr < plain.stderr / 3
    twice = holdout_error(FirstNumber(), np.repeat(X, 4, axis=0), np.repeat(y, 4), groups=np.repeat(np.arange(120), 4))
    np.testing.assert_allclose(twice.interval, plain.interval)
    assert "120 groups" in twice.how and "time" in holdout_error(FirstNumber(), X, y, time=True).how
    np.testing.assert_allclose(plain.at(0.95).interval, plain.interval)


def test_a_level_asked_later_keeps_the_method():
    y = np.zeros(40, dtype=int)
    y[0] = 1
    X = np.where(y == 1, 2.0, -2.0)[:, None] + np.random.default_rng(0).normal(size=(40, 1)) / 9
    found = holdout_error(FirstColumn(), X, y, level=0.95)
    assert found.value == 0 and found.at(0.9).interval == holdout_error(FirstColumn(), X, y, level=0.9).interval


def test_a_loss_of_probabilities_that_hardly_saw_a_class_says_so():
    y = np.repeat([0, 1], [40, 2])
    X = np.random.default_rng(0).normal(size=(42, 1))
    assert "Class 1 has 2" in holdout_error(FirstColumn(), X, y, loss="log").caution


def test_f1_of_three_classes_knows_that_a_mistake_counts_twice():
    """Independent classes would have intervals that cover 88 of 95 %: a row that is mistaken counts against two of them."""

    def draw(r, n=90):
        y = r.integers(0, 3, n)
        y[:3] = 0, 1, 2
        return r.normal(size=(n, 2)) + y[:, None] * [1.0, 0.5], y

    rows, labels = draw(np.random.default_rng(9), 20_500)
    model = LinearDiscriminantAnalysis().fit(rows[:500], labels[:500])
    truth = f1(model, rows[500:], labels[500:]).value
    held = [f1(model, *draw(np.random.default_rng([6, s]))) for s in range(200)]
    assert np.mean([found.low <= truth <= found.high for found in held]) > 0.91
    one = held[0]
    assert one.at(0.5).low > one.at(0.8).low > one.low


FIGURES = [roc_auc, average_precision, brier, f1, r2]


def kin(figure, seed, each, n=150):
    """Rows of ``each`` to a patient, which share his class and most of his score; the figure, and how it is asked."""
    rng = np.random.default_rng(seed)
    whose = np.repeat(np.arange(n // each), each)
    y = (rng.random(n // each) < 0.4).astype(int)[whose]
    x = 0.9 * rng.normal(size=n // each)[whose] + 0.45 * rng.normal(size=n) + 1.2 * y
    if figure is r2:
        y = x + rng.normal(size=n // each)[whose] + 0.3 * rng.normal(size=n)
    model = FirstNumber() if figure is r2 else FirstColumn()
    return lambda **told: figure(model, x[:, None], y, **told), whose


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.__name__)
class TestRowsThatBelongTogether:
    def test_are_found(self, figure):
        found = [kin(figure, seed, 5)[0]() for seed in range(5)]
        alone = [kin(figure, seed, 1)[0]() for seed in range(5)]
        assert sum(bool(f.kin) for f in found) >= 4
        assert not any(f.kin for f in alone)

    def test_lengthen_the_interval_and_stay_in_range(self, figure):
        ask, whose = kin(figure, 3, 5)
        found, declared, rows = ask(), ask(groups=whose), ask(groups=np.arange(len(whose)))
        assert found.high - found.low > 1.2 * (rows.high - rows.low)
        assert declared.stderr > 1.2 * rows.stderr
        assert declared.how.endswith("error bar from 30 groups") and not declared.kin
        wide = found.at(0.999)
        assert wide.low <= found.low and wide.high >= found.high and wide.high <= 1.0
        assert wide.low >= 0 or figure is r2

    def test_groups_of_one_row_are_rows(self, figure):
        rng = np.random.default_rng(5)
        ask, whose = kin(figure, 5, 1)
        plain, each, again = ask(), ask(groups=rng.permutation(len(whose))), ask(time=True)
        assert (plain.value, plain.stderr) == pytest.approx((each.value, each.stderr))
        assert (plain.low, plain.high) == pytest.approx((each.low, each.high), abs=0.01)  # Student's law
        assert again.how.endswith("error bar for rows in time")


def test_the_influence_on_average_precision_is_its_derivative():
    from epee.risk.ranking import precision_over_recall
    from epee.risk.scores import _curve, _pull_of_precision

    rng = np.random.default_rng(0)
    y = rng.random(40) < 0.4
    s, w, step = np.round(rng.normal(size=40) + y, 1), rng.integers(1, 4, 40).astype(float), 1e-6  # with ties
    figure = [precision_over_recall(*_curve(s, y, w + step * (np.arange(40) == j))) for j in range(41)]
    slopes = (np.array(figure[:40]) - figure[40]) / step * w.sum()
    np.testing.assert_allclose(_pull_of_precision(s, y, w), slopes, atol=1e-4)


@pytest.mark.parametrize("figure", [roc_auc, f1])
def test_figures_in_time_say_how_few_stretches_carry_them(figure):
    """A score that is wrong in runs of twenty is judged by few stretches; one that is wrong here and there by rows."""
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 200)
    runs = np.repeat(rng.random(10) < 0.3, 20)
    said = {}
    for name, wrong in (("runs", runs), ("scattered", rng.permutation(runs))):
        X = (rng.normal(size=200) + 2.0 * np.where(wrong, 1 - y, y))[:, None]
        said[name] = figure(FirstColumn(), X, y, time=True).caution
    assert said["runs"] and not said["scattered"]
