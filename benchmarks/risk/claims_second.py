"""Claims under the laws of a second examiner, :mod:`benchmarks.risk.second_laws`, and of panels, breaks, unequal groups and weights.

The truth is a closed form, or the figure of many fresh rows of the same law.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.special import expit, ndtr

from benchmarks.risk.claims import Claim, Outcome, inside
from benchmarks.risk.claims_unseen import Says
from benchmarks.risk.laws import FirstNumber, FirstScore, autoregression
from benchmarks.risk.second_laws import CLASSES, LAWS, Table, ordinary, plane, table_of, with_every_class

FRESH = 100_000
HOWS = ("fold", "nested", "leave-one-out", "hold-out")
STEPS = np.abs(np.subtract.outer(np.arange(7.0), np.arange(7.0)))  # what a mark costs that is off by some steps


@cache
def fresh(law: str, rows: int = FRESH) -> Table:
    """Return the rows that tell the truth."""
    return LAWS[law](np.random.default_rng(20_261), rows)


def model_of(law: str, kind: str) -> Any:
    """Return a way of learning."""
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline

    import epee

    classes = law in CLASSES
    if law.startswith("cells missing"):
        return make_pipeline(SimpleImputer(), epee.LinearRegression())
    return {
        "a line": epee.LinearDiscriminantAnalysis if classes else epee.LinearRegression,
        "a tree": partial(epee.DecisionTreeClassifier if classes else epee.DecisionTreeRegressor, max_depth=3),
        "neighbours": partial(epee.KNeighborsClassifier if classes else epee.KNeighborsRegressor, 5),
        "naive Bayes": epee.GaussianNB,
        "logistic": epee.LogisticRegression,
        "ridge": epee.Ridge,
    }[kind]()


def mean_loss(model: Any, X: np.ndarray, y: np.ndarray, loss: Any, classes: bool) -> float:
    """Return the mean loss of a fitted predictor."""
    if isinstance(loss, np.ndarray):
        return float(loss[model.predict(X), y].mean())
    if loss == "log":
        P = model.predict_proba(X)
        return float(-np.log(np.clip(P[np.arange(len(y)), np.searchsorted(model.classes_, y)], 1e-300, 1)).mean())
    said = model.predict(X)
    if classes:
        return float(np.mean(said != y))
    return float(np.abs(said - y).mean() if loss == "absolute" else ((said - y) ** 2).mean())


def estimate(model: Any, X: Any, y: Any, how: str, level: float = 0.9, repeats: int = 20, **extra: Any) -> Any:
    """Return the estimate of a way of learning."""
    from epee.risk import cross_validate, loo

    if how == "leave-one-out":
        return loo(model, X, y, level=level, **extra)
    many = {"repeats": repeats} if how == "nested" else {}
    return cross_validate(model, X, y, interval=how, level=level, **many, **extra)


def estimated(law: str, n: int, kind: str, how: str, loss: Any, level: float, r: np.random.Generator) -> Outcome:
    """The interval holds the error of the predictor that all rows teach, on fresh rows."""
    from epee.risk import holdout_error

    X, y = table_of(law, r, n)
    fitted = model_of(law, kind).fit(X, y)
    rows = 10_000 if kind == "neighbours" else FRESH
    truth = mean_loss(fitted, *fresh(law, rows), loss, law in CLASSES)
    if how == "hold-out":
        return inside(holdout_error(fitted, *LAWS[law](r, n), loss=loss, level=level), truth)
    few = kind in ("a tree", "neighbours") or law.startswith("cells")
    return inside(estimate(model_of(law, kind), X, y, how, 0.9, 3 if few else 20, loss=loss).at(level), truth)


def wide(n: int, p: int, how: str, r: np.random.Generator) -> Outcome:
    """Ridge with many more columns than rows."""
    from epee import Ridge

    X = r.normal(size=(n, p))
    y = 0.2 * X[:, :25].sum(axis=1) + r.normal(size=n)
    beta = np.where(np.arange(p) < 25, 0.2, 0.0)
    m = Ridge(20.0).fit(X, y)
    truth = 1 + ((m.coef_ - beta) ** 2).sum() + m.intercept_**2
    return inside(estimate(Ridge(20.0), X, y, how), float(truth))


def grouped(law: str, how: str, r: np.random.Generator) -> Outcome:
    """Groups of which one holds half of the rows, or that are three, or a panel; the truth is of a row of a new group."""
    from epee import LinearRegression
    from epee.risk import holdout_error

    if law == "a panel with a trend":
        g, t = np.repeat(np.arange(25), 8), np.tile(np.arange(8.0), 25)
        X, own = np.column_stack([t, r.normal(size=(200, 2))]), r.normal(size=25)
        said = np.array([0.3, 0.5, 0.5])
        mean, spread = np.array([3.5, 0, 0]), np.array([5.25, 1, 1])
    else:
        sizes = np.array([60] * 3 if law == "three groups" else [100] + [5] * 20)
        g = np.repeat(np.arange(len(sizes)), sizes)
        X, own = r.normal(size=(len(g), 3)), r.normal(size=len(sizes))
        said, mean, spread = np.full(3, 0.5), np.zeros(3), np.ones(3)
    y = X @ said + own[g] + r.normal(size=len(g))
    if how == "hold-out":
        stub = y + X[:, 0] - X @ said
        return inside(holdout_error(FirstNumber(), X, stub, groups=g, level=0.9), 2.0)
    m = LinearRegression().fit(X, y)
    gap = m.coef_ - said
    truth = float(2 + (spread * gap**2).sum() + (mean @ gap + m.intercept_) ** 2)
    extra = {} if how == "fold, undeclared" else {"groups": g, "folds": min(10, g.max() + 1)}
    return inside(estimate(LinearRegression(), X, y, how.split(",")[0], repeats=10, **extra), truth)


def pasted(how: str, r: np.random.Generator, n: int = 120) -> Outcome:
    """A block of forty rows was pasted a second time at the end."""
    from epee import LinearRegression

    X, y = ordinary(r, n)
    X, y = np.vstack([X, X[:40]]), np.concatenate([y, y[:40]])
    m = LinearRegression().fit(X, y)
    return inside(estimate(LinearRegression(), X, y, how), float(1 + ((m.coef_ - 0.5) ** 2).sum() + m.intercept_**2))


def cities(how: str, r: np.random.Generator) -> Outcome:
    """Rows stand in thirty towns, and a smooth field over the map moves the target; the truth is of a row elsewhere."""
    from epee import LinearRegression

    omega, phase = r.normal(size=(2, 200)) / 0.15, r.uniform(0, 2 * np.pi, 200)

    def field(places: np.ndarray) -> np.ndarray:
        return np.cos(places @ omega + phase).sum(axis=1) * np.sqrt(2 / 200)

    places = r.uniform(0, 1, size=(30, 2))[r.integers(0, 30, 180)] + 0.01 * r.normal(size=(180, 2))
    X = np.column_stack([places, r.normal(size=180)])
    y = field(places) + 0.5 * X[:, 2] + 0.5 * r.normal(size=180)
    m = LinearRegression().fit(X, y)
    there = np.random.default_rng(3).uniform(0, 1, size=(4000, 2))
    said = m.predict(np.column_stack([there, np.zeros(4000)]))
    return inside(
        estimate(LinearRegression(), X, y, how),
        float(0.25 + (m.coef_[2] - 0.5) ** 2 + ((said - field(there)) ** 2).mean()),
    )


def in_time(law: str, n: int, said: bool, r: np.random.Generator) -> Outcome:
    """Rows in time; of a walk and of a trend that is missed there is no error far ahead: only a caution is right."""
    from epee import LinearRegression
    from epee.risk import cross_validate

    X, z = r.normal(size=(n, 3)), r.normal(size=n)
    variance: float = np.nan
    if law == "a random walk":
        e = np.cumsum(z)
    elif law == "a missed trend":
        e = z + 4 * np.arange(n) / n
    elif law == "a break":  # what comes is as the last two fifths
        e, variance = z + 2.0 * (np.arange(n) > 0.6 * n), 1.0
    elif law == "months, a multiple":
        e = z * (1 + 0.8 * np.sin(2 * np.pi * np.arange(n) / 12))
        variance = 1 + 0.32
    elif law == "MA(1) of -0.8":
        e, variance = z - 0.8 * np.concatenate([[r.normal()], z[:-1]]), 1.64
    else:  # inputs follow each other, as the errors do
        X = np.column_stack([autoregression(r, n, 0.8) * 0.6 for _ in range(3)])
        e, variance = autoregression(r, n, 0.6), 1 / 0.64
    y = 0.5 * X.sum(axis=1) + e
    m = LinearRegression().fit(X, y)
    ahead = m.intercept_ - (2.0 if law == "a break" else 0.0)
    truth = variance + ((m.coef_ - 0.5) ** 2).sum() + ahead**2
    extra: dict[str, Any] = {"time": True} if said else {}
    return inside(cross_validate(LinearRegression(), X, y, level=0.9, **extra), float(truth))


def weighed(law: str, how: str, r: np.random.Generator, n: int = 250) -> Outcome:
    """Weights with a heavy tail, or 0 for a third of the rows; they go with nothing."""
    from epee import LinearRegression
    from epee.risk import holdout_error

    X, y = ordinary(r, n)
    w = {"Pareto(1.5)": 1 + r.pareto(1.5, n), "a third are 0": np.where(r.random(n) < 1 / 3, 0.0, 0.7)}[law]
    if how == "hold-out":
        return inside(
            holdout_error(FirstNumber(), X, X[:, 0] + r.normal(size=n), sample_weight=w, weights="sampling", level=0.9),
            1,
        )
    m = LinearRegression().fit(X, y, sample_weight=w)
    truth = float(1 + ((m.coef_ - 0.5) ** 2).sum() + m.intercept_**2)
    return inside(estimate(LinearRegression(), X, y, how, sample_weight=w, weights="sampling"), truth)


def columns(model: Any, chosen: list[int]) -> Any:
    """Return a way of learning from some columns."""
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline

    return make_pipeline(make_column_transformer(("passthrough", chosen)), model)


def told_apart(law: str, n: int, kind: str, what: str, r: np.random.Generator) -> Outcome:
    """Of equal candidates, each with columns that are alike, none is shown; the interval of a difference holds the true one."""
    from epee.risk import compare

    X, y = table_of(law, r, n)
    p = X.shape[1]
    parts = ([0, 1], [0, 1, 2, 3]) if what == "interval" else (list(range(p // 2)), list(range(p // 2, 2 * (p // 2))))
    candidates = {str(j): columns(model_of(law, kind), part) for j, part in enumerate(parts)}
    found = compare(candidates, X, y, repeats=3, level=0.9).difference("0", "1")
    if what == "verdict":
        return found.p_value >= 0.05, bool(found.caution)
    errors = [mean_loss(m.fit(X, y), *fresh(law), None, law in CLASSES) for m in candidates.values()]
    return inside(found, errors[0] - errors[1])


def apart(law: str, n: int, r: np.random.Generator) -> Outcome:
    """The difference of two risks of held-out rows, of the same rows or of others, holds the true one."""
    from epee.risk import holdout_error

    if law.startswith("rates"):
        y = r.integers(0, 2, n)
        said = [np.where(r.random(n) < share, 1 - y, y) for share in (0.03, 0.05)]
        if law.endswith("same rows"):  # the second errs where the first does, and sometimes elsewhere
            said[1] = np.where((said[0] != y) | (r.random(n) < 0.02), 1 - y, y)
            both = np.column_stack(said).astype(float)
            a, b = (holdout_error(SaysColumn(j), both, y, level=0.9) for j in (0, 1))
            return inside(b - a, 0.97 * 0.02)
        a, b = (holdout_error(Says(), s[:, None].astype(float), y, level=0.9) for s in said)
        return inside(b - a, 0.02)
    if law.startswith("hardly different"):  # but for one row in fifty, of another answer
        X = np.repeat(r.normal(size=(n, 1)), 2, axis=1)
        y = X[:, 0] + r.normal(size=n)
        X[:, 1] += 2.0 * (r.random(n) < 0.02)
        a, b = (holdout_error(Reads(j), X, y, level=0.9) for j in (0, 1))
        return inside(b - a, 0.02 * 4)
    X = r.normal(size=(n, 2))
    if law.endswith("same rows"):
        y = X[:, 0] + r.exponential(size=n) - 1
        a, b = (holdout_error(Reads(j), X, y, level=0.9) for j in (0, 1))
        return inside(b - a, 2.0)
    if law == "few and many rows":
        found = [
            holdout_error(FirstNumber(), Z, Z[:, 0] + r.exponential(size=len(Z)) - 1, level=0.9)
            for Z in (X, r.normal(size=(6 * n, 2)))
        ]
        return inside(found[0] - found[1], 0.0)
    found = [
        holdout_error(FirstNumber(), Z, Z[:, 0] + s * (r.exponential(size=n) - 1), level=0.9)
        for Z, s in ((X, 1.0), (r.normal(size=(n, 2)), 1.5))
    ]
    return inside(found[1] - found[0], 1.25)


class Reads(FirstNumber):
    """Says what stands in a column."""

    def __init__(self, j: int = 0) -> None:
        self.j = j

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Read it."""
        return X[:, self.j]


class SaysColumn(FirstScore):
    """Says the class that stands in a column."""

    def __init__(self, j: int = 0) -> None:
        self.j = j

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Read it."""
        return X[:, self.j].astype(int)


def rates_apart(what: str, n: int, share: float, r: np.random.Generator) -> Outcome:
    """McNemar's test, or that of two independent rates, does not tell equal ones apart, and the intervals hold 0."""
    from epee.risk import compare_rates, mcnemar

    if what.startswith("mcnemar"):
        y = np.zeros(n, dtype=int)
        a, b = (r.random((2, n)) < share).astype(int)
        found, truth = mcnemar(y, a, b), 0.0
        if what.endswith("interval"):  # the second errs where the first does, and elsewhere
            found, truth = mcnemar(y, a, np.where(r.random(n) < 0.02, 1, a)), -0.02 * (1 - share)
    else:
        many = (10 if what.endswith("many") else 2) * n
        found, truth = compare_rates(r.binomial(n, share), n, r.binomial(many, share), many), 0.0
    return (inside(found, truth)[0] if what.endswith("interval") else found.p_value >= 0.05), bool(found.caution)


Scored = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]


def three_values(r: np.random.Generator, n: int) -> Table:
    """Return scores of three values."""
    y = (r.random(n) < 0.3).astype(int)
    return np.where(y == 1, r.choice(3, n, p=[0.1, 0.3, 0.6]), r.choice(3, n, p=[0.6, 0.3, 0.1]))[:, None] - 1.0, y


def rare_scores(r: np.random.Generator, n: int) -> Table:
    """Return scores of a class of 1 %."""
    y = (r.random(n) < 0.01).astype(int)
    return (r.normal(size=n) + 1.5 * y)[:, None], y


def half_hidden(r: np.random.Generator, n: int) -> Table:
    """Return scores that tell half of the positives for sure, and nothing of the others."""
    y = (r.random(n) < 0.4).astype(int)
    return (r.normal(size=n) + 8.0 * (y * (r.random(n) < 0.5)))[:, None], y


def worse_than_chance(r: np.random.Generator, n: int) -> Table:
    """Return scores of the wrong sign."""
    y = (r.random(n) < 0.5).astype(int)
    return (r.normal(size=n) - 0.7 * y)[:, None], y


def over_sure(r: np.random.Generator, n: int) -> Table:
    """Return log-odds four times too large, where one label of ten is wrong."""
    x = 4 * r.normal(size=(n, 1))
    y = (r.random(n) < expit(x[:, 0] / 4)).astype(int)
    return x, np.where(r.random(n) < 0.1, 1 - y, y)


SCORES: dict[str, Scored] = {
    "scores of three values": three_values, "a class of 1 %": rare_scores, "half of the positives hidden": half_hidden,
    "worse than chance": worse_than_chance, "over-sure with wrong labels": over_sure,
}  # fmt: skip


def figure(score: str, X: np.ndarray, y: np.ndarray, **extra: Any) -> Any:
    """Return a figure of merit of the scores."""
    from epee import risk

    if score == "log loss":
        return risk.holdout_error(FirstScore(), X, y, loss="log", **extra)
    extra = {"draws": 100, **extra} if score == "average_precision" else extra
    return getattr(risk, score)(FirstScore(), X, y, **extra)


@cache
def figure_truth(draw: Scored, score: str, seed: int = 41) -> float:
    """Return the figure of many rows."""
    from sklearn import metrics

    X, y = draw(np.random.default_rng(seed), 1_000_000)
    s, p = X[:, 0], expit(X[:, 0])
    return float({
        "roc_auc": lambda: metrics.roc_auc_score(y, s), "average_precision": lambda: metrics.average_precision_score(y, s),
        "f1": lambda: metrics.f1_score(y, s > 0.5), "brier": lambda: ((p - y) ** 2).mean(),
        "log loss": lambda: np.logaddexp(0, np.where(y == 1, -s, s)).mean(),
    }[score]())  # fmt: skip


def scored(draw: Scored, score: str, n: int, r: np.random.Generator, seed: int = 41) -> Outcome:
    """A figure of merit of scores that were not learned."""
    return inside(figure(score, *with_every_class(draw, 2, r, n, 2)), figure_truth(draw, score, seed))


def scored_by_weight(score: str, n: int, r: np.random.Generator) -> Outcome:
    """Positives were kept, of negatives one in ten, which weights of 10 say."""
    X, y = with_every_class(half_hidden, 2, r, n)
    w = np.where(y == 1, 1.0, 10.0) / 7
    share = 0.4 / (0.4 + 0.6 * 10)
    a, b = 0.5 + 0.5 * ndtr(-0.5), ndtr(-0.5)  # of positives and of negatives that are taken for positives
    truth = 0.75 if score == "roc_auc" else 2 * a * share / (2 * a * share + b * (1 - share) + (1 - a) * share)
    return inside(figure(score, X, y, sample_weight=w, weights="sampling"), float(truth))


def explained(law: str, n: int, r: np.random.Generator) -> Outcome:
    """The share explained of targets in heaps, hardly told, told wrongly, or a million from zero."""
    from epee.risk import r2

    x, e = r.normal(size=n), r.normal(size=n)
    if law == "hardly told":
        return inside(r2(FirstNumber(), 0.1 * x[:, None], 0.1 * x + e), 0.01 / 1.01)
    if law == "told wrongly":
        return inside(r2(FirstNumber(), x[:, None], -0.5 * x + e), 1 - (1 + 1.5**2) / 1.25)
    if law == "an origin of a million":
        return inside(r2(FirstNumber(), 1e6 + x[:, None], 1e6 + x + e), 0.5)
    if law == "nearly all":
        return inside(r2(FirstNumber(), x[:, None], x + 0.01 * e), 1 - 1e-4 / 1.0001)
    return inside(r2(FirstNumber(), x[:, None], np.clip(x, -0.5, 0.5)), 1 - cut_error())  # cut at both ends


@cache
def cut_error() -> float:
    """Return the mean square of what cutting takes off a normal number, over the variance of the rest."""
    z = np.random.default_rng(8).normal(size=2_000_000)
    rest = np.clip(z, -0.5, 0.5)
    return float(((z - rest) ** 2).mean() / rest.var())


def leaned_on(law: str, n: int, r: np.random.Generator) -> Outcome:
    """The rise of the loss when a column is shuffled."""
    from epee.risk import importance

    j, rise = 0, 0.0
    if law == "a box rarely ticked":
        X = np.column_stack([2.0 * (r.random(n) < 0.03), r.normal(size=n)])
        rise = 2 * 4 * 0.03 * 0.97
    elif law == "answers from 1 to 5":
        X = r.integers(1, 6, size=(n, 2)).astype(float)
        rise = 2 * 2.0
    elif law == "a column that is not used":
        X, j = r.normal(size=(n, 2)), 1
    elif law == "errors that follow the column":
        X = r.normal(size=(n, 2))
        rise = 2.0
    else:
        X = 1e6 + r.normal(size=(n, 2))
        rise = 2.0
    e = r.normal(size=n) * (np.abs(X[:, 0]) if law.startswith("errors") else 1.0)
    found = importance(FirstNumber(), X, X[:, 0] + e, repeats=5)
    return bool(found.low[j] <= rise <= found.high[j]), bool(found.caution)


def calibrated(law: str, n: int, method: str, r: np.random.Generator) -> Outcome:
    """The interval of a calibrated probability holds the chance of the class."""
    import epee
    from epee import Calibrated

    def chance(x: np.ndarray) -> np.ndarray:
        if law == "chances that level off":
            return 0.1 + 0.8 * expit(3 * x[:, 0])
        return expit(1.2 * x[:, 0] - 4 if law == "a class of 3 %" else x[:, 0])

    def draw(r: np.random.Generator, n: int) -> Table:
        x = r.normal(size=(n, 1))
        x = np.round(2 * x) if law == "whole numbers" else x
        return x, (r.random(n) < chance(x)).astype(int)

    x, y = with_every_class(draw, 2, r, n)
    new = draw(r, 1)[0]
    low, high = Calibrated(epee.LinearDiscriminantAnalysis(), method).fit(x, y).probability_interval(new, 0.9)[0, 1]
    return bool(low <= chance(new)[0] <= high), False


def unlikely(law: str, n: int, r: np.random.Generator) -> Outcome:
    """A new row of the law is not flagged, at 5 %."""
    import epee

    model: Any = epee.KernelDensity()
    if law == "kernel density, whole numbers":
        X = np.round(2 * r.normal(size=(n + 1, 2)))
    elif law == "kernel density, copies":
        X = np.vstack([np.repeat(r.normal(size=(n // 2, 2)), 2, axis=0), r.normal(size=(1, 2))])
    elif law == "kernel density, heavy":
        X = r.standard_t(2, size=(n + 1, 2))
    elif law == "Gaussian, a million away":
        X, model = 1e6 + r.normal(size=(n + 1, 3)), epee.GaussianMixture(1, random_state=0)
    elif law == "tied covariances":
        X = r.normal(size=(n + 1, 2)) + 6.0 * r.integers(0, 3, size=(n + 1, 1))
        model = epee.GaussianMixture(3, covariance_type="tied", random_state=0)
    else:
        X, model = (r.random((n + 1, 6)) < 0.3).astype(float), epee.BernoulliMixture(1)
    return not bool(model.fit(X[:n]).outliers(X[n:], 0.05)[0]), False


@cache
def expected(law: str, kind: str, n: int, samples: int = 400) -> float:
    """Return the expected error of a way of learning from n rows."""
    r, total = np.random.default_rng(14), 0.0
    X, y = fresh(law, 10_000 if kind == "neighbours" else 20_000)
    for _ in range(samples):
        total += mean_loss(model_of(law, kind).fit(*table_of(law, r, n)), X, y, None, law in CLASSES)
    return total / samples


def extended(law: str, kind: str, n: int, r: np.random.Generator) -> Outcome:
    """What twice the rows would bring."""
    from epee.risk import learning_curve

    found = learning_curve(model_of(law, kind), *table_of(law, r, n)).extrapolate(2 * n)
    return inside(found, expected(law, kind, 2 * n))


def banded(law: str, n: int, method: str, r: np.random.Generator) -> Outcome:
    """A band of 90 % holds a new value."""
    import epee
    from epee.risk import conformal

    groups = None
    if law == "new groups":
        g = np.repeat(np.arange(n // 5 + 1), 5)[: n + 1]
        g[n] = n
        X, told = plane(r, n + 1, 2)
        y = told + r.normal(size=n + 1)[g] + 0.3 * r.normal(size=n + 1)
        groups = g[:n]
    elif law == "more columns than rows":
        X, told = plane(r, n + 1, 3 * n)
        y = told / np.sqrt(n) + r.normal(size=n + 1)
    else:
        X, y = LAWS[law](r, n + 1)
    model = epee.Ridge(5.0) if law == "more columns than rows" else model_of(law, "a line")
    extra = {} if groups is None else {"groups": groups}
    low, high = conformal(model, X[:n], y[:n], 0.9, method=method, **extra).predict_interval(X[n:])[0]
    return bool(low <= y[n] <= high), False


def split(law: str, r: np.random.Generator) -> Outcome:
    """Noise, bias and variance add up to the expected error, within their Monte-Carlo error."""
    import epee
    from epee.risk import bias_variance

    x, seed = np.linspace(-1, 1, 21), int(r.integers(2**31))
    if law == "a plane on fixed inputs":
        found = bias_variance(
            epee.LinearRegression(), lambda X: 2 * X[:, 0], noise=1.0, x=x, inputs=x, repeats=100, random_state=seed
        )
        truth = 1 + 2 / 21
    else:
        found = bias_variance(
            epee.DecisionTreeClassifier(max_depth=1), lambda X: 0.5 + 0.45 * np.sign(X[:, 0] - 0.05), x=x, n=40, repeats=60,
            loss="zero_one", random_state=seed,
        )  # fmt: skip
        truth = stump_error()
    return bool(abs(found.average.epe - truth) <= 1.96 * found.stderr), False


@cache
def stump_error() -> float:
    """Return the expected error of a stump, of many samples."""
    import epee
    from epee.risk import bias_variance

    return bias_variance(
        epee.DecisionTreeClassifier(max_depth=1), lambda X: 0.5 + 0.45 * np.sign(X[:, 0] - 0.05), x=np.linspace(-1, 1, 21), n=40,
        repeats=6000, loss="zero_one", random_state=7,
    ).average.epe  # fmt: skip


def learned(law: str, n: int, board: bool, r: np.random.Generator) -> Outcome:
    """The interval of what ``learn`` chose holds its error: on sealed rows, or, where none are sealed, on the board."""
    import pandas as pd

    import epee

    X, y = table_of(law, r, n)
    classes, names = law in CLASSES, [f"x{j}" for j in range(X.shape[1])]
    labels = np.array([f"c{k}" for k in range(10)])

    def frame(X: np.ndarray) -> Any:
        return pd.DataFrame(X, columns=names)

    keys = ["lda", "tree", "neighbours"] if classes else ["linear", "ridge", "tree"]
    found = epee.learn(
        frame(X).assign(y=labels[y] if classes else y), "y", predictors=keys, level=0.9, types={} if classes else {"y": "number"},
        **({"test_size": 0} if board else {}),
    )  # fmt: skip
    X, y = fresh(law, 20_000)
    said = np.asarray(found.predictor.predict(frame(X)))
    return inside(found.risk, float(np.mean(said != labels[y]) if classes else np.mean((said - y) ** 2)))


def nothing_shown(law: str, n: int, r: np.random.Generator) -> Outcome:
    """Of what nothing tells nothing is shown."""
    import pandas as pd

    import epee

    X = pd.DataFrame(
        {
            "a": r.integers(0, 3, n),
            "b": np.round(r.normal(size=n), 1),
            "c": np.arange(n) % 12,
            "d": r.choice(list("pqr"), n),
        }
    )
    if law == "a target of heaps":
        y: Any = 10 * r.poisson(2, n)
    elif law == "a class of 5 %":
        y = np.where(r.random(n) < 0.05, "yes", "no")
        y[:4] = "yes"
    else:  # a random walk
        y = np.round(np.cumsum(r.normal(size=n)), 3)
    types = {"y": "number"} if law != "a class of 5 %" else {}
    found = epee.learn(
        X.assign(y=y),
        "y",
        predictors=["linear", "ridge", "tree", "neighbours"] if types else ["lda", "tree"],
        types=types,
    )
    return not found.conclusive, bool(found.risk.caution)


ESTIMATED: tuple[tuple[str, int, str, tuple[str, ...], Any], ...] = (
    ("heaps of ten", 200, "a line", HOWS, None), ("cut at both ends", 120, "a line", HOWS, None),
    ("zero for two reasons", 250, "a line", HOWS, None), ("six decades", 300, "a line", HOWS, None),
    ("the spread of a level", 200, "a line", HOWS, None), ("a questionnaire", 200, "a line", HOWS, None),
    ("rare levels", 120, "a line", HOWS, None), ("a hidden regime", 150, "a line", HOWS, None),
    ("columns equal to a millionth", 40, "a line", HOWS, None), ("an origin of a million", 100, "a line", HOWS, None),
    ("single precision", 100, "a line", HOWS, None), ("a missed step", 300, "a line", HOWS, None),
    ("uniform errors", 200, "a line", HOWS, None), ("Gaussian", 2000, "a line", HOWS, None), ("Gaussian", 30, "a line", HOWS, "absolute"),
    ("cells missing by chance", 100, "a line", HOWS, None), ("cells missing because large", 100, "a line", HOWS[:2], None),
    ("a missed step", 200, "a tree", HOWS[:2], None), ("a questionnaire", 150, "neighbours", HOWS, None),
    ("ticked boxes", 300, "a line", HOWS, None), ("ticked boxes", 120, "a tree", HOWS[:2], None),
    ("ten classes", 100, "a line", HOWS, None), ("ten classes", 100, "naive Bayes", HOWS[:2], "log"),
    ("a class of 1 %", 600, "a line", HOWS, None), ("a class of 1 %", 400, "naive Bayes", HOWS[:1] + HOWS[2:], "log"),
    ("classes far apart", 50, "a line", HOWS, None), ("classes far apart", 150, "naive Bayes", HOWS[2:], "log"),
    ("mistakes of one class", 150, "a line", HOWS, None), ("opposite corners", 100, "a line", HOWS, None),
    ("opposite corners", 100, "a tree", HOWS[:2], None), ("told by nothing", 100, "a line", HOWS, None),
    ("told by nothing", 400, "a line", HOWS[:1] + HOWS[2:3], None), ("seven steps", 150, "a line", HOWS, STEPS),
    ("two populations", 80, "neighbours", HOWS, None), ("two populations", 1000, "a line", HOWS, None),
)  # fmt: skip
COMPARED = (
    ("heaps of ten", 100, "a line", "verdict"), ("zero for two reasons", 60, "a line", "verdict"),
    ("six decades", 100, "a line", "verdict"),
    ("a class of 1 %", 300, "a line", "verdict"), ("opposite corners", 60, "a tree", "verdict"), ("Gaussian", 20, "a line", "verdict"),
    ("a questionnaire", 80, "a tree", "verdict"), ("single precision", 60, "ridge", "verdict"), ("Gaussian", 100, "a line", "interval"),
    ("heaps of ten", 60, "a line", "interval"), ("seven steps", 120, "a line", "interval"), ("cut at both ends", 80, "a line", "interval"),
    ("zero for two reasons", 150, "a line", "interval"),
)  # fmt: skip
SCORED = (
    ("scores of three values", "roc_auc", 60), ("a class of 1 %", "roc_auc", 800), ("half of the positives hidden", "roc_auc", 100),
    ("worse than chance", "roc_auc", 60), ("scores of three values", "average_precision", 120),
    ("a class of 1 %", "average_precision", 1500), ("half of the positives hidden", "average_precision", 100),
    ("worse than chance", "average_precision", 80), ("a class of 1 %", "f1", 800), ("half of the positives hidden", "f1", 60),
    ("worse than chance", "f1", 50), ("over-sure with wrong labels", "brier", 80), ("over-sure with wrong labels", "log loss", 100),
    ("a class of 1 %", "brier", 500), ("scores of three values", "log loss", 50),
)  # fmt: skip


def claims() -> Iterator[Claim]:
    """Yield every claim with its law."""
    for law, n, kind, hows, loss in ESTIMATED:
        slow = kind in ("a tree", "neighbours") or law.startswith(("cells", "columns equal"))
        said = {"log": ", log loss", "absolute": ", absolute"}.get(loss, "") if isinstance(loss, str) else ""
        for how in hows:
            one = partial(estimated, law, n, kind, how, loss, 0.9)
            yield Claim(f"{how}{said}", f"{kind}, {law}, n = {n}", 0.9, one, slow=slow)
    for law, level in (
        ("heaps of ten", 0.5),
        ("Gaussian", 0.99),
        ("mistakes of one class", 0.5),
        ("ten classes", 0.99),
    ):
        for how in HOWS[:3]:
            yield Claim(
                f"{how}, .at({level:g})",
                f"a line, {law}, n = 200",
                level,
                partial(estimated, law, 200, "a line", how, None, level),
            )
    for how in HOWS[:3]:
        yield Claim(how, "ridge, n = 40, p = 200", 0.9, partial(wide, 40, 200, how))
    for law in ("one group holds half of the rows", "three groups", "a panel with a trend"):
        for how in ("fold", "nested", "hold-out", "fold, undeclared"):
            what = how if how.endswith("undeclared") else f"{how}, groups="
            yield Claim(what, law, 0.9, partial(grouped, law, how))
    for how in HOWS[:3]:
        yield Claim(f"{how}, undeclared", "a block pasted twice", 0.9, partial(pasted, how))
        yield Claim(f"{how}, undeclared", "rows in towns, a field over the map", 0.9, partial(cities, how))
    for law, n in (
        ("a random walk", 120), ("a missed trend", 120), ("a break", 150), ("months, a multiple", 144), ("MA(1) of -0.8", 120),
        ("inputs that follow each other, too", 150),
    ):  # fmt: skip
        for said in (True, False):
            yield Claim("time=" if said else "fold, undeclared", f"{law}, n = {n}", 0.9, partial(in_time, law, n, said))
    for law in ("Pareto(1.5)", "a third are 0"):
        for how in HOWS:
            yield Claim(f"{how}, weights", f"{law}, n = 250", 0.9, partial(weighed, law, how))
    for law, n, kind, what in COMPARED:
        name = "verdict at 5 %" if what == "verdict" else "interval of a difference"
        yield Claim(
            name,
            f"{kind}, {law}, n = {n}",
            0.95 if what == "verdict" else 0.9,
            partial(told_apart, law, n, kind, what),
            slow=True,
        )
    for law, n in (
        ("rates, same rows", 100), ("rates, other rows", 100), ("squared, same rows", 40), ("squared, other rows", 40),
        ("rates, same rows", 30),
        ("hardly different, same rows", 100), ("few and many rows", 50),
    ):  # fmt: skip
        yield Claim("risk - risk", f"{law}, n = {n}", 0.9, partial(apart, law, n))
    for what, n, share in (
        ("mcnemar", 40, 0.2), ("mcnemar, interval", 60, 0.1), ("compare_rates", 20, 0.2), ("compare_rates", 60, 0.02),
        ("compare_rates", 15, 0.5), ("compare_rates, interval", 20, 0.1), ("compare_rates, ten times as many", 20, 0.1),
    ):  # fmt: skip
        yield Claim(what, f"rates of {share:.0%}, n = {n}", 0.95, partial(rates_apart, what, n, share))
    for law, score, n in SCORED:
        yield Claim(score, f"{law}, n = {n}", 0.95, partial(scored, SCORES[law], score, n))
    for score in ("roc_auc", "f1"):
        yield Claim(
            f"{score}, weights", "one negative in ten was kept, n = 200", 0.95, partial(scored_by_weight, score, 200)
        )
    for law, n in (
        ("hardly told", 100),
        ("told wrongly", 60),
        ("an origin of a million", 80),
        ("nearly all", 50),
        ("cut at both ends", 60),
    ):
        yield Claim("r2", f"{law}, n = {n}", 0.95, partial(explained, law, n))
    for law, n in (
        ("a box rarely ticked", 200), ("answers from 1 to 5", 60), ("a column that is not used", 60),
        ("errors that follow the column", 100),
        ("an origin of a million", 60),
    ):  # fmt: skip
        yield Claim("importance", f"{law}, n = {n}", 0.95, partial(leaned_on, law, n))
    for law, n, method in (
        ("a class of 3 %", 400, "isotonic"), ("a class of 3 %", 400, "platt"), ("chances that level off", 300, "isotonic"),
        ("whole numbers", 200, "isotonic"), ("whole numbers", 100, "platt"),
    ):  # fmt: skip
        yield Claim(f"Calibrated, {method}", f"{law}, n = {n}", 0.9, partial(calibrated, law, n, method))
    for law, n in (
        ("kernel density, whole numbers", 100), ("kernel density, copies", 100), ("kernel density, heavy", 80),
        ("Gaussian, a million away", 30),
        ("tied covariances", 60), ("ticked boxes, Bernoulli", 60),
    ):  # fmt: skip
        yield Claim("outliers(0.05)", f"{law}, n = {n}", 0.95, partial(unlikely, law, n))
    for law, kind, n in (
        ("zero for two reasons", "a line", 120), ("ten classes", "a line", 100), ("heaps of ten", "a line", 40),
        ("a missed step", "neighbours", 120),
        ("mistakes of one class", "a line", 100),
    ):  # fmt: skip
        yield Claim(
            "extrapolate",
            f"{kind}, {law}, twice n = {n}",
            0.95,
            partial(extended, law, kind, n),
            slow=kind == "neighbours",
        )
    for law, n, method in (
        ("the spread of a level", 100, "cv+"), ("heaps of ten", 25, "cv+"), ("six decades", 60, "split"), ("new groups", 100, "cv+"),
        ("more columns than rows", 40, "cv+"), ("a questionnaire", 80, "cv+"), ("cut at both ends", 20, "split"),
    ):  # fmt: skip
        yield Claim(f"conformal, {method}", f"{law}, n = {n}", 0.9, partial(banded, law, n, method))
    for law in ("a plane on fixed inputs", "a stump"):
        yield Claim("bias_variance", law, 0.95, partial(split, law), slow=True)
    for law, n, board in (
        ("heaps of ten", 200, False), ("ten classes", 150, False), ("a missed step", 300, False), ("a questionnaire", 150, True),
        ("ticked boxes", 150, True), ("Gaussian", 60, True), ("opposite corners", 120, True),
    ):  # fmt: skip
        yield Claim(
            "learn, the board" if board else "learn, sealed rows",
            f"{law}, n = {n}",
            0.9,
            partial(learned, law, n, board),
            slow=True,
        )
    for law in ("a target of heaps", "a class of 5 %", "a random walk"):
        yield Claim(
            "learn, nothing is shown", f"noise, {law}, n = 120", 0.95, partial(nothing_shown, law, 120), slow=True
        )
