"""What one waits for: ``import epee`` and ``epee --help`` before anything happens, then the first and the second run of a command.

Each is a fresh process; :mod:`benchmarks.one_run` says where its time goes, and the rows "of which" show it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import epee
from benchmarks.harness import Problem, Seconds


def import_time(module: str) -> Seconds:
    """Return the seconds of ``import module`` beyond the interpreter's own start."""
    words = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    answer = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    return Seconds(answer.stdout)


def run(*arguments: str) -> None:
    """Run the interpreter."""
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True)


def problems() -> Iterator[Problem]:
    yield Problem(
        "import epee, beyond the interpreter",
        ours=lambda: import_time("epee"),
        rivals={"import sklearn": lambda: import_time("sklearn"), "import numpy": lambda: import_time("numpy")},
        claim={"seconds": 0.060},
        quick=True,
    )
    yield Problem(
        "epee --help, in all",
        ours=lambda: run("-m", "epee", "--help"),
        limits={"the interpreter alone": lambda: run("-c", "pass")},
        claim={"seconds": 0.250},
        quick=True,
    )
    yield from whole_runs()


PARTS = ("imports", "compiling", "reading", "computing", "writing")


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="epee-bench-")


def table(name: str, n: int, p: int, classes: bool) -> str:
    """Write a CSV file of n rows and p columns, with three classes or a value, and return its path."""
    path = Path(folder().name) / f"{name}.csv"
    if not path.exists():
        rng = np.random.default_rng(1)
        X = rng.normal(size=(n, p))
        y: Any = X @ rng.normal(size=p) + 3 * np.sin(2 * X[:, 0]) + rng.normal(size=n)
        if classes:
            scores = X @ rng.normal(size=(p, 3)) + 0.7 * X[:, :3] ** 2 + rng.gumbel(size=(n, 3))
            y = np.array(list("abc"))[np.argmax(scores, axis=1)]
        lines = [",".join([*(f"x{j}" for j in range(p)), "y"])]
        lines += [",".join([*(f"{v:.6g}" for v in x), str(t)]) for x, t in zip(X, y, strict=True)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


class Run:
    """A command in a fresh process: its time, and the parts of the last one."""

    def __init__(self, words: Callable[[], list[str]], first: bool) -> None:
        self.words, self.first = words, first
        self.parts: dict[str, float] = {}

    def __call__(self) -> Seconds:
        kernels = "none" if self.first else str(Path(folder().name) / "kernels")  # first: nothing compiled was kept
        words = [sys.executable, "-m", "benchmarks.one_run", *self.words()]
        env = {
            k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"
        }  # whoever runs it twice has bytecode
        env |= {"EPEE_KERNELS": kernels, "PYTHONPYCACHEPREFIX": str(Path(folder().name) / "bytecode")}
        done = subprocess.run(words, capture_output=True, text=True, check=True, env=env)
        self.parts = json.loads(done.stderr.splitlines()[-1])
        return Seconds(self.parts["all"])

    def part(self, name: str) -> Seconds:
        """Return the seconds of one part of the last run."""
        return Seconds(max(self.parts[name], 1e-4))


FIRST_VERSION = {  # the predictors of version 0.1
    True: ("naive_bayes", "lda", "least_squares", "logistic", "qda", "tree", "neighbours", "mixture"),
    False: ("linear", "ridge", "lasso", "additive", "tree", "neighbours"),
}


def learn(name: str, n: int, p: int, classes: bool, every: bool = True) -> list[str]:
    place = str(epee.samples.path("penguins")) if name == "penguins" else table(name, n, p, classes)
    target = "species" if name == "penguins" else "y"
    words = ["learn", place, "-t", target, "-q", "--force", "-o", str(Path(folder().name) / f"{name}.epee")]
    return words if every else [*words, *(word for key in FIRST_VERSION[classes] for word in ("-p", key))]


def predict() -> list[str]:
    bundle = Path(folder().name) / "three.epee"
    if not bundle.exists():
        words = [sys.executable, "-m", "epee", *learn("three", 10_000, 20, True)]
        subprocess.run(words, capture_output=True, check=True)
    rows = table("thousand", 1_000, 20, True)
    return ["predict", str(bundle), rows, "-q", "--force", "-o", str(Path(folder().name) / "answers.csv")]


def whole_runs() -> Iterator[Problem]:
    """Yield the commands that people wait for: the first time, when nothing compiled is at hand, and from then on."""
    asked: dict[str, tuple[Callable[[], list[str]], float, float]] = {
        "epee learn, 344 x 8": (lambda: learn("penguins", 344, 8, True), 12.0, 5.0),
        "epee learn, 344 x 8, predictors of 0.1": (lambda: learn("penguins", 344, 8, True, False), 6.0, 2.5),
        "epee learn, 10,000 x 20, three classes": (lambda: learn("three", 10_000, 20, True), 30.0, 20.0),
        "epee learn, 10,000 x 20, three classes, predictors of 0.1": (
            lambda: learn("three", 10_000, 20, True, False), 15.0, 3.0,
        ),
        "epee learn, 10,000 x 20, a value": (lambda: learn("value", 10_000, 20, False), 30.0, 20.0),
        "epee learn, 10,000 x 20, a value, predictors of 0.1": (lambda: learn("value", 10_000, 20, False, False), 15.0, 2.0),
        "epee predict, 1,000 rows": (predict, 1.0, 1.0),
    }  # fmt: skip
    for name, (words, first, second) in asked.items():
        for run_, when, claim in ((Run(words, True), "first run", first), (Run(words, False), "second run", second)):
            parts = {f"of which {part}": partial(run_.part, part) for part in PARTS}
            yield Problem(f"{name}, {when}", ours=run_, limits=parts, claim={"seconds": claim})
    yield Problem(
        "epee explain, in all", ours=lambda: run("-m", "epee", "explain", "E001"), claim={"seconds": 1.0}, quick=True
    )
