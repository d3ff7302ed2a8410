"""``epee predict``: raw rows in, predictions out, in order."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from epee.cli.phrases import say
from epee.cli.shared_options import Force, Json, Lang, Memory, Quiet, Trust, load_lean, silence
from epee.errors import WrongUse


def command(
    predictor: Annotated[Path, typer.Argument(help=say("bundle"), show_default=False)],
    table: Annotated[str, typer.Argument(help=say("rows"), show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=say("answers"), show_default=False, metavar="FILE")
    ] = None,
    level: Annotated[float, typer.Option(help=say("level"), metavar="SHARE")] = 0.95,
    plain: Annotated[bool, typer.Option("--plain", help=say("plain"))] = False,
    proba: Annotated[bool, typer.Option("--proba", help=say("proba"))] = False,
    interval: Annotated[bool, typer.Option("--interval", help=say("interval"))] = False,
    why: Annotated[bool, typer.Option("--why", help=say("why"))] = False,
    threshold: Annotated[float | None, typer.Option(help=say("threshold"), show_default=False, metavar="SHARE")] = None,
    keep: Annotated[
        list[str] | None, typer.Option("--keep", help=say("keep"), show_default=False, metavar="COLUMN")
    ] = None,
    trust: Trust = False,
    force: Force = False,
    memory: Memory = None,
    json: Json = False,
    lang: Lang = "en",
    quiet: Quiet = False,
) -> None:
    """Load, predict block by block, say what has drifted."""
    load_lean()
    from epee.cli.terminal import tell
    from epee.job.answers import Answers
    from epee.job.bundle import load_to_predict
    from epee.job.writing import anything, atomic, check_places, is_replaced, refuse_others
    from epee.table.named_files import files_named
    from epee.words import job_words

    if plain + proba + interval > 1:
        raise WrongUse("--plain, --proba and --interval contradict one another; give one of them.")
    details = "proba" if proba else "interval" if interval else not plain
    place = None if output is None or str(output) == "-" else output
    check_places([(place, anything)], [predictor, *files_named(table)], force)
    learned = load_to_predict(predictor, trust)
    with silence(quiet, memory):
        answers = Answers(
            learned.predictor, table, level=level, details=details, keep=keep or (), why=why, threshold=threshold
        )
        if place is None:
            n = answers.write_json(sys.stdout) if json else answers.write_csv(sys.stdout)
            sys.stdout.flush()
        else:
            if not force and is_replaced(place):
                refuse_others(place, answers.wrote)
            parquet = place.suffix.lower() in (".parquet", ".pq")
            with atomic(place, text=not parquet) as stream:
                write = answers.write_parquet if parquet else answers.write_json if json else answers.write_csv
                n = write(stream)
    tell([*answers.source.notes, *answers.decision(), *answers.drift()], quiet)
    if output is not None:
        tell([job_words.say("predicted", n=n)], quiet)
