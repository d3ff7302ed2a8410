"""Linear classifiers by descent against scikit-learn's solvers and scikit-learn-intelex."""

from __future__ import annotations

import warnings

from benchmarks.harness import Problem, gram
from benchmarks.problems import logistic


def _quiet(fn):
    """Rivals that stop at max_iter warn; here their time is the question."""

    def call(*data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fn(*data)

    return call


def problems():
    from sklearn.linear_model import LogisticRegression as Theirs
    from sklearn.linear_model import SGDClassifier
    from sklearn.svm import LinearSVC

    from epee import LinearClassifier, LogisticRegression

    def intel(X, y):
        from sklearnex.linear_model import LogisticRegression as Intel

        return Intel().fit(X, y)

    def near(ours, theirs):
        return abs(ours.coef_ - theirs.coef_).max() < 5e-3

    yield Problem(
        "logistic L2, 200,000 x 50",
        data=lambda: logistic(200_000, 50),
        ours=lambda X, y: LogisticRegression().fit(X, y),
        rivals={
            "lbfgs": _quiet(lambda X, y: Theirs().fit(X, y)),
            "newton-cholesky": _quiet(lambda X, y: Theirs(solver="newton-cholesky").fit(X, y)),
            "newton-cg": _quiet(lambda X, y: Theirs(solver="newton-cg").fit(X, y)),
            "intelex": _quiet(intel),
        },
        limits={"one X.T @ X": lambda X, y: gram(X)},
        claim={"lbfgs": 1.5, "newton-cholesky": 1.5, "newton-cg": 1.5, "intelex": 1.5},
        same=near,
        quick=True,
    )
    yield Problem(
        "logistic L2, 10 classes, 100,000 x 50",
        data=lambda: logistic(100_000, 50, K=10),
        ours=lambda X, y: LogisticRegression().fit(X, y),
        rivals={"lbfgs": _quiet(lambda X, y: Theirs().fit(X, y)), "intelex": _quiet(intel)},
        claim={"lbfgs": 1.5, "intelex": 1.5},
        same=near,
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
