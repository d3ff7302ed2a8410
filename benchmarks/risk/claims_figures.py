"""Claims about figures of merit, curves, comparisons and rows in time, under laws that they were not made with.

Scores that are exponential, tied or of unequal spread; skewed and discrete targets; inputs with far values; probabilities; what twice the
rows would bring; four ways of learning that are equally good; moving averages, seasons and groups of unequal sizes. Truths are closed
forms, or means over a large sample of the law.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.special import expit

from benchmarks.risk.claims import Claim, Outcome, inside
from benchmarks.risk.laws import NOISES, FirstNumber, FirstScore

Draw = Callable[[np.random.Generator, int], np.ndarray]

SCORES: dict[str, tuple[Draw, Draw]] = {  # of negatives and of positives
    "exponential scores": (lambda r, n: r.exponential(size=n), lambda r, n: 2.5 * r.exponential(size=n)),
    "tied scores": (lambda r, n: np.round(r.normal(size=n)), lambda r, n: np.round(1 + r.normal(size=n))),
    "scores of unequal spread": (lambda r, n: r.normal(size=n), lambda r, n: 1 + 2.5 * r.normal(size=n)),
}
INPUTS: dict[str, tuple[Draw, float]] = {  # with their variance
    "far inputs": (lambda r, n: r.standard_t(5, size=n), 5 / 3),
    "gamma inputs": (lambda r, n: r.gamma(2.0, size=n), 2.0),
    "inputs of two values": (lambda r, n: (r.random(n) < 0.3).astype(float), 0.21),
}


@cache
def rank_truth(law: str, score: str, share: float) -> float:
    """Return the area, or the average precision at a share of positives, of half a million scores."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    r, n = np.random.default_rng(5), 500_000
    P = round(share * n)
    low, high = SCORES[law]
    y = np.repeat([0, 1], [n - P, P])
    s = np.concatenate([low(r, n - P), high(r, P)])
    return float(roc_auc_score(y, s) if score == "area" else average_precision_score(y, s))


def ranked(law: str, score: str, P: int, n: int, r: np.random.Generator) -> Outcome:
    """Scores of two classes, of which P rows are the second."""
    from epee.risk import average_precision, roc_auc

    low, high = SCORES[law]
    y = np.repeat([0, 1], [n - P, P])
    X = np.concatenate([low(r, n - P), high(r, P)])[:, None]
    found = roc_auc(FirstScore(), X, y) if score == "area" else average_precision(FirstScore(), X, y, draws=100)
    return inside(found, rank_truth(law, score, P / n))


def explained(law: str, n: int, r: np.random.Generator) -> Outcome:
    """The share explained where the target is a count, or errors are skewed."""
    from epee.risk import r2

    X = r.gamma(2.0, size=(n, 1))
    if law == "counts":
        return inside(r2(FirstNumber(), X, r.poisson(X[:, 0]).astype(float)), 1 - 2.0 / 4.0)
    return inside(r2(FirstNumber(), X, X[:, 0] + r.gamma(2.0, size=n) - 2.0), 1 - 2.0 / 4.0)


def leaned_on(law: str, n: int, r: np.random.Generator) -> Outcome:
    """The rise of the squared error when the only column that matters is shuffled."""
    from epee.risk import importance

    draw, variance = INPUTS[law]
    X = np.column_stack([draw(r, n), r.normal(size=n)])
    found = importance(FirstNumber(), X, X[:, 0] + r.normal(size=n), repeats=5)
    return bool(found.low[0] <= 2 * variance <= found.high[0]), False


@cache
def chance_truth(loss: str) -> float:
    """Return the expected loss of probabilities that are right: a sigmoid of a normal score."""
    z = np.linspace(-9, 9, 20_001)
    p, w = expit(z), np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    cost = p * (1 - p) if loss == "brier" else -(p * np.log(p) + (1 - p) * np.log(1 - p))
    return float(w @ cost)


def chances(loss: str, n: int, r: np.random.Generator) -> Outcome:
    """Probabilities that are right."""
    from epee.risk import brier, holdout_error

    X = r.normal(size=(n, 1))
    y = (r.random(n) < expit(X[:, 0])).astype(int)
    y[:2] = 0, 1
    found = brier(FirstScore(), X, y) if loss == "brier" else holdout_error(FirstScore(), X, y, loss="log")
    return inside(found, chance_truth(loss))


def absolute(noise: str, size: float, n: int, r: np.random.Generator) -> Outcome:
    """The mean of absolute errors."""
    from epee.risk import holdout_error

    X = r.normal(size=(n, 1))
    return inside(holdout_error(FirstNumber(), X, X[:, 0] + NOISES[noise].draw(r, n), loss="absolute", level=0.9), size)


def extended(noise: str, n: int, p: int, r: np.random.Generator) -> Outcome:
    """The expected error of a line that twice the rows would teach."""
    from epee import LinearRegression
    from epee.risk import learning_curve

    X, law, N = r.normal(size=(n, p)), NOISES[noise], 2 * n
    y = 0.5 * X.sum(axis=1) + law.draw(r, n)
    truth = law.variance * (N + 1) * (N - 2) / (N * (N - p - 2))
    return inside(learning_curve(LinearRegression(), X, y).extrapolate(N), truth)


@cache
def expected_clouds(gap: float, n: int, p: int) -> float:
    """Return the expected error of LDA between two Gaussian classes, over 1,000 samples of n rows."""
    from benchmarks.risk.honesty import _cloud_error
    from epee import LinearDiscriminantAnalysis

    r, mu, y = np.random.default_rng(3), np.full(p, gap / 2), np.arange(n) % 2
    side = np.where(y == 1, 1.0, -1.0)[:, None]
    return float(
        np.mean([
            _cloud_error(LinearDiscriminantAnalysis().fit(r.normal(size=(n, p)) + side * mu, y), mu) for _ in range(1000)
        ])
    )  # fmt: skip


def extended_clouds(gap: float, n: int, p: int, r: np.random.Generator) -> Outcome:
    """The expected error rate of LDA that twice the rows would teach."""
    from epee import LinearDiscriminantAnalysis
    from epee.risk import learning_curve

    y = r.permutation(np.arange(n) % 2)
    X = r.normal(size=(n, p)) + np.where(y == 1, 1.0, -1.0)[:, None] * gap / 2
    return inside(learning_curve(LinearDiscriminantAnalysis(), X, y).extrapolate(2 * n), expected_clouds(gap, 2 * n, p))


def unlikely(law: str, n: int, level: float, r: np.random.Generator) -> Outcome:
    """A new row of the law is not flagged."""
    from epee import GaussianMixture

    def draw(n: int) -> np.ndarray:
        X = r.normal(size=(n, 3))
        if law == "correlated":
            return X + 2 * r.normal(size=(n, 1))
        return X + 4.0 * r.integers(0, 2, size=(n, 1))

    model = GaussianMixture(1 if law == "correlated" else 2, random_state=0).fit(draw(n))
    return not model.outliers(draw(1), level, draws=2000)[0], False


def calibrated(n: int, r: np.random.Generator) -> Outcome:
    """The interval of a calibrated probability holds the true one at a new row."""
    from epee import Calibrated, LinearDiscriminantAnalysis

    y = r.permutation(np.arange(n) % 2)
    X = r.normal(size=(n, 1)) + 1.5 * y[:, None]
    new = r.normal(size=(1, 1)) + 1.5 * r.integers(0, 2)
    low, high = Calibrated(LinearDiscriminantAnalysis()).fit(X, y).probability_interval(new, 0.9)[0, 1]
    truth = float(expit(1.5 * new[0, 0] - 1.5**2 / 2))
    return bool(low <= truth <= high), False


def none_best(kind: str, n: int, r: np.random.Generator, many: int = 4) -> Outcome:
    """Of ways of learning that are equally good, each of its own two columns, none is shown to be best."""
    from epee import LinearDiscriminantAnalysis, LinearRegression
    from epee.risk.paired_tests import corrected_difference, of_pairs, over_pairs

    X = r.normal(size=(n, 2 * many))
    if kind == "classes":
        y = r.permutation(np.arange(n) % 2)
        X, model = X + 0.7 * y[:, None], LinearDiscriminantAnalysis()
    else:
        y, model = 0.5 * X.sum(axis=1) + r.standard_t(4, size=n), LinearRegression()
    from epee.risk import cross_validate

    risks = [cross_validate(model, X[:, 2 * j : 2 * j + 2], y, repeats=5) for j in range(many)]
    differences = {(i, j): corrected_difference(risks[i], risks[j], 0.95) for i in range(many) for j in range(i)}
    p = over_pairs(of_pairs(many, lambda i, j: differences[i, j].p_value))
    best = int(np.argmin([risk.value for risk in risks]))
    return bool(np.delete(p[best], best).min() >= 0.05), any(bool(d.caution) for d in differences.values())


def line_in_time(law: str, n: int, r: np.random.Generator) -> Outcome:
    """Errors that are a moving average, or carry a season that the line does not know; the truth is the error far ahead."""
    from epee import LinearRegression
    from epee.risk import cross_validate

    X, z = r.normal(size=(n, 3)), r.normal(size=n + 2)
    if law == "moving average":
        e, variance = z[2:] + 0.6 * z[1:-1] + 0.3 * z[:-2], 1.45
    else:
        e, variance = z[2:] + np.sin(2 * np.pi * np.arange(n) / 12), 1.5
    y = 0.5 * X.sum(axis=1) + e
    m = LinearRegression().fit(X, y)
    truth = variance + ((m.coef_ - 0.5) ** 2).sum() + m.intercept_**2
    return inside(cross_validate(LinearRegression(), X, y, time=True, level=0.9), float(truth))


def unequal_groups(how: str, G: int, r: np.random.Generator) -> Outcome:
    """Groups of one to fourteen rows; the truth is the error of a row of a new group, drawn as rows are."""
    from epee import LinearRegression
    from epee.risk import cross_validate

    size = r.integers(1, 15, G)
    g = np.repeat(np.arange(G), size)
    X = r.normal(size=(G, 3))[g] + 0.5 * r.normal(size=(len(g), 3))
    y = 0.5 * X.sum(axis=1) + 0.7 * r.normal(size=G)[g] + r.normal(size=len(g))
    m = LinearRegression().fit(X, y)
    truth = 1.49 + 1.25 * ((m.coef_ - 0.5) ** 2).sum() + m.intercept_**2
    extra: dict[str, Any] = {"interval": "nested", "repeats": 10} if how == "nested" else {}
    return inside(cross_validate(LinearRegression(), X, y, level=0.9, groups=g, **extra), float(truth))


def many_rows(how: str, r: np.random.Generator, n: int = 5000) -> Outcome:
    """Five thousand rows under skewed errors."""
    from epee import LinearRegression
    from epee.risk import cross_validate, loo

    X, law = r.normal(size=(n, 3)), NOISES["exponential"]
    y = 0.5 * X.sum(axis=1) + law.draw(r, n)
    m = LinearRegression().fit(X, y)
    truth = float(law.variance + ((m.coef_ - 0.5) ** 2).sum() + m.intercept_**2)
    found = loo(m, X, y, level=0.9) if how == "leave-one-out" else cross_validate(m, X, y, level=0.9)
    return inside(found, truth)


@cache
def three_clouds() -> tuple[Any, dict[str, float]]:
    """Return a fitted rule between three classes, and its figures of merit on 60,000 rows."""
    from epee import LinearDiscriminantAnalysis
    from epee.risk import brier, f1, roc_auc

    X, y = draw_three(np.random.default_rng(9), 60_500)
    model = LinearDiscriminantAnalysis().fit(X[:500], y[:500])
    return model, {f.__name__: float(f(model, X[500:], y[500:]).value) for f in (roc_auc, f1, brier)}


def draw_three(r: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of three classes, of each two at least."""
    y = r.integers(0, 3, n)
    y[:6] = 0, 1, 2, 0, 1, 2
    return r.normal(size=(n, 2)) + y[:, None] * [1.0, 0.5], y


def of_three(score: str, n: int, r: np.random.Generator) -> Outcome:
    """A figure of merit that is a mean over three classes."""
    from epee import risk

    model, truths = three_clouds()
    return inside(getattr(risk, score)(model, *draw_three(r, n)), truths[score])


def judged_ridge(how: str, n: int, p: int, r: np.random.Generator) -> Outcome:
    """Nearly as many columns as rows: the folds share most of what they learn."""
    from epee import Ridge
    from epee.risk import cross_validate, loo

    X = r.normal(size=(n, p))
    y = 0.3 * X.sum(axis=1) + r.normal(size=n)
    m = Ridge(5.0).fit(X, y)
    truth = float(1 + ((m.coef_ - 0.3) ** 2).sum() + m.intercept_**2)
    if how == "leave-one-out":
        return inside(loo(Ridge(5.0), X, y, level=0.9), truth)
    return inside(
        cross_validate(Ridge(5.0), X, y, level=0.9, interval=how, repeats=20 if how == "nested" else 1), truth
    )


def costly(how: str, n: int, r: np.random.Generator) -> Outcome:
    """Costs of 8 to 1, and decisions that mind them; the truth is of 40,000 rows."""
    from epee import LinearDiscriminantAnalysis
    from epee.risk import cross_validate, holdout_error, loo

    def draw(r: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        y = (r.random(n) < 0.25).astype(int)
        return r.normal(size=(n, 3)) + 1.2 * y[:, None], y

    costs, model, (X, y) = np.array([[0.0, 8.0], [1.0, 0.0]]), LinearDiscriminantAnalysis(), draw(r, n)
    truth = holdout_error(
        LinearDiscriminantAnalysis().fit(X, y), *draw(np.random.default_rng(4), 40_000), loss=costs
    ).value
    if how == "leave-one-out":
        return inside(loo(model, X, y, loss=costs, level=0.9), truth)
    repeats = 20 if how == "nested" else 1
    return inside(cross_validate(model, X, y, loss=costs, level=0.9, interval=how, repeats=repeats), truth)


def claims() -> Iterator[Claim]:
    """Yield every claim with its law."""
    for law, P, n in (
        ("exponential scores", 10, 40),
        ("tied scores", 20, 60),
        ("scores of unequal spread", 6, 180),
        ("exponential scores", 60, 200),
    ):
        yield Claim("roc_auc", f"{law}, {P} positives of {n}", 0.95, partial(ranked, law, "area", P, n))
    for law, P, n in (("exponential scores", 40, 200), ("tied scores", 40, 120), ("scores of unequal spread", 10, 300)):
        yield Claim("average_precision", f"{law}, {P} positives of {n}", 0.95, partial(ranked, law, "precision", P, n))
    for law, n in (("counts", 60), ("gamma errors", 60), ("gamma errors", 400)):
        yield Claim("r2", f"{law}, n = {n}", 0.95, partial(explained, law, n))
    for law in INPUTS:
        yield Claim("importance", f"{law}, n = 80", 0.95, partial(leaned_on, law, 80))
    yield Claim("brier", "n = 60", 0.95, partial(chances, "brier", 60))
    yield Claim("hold-out, log loss", "n = 60", 0.95, partial(chances, "log", 60))
    yield Claim("hold-out, absolute", "exponential, n = 50", 0.9, partial(absolute, "exponential", 2 / np.e, 50))
    for noise, n, p in (("Gaussian", 60, 5), ("exponential", 100, 5), ("Gaussian", 100, 20)):
        yield Claim("extrapolate", f"{noise}, twice n = {n}, p = {p}", 0.95, partial(extended, noise, n, p))
    yield Claim("extrapolate", "clouds 2 apart, twice n = 60", 0.95, partial(extended_clouds, 1.0, 60, 4))
    yield Claim("outliers(0.05)", "correlated inputs, n = 40", 0.95, partial(unlikely, "correlated", 40, 0.05))
    yield Claim("outliers(0.05)", "two clouds, n = 60", 0.95, partial(unlikely, "two clouds", 60, 0.05))
    for n in (100, 400):
        yield Claim("Calibrated", f"two clouds, n = {n}", 0.9, partial(calibrated, n))
    for kind in ("numbers", "classes"):
        yield Claim(
            "verdict against the best", f"four equal predictors, {kind}, n = 80", 0.95, partial(none_best, kind, 80)
        )
    for law in ("moving average", "a season"):
        yield Claim("a line of three inputs, time=", f"{law}, n = 96", 0.9, partial(line_in_time, law, 96))
    for how in ("fold", "nested"):
        yield Claim(f"{how}, groups=", "25 groups of unequal sizes", 0.9, partial(unequal_groups, how, 25))
    for how in ("fold", "leave-one-out"):
        yield Claim(f"{how}, squared", "exponential, n = 5000", 0.9, partial(many_rows, how))
    for score in ("roc_auc", "f1", "brier"):
        yield Claim(score, "three classes, n = 90", 0.95, partial(of_three, score, 90))
    for how in ("fold", "nested", "leave-one-out"):
        yield Claim(f"{how}, squared", "ridge, n = 40, p = 30", 0.9, partial(judged_ridge, how, 40, 30))
    for how in ("fold", "nested", "leave-one-out"):
        yield Claim(f"{how}, costs 8 to 1", "a class of 25 %, n = 80", 0.9, partial(costly, how, 80))
