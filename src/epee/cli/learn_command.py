"""``epee learn``: from a table to a predictor, its error and how sure one can be."""

from __future__ import annotations

from errno import ENOENT
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from epee.cli.faults import INCONCLUSIVE
from epee.cli.phrases import say
from epee.cli.shared_options import Force, Json, Lang, Memory, NoColor, Quiet, load_lean, silence
from epee.errors import WrongUse
from epee.estimator.registry import keys

SAMPLE = "penguins"


def command(
    table: Annotated[str | None, typer.Argument(help=say("table"), show_default=False)] = None,
    target: Annotated[
        list[str] | None, typer.Option("--target", "-t", help=say("target"), show_default=False, metavar="COLUMN")
    ] = None,
    test_size: Annotated[float, typer.Option(help=say("test_size"), metavar="SHARE")] = 0.2,
    folds: Annotated[int, typer.Option(help=say("folds"), metavar="N")] = 10,
    weight: Annotated[str | None, typer.Option(help=say("weight"), show_default=False, metavar="COLUMN")] = None,
    groups: Annotated[str | None, typer.Option(help=say("groups"), show_default=False, metavar="COLUMN")] = None,
    time: Annotated[str | None, typer.Option(help=say("time"), show_default=False, metavar="COLUMN")] = None,
    lags: Annotated[
        list[str] | None, typer.Option(help=say("lags"), show_default=False, metavar="1,7|COLUMN=1,7")
    ] = None,
    gap: Annotated[int, typer.Option(help=say("gap"), metavar="N")] = 0,
    rare: Annotated[str, typer.Option(help=say("rare"), metavar="leave|join")] = "leave",
    kind: Annotated[
        list[str] | None, typer.Option("--type", help=say("type"), show_default=False, metavar="COLUMN=KIND")
    ] = None,
    types_file: Annotated[Path | None, typer.Option(help=say("types_file"), show_default=False, metavar="FILE")] = None,
    costs: Annotated[Path | None, typer.Option(help=say("costs"), show_default=False, metavar="FILE")] = None,
    reject_cost: Annotated[
        float | None, typer.Option(help=say("reject_cost"), show_default=False, metavar="COST")
    ] = None,
    predictor: Annotated[
        list[str] | None,
        typer.Option(
            "--predictor",
            "-p",
            help=say("predictor", keys=", ".join(keys())),
            show_default=False,
            metavar="NAME",
        ),
    ] = None,
    budget: Annotated[str | None, typer.Option(help=say("budget"), show_default=False, metavar="TIME")] = None,
    prefer: Annotated[str, typer.Option(help=say("prefer"), metavar="simplicity|balance|accuracy")] = "balance",
    loss: Annotated[str | None, typer.Option(help=say("loss"), show_default=False, metavar="NAME")] = None,
    engine: Annotated[str, typer.Option(help=say("engine"), metavar="local|dask|spark|ADDRESS")] = "local",
    level: Annotated[float, typer.Option(help=say("level"), metavar="SHARE")] = 0.95,
    seed: Annotated[int, typer.Option(help=say("seed"), metavar="N")] = 0,
    mute: Annotated[
        list[str] | None, typer.Option("--mute", help=say("mute"), show_default=False, metavar="CODE")
    ] = None,
    refit: Annotated[bool, typer.Option("--refit", help=say("refit"))] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=say("output"), show_default=False, metavar="FILE")
    ] = None,
    report: Annotated[Path | None, typer.Option(help=say("report"), show_default=False, metavar="FILE")] = None,
    force: Force = False,
    no_save: Annotated[bool, typer.Option("--no-save", help=say("no_save"))] = False,
    require_conclusive: Annotated[bool, typer.Option("--require-conclusive", help=say("require_conclusive"))] = False,
    schema: Annotated[bool, typer.Option("--schema", help=say("schema"))] = False,
    memory: Memory = None,
    json: Json = False,
    lang: Lang = "en",
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> int:
    """Parse, learn, print, save."""
    if schema:
        from epee.job.result_schema import schema_text

        typer.echo(schema_text())
        return 0
    load_lean()
    import epee
    from epee.cli.terminal import console, tell
    from epee.job.kinds import parse_kinds, read_kinds
    from epee.job.lags import parse_lags
    from epee.job.writing import check_places, is_bundle, is_page
    from epee.table.named_files import files_named
    from epee.words import job_words

    data, goal = _table(table, target, quiet)
    output, report = _places(table, output, report, no_save)
    for given in (costs, types_file):
        if given is not None and not given.exists():
            raise FileNotFoundError(ENOENT, f"there is no file {str(given)!r}; look at its name and folder")
    read: list[Any] = [*files_named(data), *filter(None, (costs, types_file))]
    check_places([(output, is_bundle), (report, is_page)], read, force)  # before the work, not after it
    kinds = {**(read_kinds(str(types_file)) if types_file else {}), **parse_kinds(kind or [])}
    with silence(quiet, memory, board=True), epee.engine(engine):
        learned = epee.learn(
            data, goal, test_size=test_size, folds=folds, predictors=predictor or None, costs=str(costs) if costs else None,
            reject_cost=reject_cost, weight=weight, groups=groups, time=time, lags=parse_lags(lags or []), gap=gap, rare=rare,
            types=kinds or None, budget=budget, prefer=prefer, loss=loss, level=level,
            lang=epee.options.language,  # --lang may stand before the command too
            random_state=seed, refit=refit, mute=mute or (),
        )  # fmt: skip
    tell(learned.notes, quiet)
    if json:
        typer.echo(learned.to_json())
    else:
        from epee.report.board import show

        show(learned.card, console(no_color))
    if output is not None:
        learned.save(output)
        tell([job_words.say("saved", path=output)], quiet or json)
        tell([job_words.say("saved_guest", name=learned.guest)] if learned.guest else [], quiet)
    if report is not None:
        learned.report(report)
        tell([job_words.say("reported", path=report)], quiet or json)
    if output is not None:
        trust = " --trust" if learned.guest else ""
        tell([job_words.say("next", path=as_argument(output) + trust)], quiet or json)
    return INCONCLUSIVE if require_conclusive and not learned.conclusive else 0


def as_argument(path: Path) -> str:
    """Return a path as one types it in a shell, where it could be taken for an option too.

    >>> as_argument(Path("-odd name.epee"))
    "'./-odd name.epee'"
    """
    text = f"./{path}" if str(path).startswith("-") else str(path)
    if text.isprintable():
        return quote(text)
    shown = (c if c.isprintable() and c != "\\" else c.encode("unicode_escape").decode() for c in text)
    return "$'" + "".join(shown).replace("'", "\\'") + "'"


def _table(table: str | None, target: list[str] | None, quiet: bool) -> tuple[Any, Any]:
    """Return the table and its target; without a table, a sample."""
    goal: Any = None if not target else target[0] if len(target) == 1 else target
    if table is not None:
        if goal is None:
            raise WrongUse(say("no_target"))
        return table, goal
    import epee
    from epee.cli.terminal import tell
    from epee.words import job_words

    about = epee.samples.describe(SAMPLE)
    tell([job_words.say("sample_table", name=SAMPLE, about=about.about)], quiet)
    return str(epee.samples.path(SAMPLE)), goal or about.target


def _places(
    table: str | None, output: Path | None, report: Path | None, no_save: bool
) -> tuple[Path | None, Path | None]:
    """Return where to write: as asked; for a file, under its name in the current folder."""
    if no_save:
        if output is not None:
            raise WrongUse("--no-save and --output contradict one another; give one of them.")
        return None, report
    from epee.table.query import is_query

    if output is None and table not in (None, "-") and not is_query(str(table)):
        name = (
            Path(str(table).rpartition("::")[2] if "://" in str(table) else str(table)).name.split("*")[0].strip("._")
            or "table"
        )
        stem = name.split(".")[0] or "table"
        output = Path(f"{stem}.epee")
        if report is None and find_spec("epee.report.html"):
            report = Path(f"{stem}.html")
    return output, report
