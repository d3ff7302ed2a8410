"""Converters for ``skl2onnx``, registered as soon as it is imported beside an estimator of ours: ``to_onnx(model, X)`` takes it.

Pipelines of scikit-learn's transformers with a model of ours at the end are converted, too. Predictions agree to 1e-5 for float32 rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.exchange.onnx_graphs import Graph, of_boosting, of_forest, of_tree

LINEAR = ("LinearRegression", "Ridge", "RidgeCV", "Lasso", "ElasticNet", "LassoCV")
POSTERIORS = ("LogisticRegression", "LinearDiscriminantAnalysis")
SCORES = ("LinearClassifier", "Perceptron")
FORESTS = ("RandomForest", "ExtraTrees")


def linear_values(scope: Any, operator: Any, container: Any) -> None:
    """Write a linear regression."""
    graph = Graph(scope, operator, container)
    graph.values(graph.affine(np.atleast_2d(_laid_out(graph.model.coef_)), np.atleast_1d(graph.model.intercept_)))


def linear_classes(scope: Any, operator: Any, container: Any) -> None:
    """Write a linear classifier; those with probabilities show them, the others their scores."""
    graph = Graph(scope, operator, container)
    scores = graph.affine(np.atleast_2d(_laid_out(graph.model.coef_)), np.atleast_1d(graph.model.intercept_))
    two, classes = len(graph.model.classes_) == 2, graph.model.classes_
    if hasattr(graph.model, "predict_proba"):
        shares = graph.two_sides(scores) if two else graph.node("Softmax", [scores], axis=1)
        graph.labels(shares, shares, classes)
        return
    both = graph.node("Concat", [graph.node("Neg", [scores]), scores], axis=1) if two else scores
    graph.labels(both, both, classes)


def tree_values(scope: Any, operator: Any, container: Any) -> None:
    """Write a regression tree, or a forest of them."""
    graph = Graph(scope, operator, container)
    model = graph.model
    graph.values(graph.trees(of_forest(model) if hasattr(model, "forest_") else of_tree(model.tree_), 1))


def tree_classes(scope: Any, operator: Any, container: Any) -> None:
    """Write a classification tree, or a forest of them."""
    graph = Graph(scope, operator, container)
    model = graph.model
    shares = graph.trees(of_forest(model) if hasattr(model, "forest_") else of_tree(model.tree_), len(model.classes_))
    graph.labels(shares, shares, model.classes_)


def boosted_values(scope: Any, operator: Any, container: Any) -> None:
    """Write boosted trees for a number."""
    graph = Graph(scope, operator, container)
    raw = graph.trees(of_boosting(graph.model.trees_, 1), 1, graph.model._start)
    graph.values(graph.node("Exp", [raw]) if graph.model.loss in ("poisson", "gamma") else raw)


def boosted_classes(scope: Any, operator: Any, container: Any) -> None:
    """Write boosted trees for classes."""
    graph = Graph(scope, operator, container)
    K = len(graph.model._start)
    raw = graph.trees(of_boosting(graph.model.trees_, K), K, graph.model._start)
    shares = graph.two_sides(raw) if K == 1 else graph.node("Softmax", [raw], axis=1)
    graph.labels(shares, shares, graph.model.classes_)


def _laid_out(coef: Any) -> np.ndarray:
    return coef.toarray() if hasattr(coef, "toarray") else np.asarray(coef)


def register() -> None:
    """Tell ``skl2onnx`` of our classes."""
    from skl2onnx import update_registered_converter
    from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes as classes
    from skl2onnx.common.shape_calculator import calculate_linear_regressor_output_shapes as values

    import epee

    numbers = dict.fromkeys(LINEAR, linear_values) | {
        f"{kind}Regressor": tree_values for kind in (*FORESTS, "DecisionTree")
    }
    numbers["HistGradientBoostingRegressor"] = boosted_values
    labels = dict.fromkeys(POSTERIORS + SCORES, linear_classes)
    labels |= {f"{kind}Classifier": tree_classes for kind in (*FORESTS, "DecisionTree")}
    labels["HistGradientBoostingClassifier"] = boosted_classes
    for name, convert in numbers.items():
        update_registered_converter(getattr(epee, name), f"Epee{name}", values, convert, overwrite=True)
    options = {
        "zipmap": [True, False, "columns"],
        "nocl": [True, False],
        "output_class_labels": [True, False],
        "raw_scores": [False],
    }
    for name, convert in labels.items():
        update_registered_converter(
            getattr(epee, name), f"Epee{name}", classes, convert, overwrite=True, options=options
        )
