"""``make wild``: does the chosen predictor win on real tables?

Each table is split five times: three quarters to learn from, a quarter to judge. ``epee.learn`` gets the three quarters as anyone would
give them (and learns from its own sealed rows too, once they have served), every rival the same rows. Errors are root mean squares or
rates; a rate counts half an error more in one row more, so that none is zero. What is finished is appended to
``benchmarks/results/wild.jsonl`` at once: a study that was stopped goes on where it was, in pieces if need be. The first split of all
tables comes before the second of any::

    python -m benchmarks.wild --tables boston,glass --splits 0,1     # some of it
    python -m benchmarks.wild --most 1000 --splits 0,1 --minutes 25  # 32 tables of at most 1,000 rows, nothing begun after 25 minutes
    python -m benchmarks.wild                                        # what is missing
    python -m benchmarks.wild --only epee --again                    # ours again, after a change
    python -m benchmarks.wild --show                                 # the tables of what there is
    python -m benchmarks.wild --rows 120 --kept /tmp/rehearsal.jsonl # a rehearsal: does every player take every table?
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.record import RESULTS
from benchmarks.wild.rivals import TIMED, rivals
from benchmarks.wild.summary import US
from benchmarks.wild.tables import TABLES, Wild

SPLITS = 5
KEPT = RESULTS / "wild.jsonl"
ASCII = {"épée": "epee"}


def split_of(table: Wild, frame: pd.DataFrame, split: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to learn from and those to judge."""
    from sklearn.model_selection import train_test_split

    y = frame[table.target] if table.kind == "classes" else None
    if y is not None and y.value_counts().min() < 2:
        y = None
    train, test = train_test_split(np.arange(len(frame)), test_size=0.25, random_state=split, stratify=y)
    return np.sort(train), np.sort(test)


def judged(
    kind: str, truth: np.ndarray, said: np.ndarray, P: np.ndarray | None, classes: np.ndarray
) -> dict[str, float]:
    """Return the error of predictions, the log loss and the area under the curve where there are probabilities."""
    if kind == "number":
        square = (truth - np.asarray(said, dtype=float)) ** 2
        return {"error": float(np.sqrt(square.mean())), "mse": float(square.mean()),
                "mse_stderr": float(square.std(ddof=1) / np.sqrt(len(square)))}  # fmt: skip
    wrong = np.asarray(said).astype(str) != truth
    out = {"error": float((wrong.sum() + 0.5) / (len(wrong) + 1)), "rate": float(wrong.mean())}
    if P is not None and P.shape[1] == len(classes):
        from sklearn.metrics import roc_auc_score

        at = np.searchsorted(classes, truth)
        right = np.clip(P[np.arange(len(at)), at], 1e-6, 1.0)
        out["log_loss"] = float(-np.log(right).mean())
        if len(np.unique(at)) == len(classes):
            score = P[:, 1] if len(classes) == 2 else P / P.sum(axis=1, keepdims=True)
            out["auc"] = float(roc_auc_score(at, score, multi_class="ovr"))
    return out


def ours(train: pd.DataFrame, test: pd.DataFrame, table: Wild) -> dict[str, Any]:
    """Return how the chosen predictor does, by either preference, and whether the sealed interval held."""
    import epee

    types = {table.target: "number" if table.kind == "number" else "category"}
    learned = epee.learn(train, table.target, types=types, refit=True)
    truth = test[table.target].to_numpy()
    P = learned.predictor.predict_proba(test) if learned.predictor.has_probabilities else None
    classes = np.sort(train[table.target].unique()) if table.kind == "classes" else np.empty(0)
    found: dict[str, Any] = judged(table.kind, truth, learned.predictor.predict(test), P, classes)
    rest = found.get("mse", found.get("rate"))
    bar = found.get(
        "mse_stderr", np.sqrt(max(rest * (1 - rest), 1e-12) / len(test)) if table.kind == "classes" else 0.0
    )
    found |= {
        "chosen": learned.facts["chosen"]["key"], "low": learned.risk.low, "high": learned.risk.high,
        "covers": bool(learned.risk.low - 1.96 * bar <= rest <= learned.risk.high + 1.96 * bar),
        "covers_strictly": bool(learned.risk.low <= rest <= learned.risk.high),
        "board": {row["key"]: [row["value"], row["seconds"]] for row in learned.facts["leaderboard"]},
    }  # fmt: skip
    return found


def run(
    tables: list[str],
    splits: list[int],
    only: list[str],
    again: bool,
    kept: Path,
    minutes: float = np.inf,
    most: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Run what is missing, as long as there are minutes left, and yield each result as it is written; a player that fails has no error."""
    ends = time.perf_counter() + 60 * minutes
    before = read(kept)
    done = {(r["table"], r["split"], r["who"]) for r in before} if not again else set()
    took = {(r["table"], r["split"]): r["seconds"] for r in before if r["who"] == US}
    players: dict[str, Any] = {"épée": None, **rivals()}
    players = {
        who: play for who, play in players.items() if not only or {who, who.split(",")[0], ASCII.get(who)} & set(only)
    }
    for split, name in product(splits, tables):
        if all((name, split, who) in done for who in players):
            continue
        table = TABLES[name]
        frame = table.frame()
        if most is not None and len(frame) > most:
            frame = frame.sample(most, random_state=0).reset_index(drop=True)
        rows, rest = split_of(table, frame, split)
        train, test = frame.iloc[rows].reset_index(drop=True), frame.iloc[rest].reset_index(drop=True)
        for who, play in players.items():
            if (name, split, who) in done:
                continue
            if time.perf_counter() > ends:
                return
            if who in TIMED:
                play = partial(play, seconds=took.get((name, split), 0.0))
            begin, cpu = time.perf_counter(), time.process_time()
            try:
                found = result_of(play, table, train, test)
            except ModuleNotFoundError as fault:
                print(f"{who}: {fault}", flush=True)
                continue
            except Exception as fault:  # noqa: BLE001 it is told, and the study goes on
                found = {"failed": f"{type(fault).__name__}: {fault}"}
            record = {"table": name, "kind": table.kind, "n": len(frame), "p": frame.shape[1] - 1, "split": split, "who": who, **found,
                      "seconds": time.perf_counter() - begin, "cpu": time.process_time() - cpu}  # fmt: skip
            if who == US:
                took[name, split] = record["seconds"]
            with kept.open("a") as out:
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
            yield record


def result_of(play: Any, table: Wild, train: pd.DataFrame, test: pd.DataFrame) -> dict[str, Any]:
    """Return how a player does on one split; None is us."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if play is None:
            return ours(train, test, table)
        y, inputs = train[table.target].to_numpy(), [c for c in train.columns if c != table.target]
        said, P = play(train[inputs], y, test[inputs], table.kind)
        classes = np.unique(y) if table.kind == "classes" else np.empty(0)
        return judged(table.kind, test[table.target].to_numpy(), said, P, classes)


def read(kept: Path) -> list[dict[str, Any]]:
    """Return what was finished, the last of several runs of the same."""
    if not kept.exists():
        return []
    lines = [json.loads(line) for line in kept.read_text().splitlines() if line.strip()]
    return list({(r["table"], r["split"], r["who"]): r for r in lines}.values())


def main() -> None:
    """Run what is asked for, and print the tables."""
    from benchmarks.wild.summary import text_of

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", default="", help="names, by commas; all by default")
    parser.add_argument("--splits", default=",".join(map(str, range(SPLITS))), help="numbers from 0 to 4")
    parser.add_argument("--only", default="", help="players, by commas: epee, CatBoost, ...")
    parser.add_argument("--most", type=int, default=10**9, help="leave tables of more rows out")
    parser.add_argument("--minutes", type=float, default=np.inf, help="begin nothing after so many")
    parser.add_argument("--rows", type=int, help="draw so many rows of each table, to rehearse")
    parser.add_argument("--again", action="store_true", help="run what is finished once more")
    parser.add_argument("--show", action="store_true", help="run nothing")
    parser.add_argument("--kept", type=Path, default=KEPT, help="where results are kept")
    given = parser.parse_args()
    if given.rows is not None and given.kept == KEPT:
        parser.error("a rehearsal (--rows) is no result: name another file (--kept)")
    names = [name for name in given.tables.split(",") if name] or list(TABLES)
    if given.most < 10**9:
        names = [name for name in names if len(TABLES[name].frame()) <= given.most]
    if not given.show:
        splits, only = [int(s) for s in given.splits.split(",")], [w for w in given.only.split(",") if w]
        for r in run(names, splits, only, given.again, given.kept, given.minutes, given.rows):
            beside = r.get("failed", r.get("chosen", ""))
            error = r.get("error", np.nan)
            print(f"{r['table']:14} {r['split']}  {r['who']:22} {error:10.4g}  {r['cpu']:6.1f} s  {beside}", flush=True)
    text = text_of([r for r in read(given.kept) if r["table"] in names])
    print(text)
    if given.kept == KEPT and not given.show:
        (RESULTS / "wild.md").write_text(text)


if __name__ == "__main__":
    main()
