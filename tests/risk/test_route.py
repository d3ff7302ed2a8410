"""The one-pass route gives what refitting each fold gives, for every estimator that lives on moments."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from epee import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    LinearRegression,
    PolynomialFeatures,
    QuadraticDiscriminantAnalysis,
    Ridge,
    StandardScaler,
    TableEncoder,
)
from epee.errors import DataError, EpeeWarning
from epee.estimator.moment import MomentEstimator
from epee.estimator.registry import METHODS
from epee.moments.unions import dealt_unions, raw_unions, unions
from epee.risk import cross_validate
from epee.risk.opening import open_route
from epee.risk.refit import RefitRoute
from epee.risk.route import MomentRoute
from epee.risk.splitting import Split, kfold, regrouped
from tests.older import as_of

ON_MOMENTS = [m for m in METHODS if m.kind in ("classifier", "regressor") and issubclass(m.load(), MomentEstimator)]


def rows(kind, n=120, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p))) + 3
    if kind == "regressor":
        return X, X @ rng.normal(size=p) + rng.normal(size=n)
    y = rng.integers(0, 3 if p > 1 else 2, n)
    return X + 0.8 * rng.normal(size=(3, p))[y], y


def refitted(model, X, y, fold, loss, w=None):
    """Losses of each row by fitting every fold, with the public methods only."""
    from epee.risk.holdout import losses_of

    out = np.empty(len(y))
    for k in np.unique(fold):
        train, test = fold != k, fold == k
        more = {} if w is None else {"sample_weight": w[train]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EpeeWarning)
            out[test] = losses_of(clone(model).fit(X[train], y[train], **more), X[test], y[test], loss)[0]
    return out


@pytest.mark.parametrize("method", ON_MOMENTS, ids=lambda m: m.name)
@pytest.mark.parametrize("weighted", [False, True])
def test_equal_to_refitting(method, weighted):
    model = method.load()(**method.arguments)
    X, y = rows(method.kind)
    if method.name in ("BernoulliNB", "PoissonNB", "MultinomialNB", "ComplementNB", "CategoricalNB", "MixedNB"):
        X = np.clip(np.round(X), 0, 4)
    if method.name in ("Hebb", "PseudoInverse", "FisherDiscriminant", "LeastSquaresClassifier"):
        y = (y > 0).astype(int)
    w = np.random.default_rng(1).integers(1, 4, len(y)).astype(float) if weighted else None
    fold = np.arange(len(y)) % 5
    loss = "zero_one" if method.kind == "classifier" else "squared"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EpeeWarning)
        found = cross_validate(model, X, y, folds=fold, loss=loss, sample_weight=w)
        expected = refitted(model, X, y, fold, loss, w)
    means = [np.average(expected[fold == k], weights=None if w is None else w[fold == k]) for k in range(5)]
    np.testing.assert_allclose(found.per_fold, means, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.losses, expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(
    "model",
    [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()],
    ids=lambda m: type(m).__name__,
)
@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_probabilities_and_scores(model, loss):
    X, y = rows("classifier", 90)
    fold = np.random.default_rng(0).integers(0, 4, 90)
    found = cross_validate(model, X, y, folds=fold, loss=loss)
    assert found.one_pass
    np.testing.assert_allclose(found.losses, refitted(model, X, y, fold, loss), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("steps", [
    (StandardScaler(),), (PolynomialFeatures(2, include_bias=False), StandardScaler()), (PolynomialFeatures(2, include_bias=False),),
])  # fmt: skip
@pytest.mark.parametrize(
    "last", [Ridge(2.0), LinearDiscriminantAnalysis(), GaussianNB(), LinearRegression()], ids=lambda m: type(m).__name__
)
def test_pipelines_stay_on_the_route(steps, last):
    kind = "regressor" if hasattr(last, "_predict") else "classifier"
    X, y = rows(kind, 80, 3)
    model = make_pipeline(*(clone(s) for s in steps), last)
    fold = np.arange(80) % 4
    found = cross_validate(model, X, y, folds=fold)
    assert found.one_pass
    np.testing.assert_allclose(found.losses, refitted(model, X, y, fold, None), rtol=1e-8, atol=1e-9)


def table(n=150, missing=True):
    import pandas as pd

    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {"a": rng.normal(5, 2, n), "town": rng.choice(list("xyz"), n, p=[0.5, 0.4, 0.1]), "b": rng.normal(size=n)}
    )
    y = frame["a"] * 0.5 + (frame["town"] == "x") + rng.normal(size=n)
    if missing:
        frame.loc[rng.random(n) < 0.2, "a"] = np.nan
        frame.loc[:3, "town"] = "rare"
    return frame, y.to_numpy()


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "last", [(Ridge(2.0),), (StandardScaler(), Ridge(2.0)), (LinearDiscriminantAnalysis(),)], ids=str
)
def test_tables_with_categories_and_missing_cells(missing, weighted, last):
    """Each fold fills with the means of its own training rows; a level that they lack has no say."""
    X, y = table(missing=missing)
    y = (y > np.median(y)).astype(int) if "Discriminant" in str(last) else y
    model = make_pipeline(TableEncoder(), *(clone(s) for s in last))
    fold = np.where(np.arange(150) < 4, 0, np.arange(150) % 5)  # the rare level is in fold 0 only
    w = np.random.default_rng(1).integers(1, 4, 150).astype(float) if weighted else None
    found = cross_validate(
        model, X, y, folds=fold, sample_weight=w, loss="log" if "Discriminant" in str(last) else None
    )
    plain = RefitRoute(model, X, y, w, found.loss)
    assert found.one_pass
    np.testing.assert_allclose(found.losses, plain.evaluate(kfold(fold, 5)).losses[0], rtol=1e-8, atol=1e-10)


def test_a_scaler_of_all_rows_would_differ():
    X, y = rows("regressor", 40, 3)
    X[0] *= 50
    fold = np.arange(40) % 4
    inside = cross_validate(make_pipeline(StandardScaler(), Ridge(20.0)), X, y, folds=fold).value
    outside = cross_validate(Ridge(20.0), StandardScaler().fit_transform(X), y, folds=fold).value
    assert abs(inside - outside) > 1e-6 * inside


def test_other_steps_take_the_ordinary_route():
    from sklearn.decomposition import PCA

    X, y = rows("regressor")
    assert isinstance(open_route(make_pipeline(PCA(2), Ridge()), X, y), RefitRoute)
    assert isinstance(open_route(make_pipeline(StandardScaler(), Ridge()), X, y), MomentRoute)


@as_of("1.9")
def test_a_class_missing_from_a_training_fold():
    X, y = rows("classifier", 60)
    y[:3] = 7
    fold = np.where(y == 7, 0, 1 + np.arange(60) % 3)
    found = cross_validate(LinearDiscriminantAnalysis(), X, y, folds=fold, loss="zero_one")
    assert found.one_pass and found.per_fold[0] == 1.0  # a class never seen cannot be predicted
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Theirs

    np.testing.assert_allclose(found.per_fold, cross_validate(Theirs(), X, y, folds=fold).per_fold)
    np.testing.assert_allclose(
        cross_validate(LinearDiscriminantAnalysis("lsqr"), X, y, folds=fold, loss="log").per_fold,
        cross_validate(Theirs("lsqr"), X, y, folds=fold, loss="log").per_fold, rtol=1e-8,
    )  # fmt: skip


@pytest.mark.parametrize("steps", [(), (StandardScaler(),)], ids=str)
@pytest.mark.parametrize(
    "last", [LinearDiscriminantAnalysis(), Ridge(1.0), LinearRegression(), GaussianNB(var_smoothing=1e-3)], ids=str
)
def test_a_column_that_is_constant_in_a_training_sample(steps, last):
    X, y = rows("regressor", 60, 3)
    X[:, 1] = np.arange(60) < 4  # varies in fold 0 only
    y = y if isinstance(last, Ridge | LinearRegression) else (y > np.median(y)).astype(int)
    fold = np.where(np.arange(60) < 8, 0, 1 + np.arange(60) % 3)
    model = make_pipeline(*(clone(s) for s in steps), last)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EpeeWarning)
        found = cross_validate(model, X, y, folds=fold)
        np.testing.assert_allclose(found.losses, refitted(model, X, y, fold, None), rtol=1e-7, atol=1e-9)


def test_a_perfect_fit_goes_back_to_the_rows():
    X, _ = rows("regressor", 60)
    y = X @ np.arange(1.0, 5.0) + 2
    fold = np.arange(60) % 5
    assert cross_validate(LinearRegression(), X, y, folds=fold).value < 1e-22
    tiny = y + 1e-7 * np.random.default_rng(0).normal(size=60)
    found = cross_validate(LinearRegression(), X, tiny, folds=fold)
    np.testing.assert_allclose(
        found.per_fold,
        [refitted(LinearRegression(), X, tiny, fold, None)[fold == k].mean() for k in range(5)],
        rtol=1e-6,
    )


def test_ill_conditioned_columns_are_refined_from_the_training_rows():
    x = np.linspace(0, 1, 150)[:, None]
    y = np.sin(6 * x[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=150)
    X, fold = x ** np.arange(1, 10), np.arange(150) % 5
    found = cross_validate(LinearRegression(), X, y, folds=fold)
    assert found.one_pass
    np.testing.assert_allclose(found.losses, refitted(LinearRegression(), X, y, fold, None), rtol=1e-7, atol=1e-9)


def test_several_targets():
    X, _ = rows("regressor")
    Y = X @ np.random.default_rng(2).normal(size=(4, 2)) + np.random.default_rng(3).normal(size=(len(X), 2))
    fold = np.arange(len(X)) % 4
    found = cross_validate(Ridge(1.0), X, Y, folds=fold)
    np.testing.assert_allclose(found.losses, refitted(Ridge(1.0), X, Y, fold, "squared"), rtol=1e-10)
    np.testing.assert_allclose(found.per_fold, [found.losses[fold == k].mean() for k in range(4)], rtol=1e-10)


def test_wide_tables_take_the_ordinary_route():
    X, y = rows("regressor", 20, 30)
    assert not cross_validate(Ridge(), X, y, folds=4).one_pass


def test_large_means_cost_no_digits():
    X, y = rows("regressor", 200)
    fold = np.arange(200) % 5
    near, far = (cross_validate(Ridge(1.0), X + shift, y, folds=fold).per_fold for shift in (0, 1e7))
    np.testing.assert_allclose(far, near, rtol=1e-6)


def test_unions_by_any_road_agree():
    rng = np.random.default_rng(0)
    from epee import Moments

    X, cell, group = rng.normal(size=(400, 3)), rng.integers(0, 12, 400), rng.integers(0, 2, 400)
    split = regrouped(cell, 12, 3, 4, 0)
    for scatter, g in (("full", None), ("full", group), ("pooled", group), ("diagonal", group), (None, group)):
        m = Moments.of(X, fold=cell, group=g, scatter=scatter)
        slow, fast = m.regroup("fold", split.tests()), dealt_unions(m, split.fold_of_cell, 3)
        several = unions(m, split.tests())
        for other in (fast, several):
            np.testing.assert_allclose(other.count, slow.count)
            np.testing.assert_allclose(other.mean, slow.mean, atol=1e-13)
            if scatter is not None:
                np.testing.assert_allclose(other.scatter, slow.scatter, atol=1e-11)
        train = raw_unions(fast, 1.0 - np.eye(3), 4)
        expected = m.regroup("fold", split.learns)
        np.testing.assert_allclose(train.mean, expected.mean, atol=1e-13)
        if scatter is not None:
            np.testing.assert_allclose(train.scatter, expected.scatter, atol=1e-11)


def test_cells_and_blocks_give_the_same_moments():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(21_000, 100)), rng.normal(size=21_000)  # large enough for the compiled gather
    route = open_route(Ridge(), X, y)
    cell = rng.integers(-1, 7, len(y))
    rows, keep = route.shared, route.probe.summation
    a, b = rows._by_cell(keep, cell, 7), rows._by_block(keep(rows.source, 7), cell, 7)
    np.testing.assert_allclose(a.count, b.count)
    np.testing.assert_allclose(a.mean, b.mean, atol=1e-13)
    np.testing.assert_allclose(a.scatter, b.scatter, atol=1e-9)


def test_a_bad_cell_is_named():
    X, y = rows("regressor")
    X[17, 2] = np.nan
    with pytest.raises(DataError, match="column 2.*row 17"):
        cross_validate(Ridge(), X, y)


def test_rows_out_of_play_are_ignored():
    X, y = rows("regressor", 60)
    route = open_route(Ridge(), X, y)
    cell = np.where(np.arange(60) < 10, -1, np.arange(60) % 2)
    split = Split(cell, ~np.eye(2, dtype=bool), np.arange(2)[None])
    losses = route.evaluate(split).losses[0]
    assert np.isnan(losses[:10]).all()
    np.testing.assert_allclose(
        losses[10:], open_route(Ridge(), X[10:], y[10:]).evaluate(kfold(cell[10:], 2)).losses[0], rtol=1e-9
    )
