"""``epee explore``: what a table holds when nothing is to be predicted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epee.cli.phrases import say
from epee.cli.shared_options import Force, Json, Lang, Memory, NoColor, Quiet, load_lean, silence

SAMPLE = "penguins"


def command(
    table: Annotated[str | None, typer.Argument(help=say("table"), show_default=False)] = None,
    kind: Annotated[
        list[str] | None, typer.Option("--type", help=say("type"), show_default=False, metavar="COLUMN=KIND")
    ] = None,
    types_file: Annotated[Path | None, typer.Option(help=say("types_file"), show_default=False)] = None,
    level: Annotated[float, typer.Option(help=say("level"))] = 0.95,
    mute: Annotated[list[str] | None, typer.Option(help=say("mute"), show_default=False, metavar="CODE")] = None,
    seed: Annotated[int, typer.Option(help=say("seed"))] = 0,
    report: Annotated[Path | None, typer.Option(help=say("report"), show_default=False)] = None,
    force: Force = False,
    memory: Memory = None,
    json: Json = False,
    lang: Lang = "en",
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Parse, explore, print."""
    load_lean()
    import epee
    from epee.cli.terminal import console, tell
    from epee.job.exploration import explore
    from epee.job.kinds import parse_kinds, read_kinds
    from epee.job.writing import check_places, is_page
    from epee.table.named_files import files_named
    from epee.words import job_words

    if table is None:
        about = epee.samples.describe(SAMPLE)
        tell([job_words.say("sample_table", name=SAMPLE, about=about.about)], quiet)
        table = str(epee.samples.path(SAMPLE))
    check_places([(report, is_page)], [*files_named(table), *filter(None, [types_file])], force)
    kinds = {**(read_kinds(str(types_file)) if types_file else {}), **parse_kinds(kind or [])}
    with silence(quiet, memory):
        explored = explore(
            table, types=kinds or None, level=level, mute=mute or (), lang=epee.options.language, random_state=seed
        )
    if json:
        typer.echo(explored.to_json())
    else:
        from epee.report.text import show

        show(explored.card, console(no_color))
    if report is not None:
        explored.report(report)
        tell([job_words.say("reported", path=report)], quiet or json)
