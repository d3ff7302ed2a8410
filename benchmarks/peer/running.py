"""Run scikit-learn's test modules in a process of their own, through whatever their tests do to that process.

Several modules share a process, since the start of one (all of scikit-learn, all of ours) costs as much as many tests. The plugin
(:mod:`benchmarks.peer.swap`) notes each test before and after it. A test that was begun when the process died has crashed it, and one
that says nothing for ``SILENT`` seconds hangs: either is kept as such, and the run goes on behind it in a new process. A test that used
nothing of ours is not run again with our classes: those are noted once a run came to its end.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KEPT = ROOT / "build" / "peer"
LONGEST = 90  # seconds of processor time for a test
SILENT = 900  # seconds of the clock without a word: it hangs
MOST = 7 * 2**30  # bytes that a module may ask for: a test that wants more fails, and the machine goes on
DEATHS = 20  # of a run; after that the other tests count as not passed

Outcomes = dict[str, dict[str, object]]


def run(modules: Sequence[str], *, swap: bool = True, only: Iterable[str] | None = None) -> Outcomes:
    """Return what became of each test of some modules, with our classes (``swap``) or with theirs; of ``only`` some.

    A test is called ``module::test``.
    """
    KEPT.mkdir(parents=True, exist_ok=True)
    notes, listed, log, done = (KEPT / f"run.{end}" for end in ("jsonl", "txt", "log", "done"))
    notes.unlink(missing_ok=True)
    strangers = KEPT / f"strangers-{version('scikit-learn')}.txt"
    idle = strangers.read_text().splitlines() if swap and strangers.exists() else []
    outcomes: Outcomes = {}
    for _ in range(DEATHS):
        done.write_text("\n".join([*idle, *outcomes]))
        more = {"PEER_OUT": str(notes), "PEER_SWAP": str(int(swap)), "PEER_DONE": str(done)}
        if only is not None:
            listed.write_text("\n".join(only))
            more["PEER_ONLY"] = str(listed)
        status = _once(modules, more, notes, log)
        outcomes, begun, ended = _read(notes)
        if ended:
            if swap and only is None:
                unasked = [t for t, e in outcomes.items() if not e.get("asked") or e.get("outcome") == "skipped"]
                strangers.write_text("\n".join([*idle, *unasked]))
            break
        if begun is None:
            print(f"  {', '.join(modules)} could not be run ({status}):", log.read_text()[-1500:])
            break
        outcomes[begun] = {"asked": True, "outcome": "crashed", "why": f"the process {status}"}
        with notes.open("a") as file:
            file.write(json.dumps({"test": begun, **outcomes[begun]}) + "\n")
    return outcomes


def _once(modules: Sequence[str], more: dict[str, str], notes: Path, log: Path) -> str:
    """Run pytest until it ends, or says nothing for too long; return how it ended."""
    more |= {"PEER_LONGEST": str(LONGEST), "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "MPLBACKEND": "Agg"}
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "benchmarks.peer.swap", "-p", "no:cacheprovider", "-p", "no:xdist", "-c", os.devnull,
        "--rootdir", str(KEPT), "--no-header", "--tb=short", "--pyargs", *(f"sklearn.{module}" for module in modules),
    ]  # fmt: skip
    with log.open("w") as out:
        child = subprocess.Popen(
            command, env={**os.environ, **more}, cwd=KEPT, stdout=out, stderr=out,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST, MOST)),
        )  # fmt: skip
        size, since = -1, time.monotonic()
        while child.poll() is None:
            time.sleep(0.5)
            now = notes.stat().st_size if notes.exists() else 0
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > SILENT:
                child.kill()
                child.wait()
                return f"said nothing for {SILENT} s"
    return f"ended with status {child.returncode}"


def _read(notes: Path) -> tuple[Outcomes, str | None, bool]:
    """Return the outcomes, the test that was begun and never ended, and whether the module came to its end."""
    outcomes: Outcomes = {}
    begun, ended = None, False
    for line in notes.read_text().splitlines() if notes.exists() else ():
        entry = json.loads(line)
        if entry.get("end"):
            ended = True
        elif entry.get("begins"):
            begun = entry["test"]
        else:
            outcomes[entry.pop("test")] = entry
            begun = None
    return outcomes, begun, ended
