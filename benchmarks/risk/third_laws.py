"""Tables and ways of learning that a third examiner brought: what an applied statistician builds, and where it is known to break.

Pipelines that look at the target (encoders, selection), tuned penalties, trees, kernels and splines; as many columns as rows, columns that
add up to one, cells below a limit of detection; insurance claims, counts of too great a spread, quantiles, robust losses; classes that are
separated, singular, rare or many. A :class:`Study` says how rows are drawn, what learns from them, and by which loss it is judged.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from benchmarks.risk.second_laws import Draw, Table, plane

COSTS4 = np.array([[0.0, 1, 4, 20], [1, 0, 2, 6], [3, 1, 0, 2], [8, 5, 1, 0]])  # said, true
REJECTION = np.vstack([1 - np.eye(2), [0.2, 0.2]])


class Study(NamedTuple):
    """A law, what learns from it, and the loss."""

    draw: Draw
    make: Callable[[], Any]
    loss: Any = None
    classes: int = 0
    fresh: int = 100_000
    repeats: int = 20


def products(r: np.random.Generator, n: int) -> Table:
    """Return a bowl and a saddle."""
    X = r.normal(size=(n, 3))
    return X, X[:, 0] ** 2 + X[:, 1] * X[:, 2] + 0.5 * r.normal(size=n)


def many_levels(r: np.random.Generator, n: int) -> Table:
    """Return sixty levels, most of them rare."""
    share = 1 / np.arange(1.0, 61)
    level = r.choice(60, n, p=share / share.sum())
    effect = np.random.default_rng(60).normal(size=60)
    x = r.normal(size=n)
    return np.column_stack([level, x]), effect[level] + x + r.normal(size=n)


def sparse(p: int) -> Draw:
    """Return two columns that matter, of p."""

    def draw(r: np.random.Generator, n: int) -> Table:
        X = r.normal(size=(n, p))
        return X, X[:, 0] - 0.7 * X[:, 1] + r.normal(size=n)

    return draw


def dense(p: int) -> Draw:
    """Return p columns that matter a little."""

    def draw(r: np.random.Generator, n: int) -> Table:
        X = r.normal(size=(n, p))
        return X, X.sum(axis=1) / np.sqrt(p) + r.normal(size=n)

    return draw


def below_detection(r: np.random.Generator, n: int) -> Table:
    """Return cells that are missing where they are small."""
    X, told = plane(r, n)
    return np.where(X < -0.7, np.nan, X), told + r.normal(size=n)


def insurance(r: np.random.Generator, n: int) -> Table:
    """Return sums that are zero for nineteen of twenty."""
    X, told = plane(r, n, 2)
    return X, np.where(r.random(n) < 0.05 * np.exp(told / 2), r.gamma(2.0, 2.0, n), 0.0)


def spread_counts(r: np.random.Generator, n: int) -> Table:
    """Return negative binomial counts."""
    X = r.normal(size=(n, 2))
    return X, r.poisson(np.exp(0.3 + 0.6 * X[:, 0]) * r.gamma(0.7, 1 / 0.7, n)).astype(float)


def fans(r: np.random.Generator, n: int) -> Table:
    """Return errors whose spread grows with an input."""
    X = r.uniform(0, 2, size=(n, 2))
    return X, X.sum(axis=1) + X[:, 0] * r.laplace(size=n)


def soiled(r: np.random.Generator, n: int) -> Table:
    """Return one error in ten that is twelve times as large."""
    X, told = plane(r, n)
    return X, told + r.normal(size=n) * np.where(r.random(n) < 0.1, 12.0, 1.0)


def no_variance(r: np.random.Generator, n: int) -> Table:
    """Return errors of a mean and no variance."""
    X, told = plane(r, n)
    return X, told + r.standard_t(1.5, n)


def money(r: np.random.Generator, n: int) -> Table:
    """Return a lognormal target."""
    X, told = plane(r, n)
    return X, np.exp(told + 0.7 * r.normal(size=n))


def wave(r: np.random.Generator, n: int) -> Table:
    """Return a wave of one input."""
    x = r.uniform(0, 1, size=(n, 1))
    return x, np.sin(8 * x[:, 0]) + 0.4 * r.normal(size=n)


def bent(r: np.random.Generator, n: int) -> Table:
    """Return a bent line whose ends are rarely seen."""
    x = r.normal(size=(n, 1))
    return x, np.abs(x[:, 0]) + 0.5 * r.normal(size=n)


def far_single(r: np.random.Generator, n: int) -> Table:
    """Return single precision at a million: steps of a sixteenth."""
    X, told = plane(r, n)
    return (X + 1e6).astype(np.float32), (told + r.normal(size=n)).astype(np.float32)


def units(r: np.random.Generator, n: int) -> Table:
    """Return columns whose units differ by sixteen orders."""
    X, told = plane(r, n)
    return X * np.array([1e-8, 1.0, 1e4, 1e8]), 1e6 * (told + r.normal(size=n))


def shares(r: np.random.Generator, n: int) -> Table:
    """Return shares that add up to one."""
    X = r.dirichlet(np.ones(5), n)
    return X, 4 * X[:, 0] - 2 * X[:, 3] + r.normal(size=n)


def surface(r: np.random.Generator, n: int) -> Table:
    """Return Friedman's surface."""
    X = r.uniform(0, 1, size=(n, 6))
    told = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, told + r.normal(size=n)


def steps(r: np.random.Generator, n: int) -> Table:
    """Return a staircase of two inputs."""
    X = r.uniform(0, 4, size=(n, 2))
    return X, np.floor(X).sum(axis=1) + 0.5 * r.normal(size=n)


def ellipsoids(r: np.random.Generator, n: int) -> Table:
    """Return two clouds that are flat in three of six columns, and of unequal spread in the others."""
    y = r.integers(0, 2, n)
    X = r.normal(size=(n, 6)) * np.where(y[:, None] == 1, [2, 2, 2, 0.02, 0.02, 0.01], [1, 1, 1, 0.02, 0.02, 0.01])
    return X, y


def gap(width: float, share: float, p: int = 3) -> Draw:
    """Return two clouds some widths apart."""

    def draw(r: np.random.Generator, n: int) -> Table:
        y = (r.random(n) < share).astype(int)
        X = r.normal(size=(n, p))
        X[:, 0] += width * y
        return X, y

    return draw


def four_grades(r: np.random.Generator, n: int) -> Table:
    """Return four classes of unequal share on a line."""
    y = r.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])
    X = r.normal(size=(n, 3))
    X[:, 0] += 1.5 * y
    return X, y


def thirty_kinds(r: np.random.Generator, n: int) -> Table:
    """Return thirty classes on a grid."""
    y = r.integers(0, 30, n)
    return 2.5 * np.column_stack([y % 6, y // 6]) + r.normal(size=(n, 2)), y


def wrong_labels(r: np.random.Generator, n: int) -> Table:
    """Return a frontier that is crossed, with three labels of ten wrong."""
    X = r.normal(size=(n, 10))
    y = (X[:, :3].sum(axis=1) > 0).astype(int)
    return X, np.where(r.random(n) < 0.3, 1 - y, y)


def even_noise(p: int) -> Draw:
    """Return two even classes of which p columns tell nothing."""
    return lambda r, n: (r.normal(size=(n, p)), r.permutation(np.arange(n) % 2))


def answers(r: np.random.Generator, n: int) -> Table:
    """Return four questions of twelve rare answers."""
    share = 0.7 ** np.arange(12)
    X = r.choice(12, (n, 4), p=share / share.sum())
    return X.astype(float), (r.random(n) < expit(((X % 2) - 0.3).sum(axis=1))).astype(int)


def piped(*steps: Any) -> Any:
    """Return a pipeline of scikit-learn."""
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*steps)


def encoded() -> Any:
    """Return an encoder of levels by their targets, before a line."""
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import TargetEncoder

    import epee

    before = make_column_transformer(
        (TargetEncoder(target_type="continuous", random_state=0), [0]), remainder="passthrough"
    )
    return piped(before, epee.LinearRegression())


def selected(k: int, model: Any, classes: bool = False) -> Any:
    """Return a choice of columns by their own tests, before a model."""
    from sklearn.feature_selection import SelectKBest, f_classif, f_regression

    return piped(SelectKBest(f_classif if classes else f_regression, k=k), model)


@cache
def studies() -> dict[str, Study]:
    """Return all of them by name."""
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import SplineTransformer

    import epee

    line = epee.LinearRegression
    lda = epee.LinearDiscriminantAnalysis
    return {
        "products after a scaler, ridge": Study(
            products, lambda: piped(epee.StandardScaler(), epee.PolynomialFeatures(2), epee.Ridge(1.0))
        ),
        "sixty levels coded by their targets": Study(many_levels, encoded, repeats=3),
        "five of a hundred columns picked": Study(sparse(100), lambda: selected(5, line()), repeats=3),
        "SelectFeatures, two of eight": Study(
            sparse(8), lambda: piped(epee.SelectFeatures(line(), n_features=2, folds=5), line()), repeats=3
        ),
        "RidgeCV, forty columns": Study(dense(40), epee.RidgeCV, repeats=3),
        "LassoCV, forty columns": Study(sparse(40), lambda: epee.LassoCV(cv=5), repeats=2),
        "cells below a limit, indicated": Study(
            below_detection, lambda: piped(SimpleImputer(strategy="median", add_indicator=True), line()), repeats=3
        ),
        "insurance claims, a line": Study(insurance, line, fresh=400_000),
        "insurance claims, Poisson deviance": Study(
            insurance, lambda: epee.PoissonRegressor(alpha=0.0), "poisson", fresh=400_000, repeats=3
        ),
        "counts of great spread, Poisson deviance": Study(
            spread_counts, lambda: epee.PoissonRegressor(alpha=0.0), "poisson", repeats=3
        ),
        "a quantile of 0.9, pinball": Study(
            fans, lambda: epee.QuantileRegressor(quantile=0.9, alpha=0.0), "quantile0.9", repeats=2
        ),
        "soiled errors, Huber": Study(soiled, epee.RobustRegression, "huber", repeats=2),
        "soiled errors, a line": Study(soiled, line, fresh=400_000),
        "t(1.5) errors, absolute": Study(no_variance, epee.RobustRegression, "absolute", fresh=1_000_000, repeats=2),
        "money, a line of its logarithm": Study(money, lambda: epee.LogTarget(line()), fresh=400_000, repeats=3),
        "a wave, smoothing spline": Study(wave, lambda: epee.SmoothingSpline(dof=7.0), repeats=3),
        "a wave, spline basis and ridge": Study(wave, lambda: piped(SplineTransformer(8), epee.Ridge(1e-3)), repeats=3),
        "Friedman, additive splines": Study(surface, epee.AdditiveSplines, repeats=3),
        "a bent line, fourth degree": Study(bent, lambda: epee.PolynomialRegression(4)),
        "a line, p = 25": Study(dense(25), line),
        "ridge of a millionth, p = 48": Study(dense(48), lambda: epee.Ridge(1e-6)),
        "least norm, p = 80": Study(dense(80), lambda: epee.Ridge(1e-8)),
        "single precision at a million": Study(far_single, line),
        "units of sixteen orders": Study(units, line),
        "shares that add up to one": Study(shares, line),
        "one input": Study(dense(1), line),
        "Friedman, boosting": Study(
            surface,
            lambda: epee.HistGradientBoostingRegressor(max_iter=40, min_samples_leaf=5, early_stopping=False),
            fresh=20_000,
            repeats=2,
        ),
        "Friedman, extra trees": Study(
            surface, lambda: epee.ExtraTreesRegressor(20, random_state=0), fresh=10_000, repeats=2
        ),
        "a staircase, kernel ridge": Study(
            steps, lambda: epee.KernelRidge(alpha=0.1, kernel="rbf", gamma=1.0), fresh=10_000, repeats=3
        ),
        "a staircase, a full tree": Study(steps, epee.DecisionTreeRegressor, fresh=20_000, repeats=3),
        "a staircase, the nearest row": Study(steps, lambda: epee.KNeighborsRegressor(1), fresh=10_000, repeats=3),
        "flat ellipsoids, QDA": Study(ellipsoids, epee.QuadraticDiscriminantAnalysis, None, 2),
        "flat ellipsoids, QDA, log loss": Study(
            ellipsoids, epee.QuadraticDiscriminantAnalysis, "log", 2, fresh=400_000
        ),
        "classes 3 apart, free logistic, log loss": Study(
            gap(3, 0.5), lambda: epee.LogisticRegression(C=1e4, max_iter=500), "log", 2, repeats=3
        ),
        "1 % at 4 apart, LDA": Study(gap(4, 0.01), lda, None, 2, fresh=400_000),
        "1 % at 4 apart, LDA, log loss": Study(gap(4, 0.01), lda, "log", 2, fresh=1_000_000),
        "1 % at 4 apart, logistic, log loss": Study(
            gap(4, 0.01), epee.LogisticRegression, "log", 2, fresh=1_000_000, repeats=2
        ),
        "four grades, sixteen costs": Study(four_grades, lda, COSTS4, 4),
        "four grades, decided by costs": Study(
            four_grades, lambda: epee.BayesDecision(lda(), costs=COSTS4), COSTS4, 4, repeats=3
        ),
        "two clouds with a right to be silent": Study(
            gap(1.5, 0.5), lambda: epee.BayesDecision(lda(), reject_cost=0.2), REJECTION, 2, repeats=3
        ),
        "thirty classes, LDA": Study(thirty_kinds, lda, None, 30),
        "thirty classes, the nearest row": Study(
            thirty_kinds, lambda: epee.KNeighborsClassifier(1), None, 30, fresh=10_000, repeats=3
        ),
        "three labels of ten wrong, a full tree": Study(
            wrong_labels, epee.DecisionTreeClassifier, None, 2, fresh=20_000, repeats=3
        ),
        "three labels of ten wrong, forest, Brier": Study(
            wrong_labels, lambda: epee.RandomForestClassifier(20, random_state=0), "brier", 2, fresh=10_000, repeats=2
        ),
        "even noise, ten of 500 columns picked": Study(
            even_noise(500), lambda: selected(10, lda(), True), None, 2, fresh=4000, repeats=2
        ),
        "even noise, one column": Study(even_noise(1), lda, None, 2),
        "rare answers, naive Bayes of categories": Study(
            answers, lambda: epee.CategoricalNB(min_categories=12), None, 2, repeats=3
        ),
        "rare answers, naive Bayes of categories, log loss": Study(
            answers, lambda: epee.CategoricalNB(min_categories=12), "log", 2, repeats=3
        ),
        "two clouds, hinge": Study(
            gap(1.5, 0.4), lambda: epee.LinearClassifier(loss="hinge"), "hinge", 2, repeats=3
        ),
    }  # fmt: skip
