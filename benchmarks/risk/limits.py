r"""What no interval can do: laws that a sample mostly hides, and the best test that there is for each.

An interval that is honest for independent normal errors, and is marked there in one table of a hundred, is marked under another law no
more often than the most powerful test at 1 % of the one against the other refutes the first (Neyman and Pearson): that of the ratio of
their likelihoods. It may know the alternative to the last digit, which no software does. Where it is silent, the interval is the one
that is right for normal errors; it covers by chance or not at all. ``python -m benchmarks.risk.limits`` puts how often either happens
into ``benchmarks/results/honesty.limits.md``, beside what the study saw.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import stats

from benchmarks.record import RESULTS

ALARM, LEVEL, TABLES = 0.01, 0.9, 40_000


class Limit(NamedTuple):
    """How often the best test marks, and how often it marks or the plain interval holds the mean square."""

    marked: float
    either: float


def limit(errors: np.ndarray, truth: float, evidence: Callable[[np.ndarray], np.ndarray]) -> Limit:
    """Return the limit for tables of errors (S, n), of mean square ``truth``, and the evidence (S,) against normal ones of variance 1."""
    normal = evidence(np.random.default_rng(1).normal(size=errors.shape))
    marked = evidence(errors) > np.quantile(normal, 1 - ALARM)
    squares, n = errors**2, errors.shape[1]
    half = stats.norm.ppf((1 + LEVEL) / 2) * squares.std(axis=1, ddof=1) / np.sqrt(n)
    held = abs(squares.mean(axis=1) - truth) <= half
    return Limit(float(marked.mean()), float((marked | held).mean()))


def rare(share: float, scale: float, n: int) -> Limit:
    """Return the limit for normal errors a ``share`` of which are ``scale`` times larger."""
    rng = np.random.default_rng(0)
    errors = rng.normal(size=(TABLES, n)) * np.where(rng.random((TABLES, n)) < share, scale, 1.0)

    def evidence(e: np.ndarray) -> np.ndarray:
        more = np.exp(np.minimum(e**2 / 2 * (1 - scale**-2), 600.0)) / scale
        return np.log1p(share * (more - 1)).sum(axis=1)

    return limit(errors, 1 + share * (scale**2 - 1), evidence)


def market(n: int, level: float = 0.05, shock: float = 0.1, memory: float = 0.85) -> Limit:
    """Return the limit for errors whose variance follows the last square, v <- level + shock e^2 + memory v."""
    rng, errors, v = np.random.default_rng(0), np.empty((TABLES, n)), np.ones(TABLES)
    for i in range(-100, n):
        e = np.sqrt(v) * rng.normal(size=TABLES)
        v = level + shock * e**2 + memory * v
        if i >= 0:
            errors[:, i] = e

    def evidence(e: np.ndarray) -> np.ndarray:
        e = e / np.sqrt((e**2).mean(axis=1, keepdims=True))  # the level of the noise is not known
        v, told = np.ones(len(e)), np.zeros(len(e))
        for x in e.T:
            told += (x * x - x * x / v - np.log(v)) / 2
            v = level + shock * x * x + memory * v
        return told

    return limit(errors, 1.0, evidence)


def drift(n: int, memory: float = 0.97, spread: float = 0.4, cells: int = 61) -> Limit:
    """Return the limit for errors whose spread is the exponential of a slow series: a likelihood that sums over where it may be."""
    rng, s = np.random.default_rng(0), np.linspace(-4, 4, cells) * spread  # (cells,)
    step = stats.norm.pdf(s[None], memory * s[:, None], spread * np.sqrt(1 - memory**2))
    step /= step.sum(axis=1, keepdims=True)
    level, errors = spread * rng.normal(size=TABLES), np.empty((TABLES, n))
    for i in range(n):
        errors[:, i] = np.exp(level) * rng.normal(size=TABLES)
        level = memory * level + spread * np.sqrt(1 - memory**2) * rng.normal(size=TABLES)

    def evidence(e: np.ndarray) -> np.ndarray:
        scale, told = (np.sqrt((e**2).mean(axis=1, keepdims=True)) * np.exp(-(spread**2)), np.zeros(len(e)))
        chance = np.tile(stats.norm.pdf(s, 0, spread) / stats.norm.pdf(s, 0, spread).sum(), (len(e), 1))  # (S, cells)
        for x in (e / scale).T:
            chance = chance * np.exp(-(x[:, None] ** 2) * np.exp(-2 * s) / 2 - s)
            total = chance.sum(axis=1)
            told += np.log(total) + x**2 / (2 * np.exp(2 * spread**2))
            chance = chance / total[:, None] @ step
        return told

    return limit(errors, float(np.exp(2 * spread**2)), evidence)


def unseen(count: int, size: int, shared: float) -> Limit:
    """Return the limit for groups that share an error, in a shuffled file that names none: a coin is as good a test."""
    rng = np.random.default_rng(0)
    own = np.repeat(rng.normal(size=(TABLES, count)), size, axis=1)
    errors = np.sqrt(shared) * own + np.sqrt(1 - shared) * rng.normal(size=(TABLES, count * size))
    return limit(errors, 1.0, lambda e: rng.random(len(e)))


def groups(count: int, size: int) -> Limit:
    """Return the limit for rows in groups that share an error of variance 1, told which groups: of equal means, the test is Fisher's."""
    rng = np.random.default_rng(0)
    errors = np.repeat(rng.normal(size=(TABLES, count)), size, axis=1) + rng.normal(size=(TABLES, count * size))

    def evidence(e: np.ndarray) -> np.ndarray:
        cells = e.reshape(len(e), count, size)
        return cells.mean(axis=2).var(axis=1) / cells.var(axis=2).mean(axis=1)

    return limit(errors, 2.0, evidence)


CASES = (
    ("fold, squared", "2 % of errors ten times larger, n = 100, p = 3", lambda: rare(0.02, 10.0, 100)),
    ("fold, undeclared", "a market, n = 250", lambda: market(250)),
    ("hold-out, undeclared", "a market, n = 240", lambda: market(240)),
    ("fold, undeclared", "a spread that drifts, n = 200", lambda: drift(200)),
    ("hold-out, undeclared", "a spread that drifts, n = 200", lambda: drift(200)),
    ("time=", "a spread that drifts, n = 200", lambda: drift(133)),  # rows that are tested
    ("fold, undeclared", "three groups", lambda: groups(3, 60)),
    ("fold, undeclared", "three of a family, shuffled", lambda: unseen(50, 3, 0.6)),
    ("leave-one-out, undeclared", "three of a family, shuffled", lambda: unseen(50, 3, 0.6)),
    ("hold-out, undeclared", "three of a family, shuffled", lambda: unseen(50, 3, 0.6)),
)


def main() -> None:
    """Print the limits beside what the study saw, and store them."""
    seen = {(k["what"], k["law"]): k for k in json.loads((RESULTS / "honesty.claims.json").read_text(encoding="utf-8"))}
    lines = [
        "What the best test at 1 % marks that is told the very law, and what it leaves; beside it the library, which is told nothing.",
        "",
        "| claim | law | best test marks | marked, or the plain interval holds | here: marked | here: kept or marked |",
        "|---|---|---|---|---|---|",
    ]
    for what, law, found in CASES:
        best, own = found(), seen[what, law]
        figures = (best.marked, best.either, own["marked"], own["either"])
        lines.append(f"| {what} | {law} | " + " | ".join(f"{100 * share:.1f} %" for share in figures) + " |")
    text = "\n".join(lines) + "\n"
    print(text)
    (RESULTS / "honesty.limits.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
