"""Our models as ONNX graphs predict what they predict here."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import epee
from epee.errors import WrongUse
from epee.exchange.onnx_graphs import lowered

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4)).astype(np.float32)
y = X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.normal(size=200)
TARGETS = {"two": np.where(y > 0.5, "high", "low"), "three": np.digitize(y, [0.0, 1.5])}
REGRESSORS = ("LinearRegression", "Ridge", "RidgeCV", "Lasso", "ElasticNet", "LassoCV", "DecisionTreeRegressor", "RandomForestRegressor",
              "ExtraTreesRegressor", "HistGradientBoostingRegressor")  # fmt: skip
CLASSIFIERS = ("LogisticRegression", "LinearDiscriminantAnalysis", "LinearClassifier", "Perceptron", "DecisionTreeClassifier",
               "RandomForestClassifier", "ExtraTreesClassifier", "HistGradientBoostingClassifier")  # fmt: skip


def asked(model, rows, **options):
    """Return what the graph of a model says of rows."""
    convert, runtime = pytest.importorskip("skl2onnx"), pytest.importorskip("onnxruntime")
    graph = convert.to_onnx(model, rows[:1], **options)
    session = runtime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: rows})


def made(name):
    few = (
        {"n_estimators": 10}
        if "Forest" in name or "ExtraTrees" in name
        else {"max_iter": 10}
        if "Boosting" in name
        else {}
    )
    return getattr(epee, name)(**few)


def test_thresholds_never_rise():
    t = np.array([0.1, -0.1, 1 / 3, 1e300, 0.5])
    assert (lowered(t).astype(float) <= t).all() and lowered(t)[-1] == 0.5
    cells = rng.normal(size=2000).astype(np.float32)
    cut = (cells[:-1].astype(float) + cells[1:]) / 2
    np.testing.assert_array_equal(cells[:-1] <= lowered(cut), cells[:-1].astype(float) <= cut)


@pytest.mark.parametrize("name", REGRESSORS)
def test_numbers(name):
    model = made(name).fit(X, y)
    np.testing.assert_allclose(asked(model, X)[0].ravel(), model.predict(X), atol=1e-5)


@pytest.mark.filterwarnings("ignore:no plane that separates")
@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("kind", TARGETS)
def test_classes(name, kind):
    model = made(name).fit(X, TARGETS[kind])
    labels, shown = asked(model, X, options={id(model): {"zipmap": False}})
    np.testing.assert_array_equal(labels, model.predict(X))
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(shown, model.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("loss", ["poisson", "absolute_error"])
def test_losses_of_boosting(loss):
    model = epee.HistGradientBoostingRegressor(loss=loss, max_iter=10).fit(X, np.abs(y) + 0.1)
    np.testing.assert_allclose(asked(model, X)[0].ravel(), model.predict(X), atol=1e-5)


def test_missing_cells_go_where_they_go_here():
    holes = np.where(rng.random(X.shape) < 0.2, np.nan, X).astype(np.float32)
    for name in ("DecisionTreeRegressor", "RandomForestRegressor", "HistGradientBoostingRegressor"):
        model = made(name).fit(holes, y)
        np.testing.assert_allclose(asked(model, holes)[0].ravel(), model.predict(holes), atol=1e-5)


def test_the_end_of_a_pipeline():
    model = make_pipeline(StandardScaler(), epee.LogisticRegression()).fit(X, TARGETS["three"])
    labels, shown = asked(model, X, options={"zipmap": False})
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_allclose(shown, model.predict_proba(X), atol=1e-5)


def test_what_onnx_cannot_say_is_said():
    codes = np.column_stack([np.arange(200) % 5, X[:, 0]]).astype(np.float32)
    tree = epee.DecisionTreeRegressor(categorical_features=[0]).fit(codes, np.isin(codes[:, 0], [1, 3]) + 0.0)
    with pytest.raises(WrongUse, match="sets"):
        asked(tree, codes)
