"""The tables that ship with the package: what they hold, where they come from and under which licence."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from epee.errors import WrongUse


@dataclass(frozen=True)
class Sample:
    """One table: its file, the usual target, a sentence, its origin and its licence."""

    name: str
    target: str | None
    about: str
    origin: str
    licence: str


SAMPLES = {
    sample.name: sample
    for sample in (
        Sample(
            "penguins", "species", "344 penguins of three species: sizes, island, sex, year; some cells are missing.",
            "Horst, Hill and Gorman, palmerpenguins (2020); Gorman, Williams and Fraser, PLoS ONE 9(3) (2014).", "CC0",
        ),
        Sample(
            "iris", "species", "150 flowers of three species: lengths and widths of sepals and petals.",
            "Fisher, Annals of Eugenics 7 (1936); as corrected in scikit-learn.", "public domain (scikit-learn: BSD-3)",
        ),
        Sample(
            "wine", "cultivar", "178 wines of three cultivars: thirteen chemical measurements.",
            "Forina et al., PARVUS (1988), UCI; from scikit-learn.", "CC BY 4.0 (scikit-learn: BSD-3)",
        ),
        Sample(
            "diabetes", "progression", "442 patients: age, sex, body mass, blood pressure, six serum values; progression a year later.",
            "Efron, Hastie, Johnstone and Tibshirani, Annals of Statistics 32 (2004); from scikit-learn.", "BSD-3",
        ),
        Sample(
            "faithful", None, "272 eruptions of the Old Faithful geyser: duration and waiting time, in minutes.",
            "Azzalini and Bowman, Applied Statistics 39 (1990).", "published facts, as in R's datasets",
        ),
        Sample(
            "cars", "dist", "50 cars of the 1920s: speed (mph) and stopping distance (feet).",
            "Ezekiel, Methods of Correlation Analysis (1930).", "published facts, as in R's datasets",
        ),
        Sample(
            "usarrests", None, "50 states of the USA in 1973: arrests per 100,000 for three crimes, share of town dwellers.",
            "McNeil, Interactive Data Analysis (1977).", "published facts, as in R's datasets",
        ),
        Sample(
            "digits", "digit", "1,797 handwritten digits: 64 grey levels from 0 to 16, one for each pixel of an 8 x 8 image.",
            "Alpaydin and Kaynak, Optical Recognition of Handwritten Digits (1998), UCI; the test half, from scikit-learn.",
            "CC BY 4.0 (scikit-learn: BSD-3)",
        ),
    )
}  # fmt: skip


def names() -> list[str]:
    """Return the names of the embedded tables.

    >>> "penguins" in names()
    True
    """
    return list(SAMPLES)


def describe(name: str) -> Sample:
    """Return what a sample holds, with its origin and licence.

    Parameters
    ----------
    name : str
        One of ``names()``.

    Examples
    --------
    >>> describe("cars").licence
    "published facts, as in R's datasets"
    """
    if name not in SAMPLES:
        raise WrongUse(f"there is no sample {name!r}; there are {', '.join(SAMPLES)}.")
    return SAMPLES[name]


def path(name: str) -> Path:
    """Return the CSV file of a sample, for the command line; the largest is compressed.

    Parameters
    ----------
    name : str
        One of ``names()``.

    Examples
    --------
    >>> path("iris").name
    'iris.csv'
    """
    stem = Path(str(resources.files("epee.samples") / "data" / describe(name).name))
    plain = stem.with_name(stem.name + ".csv")
    return plain if plain.exists() else plain.with_name(plain.name + ".gz")


def load(name: str) -> Any:
    """Return an embedded table: a pandas frame where pandas is installed, an Arrow table where it is not.

    Parameters
    ----------
    name : str
        One of ``names()``.

    Examples
    --------
    >>> load("iris").shape
    (150, 5)
    """
    from importlib.util import find_spec

    from pyarrow import csv

    table = csv.read_csv(
        path(name), convert_options=csv.ConvertOptions(null_values=["NA", ""], strings_can_be_null=True)
    )
    return table.to_pandas() if find_spec("pandas") else table
