"""``epee predict``: raw rows in, predictions out, in order."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from epee.cli.phrases import say
from epee.cli.shared_options import Json, Lang, Quiet, silence


def command(
    predictor: Annotated[Path, typer.Argument(help=say("bundle"), show_default=False)],
    table: Annotated[str, typer.Argument(help=say("rows"), show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=say("answers"), show_default=False, metavar="FILE")
    ] = None,
    level: Annotated[float, typer.Option(help=say("level"), metavar="SHARE")] = 0.95,
    plain: Annotated[bool, typer.Option("--plain", help=say("plain"))] = False,
    keep: Annotated[
        list[str] | None, typer.Option("--keep", help=say("keep"), show_default=False, metavar="COLUMN")
    ] = None,
    json: Json = False,
    lang: Lang = "en",
    quiet: Quiet = False,
) -> None:
    """Load, predict block by block, say what has drifted."""
    from epee.cli.terminal import tell
    from epee.job.answers import Answers
    from epee.job.bundle import load_to_predict
    from epee.job.writing import atomic, check_place
    from epee.words import job_words

    if output is not None and str(output) != "-":
        check_place(output)
    learned = load_to_predict(predictor)
    with silence(quiet):
        answers = Answers(learned.predictor, table, level=level, details=not plain, keep=keep or ())
        if output is None or str(output) == "-":
            n = answers.write_json(sys.stdout) if json else answers.write_csv(sys.stdout)
            sys.stdout.flush()
        elif output.suffix.lower() in (".parquet", ".pq"):
            with atomic(output) as stream:
                n = answers.write_parquet(stream.name if isinstance(stream.name, str) else stream)  # type: ignore[arg-type]
        else:
            with atomic(output, text=True) as stream:
                n = answers.write_json(stream) if json else answers.write_csv(stream)
    tell([*answers.source.notes, *answers.drift()], quiet)
    if output is not None:
        tell([job_words.say("predicted", n=n)], quiet)
