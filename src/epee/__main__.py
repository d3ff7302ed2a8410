"""``python -m epee`` and the command ``epee``."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run the command line and leave with its exit code.

    While modules load an interrupt ends the process at once: nothing is open yet, and an exception could be lost within an import.
    """
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # a job in the background ignores it
    if usual:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from epee.cli.app import run, spare_pandas

    spare_pandas(sys.argv[1:])
    if usual:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
