"""``epee open``: the main job as a page in the browser, the workbench."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from epee.cli.shared_options import Lang, Memory, Quiet, silence
from epee.errors import WrongUse
from epee.settings import options
from epee.words.catalogue import Catalogue

WORDS = {
    "table": (
        "A table to begin with, as for learn, or a saved predictor (.epee).",
        "Une table pour commencer, comme pour learn, ou un prédicteur enregistré (.epee).",
    ),
    "rows": ("Rows to predict with a saved predictor.", "Des lignes à prédire avec un prédicteur enregistré."),
    "port": (
        "Port on the loopback; the next free one where it is taken.",
        "Port sur la boucle locale ; le premier libre ensuite s'il est pris.",
    ),
    "no_browser": ("Print the address and open no browser.", "Afficher l'adresse sans ouvrir de navigateur."),
    "trust": (
        "Let pages open saved predictors of other libraries and name others' classes: both run code. For files whose author you know.",
        "Laisser les pages ouvrir des prédicteurs enregistrés d'autres bibliothèques et nommer leurs classes : les deux exécutent du code. "
        "Pour des fichiers dont on connaît l'auteur.",
    ),
    "taken": ("port {asked} is in use; taking {taken}.", "le port {asked} est pris ; on prend le {taken}."),
    "open": (
        "The workbench is at {where}\nStop with Ctrl-C.",
        "L'établi est à l'adresse {where}\nArrêter avec Ctrl-C.",
    ),
    "rows_alone": (
        "{rows!r} is given after {table!r}, which is no saved predictor (.epee): give one table, or a predictor and a table.",
        "{rows!r} est donné après {table!r}, qui n'est pas un prédicteur enregistré (.epee) : donner une table, ou un prédicteur et une table.",
    ),
}
words = Catalogue(WORDS)
PORT = 2828


def command(
    table: Annotated[str | None, typer.Argument(help=words("table"), show_default=False)] = None,
    rows: Annotated[str | None, typer.Argument(help=words("rows"), show_default=False)] = None,
    port: Annotated[int | None, typer.Option(help=words("port"), min=1, max=65535, show_default=str(PORT))] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help=words("no_browser"))] = False,
    trust: Annotated[bool, typer.Option("--trust", help=words("trust"))] = False,
    memory: Memory = None,
    lang: Lang = "en",
    quiet: Quiet = False,
) -> None:
    """Serve the workbench."""
    from epee.labs.loopback import bind
    from epee.table.query import is_query
    from epee.workbench.server import serve

    if rows is not None and not str(table).lower().endswith(".epee"):
        raise WrongUse(words("rows_alone", rows=rows, table=table))
    for given in (table, rows):
        if (
            given is not None
            and not is_query(given)
            and not any(c in given for c in "*?[")
            and not Path(given).exists()
        ):
            raise FileNotFoundError(2, f"there is no file {given!r}; look at its name and folder")
    asked = port or PORT
    listener = bind(asked)
    if (at := listener.getsockname()[1]) != asked and not quiet:
        print(words("taken", asked=str(asked), taken=str(at)), file=sys.stderr)

    def started(address: str) -> None:
        where = f"{address}&lang={options.language}"
        typer.echo(where if quiet else words("open", where=where))
        sys.stdout.flush()
        if not no_browser:
            import webbrowser

            webbrowser.open(where)

    with listener, silence(True, memory):
        serve(listener, table=table, rows=rows, trusted=trust, started=started)
