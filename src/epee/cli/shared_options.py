"""The options that every command takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from epee.cli.phrases import say
from epee.lazy import import_lean
from epee.settings import options

Json = Annotated[bool, typer.Option("--json", help=say("json"))]
Lang = Annotated[str, typer.Option("--lang", help=say("lang"), metavar="en|fr")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help=say("quiet"))]
Force = Annotated[bool, typer.Option("--force", help=say("force"))]
Memory = Annotated[str | None, typer.Option("--memory", help=say("memory_option"), show_default=False, metavar="SIZE")]
Trust = Annotated[bool, typer.Option("--trust", help=say("trust"))]
NoColor = Annotated[bool, typer.Option("--no-color", help=say("no_color"))]


def load_lean() -> None:
    """Import scikit-learn without what it imports for others: frames, and parts of SciPy (tests, splines, searches), NumPy and Python.

    Of SciPy's searches, those that are needed come alone.
    """
    import numpy  # whose Fortran is not to be loaded with all its names

    assert numpy
    one = {"FunctionTransformer": "sklearn.preprocessing._function_transformer"}
    of_numpy = ("numpy.f2py", "numpy.testing", "numpy.ma")
    of_frames = ("pandas", "narwhals", "narwhals.stable", "narwhals.stable.v2")
    without = ("scipy.stats", "pydoc", "asyncio", *of_numpy, *of_frames)
    import_lean("sklearn.pipeline", without=without, parts={"sklearn.preprocessing": one})
    import_lean("epee.solve.positive", without=(), parts={"scipy.optimize": {"nnls": "scipy.optimize._nnls"}})


@contextmanager
def silence(quiet: bool, memory: str | None = None, board: bool = False) -> Iterator[None]:
    """Keep progress away where that was asked, and memory within what is allowed; elsewhere progress shows on a terminal.

    With ``board`` the lines of a contest show there, too.
    """
    from epee.cli.terminal import shown_progress

    progress = False if quiet else options.progress
    with options(progress=progress, memory=memory or options.memory), shown_progress(board):
        yield
