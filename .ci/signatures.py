"""Run every method on small tables of every kind, so that the signatures of the kernels they call can be noted.

    EPEE_SIGNATURES=notes.txt python .ci/signatures.py [names of methods] && python -m epee.kernels --notes notes.txt

A method that refuses a table (a regressor that gets classes, counts below zero) is passed over: what it called before counts too.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import Any

import numpy as np

import epee
from epee.estimator.registry import METHODS

warnings.simplefilter("ignore")


def tables() -> list[tuple[str, Any, Any, dict[str, Any]]]:
    """Return (what it is, inputs, target, what else fit gets)."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    tall = rng.normal(size=(5_000, 6))
    w = rng.integers(1, 3, size=300).astype(float)
    counts = rng.poisson(2.0, size=(300, 6)).astype(float)
    holes = np.where(rng.random(X.shape) < 0.05, np.nan, X)
    two, three, value = X[:, 0] + X[:, 1] > 0, np.digitize(X[:, 0], [-0.5, 0.5]), X[:, 0] ** 2 + X[:, 1]
    return [
        ("two classes", X, two.astype(int), {}),
        ("three classes, weighted", X, three, {"sample_weight": w}),
        ("two classes, weighted", X, two.astype(int), {"sample_weight": w}),
        ("three labels", X, np.array(["a", "b", "c"])[three], {}),
        ("values", X, value, {}),
        ("values, weighted", X, value, {"sample_weight": w}),
        ("two values", X, np.column_stack([value, X[:, 2]]), {}),
        ("columns first", np.asfortranarray(X), two.astype(int), {}),
        ("values, columns first", np.asfortranarray(X), value, {}),
        ("counts", counts, three, {}),
        ("counts to counts", counts, counts[:, 0], {}),
        ("holes", holes, three, {}),
        ("holes, values", holes, value, {}),
        ("one column", X[:, :1], value, {}),
        ("tall, two classes", tall, (tall[:, 0] > 0).astype(int), {}),
        ("tall, three classes", tall, np.digitize(tall[:, 0], [-0.5, 0.5]), {}),
        ("tall, values", tall, tall[:, 0] + tall[:, 1] ** 2, {}),
    ]


def try_methods(names: list[str]) -> None:
    """Fit everything, or the methods of these names, on everything it takes."""
    many = {"KernelRidge", "ClassicalMDS", "MDS", "Isomap", "LocallyLinearEmbedding", "TSNE", "KMedoids", "MeanShift"}
    for entry in METHODS:
        if names and entry.name not in names:
            continue
        made = getattr(import_module(f"epee.{entry.module}"), entry.name)
        for what, X, y, more in tables():
            if len(X) > 1_000 and entry.name in many:
                continue
            try:
                model = made()
                try:
                    model.fit(X, y, **more)
                except TypeError:
                    model.fit(X, y)
                for ask in ("predict", "predict_proba", "transform", "score_samples", "predict_left_out"):
                    if hasattr(model, ask):
                        getattr(model, ask)(X)
            except Exception as fault:  # noqa: BLE001 passed over, and said
                print(f"{entry.name} on {what}: {type(fault).__name__}", file=sys.stderr)


def try_options() -> None:
    """Fit trees and others with the options that their kernels are compiled for."""
    _, X, two, _ = tables()[0]
    y = X[:, 0] + np.abs(X[:, 1])
    for criterion in ("gini", "entropy"):
        epee.DecisionTreeClassifier(criterion=criterion).fit(X, two)
    for criterion in ("squared_error", "absolute_error", "poisson"):
        epee.DecisionTreeRegressor(criterion=criterion).fit(X, np.abs(y))
    levels = np.column_stack([X[:, :3], np.random.default_rng(1).integers(0, 4, size=len(X))])
    for made, target in ((epee.DecisionTreeClassifier, two), (epee.DecisionTreeRegressor, y)):
        made(categorical_features=[3]).fit(levels, target).predict(levels)
    for made, target in ((epee.HistGradientBoostingClassifier, two), (epee.HistGradientBoostingRegressor, y)):
        made(categorical_features=[3], max_iter=5).fit(levels, target).predict(levels)
        tall = np.tile(levels, (10, 1))
        made(categorical_features=[3], max_iter=5).fit(tall, np.tile(target, 10)).predict(tall)
        epee.risk.complexity_curve(made(early_stopping=False), X, target, "max_iter", [1, 2])
    for algorithm in ("brute", "kd_tree", "auto"):
        epee.KNeighborsClassifier(algorithm=algorithm).fit(X, two).predict(X)
    for loss in ("hinge", "log", "squared_hinge", "perceptron"):
        for penalty in ("l1", "l2"):
            epee.LinearClassifier(loss=loss, penalty=penalty).fit(X, two)


def try_the_job() -> None:
    """Learn from the samples, and from a larger table."""
    for name in epee.samples.names():
        target = epee.samples.describe(name).target
        if target:
            learned = epee.learn(str(epee.samples.path(name)), target)
            print(name, learned.verdict[:60], file=sys.stderr)
        epee.explore(str(epee.samples.path(name)))
    import pyarrow as pa

    rng = np.random.default_rng(2)
    X = rng.normal(size=(20_000, 8))
    columns = {f"x{j}": X[:, j] for j in range(8)}
    for y in (X[:, 0] + X[:, 1] ** 2, (X[:, 0] + X[:, 1] ** 2 > 1).astype(int), np.digitize(X[:, 0], [-0.5, 0.5])):
        epee.learn(pa.table({**columns, "y": y}), "y")


if __name__ == "__main__":
    asked = sys.argv[1:]
    for step in (lambda: try_methods(asked), *(() if asked else (try_options, try_the_job))):
        try:
            step()
        except Exception as fault:  # noqa: BLE001 passed over, and said
            print(f"{step.__name__}: {fault!r}", file=sys.stderr)
