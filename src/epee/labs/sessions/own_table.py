r"""Your own table: bring a file, name the column to predict, and read the verdict.

The file goes from the browser to this machine's loopback and no further; it is kept in memory, learned from in a temporary folder, and forgotten.
"""

from __future__ import annotations

import hashlib
import html
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.figures.style import COLOURS, INK, whiskers
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, State, Upload
from epee.labs.machinery.words import blocks, in_language, shown
from epee.words.catalogue import Words, plural

LIMIT = 20_000_000  # bytes
NAMES = ("penguins", "iris", "wine", "diabetes", "cars")
BUDGETS = {
    "5": Words("about 5 seconds", "environ 5 secondes"),
    "30": Words("about 30 seconds", "environ 30 secondes"),
    "none": Words("no limit", "sans limite"),
}


def table_path(state: State, folder: str) -> Path:
    """Return the file to learn from: the one that was brought, written to a folder, or a sample's."""
    if state.get("file"):
        name, content = state["file"]
        if len(content) > LIMIT:
            raise WrongUse(
                f"the file has {len(content)} bytes; the lab takes {LIMIT} at most. Use `epee learn` for more."
            )
        ending = Path(name).suffix.lower()
        path = Path(folder) / f"table{ending if ending in ENDINGS else '.csv'}"  # the brought name never becomes a path
        path.write_bytes(content)
        return path
    from epee import samples

    return samples.path(state["sample"])


ENDINGS = (".csv", ".tsv", ".txt", ".parquet")


def columns(state: State) -> dict[str, Words]:
    """Return the columns of the table, the likeliest target first."""
    from epee import samples

    try:
        names = names_of(state)
    except (DataError, WrongUse, OSError, ValueError):
        return {}
    usual = None if state.get("file") else samples.describe(state["sample"]).target
    first = usual if usual in names else names[-1]
    return {name: Words(name, name) for name in [first, *(n for n in names if n != first)]}


def names_of(state: State) -> list[str]:
    """Return the names of the columns."""
    from epee.table.files import open_path

    with tempfile.TemporaryDirectory() as folder:
        return list(open_path(str(table_path(state, folder))).fields.names)


class Held:
    """A state that does not take part in the comparison of cached calls."""

    def __init__(self, state: State) -> None:
        self.state = state

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=8)
def learned(key: str, lang: str, holder: Held) -> tuple[Any, str | None]:
    """Return what was learned, and the report as HTML where there is one; ``key`` stands for the file and the choices."""
    import epee

    with tempfile.TemporaryDirectory() as folder:
        state = holder.state
        budget = None if state["budget"] == "none" else float(state["budget"])
        found = epee.learn(str(table_path(state, folder)), state["target"], budget=budget, lang=lang)
        try:
            page = found.report(Path(folder) / "report.html").read_text(encoding="utf-8")
        except ImportError:
            page = None
    return found, page


def compute(state: State) -> Results:
    name = state["file"][0] if state.get("file") else state["sample"]
    r = Results(name=str(name), found=None, page=None, fault=None, offered=[])
    r.offered = list(columns(state))
    if state.get("target") not in r.offered:
        state = state | {"target": r.offered[0] if r.offered else None}
    r.target = state["target"]
    if not r.offered:
        r.fault = _fault(state)
        return r
    brought = hashlib.sha256(state["file"][1]).hexdigest() if state.get("file") else state["sample"]
    key = f"{brought} {r.target} {state['budget']}"
    if state.get("go"):
        DONE.add((key, state.get("lang", "en")))
    if (key, state.get("lang", "en")) not in DONE:
        return r
    try:
        r.found, r.page = learned(key, state.get("lang", "en"), Held(state))
    except (DataError, WrongUse, OSError, ValueError) as error:
        r.fault = str(error)
        DONE.discard((key, state.get("lang", "en")))
        return r
    r.board = r.found.card["leaderboard"]
    r.chosen = next(line for line in r.board if line["chosen"])
    r.base = r.board[0]
    r.risk = r.found.risk
    return r


DONE: set[tuple[str, str]] = set()  # what the button was pressed for: moving elsewhere and back does not ask again


def _fault(state: State) -> str:
    try:
        names_of(state)
    except (DataError, WrongUse, OSError, ValueError) as error:
        return str(error)
    return "the table has no columns."


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    if r.found is None:
        return []
    ax = panel(
        size=(6.4, 0.42 * len(r.board) + 1.3), xlabel=("erreur, intervalle à 95 %" if fr else "error, 95 % interval")
    )
    for i, line in enumerate(r.board):
        whiskers(ax, line["value"], line["low"], line["high"], i, COLOURS[1] if line["chosen"] else COLOURS[0])
    whiskers(ax, r.risk.value, r.risk.low, r.risk.high, len(r.board), INK)
    names = [line["name"] for line in r.board] + ["test scellé" if fr else "sealed test"]
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlim(min(0, ax.get_xlim()[0]), None)
    ax.axvline(r.chosen["value"], color=COLOURS[1], lw=0.8, ls=":")
    return [ax.figure]


def formula(r: Results) -> Words:
    if r.found is None:
        line = blocks(r"EPE(h) = E\,[L(Y, h(X))]")
        return Words(
            "What will be estimated, with an interval:\n\n" + line,
            "Ce qui sera estimé, avec un intervalle :\n\n" + line,
        )
    lines = blocks(
        rf"CV = {shown(r.chosen['value'])} \pm {shown(r.chosen['stderr'], 2)}",
        rf"EPE_{{test}} = {shown(r.risk.value)}, \qquad [{shown(max(r.risk.low, 0))},\ {shown(r.risk.high)}]",
    )
    return Words(
        f"For **{r.chosen['name']}**, by cross-validation and then once on the sealed rows:\n\n{lines}",
        f"Pour **{r.chosen['name']}**, par validation croisée puis une seule fois sur les lignes scellées :\n\n{lines}",
    )


def answer(r: Results) -> Words:
    if r.fault:
        return Words(f"**This table cannot be used:** {r.fault}", f"**Cette table ne peut pas servir :** {r.fault}")
    if r.found is None:
        return Words(
            f"{len(r.offered)} {plural(len(r.offered), 'column', 'columns', 'en')} in **{r.name}**; `{r.target}` is to be predicted. Press *Learn*.",
            f"{len(r.offered)} {plural(len(r.offered), 'colonne', 'colonnes', 'fr')} dans **{r.name}** ; `{r.target}` est à prédire. Appuyer sur *Apprendre*.",
        )
    return Words(r.found.verdict, r.found.verdict)


def extra(r: Results, lang: str) -> str:
    if r.found is None:
        return ""
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in r.found.notes)
    heading = "Comment la table a été comprise" if lang == "fr" else "How the table was taken"
    out = f'<div class="lab-table"><h3>{heading}</h3><ul>{notes}</ul></div>'
    if r.page:
        title = "Le rapport" if lang == "fr" else "The report"
        out += f'<iframe class="lab-report" title="{title}" sandbox="" srcdoc="{html.escape(r.page, quote=True)}"></iframe>'
    return out


def code(state: State) -> str:
    target = state.get("target") or "y"
    if state.get("file"):
        where = f'"my_table.csv", {target!r}'
    else:
        where = f'epee.samples.load("{state["sample"]}"), {target!r}'
    t = in_language(state)
    budget = "" if state["budget"] == "none" else f", budget={state['budget']}"
    lang = ', lang="fr"' if state.get("lang") == "fr" else ""
    return f"""import epee

learned = epee.learn({where}{budget}{lang})
print(learned)  # {t("the leaderboard and the verdict", "le classement et le verdict")}
learned.save("predictor.epee")  # {t("runs no code when it is loaded", "n'exécute aucun code quand on le relit")}
"""


LAB = Lab(
    id="own_table",
    title=Words("Your own table", "Votre propre table"),
    question=Words("What can be predicted from your table, and how surely?", "Que peut-on prédire à partir de votre table, et avec quelle certitude ?"),
    story=Words(
        "Drop a CSV or Parquet file (20 MB at most), or take a sample. The predictors meet on the same folds, the simplest within one standard error of the best is chosen, and sealed rows judge it once. The file stays on this machine and is forgotten.",
        "Déposer un fichier CSV ou Parquet (20 Mo au plus), ou prendre un exemple. Les prédicteurs s'affrontent sur les mêmes plis, le plus simple à un écart-type du meilleur est choisi, et des lignes scellées le jugent une fois. Le fichier reste sur cette machine et est oublié.",
    ),
    controls=(
        Upload("file", Words("your table (CSV, Parquet)", "votre table (CSV, Parquet)"), LIMIT, ENDINGS),
        Choice("sample", Words("or a sample", "ou un exemple"), {name: Words(name, name) for name in NAMES}, "penguins"),
        Choice("budget", Words("time", "durée"), BUDGETS, "5"),
        Choice("target", Words("column to predict", "colonne à prédire"), columns),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, waits=True, extra=extra,
    exercises=(
        Pick(Words("The sealed rows may be looked at…", "Les lignes scellées peuvent être regardées…"),
             {"once": Words("once, at the very end", "une fois, tout à la fin"), "often": Words("as often as one likes", "aussi souvent qu'on veut"), "choose": Words("to choose the predictor", "pour choisir le prédicteur")}, "once",
             Words("What would a choice made on them do to their verdict?", "Que ferait un choix fondé sur elles à leur verdict ?"),
             Words("Right: each look spends some of their honesty.", "Juste : chaque regard use un peu de leur honnêteté.")),
        Goal(Words("Learn from a table, and find the chosen predictor better than the baseline.", "Apprendre d'une table, et trouver le prédicteur choisi meilleur que la référence."),
             lambda r: r.found is not None and r.chosen["value"] < r.base["value"],
             Words("Press the button, and wait for the picture.", "Appuyer sur le bouton, et attendre la figure."), lambda r: {"sample": "iris", "target": "species", "go": True},
             Words("Right. How much better, with its error bar, is in the verdict.", "Juste. De combien, avec sa barre d'erreur, c'est dans le verdict.")),
        Number(Words("A test error of 0.10 on 400 sealed rows: what is its standard error?", "Une erreur de test de 0.10 sur 400 lignes scellées : quel est son écart-type ?"),
               lambda r: np.sqrt(0.1 * 0.9 / 400), Words(r"$\sqrt{p(1-p)/n}$", r"$\sqrt{p(1-p)/n}$"),
               Words("Right: 1.5 points, so differences of a point are not shown.", "Juste : 1.5 point, une différence d'un point n'est donc pas montrée.")),
    ),
)  # fmt: skip
