"""Kernels compiled beside the work, so that no one waits for them.

The first call of a kernel whose twin gives the same bits asks a helper process, one for all kernels, to compile it; meanwhile the twin
answers, and the machine code is taken up as soon as it lies in a file. The helper works at a lower priority, the latest wish first, then
what will be wanted later (:func:`expect`), and finishes what it was asked for, so that the next process finds it all. Where no folder may
be written it fills one of this process alone, and both end with it.

With ``EPEE_COMPILE=now`` in the environment nobody helps: kernels are compiled on the spot, as tests would have it.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path
from queue import Empty, PriorityQueue
from shutil import rmtree
from tempfile import mkdtemp
from threading import Event, Lock, Thread
from time import sleep
from typing import Any

import numpy as np

AT_ONCE = os.environ.get("EPEE_COMPILE") == "now"  # whether nobody helps
PATIENCE = 10.0  # seconds of a twin's work after which, without a helper, the compiler is met on the spot
MORE_PATIENCE = (
    20.0  # and with one: the machine is so busy, or the work so long, that compiling here is the shorter way
)


LATER = "\tlater"


class Helper:
    """A process that compiles what it is told of, one kernel a line."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.process: Any = None
        self.ears: Thread | None = None
        self.asked: set[tuple[str, str]] = set()
        self.expected: set[tuple[str, str]] = set()
        self.done: set[tuple[str, str]] = set()
        self.begun: tuple[str, str] | None = None  # what it said last that it would compile

    @property
    def works(self) -> bool:
        """Whether it may still answer: it was not started yet, or is alive."""
        return self.process is None or (self.process is not False and self.process.poll() is None)

    def ask(self, key: str, words: str, *, later: bool = False) -> None:
        """Have a kernel compiled for a signature in the words of the catalogue, if that was not asked for yet.

        What is wanted ``later`` comes after all that is wanted now.
        """
        with self.lock:
            if (key, words) in self.asked or (later and (key, words) in self.expected):
                return
            (self.expected if later else self.asked).add((key, words))
            if self.process is None:
                self.process = self._started()
            if self.process:
                with suppress(OSError):
                    self.process.stdin.write(f"{key}\t{words}{LATER if later else ''}\n")
                    self.process.stdin.flush()

    def wait(self, key: str, words: str) -> bool:
        """Wait until it has compiled a kernel that it is compiling now; tell whether it did."""
        while self.begun == (key, words) and self.process and self.process.poll() is None:
            sleep(0.02)
        return (key, words) in self.done

    def _started(self) -> Any:
        import subprocess

        from epee.kernels import store

        kept = store.writable()
        folder = Path(mkdtemp(prefix="epee-kernels-")) if kept is None else kept
        home = str(Path(__file__).parents[2])
        path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH", "")]))
        env = {**os.environ, "PYTHONPATH": path, "EPEE_KERNELS": str(folder)}
        env.pop("EPEE_SIGNATURES", None)
        process: Any
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "epee.kernels", "--serve"], env=env, text=True, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError):  # no processes here: twins go on, then the compiler on the spot
            process = False
        else:
            self.ears = Thread(target=self._listen, args=(process.stdout,), daemon=True)
            self.ears.start()
        if kept is None:
            store.private = folder
            atexit.register(rmtree, folder, ignore_errors=True)
            atexit.register(self.end)
        return process

    def end(self) -> None:
        """End the process, whatever it is at."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            if self.ears is not None:
                self.ears.join()
            self.process.stdout.close()

    def _listen(self, stream: Any) -> None:
        with suppress(OSError, ValueError):
            for line in stream:
                said, key, words = line.rstrip("\n").split("\t")
                if said == "done":
                    self.done.add((key, words))
                self.begun = (key, words) if said == "begun" else None


helper = Helper()
of_parents: list[Helper] = []


def _after_fork() -> None:
    """A child has its own helper: the pipe belongs to the parent."""
    global helper
    of_parents.append(helper)
    helper = Helper()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def kind_of(value: Any) -> Any:
    """Return what numba's type of a value follows from, in a fraction of a microsecond."""
    if type(value) is np.ndarray:
        return value.dtype.num, value.ndim, value.flags.num
    return (type(value), *map(kind_of, value)) if isinstance(value, tuple) else type(value)


def there(kernel: Any, arguments: tuple[Any, ...]) -> bool:
    """Tell whether a kernel can be called with these arguments without a compiler; where not, have the helper see to it."""
    if AT_ONCE:
        return True
    kinds = tuple([kind_of(a) for a in arguments])
    if kinds in kernel.known:
        return True
    pair = kernel.spelt.get(kinds)
    if pair is None:
        from epee.kernels.catalogue import spelt

        try:
            pair = kernel.spelt[kinds] = kernel.key, json.dumps([spelt(a) for a in arguments])
        except TypeError:  # no words for it: it is compiled on the spot
            return True
    if pair in helper.done:
        found = True
    elif pair in helper.asked:
        found = kernel.waited > (MORE_PATIENCE if helper.works else PATIENCE)
    else:
        from epee.kernels.store import holds

        found = holds(kernel, pair[1])
    if found:
        kernel.known.add(kinds)
    else:
        helper.ask(*pair)
    return found


def expect(keys: Iterable[str]) -> None:
    """Have kernels compiled that will be wanted, in this order, for the signatures of the catalogue; those that have a file are let be."""
    if AT_ONCE:
        return
    from epee.kernels.catalogue import listed
    from epee.kernels.store import any_file

    missing = [key for key in keys if not any_file(key)]
    signatures = listed() if missing else {}
    for key in missing:
        for types in signatures.get(key, ()):
            helper.ask(key, json.dumps(types), later=True)


def serve() -> None:
    """Compile what standard input asks for, the latest line first; say of each when it is begun and when its code lies in a file."""
    from epee.kernels import store
    from epee.kernels.catalogue import typed
    from epee.kernels.compiling import named

    if hasattr(os, "nice"):
        os.nice(5)
    store.kept = set()
    wishes: PriorityQueue[tuple[bool, int, str]] = PriorityQueue()
    heard = Event()

    def hear() -> None:
        turn = count(1)
        for line in sys.stdin:
            wish, later = line.rstrip("\n").removesuffix(LATER), line.endswith(f"{LATER}\n")
            wishes.put((later, next(turn) if later else -next(turn), wish))
        heard.set()

    def say(word: str, wish: str) -> None:
        with suppress(OSError):  # who asked may be gone
            print(f"{word}\t{wish}", flush=True)

    Thread(target=hear, daemon=True).start()
    while True:
        try:
            _, _, wish = wishes.get(timeout=0.2)
        except Empty:
            if heard.is_set():
                return
            continue
        say("begun", wish)
        key, _, words = wish.partition("\t")
        kernel = named(key)
        types = tuple(typed(word) for word in json.loads(words))
        name = store.file_name(kernel, types)
        store.kept.add(name)
        with store.claimed(name) as free:
            if free or not store.holds(kernel, words):
                kernel.compiled.compile(types)
        say("done", wish)
