"""What the library claims of its error bars, each with a law under which the truth is known.

A claim draws a sample from a seed and returns whether it was kept, and whether the software itself said that it does not hold there.
Coverage is of intervals; for verdicts a claim is kept when two equal candidates are not told apart.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtr

from benchmarks.risk.laws import NOISES, FirstNumber, FirstScore, autoregression

Outcome = tuple[bool, bool]  # kept, marked by the software as not holding


@dataclass(frozen=True)
class Claim:
    """One claim under one law."""

    what: str
    law: str
    nominal: float
    one: Callable[[np.random.Generator], Outcome]
    slow: bool = False  # a quarter of the simulations

    def __call__(self, seed: int) -> Outcome:
        """Return the outcome of one simulation."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.one(np.random.default_rng([17, seed]))


@dataclass(frozen=True)
class Kept:
    """How often a claim was kept, marked, and either."""

    what: str
    law: str
    nominal: float
    simulations: int
    kept: float
    marked: float
    either: float

    @property
    def holds(self) -> bool:
        """Tell whether it is kept or marked within two points of what it says, up to two standard errors of the simulation."""
        return self.either >= self.nominal - 0.02 - 2 * np.sqrt(self.nominal * (1 - self.nominal) / self.simulations)


def judge(claim: Claim, simulations: int, run: Callable[..., Any] = map) -> Kept:
    """Return how often a claim is kept."""
    simulations = max(simulations // 4, 2) if claim.slow else simulations
    found = np.array(list(run(claim, range(simulations))))  # (S, 2)
    either = found.any(axis=1).mean()
    return Kept(claim.what, claim.law, claim.nominal, simulations, *found.mean(axis=0), float(either))


def inside(found: Any, truth: float) -> Outcome:
    """Return whether an estimate's interval holds the truth, and whether it carries a caution."""
    return bool(found.low <= truth <= found.high), bool(getattr(found, "caution", ""))


def held_out(noise: str, n: int, loss: str, truth: float, r: np.random.Generator) -> Outcome:
    from epee.risk import holdout_error

    X = r.normal(size=(n, 1))
    return inside(holdout_error(FirstNumber(), X, X[:, 0] + NOISES[noise].draw(r, n), loss=loss), truth)


def rate(share: float, n: int, r: np.random.Generator) -> Outcome:
    from epee.risk import holdout_error

    y = r.integers(0, 2, n)
    wrong = r.random(n) < share
    return inside(holdout_error(FirstScore(), np.where(wrong, 1 - y, y)[:, None].astype(float), y), share)


def costly(n: int, r: np.random.Generator) -> Outcome:
    from epee.risk import holdout_error

    y = (r.random(n) < 0.3).astype(int)
    said = np.where(r.random(n) < 0.02, 1 - y, y)  # 2 % of errors: 0.6 % of rows cost 20, 1.4 % cost 1
    found = holdout_error(FirstScore(), said[:, None].astype(float), y, loss=np.array([[0.0, 20.0], [1.0, 0.0]]))
    return inside(found, 0.02 * (0.3 * 20 + 0.7))


def grouped(G: int, r: np.random.Generator) -> Outcome:
    from epee.risk import holdout_error

    g = np.repeat(np.arange(G), 8)
    X = r.normal(size=(8 * G, 1))
    y = X[:, 0] + r.normal(size=G)[g] + r.normal(size=8 * G)
    return inside(holdout_error(FirstNumber(), X, y, groups=g), 2.0)


def weighted(weights: str, r: np.random.Generator, n: int = 100) -> Outcome:
    from epee.risk import holdout_error

    X = r.normal(size=(n, 1))
    w = np.full(n, 10.0) if weights == "sampling" else r.exponential(size=n) / n
    found = holdout_error(
        FirstNumber(), X, X[:, 0] + r.normal(size=n), sample_weight=w, weights="sampling" if w[0] == 10 else None
    )
    return inside(found, 1.0)


def in_time(rho: float, n: int, r: np.random.Generator) -> Outcome:
    from epee.risk import cross_validate

    X = r.normal(size=(n, 1))
    y = X[:, 0] + autoregression(r, n, rho)
    return inside(cross_validate(FirstNumber(), X, y, time=True, level=0.9), 1 / (1 - rho**2))


def line_in_time(rho: float, n: int, r: np.random.Generator, p: int = 3) -> Outcome:
    """The error of the line that all rows teach, on rows far ahead."""
    from epee import LinearRegression
    from epee.risk import cross_validate

    X = r.normal(size=(n, p))
    y = 0.5 * X.sum(axis=1) + autoregression(r, n, rho)
    m = LinearRegression().fit(X, y)
    truth = 1 / (1 - rho**2) + ((m.coef_ - 0.5) ** 2).sum() + m.intercept_**2
    return inside(cross_validate(LinearRegression(), X, y, time=True, level=0.9), float(truth))


def ranked(score: str, P: int, n: int, gap: float, r: np.random.Generator) -> Outcome:
    from epee.risk import average_precision, roc_auc

    y = np.repeat([1, 0], [P, n - P])
    X = r.normal(size=(n, 1)) + gap * y[:, None]
    if score == "area":
        return inside(roc_auc(FirstScore(), X, y), float(ndtr(gap / np.sqrt(2))))
    z, share = np.linspace(-6, 9, 4001), P / n
    precision = share * ndtr(gap - z) / (share * ndtr(gap - z) + (1 - share) * ndtr(-z))
    truth = float((precision * np.exp(-((z - gap) ** 2) / 2)).sum() * (z[1] - z[0]) / np.sqrt(2 * np.pi))
    return inside(average_precision(FirstScore(), X, y, draws=100), truth)


def explained(noise: str, n: int, r: np.random.Generator) -> Outcome:
    from epee.risk import r2

    X, law = r.normal(size=(n, 1)), NOISES[noise]
    return inside(r2(FirstNumber(), X, X[:, 0] + law.draw(r, n)), 1 - law.variance / (1 + law.variance))


def harmonic(share: float, n: int, r: np.random.Generator) -> Outcome:
    from epee.risk import f1

    y = (r.random(n) < share).astype(int)
    y[0] = 1
    a, b = ndtr(0.5), ndtr(-0.5)
    truth = 2 * a * share / (2 * a * share + b * (1 - share) + (1 - a) * share)
    return inside(f1(FirstScore(), r.normal(size=(n, 1)) + y[:, None], y), float(truth))


def leaned_on(n: int, r: np.random.Generator) -> Outcome:
    from epee.risk import importance

    X = r.normal(size=(n, 2))
    found = importance(FirstNumber(), X, X[:, 0] + r.normal(size=n), repeats=5)
    return bool(found.low[0] <= 2.0 <= found.high[0]), False


def nested_line(noise: str, n: int, r: np.random.Generator, p: int = 5) -> Outcome:
    from epee import LinearRegression
    from epee.risk import cross_validate

    X, law = r.normal(size=(n, p)), NOISES[noise]
    y = 0.5 * X.sum(axis=1) + law.draw(r, n)
    m = LinearRegression().fit(X, y)
    truth = law.variance + ((m.coef_ - 0.5) ** 2).sum() + m.intercept_**2
    return inside(cross_validate(LinearRegression(), X, y, interval="nested", repeats=20, level=0.9), float(truth))


def nested_clouds(gap: float, n: int, r: np.random.Generator) -> Outcome:
    from benchmarks.risk.honesty import _cloud_error
    from epee import LinearDiscriminantAnalysis
    from epee.risk import cross_validate

    y, mu = np.arange(n) % 2, np.array([gap, 0.0, 0.0, 0.0])
    X = r.normal(size=(n, 4)) + np.where(y == 1, 1.0, -1.0)[:, None] * mu
    truth = _cloud_error(LinearDiscriminantAnalysis().fit(X, y), mu)
    return inside(cross_validate(LinearDiscriminantAnalysis(), X, y, interval="nested", repeats=20, level=0.9), truth)


def nested_groups(G: int, r: np.random.Generator) -> Outcome:
    from epee import LinearRegression
    from epee.risk import cross_validate

    g = np.repeat(np.arange(G), 5)
    X = r.normal(size=(G, 3))[g] + 0.3 * r.normal(size=(5 * G, 3))
    y = 0.5 * X.sum(axis=1) + r.normal(size=G)[g] + r.normal(size=5 * G)
    m = LinearRegression().fit(X, y)
    truth = 2 + 1.09 * ((m.coef_ - 0.5) ** 2).sum() + m.intercept_**2
    return inside(
        cross_validate(LinearRegression(), X, y, interval="nested", repeats=10, level=0.9, groups=g), float(truth)
    )


def sorted_verdict(in_order: bool, r: np.random.Generator, n: int = 200) -> Outcome:
    """Two predictors of which one errs more at small x and the other at large x, equally in all."""
    from epee.risk.paired_tests import corrected_t
    from epee.table.folds import assign_folds

    x = r.uniform(-1, 1, n)
    d = 3 * (np.sort(x) if in_order else x) + 0.5 * r.normal(size=n)
    seeds = r.integers(2**31, size=10)
    folds = [assign_folds(None, n, 10, int(s)) for s in seeds]
    means = np.concatenate([np.bincount(f, d) / np.bincount(f) for f in folds])
    return corrected_t(means, 1 / 9, folds=10).p_value >= 0.05, False


def best_of_four(r: np.random.Generator) -> Outcome:
    from epee.risk.paired_tests import corrected_t, of_pairs, over_pairs

    per_fold = r.normal(size=(10, 4))
    p = over_pairs(of_pairs(4, lambda i, j: corrected_t(per_fold[:, i] - per_fold[:, j], 0.0).p_value))
    best = int(per_fold.mean(axis=0).argmin())
    return bool(np.delete(p[best], best).min() >= 0.05), False


def equal_ridges(nested: bool, r: np.random.Generator, n: int = 30, p: int = 40) -> Outcome:
    from epee import Ridge
    from epee.risk import cross_validate
    from epee.risk.nested_difference import nested_difference
    from epee.risk.opening import open_route
    from epee.risk.paired_tests import corrected_difference
    from epee.risk.splitting import make_plan

    X = r.normal(size=(n, 2 * p))
    y = 0.2 * X.sum(axis=1) + r.normal(size=n)
    halves = X[:, :p], X[:, p:]
    if nested:
        a, b = (open_route(Ridge(), half, y, None, None) for half in halves)
        found = nested_difference(a, b, make_plan(10, n, repeats=2))
        return found.p_value >= 0.05, bool(found.caution)
    a, b = (cross_validate(Ridge(), half, y, repeats=5) for half in halves)
    found = corrected_difference(a, b, 0.95)
    return found.p_value >= 0.05, bool(found.caution)


def unlikely(components: int, n: int, r: np.random.Generator) -> Outcome:
    """A new row of the law is not flagged."""
    from epee import GaussianMixture

    model = GaussianMixture(components, random_state=0).fit(r.normal(size=(n, 2)))
    return not model.outliers(r.normal(size=(1, 2)), 0.01, draws=4000)[0], False


def undeclared(r: np.random.Generator) -> Outcome:
    """Groups that nobody declared are found, so that the interval is not trusted."""
    from epee import LinearRegression
    from epee.risk import cross_validate
    from epee.risk.dependence import dependence

    g = np.repeat(np.arange(30), 5)
    X = r.normal(size=(30, 3))[g] + 0.1 * r.normal(size=(150, 3))
    y = X.sum(axis=1) + r.normal(size=30)[g] + r.normal(size=150)
    found = cross_validate(LinearRegression(), X, y, level=0.9)
    shown = [f for f in dependence(y - found.predictions, X) if f.shown(0.05)]
    return inside(found, 2.0)[0], any(f.effect > 1 for f in shown)


def claims() -> Iterator[Claim]:
    """Yield every claim with its law."""
    for noise, n in (
        ("Gaussian", 30), ("lognormal(0.5)", 30), ("t(5)", 30), ("t(2.5)", 30), ("lognormal(1)", 100), ("t(3)", 500), ("Laplace", 30),
        ("exponential", 100), ("gamma(0.5)", 100), ("5 % of errors five times larger", 100), ("sd = exp(x/2)", 50), ("uniform", 20),
        ("logistic", 30), ("two-sided, 10 % far", 100),
    ):  # fmt: skip
        yield Claim(
            "hold-out, squared",
            f"{noise}, n = {n}",
            0.95,
            partial(held_out, noise, n, "squared", NOISES[noise].variance),
        )
    yield Claim("hold-out, absolute", "Laplace, n = 30", 0.95, partial(held_out, "Laplace", 30, "absolute", 1.0))
    for share, n in ((0.005, 200), (0.02, 50), (0.1, 40)):
        yield Claim("hold-out, error rate", f"{share:.1%} of errors, n = {n}", 0.95, partial(rate, share, n))
    for n in (50, 200, 1000):
        yield Claim("hold-out, costs 20 to 1", f"2 % of errors, n = {n}", 0.95, partial(costly, n))
    for G in (10, 30):
        yield Claim("hold-out, groups=", f"{G} groups of 8", 0.95, partial(grouped, G))
    yield Claim("hold-out, weights", "every weight 10, sampling", 0.95, partial(weighted, "sampling"))
    yield Claim("hold-out, weights", "exponential, sum near 1", 0.95, partial(weighted, "normalised"))
    for P, n, gap in ((3, 100, 1.0), (15, 500, 2.5), (60, 200, 1.0)):
        yield Claim("roc_auc", f"{P} positives of {n}", 0.95, partial(ranked, "area", P, n, gap))
    for P, n in ((15, 500), (60, 200)):
        yield Claim("average_precision", f"{P} positives of {n}", 0.95, partial(ranked, "precision", P, n, 1.0))
    for noise in ("Gaussian", "t(3)", "lognormal(0.5)"):
        yield Claim("r2", f"{noise}, n = 100", 0.95, partial(explained, noise, 100))
    yield Claim("f1", "5 % positives, n = 200", 0.95, partial(harmonic, 0.05, 200))
    yield Claim("importance", "squared loss, n = 60", 0.95, partial(leaned_on, 60))
    for noise, n in (
        ("Gaussian", 25), ("Gaussian", 100), ("lognormal(0.5)", 100), ("t(5)", 100), ("sd = exp(x/2)", 100), ("lognormal(1)", 25),
        ("lognormal(1)", 100), ("t(2.5)", 100), ("exponential", 50),
    ):  # fmt: skip
        yield Claim("nested, squared", f"{noise}, n = {n}, p = 5", 0.9, partial(nested_line, noise, n))
    for gap in (2.5, 1.0):
        yield Claim("nested, error rate", f"clouds {2 * gap:g} apart, n = 40", 0.9, partial(nested_clouds, gap, 40))
    for G in (20, 40):
        yield Claim("nested, groups=", f"{G} groups of 5", 0.9, partial(nested_groups, G))
    yield Claim("time=", "AR(0.9), n = 150", 0.9, partial(in_time, 0.9, 150))
    yield Claim("time=", "AR(0.5), n = 100", 0.9, partial(in_time, 0.5, 100))
    for rho, n in ((0.0, 60), (0.3, 60), (0.5, 100), (0.9, 150)):
        yield Claim("a line of three inputs, time=", f"AR({rho:g}), n = {n}", 0.9, partial(line_in_time, rho, n))
    yield Claim("undeclared groups found", "30 groups of 5", 0.9, undeclared)
    yield Claim("verdict at 5 %", "rows sorted by what matters", 0.95, partial(sorted_verdict, True))
    yield Claim("verdict at 5 %", "the same rows shuffled", 0.95, partial(sorted_verdict, False))
    yield Claim("verdict against the best", "four equal candidates", 0.95, best_of_four)
    yield Claim("verdict at 5 %", "ridge, n = 30, p = 40, corrected t", 0.95, partial(equal_ridges, False), slow=True)
    yield Claim(
        "verdict at 5 %", "ridge, n = 30, p = 40, nested difference", 0.95, partial(equal_ridges, True), slow=True
    )
    yield Claim("outliers(0.01)", "one Gaussian, n = 30", 0.99, partial(unlikely, 1, 30))
    yield Claim("outliers(0.01)", "one Gaussian, three components, n = 30", 0.99, partial(unlikely, 3, 30))


def table(found: list[Kept]) -> str:
    """Return the claims as a Markdown table, failures too."""
    lines = ["| claim | law | says | kept | marked | kept or marked | |", "|---|---|---|---|---|---|---|"]
    for k in found:
        figures = " | ".join(f"{100 * share:.1f} %" for share in (k.kept, k.marked, k.either))
        lines.append(f"| {k.what} | {k.law} | {k.nominal:.0%} | {figures} | {'' if k.holds else 'fails'} |")
    return "\n".join(lines)
