"""Who waits for a compiler: the first fit and prediction of every estimator, each in a fresh process with an empty store of kernels.

``python -m benchmarks.first_calls [--rows 1900] [--columns 10] [NAME ...]`` prints, for each, the seconds of processor time and how many of
them this process spent compiling; then which kernels those were.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np


def table(kind: str, n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows that any estimator takes, and values or three classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    score = X[:, 0] + X[:, 1 % p] ** 2 + 0.5 * rng.normal(size=n)
    return np.abs(X), (np.digitize(score, [0.5, 1.5]) if kind != "regressor" else np.abs(score))


def one(name: str, n: int, p: int) -> dict[str, object]:
    """Fit an estimator and let it predict, in this process."""
    from epee.estimator.registry import method
    from epee.kernels.compiling import spent

    met: list[str] = []
    entry = method(name)
    model = entry.example()
    X, y = table(entry.kind, n, p)
    if name == "SmoothingSpline":
        X = X[:, :1]
    if name == "FisherDiscriminant":
        y = (y > 0).astype(int)
    from numba.core import event

    class Seen(event.Listener):
        def on_start(self, happened: event.Event) -> None:
            met.append(happened.data["dispatcher"].py_func.__name__)

        def on_end(self, happened: event.Event) -> None:
            pass

    event.register("numba:compile", Seen())
    start = time.process_time()
    model.fit(X, y)
    fitted = time.process_time()
    for way in ("predict", "transform", "score_samples"):
        if hasattr(model, way):
            getattr(model, way)(X)
            break
    done = time.process_time()
    return {
        "name": name, "fit": fitted - start, "answer": done - fitted, "compiling": spent()["compiling"], "kernels": sorted(set(met)),
    }  # fmt: skip


def main() -> None:
    """Run each in a process of its own."""
    from epee.estimator.registry import METHODS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rows", type=int, default=1900)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    said = parser.parse_args()
    if said.one:
        print(json.dumps(one(said.names[0], said.rows, said.columns)))
        return
    print(f"{said.rows} x {said.columns}\n{'':34}{'fit':>8}{'answer':>8}{'compiling':>11}")
    for name in said.names or [entry.name for entry in METHODS]:
        with tempfile.TemporaryDirectory() as folder:
            words = ["--rows", str(said.rows), "--columns", str(said.columns), "--one", name]
            env = {**os.environ, "EPEE_KERNELS": folder, "OMP_NUM_THREADS": "1"}
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.first_calls", *words],
                env=env,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                print(f"{name:34} {done.stderr.strip().splitlines()[-1][:90]}", flush=True)
                continue
            got = json.loads(done.stdout.splitlines()[-1])
            figures = "".join(f"{got[key]:{width}.2f}" for key, width in (("fit", 8), ("answer", 8), ("compiling", 11)))
            print(f"{name:34}{figures}  {' '.join(got['kernels'])}", flush=True)


if __name__ == "__main__":
    main()
