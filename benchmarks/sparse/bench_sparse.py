"""Sparse rows: 20,000 x 100,000 with 0.1 % of the cells filled, as words of texts are."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from benchmarks.harness import Problem

SIZE = "20,000 x 100,000, 0.1 % filled"


@lru_cache(maxsize=1)
def words(n: int = 20_000, p: int = 100_000, filled: float = 0.001) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return rows of counts, a value that some columns move, and three classes of it."""
    from scipy.sparse import random_array

    rng = np.random.default_rng(0)
    X = random_array(
        (n, p), density=filled, rng=rng, format="csr", data_sampler=lambda size: rng.integers(1, 5, size) * 1.0
    )
    truth = np.where(rng.random(p) < 0.05, rng.standard_normal(p), 0.0)
    value = X @ truth + rng.standard_normal(n)
    return X, value, np.digitize(value, np.quantile(value, [1 / 3, 2 / 3]))


def two_classes() -> tuple[Any, np.ndarray]:
    """Return the rows and two classes."""
    X, value, _ = words()
    return X, (value > np.median(value)).astype(int)


def three_classes() -> tuple[Any, np.ndarray]:
    """Return the rows and three classes."""
    X, _, codes = words()
    return X, codes


def values() -> tuple[Any, np.ndarray]:
    """Return the rows and the value."""
    return words()[:2]


def quietly(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return the call without its warnings: a rival at its own tolerance may not converge."""

    def run(*data: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call(*data)

    return run


def log_losses(model: Any, X: Any, y: np.ndarray) -> float:
    """Return the sum of the log losses of two classes."""
    margin = np.where(y > 0, 1.0, -1.0) * (X @ model.coef_[0] + model.intercept_[0])
    return float(np.logaddexp(0.0, -margin).sum())


def log_risk(model: Any, X: Any, y: np.ndarray) -> float:
    """Return the penalised risk that logistic regression with C = 1 minimises, the bias free."""
    return log_losses(model, X, y) + 0.5 * float((model.coef_**2).sum())


def log_risk_l1(model: Any, X: Any, y: np.ndarray) -> float:
    """Return what it minimises with an L1 penalty; the price of the bias, which liblinear asks for, left out."""
    return log_losses(model, X, y) + float(np.abs(model.coef_).sum())


def net_risk(model: Any, X: Any, y: np.ndarray) -> float:
    """Return what the lasso and the elastic net minimise."""
    left, share = y - X @ model.coef_ - model.intercept_, getattr(model, "l1_ratio", 1.0)
    penalty = share * np.abs(model.coef_).sum() + (1 - share) / 2 * (model.coef_**2).sum()
    return float((left**2).mean() / 2 + model.alpha * penalty)


def ridge_risk(model: Any, X: Any, y: np.ndarray) -> float:
    """Return what ridge regression with a penalty of 1 minimises."""
    return float(((y - X @ model.coef_ - model.intercept_) ** 2).sum() + (model.coef_**2).sum())


def lower(risk: Callable[..., float], data: Callable[[], Any], within: float) -> Callable[[Any, Any], bool]:
    """Return whether what ours minimises is no higher than theirs, but for so small a share."""
    return lambda ours, theirs: risk(ours, *data()) <= risk(theirs, *data()) * (1 + within)


def problems() -> Iterator[Problem]:
    """Yield the problems; a rival that takes seconds has a round or two, so that all of them take less than four minutes."""
    for problem in _problems():
        yield replace(problem, fresh=False, budget=12.0)


def _problems() -> Iterator[Problem]:
    """Yield one problem for each method."""
    from sklearn import cluster, linear_model, naive_bayes

    import epee

    yield Problem(
        f"ridge, {SIZE}",
        data=values,
        ours=lambda X, y: epee.Ridge().fit(X, y),
        rivals={"scikit-learn (tol 1e-4)": lambda X, y: linear_model.Ridge().fit(X, y)},
        claim={"scikit-learn (tol 1e-4)": 1},
        same=lower(ridge_risk, values, 0.0),
        quick=True,
    )
    for name in ("MultinomialNB", "ComplementNB", "BernoulliNB"):
        yield Problem(
            f"{name}, {SIZE}, 3 classes",
            data=three_classes,
            ours=lambda X, y, name=name: getattr(epee, name)().fit(X, y),
            rivals={"scikit-learn": lambda X, y, name=name: getattr(naive_bayes, name)().fit(X, y)},
            claim={"scikit-learn": 1},
            same=lambda a, b: bool(np.allclose(a.feature_log_prob_, b.feature_log_prob_)),
            quick=True,
        )

    yield Problem(
        f"MultinomialNB predict, {SIZE}, 3 classes",
        data=lambda: (
            words()[0],
            epee.MultinomialNB().fit(*three_classes()),
            naive_bayes.MultinomialNB().fit(*three_classes()),
        ),
        ours=lambda X, ours, theirs: ours.predict(X),
        rivals={"scikit-learn": lambda X, ours, theirs: theirs.predict(X)},
        claim={"scikit-learn": 1},
        same=lambda a, b: bool((a == b).all()),
    )
    yield Problem(
        f"logistic, {SIZE}",
        data=two_classes,
        ours=lambda X, y: epee.LogisticRegression().fit(X, y),
        rivals={
            "liblinear": quietly(lambda X, y: linear_model.LogisticRegression(solver="liblinear").fit(X, y)),
            "saga": quietly(lambda X, y: linear_model.LogisticRegression(solver="saga").fit(X, y)),
            "lbfgs": quietly(lambda X, y: linear_model.LogisticRegression().fit(X, y)),
        },
        claim={"liblinear": 2, "saga": 2},
        same=lower(log_risk, two_classes, 1e-4),
        quick=True,
    )
    yield Problem(
        f"logistic with L1, {SIZE}",
        data=two_classes,
        ours=quietly(lambda X, y: epee.LogisticRegression(l1_ratio=1.0, solver="saga").fit(X, y)),
        rivals={
            "liblinear": quietly(lambda X, y: linear_model.LogisticRegression(l1_ratio=1, solver="liblinear").fit(X, y))
        },  # saga, the other with this penalty, did not end five passes in two minutes
        claim={"liblinear": 1},
        same=lower(log_risk_l1, two_classes, 1e-4),
    )
    for name, how in (("Lasso", {"alpha": 0.01}), ("ElasticNet", {"alpha": 0.02})):
        yield Problem(
            f"{name}, {SIZE}",
            data=values,
            ours=quietly(lambda X, y, name=name, how=how: getattr(epee, name)(**how).fit(X, y)),
            rivals={
                "scikit-learn": quietly(lambda X, y, name=name, how=how: getattr(linear_model, name)(**how).fit(X, y))
            },
            claim={"scikit-learn": 1},
            same=lower(net_risk, values, 1e-4),
        )
    yield Problem(
        f"k-means, 20 clusters, {SIZE}",
        data=lambda: (words()[0],),
        ours=lambda X: epee.KMeans(20, n_init=1, max_iter=10, random_state=0).fit(X),
        rivals={"scikit-learn": quietly(lambda X: cluster.KMeans(20, n_init=1, max_iter=10, random_state=0).fit(X))},
        claim={"scikit-learn": 1},
    )
    yield Problem(
        f"perceptron, {SIZE}",
        data=two_classes,
        ours=quietly(lambda X, y: epee.Perceptron(random_state=0).fit(X, y)),
        rivals={"scikit-learn": quietly(lambda X, y: linear_model.Perceptron(random_state=0).fit(X, y))},
        claim={"scikit-learn": 1},
    )
    yield Problem(
        f"stochastic descent of the log loss, 5 passes, {SIZE}",
        data=two_classes,
        ours=quietly(
            lambda X, y: epee.LinearClassifier("log", solver="sgd", max_iter=5, tol=0.0, random_state=0).fit(X, y)
        ),
        rivals={
            "scikit-learn": quietly(
                lambda X, y: linear_model.SGDClassifier("log_loss", max_iter=5, tol=None, random_state=0).fit(X, y)
            )
        },
        claim={"scikit-learn": 1},
    )
