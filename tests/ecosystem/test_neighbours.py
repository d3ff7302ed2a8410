"""Our estimators among the tools that live around scikit-learn; a tool that is not installed is not asked."""

from __future__ import annotations

import io

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline

import epee
from tests.older import as_of

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 3))
y = X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.normal(size=120)
kinds = np.where(y > 0.5, "high", "low")

MODELS = {
    "linear": (epee.Ridge(), y), "logistic": (epee.LogisticRegression(), kinds), "discriminant": (epee.LinearDiscriminantAnalysis(), kinds),
    "bayes": (epee.GaussianNB(), kinds), "neighbours": (epee.KNeighborsClassifier(3), kinds),
    "tree": (epee.DecisionTreeClassifier(), kinds),
    "forest": (epee.RandomForestRegressor(5, random_state=0), y), "boosting": (epee.HistGradientBoostingClassifier(max_iter=5), kinds),
}  # fmt: skip


@pytest.fixture(scope="module", params=MODELS, ids=str)
def fitted(request):
    model, target = MODELS[request.param]
    return sklearn.clone(model).fit(X, target)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_weights_are_routed_through_a_search_and_a_pipeline(routing):
    w = np.where(X[:, 2] > 0, 1.0, 0.0)
    ridge = epee.Ridge().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    model = make_pipeline(epee.StandardScaler().set_fit_request(sample_weight=True), ridge)
    search = GridSearchCV(model, {"ridge__alpha": [0.1]}, cv=3).fit(X, y, sample_weight=w)
    alone = epee.Ridge(alpha=0.1)
    scaler = epee.StandardScaler().fit(X[w > 0])
    alone.fit(scaler.transform(X[w > 0]), y[w > 0])
    np.testing.assert_allclose(search.best_estimator_[-1].coef_, alone.coef_)


def test_groups_are_routed_to_the_folds_of_our_own(routing):
    groups = np.arange(120) % 4
    found = epee.LassoCV(cv=GroupKFold(4), alphas=5).fit(X, y, groups=groups)
    by_hand = epee.LassoCV(cv=list(GroupKFold(4).split(X, y, groups)), alphas=5).fit(X, y)
    np.testing.assert_allclose(found.mse_path_, by_hand.mse_path_)


def test_groups_without_routing_are_refused():
    with pytest.raises(ValueError, match="enable_metadata_routing=True"):
        epee.LassoCV().fit(X, y, groups=np.arange(120) % 4)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@as_of("1.9")
def test_transformers_speak_the_library_of_frames(library):
    frames = pytest.importorskip(library)
    table = frames.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    scaled = epee.StandardScaler().set_output(transform=library).fit_transform(table)
    assert isinstance(scaled, frames.DataFrame) and list(scaled.columns) == ["a", "b", "c"]
    axes = epee.PCA(2).set_output(transform=library).fit_transform(table)
    assert list(axes.columns) == ["pca0", "pca1"]
    np.testing.assert_allclose(np.asarray(axes), epee.PCA(2).fit_transform(X), atol=1e-12)


@pytest.mark.filterwarnings("ignore:.*has no road on the device")
@pytest.mark.parametrize("name", ["linear", "logistic", "discriminant", "neighbours", "tree"])
def test_arrays_of_the_standard_are_taken(name):
    strict = pytest.importorskip("array_api_strict")
    model, target = MODELS[name]
    here = sklearn.clone(model).fit(X, target)
    there = sklearn.clone(model).fit(strict.asarray(X), target)
    np.testing.assert_array_equal(np.asarray(there.predict(strict.asarray(X))), here.predict(X))


def test_a_frozen_model_stays_as_it_is(fitted):
    frozen = pytest.importorskip("sklearn.frozen").FrozenEstimator(fitted)
    before = fitted.predict(X)
    frozen.fit(X[:10], np.zeros(10))
    np.testing.assert_array_equal(frozen.predict(X), before)


def test_displays_of_inspection_draw_our_models():
    from sklearn.inspection import DecisionBoundaryDisplay, PartialDependenceDisplay, permutation_importance
    from sklearn.metrics import RocCurveDisplay

    tree = epee.DecisionTreeClassifier(max_depth=3).fit(X[:, :2], kinds)
    shown = DecisionBoundaryDisplay.from_estimator(tree, X[:, :2], grid_resolution=12)
    assert shown.response.shape == (12, 12) and np.ptp(shown.response) == 1
    forest = epee.RandomForestRegressor(5, random_state=0).fit(X, y)
    display = PartialDependenceDisplay.from_estimator(forest, X, [0, (0, 1)], grid_resolution=5)
    assert len(display.pd_results) == 2
    assert permutation_importance(forest, X, y, n_repeats=2, random_state=0).importances_mean[2] < 0.2
    curve = RocCurveDisplay.from_estimator(epee.LogisticRegression().fit(X, kinds), X, kinds)
    assert 0.5 < curve.roc_auc <= 1


def test_joblib_writes_and_reads(fitted):
    import joblib

    box = io.BytesIO()
    joblib.dump(fitted, box)
    box.seek(0)
    np.testing.assert_array_equal(joblib.load(box).predict(X), fitted.predict(X))


def test_skops_writes_and_reads(fitted):
    skops = pytest.importorskip("skops.io")
    data = skops.dumps(fitted)
    again = skops.loads(data, trusted=skops.get_untrusted_types(data=data))
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))


def test_mlflow_keeps_our_models(fitted, tmp_path):
    flavour = pytest.importorskip("mlflow.sklearn")
    flavour.save_model(fitted, tmp_path / "model", serialization_format="pickle", pip_requirements=["scikit-learn"])
    np.testing.assert_array_equal(flavour.load_model(tmp_path / "model").predict(X), fitted.predict(X))


@pytest.mark.filterwarnings("ignore")
def test_skore_reports_on_our_models(fitted):
    skore = pytest.importorskip("skore")
    target = kinds if hasattr(fitted, "classes_") else y
    report = skore.EstimatorReport(
        sklearn.clone(fitted), X_train=X[:80], y_train=target[:80], X_test=X[80:], y_test=target[80:]
    )
    mine = sklearn.clone(fitted).fit(X[:80], target[:80])
    found = report.metrics.accuracy() if hasattr(fitted, "classes_") else report.metrics.r2()
    assert found == pytest.approx(mine.score(X[80:], target[80:]))


@pytest.mark.parametrize("name", ["tree", "forest"])
def test_shap_explains_our_trees(name):
    shap = pytest.importorskip("shap")
    model, target = MODELS[name]
    fit = sklearn.clone(model).fit(X, target)
    explainer = shap.TreeExplainer(fit)
    parts = np.asarray(explainer.shap_values(X[:20]))
    said = fit.predict_proba(X[:20]) if name == "tree" else fit.predict(X[:20])
    np.testing.assert_allclose(parts.sum(axis=1) + explainer.expected_value, said, atol=1e-6)
