"""The result of a cross-validation: by definition, on both routes, with anybody's estimators, and what is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Theirs
from sklearn.model_selection import ShuffleSplit, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB as TheirNaive
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from epee import GaussianNB, LinearDiscriminantAnalysis, LinearRegression, LogisticRegression, MLPClassifier, Ridge
from epee.errors import DataError, WrongUse
from epee.losses.names import resolve
from epee.risk import cross_validate
from epee.risk.intervals import t_quantile
from epee.risk.mean_loss import mean_loss
from epee.risk.rates import rate_interval
from epee.risk.refit import RefitRoute
from epee.risk.splitting import make_plan
from epee.settings import options


@pytest.fixture
def iris():
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)


def test_definition(iris):
    X, y = iris
    cv = cross_validate(LinearDiscriminantAnalysis(), X, y, folds=7)
    means = np.array([cv.losses[cv.folds == k].mean() for k in range(7)])
    np.testing.assert_allclose(cv.per_fold, means)
    assert cv.value == pytest.approx(means.mean()) and cv.pooled == pytest.approx(cv.losses.mean())
    assert cv.stderr == pytest.approx(np.sqrt(((means - means.mean()) ** 2).sum() / (7 * 6)))
    rows = (
        cv.value * (1 - cv.value) / cv.stderr**2 * (1.959964 / 2.446912) ** 2
    )  # that are worth as much as the error bar
    np.testing.assert_allclose(
        cv.interval, rate_interval(cv.value, min(rows, 150 * (1.959964 / 2.446912) ** 2), 0.95), rtol=1e-5
    )
    assert (cv.losses == (cv.predictions != y)).all()


def test_agrees_with_scikit_learn_on_its_splitter(iris):
    X, y = iris
    splitter = StratifiedKFold(5, shuffle=True, random_state=3)
    for ours, theirs in (
        (LinearDiscriminantAnalysis(), Theirs()),
        (TheirNaive(), TheirNaive()),
    ):
        cv = cross_validate(ours, X, y, folds=splitter)
        np.testing.assert_allclose(cv.per_fold, 1 - cross_val_score(theirs, X, y, cv=splitter), atol=1e-12)
        assert np.array_equal(cv.predictions, cross_val_predict(theirs, X, y, cv=splitter))


def test_text_labels_and_frames(iris):
    import pandas as pd
    import polars as pl

    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    plain = cross_validate(LinearDiscriminantAnalysis(), X, y)
    for table in (pd.DataFrame(X, columns=list("abcd")), pl.DataFrame(X, schema=list("abcd"))):
        cv = cross_validate(LinearDiscriminantAnalysis(), table, names)
        assert cv.value == plain.value and set(cv.predictions) <= set(names)
    foreign = cross_validate(TheirNaive(), pd.DataFrame(X, columns=list("abcd")), pd.Series(names), folds=3)
    assert not foreign.one_pass and foreign.value < 0.1


def test_repeats_and_random_state(iris):
    X, y = iris
    a, b, c = (cross_validate(GaussianNB(), X, y, repeats=3, random_state=s) for s in (0, 0, 1))
    assert np.array_equal(a.per_fold, b.per_fold) and not np.array_equal(a.per_fold, c.per_fold)
    assert a.losses.shape == (3, 150) and a.per_fold.shape == (30,) and a.folds.shape == (3, 150)
    first = cross_validate(GaussianNB(), X, y, random_state=0)
    np.testing.assert_array_equal(first.per_fold, a.per_fold[:10])


def test_repeats_by_fine_folds_equal_refitting():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6500, 3))
    y = X @ [1.0, 2.0, 0.5] + rng.normal(size=6500)
    cv = cross_validate(Ridge(5.0), X, y, repeats=2)
    for r, k in ((0, 0), (1, 7)):
        test = cv.folds[r] == k
        model = Ridge(5.0).fit(X[~test], y[~test])
        assert cv.per_fold[10 * r + k] == pytest.approx(((model.predict(X[test]) - y[test]) ** 2).mean(), rel=1e-10)
        np.testing.assert_allclose(cv.predictions[r, test], model.predict(X[test]), rtol=1e-9)


def test_overlapping_test_sets(iris):
    X, y = iris
    splitter = ShuffleSplit(4, test_size=0.3, random_state=0)
    cv = cross_validate(LinearDiscriminantAnalysis(), X, y, folds=splitter)
    np.testing.assert_allclose(cv.per_fold, 1 - cross_val_score(Theirs(), X, y, cv=splitter))


def test_time_and_groups(iris):
    X, y = iris
    order = np.random.default_rng(0).permutation(150)
    cv = cross_validate(LinearDiscriminantAnalysis(), X[order], y[order], time=True, folds=4)
    assert (cv.folds == -1).sum() == 50 and np.isnan(cv.losses[:50]).all() and "time" in cv.how
    foreign = cross_validate(Theirs(), X[order], y[order], time=True, folds=4)
    np.testing.assert_allclose(foreign.per_fold, cv.per_fold)
    by_group = cross_validate(LinearDiscriminantAnalysis(), X, y, groups=np.arange(150) // 3, folds=5)
    assert "group" in by_group.how


def test_difference_is_paired_and_corrected(iris):
    X, y = iris
    a, b = (cross_validate(m, X, y, repeats=5) for m in (GaussianNB(), LinearDiscriminantAnalysis()))
    gap = a - b
    d = a.per_fold - b.per_fold
    assert gap.value == pytest.approx(d.mean())
    assert gap.stderr == pytest.approx(np.sqrt((1 / 50 + 1 / 9) * d.var(ddof=1)))
    with pytest.raises(WrongUse, match="same folds"):
        a - cross_validate(GaussianNB(), X, y, repeats=5, random_state=9)


def test_losses_of_regressors():
    X = np.random.default_rng(0).normal(size=(80, 2))
    y = X[:, 0] + np.random.default_rng(1).normal(size=80)
    for model in (LinearRegression(), KNeighborsRegressor()):
        cv = cross_validate(model, X, y, loss="huber", folds=4)
        assert cv.loss == "huber" and cv.value < cross_validate(model, X, y, folds=4).value


@pytest.mark.parametrize(("change", "sentence"), [
    ({"folds": 1}, "folds is 1"), ({"folds": 151}, "151.*150"), ({"interval": "wide"}, "'fold' or 'nested'"),
    ({"loss": "nope"}, "the losses are"),
    ({"loss": "squared"}, "classifier"), ({"level": 2}, "between 0 and 1"), ({"repeats": 0}, "at least 1"),
])  # fmt: skip
def test_one_sentence_each(iris, change, sentence):
    with pytest.raises(ValueError, match=sentence):
        cross_validate(LinearDiscriminantAnalysis(), *iris, **change)


def test_nan_predictions_name_the_fold(iris):
    class Broken(KNeighborsRegressor):
        def predict(self, X):
            out = super().predict(X).astype(float)
            out[X[:, 0] > 7.6] = np.nan
            return out

    X, y = iris
    fold = np.where(X[:, 0] > 7.6, 2, np.arange(150) % 2)
    with pytest.raises(DataError, match="fold 2: Broken predicts NaN for"):
        cross_validate(Broken(), X, y.astype(float), folds=fold)


def test_weights_that_a_foreign_estimator_cannot_take(iris):
    with pytest.raises(WrongUse, match="takes no sample_weight"):
        cross_validate(KNeighborsRegressor(), *iris, sample_weight=np.ones(150))


def test_missing_target(iris):
    with pytest.raises(DataError, match="requires y"):
        cross_validate(Ridge(), iris[0], None)


def test_intervals_of_folds_are_longer_the_more_is_learned_from_few_rows():
    """By the root of 1 + 2 d / n; and a cost is not known better than its rows tell."""
    r = np.random.default_rng(0)
    X = r.normal(size=(60, 20))
    y = X[:, 0] + r.normal(size=60)
    found = cross_validate(Ridge(1e-6), X, y)
    alone = mean_loss(found.losses, loss="squared")
    longer = t_quantile(0.95, 9) / t_quantile(0.95, 59) * found.stderr / alone.stderr
    plain = mean_loss(found.losses, loss="squared", centre=found.value, stretch=longer).interval
    assert (found.high - found.value) / (plain.high - found.value) == pytest.approx(np.sqrt(1 + 42 / 60), rel=1e-3)
    costs = np.array([[0.0, 8.0], [1.0, 0.0]])
    for seed in range(5):
        labels = np.random.default_rng(seed).integers(0, 2, 60)
        told = cross_validate(LinearDiscriminantAnalysis(), X[:, :3] + labels[:, None], labels, loss=costs)
        alone = mean_loss(told.losses, loss=resolve(costs), centre=told.value).interval
        assert told.high >= alone.high - 1e-9 and told.low <= alone.low + 1e-9


class OwnRowsOtherwise(TransformerMixin, BaseEstimator):
    """Tells the rows that it learns from otherwise than new ones, as an encoder by the target does."""

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return X

    def fit_transform(self, X, y=None):
        return np.column_stack([X[:, 0], -X[:, 1]])


@pytest.mark.filterwarnings("ignore:15 passes were made")
@pytest.mark.parametrize("weighted", [False, True])
def test_steps_before_models_that_fit_together_are_those_of_a_pipeline(weighted):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 12, 150), rng.normal(size=150)]).astype(float)
    y = ((X[:, 0] % 3 == 0) ^ (rng.random(150) < 0.2)).astype(int)
    w = rng.integers(1, 4, 150).astype(float) if weighted else None
    for last in (LogisticRegression(), MLPClassifier((3,), max_iter=15, random_state=0)):
        for first in (OwnRowsOtherwise(), "passthrough", None):
            model = Pipeline([("first", first), ("scaled", StandardScaler()), ("last", last)])
            split = make_plan(3, 150, codes=y, classes=np.unique(y)).splits[0]
            losses = RefitRoute(model, X, y, w, loss="log").evaluate(split).losses[0]
            names = ("scaled__sample_weight", "last__sample_weight") if weighted else ()
            for t in range(3):
                learn, judge = split.training_rows(t), np.flatnonzero(split.models_of_rows()[0] == t)
                own = None if w is None else w[learn]
                fitted = clone(model).fit(X[learn], y[learn], **dict.fromkeys(names, own))
                P = fitted.predict_proba(X[judge])
                np.testing.assert_allclose(losses[judge], -np.log(P[np.arange(len(judge)), y[judge]]), rtol=2e-5)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_warning_of_every_fold_is_said_once(threads, monkeypatch):
    monkeypatch.setattr(options, "threads", threads)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    model = Pipeline([("with a column of ones", PolynomialFeatures(1)), ("last", LinearRegression())])
    for interval in ("fold", "nested"):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            cross_validate(model, X, X[:, 1] + rng.normal(size=60), folds=4, interval=interval)
        assert [str(w.message) for w in heard] == ["column 0 is constant and cannot help to predict."]
