"""Do clean tables stay clean? Runs the main job on random tables without a flaw and counts those that show any finding.

    python -m benchmarks.report.clean_tables [number] [first seed]

The tables have numbers of several laws, categories, some cells missing at random, and a target that is linear, curved, or pure noise. Fewer
than 5 % of them may show a finding; the level of the findings is 1 %.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import numpy as np


def clean_table(seed: int) -> tuple[Any, str]:
    """Return an Arrow table and its target; nothing is wrong with it."""
    import pyarrow as pa

    rng = np.random.default_rng([seed, 20_240_613])
    n, p = int(rng.integers(150, 700)), int(rng.integers(3, 10))
    mix = np.eye(p) + 0.3 * rng.normal(size=(p, p)) / np.sqrt(p)
    Z = rng.normal(size=(n, p)) @ mix
    weights = rng.choice([-1, 1], p) * rng.uniform(0.5, 1.5, p) * rng.choice([0.0, 1.0, 1.5])
    score = Z @ weights + rng.choice([0.0, 1.0]) * 0.5 * (Z[:, 0] ** 2 - 1)
    columns: dict[str, Any] = {}
    for j in range(p):
        law = rng.choice(["normal", "uniform", "lognormal", "rounded"])
        z = Z[:, j] / Z[:, j].std()
        if law == "uniform":
            from scipy.special import ndtr

            z = 100 * ndtr(z)
        elif law == "lognormal":
            z = np.exp(z / 2)
        elif law == "rounded":
            z = np.round(50 + 10 * z)
        if rng.random() < 0.3:
            z = np.where(rng.random(n) < rng.uniform(0.01, 0.1), np.nan, z)
        columns[f"x{j}"] = pa.array(np.where(np.isnan(z), 0.0, z), mask=np.isnan(z))
    for j in range(int(rng.integers(0, 3))):
        levels = list("abcdef")[: int(rng.integers(2, 6))]
        codes = rng.integers(0, len(levels), n)
        columns[f"c{j}"] = pa.array([levels[k] for k in codes])
        score = score + 0.5 * (codes == 0) * np.any(weights)
    if seed % 2:
        noise = rng.choice(["normal", "laplace", "uniform"])
        e = {"normal": rng.normal, "laplace": rng.laplace, "uniform": lambda size: rng.uniform(-1.7, 1.7, size)}[noise](
            size=n
        )
        columns["y"] = pa.array(10 + 3 * (score + e * rng.uniform(0.5, 2.0)))
    else:
        K = int(rng.integers(2, 5))
        noisy = score / max(score.std(), 1e-9) + rng.logistic(size=n) * rng.uniform(0.2, 0.8)
        cuts = np.quantile(noisy, np.linspace(0, 1, K + 1)[1:-1])
        columns["y"] = pa.array([f"k{int(k)}" for k in np.searchsorted(cuts, noisy)])
    return pa.table(columns), "y"


def count(number: int, first: int = 0, **options: Any) -> tuple[int, Counter[str]]:
    """Return how many of some clean tables show a finding, and which ones they were."""
    import epee

    shown, which = 0, Counter[str]()
    for seed in range(first, first + number):
        table, target = clean_table(seed)
        found = epee.learn(table, target, random_state=seed, **options).findings
        shown += bool(found)
        for one in found:
            which[one.code] += 1
            print(f"table {seed}: {one}", flush=True)
    return shown, which


def main() -> int:
    """Run the tables and say how many are not clean."""
    number, first = (int(word) for word in (*sys.argv[1:3], *("100", "0")[len(sys.argv) - 1 :])[:2])
    shown, which = count(number, first)
    print(f"{shown} of {number} clean tables show a finding: {dict(which)}")
    return int(shown >= 0.05 * number)


if __name__ == "__main__":
    raise SystemExit(main())
