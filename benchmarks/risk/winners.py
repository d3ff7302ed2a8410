"""Is the error of a winner, corrected for the choice, right on average?

Each candidate is a predictor of one column of its own. The winner is chosen by the rule of :mod:`epee.risk.verdict`; its true error, as
fitted to all rows, is known in closed form, since the columns are independent Gaussians. Over many tables the means of the apparent and
of the corrected errors are compared with the mean of the truth: a correction is good when what is left lies within 1 % of the error.

For the best of all, thousands of tables are cheap: a line or a threshold of one column is a few sums, and the errors inside and outside
the folds are written down here (:func:`by_sums`); the first table of each case is held against :func:`epee.risk.compare`'s own. The rules
that look at simplicity run through ``Verdict`` as it is. What ``learn`` says of its winner is in :mod:`benchmarks.risk.winners_learning`.
``python -m benchmarks.risk.winners [--simulations N] [--learned N]`` prints the tables and puts them into ``benchmarks/results``.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr

from benchmarks.risk import winners_learning as learning
from benchmarks.summary import RESULTS

CANDIDATES = (2, 10, 30)
LAWS = ("nothing tells", "all tell the same", "each tells less than the one before", "one tells")
BOUND = 0.01
FOLDS, REPEATS = 10, 3


@dataclass(frozen=True)
class Case:
    """A law: how much each column tells, of how many candidates and rows, under which loss and rule."""

    law: str
    loss: str
    candidates: int
    rows: int
    prefer: str

    @property
    def strengths(self) -> np.ndarray:
        """What each column tells of the target."""
        M = self.candidates
        told = np.zeros(M), np.full(M, 0.3), 0.5 * 0.8 ** np.arange(M), np.eye(M)[0]
        return dict(zip(LAWS, told, strict=True))[self.law]

    @property
    def words(self) -> str:
        """The case in one line."""
        return f"{self.loss}, {self.law}, {self.candidates}, {self.rows}, {self.prefer}"


def cases() -> Iterator[Case]:
    """Yield every law, loss, number of candidates and rule."""
    for loss in ("squared", "error rate"):
        for law in LAWS[:3]:
            for M in CANDIDATES:
                yield Case(law, loss, M, 100, "accuracy")
        yield Case(LAWS[3], loss, 10, 100, "accuracy")
        yield Case(LAWS[2], loss, 10, 400, "accuracy")
    for prefer in ("simplicity", "balance"):
        yield Case(LAWS[2], "squared", 10, 100, prefer)
        yield Case(LAWS[1], "error rate", 10, 100, prefer)


def drawn(case: Case, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the columns (n, M), the target and the folds (R, n) of a table."""
    r = np.random.default_rng([seed, case.candidates, case.rows])
    n, b = case.rows, case.strengths
    X, deal = r.normal(size=(n, case.candidates)), np.arange(n) % FOLDS
    if case.loss == "squared":
        return X, X @ b + r.normal(size=n), np.stack([r.permutation(deal) for _ in range(REPEATS)])
    y = r.permutation(np.arange(n) % 2)
    folds = np.empty((REPEATS, n), dtype=np.intp)
    for label in (0, 1):  # each class by itself
        here = np.flatnonzero(y == label)
        folds[:, here] = [(r.permutation(len(here)) + label * len(here)) % FOLDS for _ in range(REPEATS)]
    return X + np.where(y == 1, 1.0, -1.0)[:, None] * b, y, folds


def fitted(case: Case, X: np.ndarray, y: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return slope and height (T, M) of the predictor of each column, least squares or linear discriminant, from rows (T, n) of 0 and 1."""
    n, mean = rows.sum(axis=1)[:, None], rows @ X / rows.sum(axis=1)[:, None]
    if case.loss == "squared":
        high = (rows @ y)[:, None] / n
        slope = (rows @ (X * y[:, None]) / n - mean * high) / (rows @ X**2 / n - mean**2)
        return slope, high - slope * mean
    parts = [rows * (y == label) for label in (0, 1)]
    counts = [part.sum(axis=1)[:, None] for part in parts]
    means = [part @ X / count for part, count in zip(parts, counts, strict=True)]
    within = rows @ X**2 - sum(count * m**2 for count, m in zip(counts, means, strict=True))
    spread = within / (n - 2)
    height = np.log(counts[1] / counts[0]) - (means[1] ** 2 - means[0] ** 2) / (2 * spread)
    return (means[1] - means[0]) / spread, height


def truth(case: Case, slope: np.ndarray, height: np.ndarray) -> np.ndarray:
    """Return the expected errors (M,) of the predictors of all columns."""
    b = case.strengths
    if case.loss == "squared":  # y = Xb + e
        return 1 + (b**2).sum() - b**2 + (slope - b) ** 2 + height**2
    threshold = -height / slope  # x_j ~ N(±b_j, 1)
    missed = 0.5 * (ndtr(threshold - b) + 1 - ndtr(threshold + b))
    return np.where(slope > 0, missed, 1 - missed)


def by_sums(case: Case, X: np.ndarray, y: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Return the losses (n, K, M) of each row without its fold and another: at the fold itself, without that one alone."""
    K = FOLDS
    inside, (a, b) = fold != np.arange(K)[:, None], np.triu_indices(K)  # (K, n), and all pairs
    number = np.zeros((K, K), dtype=np.intp)
    number[a, b] = number[b, a] = np.arange(len(a))
    slope, height = (part[number] for part in fitted(case, X, y, (inside[a] & inside[b]).astype(float)))  # (K, K, M)
    out = np.empty((len(y), K, X.shape[1]))
    for k in range(K):
        rows = fold == k
        said = X[rows][:, None] * slope[k] + height[k]  # (rows, K, M)
        answer = y[rows][:, None, None]
        out[rows] = (said - answer) ** 2 if case.loss == "squared" else (said > 0) != (answer == 1)
    return out


def nested_by_sums(case: Case, X: np.ndarray, y: np.ndarray, folds: np.ndarray) -> tuple[Any, np.ndarray]:
    """Return the errors inside and outside the folds, and the losses (n, M) of the rows, the mean of all repeats."""
    from epee.risk.winner import Nested

    means, sizes, held = [], [], []
    for fold in folds:
        losses = by_sums(case, X, y, fold)
        own = np.take_along_axis(losses, fold[:, None, None], axis=1)[:, 0]  # (n, M)
        of = fold == np.arange(FOLDS)[:, None]  # (K, n)
        means.append(np.stack([losses[rows].mean(axis=0) for rows in of], axis=1))  # (K, K, M)
        sizes.append(of.sum(axis=1))
        held.append(own)
    return Nested(np.stack(means), np.array(sizes, dtype=float)), np.mean(held, axis=0)


def best_of_all(work: tuple[Case, int]) -> tuple[float, ...]:
    """Return the apparent error of the best, corrected by the bootstrap and by the nested choice, the true one, and two noises.

    The noises are the errors less their truth of the first candidate, which tells most, and of all together. Their expectation is what
    is lost by learning from nine rows of ten: it is none of the choice, and goes with them.
    """
    from epee.risk.winner import winner_optimism

    case, seed = work
    X, y, folds = drawn(case, seed)
    nested, losses = nested_by_sums(case, X, y, folds)
    if seed == 0:
        held_against(case, X, y, folds, nested)
    overall = nested.overall
    true = truth(case, *(part[0] for part in fitted(case, X, y, np.ones((1, len(y))))))
    j = int(np.argmin(overall))
    error, luck = float(overall[j]), overall - true
    draws = winner_optimism(losses, draws=200).value
    return error, error + draws, nested.error(), float(true[j]), float(luck[0]), float(luck.mean())


def routes_of(case: Case, X: np.ndarray, y: np.ndarray, folds: np.ndarray) -> tuple[list[Any], Any]:
    """Return the roads of all candidates and the plan of the folds."""
    from epee import LinearDiscriminantAnalysis, LinearRegression
    from epee.risk.opening import open_route
    from epee.risk.splitting import Plan, kfold

    make = LinearRegression if case.loss == "squared" else LinearDiscriminantAnalysis
    plan = Plan([kfold(fold, FOLDS) for fold in folds], FOLDS, len(folds), "folds")
    return [open_route(make(), X[:, [j]], y, None, None) for j in range(X.shape[1])], plan


def held_against(case: Case, X: np.ndarray, y: np.ndarray, folds: np.ndarray, nested: Any) -> None:
    """Refuse errors that are not those that ``compare`` finds."""
    from epee.risk.comparison import nested_candidates

    found = nested_candidates(*routes_of(case, X, y, folds))
    assert found is not None
    np.testing.assert_allclose(found.inner, nested.inner, rtol=1e-8)
    np.testing.assert_allclose(found.outer, nested.outer, rtol=1e-8)


def by_rule(work: tuple[Case, int]) -> tuple[float, ...]:
    """Return what :func:`best_of_all` does, of the candidate that a rule takes which looks at simplicity."""
    from epee.risk.comparison import nested_candidates
    from epee.risk.cross_validation import run_plan
    from epee.risk.verdict import Verdict

    case, seed = work
    X, y, folds = drawn(case, seed)
    routes, plan = routes_of(case, X, y, folds)
    risks, M = [run_plan(route, plan) for route in routes], case.candidates
    by_draws = Verdict([str(j) for j in range(M)], risks, np.arange(M, dtype=float), prefer=case.prefer)
    nested = replace(by_draws, nested=lambda: nested_candidates(routes, plan))
    true = truth(case, *(part[0] for part in fitted(case, X, y, np.ones((1, len(y))))))
    luck, j = by_draws.values - true, by_draws.chosen
    errors = float(by_draws.values[j]), by_draws.corrected, nested.corrected, float(true[j])
    return *errors, float(luck[0]), float(luck.mean())


def simulate(work: tuple[Case, int]) -> tuple[float, ...]:
    """Return what one table of a case says."""
    return best_of_all(work) if work[0].prefer == "accuracy" else by_rule(work)


def line(case: Case, found: np.ndarray) -> str:
    """Return a row of the table: what is too small, before and after, in percent of the true error."""
    *errors, true = found[:, :4].T
    shown = [learning.settled((error - true) / true.mean(), found[:, 4:]) for error in errors]
    told = " | ".join(f"{100 * a:+.1f} ± {100 * b:.1f} %" for a, b in shown)
    left, bar = shown[-1]
    fails = "" if abs(left) <= BOUND + 2 * bar else "no"
    return f"| {case.loss} | {case.law} | {case.candidates} | {case.rows} | {case.prefer} | {true.mean():.3f} | {told} | {fails} |"


HEADS = [
    "| loss | law | candidates | rows | rule | true error | apparent | bootstrap | nested choice | fails |",
    "|---|---|---|---|---|---|---|---|---|---|",
]


def main(arguments: list[str] | None = None) -> None:
    """Run, print and store."""
    parser = argparse.ArgumentParser(description="The winner's error, apparent, corrected and true.")
    parser.add_argument(
        "--simulations", type=int, default=2000, help="tables of a case of one column for each candidate"
    )
    parser.add_argument(
        "--learned", type=int, default=200, help="tables of a case of learn, half of them of ten candidates"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="part of a case's words")
    parser.add_argument("--dry", action="store_true", help="print, do not store")
    parser.add_argument(
        "--renew", action="store_true", help="with --only: put the rows that ran in place of those stored"
    )
    asked = parser.parse_args(arguments)
    out: list[str] = []

    def told(*lines: str) -> None:
        out.extend(lines)
        print("\n".join(lines), flush=True)
        if not asked.dry and not asked.only:  # a long study: what is known is kept
            (RESULTS / "honesty.winners.md").write_text("\n".join(out) + "\n")

    with ProcessPoolExecutor(asked.processes) as pool:
        told(
            "The error of the chosen candidate, each of one column of its own, less the truth, in percent of it; "
            f"{asked.simulations} tables a case",
            "",
            *HEADS,
        )
        for case in cases():
            if asked.only in case.words:
                tables = [(case, s) for s in range(asked.simulations)]
                told(line(case, np.array(list(pool.map(simulate, tables, chunksize=10)))))
        told(
            "",
            "The error that `learn` gives its chosen predictor, less the truth, in percent of it; "
            f"{asked.learned} tables a case, half as many of ten candidates of the hierarchy",
            "",
            *learning.HEADS,
        )
        for one in learning.learnings():
            if asked.only in one.words:
                learned = [(one, s) for s in range(asked.learned // (1 + (one.candidates == learning.TEN)))]
                told(learning.told(one, np.array(list(pool.map(learning.learn_once, learned, chunksize=5)))))
    if asked.renew:
        stored = RESULTS / "honesty.winners.md"
        stored.write_text("\n".join(renewed(stored.read_text().splitlines(), out)) + "\n")


def renewed(stored: list[str], ran: list[str]) -> list[str]:
    """Return the stored lines with the rows and heads that ran in their places; rows of a table that has more columns now are filled up."""
    rows, wide = {_case(line): line for line in ran if line.startswith("|")}, learning.HEADS[0].count("|")
    out, second = [], False
    for line in stored:
        second = second or _case(line) == _case(learning.HEADS[0])
        missing = wide - line.count("|") if second and line.startswith("|") else 0
        out.append(rows.get(_case(line), line + missing * ("---|" if line.startswith("|---") else " |")))
    return out


def _case(line: str) -> tuple[str, ...]:
    """Return what a row of either table is about: its first cells, and the rule, where it has one."""
    cells = [cell.strip() for cell in line.split("|")[1:6]]
    return (line,) if line.startswith("|---") else tuple(c for i, c in enumerate(cells) if i < 4 or c.isalpha())


if __name__ == "__main__":
    main()
