"""What weights mean, wherever an interval is printed: counts are rows, and the scale of sampling weights means nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from epee import GaussianNB, LinearDiscriminantAnalysis, LinearRegression, Ridge
from epee.errors import WrongUse
from epee.risk import (
    average_precision,
    brier,
    complexity_curve,
    confusion_matrix,
    cross_validate,
    f1,
    holdout_error,
    importance,
    learning_curve,
    loo,
    r2,
    roc_auc,
)

SCORES = [roc_auc, average_precision, brier, f1, r2, holdout_error]


def table(n: int = 90, classes: bool = True):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 2))
    y = X[:, 0] + rng.normal(size=n)
    return X, (y > 0).astype(int) if classes else y, rng


def held(score):
    """A fitted model, and rows that it did not see with counts from 0 to 3."""
    X, y, rng = table(classes=score is not r2)
    model = LinearRegression() if score is r2 else LinearDiscriminantAnalysis()
    return model.fit(X[:30], y[:30]), X[30:], y[30:], rng.integers(0, 4, 60).astype(float)


def ends(found) -> list[float]:
    return [found.value, found.stderr, found.low, found.high, found.n]


@pytest.mark.parametrize("score", SCORES, ids=lambda s: s.__name__)
class TestScores:
    def test_counts_are_rows(self, score):
        model, X, y, w = held(score)
        long = np.repeat(np.arange(len(y)), w.astype(int))
        each = np.arange(len(long))  # they are no copies of one row
        found, long = score(model, X, y, sample_weight=w), score(model, X[long], y[long], groups=each)
        alike = 0.3 if score is average_precision else 1e-9  # whose error bar is drawn
        assert ends(found) == pytest.approx(ends(long), rel=alike)
        assert found.how.endswith("weights taken as counts")

    def test_the_scale_of_sampling_weights_means_nothing(self, score):
        model, X, y, w = held(score)
        said = [score(model, X, y, sample_weight=w * c, weights="sampling") for c in (1.0, 10.0, 1 / w.sum())]
        for other in said[1:]:
            assert ends(said[0]) == pytest.approx(ends(other))
        assert said[0].how.endswith("weights taken as sampling weights")
        assert said[0].n == pytest.approx(w.sum() ** 2 / (w @ w))
        assert ends(said[0].at(0.5)) == pytest.approx(ends(said[2].at(0.5)))

    def test_equal_sampling_weights_are_none(self, score):
        model, X, y, _ = held(score)
        assert ends(score(model, X, y, sample_weight=np.full(60, 7.0), weights="sampling")) == pytest.approx(
            ends(score(model, X, y))
        )

    def test_shares_are_no_counts(self, score):
        model, X, y, w = held(score)
        with pytest.raises(WrongUse, match="add up to 1: they are shares"):
            score(model, X, y, sample_weight=w / w.sum(), weights="counts")
        with pytest.raises(WrongUse, match="it must be 'counts' or 'sampling'"):
            score(model, X, y, sample_weight=w, weights="shares")


def test_sampling_weights_of_a_rate_have_the_sandwich():
    """The rows of a stratum that is drawn ten times too seldom err more: its weights make the error bar longer than Kish's number does."""
    y = np.tile([0, 1], 50)
    X = np.where(np.arange(100)[:, None] < 10, 1 - y[:, None], y[:, None]) + 0.0
    w = np.where(np.arange(100) < 20, 10.0, 1.0)
    model = GaussianNB().fit([[0.0], [0.1], [1.0], [1.1]], [0, 0, 1, 1])
    found = holdout_error(model, X, y, sample_weight=w, weights="sampling")
    r = 100 / 280
    wrong = np.arange(100) < 10
    assert found.value == pytest.approx(r)
    sandwich = np.sqrt(w**2 @ (wrong - r) ** 2) / w.sum()
    assert found.stderr == pytest.approx(sandwich, rel=0.02)
    matrix = confusion_matrix(model, X, y, sample_weight=w, weights="sampling")
    assert matrix.how.endswith("sampling weights") and matrix.counts.sum() == w.sum()
    own = y == 0
    own_bar = np.sqrt(w[own] ** 2 @ (wrong[own] - r) ** 2) / w[own].sum()
    assert matrix.stderr[0, 1] == pytest.approx(own_bar, rel=0.03)
    again = confusion_matrix(model, X, y, sample_weight=w / w.sum())
    np.testing.assert_allclose(again.high, matrix.high)


@pytest.mark.parametrize("interval", ["t", "wilson", "exact", "bootstrap"])
def test_every_kind_of_interval_knows_sampling_weights(interval):
    model, X, y, w = held(f1)
    a, b = (
        holdout_error(model, X, y, sample_weight=w * c, weights="sampling", interval=interval) for c in (1.0, 0.001)
    )
    assert (a.low, a.high) == pytest.approx((b.low, b.high))


def test_a_difference_of_two_keeps_the_meaning():
    X, y, rng = table(90, classes=False)
    w = rng.exponential(size=60)
    models = [LinearRegression().fit(X[:30, :k], y[:30]) for k in (1, 2)]
    risks = [
        [holdout_error(m, X[30:, :k], y[30:], sample_weight=w * c) for m, k in zip(models, (1, 2), strict=True)]
        for c in (1, 1 / w.sum())
    ]
    one, other = (
        replace(a, rows="same") - replace(b, rows="same") for a, b in risks
    )  # paired, though of other columns
    assert np.isfinite(one.stderr)
    assert ends(one) == pytest.approx(ends(other))


def test_importance_knows_what_weights_mean():
    X, y, rng = table(60, classes=False)
    w = rng.integers(1, 4, 60).astype(float)
    times = w.astype(int)
    model = LinearRegression().fit(*table(40, classes=False)[:2])
    counted = importance(model, X, y, sample_weight=w)
    long = importance(model, np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(counted.value, long.value)
    assert not counted.caution and "copies" in long.caution and (counted.high < long.high).all()
    assert counted.how.endswith("weights taken as counts")
    sampled = [importance(model, X, y, sample_weight=w * c, weights="sampling") for c in (1.0, 1 / w.sum())]
    np.testing.assert_allclose(sampled[0].high, sampled[1].high)
    assert sampled[0].how.endswith("sampling weights")
    np.testing.assert_allclose(sampled[0].value, long.value, rtol=0.1, atol=0.02)
    assert (sampled[0].stderr > counted.stderr).all()  # which takes the weights for rows
    equal = importance(model, X, y, sample_weight=np.full(60, 0.5))
    np.testing.assert_allclose(equal.stderr, importance(model, X, y).stderr)


def test_curves_know_what_weights_mean():
    X, y, rng = table(80, classes=False)
    w = rng.integers(0, 3, 80).astype(float)
    times = w.astype(int)
    long = np.repeat(X, times, axis=0), np.repeat(y, times)
    counted = learning_curve(LinearRegression(), X, y, sample_weight=w, sizes=4)
    assert counted.how.endswith("weights taken as counts") and counted.sizes[-1] == pytest.approx(
        0.9 * w.sum(), rel=0.05
    )
    shares = learning_curve(LinearRegression(), X, y, sample_weight=np.full(80, 0.5), sizes=4)
    plain = learning_curve(LinearRegression(), X, y, sizes=4)
    np.testing.assert_allclose(shares.sizes, plain.sizes)
    np.testing.assert_allclose(shares.test, plain.test)
    assert shares.how.endswith("sampling weights")
    values = [0.1, 10.0, 1000.0]
    curve = complexity_curve(Ridge(), X, y, "alpha", values, sample_weight=w)
    assert curve.how.endswith("weights taken as counts")
    whole = complexity_curve(Ridge(), *long, "alpha", values, groups=np.arange(len(long[1])), folds=len(long[1]) // 2)
    assert curve.cv == pytest.approx(whole.cv, rel=0.1)
    left = [
        complexity_curve(Ridge(), X, y, "alpha", [1.0], sample_weight=w * c, weights="sampling", folds="loo")
        for c in (1.0, 0.01)
    ]
    alone = loo(Ridge(alpha=1.0), X, y, sample_weight=w, weights="sampling")
    assert left[0].stderr == pytest.approx([alone.stderr])
    assert left[1].cv == pytest.approx(left[0].cv) and left[1].how == left[0].how
    assert left[0].how == "leave-one-out, weights taken as sampling weights"  # which leave whole


def test_copies_stay_together_in_a_learning_curve():
    from epee import KNeighborsRegressor

    X, y, _ = table(60, classes=False)
    twice = learning_curve(KNeighborsRegressor(1), np.vstack([X, X]), np.append(y, y), sizes=[1.0], folds=5)
    once = learning_curve(KNeighborsRegressor(1), X, y, sizes=[1.0], folds=5)
    assert twice.test[-1] == pytest.approx(once.test[-1], rel=0.25) and twice.test[-1] > 0.5


def test_one_weight_above_1_for_every_row_is_asked_about():
    X, y, _ = table(60, classes=False)
    fitted, w = LinearRegression().fit(X[:30], y[:30]), np.full(60, 10.0)

    def each(w, **said):
        yield holdout_error(fitted, X[30:], y[30:], sample_weight=w[30:], **said)
        yield loo(LinearRegression(), X, y, sample_weight=w, **said)
        yield cross_validate(LinearRegression(), X, y, sample_weight=w, **said)

    assert all(found.caution.startswith("Every row has the weight 10, and is taken as 10 rows") for found in each(w))
    for said in ("counts", "sampling"):
        assert not any("weight 10" in found.caution for found in each(w, weights=said))
    assert not any("weight" in found.caution for found in each(np.ones(60)))
