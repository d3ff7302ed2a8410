"""``python -m benchmarks.scale.engines [spark] [dask] [learn] [--rows N] [--save]``: épée against MLlib and dask-ml, on the same rows.

Both sides get the frame that their users would have kept in memory (``persist``), made outside the clock: columns of numbers for
épée, a column of vectors for MLlib. Everyone is called once, then in turn. The table has wall seconds and, as the machine may be
busy, the seconds of processor of this process and of all below it (Java, Python workers). MLlib's ``CrossValidator`` fits each penalty
in each fold, so its time is a straight line in the number of penalties: it is timed with two and with six, and the line is drawn to a
hundred; ``--whole`` runs all of them.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import facts, in_words
from benchmarks.record import RESULTS, duration

PENALTIES = np.geomspace(1e-2, 1e4, 100)
FOLDS, INPUTS, COMPONENTS, CLUSTERS, STEPS = 10, 20, 5, 5, 10
NAMES = [f"x{j}" for j in range(INPUTS)]
TITLES = {  # of the table, and of its two players
    "spark": ("Spark", "épée", "MLlib"),
    "dask": ("Dask", "épée", "dask-ml"),
    "learn": ("epee learn on files", "--engine dask", "--engine local"),
}


def rows(n: int, seed: int = 0) -> Any:
    """Return an Arrow table: inputs, a value and a class."""
    import pyarrow as pa

    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, INPUTS)) + 2 * rng.normal(size=(CLUSTERS, INPUTS))[rng.integers(0, CLUSTERS, n)]
    value = X @ rng.normal(size=INPUTS) + 3 * rng.normal(size=n)
    cells = {name: X[:, j] for j, name in enumerate(NAMES)}
    return pa.table(cells | {"value": value, "kind": (value > 0).astype(np.float64)})


def processor() -> dict[int, float]:
    """Return the processor seconds of this process and of each one below it."""
    tick, found = os.sysconf("SC_CLK_TCK"), dict[int, list[str]]()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            found[int(stat.parent.name)] = stat.read_text().rpartition(")")[2].split()

    def ours(pid: int) -> bool:
        while pid in found and pid != os.getpid():
            pid = int(found[pid][1])
        return pid == os.getpid()

    return {pid: (int(words[11]) + int(words[12])) / tick for pid, words in found.items() if ours(pid)}


Player = Callable[[], Any]


def spark_players(n: int, whole: bool) -> dict[str, tuple[Player, Player]]:
    """Return what to time on Spark: name, ours, theirs."""
    from pyspark.ml.classification import LogisticRegression as TheirLogistic
    from pyspark.ml.clustering import GaussianMixture as TheirMixture
    from pyspark.ml.clustering import KMeans as TheirKMeans
    from pyspark.ml.evaluation import RegressionEvaluator
    from pyspark.ml.feature import PCA as TheirPCA
    from pyspark.ml.feature import VectorAssembler
    from pyspark.ml.regression import LinearRegression as TheirLine
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.log.level", "OFF")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "4g").config("spark.sql.shuffle.partitions", "4").getOrCreate()
    )  # fmt: skip
    frame = session.createDataFrame(rows(n)).persist()
    ours = {target: frame.select(*NAMES, target).persist() for target in ("value", "kind")}
    inputs = frame.select(*NAMES).persist()
    vectors = (
        VectorAssembler(inputCols=NAMES, outputCol="features")
        .transform(frame)
        .select("features", "value", "kind")
        .persist()
    )
    for each in (*ours.values(), inputs, vectors):
        each.count()

    def crossed(penalties: np.ndarray) -> np.ndarray:
        line = TheirLine(labelCol="value", elasticNetParam=0.0, solver="normal")
        grid = ParamGridBuilder().addGrid(line.regParam, [float(p) for p in penalties]).build()
        judge = RegressionEvaluator(labelCol="value")
        search = CrossValidator(estimator=line, estimatorParamMaps=grid, evaluator=judge, numFolds=FOLDS, seed=0)
        return np.array(timed(lambda: search.fit(vectors)))

    def cross_validator() -> Told:
        if whole:
            return Told(*crossed(PENALTIES))
        two, six = crossed(PENALTIES[[0, -1]]), crossed(PENALTIES[::17])
        return Told(*(two + (six - two) / 4 * (len(PENALTIES) - 2)))

    theirs: dict[str, Player] = {
        "path": cross_validator,
        "line": lambda: TheirLine(labelCol="value", solver="normal").fit(vectors),
        "pca": lambda: TheirPCA(k=COMPONENTS, inputCol="features", outputCol="out").fit(vectors),
        "kmeans": lambda: TheirKMeans(k=CLUSTERS, maxIter=STEPS, tol=0.0, seed=0, initMode="random").fit(vectors),
        "mixture": lambda: TheirMixture(k=3, maxIter=STEPS, tol=0.0, seed=0).fit(vectors),
        "logistic": lambda: TheirLogistic(labelCol="kind", regParam=1e-4).fit(vectors),
    }
    return _paired(ours["value"], ours["kind"], inputs, n, theirs)


def dask_players(n: int, whole: bool) -> dict[str, tuple[Player, Player]]:
    """Return what to time on Dask: name, ours, theirs."""
    import dask.array as da
    from dask_ml.cluster import KMeans as TheirKMeans
    from dask_ml.decomposition import PCA as TheirPCA
    from dask_ml.linear_model import LinearRegression as TheirLine
    from dask_ml.linear_model import LogisticRegression as TheirLogistic
    from distributed import Client, LocalCluster

    client = Client(LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50))
    table = rows(n)
    cells = np.column_stack([table[name] for name in NAMES])
    chunks = -(-n // 8)
    X = client.persist(da.from_array(cells, chunks=(chunks, INPUTS)))
    value, kind = (client.persist(da.from_array(table[name].to_numpy(), chunks=chunks)) for name in ("value", "kind"))
    theirs: dict[str, Player] = {
        "line": lambda: TheirLine(solver="newton").fit(X, value),
        "pca": lambda: TheirPCA(COMPONENTS).fit(X),
        "kmeans": lambda: TheirKMeans(CLUSTERS, max_iter=STEPS, tol=0.0, random_state=0, init="random").fit(X),
        "logistic": lambda: TheirLogistic(solver="newton").fit(X, kind),
    }
    return _paired((X, value), (X, kind), X, n, theirs)


def learn_players(n: int, whole: bool) -> dict[str, tuple[Player, Player]]:
    """Return ``epee learn`` on a folder of Parquet files that passes by: with a process a core, and with threads."""
    import pyarrow.parquet as pq

    import epee

    n = max(n, 1_000_000)  # more than 20 million cells
    folder = Path(tempfile.mkdtemp(prefix="epee-engines-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for k in range(4):
        pq.write_table(rows(n // 4, seed=k), folder / f"{k}.parquet", row_group_size=65_536)

    def learn(engine: str, target: str, predictors: list[str]) -> Player:
        other = {"value": "kind", "kind": "value"}[target]

        def run() -> Any:
            with epee.engine(engine):
                return epee.learn(str(folder), target, predictors=predictors, types={other: "ignore"})

        return run

    return {
        f"epee learn, {name}, files of {n:,} x {INPUTS}": (learn("dask", *asked), learn("local", *asked))
        for name, asked in {
            "values": ("value", ["linear", "ridge"]),
            "classes": ("kind", ["naive_bayes", "lda"]),
        }.items()
    }


@dataclass(frozen=True)
class Told:
    """Times that the called function measured itself."""

    wall: float
    busy: float


def _paired(value: Any, kind: Any, inputs: Any, n: int, theirs: dict[str, Player]) -> dict[str, tuple[Player, Player]]:
    import epee
    from epee.risk import complexity_curve

    def data(given: Any, name: str) -> tuple[Any, Any]:
        return given if isinstance(given, tuple) else (given, name)

    line, classes = data(value, "value"), data(kind, "kind")
    steps = {"max_iter": STEPS, "tol": 0.0, "random_state": 0}
    strength = 1e4 / n if "path" in theirs else 1.0  # MLlib's penalty is per row
    ours: dict[str, tuple[str, Player]] = {
        "path": (
            f"ridge path, {len(PENALTIES)} penalties x {FOLDS} folds",
            lambda: complexity_curve(epee.Ridge(), *line, "alpha", PENALTIES),
        ),
        "line": ("LinearRegression", lambda: epee.LinearRegression().fit(*line)),
        "pca": (f"PCA, {COMPONENTS} components", lambda: epee.PCA(COMPONENTS).fit(inputs)),
        "kmeans": (
            f"KMeans, {CLUSTERS} clusters, {STEPS} steps",
            lambda: epee.KMeans(CLUSTERS, init="random", n_init=1, **steps).fit(inputs),
        ),
        "mixture": (
            f"GaussianMixture, 3 components, {STEPS} steps",
            lambda: epee.GaussianMixture(3, **steps).fit(inputs),
        ),
        "logistic": ("LogisticRegression", lambda: epee.LogisticRegression(C=strength).fit(*classes)),
    }
    return {f"{ours[key][0]}, {n:,} x {INPUTS}": (ours[key][1], theirs[key]) for key in ours if key in theirs}


def grown(player: Player) -> float:
    """Return by how many MB the Python process of the driver grew, at its largest, while a call ran."""
    status = Path("/proc/self/status")

    def said(word: str) -> float:
        return next(float(line.split()[1]) / 1024 for line in status.read_text().splitlines() if line.startswith(word))

    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from now on
    before = said("VmRSS")
    player()
    return max(0.0, said("VmHWM") - before)


def timed(player: Player) -> tuple[float, float]:
    """Return the wall and the processor seconds of a call, without those of processes that it started and ended."""
    before, start = processor(), time.perf_counter()
    found = player()
    if isinstance(found, Told):
        return found.wall, found.busy
    wall = time.perf_counter() - start
    return wall, sum(seconds - before.get(pid, 0.0) for pid, seconds in processor().items())


def main() -> None:
    """Time all of them and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale.engines", description=__doc__)
    parser.add_argument("engines", nargs="*", choices=[*TITLES, []], help="some of them")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--whole", action="store_true", help="let MLlib do all penalties; takes minutes")
    parser.add_argument("--only", help="only problems whose name has this word")
    parser.add_argument("--save", action="store_true", help="keep the table in benchmarks/results/engines.md")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = ["# Spark and Dask: épée against MLlib and dask-ml", "", in_words(facts()) + ".", ""]
    head = [
        "| problem | épée | theirs | ratio | processor, épée | processor, theirs | ratio | the driver grew by |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, make in (("spark", spark_players), ("dask", dask_players), ("learn", learn_players)):
        if asked.engines and name not in asked.engines:
            continue
        lines += [
            f"## {TITLES[name][0]}",
            "",
            *(line.replace("épée", TITLES[name][1]).replace("theirs", TITLES[name][2]) for line in head),
        ]
        print("\n".join(lines[-4:]), flush=True)
        try:
            players = make(asked.rows, asked.whole)
        except ImportError as absent:
            lines += [f"| not run: {absent} | | | | | | | |", ""]
            print(lines[-2])
            continue
        for problem, (ours, theirs) in players.items():
            if asked.only and asked.only.lower() not in problem.lower():
                continue
            lines.append(row(problem, ours, theirs, 1 if "path" in problem else asked.repeat))
            print(lines[-1], flush=True)
        lines.append("")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    lines += [
        f"The Python process of the driver held {peak:,.0f} MB at its peak, the rows that it made among them; the last column "
        "is by how much it grew, at most, while épée ran: moments, parameters, and a sample where a method starts from one. "
        f"All rows of {asked.rows:,} x {INPUTS} are {asked.rows * INPUTS * 8 / 2**20:,.0f} MB.",
        "",
    ]
    print(lines[-2])
    if asked.save:
        (RESULTS / "engines.md").write_text("\n".join(lines), encoding="utf-8")


def row(problem: str, ours: Player, theirs: Player, repeat: int) -> str:
    """Call both once, then in turn, and return the row of the table: medians, and the ratio of them."""
    for player in (ours,) if "path" in problem else (ours, theirs):  # a path of theirs warms itself
        player()
    both = [(timed(ours), timed(theirs)) for _ in range(repeat)]
    wall, busy = ([statistics.median(pair[k][j] for pair in both) for k in (0, 1)] for j in (0, 1))
    cells = [duration(wall[0]), duration(wall[1]), f"{wall[1] / wall[0]:.3g}"]
    cells += [duration(busy[0]), duration(busy[1]), f"{busy[1] / busy[0]:.3g}", f"{grown(ours):,.0f} MB"]
    return " | ".join([f"| {problem}", *cells]) + " |"


if __name__ == "__main__":
    main()
