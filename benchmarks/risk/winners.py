"""Is the error of a winner, corrected for the choice, right on average?

Each candidate is a predictor of one column of its own. The winner is chosen by the rule of :mod:`epee.risk.verdict`; its true error, as
fitted to all rows, is known in closed form, since the columns are independent Gaussians. Over many tables the means of the apparent and
of the corrected errors are compared with the mean of the truth: a correction is good when what is left lies within 1 % of the error.
``python -m benchmarks.risk.winners [--simulations N]`` prints the table and puts it into ``benchmarks/results``.
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

from benchmarks.summary import RESULTS

CANDIDATES = (2, 10, 30)
BOUND = 0.01
REPEATS = 3


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
        return {
            "nothing tells": np.zeros(M),
            "all tell the same": np.full(M, 0.3),
            "each tells less than the one before": 0.5 * 0.8 ** np.arange(M),
            "one tells": np.eye(M)[0],
        }[self.law]


def cases() -> Iterator[Case]:
    """Yield every law, loss, number of candidates and rule."""
    laws = ("nothing tells", "all tell the same", "each tells less than the one before", "one tells")
    for loss in ("squared", "error rate"):
        for M in CANDIDATES:
            for law in laws:
                yield Case(law, loss, M, 100, "accuracy")
    for prefer in ("simplicity", "balance"):
        for M in CANDIDATES:
            yield Case("each tells less than the one before", "squared", M, 100, prefer)
            yield Case("all tell the same", "error rate", M, 100, prefer)
    for M in CANDIDATES:
        yield Case("each tells less than the one before", "squared", M, 400, "accuracy")
        yield Case("nothing tells", "error rate", M, 400, "accuracy")


def truth(case: Case, model: Any, j: int) -> float:
    """Return the expected error of a predictor of column ``j``."""
    b = case.strengths
    slope, height = float(np.ravel(model.coef_)[0]), float(np.ravel(model.intercept_)[0])
    if case.loss == "squared":  # y = Xb + e
        return float(1 + (b**2).sum() - b[j] ** 2 + (slope - b[j]) ** 2 + height**2)
    threshold, up = -height / slope, slope > 0  # x_j ~ N(±b_j, 1)
    missed = 0.5 * (ndtr(threshold - b[j]) + 1 - ndtr(threshold + b[j]))
    return float(missed if up else 1 - missed)


def simulate(work: tuple[Case, int]) -> tuple[float, float, float, float]:
    """Return the apparent error of one winner, corrected by the bootstrap and by the nested choice, and the true one.

    What all candidates of a table have in common, the mean of their errors less their truth, has expectation 0 and is taken off: it is
    noise of the table and none of the choice.
    """
    from epee import LinearDiscriminantAnalysis, LinearRegression
    from epee.risk import cross_validate
    from epee.risk.comparison import nested_candidates
    from epee.risk.cross_validation import counted, plan_for
    from epee.risk.opening import open_route
    from epee.risk.verdict import Verdict

    case, seed = work
    r = np.random.default_rng([seed, case.candidates, case.rows])
    n, M, b = case.rows, case.candidates, case.strengths
    X = r.normal(size=(n, M))
    if case.loss == "squared":
        y: Any = X @ b + r.normal(size=n)
        make: Any = LinearRegression
    else:
        y = r.permutation(np.arange(n) % 2)
        X += np.where(y == 1, 1.0, -1.0)[:, None] * b
        make = LinearDiscriminantAnalysis
    columns = [X[:, [j]] for j in range(M)]
    risks = [cross_validate(make(), x, y, repeats=REPEATS, random_state=seed) for x in columns]
    routes = [open_route(make(), x, y, None, None) for x in columns]
    plan = counted(routes[0], plan_for(routes[0], 10, REPEATS, None, None, None, seed))
    names, rank = [str(j) for j in range(M)], np.arange(M, dtype=float)
    drawn = Verdict(names, risks, rank, prefer=case.prefer)
    nested = replace(drawn, nested=lambda: nested_candidates(routes, plan))
    true = np.array([truth(case, make().fit(x, y), j) for j, x in enumerate(columns)])
    luck, j = float((drawn.values - true).mean()), drawn.chosen
    return float(drawn.values[j]) - luck, drawn.corrected - luck, nested.corrected - luck, float(true[j])


def line(case: Case, found: np.ndarray) -> str:
    """Return a row of the table: what is too small, before and after, in percent of the true error."""
    apparent, *_, true = found.mean(axis=0)
    gaps = (found[:, 1:3] - found[:, 3:]) / true
    left, bar = gaps.mean(axis=0), gaps.std(axis=0, ddof=1) / np.sqrt(len(found))
    told = " | ".join(f"{100 * a:+.1f} ± {100 * b:.1f} %" for a, b in zip(left, bar, strict=True))
    fails = "" if abs(left[1]) <= BOUND + 2 * bar[1] else "no"
    return (
        f"| {case.loss} | {case.law} | {case.candidates} | {case.rows} | {case.prefer} | {true:.3f} | "
        f"{100 * (apparent / true - 1):+.1f} % | {told} | {fails} |"
    )


def main(arguments: list[str] | None = None) -> None:
    """Run, print and store."""
    parser = argparse.ArgumentParser(description="The winner's error, apparent, corrected and true.")
    parser.add_argument("--simulations", type=int, default=400)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="part of a case's words")
    parser.add_argument("--dry", action="store_true", help="print, do not store")
    asked = parser.parse_args(arguments)
    out = [
        "| loss | law | candidates | rows | rule | true error | apparent | bootstrap | nested choice | fails |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    print("\n".join(out), flush=True)
    with ProcessPoolExecutor(asked.processes) as pool:
        for case in cases():
            if asked.only not in f"{case.loss}, {case.law}, {case.candidates}, {case.rows}, {case.prefer}":
                continue
            found = np.array(list(pool.map(simulate, [(case, s) for s in range(asked.simulations)], chunksize=5)))
            out.append(line(case, found))
            print(out[-1], flush=True)
    if not asked.dry and not asked.only:
        text = f"The error of the chosen candidate, in percent of the truth; {asked.simulations} tables each\n\n"
        (RESULTS / "honesty.winners.md").write_text(text + "\n".join(out) + "\n")


if __name__ == "__main__":
    main()
