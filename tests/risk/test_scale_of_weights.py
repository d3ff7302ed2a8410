"""The scale of sampling weights means nothing: every figure is the same for w and for c w, whoever learns and whoever judges."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.linear_model import SGDRegressor

import epee
from epee import risk
from epee.decision.reliability import reliability_curve
from epee.errors import DataError, WrongUse
from epee.risk.comparison import Comparison
from epee.risk.complexity import ComplexityCurve
from epee.risk.curves import LearningCurve
from epee.risk.permutation import Importance
from epee.risk.units import per_row
from epee.table.arrays import ArraySource

N = 90
SCALES = (2.0**-996, 1 / 173, 1e6)  # the first below 1e-299


def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, 3))
    y = X[:, 0] + rng.normal(size=N)
    return X, (X[:, 0] + rng.normal(size=N) > 0).astype(int), y, rng.uniform(0.2, 3.0, N)


X, LABELS, VALUES, W = rows()
CLASSIFIERS = [
    epee.LinearDiscriminantAnalysis(), epee.QuadraticDiscriminantAnalysis(), epee.FisherDiscriminant(), epee.GaussianNB(),
    epee.LogisticRegression(), epee.KNeighborsClassifier(), epee.DecisionTreeClassifier(max_depth=3),
    epee.RandomForestClassifier(8, random_state=0), epee.HistGradientBoostingClassifier(max_iter=8),
    epee.MLPClassifier(hidden_layer_sizes=(4,), max_iter=20, random_state=0), epee.Calibrated(epee.LinearDiscriminantAnalysis()),
]  # fmt: skip
REGRESSORS = [
    epee.LinearRegression(), epee.Ridge(3.0), epee.KNeighborsRegressor(), epee.DecisionTreeRegressor(max_depth=3),
    epee.RandomForestRegressor(8, random_state=0), epee.HistGradientBoostingRegressor(max_iter=8), epee.SmoothingSpline(),
    epee.MLPRegressor(hidden_layer_sizes=(4,), max_iter=20, random_state=0), TheirRidge(3.0), SGDRegressor(random_state=0),
]  # fmt: skip
SLOW = (
    epee.RandomForestClassifier,
    epee.RandomForestRegressor,
    epee.HistGradientBoostingClassifier,
    epee.HistGradientBoostingRegressor,
    epee.MLPClassifier,
    epee.MLPRegressor,
    epee.Calibrated,
    SGDRegressor,
)  # to be fitted as often as there are rows


def table(model: Any) -> tuple[np.ndarray, np.ndarray]:
    return (X[:, :1] if isinstance(model, epee.SmoothingSpline) else X), (VALUES if model in REGRESSORS else LABELS)


def told(found: Any) -> np.ndarray:
    """The figures of a result."""
    if isinstance(found, Comparison):
        return np.concatenate([np.ravel([told(r) for r in found.risks]), found.p_values.ravel()])
    if isinstance(found, LearningCurve):
        return np.concatenate([found.sizes, found.test, found.train, found.stderr, told(found.extrapolate(2 * N))])
    if isinstance(found, ComplexityCurve):
        return np.concatenate([found.cv, found.train, found.stderr, [found.best_index, found.chosen_index]])
    if isinstance(found, Importance):
        return np.concatenate([found.value, found.stderr, found.low, found.high])
    if isinstance(found, np.ndarray):
        return found.ravel()
    return np.array([found.value, found.stderr, found.low, found.high, found.n])


def same(work: Any, rtol: float = 1e-6) -> None:
    """Check that some work says the same for all scales of the weights."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = told(work(W))
        assert np.isfinite(first).all()
        for c in SCALES:
            np.testing.assert_allclose(told(work(c * W)), first, rtol=rtol, atol=1e-9)


def searched(model: Any) -> float:
    """How near figures of a model are whose penalty is searched for until it is good enough, or is not."""
    return 1e-4 if isinstance(model, epee.SmoothingSpline) else 1e-6


@pytest.mark.parametrize(
    "model", [*CLASSIFIERS, *REGRESSORS], ids=lambda m: f"{type(m).__module__[:4]}-{type(m).__name__}"
)
def test_cross_validation(model):
    A, t = table(model)
    same(lambda w: risk.cross_validate(model, A, t, folds=4, sample_weight=w), searched(model))


@pytest.mark.parametrize(
    "model",
    [m for m in [*CLASSIFIERS, *REGRESSORS] if not isinstance(m, SLOW)],
    ids=lambda m: f"{type(m).__module__[:4]}-{type(m).__name__}",
)  # fmt: skip
def test_leave_one_out(model):
    A, t = table(model)
    same(lambda w: risk.loo(model, A, t, sample_weight=w), searched(model))


@pytest.mark.parametrize(
    "model", [*CLASSIFIERS, *REGRESSORS], ids=lambda m: f"{type(m).__module__[:4]}-{type(m).__name__}"
)
def test_equal_sampling_weights_are_none(model):
    A, t = table(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = [risk.cross_validate(model, A, t, folds=4, sample_weight=w) for w in (None, np.full(N, 1 / N))]
    drawn = "Forest" in type(model).__name__  # each row by its share, or by its number
    plain, even = (np.array([f.value, f.stderr]) for f in given)
    np.testing.assert_allclose(even, plain, rtol=0.5 if drawn else 1e-9)
    assert given[1].how.endswith("weights taken as sampling weights")


WORK = {
    "nested": lambda w: risk.cross_validate(epee.Ridge(), X, VALUES, folds=4, repeats=4, interval="nested", sample_weight=w),
    "nested of classes": lambda w: risk.cross_validate(
        epee.LinearDiscriminantAnalysis(), X, LABELS, folds=4, repeats=4, interval="nested", sample_weight=w
    ),
    "grouped": lambda w: risk.cross_validate(epee.Ridge(), X, VALUES, folds=4, groups=np.arange(N) // 2, sample_weight=w),
    "in time": lambda w: risk.cross_validate(epee.Ridge(), X, VALUES, folds=4, time=True, sample_weight=w),
    "compare": lambda w: risk.compare(
        [epee.LinearDiscriminantAnalysis(), epee.GaussianNB()], X, LABELS, folds=4, repeats=2, sample_weight=w
    ),
    "learning curve": lambda w: risk.learning_curve(epee.LinearDiscriminantAnalysis(), X, LABELS, sample_weight=w),
    "complexity curve": lambda w: risk.complexity_curve(
        epee.Ridge(), X, VALUES, "alpha", [0.1, 10.0, 100.0], folds=4, sample_weight=w
    ),
    "of trees": lambda w: risk.complexity_curve(
        epee.DecisionTreeRegressor(), X, VALUES, "max_depth", [1, 2, 4], folds=4, sample_weight=w
    ),
    "left out": lambda w: risk.complexity_curve(epee.Ridge(), X, VALUES, "alpha", [0.1, 10.0], folds="loo", sample_weight=w),
    "importance": lambda w: risk.importance(epee.Ridge(), X, VALUES, repeats=2, sample_weight=w),
    "bands": lambda w: risk.conformal(epee.Ridge(), X, VALUES, folds=4, sample_weight=w).predict_interval(X[:5]),
    "split bands": lambda w: risk.conformal(epee.Ridge(), X, VALUES, method="split", sample_weight=w).predict_interval(X[:5]),
    "probabilities": lambda w: epee.Calibrated(epee.LinearDiscriminantAnalysis())
    .fit(X, LABELS, sample_weight=w)
    .probability_interval(X[:5]),
    "combination": lambda w: epee.Combination([epee.Ridge(), epee.KNeighborsRegressor()]).fit(X, VALUES, sample_weight=w).cv_risk_,
    **{
        name: lambda w, name=name: np.array(getattr(risk, name)(epee.Ridge(), X, VALUES, sample_weight=w), dtype=float)
        for name in ("gcv", "aic", "aicc", "bic", "mallows_cp", "optimism")
    },
}  # fmt: skip


@pytest.mark.parametrize("name", WORK)
def test_whoever_fits(name):
    same(WORK[name])


HALF = N // 2
LDA = epee.LinearDiscriminantAnalysis().fit(X[:HALF], LABELS[:HALF])
LINE = epee.LinearRegression().fit(X[:HALF], VALUES[:HALF])
SURE = epee.BayesDecision(epee.LinearDiscriminantAnalysis(), costs=[[0, 1], [5, 0]]).fit(X[:HALF], LABELS[:HALF])
BOOSTED = epee.HistGradientBoostingRegressor(max_iter=5).fit(X[:HALF], VALUES[:HALF])
SEALED = {
    **{
        name: lambda w, name=name: getattr(risk, name)(LDA, X[HALF:], LABELS[HALF:], sample_weight=w[HALF:])
        for name in ("holdout_error", "roc_auc", "average_precision", "brier", "f1")
    },
    **{
        loss: lambda w, loss=loss: risk.holdout_error(LDA, X[HALF:], LABELS[HALF:], loss=loss, sample_weight=w[HALF:])
        for loss in ("log", "auc")
    },
    **{name: lambda w, name=name: getattr(risk, name)(LINE, X[HALF:], VALUES[HALF:], sample_weight=w[HALF:])
       for name in ("holdout_error", "r2", "importance")},
    "confusion": lambda w: np.stack([
        (m := risk.confusion_matrix(LDA, X[HALF:], LABELS[HALF:], sample_weight=w[HALF:])).rates, m.stderr, m.low, m.high
    ]),
    "decision": lambda w: SURE.risk(X[HALF:], LABELS[HALF:], sample_weight=w[HALF:]),
    "rejection": lambda w: np.stack([
        (m := SURE.error_reject_curve(X[HALF:], LABELS[HALF:], sample_weight=w[HALF:])).error, m.low, m.high, m.reject_rate
    ]),
    "reliability": lambda w: np.stack([
        (m := reliability_curve(LDA, X[HALF:], LABELS[HALF:], bins=4, sample_weight=w[HALF:])).observed, m.low, m.high, m.count
    ]),
    "stages": lambda w: BOOSTED.stages_risk(X[HALF:], VALUES[HALF:], sample_weight=w[HALF:]).at(3),
}  # fmt: skip


@pytest.mark.parametrize("name", SEALED)
def test_whoever_judges(name):
    same(SEALED[name])


def test_rows_that_pass_by():
    def work(w: np.ndarray) -> Any:
        source = ArraySource(X, VALUES, w)
        return risk.cross_validate(epee.Ridge(), source, None, folds=4)

    same(work)
    held = risk.cross_validate(epee.Ridge(), X, VALUES, folds=4, sample_weight=W)
    np.testing.assert_allclose(work(W / W.sum()).value, held.value)


def test_counts_are_rows_as_they_are():
    counts = np.array([1.0, 0.0, 4.0])
    assert per_row(counts)[0] is counts and per_row(counts)[1] == "counts"
    shares, meaning = per_row(np.array([0.5, 0.0, 1.0]))
    assert meaning == "sampling" and shares is not None and shares.sum() == 2.0  # rows that have a weight
    assert per_row(None) == (None, None)


def test_a_rejection_costs_what_was_never_seen_too():
    """Five for a mistake of the second kind: an interval of so many rows knows it, though none was made."""
    calm = epee.BayesDecision(epee.LinearDiscriminantAnalysis(), costs=[[0, 1], [5, 0]]).fit(X, LABELS)
    curve = calm.error_reject_curve(X[:12], LABELS[:12])
    assert (curve.low <= curve.error).all() and (curve.error <= curve.high).all() and curve.high.max() <= 5


def test_what_is_no_weight_is_refused_in_a_sentence():
    for judge in (risk.holdout_error, risk.f1, risk.roc_auc):
        with pytest.raises(DataError, match="sample_weight holds what is no number"):
            judge(LDA, X[HALF:], LABELS[HALF:], sample_weight=np.array(["a"] * HALF))
        with pytest.raises(WrongUse, match="weights is 'bogus'"):
            judge(LDA, X[HALF:], LABELS[HALF:], weights="bogus")


@pytest.mark.parametrize(
    "score", ["f1", "roc_auc", "average_precision", "brier", "confusion_matrix", "r2", "importance"]
)
def test_one_weight_above_1_is_asked_about_in_every_figure(score):
    model, t = (LINE, VALUES) if score in ("r2", "importance") else (LDA, LABELS)
    w = np.full(HALF, 10.0)
    judge = getattr(risk, score)
    assert judge(model, X[HALF:], t[HALF:], sample_weight=w).caution.startswith("Every row has the weight 10")
    for said in ("counts", "sampling"):
        assert "weight 10" not in judge(model, X[HALF:], t[HALF:], sample_weight=w, weights=said).caution


def test_and_in_curves_and_comparisons():
    w = np.full(N, 10.0)
    curve = risk.learning_curve(epee.Ridge(), X, VALUES, sample_weight=w)
    assert "weight 10" in curve.extrapolate(100).caution
    found = risk.compare([epee.Ridge(), epee.LinearRegression()], X, VALUES, folds=4, repeats=2, sample_weight=w)
    assert all("weight 10" in r.caution for r in found.risks)
    assert "weight 10" in BOOSTED.stages_risk(X, VALUES, sample_weight=w).at(3).caution
    assert "weight 10" in epee.Combination([epee.Ridge()]).fit(X, VALUES, sample_weight=w).cv_risk_.caution


@pytest.mark.parametrize(
    ("w", "meaning"),
    [(np.full(N, 0.5), "sampling weights"), (np.ones(N, dtype=bool), "counts"), (W, "sampling weights")],
)
def test_it_is_said_what_weights_were_taken_as(w, meaning):
    for found in (
        risk.cross_validate(epee.Ridge(), X, VALUES, sample_weight=w),
        risk.loo(epee.Ridge(), X, VALUES, sample_weight=w),
    ):
        assert found.how.endswith(f"weights taken as {meaning}")


def test_one_positive_row_is_no_share():
    """A class of which all rows but one have the weight 0 is refused for what it is, or judged; not taken for shares."""
    w = np.where(LABELS[HALF:] == 0, 2.0, 0.0)
    w[np.flatnonzero(LABELS[HALF:] == 1)[0]] = 1.0
    assert 0 <= risk.roc_auc(LDA, X[HALF:], LABELS[HALF:], sample_weight=w).value <= 1
