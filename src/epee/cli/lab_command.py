"""``epee lab``: the interactive labs in the browser, as still pages, as notebooks, or as a folder for a class."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from epee.cli.shared_options import Force, Lang, Quiet
from epee.settings import options
from epee.words.catalogue import Catalogue

WORDS = {
    "name": ("Open this lab; without a name, the home page.", "Ouvrir ce TP ; sans nom, la page d'accueil."),
    "port": (
        "Port on the loopback; the next free one where it is taken.",
        "Port sur la boucle locale ; le premier libre ensuite s'il est pris.",
    ),
    "no_browser": ("Print the address and open no browser.", "Afficher l'adresse sans ouvrir de navigateur."),
    "export": (
        "Write the labs as still HTML pages into this folder, and stop.",
        "Écrire les TP en pages HTML figées dans ce dossier, et s'arrêter.",
    ),
    "jupyter": (
        "Write the labs as Jupyter notebooks into this folder, and stop.",
        "Écrire les TP en carnets Jupyter dans ce dossier, et s'arrêter.",
    ),
    "marimo": (
        "Write the labs as marimo notebooks into this folder, and stop; each is a script too.",
        "Écrire les TP en carnets marimo dans ce dossier, et s'arrêter ; chacun est aussi un script.",
    ),
    "class": (
        "Write a folder for a class, and stop: handouts (HTML and PDF), notebooks, exercises with checks, solutions.",
        "Écrire un dossier pour une classe, et s'arrêter : feuilles (HTML et PDF), carnets, exercices vérifiés, corrigés.",
    ),
    "list": ("List the labs, and stop.", "Lister les TP, et s'arrêter."),
    "taken": ("port {asked} is in use; taking {taken}.", "le port {asked} est pris ; on prend le {taken}."),
    "open": ("The labs are at {where}\nStop with Ctrl-C.", "Les TP sont à l'adresse {where}\nArrêter avec Ctrl-C."),
}
words = Catalogue(WORDS)


def command(
    name: Annotated[str | None, typer.Argument(help=words("name"), show_default=False)] = None,
    port: Annotated[int | None, typer.Option(help=words("port"), min=1, max=65535, show_default="2718")] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help=words("no_browser"))] = False,
    export: Annotated[Path | None, typer.Option(help=words("export"), show_default=False)] = None,
    jupyter: Annotated[Path | None, typer.Option(help=words("jupyter"), show_default=False)] = None,
    marimo: Annotated[Path | None, typer.Option(help=words("marimo"), show_default=False)] = None,
    classroom: Annotated[Path | None, typer.Option("--class", help=words("class"), show_default=False)] = None,
    listing: Annotated[bool, typer.Option("--list", help=words("list"))] = False,
    force: Force = False,
    lang: Lang = "en",
    quiet: Quiet = False,
) -> None:
    """Serve, export or list."""
    from epee.labs.catalogue import IDS, lab

    chosen = [lab(name).id] if name else list(IDS)
    if listing:
        for each in chosen:
            typer.echo(f"{each:16} {lab(each).question(options.language)}")
        return
    if classroom is not None:
        from epee.labs.machinery.classroom import write_class

        for path in write_class(classroom, chosen, force, options.language):
            typer.echo(str(path))
        return
    if export is not None or jupyter is not None or marimo is not None:
        from epee.labs.machinery.jupyter import write_notebooks
        from epee.labs.machinery.notebooks import write_marimo
        from epee.labs.machinery.still_pages import write_pages

        ways: tuple[tuple[Any, Any], ...] = ((export, write_pages), (jupyter, write_notebooks), (marimo, write_marimo))
        for folder, write in ways:
            if folder is not None:
                for path in write(folder, chosen, force):
                    typer.echo(str(path))
        return
    _serve(name, port, no_browser, quiet)


def _serve(name: str | None, port: int | None, no_browser: bool, quiet: bool) -> None:
    from epee.labs.server import PORT, bind, serve

    listener = bind(port)
    at, asked = listener.getsockname()[1], port or PORT
    if at != asked and not quiet:
        print(words("taken", asked=str(asked), taken=str(at)), file=sys.stderr)

    def started(address: str) -> None:
        where = address.replace("/?", f"/lab/{name}/?" if name else "/?") + f"&lang={options.language}"
        typer.echo(where if quiet else words("open", where=where))
        if not no_browser:
            import webbrowser

            webbrowser.open(where)

    with listener:
        serve(listener, started=started)
