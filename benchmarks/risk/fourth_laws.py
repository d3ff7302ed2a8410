"""Tables and ways of learning that a fourth examiner brought: targets with a floor, a ceiling or steps, and classes of very unequal share.

Counts that are small, shares, amounts that are mostly zero, errors that multiply; inputs with a heavy tail; clouds that are nearly equal,
labels that are wrong where an input is large, classes of nine in ten or of one in a thousand; months that return to themselves a year
ago, and families. A :class:`~benchmarks.risk.third_laws.Study` says how rows are drawn, what learns from them, and its loss.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import expit

from benchmarks.risk.laws import autoregression
from benchmarks.risk.second_laws import Draw, Table, plane
from benchmarks.risk.third_laws import Study

FAR_COSTS = np.array([[0.0, 1, 50], [1, 0, 50], [2, 2, 0]])  # said, true
ROOM_COSTS = np.array([[0.0, 5], [1, 0]])
CENTRES = np.array([[0.0, 0], [1.5, 0], [0, 1.5], [2.5, 2.5]])
SHARES = [0.55, 0.25, 0.15, 0.05]


def small_counts(r: np.random.Generator, n: int) -> Table:
    """Return counts of a mean near 0.35."""
    X = r.normal(size=(n, 2))
    return X, r.poisson(np.exp(-1.2 + 0.5 * X[:, 0])).astype(float)


def counts(r: np.random.Generator, n: int) -> Table:
    """Return counts of a mean near five."""
    X = r.normal(size=(n, 3))
    return X, r.poisson(np.exp(1.5 + 0.3 * X.sum(axis=1))).astype(float)


def waits(r: np.random.Generator, n: int) -> Table:
    """Return exponential errors about a plane."""
    X, told = plane(r, n, 2)
    return X, told + r.exponential(size=n)


def one_sided(r: np.random.Generator, n: int) -> Table:
    """Return errors of which one in twelve is eight too large."""
    X, told = plane(r, n, 3)
    return X, told + r.normal(size=n) + 8.0 * (r.random(n) < 1 / 12)


def heavy_inputs(p: int) -> Draw:
    """Return columns of Student's law with 3 degrees of freedom, and a plane."""

    def draw(r: np.random.Generator, n: int) -> Table:
        X = r.standard_t(3, size=(n, p))
        return X, 0.5 * X.sum(axis=1) + r.normal(size=n)

    return draw


def heavy_clouds(r: np.random.Generator, n: int) -> Table:
    """Return two classes that a logit of two heavy columns tells apart."""
    X = r.standard_t(3, size=(n, 2))
    return X, (r.random(n) < expit(1.2 * X[:, 0] - 0.5)).astype(int)


def multiplied(r: np.random.Generator, n: int) -> Table:
    """Return what a plane says, times a lognormal number of mean one."""
    X = r.uniform(0, 2, size=(n, 2))
    return X, (1 + X.sum(axis=1)) * np.exp(0.5 * r.normal(size=n) - 0.125)


def mostly_zero(r: np.random.Generator, n: int) -> Table:
    """Return seven zeros of ten, and amounts that grow with the inputs."""
    X, told = plane(r, n, 2)
    return X, np.where(r.random(n) < 0.7, 0.0, r.gamma(2.0, np.exp(0.5 * told)))


def shares_of_one(r: np.random.Generator, n: int) -> Table:
    """Return shares between 0 and 1, most of them near the ends."""
    X, told = plane(r, n, 3)
    m = expit(told)
    return X, r.beta(m, 1 - m)


def rounded(r: np.random.Generator, n: int) -> Table:
    """Return a plane and small errors, rounded to whole numbers."""
    X, told = plane(r, n, 2)
    return X, np.round(told + 0.2 * r.normal(size=n))


def laplace(r: np.random.Generator, n: int) -> Table:
    """Return Laplace's errors about a plane."""
    X, told = plane(r, n, 3)
    return X, told + r.laplace(size=n)


def clouds(share: float, gap: float, p: int = 2) -> Draw:
    """Return two clouds, the second of this share, this far apart in every column."""

    def draw(r: np.random.Generator, n: int) -> Table:
        y = (r.random(n) < share).astype(int)
        return r.normal(size=(n, p)) + gap * y[:, None], y

    return draw


def four_unequal(r: np.random.Generator, n: int) -> Table:
    """Return four clouds of the shares .55, .25, .15 and .05."""
    y = r.choice(4, n, p=SHARES)
    return CENTRES[y] + r.normal(size=(n, 2)), y


def three_even(r: np.random.Generator, n: int) -> Table:
    """Return three clouds of equal share."""
    y = r.integers(0, 3, n)
    return CENTRES[y] + r.normal(size=(n, 2)), y


def three_with_a_rare_one(r: np.random.Generator, n: int) -> Table:
    """Return three clouds, the last of one row in sixteen."""
    y = r.choice(3, n, p=[0.6, 0.34, 0.06])
    return CENTRES[y] + r.normal(size=(n, 2)), y


def wrong_where_large(r: np.random.Generator, n: int) -> Table:
    """Return two clouds, where more and more labels are wrong as the second column grows."""
    y = r.integers(0, 2, n)
    X = r.normal(size=(n, 2))
    X[:, 0] += 2.5 * y
    return X, np.where(r.random(n) < 0.4 * expit(3 * X[:, 1]), 1 - y, y)


def a_year_ago(r: np.random.Generator, n: int, phi: float = 0.7) -> np.ndarray:
    """Return a stationary series in which every month answers the same month of the year before; its variance is 1 / (1 - phi²)."""
    e = r.normal(size=n)
    e[:12] /= np.sqrt(1 - phi**2)
    for i in range(12, n):
        e[i] += phi * e[i - 12]
    return e


def runs(r: np.random.Generator, n: int, stay: float = 0.9, share: float = 0.25) -> np.ndarray:
    """Return a stationary chain of two states that is 1 for this share of the time, in runs of 1 / (1 - stay) on average."""
    enter = (1 - stay) * share / (1 - share)
    u, state = r.random(n), np.zeros(n, dtype=bool)
    state[0] = u[0] < share
    for i in range(1, n):
        state[i] = u[i] < (stay if state[i - 1] else enter)
    return state


def slow_spread(r: np.random.Generator, n: int) -> np.ndarray:
    """Return errors whose spread is the exponential of a slow series; their variance is exp(0.32)."""
    s = 0.4 * np.sqrt(1 - 0.97**2) * autoregression(r, n, 0.97)
    return np.exp(s) * r.normal(size=n)


def unequal_groups(r: np.random.Generator, G: int = 30) -> np.ndarray:
    """Return the groups of rows, one to twenty of each, shuffled."""
    return r.permutation(np.repeat(np.arange(G), r.integers(1, 21, G)))


@cache
def studies() -> dict[str, Study]:
    """Return all of them by name."""
    import epee

    line, lda, logistic = epee.LinearRegression, epee.LinearDiscriminantAnalysis, epee.LogisticRegression

    def poisson() -> epee.PoissonRegressor:
        return epee.PoissonRegressor(alpha=0.0)

    return {
        "counts near a third, Poisson deviance": Study(small_counts, poisson, "poisson", fresh=400_000, repeats=3),
        "counts near five, Poisson deviance": Study(counts, poisson, "poisson", repeats=3),
        "waits, quantile 0.9": Study(
            waits, lambda: epee.QuantileRegressor(quantile=0.9, alpha=0.0), "quantile0.9", repeats=2
        ),
        "one error in twelve eight too large, Huber": Study(one_sided, epee.RobustRegression, "huber", repeats=2),
        "one error in twelve eight too large, a line": Study(one_sided, line, fresh=400_000),
        "Laplace errors, l1.5": Study(laplace, line, "l1.5", fresh=400_000),
        "heavy columns, a line": Study(heavy_inputs(3), line),
        "heavy columns, ridge, p = 12": Study(heavy_inputs(12), lambda: epee.Ridge(alpha=20.0)),
        "heavy columns, a line, absolute": Study(heavy_inputs(3), line, "absolute", fresh=400_000),
        "heavy columns, LDA": Study(heavy_clouds, lda, None, 2),
        "heavy columns, logistic, log loss": Study(heavy_clouds, logistic, "log", 2, repeats=3),
        "multiplied errors, a line": Study(multiplied, line, fresh=400_000),
        "seven zeros of ten, a line": Study(mostly_zero, line, fresh=1_000_000),
        "seven zeros of ten, absolute": Study(mostly_zero, line, "absolute", fresh=400_000),
        "shares near the ends, a line": Study(shares_of_one, line, fresh=400_000),
        "rounded to whole numbers, a line": Study(rounded, line, fresh=400_000),
        "nearly equal clouds, LDA": Study(clouds(0.5, 0.15), lda, None, 2),
        "nearly equal clouds, logistic": Study(clouds(0.5, 0.15), logistic, None, 2, repeats=3),
        "nearly equal clouds, LDA, log loss": Study(clouds(0.5, 0.15), lda, "log", 2),
        "nearly equal clouds, logistic, log loss": Study(clouds(0.5, 0.15), logistic, "log", 2, repeats=3),
        "four unequal classes, LDA": Study(four_unequal, lda, None, 4, fresh=400_000),
        "four unequal classes, LDA, log loss": Study(four_unequal, lda, "log", 4, fresh=400_000),
        "four unequal classes, LDA, Brier": Study(four_unequal, lda, "brier", 4, fresh=400_000),
        "four unequal classes, naive Bayes": Study(four_unequal, epee.GaussianNB, None, 4, repeats=3),
        "four unequal classes, naive Bayes, log loss": Study(four_unequal, epee.GaussianNB, "log", 4, repeats=3),
        "four unequal classes, neighbours": Study(
            four_unequal, lambda: epee.KNeighborsClassifier(5), None, 4, fresh=10_000, repeats=3
        ),
        "three even classes, LDA, Brier": Study(three_even, lda, "brier", 3, fresh=400_000),
        "three even classes, neighbours, Brier": Study(
            three_even, lambda: epee.KNeighborsClassifier(7), "brier", 3, fresh=10_000, repeats=3
        ),
        "three classes, fifty for the rare one": Study(three_with_a_rare_one, lda, FAR_COSTS, 3, fresh=400_000),
        "overlapping clouds, one cost of five": Study(
            clouds(0.5, 0.6), lambda: epee.BayesDecision(lda(), costs=ROOM_COSTS), ROOM_COSTS, 2, repeats=3
        ),
        "nine of ten positive, LDA": Study(clouds(0.9, 0.8), lda, None, 2, fresh=400_000),
        "nine of ten positive, logistic, log loss": Study(clouds(0.9, 0.8), logistic, "log", 2, repeats=3),
        "nine of ten positive, hinge": Study(
            clouds(0.9, 0.8), lambda: epee.LinearClassifier(loss="hinge"), "hinge", 2, repeats=3
        ),
        "one of a thousand, LDA": Study(clouds(0.001, 1.5), lda, None, 2, fresh=2_000_000),
        "one of a thousand, LDA, log loss": Study(clouds(0.001, 1.5), lda, "log", 2, fresh=2_000_000),
        "labels wrong where an input is large, LDA": Study(wrong_where_large, lda, None, 2),
        "labels wrong where an input is large, logistic, log loss": Study(
            wrong_where_large, logistic, "log", 2, repeats=3
        ),
        "labels wrong where an input is large, neighbours": Study(
            wrong_where_large, lambda: epee.KNeighborsClassifier(5), None, 2, fresh=10_000, repeats=3
        ),
    }
