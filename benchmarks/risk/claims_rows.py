"""Claims about tables whose rows are not what they seem: copies, kin that nobody declared, samples of strata, counts; and fold intervals.

The truth is the expected error, on new rows of the law, of the predictor that all rows of the table teach. Of what follows in time, and of
groups, it is the error on rows far away.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.risk.claims import Claim, Outcome, inside
from benchmarks.risk.laws import NOISES, FirstNumber, autoregression

SLOPE = 0.5
SHARES = np.array([0.9, 0.1])  # of two strata, of which as many rows are drawn
SPREADS = np.array([1.0, 2.0])
CELLS = np.array(list(itertools.product(range(3), range(3))), dtype=float)  # (9, 2)
CHANCES = 1 / (1 + np.exp(2 - CELLS.sum(axis=1)))  # of the second class


def error_of_line(model: Any, variance: float, spread: float = 1.0) -> float:
    """Return the expected squared error of a line, where inputs are centred, independent and have a variance."""
    return float(variance + spread * ((np.ravel(model.coef_) - SLOPE) ** 2).sum() + float(model.intercept_) ** 2)


def validated(X: np.ndarray, y: np.ndarray, interval: str, **how: Any) -> Any:
    """Return the cross-validation of a line, or its leave-one-out."""
    from epee import LinearRegression
    from epee.risk import cross_validate, loo

    if interval == "leave-one-out":
        return loo(LinearRegression(), X, y, level=0.9, **how)
    repeats = 20 if interval == "nested" else 1
    return cross_validate(LinearRegression(), X, y, interval=interval, repeats=repeats, level=0.9, **how)


def line(noise: str, n: int, interval: str, r: np.random.Generator) -> Outcome:
    """Independent rows under errors of some shape."""
    from epee import LinearRegression

    X, law = r.normal(size=(n, 3)), NOISES[noise]
    y = SLOPE * X.sum(axis=1) + law.draw(r, n)
    return inside(validated(X, y, interval), error_of_line(LinearRegression().fit(X, y), law.variance))


def clouds(gap: float, n: int, interval: str, r: np.random.Generator) -> Outcome:
    """Two Gaussian classes so far apart that few rows are mistaken."""
    from benchmarks.risk.honesty import _cloud_error
    from epee import LinearDiscriminantAnalysis
    from epee.risk import cross_validate, loo

    y, mu = r.permutation(np.arange(n) % 2), np.array([gap / 2, 0.0, 0.0])
    X = r.normal(size=(n, 3)) + np.where(y == 1, 1.0, -1.0)[:, None] * mu
    model = LinearDiscriminantAnalysis()
    found = loo(model, X, y, level=0.9) if interval == "leave-one-out" else cross_validate(model, X, y, level=0.9)
    return inside(found, _cloud_error(LinearDiscriminantAnalysis().fit(X, y), mu))


def copied(times: int, n: int, interval: str, r: np.random.Generator) -> Outcome:
    """Each row several times, in any order, undeclared."""
    from epee import LinearRegression

    X = r.normal(size=(n, 3))
    y = SLOPE * X.sum(axis=1) + r.normal(size=n)
    rows = r.permutation(np.tile(np.arange(n), times))
    X, y = X[rows], y[rows]
    return inside(validated(X, y, interval), error_of_line(LinearRegression().fit(X, y), 1.0))


def drifting(rho: float, n: int, interval: str, r: np.random.Generator) -> Outcome:
    """Errors that follow each other, undeclared."""
    from epee import LinearRegression

    X = r.normal(size=(n, 3))
    y = SLOPE * X.sum(axis=1) + autoregression(r, n, rho)
    return inside(validated(X, y, interval), error_of_line(LinearRegression().fit(X, y), 1 / (1 - rho**2)))


def kin(G: int, size: int, mixed: bool, interval: str, r: np.random.Generator) -> Outcome:
    """Groups of rows that are near in their inputs and share an error, undeclared, in order or mixed."""
    from epee import LinearRegression

    g = np.repeat(np.arange(G), size)
    g = r.permutation(g) if mixed else g
    X = r.normal(size=(G, 3))[g] + 0.1 * r.normal(size=(len(g), 3))
    y = SLOPE * X.sum(axis=1) + r.normal(size=G)[g] + r.normal(size=len(g))
    return inside(validated(X, y, interval), error_of_line(LinearRegression().fit(X, y), 2.0, 1.01))


def strata(interval: str, scale: float, r: np.random.Generator, n: int = 160) -> Outcome:
    """As many rows of a rare stratum as of a common one, with weights that say what each stands for."""
    from epee import LinearRegression
    from epee.risk import holdout_error

    s = r.permutation(np.arange(n) % 2)
    X, w = r.normal(size=(n, 3)), scale * SHARES[s]
    y = SLOPE * X.sum(axis=1) + SPREADS[s] * r.normal(size=n)
    variance = float(SHARES @ SPREADS**2)
    if interval == "hold-out":
        found = holdout_error(
            FirstNumber(), X, y + (1 - SLOPE) * X[:, 0] - SLOPE * X[:, 1:].sum(axis=1), sample_weight=w, level=0.9
        )
        return inside(found, variance)
    truth = error_of_line(LinearRegression().fit(X, y, sample_weight=w), variance)
    return inside(validated(X, y, interval, sample_weight=w, weights="sampling"), truth)


def cells(kind: str, interval: str, r: np.random.Generator, n: int = 200) -> Outcome:
    """A table of nine cells and two classes, given as counts."""
    from epee import DecisionTreeClassifier, LinearDiscriminantAnalysis
    from epee.risk import cross_validate, loo

    share = np.concatenate([1 - CHANCES, CHANCES]) / len(CELLS)  # (18,)
    counts = r.multinomial(n, share)
    kept = np.flatnonzero(counts)
    X, y = np.vstack([CELLS, CELLS])[kept], np.repeat([0, 1], len(CELLS))[kept]
    w = counts[kept].astype(float)
    model: Any = DecisionTreeClassifier(max_depth=3) if kind == "tree" else LinearDiscriminantAnalysis()
    said = model.fit(X, y, sample_weight=w).predict(CELLS)
    truth = float(np.where(said == 1, 1 - CHANCES, CHANCES).mean())
    if interval == "leave-one-out":
        return inside(loo(model, X, y, sample_weight=w, level=0.9), truth)
    repeats = None if interval == "fold" else 10
    return inside(cross_validate(model, X, y, sample_weight=w, interval=interval, repeats=repeats, level=0.9), truth)


def claims() -> Iterator[Claim]:
    """Yield every claim with its law."""
    for noise, n in (
        ("Gaussian", 60), ("Weibull(0.8)", 80), ("lognormal(0.5)", 60), ("two-sided, 10 % far", 80),
        ("2 % of errors ten times larger", 100),
    ):  # fmt: skip
        yield Claim("fold, squared", f"{noise}, n = {n}, p = 3", 0.9, partial(line, noise, n, "fold"))
    yield Claim(
        "leave-one-out, squared", "Weibull(0.8), n = 80, p = 3", 0.9, partial(line, "Weibull(0.8)", 80, "leave-one-out")
    )
    for gap, n in ((4.0, 60), (5.0, 40)):
        for interval in ("fold", "leave-one-out"):
            law = f"clouds {gap:g} apart, n = {n}"
            yield Claim(f"{interval}, error rate", law, 0.9, partial(clouds, gap, n, interval))
    for times, n, interval in ((2, 50, "fold"), (2, 50, "nested"), (2, 50, "leave-one-out"), (3, 30, "fold")):
        law = f"each of {n} rows {times} times, undeclared"
        yield Claim(f"{interval}, squared", law, 0.9, partial(copied, times, n, interval))
    for rho, n, interval in ((0.9, 150, "fold"), (0.9, 150, "nested"), (0.7, 100, "leave-one-out")):
        yield Claim(
            f"{interval}, squared", f"AR({rho:g}), n = {n}, undeclared", 0.9, partial(drifting, rho, n, interval)
        )
    for mixed, interval in ((False, "fold"), (True, "fold"), (True, "nested")):
        law = f"30 groups of 5, {'mixed' if mixed else 'in order'}, undeclared"
        yield Claim(f"{interval}, squared", law, 0.9, partial(kin, 30, 5, mixed, interval))
    for interval in ("fold", "nested", "leave-one-out", "hold-out"):
        yield Claim(
            f"{interval}, sampling weights", "two strata, 10 % as often as 90 %", 0.9, partial(strata, interval, 1.0)
        )
    yield Claim("fold, sampling weights", "two strata, weights of sum 1", 0.9, partial(strata, "fold", 2 / 160))
    for kind, interval in (("tree", "fold"), ("LDA", "fold"), ("LDA", "nested"), ("LDA", "leave-one-out")):
        yield Claim(
            f"{interval}, counts, error rate", f"{kind}, nine cells, 200 rows", 0.9, partial(cells, kind, interval)
        )
