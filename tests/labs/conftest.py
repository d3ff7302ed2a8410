"""One server for all the tests of this folder, in a process of its own."""

import re
import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def labs():
    """Yield the base address and the token of running labs."""
    pytest.importorskip("marimo")
    command = [sys.executable, "-m", "epee", "lab", "--no-browser", "--port", "29160"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()
            found = re.search(r"(http://127\.0\.0\.1:\d+)/\?token=([\w-]+)", line)
            assert found, line + process.stderr.read()
            yield found[1], found[2]
        finally:
            process.terminate()
            try:
                process.communicate(timeout=30)  # open sessions must not keep it alive
            except subprocess.TimeoutExpired:
                process.kill()
                raise
