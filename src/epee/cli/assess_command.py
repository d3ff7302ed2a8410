"""``epee assess``: the test error of a saved predictor, with accounts."""

from __future__ import annotations

from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from epee.cli.phrases import say
from epee.cli.shared_options import Json, Lang, Memory, Quiet, Trust, load_lean, silence


def command(
    predictor: Annotated[Path, typer.Argument(help=say("bundle"), show_default=False)],
    table: Annotated[str, typer.Argument(help=say("labelled"), show_default=False)],
    level: Annotated[float | None, typer.Option(help=say("level"), show_default=False, metavar="SHARE")] = None,
    trust: Trust = False,
    memory: Memory = None,
    json: Json = False,
    lang: Lang = "en",
    quiet: Quiet = False,
) -> None:
    """Load, assess, count the use."""
    load_lean()
    from epee.cli.faults import one_line
    from epee.job.assessment import assess

    with silence(quiet, memory):
        found = assess(predictor, table, level=level, trusted=trust)
    typer.echo(
        dumps(found.to_dict(), ensure_ascii=False) if json else "\n".join(one_line(s) for s in found.sentences())
    )
