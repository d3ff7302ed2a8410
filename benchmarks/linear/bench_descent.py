"""Linear classifiers by descent against scikit-learn's solvers and scikit-learn-intelex."""

from __future__ import annotations

import warnings
from functools import cache as cached

import numpy as np

from benchmarks.harness import Problem, gram
from benchmarks.problems import logistic

SLOPE = 1e-6  # of the mean loss: everyone is told to go on until the largest is at most this


def _quiet(fn):
    """Rivals that stop at max_iter warn; here their time is the question."""

    def call(*data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fn(*data)

    return call


def largest_slope(model, X, y):
    """Return the largest slope of the mean penalised loss (C = 1) where a model stopped."""
    W, b = model.coef_, np.ravel(model.intercept_)
    S = X @ W.T + b
    S = np.column_stack([np.zeros(len(X)), S]) if len(W) == 1 else S
    P = np.exp(S - S.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    P -= y[:, None] == model.classes_
    P = P[:, 1:] if len(W) == 1 else P
    return max(np.abs(P.T @ X + W).max(), np.abs(P.sum(axis=0)).max()) / len(X)


def problems():
    from sklearn.linear_model import LogisticRegression as Theirs
    from sklearn.linear_model import SGDClassifier
    from sklearn.svm import LinearSVC

    from epee import LinearClassifier, LogisticRegression

    def intel(X, y):
        from sklearnex.linear_model import LogisticRegression as Intel

        return Intel(tol=SLOPE * len(X)).fit(X, y)  # its tolerance is for the slope of the sum, not of the mean

    def near(ours, theirs):
        return abs(ours.coef_ - theirs.coef_).max() < 5e-3

    two, many = cached(lambda: logistic(200_000, 50)), cached(lambda: logistic(100_000, 50, K=10))
    yield Problem(
        "logistic L2, 200,000 x 50, to a slope of 1e-6",
        data=two,
        ours=lambda X, y: LogisticRegression(tol=SLOPE).fit(X, y),
        rivals={
            "lbfgs": _quiet(lambda X, y: Theirs(tol=SLOPE).fit(X, y)),
            "newton-cholesky": _quiet(lambda X, y: Theirs(solver="newton-cholesky", tol=SLOPE).fit(X, y)),
            "newton-cg": _quiet(lambda X, y: Theirs(solver="newton-cg", tol=SLOPE).fit(X, y)),
            "intelex": _quiet(intel),
        },
        limits={"one X.T @ X": lambda X, y: gram(X)},
        claim={"lbfgs": 1.5, "newton-cholesky": 1.5, "newton-cg": 1.5, "intelex": 1.5},
        same=lambda a, b: largest_slope(a, *two()) <= SLOPE and largest_slope(b, *two()) <= 1.01 * SLOPE and near(a, b),
        quick=True,
    )
    yield Problem(
        "logistic L2, 10 classes, 100,000 x 50, to a slope of 1e-6",
        data=many,
        ours=lambda X, y: LogisticRegression(tol=SLOPE).fit(X, y),
        rivals={"lbfgs": _quiet(lambda X, y: Theirs(tol=SLOPE).fit(X, y)), "intelex": _quiet(intel)},
        claim={"lbfgs": 1.5, "intelex": 1.5},
        same=lambda a, b: (
            largest_slope(a, *many()) <= SLOPE and largest_slope(b, *many()) <= 1.01 * SLOPE and near(a, b)
        ),
    )
    yield Problem(
        "path of 50 L2 penalties, 200,000 x 50",
        data=lambda: logistic(200_000, 50),
        ours=lambda X, y: LogisticRegression().path(X, y, 50),
        limits={"one fit": lambda X, y: LogisticRegression().fit(X, y)},
        claim={"one fit": 6},
    )
    yield Problem(
        "logistic L1, C = 0.01, 100,000 x 50",
        data=lambda: logistic(100_000, 50),
        ours=lambda X, y: LogisticRegression(l1_ratio=1.0, C=0.01).fit(X, y),
        rivals={
            "liblinear": _quiet(lambda X, y: Theirs(l1_ratio=1.0, C=0.01, solver="liblinear").fit(X, y)),
            "saga": _quiet(lambda X, y: Theirs(l1_ratio=1.0, C=0.01, solver="saga").fit(X, y)),
        },
        claim={"liblinear": 1, "saga": 1},
        same=near,
    )
    alpha = 1e-4
    yield Problem(
        "hinge L2, 100,000 x 50",
        data=lambda: logistic(100_000, 50, strength=2.0),
        ours=lambda X, y: LinearClassifier("hinge", alpha=alpha).fit(X, y),
        rivals={"LinearSVC": _quiet(lambda X, y: LinearSVC(loss="hinge", C=1 / (alpha * len(X))).fit(X, y))},
        claim={"LinearSVC": 1},
        same=lambda ours, theirs: abs(ours.coef_ - theirs.coef_).max() < 0.05,
    )
    yield Problem(
        "squared hinge L2, 100,000 x 50",
        data=lambda: logistic(100_000, 50, strength=2.0),
        ours=lambda X, y: LinearClassifier("squared_hinge", alpha=alpha).fit(X, y),
        rivals={"LinearSVC": _quiet(lambda X, y: LinearSVC(C=1 / (2 * alpha * len(X)), dual=False).fit(X, y))},
        claim={"LinearSVC": 1},
    )
    for loss, name in (("hinge", "hinge"), ("log", "log_loss")):
        yield Problem(
            f"stochastic descent, {loss}, 5 passes, 200,000 x 50",
            data=lambda: logistic(200_000, 50),
            ours=_quiet(
                lambda X, y, loss=loss: LinearClassifier(loss, solver="sgd", max_iter=5, tol=0, random_state=0).fit(
                    X, y
                )
            ),
            rivals={
                "SGDClassifier": _quiet(
                    lambda X, y, name=name: SGDClassifier(name, max_iter=5, tol=None, random_state=0).fit(X, y)
                )
            },
            claim={"SGDClassifier": 1},
        )
