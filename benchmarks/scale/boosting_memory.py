"""How much memory boosted trees from a Parquet folder hold: ``python -m benchmarks.scale.boosting_memory [GIGABYTES] [TREES]``.

What a process holds is told by two marks: pages of its own, which must stay, and pages of files that it maps (bins, the whole numbers of a
round), which the system takes back whenever it needs the room. The claim is about the first.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.scale.big_table import make, remove

MOST = 2000  # MB
EVERY = 0.01  # seconds


class Marks(threading.Thread):
    """The high marks (MB) of a process's own pages and of those of mapped files, looked at a hundred times a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.own = self.mapped = 0.0

    def run(self) -> None:
        """Look until the process ends."""
        while True:
            lines = Path("/proc/self/status").read_text().splitlines()
            found = {line.partition(":")[0]: line.split()[1] for line in lines if line.startswith("Rss")}
            self.own = max(self.own, int(found["RssAnon"]) / 1000)
            self.mapped = max(self.mapped, int(found["RssFile"]) / 1000)
            time.sleep(EVERY)


def main() -> None:
    """Make a folder, learn from it, and print a line."""
    from epee import HistGradientBoostingRegressor

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gigabytes", type=float, nargs="?", default=10.0)
    parser.add_argument("trees", type=int, nargs="?", default=5)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="epee-scale-"))
    try:
        rows = make(folder, given.gigabytes)
        marks = Marks()
        marks.start()
        begin, spent = time.perf_counter(), time.process_time()
        HistGradientBoostingRegressor(max_iter=given.trees, early_stopping=False).fit(str(folder), "value")
        took, spent = time.perf_counter() - begin, time.process_time() - spent
    finally:
        remove(folder)
    print("| folder | rows | trees | seconds | of processor | own pages | pages of files | claim |")
    print("|---|---|---|---|---|---|---|---|")
    print(
        f"| {given.gigabytes:g} GB | {rows:,} | {given.trees} | {took:.0f} | {spent:.0f} | {marks.own:,.0f} MB | {marks.mapped:,.0f} MB |"
        f" {'✓' if marks.own < MOST else '✗'} own pages below {MOST:,} MB |"
    )


if __name__ == "__main__":
    main()
