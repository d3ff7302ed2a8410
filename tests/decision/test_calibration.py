from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import _SigmoidCalibration, calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.svm import LinearSVC

from epee import BernoulliNB, Calibrated, GaussianNB, KNeighborsClassifier, LinearDiscriminantAnalysis
from epee.decision.calibration import Sigmoid, scores_of
from epee.decision.reliability import reliability_curve
from epee.errors import DataError, DataWarning, WrongUse

rng = np.random.default_rng(0)
N = 1200
y = rng.integers(0, 2, N)
X = np.repeat(rng.normal(size=(N, 1)) + y[:, None], 6, axis=1) + 0.1 * rng.normal(
    size=(N, 6)
)  # naive Bayes is far too sure of it
TRAIN, TEST = slice(0, 600), slice(600, N)


def brier(model):
    return float(((model.predict_proba(X[TEST])[:, 1] - y[TEST]) ** 2).mean())


@pytest.mark.parametrize("method", ["isotonic", "platt"])
def test_calibration_repairs_naive_bayes(method):
    plain, better = GaussianNB().fit(X[TRAIN], y[TRAIN]), Calibrated(GaussianNB(), method).fit(X[TRAIN], y[TRAIN])
    assert brier(better) < brier(plain) - 0.02
    before, after = reliability_curve(plain, X[TEST], y[TEST]), better.reliability(X[TEST], y[TEST])
    assert after.error < before.error / 2
    np.testing.assert_allclose(better.predict_proba(X).sum(axis=1), 1)


def test_platt_agrees_with_scikit_learn():
    s = rng.normal(size=300) * 4
    t = rng.random(300) < 1 / (1 + np.exp(-0.7 * s + 0.3))
    w = rng.integers(1, 4, 300).astype(float)
    for weights in (None, w):
        ours, theirs = Sigmoid.of(s, t, weights), _SigmoidCalibration().fit(s, t.astype(float), weights)
        np.testing.assert_allclose([ours.a, ours.b], [-theirs.a_, -theirs.b_], rtol=1e-3)
        np.testing.assert_allclose(ours.predict(s), theirs.predict(s), atol=1e-4)
    k = w.astype(int)
    a, b = Sigmoid.of(s, t, w), Sigmoid.of(s.repeat(k), t.repeat(k), None)
    assert np.isclose(a.a, b.a) and np.isclose(a.b, b.b)


def test_scores_are_out_of_fold():
    m = Calibrated(GaussianNB(), "isotonic", folds=4).fit(X[TRAIN], y[TRAIN])
    fold = m._folds(X[TRAIN], y[TRAIN], None)
    s = np.empty(600)
    for k in range(4):
        s[fold == k] = scores_of(GaussianNB().fit(X[TRAIN][fold != k], y[TRAIN][fold != k]), X[TRAIN][fold == k])[:, 0]
    beyond, other = (
        np.append(s, [s.min() - 1, s.max() + 1]),
        np.append(y[TRAIN], [1, 0]),
    )  # a row of the other kind at each end
    exact = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(beyond, other)
    final = GaussianNB().fit(X[TRAIN], y[TRAIN]).decision_function(X[TEST])
    np.testing.assert_allclose(m.predict_proba(X[TEST])[:, 1], exact.predict(final))
    assert np.bincount(fold).min() >= 140


def test_more_classes_and_models_without_probabilities():
    three = np.minimum(y + (X[:, 0] > 1.5), 2)
    m = Calibrated(LinearSVC(), "platt").fit(X, three)
    P = m.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert len(m.calibrators_) == 3 and m.score(X, three) > 0.6
    named = Calibrated(LinearDiscriminantAnalysis(tol=1e-8)).fit(X, np.array(["a", "b", "c"])[three])
    assert set(named.predict(X)) <= {"a", "b", "c"}
    from sklearn.neighbors import KNeighborsClassifier

    assert np.isfinite(Calibrated(KNeighborsClassifier(9)).fit(X, three).predict_proba(X)).all()


def test_calibration_lies_inside_the_folds():
    from sklearn.model_selection import cross_val_predict

    P = cross_val_predict(Calibrated(GaussianNB(), "platt"), X[:300], y[:300], method="predict_proba", cv=3)
    assert P.shape == (300, 2)
    assert clone(Calibrated(GaussianNB(), folds=3)).folds == 3


def test_reliability_curve():
    m = GaussianNB().fit(X[TRAIN], y[TRAIN])
    for strategy in ("quantile", "uniform"):
        curve = reliability_curve(m, X[TEST], y[TEST], bins=7, strategy=strategy)
        if strategy == "uniform":
            true, predicted = calibration_curve(y[TEST], m.predict_proba(X[TEST])[:, 1], n_bins=7, strategy=strategy)
            np.testing.assert_allclose(curve.observed, true)
            np.testing.assert_allclose(curve.predicted, predicted)
        assert curve.count.sum() == 600 and ((curve.low <= curve.observed) & (curve.observed <= curve.high)).all()
    assert np.isclose(curve.brier, brier(m)) and curve.label == 1
    zero = reliability_curve(m, X[TEST], y[TEST], label=0, interval="exact")
    assert zero.label == 0
    k = rng.integers(1, 3, 600)
    weighted = reliability_curve(m, X[TEST], y[TEST], strategy="uniform", sample_weight=k)
    repeated = reliability_curve(m, X[TEST].repeat(k, axis=0), y[TEST].repeat(k), strategy="uniform")
    np.testing.assert_allclose(weighted.low, repeated.low)
    assert weighted.plot().get_ylabel() == "observed frequency"
    from epee import options

    with options(language="fr"):
        assert weighted.plot().get_ylabel() == "fréquence observée"


def test_bands_cover_what_they_claim():
    class Honest:
        classes_ = np.array([0, 1])

        def predict_proba(self, P):
            return np.hstack([1 - P, P])

    inside = []
    for seed in range(60):
        r = np.random.default_rng(seed)
        p = r.random((400, 1))
        curve = reliability_curve(Honest(), p, (r.random(400) < p[:, 0]).astype(int), bins=5, level=0.9)
        inside.append((curve.low <= curve.predicted) & (curve.predicted <= curve.high))
    assert 0.85 < np.mean(inside) < 0.96


def test_few_rows():
    with pytest.warns(DataWarning, match="class 1 has 3 different rows, fewer than the 5 folds: 3 are used"):
        Calibrated(BernoulliNB(), "platt").fit(X[:20], (np.arange(20) % 7 == 1).astype(int))


def test_bad_input():
    with pytest.raises(WrongUse, match="method 'magic'"):
        Calibrated(GaussianNB(), "magic").fit(X, y)
    with pytest.raises(WrongUse, match="folds is 1"):
        Calibrated(GaussianNB(), folds=1).fit(X, y)
    from sklearn.cluster import KMeans

    with pytest.raises(WrongUse, match="KMeans has neither"):
        Calibrated(KMeans()).fit(X, y)
    with pytest.raises(WrongUse, match="label 7 is not one of the classes"):
        reliability_curve(GaussianNB().fit(X, y), X, y, label=7)
    with pytest.raises(WrongUse, match="bins=0"):
        reliability_curve(GaussianNB().fit(X, y), X, y, bins=0)


@pytest.mark.parametrize("method", ["isotonic", "platt"])
def test_scores_of_several_classes_do_not_depend_on_a_constant_of_the_row(method):
    """Log densities say which class is likelier, not how likely one is: ours and scikit-learn's naive Bayes, which gives probabilities."""
    from sklearn.naive_bayes import GaussianNB as Theirs

    g = np.random.default_rng(3)
    three = g.integers(0, 3, 400)
    Z = g.normal(size=(400, 4)) + np.eye(4)[three]
    ours, theirs = (Calibrated(kind(), method).fit(Z[:200], three[:200]) for kind in (GaussianNB, Theirs))
    np.testing.assert_allclose(ours.predict_proba(Z), theirs.predict_proba(Z), atol=2e-3)
    hot = np.eye(3)[three[200:]]
    plain = GaussianNB().fit(Z[:200], three[:200]).predict_proba(Z[200:])
    assert ((ours.predict_proba(Z[200:]) - hot) ** 2).mean() < 1.15 * ((plain - hot) ** 2).mean()


def test_shares_of_rows_that_are_zero_do_not_spoil_platt():
    g = np.random.default_rng(0)
    Z = g.normal(size=(400, 3))
    three = np.argmax(Z + 0.7 * g.normal(size=(400, 3)), axis=1)
    model = Calibrated(KNeighborsClassifier(15), "platt").fit(Z[:200], three[:200])
    plain, hot = KNeighborsClassifier(15).fit(Z[:200], three[:200]), np.eye(3)[three[200:]]
    errors = [((m.predict_proba(Z[200:]) - hot) ** 2).mean() for m in (model, plain)]
    assert errors[0] < 1.1 * errors[1]


@pytest.mark.parametrize("method", ["isotonic", "platt"])
def test_no_probability_is_0_or_1(method):
    few = np.random.default_rng(2)
    t = few.integers(0, 2, 120)
    Z = few.normal(size=(120, 2)) + 4 * t[:, None]  # far clouds
    P = Calibrated(GaussianNB(), method).fit(Z, t).predict_proba(np.vstack([Z, [[-99.0, -99], [99, 99]]]))
    assert P.min() > 0 and P.max() < 1
    if method == "isotonic":
        assert P[-2, 1] >= 1 / 121  # at most 120 rows without the class


@pytest.mark.parametrize("method", ["isotonic", "platt"])
def test_probabilities_have_error_bars(method):
    """Of the true probability of the class given the score; naive Bayes on one column is right, so the score is all there is."""
    held = []
    for seed in range(30):
        g = np.random.default_rng(seed)
        t = g.integers(0, 2, 300)
        Z = g.normal(size=(300, 1)) + t[:, None]
        m = Calibrated(LinearDiscriminantAnalysis(), method, random_state=seed).fit(Z, t)
        new = np.linspace(-1.0, 2.0, 13)[:, None]
        ends = m.probability_interval(new, 0.9)
        P = m.predict_proba(new)
        assert ends.shape == (13, 2, 2) and (ends[..., 0] <= P).all() and (ends[..., 1] >= P).all()
        truth = 1 / (1 + np.exp(0.5 - new[:, 0]))
        held.append(((ends[:, 1, 0] <= truth) & (truth <= ends[:, 1, 1])).mean())
    assert np.mean(held) > 0.8


def test_error_bars_of_three_classes():
    g = np.random.default_rng(0)
    t = np.arange(150) % 3
    Z = g.normal(size=(150, 2)) + 1.5 * np.eye(3)[t][:, :2]
    m = Calibrated(GaussianNB()).fit(Z, t)
    ends, P = m.probability_interval(Z), m.predict_proba(Z)
    assert ends.shape == (150, 3, 2) and (ends[..., 0] <= P + 1e-12).all() and (ends[..., 1] >= P - 1e-12).all()


def test_the_interval_of_platts_line_forgets_slope_and_height_of_the_folds_models():
    """Discriminants of one column are straight lines of each other: on the final score nothing is left of the folds."""
    g = np.random.default_rng(1)
    t = g.integers(0, 2, 80)
    Z = g.normal(size=(80, 1)) + t[:, None]
    fitted = [Calibrated(LinearDiscriminantAnalysis(), "platt", random_state=s).fit(Z, t) for s in range(3)]
    final = Sigmoid.of(scores_of(fitted[0].estimator_, Z)[:, 0], t == 1, None)
    for m in fitted:
        np.testing.assert_allclose(m.calibrators_[0].centre, final.centre, rtol=1e-6)
        np.testing.assert_allclose(m.calibrators_[0].covariance, final.covariance, rtol=1e-5, atol=1e-9)


def test_jeffreys_prior_adds_half_a_row_of_each_kind():
    """With two scores the line passes through both rates: half a row more of each class, and one row more."""
    s, hit = np.repeat([0.0, 2.0], [12, 9]), np.arange(21) < 3
    a, b = Sigmoid.of(s, hit, None).centre
    np.testing.assert_allclose([b, 2 * a + b], [np.log(3.5 / 9.5), np.log(0.5 / 9.5)], atol=1e-5)


def test_platts_interval_holds_the_chance_where_naive_bayes_bends_the_scores():
    """The curvature of the likelihood alone kept 82 % of 90: the targets and the folds lean the line, and the score is bent.

    The line alone, of which naive Bayes is one here, kept 92 %; that it might bend, which 80 rows cannot exclude, makes it 95.
    """
    held = []
    for seed in range(150):
        g = np.random.default_rng(seed)
        x, new = g.normal(size=(80, 1)), g.normal(size=(20, 1))
        t = (g.random(80) < 1 / (1 + np.exp(-1.5 * x[:, 0]))).astype(int)
        m = Calibrated(GaussianNB(), "platt").fit(np.repeat(x, 5, axis=1), t)
        low, high = m.probability_interval(np.repeat(new, 5, axis=1), 0.9)[:, 1].T
        truth = 1 / (1 + np.exp(-1.5 * new[:, 0]))
        held.append(((low <= truth) & (truth <= high)).mean())
    assert 0.88 < np.mean(held) < 0.97


def held_by_platt(chance, n, tables=60):
    """Return how often 90 % intervals of Platt's map hold the chance, and how often they believed the line."""
    r, kept, believed = np.random.default_rng(5), [], []
    for _ in range(tables):
        s, new = r.normal(size=n), r.normal(size=20)
        line = Sigmoid.of(s, r.random(n) < chance(s), None)
        low, high = line.interval(new, 0.9).T
        kept.append(((low <= chance(new)) & (chance(new) <= high)).mean())
        believed.append(line.rates is None)
    return np.mean(kept), np.mean(believed)


def test_a_line_that_the_rows_refuse_is_not_believed():
    kept, believed = held_by_platt(lambda s: 0.5 + np.arctan(2 * s) / np.pi, 1000)
    assert kept > 0.87 and believed < 0.2
    kept, believed = held_by_platt(lambda s: 1 / (1 + np.exp(0.5 - 1.5 * s)), 1000)
    assert 0.85 < kept < 0.97 and 0.55 < believed < 0.95  # three of four


def test_folds_that_go_astray_make_the_slope_uncertain_and_not_the_height():
    """Four models, each with a noise beyond the final score of a fifth of its variance: 1 + 4/5 times the variance of the slope."""
    g = np.random.default_rng(0)
    s, fold = g.normal(size=400), np.arange(400) % 4
    hit = g.random(400) < 0.5
    own = np.linalg.qr(np.column_stack([np.vander(s, 3), g.normal(size=(400, 4))]))[0][:, 3:] * np.sqrt(
        400 * s.var() / 4
    )
    every = np.arange(400)
    plain = Sigmoid.of(s, hit, None, fold, [(every, s, s)] * 4)
    noisy = Sigmoid.of(
        1.25 * s, hit, None, fold, [(every, s + own[:, k], s) for k in range(4)]
    )  # 0.8 of what they say is kept
    along, mean = np.array([1.0, 0.0]), np.array([s.mean(), 1.0])
    for v, more in ((along, 1.8), (mean, 1.0)):
        a, b = (v @ m.covariance[1:, 1:] @ v for m in (plain, noisy))
        assert b == pytest.approx(more * a, rel=0.02)


@pytest.mark.parametrize("method", ["isotonic", "platt"])
def test_the_scale_of_sampling_weights_means_nothing(method):
    """Weights that add up to 1 are not one row: the added rows and targets would drown the table."""
    fits = [
        Calibrated(GaussianNB(), method).fit(X[:90], y[:90], w) for w in (None, np.full(90, 1 / 90), np.full(90, 7.5))
    ]
    for m in fits[1:]:
        np.testing.assert_allclose(m.probability_interval(X[:9]), fits[0].probability_interval(X[:9]), rtol=1e-6)
    k = np.arange(90) % 3 + 1
    a, b = (
        Calibrated(GaussianNB(), method).fit(*rows)
        for rows in ((X[:90], y[:90], k), (X[:90].repeat(k, 0), y[:90].repeat(k)))
    )
    np.testing.assert_allclose(a.probability_interval(X[:9]), b.probability_interval(X[:9]), rtol=1e-6)


def test_one_class_is_refused():
    with pytest.raises(DataError, match="only one class \\(0\\): there is no probability"):
        Calibrated(GaussianNB()).fit(X, np.zeros(N, dtype=int))
