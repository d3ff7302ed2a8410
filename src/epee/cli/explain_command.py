"""``epee explain``: the page of a finding."""

from __future__ import annotations

from json import dumps
from typing import Annotated

import typer

from epee.cli.phrases import say
from epee.cli.shared_options import Json, Lang, NoColor, Quiet


def command(
    code: Annotated[str | None, typer.Argument(help=say("code"), show_default=False)] = None,
    json: Json = False,
    lang: Lang = "en",
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Print the page of one finding, or the list of all."""
    from epee.job.findings import check_codes, codes, explain
    from epee.words.finding_words import title

    if code is None:
        listed = {known: title(known) for known in codes()}
        typer.echo(
            dumps(listed, ensure_ascii=False)
            if json
            else "\n".join(f"{known}  {words}" for known, words in listed.items())
        )
        return
    (known,) = check_codes([code])
    page = explain(known)
    if json:
        typer.echo(dumps({"code": known, "title": title(known), "page": page}, ensure_ascii=False))
        return
    from rich.markdown import Markdown

    from epee.cli.terminal import console

    screen = console(no_color)
    if screen.is_terminal:
        screen.print(Markdown(page))
    else:
        typer.echo(page.rstrip("\n"))
