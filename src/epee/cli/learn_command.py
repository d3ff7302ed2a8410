"""``epee learn``: from a table to a predictor, its error and how sure one can be."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epee.cli.phrases import say
from epee.cli.shared_options import Json, Lang, Quiet, silence
from epee.errors import WrongUse

SAMPLE, SAMPLE_TARGET = "iris", "species"


def command(
    table: Annotated[str | None, typer.Argument(help=say("table"), show_default=False)] = None,
    target: Annotated[str | None, typer.Option("--target", "-t", help=say("target"), show_default=False)] = None,
    test_size: Annotated[float, typer.Option(help=say("test_size"))] = 0.2,
    folds: Annotated[int, typer.Option(help=say("folds"))] = 10,
    weight: Annotated[str | None, typer.Option(help=say("weight"), show_default=False)] = None,
    groups: Annotated[str | None, typer.Option(help=say("groups"), show_default=False)] = None,
    time: Annotated[str | None, typer.Option(help=say("time"), show_default=False)] = None,
    level: Annotated[float, typer.Option(help=say("level"))] = 0.95,
    seed: Annotated[int, typer.Option(help=say("seed"))] = 0,
    output: Annotated[Path | None, typer.Option("--output", "-o", help=say("output"), show_default=False)] = None,
    report: Annotated[Path | None, typer.Option(help=say("report"), show_default=False)] = None,
    json: Json = False,
    lang: Lang = "en",
    quiet: Quiet = False,
) -> None:
    """Parse, learn, save, print."""
    import epee

    if table is None:
        data, target = epee.samples.load(SAMPLE), target or SAMPLE_TARGET
    elif target is None:
        raise WrongUse(say("no_target"))
    else:
        data = table
    with silence(quiet):
        learned = epee.learn(
            data,
            target,
            test_size=test_size,
            folds=folds,
            weight=weight,
            groups=groups,
            time=time,
            level=level,
            lang=epee.options.language,  # --lang may stand before the command too
            random_state=seed,
        )
    if output is not None:
        learned.save(output)
    if report is not None:
        learned.report(report)
    typer.echo(learned.to_json() if json else str(learned))
