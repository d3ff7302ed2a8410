"""Starting must stay instant: what is heavy is loaded by the first call that needs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("sklearn", "numba", "matplotlib", "duckdb", "pandas", "scipy")


def loaded_by(code: str) -> set[str]:
    """Return the heavy packages that a fresh interpreter holds after ``code``."""
    ending = f"import sys; print('loaded:', *[m for m in {HEAVY} if m in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", f"{code}\n{ending}"], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return set(answer.stdout.splitlines()[-1].split()[1:])


def test_the_probe_sees_a_heavy_package():
    assert loaded_by("import scipy") == {"scipy"}


@pytest.mark.parametrize(
    "code",
    [
        "import epee",
        "import epee; dir(epee)",
        "import epee; epee.options.threads = 2",
        "from epee.cli.app import run; assert run(['--help']) == 0",
        "from epee.cli.app import run; assert run(['--lang', 'fr', '--help']) == 0",
        "from epee.cli.app import run; assert run(['--version']) == 0",
        "from epee.cli.app import build, offered\nfor name, _ in offered(): build()([name, '--help'], standalone_mode=False)",
    ],
)
def test_start_is_lean(code):
    assert loaded_by(code) == set()
