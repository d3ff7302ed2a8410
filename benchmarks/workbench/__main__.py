"""The workbench with a million rows in Chromium: ``python -m benchmarks.workbench [ROWS]``; result to benchmarks/results/workbench.md.

A table is made in a folder of its own, opened by its path, learned with a budget, explored and looked at, all by clicks; what is measured
is what a person sees: the time from a click to its answer, and the frames of the browser while one scrolls during the run.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.machine import facts, in_words
from benchmarks.record import RESULTS

BUDGET = "30s"
SCROLL = """async (steps) => {
    const gaps = []; let last = performance.now();
    for (let i = 0; i < steps; i++) {
        window.scrollBy(0, i < steps / 2 ? 40 : -40);
        await new Promise(requestAnimationFrame);
        const now = performance.now(); gaps.push(now - last); last = now;
    }
    return gaps.sort((a, b) => a - b);
}"""


def make_table(folder: Path, rows: int) -> list[str]:
    """Write a table of numbers, categories, a date and holes as CSV and as Parquet; return their names."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 6)).round(4)
    town = rng.choice(["Orléans", "Nîmes", "Lyon", "Brest", "Dijon"], size=rows)
    day = np.datetime64("2020-01-01") + rng.integers(0, 1500, size=rows).astype("timedelta64[D]")
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + (town == "Lyon") + rng.normal(size=rows) > 0, "yes", "no")
    holes = rng.random(rows) < 0.02
    columns = {f"x{j}": X[:, j] for j in range(6)} | {
        "town": town,
        "day": day,
        "price": np.exp(X[:, 3]).round(2),
        "y": y,
    }
    table = pa.table({
        name: pa.array(cells, mask=holes) if name == "x5" else pa.array(cells) for name, cells in columns.items()
    })  # fmt: skip
    pyarrow.csv.write_csv(table, folder / "large.csv")
    pq.write_table(table, folder / "large.parquet")
    return ["large.csv", "large.parquet"]


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Yield the address of a workbench."""
    command = [sys.executable, "-m", "epee", "open", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stdout is not None
        found = re.search(r"http\S+", process.stdout.readline())
        assert found is not None
        try:
            yield found[0]
        finally:
            process.terminate()


def timed(work: Callable[[], Any]) -> float:
    """Return the seconds of a call."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def open_table(page: Any, name: str) -> None:
    """Type a path, and wait for the cards."""
    page.locator("input[name=table]").first.fill(name)
    page.keyboard.press("Enter")
    page.wait_for_selector("#wb-columns")


def frames(page: Any) -> str:
    """Scroll down and up, and say how long frames took."""
    gaps = page.evaluate(SCROLL, 240)
    slow = sum(gap > 50 for gap in gaps)
    half, most = gaps[len(gaps) // 2], gaps[int(0.99 * len(gaps))]
    return f"median {half:.0f} ms, 99 % {most:.0f} ms, longest {gaps[-1]:.0f} ms, {slow} of {len(gaps)} over 50 ms"


def walk(page: Any, name: str) -> Iterator[tuple[str, str]]:
    """Yield what was done and how long it took."""
    yield f"open {name}: cards and first rows", f"{timed(lambda: open_table(page, name)):.2f} s"
    size = page.evaluate("document.documentElement.outerHTML.length")
    yield "what the page holds then", f"{size / 1e3:.0f} kB of HTML, {page.locator('*').count():,} elements"
    yield "scroll the page, nothing going on", frames(page)
    grid = page.locator("details.rows .grid")
    grid.scroll_into_view_if_needed()
    later = page.locator("details.rows tbody tr").nth(60)
    more = timed(lambda: (grid.evaluate("e => e.scrollTo(0, e.scrollHeight)"), later.wait_for()))
    yield "scroll to more of the first rows", f"{more:.2f} s"
    target = page.locator("li.column", has=page.locator("h4", has_text=re.compile("^y$")))
    chosen = timed(lambda: (target.locator("button.target").click(), page.wait_for_selector("#wb-asked")))
    yield "choose the target: the question stands there", f"{chosen:.2f} s"
    page.locator("input[name=budget]").fill(BUDGET)
    begun = time.perf_counter()
    page.click("#wb-learn")
    page.wait_for_selector("#wb-run .chart", timeout=600_000)
    yield f"learn with a budget of {BUDGET}: the first line of the board", f"{time.perf_counter() - begun:.1f} s"
    yield "scroll the page while it learns", frames(page)
    other = page.context.new_page()
    beside = timed(lambda: (
        other.goto(page.url.split("/s/")[0] + "/"), other.get_by_role("button", name="iris", exact=True).click(),
        other.wait_for_selector("#wb-columns")))  # fmt: skip
    other.close()
    yield "another page opens a small table meanwhile", f"{beside:.2f} s"
    page.wait_for_selector("#wb-answer .answer", timeout=600_000)
    yield "the answer stands there", f"{time.perf_counter() - begun:.1f} s"
    cell = page.locator("table.confusion td.wrong button").first
    yield (
        "a cell of the confusion table: its rows",
        f"{timed(lambda: (cell.click(), page.wait_for_selector('#wb-cell tbody tr'))):.2f} s",
    )
    page.wait_for_selector("#wb-said .says")
    slider = page.locator("#wb-row input[type=range]").first
    slider.focus()
    with page.expect_response(re.compile("what-if")) as answered:
        begun_slider = time.perf_counter()
        page.keyboard.press("End")
    moved = time.perf_counter() - begun_slider
    assert answered.value.ok
    yield "what if: a slider moves the prediction", f"{moved:.2f} s"
    yield "scroll the page with the answer", frames(page)
    explored = timed(
        lambda: (page.click("#wb-explore"), page.wait_for_selector("#wb-explored .answer", timeout=600_000))
    )
    yield "look without a target", f"{explored:.1f} s"


def main(rows: int = 1_000_000) -> None:
    """Walk through the page with each file, and print and keep what was seen."""
    from playwright.sync_api import sync_playwright

    lines = [
        f"# The workbench with {rows:,} rows in Chromium",
        "",
        in_words(facts()),
        "",
        "| what | seen |",
        "|---|---|",
    ]
    with tempfile.TemporaryDirectory() as place, sync_playwright() as started:
        folder = Path(place)
        names = make_table(folder, rows)
        flags = ["--no-sandbox", "--disable-gpu"]
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        for name in names:
            with served(folder) as address:
                page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
                page.set_default_timeout(120_000)
                page.goto(address)
                for what, seen in walk(page, name):
                    lines.append(f"| {what} | {seen} |")
                    print(lines[-1], flush=True)
                page.screenshot(path=str(Path(tempfile.gettempdir()) / f"workbench-{Path(name).suffix[1:]}.png"))
    if rows >= 1_000_000:
        (RESULTS / "workbench.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
