"""Every estimator keeps its own laws at every width, in every layout: a kernel may be wrong at one width alone.

Rows of p = 1 ... 40 columns, more rows than columns and fewer, are given in float32 and float64, C and Fortran order; the values are
the same four times, so that the four fits must agree, too.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from epee.errors import EpeeWarning
from epee.estimator.registry import METHODS
from tests.contract.own_laws import KINDS, OWN

WIDTHS = range(1, 41)
FEW_WIDTHS = (1, 2, 3, 4, 7, 8, 9, 16, 17, 32, 33, 40)  # those around the width of a vector register
HEAVY = {  # methods of many milliseconds a fit
    "TSNE": (2, 8),
    "LinearClassifier": (1, 8, 16),
    "GaussianDensity": FEW_WIDTHS,
    "GaussianMixture": FEW_WIDTHS,
    "LocallyLinearEmbedding": FEW_WIDTHS,
    "ClassicalMDS": FEW_WIDTHS,
    "BernoulliMixture": FEW_WIDTHS,
    "RobustRegression": FEW_WIDTHS,
    "SemiSupervisedGaussian": FEW_WIDTHS,
    "Isomap": FEW_WIDTHS,
    "AdditiveSplines": (1, 2, 3, 4, 8, 9, 16),
    "BayesClassifier": FEW_WIDTHS,
    "DynamicClouds": FEW_WIDTHS,
    "PolynomialRegression": (1, 2, 3, 4, 7, 8, 9, 16),
    "SmoothingSpline": (1,),
    "HistGradientBoostingClassifier": FEW_WIDTHS,
    "HistGradientBoostingRegressor": FEW_WIDTHS,
    "SelectFeatures": FEW_WIDTHS,
    "LandmarkRegressor": FEW_WIDTHS,
    "LandmarkClassifier": FEW_WIDTHS,
}
COUNTS = (
    "BernoulliNB",
    "CategoricalNB",
    "PoissonNB",
    "MultinomialNB",
    "ComplementNB",
    "BernoulliMixture",
    "PoissonMixture",
)
SHARP = {  # searches go on until the law can be seen
    "Lasso": {"tol": 1e-12, "max_iter": 100_000},
    "ElasticNet": {"tol": 1e-12, "max_iter": 100_000},
    "LassoCV": {"tol": 1e-12, "max_iter": 100_000},
    "LogisticRegression": {"tol": 1e-9, "max_iter": 1000},
    "RobustRegression": {"tol": 1e-10, "max_iter": 1000},
    "PoissonRegressor": {"tol": 1e-10},
    "KMeans": {"tol": 0.0},
}
HALF_LABELLED = ("SemiSupervisedGaussian", "LabelPropagation")
CHAOTIC = {  # a rounding decides which rows come next, so that layouts may part
    "Perceptron", "LinearClassifier", "TSNE", "MDS", "SparseCoding", "KMeans", "Isodata", "DynamicClouds", "GaussianMixture",
    "BernoulliMixture", "PoissonMixture", "LocallyLinearEmbedding", "Isomap", "RobustRegression", "LassoCV",
}  # fmt: skip


def rows_of(p, name):
    """Return rows and classes; a width has one number of rows, below it or above."""
    rng = np.random.default_rng(p)
    n = 60 if p % 2 else 25
    if name == "QuadraticDiscriminantAnalysis":  # a covariance for each class
        n = 150
    y = np.arange(n) % 3
    if name in HALF_LABELLED:
        y[::4] = -1
    X = rng.normal(size=(n, p)) + 0.7 * y[:, None]
    if name in COUNTS:
        X = np.floor(np.abs(X))
    return np.asarray(X, dtype=np.float32), y, rng


def layouts(X):
    for dtype in (np.float64, np.float32):
        for order in "CF":
            yield f"{np.dtype(dtype).name} {order}", np.array(X, dtype=dtype, order=order)


def arguments_of(method, p):
    arguments = method.arguments | SHARP.get(method.name, {})
    if method.random and "random_state" in method.example().get_params():
        arguments["random_state"] = 0
    if method.name in ("LocallyLinearEmbedding", "TSNE") and p == 1:
        arguments["n_components"] = 1
    return arguments


def answer(model, X):
    for name in ("decision_function", "predict", "transform", "score_samples"):
        if hasattr(model, name):
            return np.asarray(getattr(model, name)(X), dtype=float)
    return np.asarray(getattr(model, "labels_", getattr(model, "embedding_", 0.0)), dtype=float)


def check_laws(method, widths):
    """Fit a method at these widths in every layout, and see that its laws hold."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EpeeWarning)
        for p in widths:
            values, y, rng = rows_of(p, method.name)
            if method.kind in ("regressor", "predictor") or method.name == "SelectFeatures":
                y = values @ np.ones(p) + rng.normal(size=len(values))
                y = np.floor(np.abs(y)) if method.name == "PoissonRegressor" else y
                y = np.exp(y / np.abs(y).max()) if method.name == "LogTarget" else y  # which takes positive ones only
            X, first = values.astype(np.float64), None
            for layout, table in layouts(values):
                try:
                    model = method.example(**arguments_of(method, p)).fit(table, y)
                    KINDS[method.kind](model, X, y)
                    OWN.get(method.name, lambda *_: None)(model, X, y)
                    if method.name not in CHAOTIC:
                        found = answer(model, X)
                        first = found if first is None else first
                        size = np.abs(first).max(initial=1e-300)
                        np.testing.assert_allclose(
                            found / size, first / size, atol=1e-4 if table.dtype.itemsize == 4 else 1e-7
                        )
                except Exception as error:
                    raise AssertionError(f"{method.name}, {len(X)} x {p}, {layout}: {error}") from error


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_laws_hold_at_every_width_in_every_layout(method):
    check_laws(
        method, HEAVY.get(method.name, WIDTHS)
    )  # those of many milliseconds at all widths: tests/faults/test_widths.py
