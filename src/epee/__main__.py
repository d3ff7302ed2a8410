"""``python -m epee`` and the command ``epee``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    from epee.cli.app import run, spare_pandas

    spare_pandas(sys.argv[1:])
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
