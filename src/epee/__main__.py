"""``python -m epee`` and the command ``epee``."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import NoReturn


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
    leave(run(sys.argv[1:]))


def leave(code: int) -> NoReturn:
    """End the process: threads that must end do, what is registered for the end is done, and what was written goes out.

    Python would then take every module and every piece of compiled code apart, for a third of a second and nobody's good.
    """
    wait, finish = getattr(threading, "_shutdown", None), getattr(atexit, "_run_exitfuncs", None)
    if wait is None or finish is None:
        sys.exit(code)
    wait()
    finish()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed, or nobody reads it any more
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
