"""Do intervals cover what they claim? Nominal 90 % intervals for the error of *this* fitted predictor, naive and nested.

Each simulation draws a sample, fits the predictor, and knows its true error in closed form. The naive interval is the
cross-validated error plus or minus 1.645 standard deviations of the losses over the root of n; the nested one is
``cross_validate(..., interval="nested")``. Then every claim of :mod:`benchmarks.risk.claims` under its own law: rare errors, skewed and
heavy losses, groups, time, weights, verdicts; of :mod:`benchmarks.risk.claims_rows`: copies, kin that nobody declared, strata, counts;
of :mod:`benchmarks.risk.claims_strange`: inputs, targets and classes that the intervals were not made with; of
:mod:`benchmarks.risk.claims_figures`: figures of merit, curves, comparisons and rows in time under such laws; and of
:mod:`benchmarks.risk.claims_learning`: refitted predictors and ``learn``; of :mod:`benchmarks.risk.claims_unseen` and
:mod:`benchmarks.risk.claims_judged`: the laws of an outside examiner; of :mod:`benchmarks.risk.claims_second`,
:mod:`benchmarks.risk.claims_third`, :mod:`benchmarks.risk.claims_fourth` and :mod:`benchmarks.risk.claims_fifth`: those of a second to a
fifth one; of :mod:`benchmarks.risk.claims_far`: inputs that reach far out, and errors that are weakly alike.
``python -m benchmarks.risk.honesty [--simulations N]`` prints all of it, and puts it into ``benchmarks/results``, from where the site takes
it; ``--claims`` leaves the first table alone, ``--first`` makes and stores that alone, and ``--only PART --renew`` puts the claims of that
name in the place of those stored.
Simulation s has the seed s, so the number of processes changes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

import numpy as np

from benchmarks.record import RESULTS
from benchmarks.risk import (
    claims_far,
    claims_fifth,
    claims_figures,
    claims_fourth,
    claims_judged,
    claims_learning,
    claims_rows,
    claims_second,
    claims_strange,
    claims_third,
    claims_unseen,
)
from benchmarks.risk.claims import Claim, Kept, claims, judge
from benchmarks.risk.claims import table as claims_table

LEVEL = 0.9


@dataclass(frozen=True)
class Case:
    """One way of learning on one kind of data, with the true error of what it learned."""

    name: str
    n: int
    p: int
    model: Any
    kind: str  # "line" or "clouds" or "logit"
    repeats: int = 100


@dataclass(frozen=True)
class Coverage:
    """How often the intervals held the truth, and how wide they were."""

    name: str
    simulations: int
    naive: float
    nested: float
    width_naive: float
    width_nested: float
    seconds: float

    @property
    def error(self) -> float:
        """Standard error of a coverage near 90 %."""
        return float(np.sqrt(0.09 / self.simulations))


def draw(case: Case, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, Callable[[Any], float]]:
    """Return a sample and the function that gives the true error of a fitted predictor."""
    n, p = case.n, case.p
    if case.kind == "line":
        beta = np.full(p, 0.5) / np.sqrt(p)
        X = rng.standard_normal((n, p))
        y = X @ beta + rng.standard_normal(n)
        return X, y, lambda m: float(1 + ((m.coef_ - beta) ** 2).sum() + m.intercept_**2)
    if case.kind == "clouds":
        mu = np.zeros(p)
        mu[: p // 4] = 1.0 / np.sqrt(p // 4)
        y = np.arange(n) % 2
        X = rng.standard_normal((n, p)) + np.where(y == 1, 1.0, -1.0)[:, None] * mu
        return X, y, lambda m: _cloud_error(m, mu)
    beta = np.full(p, 1.0) / np.sqrt(p)
    X = rng.standard_normal((n, p))
    y = (rng.random(n) < 1 / (1 + np.exp(-X @ beta))).astype(int)
    fresh = np.random.default_rng(1).standard_normal((20_000, p))
    chance = 1 / (1 + np.exp(-fresh @ beta))
    return X, y, lambda m: float(np.where(m.predict(fresh) == 1, 1 - chance, chance).mean())


def _cloud_error(model: Any, mu: np.ndarray) -> float:
    """Return the error of a linear rule between N(-mu, I) and N(mu, I)."""
    from scipy.special import ndtr

    w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    size = np.sqrt(w @ w)
    return float((ndtr((-(w @ mu) + b) / size) + ndtr(-((w @ mu) + b) / size)) / 2)


def simulate(case: Case, simulations: int, run: Callable[..., Iterator[Any]] = map) -> Coverage:
    """Return the coverage of both intervals over simulated samples; ``run`` may be the map of some processes."""
    start = time.perf_counter()
    held = np.array(list(run(_one, [case] * simulations, range(simulations))))
    return Coverage(_title(case), simulations, *held.mean(axis=0), time.perf_counter() - start)  # type: ignore[arg-type]


def _one(case: Case, s: int) -> tuple[float, float, float, float]:
    """Return whether the two intervals of simulation ``s`` of a case hold the truth, and their widths."""
    from sklearn.base import clone

    from epee.risk import cross_validate
    from epee.risk.intervals import normal_quantile

    X, y, true_error = draw(case, np.random.default_rng([0, s]))
    truth = true_error(clone(case.model).fit(X, y))
    found = cross_validate(case.model, X, y, interval="nested", repeats=case.repeats, level=LEVEL, random_state=s)
    losses = np.atleast_2d(found.losses)[0]
    half = normal_quantile(LEVEL) * losses.std(ddof=1) / np.sqrt(len(losses))
    return abs(losses.mean() - truth) <= half, found.low <= truth <= found.high, 2 * half, found.high - found.low


def _title(case: Case) -> str:
    return f"{case.name}, n = {case.n}, p = {case.p}"


def cases() -> Iterator[Case]:
    """Yield the cases: three closed forms and logistic regression, on few rows and on more."""
    from epee import LinearDiscriminantAnalysis, LinearRegression, LogisticRegression, Ridge

    yield Case("least squares", 100, 20, LinearRegression(), "line")
    for n in (100, 400):
        if n > 100:
            yield Case("least squares", n, 20, LinearRegression(), "line")
        yield Case("ridge", n, 20, Ridge(alpha=10.0), "line")
        yield Case("LDA", n, 20, LinearDiscriminantAnalysis(), "clouds", repeats=n // 2 if n > 200 else 100)
        yield Case("logistic regression", n, 10, LogisticRegression(), "logit", repeats=n // 2 if n > 200 else 100)


def null_alarms(simulations: int, run: Callable[..., Iterator[Any]] = map, repeats: int = 10) -> tuple[float, float]:
    """Return how often the corrected and the naive 5 % test tell two equally good classifiers apart.

    Both are LDA on five columns of the same law, each its own five: neither is better.
    """
    corrected, naive = np.array(list(run(_alarms, range(simulations), [repeats] * simulations))).mean(axis=0)
    return float(corrected), float(naive)


def _alarms(s: int, repeats: int, n: int = 200) -> tuple[bool, bool]:
    from epee import LinearDiscriminantAnalysis
    from epee.risk import cross_validate
    from epee.risk.intervals import t_p_value
    from epee.risk.paired_tests import corrected_t

    rng = np.random.default_rng([0, s])
    y = np.arange(n) % 2
    X = rng.standard_normal((n, 10)) + np.where(y == 1, 0.3, -0.3)[:, None]
    a, b = (
        cross_validate(LinearDiscriminantAnalysis(), half, y, repeats=repeats, random_state=s)
        for half in (X[:, :5], X[:, 5:])
    )
    d = a.per_fold - b.per_fold
    naive = t_p_value(float(d.mean() / (d.std(ddof=1) / np.sqrt(len(d)))), len(d) - 1) if d.any() else 1.0
    return corrected_t(d, 1 / 9).p_value < 0.05, naive < 0.05


def table(found: list[Coverage]) -> str:
    """Return the coverages as a Markdown table."""
    lines = ["| predictor | simulations | naive | nested | width, nested / naive |", "|---|---|---|---|---|"]
    for c in found:
        bar = f"± {100 * c.error:.1f}"
        lines.append(
            f"| {c.name} | {c.simulations} | {100 * c.naive:.1f} % | {100 * c.nested:.1f} {bar} % | {c.width_nested / c.width_naive:.2f} |"
        )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Run all cases, print them side by side and store them."""
    parser = argparse.ArgumentParser(description="Coverage of nominal 90 % intervals, naive and nested.")
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--only", default="", help="part of the name of a case")
    parser.add_argument("--claims", action="store_true", help="only the claims, each under its own law")
    parser.add_argument(
        "--first", action="store_true", help="only the first table: both intervals on the laws they were made with"
    )
    parser.add_argument("--dry", action="store_true", help="print, do not store")
    parser.add_argument(
        "--renew", action="store_true", help="store the claims that ran, and keep the others as they are"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    asked = parser.parse_args(arguments)
    chosen = [case for case in cases() if asked.only in _title(case) and not asked.claims and not asked.renew]
    twice, alarms, found = 2 * asked.simulations, None, []  # a share near 5 % needs more
    with ProcessPoolExecutor(asked.processes, initializer=_one_thread) as pool:

        def run(*work: Any) -> Iterator[Any]:
            return pool.map(*work, chunksize=10)

        for case in chosen:
            coverage = simulate(case, asked.simulations, run)
            found.append(coverage)
            print(f"{coverage.name:<36} naive {100 * coverage.naive:5.1f} %   nested {100 * coverage.nested:5.1f} %   "
                  f"({coverage.simulations} simulations, {coverage.seconds:.0f} s)", flush=True)  # fmt: skip
        if asked.only in "comparison" and not asked.claims and not asked.renew:
            alarms = null_alarms(twice, run)
            print(f"{'two equal classifiers, 10 x 10 folds':<36} naive {100 * alarms[1]:5.1f} %   corrected {100 * alarms[0]:5.1f} %   "
                  f"(alarms of a 5 % test, {twice} simulations)", flush=True)  # fmt: skip
        kept = [] if asked.first else _judged(asked.only, asked.simulations, run)
    if asked.renew and not asked.dry:
        store_claims(renewed(kept))
    if asked.dry or asked.only or asked.renew:
        return
    if kept:
        store_claims(kept)
    if alarms is not None:
        store(found, alarms, twice)


def every_claim() -> Iterator[Claim]:
    """Yield the claims of all files, in the order of the table."""
    rooms = (claims_rows, claims_strange, claims_figures, claims_learning, claims_unseen, claims_judged, claims_second)
    return chain(claims(), *(room.claims() for room in (*rooms, claims_third, claims_fourth, claims_far, claims_fifth)))


def renewed(kept: list[Kept]) -> list[Kept]:
    """Return what is stored of every claim of today, with those that ran now in their places."""
    stored = json.loads((RESULTS / "honesty.claims.json").read_text(encoding="utf-8"))
    known = {(k.what, k.law): k for k in (*(Kept(**one) for one in stored), *kept)}
    return [known[c.what, c.law] for c in every_claim() if (c.what, c.law) in known]


def _judged(only: str, simulations: int, run: Callable[..., Iterator[Any]]) -> list[Kept]:
    kept = []
    for claim in every_claim():
        if only in f"{claim.what}, {claim.law}":
            k = judge(claim, simulations, run)
            figures = f"kept {100 * k.kept:5.1f} %   marked {100 * k.marked:5.1f} %   either {100 * k.either:5.1f} %"
            print(
                f"{k.what + ', ' + k.law:<64} {figures}   of {100 * k.nominal:.0f} {'' if k.holds else 'FAILS'}",
                flush=True,
            )
            kept.append(k)
    return kept


def _one_thread() -> None:
    from threadpoolctl import threadpool_limits

    from epee import options

    options.threads = 1
    threadpool_limits(1)


def store(found: list[Coverage], alarms: tuple[float, float], simulations: int) -> None:
    """Keep the figures; the page on error bars shows them."""
    text = f"Coverage of nominal {LEVEL:.0%} intervals for the error of the fitted predictor (target: 87 to 93 %)\n\n{table(found)}\n"
    text += (
        f"\nTwo equal classifiers compared on 10 x 10 folds, {simulations} simulations: the 5 % test alarms in "
        f"{100 * alarms[0]:.1f} % of cases (target: 3 to 7 %), the naive t-test in {100 * alarms[1]:.1f} %.\n"
    )
    (RESULTS / "honesty.md").write_text(text, encoding="utf-8")
    plain = {
        "coverage": [asdict(c) for c in found],
        "alarms": {"corrected": alarms[0], "naive": alarms[1], "simulations": simulations},
    }
    (RESULTS / "honesty.json").write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")


def store_claims(kept: list[Kept]) -> None:
    """Keep how often every claim was kept."""
    most, fewest = (pick(k.simulations for k in kept) for pick in (max, min))
    text = (
        "Every claim under its own law: how often it was kept, how often the software itself said that it does not hold there, and "
        f"either; at least {fewest} simulations, at most {most}.\n\n{claims_table(kept)}\n"
    )
    (RESULTS / "honesty.claims.md").write_text(text, encoding="utf-8")
    (RESULTS / "honesty.claims.json").write_text(
        json.dumps([asdict(k) for k in kept], indent=1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
