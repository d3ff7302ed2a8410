"""Instructions that ``import epee`` and ``epee --help`` execute, counted by callgrind: a figure that no other work disturbs.

``python -m benchmarks.scale.instructions`` needs valgrind; results go to ``benchmarks/results/scale.instructions.md``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

from benchmarks.machine import facts, in_words
from benchmarks.record import RESULTS

CALLS = {
    "python -c pass": ["-c", "pass"],
    "import epee": ["-c", "import epee"],
    "epee --help": ["-m", "epee", "--help"],
    "import numpy, for comparison": ["-c", "import numpy"],
}


def count(arguments: list[str]) -> int:
    """Return the instructions of one run of Python."""
    call = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, *arguments]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    answer = subprocess.run(call, capture_output=True, text=True, check=True, env=environment)
    found = re.search(r"Collected\s*:\s*(\d+)", answer.stderr)
    if found is None:
        raise RuntimeError(f"callgrind gave no count: {answer.stderr[-300:]}")
    return int(found.group(1))


def main() -> None:
    """Count all and write the page."""
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: the instructions are not counted", file=sys.stderr)
        return
    lines = [
        "# Instructions to start",
        "",
        in_words(facts()) + ".",
        "",
        "| run | million instructions | above Python itself |",
        "|---|---|---|",
    ]
    base = 0
    for name, arguments in CALLS.items():
        found = count(arguments)
        base = base or found
        lines.append(f"| `{name}` | {found / 1e6:,.0f} | {(found - base) / 1e6:,.0f} |")
        print(lines[-1], flush=True)
    (RESULTS / "scale.instructions.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
