"""Do intervals cover what they claim? Nominal 90 % intervals for the error of *this* fitted predictor, naive and nested.

Each simulation draws a sample, fits the predictor, and knows its true error in closed form. The naive interval is the
cross-validated error plus or minus 1.645 standard deviations of the losses over the root of n; the nested one is
``cross_validate(..., interval="nested")``. ``python -m benchmarks.risk.honesty [--simulations N]`` prints both side by side.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).resolve().parent.parent / "results"
LEVEL = 0.9


@dataclass(frozen=True)
class Case:
    """One way of learning on one kind of data, with the true error of what it learned."""

    name: str
    n: int
    p: int
    model: Callable[[], Any]
    kind: str  # "line" or "clouds" or "logit"
    repeats: int = 100
    share: float = 1.0  # of the simulations asked for: slow ones take fewer


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


def simulate(case: Case, simulations: int, seed: int = 0) -> Coverage:
    """Return the coverage of both intervals over simulated samples."""
    from epee.risk import cross_validate
    from epee.risk.intervals import normal_quantile

    z, held = normal_quantile(LEVEL), np.zeros((simulations, 4))
    start = time.perf_counter()
    for s in range(simulations):
        rng = np.random.default_rng([seed, s])
        X, y, true_error = draw(case, rng)
        truth = true_error(case.model().fit(X, y))
        found = cross_validate(case.model(), X, y, interval="nested", repeats=case.repeats, level=LEVEL, random_state=s)
        losses = np.atleast_2d(found.losses)[0]
        half = z * losses.std(ddof=1) / np.sqrt(len(losses))
        held[s] = abs(losses.mean() - truth) <= half, found.low <= truth <= found.high, 2 * half, found.high - found.low
    return Coverage(_title(case), simulations, *held.mean(axis=0), time.perf_counter() - start)  # type: ignore[arg-type]


def _title(case: Case) -> str:
    return f"{case.name}, n = {case.n}, p = {case.p}"


def cases() -> Iterator[Case]:
    """Yield the cases of the issue; logistic regression when it exists."""
    from epee import LinearDiscriminantAnalysis, LinearRegression, Ridge

    yield Case("least squares", 100, 20, LinearRegression, "line")
    for n in (100, 400):
        if n > 100:
            yield Case("least squares", n, 20, LinearRegression, "line")
        yield Case("ridge", n, 20, lambda: Ridge(alpha=10.0), "line")
        yield Case("LDA", n, 20, LinearDiscriminantAnalysis, "clouds", repeats=n // 2 if n > 200 else 100)
    try:
        from epee import LogisticRegression
    except ImportError:
        return
    for n in (100, 400):
        yield Case("logistic regression", n, 10, LogisticRegression, "logit", repeats=30, share=0.2)


def null_alarms(simulations: int, repeats: int = 10, n: int = 200, seed: int = 0) -> tuple[float, float]:
    """Return how often the corrected and the naive 5 % test tell two equally good classifiers apart.

    Both are LDA on five columns of the same law, each its own five: neither is better.
    """
    from epee import LinearDiscriminantAnalysis
    from epee.risk import cross_validate
    from epee.risk.intervals import t_p_value
    from epee.risk.paired_tests import corrected_t

    alarms = np.zeros((simulations, 2))
    for s in range(simulations):
        rng = np.random.default_rng([seed, s])
        y = np.arange(n) % 2
        X = rng.standard_normal((n, 10)) + np.where(y == 1, 0.3, -0.3)[:, None]
        halves = X[:, :5], X[:, 5:]
        a, b = (
            cross_validate(LinearDiscriminantAnalysis(), half, y, repeats=repeats, random_state=s) for half in halves
        )
        d = a.per_fold - b.per_fold
        naive = t_p_value(float(d.mean() / (d.std(ddof=1) / np.sqrt(len(d)))), len(d) - 1) if d.any() else 1.0
        alarms[s] = corrected_t(d, 1 / 9).p_value < 0.05, naive < 0.05
    return float(alarms[:, 0].mean()), float(alarms[:, 1].mean())


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
    parser.add_argument("--dry", action="store_true", help="print, do not store")
    asked = parser.parse_args(arguments)
    found = []
    for case in cases():
        if asked.only and asked.only not in _title(case):
            continue
        coverage = simulate(case, max(int(asked.simulations * case.share), 1))
        found.append(coverage)
        print(f"{coverage.name:<36} naive {100 * coverage.naive:5.1f} %   nested {100 * coverage.nested:5.1f} %   "
              f"({coverage.simulations} simulations, {coverage.seconds:.0f} s)", flush=True)  # fmt: skip
    if asked.only and asked.only not in "comparison":
        return
    twice = 2 * asked.simulations
    corrected, naive = null_alarms(twice)
    print(f"{'two equal classifiers, 10 x 10 folds':<36} naive {100 * naive:5.1f} %   corrected {100 * corrected:5.1f} %   "
          f"(alarms of a 5 % test, {twice} simulations)", flush=True)  # fmt: skip
    if not asked.dry and not asked.only:
        RESULTS.mkdir(exist_ok=True)
        text = f"Coverage of nominal {LEVEL:.0%} intervals for the error of the fitted predictor (target: 87 to 93 %)\n\n{table(found)}\n"
        text += (
            f"\nTwo equal classifiers compared on 10 x 10 folds, {twice} simulations: the 5 % test alarms in "
            f"{100 * corrected:.1f} % of cases (target: 3 to 7 %), the naive t-test in {100 * naive:.1f} %.\n"
        )
        (RESULTS / "honesty.md").write_text(text)
        plain = {
            "coverage": [asdict(c) for c in found],
            "alarms": {"corrected": corrected, "naive": naive, "simulations": twice},
        }
        (RESULTS / "honesty.json").write_text(json.dumps(plain, indent=1) + "\n")


if __name__ == "__main__":
    main()
