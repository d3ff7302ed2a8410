"""Claims under the laws of a fourth examiner: :mod:`benchmarks.risk.fourth_laws`, and months, runs of mistakes, families and figures.

Months that return to themselves a year ago, mistakes that come in runs, a spread that drifts; brothers and sisters in a shuffled file,
with their family's number and without; groups of one to twenty rows; columns that say the same; curves, bands, calibration, equal
predictors of different kinds and clouds of which one is small. The truth is a closed form, or the figure of many fresh rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.special import expit, gammaln, ndtr, xlogy

from benchmarks.risk import claims_third
from benchmarks.risk.claims import Claim, Outcome, inside
from benchmarks.risk.claims_second import Reads, SaysColumn, columns, estimate, figure, figure_truth
from benchmarks.risk.claims_third import drawn
from benchmarks.risk.fourth_laws import (
    CENTRES,
    a_year_ago,
    clouds,
    four_unequal,
    runs,
    slow_spread,
    studies,
    unequal_groups,
)
from benchmarks.risk.laws import FirstNumber, FirstScore
from benchmarks.risk.second_laws import Table, with_every_class
from benchmarks.risk.third_laws import Study


@cache
def fresh(name: str) -> Table:
    """Return the rows that tell the truth."""
    study = studies()[name]
    return study.draw(np.random.default_rng(40_441), study.fresh)


def mean_loss(model: Any, X: np.ndarray, y: np.ndarray, study: Study) -> float:
    """Return the mean loss of a fitted predictor."""
    if isinstance(study.loss, str) and study.loss == "l1.5":
        return float((np.abs(y - model.predict(X)) ** 1.5).mean())
    return claims_third.mean_loss(model, X, y, study)


def true_error(name: str, fitted: Any, rows: int | None = None) -> float:
    """Return the error of a fitted predictor, in closed form where a plane is told by heavy columns of variance three."""
    study = studies()[name]
    X, y = fresh(name)
    if name.startswith("heavy columns") and not study.classes and study.loss is None:
        return float(1 + 3 * ((fitted.coef_ - 0.5) ** 2).sum() + fitted.intercept_**2)
    return mean_loss(fitted, X[:rows], y[:rows], study)


def studied(name: str, n: int, how: str, r: np.random.Generator) -> Outcome:
    """The interval holds the error of the predictor that all rows teach."""
    from epee.risk import holdout_error

    study = studies()[name]
    X, y = drawn(study, r, n)
    fitted = study.make().fit(X, y)
    truth = true_error(name, fitted)
    if how == "hold-out":
        return inside(holdout_error(fitted, *study.draw(r, n), loss=study.loss, level=0.9), truth)
    return inside(estimate(study.make(), X, y, how, 0.9, study.repeats, loss=study.loss), truth)


def kept_by_share(name: str, n: int, how: str, r: np.random.Generator) -> Outcome:
    """Rows that were kept by an input or by a zero, weighed by one over their chance."""
    from epee.risk import holdout_error

    study = studies()[name]

    def sample() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        X, y = study.draw(r, (80 if study.classes else 20) * n)
        if study.classes:  # all of the rare class, and few of the other
            chance = np.where(y == 1, 1.0, 0.02)
        elif name.startswith("seven zeros"):
            chance = np.where(y == 0, 0.15, 0.8)
        else:
            chance = 0.1 + 0.8 * expit(2 * X[:, 0])
        keep = np.flatnonzero(r.random(len(y)) < chance)[:n]
        return X[keep], y[keep], 1 / chance[keep]

    X, y, w = sample()
    fitted = study.make().fit(X, y, sample_weight=w)
    truth = true_error(name, fitted)
    if how == "hold-out":
        X, y, w = sample()
        found = holdout_error(fitted, X, y, sample_weight=w, weights="sampling", loss=study.loss, level=0.9)
        return inside(found, truth)
    found = estimate(study.make(), X, y, how, 0.9, study.repeats, loss=study.loss, sample_weight=w, weights="sampling")
    return inside(found, truth)


def in_time(law: str, n: int, how: str, r: np.random.Generator) -> Outcome:
    """Rows in time, said or not; the truth is that of rows far ahead, or, where the spread only grows, of the same span."""
    from epee import LinearRegression
    from epee.risk import cross_validate, holdout_error

    X = r.normal(size=(n, 2))
    if law == "months that answer a year ago":
        e, variance = a_year_ago(r, n), 1 / 0.51
    elif law == "a spread that drifts":
        e, variance = slow_spread(r, n), float(np.exp(0.32))
    else:  # a spread that grows
        s = np.linspace(0.7, 1.3, n)
        e, variance = s * r.normal(size=n), float((s**2).mean())
    extra: dict[str, Any] = {} if how.endswith("undeclared") else {"time": True}
    if how.startswith("hold-out"):
        return inside(holdout_error(FirstNumber(), X, X[:, 0] + e, level=0.9, **extra), variance)
    y = 0.5 * X.sum(axis=1) + e
    m = LinearRegression().fit(X, y)
    truth = float(variance + ((m.coef_ - 0.5) ** 2).sum() + m.intercept_**2)
    if how.startswith("leave-one-out"):
        return inside(estimate(LinearRegression(), X, y, "leave-one-out"), truth)
    return inside(cross_validate(LinearRegression(), X, y, level=0.9, **extra), truth)


def linear_error(model: Any, width: float) -> float:
    """Return the error of a linear rule between N(0, I) and N(width e1, I) of equal shares."""
    w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    size = np.sqrt(w @ w)
    return float((ndtr(b / size) + ndtr(-(width * w[0] + b) / size)) / 2)


def mistakes_in_runs(law: str, n: int, how: str, r: np.random.Generator) -> Outcome:
    """A classifier errs while a hidden state lasts: a quarter of the rows, or half of them, in runs of ten."""
    from epee import LinearDiscriminantAnalysis
    from epee.risk import cross_validate, holdout_error

    share = 0.5 if law.startswith("half") else 0.25
    flipped = runs(r, n, 0.9, share)
    extra: dict[str, Any] = {} if how.endswith("undeclared") else {"time": True}
    y = r.integers(0, 2, n)
    if how.startswith("hold-out"):
        said = np.where(flipped, 1 - y, y)
        return inside(holdout_error(FirstScore(), said[:, None].astype(float), y, level=0.9, **extra), share)
    X = r.normal(size=(n, 2))
    X[:, 0] += 3.0 * y
    y = np.where(flipped, 1 - y, y)
    m = LinearDiscriminantAnalysis().fit(X, y)
    truth = share + (1 - 2 * share) * linear_error(m, 3.0)
    return inside(cross_validate(LinearDiscriminantAnalysis(), X, y, level=0.9, **extra), truth)


def figure_in_time(score: str, n: int, r: np.random.Generator) -> Outcome:
    """A figure of merit of months, or of scores that err in runs, when time is said."""
    from epee.risk import r2, roc_auc

    if score == "r2":
        x, e = (np.sqrt(0.51) * a_year_ago(r, n) for _ in range(2))
        return inside(r2(FirstNumber(), x[:, None], x + e, time=True), 0.5)
    y, wrong = r.integers(0, 2, n), runs(r, n)
    X = (r.normal(size=n) + 2.0 * np.where(wrong, 1 - y, y))[:, None]
    truth = 0.0  # of two rows far from each other, both, one or none of which are scored wrongly
    for a in (0, 1):
        for b in (0, 1):
            gap = 2.0 * ((1 - a) - b)  # of a positive row scored as 1 - a and a negative one scored as b
            truth += (0.25 if a else 0.75) * (0.25 if b else 0.75) * ndtr(gap / np.sqrt(2))
    return inside(roc_auc(FirstScore(), X, y, time=True), float(truth))


def kin(law: str, how: str, r: np.random.Generator) -> Outcome:
    """Brothers and sisters in a shuffled file, nobody says so; the truth is of a new family."""
    import epee
    from epee.risk import holdout_error

    size = 3 if law.startswith("three") else 2
    G = 150 // size
    g = r.permutation(np.repeat(np.arange(G), size))
    if "share a class" in law:
        X, y = liable(r, g)
        m = epee.LinearDiscriminantAnalysis().fit(X, y)
        new = np.random.default_rng(44).normal(size=(100_000, 2))
        chance = ndtr(new[:, 0])
        truth = float(np.where(m.predict(new) == 1, 1 - chance, chance).mean())
        if how == "hold-out":
            X, y = liable(r, g)
            return inside(holdout_error(m, X, y, level=0.9), truth)
        return inside(estimate(epee.LinearDiscriminantAnalysis(), X, y, how), truth)
    X = r.normal(size=(150, 2))
    y = 0.5 * X.sum(axis=1) + np.sqrt(0.6) * r.normal(size=G)[g] + np.sqrt(0.4) * r.normal(size=150)
    if how == "hold-out":
        return inside(holdout_error(FirstNumber(), X, y + X[:, 0] - 0.5 * X.sum(axis=1), level=0.9), 1.0)
    if "number" in law:
        X = np.column_stack([X, g])
    make: Callable[[], Any] = epee.LinearRegression
    if law.endswith("a tree"):
        make = partial(epee.DecisionTreeRegressor, max_depth=5)
    m = make().fit(X, y)
    if law.endswith("a tree"):
        new = np.column_stack([np.random.default_rng(45).normal(size=(60_000, 2)), np.arange(60_000) % G])
        truth = float(1 + ((m.predict(new) - 0.5 * new[:, :2].sum(axis=1)) ** 2).mean())
    else:
        slope = m.coef_[2] if "number" in law else 0.0
        middle = m.intercept_ + slope * (G - 1) / 2
        truth = float(1 + ((m.coef_[:2] - 0.5) ** 2).sum() + middle**2 + slope**2 * (G**2 - 1) / 12)
    return inside(estimate(make(), X, y, how, repeats=3 if law.endswith("a tree") else 10), truth)


def liable(r: np.random.Generator, g: np.ndarray) -> Table:
    """Return inputs and a class that a liability decides, half of whose rest is the family's."""
    X = r.normal(size=(len(g), 2))
    rest = np.sqrt(0.5) * (r.normal(size=g.max() + 1)[g] + r.normal(size=len(g)))
    return X, (X[:, 0] + rest > 0).astype(int)


def grouped(law: str, how: str, r: np.random.Generator) -> Outcome:
    """Groups of one to twenty rows, in order where nobody declares them; the truth is of the rows of many groups."""
    from epee import LinearRegression
    from epee.risk import holdout_error

    g = unequal_groups(r)
    g = np.sort(g) if how.endswith("undeclared") else g
    n, sizes = len(g), np.bincount(g)
    extra: dict[str, Any] = {} if how.endswith("undeclared") else {"groups": g}
    how = how.split(",")[0]
    if law == "mistakes":  # each group errs at a rate of its own, of mean 0.2
        y = r.integers(0, 2, n)
        said = np.where(r.random(n) < r.beta(1, 4, 30)[g], 1 - y, y)
        return inside(holdout_error(FirstScore(), said[:, None].astype(float), y, level=0.9, **extra), 0.2)
    if law == "counts":
        shape, mean = 4.0, 1.5
        y = r.poisson(mean * r.gamma(shape, 1 / shape, 30)[g]).astype(float)
        said = np.full((n, 1), mean)
        return inside(
            holdout_error(FirstNumber(), said, y, loss="poisson", level=0.9, **extra), count_deviance(shape, mean)
        )
    if law == "chances":  # log loss of a chance that misses what a group adds
        x = r.normal(size=n)
        y = (r.random(n) < expit(x + 1.2 * r.normal(size=30)[g])).astype(int)
        return inside(holdout_error(FirstScore(), x[:, None], y, loss="log", level=0.9, **extra), chances_truth())
    X = r.normal(size=(n, 2))
    if law == "the large err more":
        e = np.sqrt(sizes[g] / 10) * r.normal(size=n) + 0.5 * r.normal(size=30)[g]
        k = np.arange(1.0, 21)
        variance = float((k**2).mean() / k.mean() / 10 + 0.25)  # of a row
    else:
        e, variance = 0.8 * r.normal(size=30)[g] + r.normal(size=n), 1.64
    if how == "hold-out":
        return inside(holdout_error(FirstNumber(), X, X[:, 0] + e, level=0.9, **extra), variance)
    y = 0.5 * X.sum(axis=1) + e
    m = LinearRegression().fit(X, y)
    truth = float(variance + ((m.coef_ - 0.5) ** 2).sum() + m.intercept_**2)
    return inside(estimate(LinearRegression(), X, y, how, repeats=10, **extra), truth)


@cache
def count_deviance(shape: float, mean: float) -> float:
    """Return the Poisson deviance of negative binomial counts about their mean."""
    k = np.arange(400.0)
    p = np.exp(
        gammaln(k + shape) - gammaln(shape) - gammaln(k + 1) + shape * np.log(shape / (shape + mean))
        + xlogy(k, mean / (shape + mean))
    )  # fmt: skip
    return float((p * 2 * (xlogy(k, k / mean) - k + mean)).sum())


@cache
def chances_truth() -> float:
    """Return the log loss of the chance that a score tells, where a group adds to the log-odds."""
    x, w = np.polynomial.hermite_e.hermegauss(60)
    w = w / w.sum()
    p = (expit(x[:, None] + 1.2 * x[None]) * w).sum(axis=1)
    return float((w * (p * np.logaddexp(0, -x) + (1 - p) * np.logaddexp(0, x))).sum())


def family_scores(r: np.random.Generator, G: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, classes and groups of one to twenty rows, which share a part of their score and of their class."""
    g = unequal_groups(r, G)
    y = (r.random(len(g)) < expit(1.0 * r.normal(size=G)[g] - 0.8)).astype(int)
    x = 1.2 * y + 0.7 * r.normal(size=G)[g] + 0.7 * r.normal(size=len(g))
    return x[:, None], y, g


def scored_by_group(score: str, said: bool, r: np.random.Generator) -> Outcome:
    """A figure of merit of rows in groups."""
    from epee.risk import r2

    if score == "r2":
        g = unequal_groups(r)
        x = np.sqrt(0.5) * (r.normal(size=30)[g] + r.normal(size=len(g)))
        e = np.sqrt(0.5) * (r.normal(size=30)[g] + r.normal(size=len(g)))
        return inside(r2(FirstNumber(), x[:, None], x + e, **({"groups": g} if said else {})), 0.5)
    while True:
        X, y, g = family_scores(r, 30)
        if not said:  # the order of the file is all that tells
            X, y = X[np.argsort(g)], y[np.argsort(g)]
        if np.bincount(y, minlength=2).min() >= 3:
            break
    truth = figure_truth(many_families, score, 47)
    return inside(figure(score, X, y, **({"groups": g} if said else {})), truth)


def many_families(r: np.random.Generator, n: int) -> Table:
    """Return the rows of many groups."""
    X, y, _ = family_scores(r, n // 10)
    return X, y


def thousand_to_one(r: np.random.Generator, n: int) -> Table:
    """Return scores of one positive in a thousand."""
    y = (r.random(n) < 0.001).astype(int)
    return (r.normal(size=n) + 4.0 * y - 3.0)[:, None], y


def nine_of_ten(r: np.random.Generator, n: int) -> Table:
    """Return scores of nine positives in ten."""
    y = (r.random(n) < 0.9).astype(int)
    return (r.normal(size=n) + 1.2 * y)[:, None], y


def wrong_at_the_top(r: np.random.Generator, n: int) -> Table:
    """Return scores whose labels are wrong more often where they are high."""
    x = 1.5 * r.normal(size=n)
    y = (r.random(n) < expit(x)).astype(int)
    return x[:, None], np.where(r.random(n) < 0.4 * expit(2 * x), 1 - y, y)


SCORES: dict[str, Callable[[np.random.Generator, int], Table]] = {
    "one positive of a thousand": thousand_to_one, "nine positives of ten": nine_of_ten, "wrong at the top": wrong_at_the_top,
}  # fmt: skip


def scored(law: str, score: str, n: int, r: np.random.Generator) -> Outcome:
    """A figure of merit of scores that were not learned."""
    X, y = with_every_class(SCORES[law], 2, r, n, 2)
    return inside(figure(score, X, y), figure_truth(SCORES[law], score, 48))


class Adds(FirstNumber):
    """Says the sum of all columns."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Add."""
        return X.sum(axis=1)


@cache
def correlated(p: int, rho: float) -> np.ndarray:
    """Return the root of a covariance of ones and rho."""
    return np.linalg.cholesky((1 - rho) * np.eye(p) + rho)


def correlated_clouds(r: np.random.Generator, n: int) -> Table:
    """Return two classes that a logit of three columns of correlation 0.8 tells apart."""
    X = r.normal(size=(n, 3)) @ correlated(3, 0.8).T
    return X, (r.random(n) < expit(1.5 * X[:, 0])).astype(int)


@cache
def shuffled_clouds() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return many rows, their classes, and the rows with the first cell of another one."""
    X, y = correlated_clouds(np.random.default_rng(46), 200_000)
    return X, y, np.column_stack([np.roll(X[:, 0], 1), X[:, 1:]])


def leaned_on(law: str, n: int, r: np.random.Generator) -> Outcome:
    """The rise of the loss when one of some correlated columns is shuffled, on rows that were not learned from."""
    import epee
    from epee.risk import importance

    if law.startswith("two columns"):  # their sum, which the target is but for noise
        X = r.normal(size=(n, 2)) @ correlated(2, 0.9).T
        y, model, rise = X.sum(axis=1) + r.normal(size=n), Adds(), 2.0
    elif law.startswith("a fitted line"):
        root, beta = correlated(4, 0.8), np.array([1.0, 0.5, 0, 0])
        old = r.normal(size=(60, 4)) @ root.T
        model = epee.LinearRegression().fit(old, old @ beta + r.normal(size=60))
        X = r.normal(size=(n, 4)) @ root.T
        y, b = X @ beta + r.normal(size=n), model.coef_
        rise = float(2 * b[0] ** 2 + 2 * b[0] * (root @ root.T)[0] @ (beta - b))
    else:  # a rate of a fitted rule
        model = epee.LinearDiscriminantAnalysis().fit(*correlated_clouds(r, 100))
        X, y = correlated_clouds(r, n)
        many, classes, moved = shuffled_clouds()
        rise = float((model.predict(moved) != classes).mean() - (model.predict(many) != classes).mean())
    found = importance(model, X, y, repeats=5)
    return bool(found.low[0] <= rise <= found.high[0]), bool(found.caution)


def no_use(n: int, r: np.random.Generator) -> Outcome:
    """A column that is only the shadow of another, and that the model does not use."""
    from epee.risk import importance

    X = r.normal(size=(n, 2)) @ correlated(2, 0.95).T
    found = importance(FirstNumber(), X, X[:, 0] + r.normal(size=n), repeats=5)
    return bool(found.low[1] <= 0 <= found.high[1]), bool(found.caution)


@cache
def expected(name: str, n: int) -> float:
    """Return the expected error of a way of learning from n rows."""
    study, r = studies()[name], np.random.default_rng(16)
    return float(np.mean([true_error(name, study.make().fit(*drawn(study, r, n)), 300_000) for _ in range(300)]))


def extended(name: str, n: int, times: int, r: np.random.Generator) -> Outcome:
    """What more rows would bring."""
    from epee.risk import learning_curve

    study = studies()[name]
    found = learning_curve(study.make(), *drawn(study, r, n), loss=study.loss).extrapolate(times * n)
    return inside(found, expected(name, times * n))


def banded(law: str, n: int, method: str, r: np.random.Generator) -> Outcome:
    """A band of 90 % holds a new value, or a mean."""
    import epee
    from epee.risk import conformal

    heavy = law.startswith("heavy columns")
    X = r.standard_t(3, size=(n + 1, 3)) if heavy else r.normal(size=(n + 1, 3))
    told = 0.5 * X.sum(axis=1)
    s = 1.0 if heavy and not law.endswith("spread") else 0.3 + np.abs(X[:, 0])
    y = told + s * r.normal(size=n + 1)
    if law == "multiplied errors":
        X, y = studies()["multiplied errors, a line"].draw(r, n + 1)
    elif law == "seven zeros of ten":
        X, y = studies()["seven zeros of ten, a line"].draw(r, n + 1)
    if method in ("mean", "prediction"):
        m = epee.LinearRegression().fit(X[:n], y[:n])
        low, high = m.predict_interval(X[n:], 0.9, kind=method)[0]
        return bool(low <= (told[n] if method == "mean" else y[n]) <= high), False
    low, high = conformal(epee.LinearRegression(), X[:n], y[:n], 0.9, method=method).predict_interval(X[n:])[0]
    return bool(low <= y[n] <= high), False


def calibrated(law: str, n: int, method: str, r: np.random.Generator) -> Outcome:
    """The interval of a calibrated probability holds the chance of the class, where scores are skewed."""
    import epee

    def chance(x: np.ndarray) -> np.ndarray:
        return expit(1.5 * np.log(x[:, 0])) if law == "lognormal scores" else expit(x[:, 0] - 3.0)

    def draw(r: np.random.Generator, n: int) -> Table:
        x = np.exp(r.normal(size=(n, 1))) if law == "lognormal scores" else r.gamma(1.0, 2.0, (n, 1))
        return x, (r.random(n) < chance(x)).astype(int)

    x, y = with_every_class(draw, 2, r, n)
    new = draw(r, 1)[0]
    fitted = epee.Calibrated(epee.LinearDiscriminantAnalysis(), method).fit(x, y)
    low, high = fitted.probability_interval(new, 0.9)[0, 1]
    return bool(low <= chance(new)[0] <= high), False


def told_apart(law: str, n: int, r: np.random.Generator) -> Outcome:
    """Two predictors of different kinds that are equally good are not told apart."""
    import epee
    from epee.risk import compare

    if law == "small errors often, large ones rarely":  # of the same mean square
        y = r.normal(size=n)
        X = y[:, None] + np.column_stack([r.normal(size=n), np.sqrt(8.0) * r.normal(size=n) * (r.random(n) < 1 / 8)])
        models: dict[str, Any] = {str(j): Reads(j) for j in range(2)}
    elif law == "errors of one class, errors of both":
        y = (r.random(n) < 0.25).astype(int)
        X = np.column_stack([
            np.where(r.random(n) < 0.4 * y, 1 - y, y), np.where(r.random(n) < 0.1, 1 - y, y),
        ]).astype(float)  # fmt: skip
        models = {str(j): SaysColumn(j) for j in range(2)}
    elif law == "an even label, LDA and neighbours":
        X, y = r.normal(size=(n, 3)), r.integers(0, 2, n)
        models = {"0": epee.LinearDiscriminantAnalysis(), "1": epee.KNeighborsClassifier(5)}
    elif law == "an even label, naive Bayes and a tree":
        X, y = r.normal(size=(n, 3)), r.integers(0, 2, n)
        models = {"0": epee.GaussianNB(), "1": epee.DecisionTreeClassifier(max_depth=3)}
    elif law == "heavy columns, two halves":
        X = r.standard_t(3, size=(n, 4))
        y = 0.5 * X.sum(axis=1) + r.normal(size=n)
        models = {str(j): columns(epee.LinearRegression(), [2 * j, 2 * j + 1]) for j in range(2)}
    elif law == "four unequal classes, two halves":
        X, y = with_every_class(four_unequal, 4, r, n)
        X = np.hstack([X, CENTRES[y] + r.normal(size=(n, 2))])
        models = {str(j): columns(epee.LinearDiscriminantAnalysis(), [2 * j, 2 * j + 1]) for j in range(2)}
    else:  # nearly equal clouds, two halves
        X, y = with_every_class(clouds(0.5, 0.3, 4), 2, r, n)
        models = {str(j): columns(epee.LinearDiscriminantAnalysis(), [2 * j, 2 * j + 1]) for j in range(2)}
    d = compare(models, X, y, repeats=3).difference("0", "1")
    return d.p_value >= 0.05, bool(d.caution)


def unlikely(law: str, n: int, r: np.random.Generator) -> Outcome:
    """A new row of a mixture is not flagged, at 1 %."""
    import epee

    k = r.random(n + 1)
    if law == "two clouds of one shape":
        X = r.normal(size=(n + 1, 2)) + 6.0 * (k < 0.5)[:, None]
        model: Any = epee.GaussianMixture(2, random_state=0)
    elif law == "a cloud in a cloud":
        X = r.normal(size=(n + 1, 2)) * np.where(k < 0.2, 4.0, 1.0)[:, None]
        model = epee.GaussianMixture(2, random_state=0)
    elif law == "three clouds of unequal share":
        X = r.normal(size=(n + 1, 2)) + np.array([[0.0, 0], [7, 0], [0, 7]])[np.searchsorted([0.7, 0.92], k)]
        model = epee.GaussianMixture(3, random_state=0)
    elif law == "counts of two kinds":
        X = r.poisson(np.where(k < 0.5, 2.0, 12.0)[:, None], size=(n + 1, 3)).astype(float)
        model = epee.PoissonMixture(2, random_state=0)
    else:  # two clouds that overlap
        X = r.normal(size=(n + 1, 2)) + 2.0 * (k < 0.5)[:, None]
        model = epee.KernelDensity()
    return not bool(model.fit(X[:n]).outliers(X[n:], 0.01)[0]), False


FOLD, NESTED, LOO, OUT = "fold", "nested", "leave-one-out", "hold-out"
STUDIED: tuple[tuple[str, int, tuple[str, ...], bool], ...] = (
    ("counts near a third, Poisson deviance", 60, (FOLD, OUT), False), ("counts near five, Poisson deviance", 40, (FOLD,), False),
    ("waits, quantile 0.9", 60, (FOLD, OUT), True), ("one error in twelve eight too large, Huber", 80, (FOLD,), True),
    ("one error in twelve eight too large, a line", 100, (FOLD,), False), ("Laplace errors, l1.5", 40, (FOLD,), False),
    ("heavy columns, a line", 30, (FOLD, NESTED, LOO), False), ("heavy columns, a line", 150, (FOLD,), False),
    ("heavy columns, ridge, p = 12", 40, (FOLD, LOO), False), ("heavy columns, a line, absolute", 50, (FOLD,), False),
    ("heavy columns, LDA", 60, (FOLD,), False), ("heavy columns, logistic, log loss", 80, (FOLD,), False),
    ("multiplied errors, a line", 100, (FOLD, OUT), False),
    ("seven zeros of ten, a line", 80, (FOLD, LOO, OUT), False), ("seven zeros of ten, a line", 300, (FOLD,), False),
    ("seven zeros of ten, absolute", 100, (FOLD,), False), ("shares near the ends, a line", 60, (FOLD, LOO), False),
    ("rounded to whole numbers, a line", 50, (FOLD, NESTED), False),
    ("nearly equal clouds, LDA", 60, (FOLD, NESTED, LOO, OUT), False), ("nearly equal clouds, logistic", 60, (FOLD,), False),
    ("nearly equal clouds, LDA, log loss", 60, (FOLD, NESTED, LOO, OUT), False),
    ("nearly equal clouds, logistic, log loss", 60, (FOLD,), False),
    ("four unequal classes, LDA", 100, (FOLD, NESTED, LOO), False), ("four unequal classes, LDA, log loss", 120, (FOLD, OUT), False),
    ("four unequal classes, LDA, Brier", 120, (FOLD,), False), ("four unequal classes, naive Bayes", 120, (FOLD,), False),
    ("four unequal classes, naive Bayes, log loss", 150, (FOLD, LOO), False), ("four unequal classes, neighbours", 100, (FOLD,), False),
    ("three even classes, LDA, Brier", 50, (FOLD,), False), ("three even classes, neighbours, Brier", 90, (FOLD,), False),
    ("three classes, fifty for the rare one", 200, (FOLD, OUT), False),
    ("overlapping clouds, one cost of five", 80, (FOLD,), False), ("nine of ten positive, LDA", 80, (FOLD, OUT), False),
    ("nine of ten positive, logistic, log loss", 100, (FOLD, OUT), False), ("nine of ten positive, hinge", 100, (FOLD,), True),
    ("one of a thousand, LDA", 6000, (FOLD, OUT), False), ("one of a thousand, LDA, log loss", 6000, (FOLD,), False),
    ("labels wrong where an input is large, LDA", 80, (FOLD,), False),
    ("labels wrong where an input is large, logistic, log loss", 80, (FOLD,), False),
    ("labels wrong where an input is large, neighbours", 100, (FOLD,), False),
)  # fmt: skip
WEIGHED = (
    ("seven zeros of ten, a line", 150, (FOLD, OUT)), ("counts near five, Poisson deviance", 150, (FOLD,)),
    ("shares near the ends, a line", 100, (FOLD, LOO)), ("one of a thousand, LDA", 300, (FOLD, OUT)),
)  # fmt: skip
MONTHS, DRIFTS, GROWS = "months that answer a year ago", "a spread that drifts", "a spread that grows"
IN_TIME = (
    (MONTHS, 96, ("time=", "fold, undeclared", "hold-out, time=", "hold-out, undeclared")),
    (MONTHS, 144, ("time=", "fold, undeclared", "leave-one-out, undeclared")),
    (MONTHS, 240, ("time=", "fold, undeclared")),
    (DRIFTS, 200, ("time=", "fold, undeclared", "hold-out, time=", "hold-out, undeclared")),
    (GROWS, 150, ("fold, undeclared", "hold-out, undeclared")),
)  # fmt: skip
KIN = (
    ("three of a family, shuffled", (FOLD, LOO, OUT)), ("two of a family and its number, shuffled", (FOLD,)),
    ("three of a family and its number, shuffled", (FOLD, LOO)), ("three of a family and its number, a tree", (FOLD,)),
    ("two of a family share a class", (FOLD, LOO, OUT)), ("three of a family share a class", (FOLD, OUT)),
)  # fmt: skip
GROUPED = (
    ("a level of their own", ("fold, groups=", "nested, groups=", "hold-out, groups=", "fold, undeclared")),
    ("the large err more", ("fold, groups=", "hold-out, groups=")),
    ("mistakes", ("hold-out, groups=", "hold-out, undeclared")),
    ("counts", ("hold-out, groups=",)), ("chances", ("hold-out, groups=",)),
)  # fmt: skip


def claims() -> Iterator[Claim]:
    """Yield every claim with its law."""
    for name, n, hows, slow in STUDIED:
        for how in hows:
            yield Claim(how, f"{name}, n = {n}", 0.9, partial(studied, name, n, how), slow=slow)
    for name, n, hows in WEIGHED:
        for how in hows:
            yield Claim(f"{how}, weights", f"{name}, n = {n}", 0.9, partial(kept_by_share, name, n, how))
    for law, n, hows in IN_TIME:
        for how in hows:
            yield Claim(how, f"{law}, n = {n}", 0.9, partial(in_time, law, n, how))
    for law, n, hows in (
        ("a quarter of the labels wrong in runs", 200, ("time=", "fold, undeclared", "hold-out, time=", "hold-out, undeclared")),
        ("half of the labels wrong in runs", 150, ("hold-out, time=", "hold-out, undeclared")),
    ):  # fmt: skip
        for how in hows:
            yield Claim(how, f"{law}, n = {n}", 0.9, partial(mistakes_in_runs, law, n, how))
    for score, law, n in (
        ("r2", MONTHS, 144),
        ("roc_auc", "a quarter of the labels wrong in runs", 200),
    ):
        yield Claim(f"{score}, time=", f"{law}, n = {n}", 0.95, partial(figure_in_time, score, n))
    for law, hows in KIN:
        for how in hows:
            yield Claim(f"{how}, undeclared", law, 0.9, partial(kin, law, how))
    for law, hows in GROUPED:
        for how in hows:
            yield Claim(how, f"groups of one to twenty, {law}", 0.9, partial(grouped, law, how))
    for score in ("roc_auc", "average_precision", "f1", "brier", "r2"):
        yield Claim(
            f"{score}, groups=", "scores of groups of one to twenty", 0.95, partial(scored_by_group, score, True)
        )
    for score in ("roc_auc", "f1"):
        law = "scores of groups of one to twenty, in order"
        yield Claim(f"{score}, undeclared", law, 0.95, partial(scored_by_group, score, False))
    for law, score, n in (
        ("one positive of a thousand", "roc_auc", 6000), ("one positive of a thousand", "average_precision", 6000),
        ("nine positives of ten", "roc_auc", 80), ("nine positives of ten", "f1", 60), ("nine positives of ten", "average_precision", 80),
        ("wrong at the top", "roc_auc", 100), ("wrong at the top", "brier", 100),
    ):  # fmt: skip
        yield Claim(score, f"{law}, n = {n}", 0.95, partial(scored, law, score, n))
    for law, n in (
        ("two columns of correlation 0.9", 60), ("a fitted line of correlated columns", 100), ("a fitted rule of correlated columns", 150),
    ):  # fmt: skip
        yield Claim("importance", f"{law}, n = {n}", 0.95, partial(leaned_on, law, n))
    yield Claim("importance", "a shadow of a column that is used, n = 60", 0.95, partial(no_use, 60))
    for name, n, times in (
        ("nearly equal clouds, LDA", 60, 2), ("nearly equal clouds, LDA", 60, 4),
        ("four unequal classes, LDA, log loss", 120, 2), ("four unequal classes, LDA, log loss", 120, 4),
        ("four unequal classes, LDA", 120, 2), ("heavy columns, a line", 40, 2), ("heavy columns, a line", 40, 4),
        ("seven zeros of ten, a line", 100, 2),
    ):  # fmt: skip
        yield Claim("extrapolate", f"{name}, {times} times n = {n}", 0.95, partial(extended, name, n, times), slow=True)
    for law, n, method in (
        ("heavy columns", 40, "cv+"), ("a spread of an input", 60, "cv+"), ("heavy columns and their spread", 80, "cv+"),
        ("heavy columns and their spread", 80, "split"), ("multiplied errors", 60, "cv+"), ("seven zeros of ten", 60, "cv+"),
    ):  # fmt: skip
        yield Claim(f"conformal, {method}", f"{law}, n = {n}", 0.9, partial(banded, law, n, method))
    for law, n, kind in (
        ("heavy columns", 30, "mean"), ("heavy columns", 30, "prediction"), ("a spread of an input", 60, "prediction"),
    ):  # fmt: skip
        yield Claim(f"predict_interval, {kind}", f"{law}, n = {n}", 0.9, partial(banded, law, n, kind))
    for law in ("lognormal scores", "exponential scores"):
        for method in ("platt", "isotonic"):
            yield Claim(f"Calibrated, {method}", f"{law}, n = 100", 0.9, partial(calibrated, law, 100, method))
    for law, n in (
        ("small errors often, large ones rarely", 60), ("small errors often, large ones rarely", 200),
        ("errors of one class, errors of both", 80), ("an even label, LDA and neighbours", 100),
        ("an even label, naive Bayes and a tree", 80),
        ("heavy columns, two halves", 60), ("four unequal classes, two halves", 120), ("nearly equal clouds, two halves", 60),
    ):  # fmt: skip
        yield Claim(
            "verdict at 5 %", f"{law}, n = {n}", 0.95, partial(told_apart, law, n), slow=law.endswith("two halves")
        )
    for law, n in (
        ("two clouds of one shape", 100), ("a cloud in a cloud", 150), ("three clouds of unequal share", 150), ("counts of two kinds", 100),
        ("kernel density, two clouds that overlap", 100),
    ):  # fmt: skip
        yield Claim("outliers(0.01)", f"{law}, n = {n}", 0.99, partial(unlikely, law, n))
