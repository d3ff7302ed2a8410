"""The command ``epee``: which commands there are, and what happens around each.

A command lives in a module of its own and is registered here with the module that does its work. A command is offered
only when both are there, and neither is imported before its turn: ``epee --help`` stays instant.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from epee.cli import faults, phrases
from epee.cli.phrases import say
from epee.errors import WrongUse
from epee.job.memory import refuse_tight_limit
from epee.lazy import absent
from epee.settings import options
from epee.words.usage_words import help_in_french

# command: (the module that parses its arguments, the module that does its work)
COMMANDS = {
    "learn": ("epee.cli.learn_command", "epee.job.learning"),
    "predict": ("epee.cli.predict_command", "epee.job.bundle"),
    "assess": ("epee.cli.assess_command", "epee.job.bundle"),
    "explore": ("epee.cli.explore_command", "epee.job.exploration"),
    "explain": ("epee.cli.explain_command", "epee.job.findings"),
    "open": ("epee.cli.open_command", "epee.workbench.server"),
    "lab": ("epee.cli.lab_command", "epee.labs.server"),
}

ON_TABLES = ("learn", "predict", "assess", "explore")


def offered() -> Iterator[tuple[str, str]]:
    """Yield the commands whose parts are all there, with their module."""
    for name, (module, work) in COMMANDS.items():
        if find_spec(module) and find_spec(work):
            yield name, module


def build() -> typer.Typer:
    """Return the application, in the language that was chosen."""
    app = typer.Typer(
        name="epee",
        cls=SpokenGroup,
        help=say("epee"),
        epilog=say("examples"),
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback(invoke_without_command=True)
    def epee(
        context: typer.Context,
        version: Annotated[bool, typer.Option("--version", help=say("version"), is_eager=True)] = False,
        lang: Annotated[str, typer.Option("--lang", help=say("lang"), metavar="en|fr")] = "en",
    ) -> None:
        if version:
            from epee import __version__

            typer.echo(f"epee {__version__}")
            raise typer.Exit
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    for name, module in offered():
        examples = f"{name}_examples"
        epilog = on_lines(say(examples)) if examples in say else None
        app.command(name, cls=SpokenCommand, help=say(name), epilog=epilog)(import_module(module).command)
    return app


class Spoken:
    """A command, or a group of them, whose help is in the language that was chosen."""

    def get_help(self, ctx: Any) -> str:
        """Return the help."""
        page: str = super().get_help(ctx)
        return help_in_french(page) if options.language == "fr" else page


class SpokenGroup(Spoken, TyperGroup):
    """The commands."""


class SpokenCommand(Spoken, TyperCommand):
    """One command."""


def on_lines(examples: str) -> str:
    r"""Return examples one a line, which the help must not join again.

    >>> on_lines("Try: a · b").splitlines()[1:]
    ['Try:', '  a', '  b']
    """
    head, _, lines = examples.partition(": ")
    return "\b\n" + "\n  ".join([f"{head}:", *lines.split(" · ")])


def suggest(arguments: Sequence[str]) -> None:
    """Say which command was probably meant, when the first word is none."""
    first = next((word for word in arguments if not word.startswith("-")), None)
    languages = {following for word, following in pairwise(arguments) if word == "--lang"}
    if first is None or first in COMMANDS or first in languages:
        return
    near = get_close_matches(first, list(COMMANDS), n=1)
    if near:
        raise WrongUse(say("did_you_mean", asked=first, near=near[0]))


def spare_pandas(arguments: Sequence[str]) -> None:
    """Let Arrow take note that there is no pandas: it would import it, because it may be there, to look at a list of words.

    For the program ``epee`` alone, and its commands on files; a cluster's frames are pandas'.
    """
    words = {word.partition("=")[0] for word in arguments}
    if not words & set(ON_TABLES) or words & {"--engine", "-h", "--help"}:
        return
    with absent("pandas"):
        import pyarrow

        pyarrow.array([""])


def run(arguments: Sequence[str]) -> int:
    """Run one command in the language that it asks for, and return its exit code."""
    with phrases.spoken(arguments):
        return _run(arguments)


def _run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; every fault becomes one sentence on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a narrow locale must not end a command
    try:
        with faults.ended_by_signals(), faults.plain_warnings():
            phrases.refuse_unknown(arguments)
            suggest(arguments)
            if set(arguments) & set(ON_TABLES):
                refuse_tight_limit()
            code = build()(list(arguments), prog_name="epee", standalone_mode=False)
            sys.stdout.flush()
            if code == faults.INTERRUPTED:  # Typer has caught the Ctrl-C
                raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except BaseException as error:  # the one place where every fault ends
        if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):
            error = error.__context__  # Typer makes a closed pipe an exit with 1
        if isinstance(error, typer.Exit) and isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
            error = KeyboardInterrupt()  # and Ctrl-C one with 130
        code = faults.exit_code(error)
        if code == faults.INTERRUPTED:
            exec(
                ""
            )  # a Ctrl-C within a text that was executed is remembered, and would kill the process at its end; this forgets it
        if sentence := faults.sentence(error):
            print(sentence, file=sys.stderr)
        if isinstance(error, BrokenPipeError):
            # what Python would flush at exit has no reader any more
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if code == faults.FAILURE and os.environ.get("EPEE_TRACEBACK"):
            raise
        return code
