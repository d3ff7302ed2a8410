"""What risk and job may ask of an estimator: each protocol gives the same as the slow way round it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_regressor
from sklearn.utils import get_tags

import epee
from epee.estimator.protocol import (
    AffineStep,
    Counted,
    FitsStack,
    Judge,
    KeepsMoments,
    LeavesOneOut,
    LeavesOneOutPath,
    LinearPredictor,
    Quadratic,
    RowWise,
    Seen,
    SolvesPath,
    SolvesStack,
    Varies,
)
from epee.estimator.registry import METHODS
from epee.moments.moments import Moments
from epee.moments.passes import reduce_source
from epee.table.fingerprints import fingerprint, target_fingerprint

RNG = np.random.default_rng(5)
X = RNG.normal(size=(80, 3)) + np.repeat([0.0, 1.5], 40)[:, None]
LABELS = np.repeat(["a", "b"], 40)
VALUES = X @ [1.0, -2.0, 0.5] + RNG.normal(size=80)
COUNTS = np.abs(X).round()
OURS = [m for m in METHODS if m.kind in ("classifier", "regressor")]
MOMENTS = [m for m in OURS if isinstance(m.example(), KeepsMoments)]


def rows_for(method):
    if method.name == "SmoothingSpline":
        return X[:, :1]
    return (
        COUNTS
        if method.name in ("CategoricalNB", "PoissonNB", "MultinomialNB", "ComplementNB", "MixedNB", "BernoulliNB")
        else X
    )


def fitted(method):
    model = method.example()
    values = np.abs(VALUES) if get_tags(model).target_tags.positive_only else VALUES
    return model.fit(rows_for(method), LABELS if method.kind == "classifier" else values)


@pytest.mark.parametrize("method", OURS, ids=lambda m: m.name)
@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")
def test_answers_of_clean_rows_are_the_predictions(method):
    model, rows = fitted(method), rows_for(method)
    assert isinstance(model, Judge)
    assert isinstance(model, Counted)
    assert isinstance(model, Seen)
    clean = model.clean(rows)
    if method.kind == "regressor":
        assert_array_equal(model.answers("values")(clean), model.predict(rows))
        assert model.answers("labels") is None
        return
    assert_array_equal(model.classes_[model.answers("labels")(clean)], model.predict(rows))
    assert model.answers("values") is None
    assert (model.answers("probabilities") is not None) == hasattr(model, "predict_proba")
    if hasattr(model, "predict_proba"):
        assert_allclose(model.answers("probabilities")(clean), model.predict_proba(rows), atol=1e-15)
    if (score := model.answers("scores")) is not None and hasattr(model, "decision_function"):
        two = score(clean)
        assert_allclose(two[:, 1] - two[:, 0], model.decision_function(rows), rtol=1e-12)


@pytest.mark.parametrize("method", MOMENTS, ids=lambda m: m.name)
@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")
def test_a_fit_is_a_sum_then_a_solve_then_a_look_at_the_rows(method):
    whole, rows = fitted(method), rows_for(method)
    model = clone(whole)
    y = LABELS if method.kind == "classifier" else VALUES
    if model.needs_rows:
        pytest.skip("sums over a fold are not all it needs")
    source = model.rows_in(rows, y)
    m = reduce_source(source, model.summation(source))
    model.fit_moments(m)
    if model.refines:
        model.refine(source, m)
    assert_allclose(model.predict(rows) == whole.predict(rows) if method.kind == "classifier" else model.predict(rows),
                    True if method.kind == "classifier" else whole.predict(rows), rtol=1e-9)  # fmt: skip
    twin = clone(whole)
    assert whole.same_moments_as(twin)
    assert twin.entered_like(model).fit_moments(m).predict(rows).shape == (80,)


def test_sums_are_shared_by_those_that_keep_the_same():
    lda, least_squares = epee.LinearDiscriminantAnalysis(), epee.LeastSquaresClassifier()
    assert lda.same_moments_as(least_squares)
    assert not lda.same_moments_as(epee.QuadraticDiscriminantAnalysis())
    assert not epee.QuadraticDiscriminantAnalysis().same_moments_as(
        epee.QuadraticDiscriminantAnalysis(covariance_type="diagonal")
    )
    assert epee.LinearRegression().same_moments_as(epee.Ridge())
    assert not epee.LinearRegression().same_moments_as(epee.LassoCV())
    assert not lda.same_moments_as(object())


@pytest.mark.parametrize(
    "model", [epee.LinearDiscriminantAnalysis(), epee.LinearRegression(), epee.Ridge(2.0)], ids=repr
)
def test_a_stack_is_each_fold_by_itself(model):
    assert isinstance(model, SolvesStack)
    y = VALUES if hasattr(model, "is_linear") and model.is_linear else LABELS
    train = model.moments(X, y, fold=np.arange(80) % 4).leave_one_out("fold")
    coef, intercept = model.solve_stack(train)
    for t in range(4):
        one = clone(model).fit_moments(train.at("fold", t))
        scores = X @ coef[t].T + intercept[t]
        if one.is_linear:
            assert_allclose(scores[:, 0], one.predict(X), rtol=1e-9)
        else:
            assert_array_equal(one.classes_[scores.argmax(axis=1)], one.predict(X))


@pytest.mark.parametrize("model", [epee.Ridge(), epee.Lasso(), epee.ElasticNet()], ids=repr)
def test_a_path_is_each_value_by_itself(model):
    assert isinstance(model, SolvesPath)
    m = model.moments(X, VALUES, fold=np.arange(80) % 2).leave_one_out("fold")
    coef, intercept, dof = model.solve_path(m, "alpha", [2.0, 0.1])
    assert coef.shape == (2, 2, 1, 3)
    assert dof.shape == (2, 2)
    for v, alpha in enumerate([2.0, 0.1]):
        one = clone(model).set_params(alpha=alpha).fit_moments(m.at("fold", 1))
        assert_allclose(coef[1, v, 0], one.coef_, atol=1e-4)
        assert_allclose(intercept[1, v, 0], one.intercept_, atol=1e-4)
    assert model.solve_path(m, "fit_intercept", [True]) is None


def test_a_stack_of_weights_is_each_weighting_by_itself():
    model = epee.LogisticRegression(tol=1e-10)
    assert isinstance(model, FitsStack)
    weights = RNG.integers(0, 3, size=(3, 80)).astype(float)
    codes = (LABELS == "b").astype(np.intp)
    coef, intercept = model.fit_stack(X, codes, weights)
    one = clone(model).fit(X, LABELS, sample_weight=weights[1])
    difference = coef[1, 1] - coef[1, 0], intercept[1, 1] - intercept[1, 0]
    assert_allclose(difference[0], one.coef_[0], rtol=1e-5)
    assert_allclose(difference[1], one.intercept_[0], rtol=1e-5)


@pytest.mark.parametrize(
    ("model", "parameter", "values"),
    [
        (epee.DecisionTreeClassifier(), "ccp_alpha", [0.1, 0.02, 0.0]),
        (epee.DecisionTreeRegressor(), "ccp_alpha", [0.5, 0.1]),
        (epee.KNeighborsClassifier(), "n_neighbors", [7, 4, 1]),
        (epee.KNeighborsClassifier(ties="nearest"), "n_neighbors", [4, 2]),
        (epee.KNeighborsRegressor(), "n_neighbors", [9, 2]),
        (epee.AdditiveSplines(), "dof", [2, 5]),
        (epee.LinearDiscriminantAnalysis(solver="lsqr"), "shrinkage", [0.9, 0.1]),
        (epee.QuadraticDiscriminantAnalysis(), "reg_param", [0.9, 0.1]),
        (epee.Ridge(), "alpha", [10.0, 0.1]),
    ],
    ids=lambda v: type(v).__name__ if hasattr(v, "fit") else None,
)
def test_variants_are_new_fits(model, parameter, values):
    assert isinstance(model, Varies)
    y = VALUES if is_regressor(model) else LABELS
    variants = clone(model).fit(X, y).variants(parameter, values)
    together = variants[0].answer_together(variants, variants[0].clean(X))
    for value, variant, found in zip(values, variants, together, strict=True):
        again = clone(model).set_params(**{parameter: value}).fit(X, y)
        assert variant.get_params()[parameter] == value
        for prediction in (variant.predict(X), found):
            if y is LABELS:
                assert_array_equal(prediction, again.predict(X))
            else:
                assert_allclose(prediction, again.predict(X), rtol=1e-9)
        assert variant.degrees_of_freedom() == pytest.approx(again.degrees_of_freedom())


def test_a_variant_that_needs_a_new_fit_is_none():
    assert epee.DecisionTreeClassifier().fit(X, LABELS).variants("max_depth", [1, 2]) is None
    assert epee.KNeighborsClassifier().fit(X, LABELS).variants("p", [1, 2]) is None
    assert epee.AdditiveSplines().fit(X, VALUES).variants("n_knots", [4, 5]) is None
    qda = epee.QuadraticDiscriminantAnalysis().fit(X, LABELS)
    assert qda.variants("covariance_type", ["full", "diagonal"]) is None
    wide = epee.Ridge().fit(X.T, VALUES[:3])
    assert wide.variants("alpha", [1.0, 2.0]) is None


def test_steps_say_what_they_are():
    products, scaler = epee.PolynomialFeatures(), epee.StandardScaler()
    assert isinstance(products, RowWise)
    assert not isinstance(scaler, RowWise)
    assert isinstance(scaler, AffineStep)
    assert not isinstance(products, AffineStep)
    group = (LABELS == "b").astype(int)
    m = Moments.of(X, VALUES, group=group, scatter="full")
    step = clone(scaler).fit_moments(m)
    assert_allclose(step.transform(X), scaler.fit(X).transform(X), atol=1e-12)
    scale, shift = scaler.affine(m.merge("group"))
    assert_allclose(X * scale + shift, scaler.transform(X), atol=1e-12)


@pytest.mark.parametrize("method", OURS, ids=lambda m: m.name)
@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")
def test_left_out_is_a_refit_without_the_row_or_none(method):
    model, rows = fitted(method), rows_for(method)
    if not isinstance(model, LeavesOneOut):
        pytest.skip("it has no formula")
    truth = (LABELS == "b").astype(np.intp) if method.kind == "classifier" else VALUES
    found = model.left_out(model.clean(rows), truth, None)
    if found is None or model.left_out_by != "closed form" or method.name in ("KernelRegression", "RidgeCV"):
        return  # these keep what they chose from all rows
    rest = np.arange(80) != 11
    refit = clone(model).fit(rows[rest], truth[rest])
    if method.kind == "regressor":
        assert_allclose(found[11], refit.predict(rows[11:12])[0], rtol=1e-6)
    else:
        assert found[11].argmax() == refit.predict(rows[11:12])[0]


def test_left_out_paths():
    for model, parameter in ((epee.Ridge(), "alpha"), (epee.KNeighborsRegressor(), "n_neighbors")):
        assert isinstance(model, LeavesOneOutPath)
        path = model.left_out_path(X, VALUES, None, parameter, [2, 5])
        assert_allclose(
            path[1], clone(model).set_params(**{parameter: 5}).fit(X, VALUES).left_out(X, VALUES), rtol=1e-9
        )
        assert model.left_out_path(X, VALUES, None, "nothing", [1]) is None


@pytest.mark.parametrize("method", [m for m in OURS if m.kind == "classifier"], ids=lambda m: m.name)
@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")
def test_log_odds_are_what_decides(method):
    model, rows = fitted(method), rows_for(method)
    form = model.log_odds() if isinstance(model, Quadratic) else None
    if form is None:
        return
    scores = model.answers("scores")(model.clean(rows))
    assert_allclose(form(rows), scores[:, 1] - scores[:, 0], rtol=1e-8, atol=1e-10)


def test_forms_of_the_gaussian_and_linear_classifiers():
    for name in ("QuadraticDiscriminantAnalysis", "GaussianNB", "LinearDiscriminantAnalysis", "LogisticRegression"):
        assert getattr(epee, name)().fit(X, LABELS).log_odds() is not None
    three = np.array(["a", "b", "c"])[np.arange(80) % 3]
    assert epee.GaussianNB().fit(X, three).log_odds() is None
    assert epee.LinearDiscriminantAnalysis().fit(X, three).log_odds() is None


@pytest.mark.parametrize("method", [m for m in OURS if m.kind == "regressor"], ids=lambda m: m.name)
@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")
def test_linear_means_linear(method):
    model, rows = fitted(method), rows_for(method)
    if model.is_linear:
        assert isinstance(model, LinearPredictor)
        assert_allclose(model.predict(rows), rows @ model.coef_ + model.intercept_, rtol=1e-12)


def test_the_rows_of_a_fit_are_known():
    tree = epee.DecisionTreeClassifier()
    assert tree.training_fingerprint is None
    assert tree.fit(X, LABELS).training_fingerprint == fingerprint(X)
    assert epee.BayesDecision(tree).fit(X, LABELS).training_fingerprint == fingerprint(X)
    assert tree.training_targets == target_fingerprint(LABELS) != target_fingerprint(LABELS[::-1])
