"""``python -m epee.kernels``: compile every kernel now, so that no one waits for a compiler later.

Without options the code is made for this processor and kept where :mod:`epee.kernels.store` keeps it. ``--ahead FOLDER`` makes
code for any processor of the family instead, as a wheel carries it. ``--notes FILE`` rewrites the catalogue of signatures from
calls noted by programs that ran with ``EPEE_SIGNATURES=FILE`` set, and compiles nothing.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from pathlib import Path
from time import perf_counter


def main(words: list[str] | None = None) -> int:
    """Compile the kernels of the catalogue in several processes."""
    parser = argparse.ArgumentParser(prog="python -m epee.kernels", description=str(__doc__).partition(":")[2])
    parser.add_argument("--ahead", metavar="FOLDER", help="make code for the family of this processor, into FOLDER")
    parser.add_argument("--notes", metavar="FILE", help="rewrite the catalogue of signatures from noted calls")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (as many as cores)")
    parser.add_argument("--share", help=argparse.SUPPRESS)  # "2/4": this process is the third of four
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)  # as a helper: epee.kernels.background
    said = parser.parse_args(words)
    if said.serve:
        from epee.kernels.background import serve

        serve()
        return 0
    if said.notes:
        from epee.kernels.catalogue import gathered, write

        write(gathered(said.notes))
        return 0
    if said.share:
        mine, all_of_them = (int(part) for part in said.share.split("/"))
        print(compile_share(mine, all_of_them))
        return 0
    start = perf_counter()
    environment = {**os.environ, **(portable(said.ahead) if said.ahead else {})}
    children = [
        subprocess.Popen(
            [sys.executable, "-m", "epee.kernels", "--share", f"{i}/{said.jobs}"],
            env=environment, stdout=subprocess.PIPE, text=True,
        )
        for i in range(said.jobs)
    ]  # fmt: skip
    counts = [child.communicate()[0] for child in children]
    if any(child.returncode for child in children):
        return 1
    done = sum(int(count) for count in counts)
    print(f"{done} kernels compiled or found in {perf_counter() - start:.0f} s.")
    return 0


def portable(folder: str) -> dict[str, str]:
    """Return the environment in which numba compiles for the family of this processor, into a folder."""
    from epee.kernels.store import FAMILIES

    machine = platform.machine().lower()
    name, needs = FAMILIES[{"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)]
    return {
        "NUMBA_CPU_NAME": name,
        "NUMBA_CPU_FEATURES": ",".join(f"+{feature}" for feature in needs.split(",")),
        "EPEE_KERNELS": str(Path(folder).resolve()),
    }


def compile_share(mine: int, all_of_them: int) -> int:
    """Compile every so many-th kernel of the catalogue; return how many signatures that were."""
    from epee.kernels import store
    from epee.kernels.catalogue import listed, typed
    from epee.kernels.compiling import named

    work = [(key, types) for key, signatures in sorted(listed().items()) for types in signatures]
    mine_too = work[mine::all_of_them]
    store.kept = set()
    for key, types in mine_too:
        kernel, arguments = named(key), tuple(typed(word) for word in types)
        store.kept.add(store.file_name(kernel, arguments))
        kernel.compiled.compile(arguments)
    return len(mine_too)


if __name__ == "__main__":
    sys.exit(main())
