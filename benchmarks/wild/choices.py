"""Should the Brier score decide among classifiers whose rates of errors cannot be told apart? On tables that the study in the wild lacks::

    python -m benchmarks.wild.choices [MINUTES]

``epee.learn`` gets at most 400 rows of a table of KEEL, all its candidates are then fitted on them, and each is judged by its rate of
errors on the other rows. So what another rule of choice would have taken is known without learning again. What a rule costs is the
logarithm of the rate of what it takes over that of the best candidate with hindsight; draws of one table are no tables of their own, and
are averaged.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.wild.study import judged
from benchmarks.wild.tables import from_keel

ROWS, REST, DRAWS = 400, 5000, 3
NAMES = [  # of KEEL, those that the study lacks under any name
    "australian", "banana", "breast", "bupa", "chess", "crx", "hayes-roth", "heart", "housevotes", "ionosphere", "iris", "led7digit",
    "letter", "mammographic", "marketing", "monk-2", "movement_libras", "mushroom", "penbased", "ring", "saheart", "satimage",
    "segment", "spambase", "splice", "tae", "texture", "tic-tac-toe", "titanic", "twonorm", "wine",
]  # fmt: skip
TARGET = "class"


def draws() -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Yield tables, rows to learn from and rows to judge; the first draw of all before the second of any."""
    from sklearn.model_selection import train_test_split

    for draw, name in product(range(DRAWS), NAMES):
        table = from_keel(name)()
        table[TARGET] = table[TARGET].astype(str)
        rows = min(ROWS, len(table) * 2 // 3)
        own, rest = train_test_split(table, train_size=rows, random_state=draw, stratify=table[TARGET])
        yield name, own.reset_index(drop=True), rest[:REST].reset_index(drop=True)


def meet(own: pd.DataFrame, rest: pd.DataFrame) -> tuple[Any, np.ndarray]:
    """Return the verdict over the candidates, and the rate of errors of each on the rest."""
    import epee
    from epee.job.finishing import final_parts
    from epee.job.predictor import Predictor
    from epee.job.witness import Witness, watched

    class Ground(Witness):
        def begins(self, contest: Any, candidates: Any) -> None:
            self.found = contest.ground

    with watched(Ground()) as stood:
        learned = epee.learn(own, TARGET, types={TARGET: "category"}, refit=True)
    truth, verdict, rates = rest[TARGET].to_numpy(), learned.contest, []
    for entry in verdict.entries:
        parts = final_parts(stood.found, entry, everything=True)  # type: ignore[attr-defined]
        said = Predictor("classification", (TARGET,), *parts).predict(rest)
        rates.append(judged("classes", truth, said, None, np.unique(truth))["error"])
    return verdict, np.array(rates)


def rules(verdict: Any) -> dict[str, int]:
    """Return which candidate each rule takes."""
    return {
        f"{prefer}, {'Brier score' if scores is not None else 'rates'}": replace(verdict, prefer=prefer, scores=scores).chosen
        for prefer in ("accuracy", "balance") for scores in (None, verdict.scores)
    }  # fmt: skip


def main() -> None:
    """Go through tables while there is time, and print what each rule costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("minutes", type=float, nargs="?", default=30.0)
    ends, costs = time.perf_counter() + 60 * parser.parse_args().minutes, defaultdict(list)
    for name, own, rest in draws():
        if time.perf_counter() > ends:
            break
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            verdict, rates = meet(own, rest)
        taken = rules(verdict)
        costs[name].append({rule: np.log(rates[i] / rates.min()) for rule, i in taken.items()})
        shown = ", ".join(f"{rule}: {verdict.entries[i].candidate.key} {rates[i]:.4f}" for rule, i in taken.items())
        print(f"{name}: {shown}; with hindsight {rates.min():.4f}", flush=True)
    table = pd.DataFrame({name: pd.DataFrame(rows).mean() for name, rows in costs.items()}).T
    before = table["balance, rates"]
    print(f"\n{len(table)} tables, {sum(map(len, costs.values()))} draws\n")
    print("| rule | rate / best with hindsight | against balance by rates | better | worse |\n|---|---|---|---|---|")
    for rule in table:
        gain = table[rule] - before
        print(
            f"| {rule} | {np.exp(table[rule].mean()):.3f} | {100 * gain.mean():+.1f} ± {100 * gain.std() / np.sqrt(len(gain)):.1f} % |"
            f" {(gain < -1e-9).sum()} | {(gain > 1e-9).sum()} |"
        )


if __name__ == "__main__":
    main()
