"""A report on 10,000 rows and 20 columns: how long it takes to write, and to open in a browser."""

from __future__ import annotations

import shutil
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Problem, Seconds

ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
]  # fmt: skip


@cache
def table() -> Any:
    import pyarrow as pa

    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 18))
    columns = {f"x{j}": pa.array(X[:, j]) for j in range(18)}
    for name in ("colour", "place"):
        columns[name] = pa.array(rng.choice(list("abcde"), 10_000).tolist())
    columns["y"] = pa.array(np.where(X[:, 0] + X[:, 1] + rng.logistic(size=10_000) > 0, "yes", "no").tolist())
    return pa.table(columns)


@cache
def learned() -> tuple[Any]:
    import epee

    return (epee.learn(table(), "y", predictors=["naive_bayes", "lda", "tree"], folds=5),)


def written() -> tuple[Path]:
    return (learned()[0].report(Path(tempfile.mkdtemp()) / "report.html"),)


def write(run: Any) -> Path:
    with tempfile.TemporaryDirectory() as folder:
        place: Path = run.report(Path(folder) / "report.html")
        assert place.stat().st_size < 500_000
    return place


def look(run: Any) -> list[Any]:
    from epee.job.findings import Evidence, find
    from epee.table.raw import RawBlock

    rows, names = np.arange(10_000), [name for name in table().column_names if name != "y"]
    columns = {name: table().column(name).combine_chunks() for name in names}
    columns = {name: c.to_numpy() if name[0] == "x" else c for name, c in columns.items()}
    kinds = {name: "number" if name[0] == "x" else "category" for name in names}
    y = np.array(table().column("y").to_pylist())
    return find(
        Evidence(
            names,
            kinds,
            RawBlock(columns, rows=len(rows)),
            [],
            "classification",
            "y",
            y,
            np.unique(y),
            rows[rows % 5 > 0],
            rows[rows % 5 == 0],
        )
    )


def explored() -> Any:
    from epee.job.exploration import explore

    return explore(table()).card


def opened(place: Path) -> Seconds:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        page = browser.new_page()
        page.goto("about:blank")
        begin = time.perf_counter()
        page.goto(place.as_uri(), wait_until="load")
        page.evaluate("document.body.offsetHeight")
        spent = time.perf_counter() - begin
        browser.close()
    return Seconds(spent)


def problems():
    yield Problem("report of 10,000 x 20, written", data=learned, ours=write, claim={"seconds": 3}, quick=True)
    yield Problem("findings of 10,000 x 20", data=learned, ours=look, claim={"seconds": 3})
    yield Problem("exploration of 10,000 x 20", ours=explored)
    if shutil.which("chromium"):
        yield Problem("report of 10,000 x 20, opened in Chromium", data=written, ours=opened, claim={"seconds": 1})
