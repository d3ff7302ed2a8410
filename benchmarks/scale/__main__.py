"""``python -m benchmarks.scale``: growth, instructions and simulation; with ``--study`` also the table of 10 GB."""

from __future__ import annotations

import sys

from benchmarks.scale import growth, instructions, simulation, study


def main() -> None:
    """Run all; each writes its own page."""
    with_study = "--study" in sys.argv
    sys.argv = sys.argv[:1]
    growth.main()
    instructions.main()
    simulation.main()
    if with_study:
        study.main()


if __name__ == "__main__":
    main()
