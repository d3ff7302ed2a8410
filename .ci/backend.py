"""How a wheel of épée is built: as setuptools does, with the kernels compiled ahead of time and carried inside.

Such a wheel belongs to one version of Python and one family of processors; whoever installs it meets no compiler, neither then nor at
the first call. With another version of numba than it was built with, and from an sdist built with ``EPEE_PURE=1`` (a
``py3-none-any`` wheel for all the other machines), kernels are compiled when they are first called.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 every other step is setuptools' own

AHEAD = Path("src/epee/kernels/ahead")


def pure() -> bool:
    """Tell whether the wheel carries no machine code."""
    return bool(os.environ.get("EPEE_PURE"))


def tag() -> str:
    """Return the platform of the wheel. The code in it calls nothing of the system, so any Linux that numba supports will do."""
    if sys.platform == "linux":
        return f"manylinux_2_17_{platform.machine()}"
    return sysconfig.get_platform()


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return what the build needs besides setuptools: the compiler."""
    needs = build_meta.get_requires_for_build_wheel(config_settings)
    return needs if pure() else [*needs, "numba>=0.61", "scipy>=1.15"]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Compile the kernels, then let setuptools make the wheel around them."""
    if pure():
        return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    shutil.rmtree(AHEAD, ignore_errors=True)
    AHEAD.mkdir()
    try:
        words = [sys.executable, "-m", "epee.kernels", "--ahead", str(AHEAD)]
        path = os.pathsep.join([str(Path("src").resolve()), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
        subprocess.run(words, check=True, env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)})
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        settings = {**(config_settings or {}), "--build-option": ["--python-tag", python, "--plat-name", tag()]}
        return build_meta.build_wheel(wheel_directory, settings, metadata_directory)
    finally:
        shutil.rmtree(AHEAD, ignore_errors=True)
        shutil.rmtree("build/lib", ignore_errors=True)  # or the next wheel, pure perhaps, would carry it too
