"""Put the promised figures on the site, and ten of them into the README, between ``<!-- speed -->`` and ``<!-- /speed -->``.

``docs/speed.md`` has every problem with a claim, kept or not; the rest is in ``benchmarks/results``. The README has one line for
each way to spend an afternoon, among them one that is not won.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.machine import in_words
from benchmarks.record import RESULTS, Record, claim_of, duration, load, ratio, size, table_row

ROOT = Path(__file__).resolve().parent.parent
README, PAGE = ROOT / "README.md", ROOT / "docs" / "speed.md"
HEADLINES = (  # file of the results, start of the problem's name, start of the rival's name
    ("risk.cross_validation", "Ridge, 100 penalties x 10 folds, 200,000", "GridSearchCV, scikit-learn"),
    ("risk.cross_validation", "10-fold CV of LinearDiscriminantAnalysis", "cross_val_score"),
    ("risk.cross_validation", "leave-one-out of least squares", "LeaveOneOut"),
    ("regression.linear", "LinearRegression fit", "scikit-learn"),
    ("linear.descent", "logistic L2, 200,000 x 50", "lbfgs"),
    ("trees.trees", "classification tree, 100,000 x 20, 5 classes", "scikit-learn"),
    ("neighbours.knn", "kNN classification, 100,000 x 10", "SciPy cKDTree"),
    ("mixtures.mixtures", "GaussianMixture full, 100,000 x 20, 10 components", "scikit-learn"),
    ("clusters.kmeans", "KMeans 200,000 x 20, k = 50, 20 passes, float32, no clouds", "scikit-learn"),
    ("job.learn", "learn, default run, three classes", "seconds"),
)
HEAD = ["| problem | ours | against | ratio [quartiles] | asked |", "|---|---|---|---|---|"]


def rows(record: Record, only: str = "") -> list[str]:
    """Return the lines of a problem, one for each of its claims, or for those that begin with ``only``."""
    lines, head, own = [], record["name"], duration(record["seconds"])
    for name, claim in record["claims"].items():
        if not name.startswith(only):
            continue
        other = {**record["rivals"], **record["limits"]}.get(name)
        if other is not None:
            seen = ratio(other) + (" faster" if name in record["rivals"] else " slower")
        else:
            seen = "not measured" if claim["seen"] is None else _figure(name, claim["seen"])
        lines.append(table_row(head, own, name, seen, claim_of(record, name)))
        head = own = ""
    return lines


def summary(records: list[Record]) -> str:
    """Return the Markdown table of the claims of some problems."""
    return "\n".join([*HEAD, *(line for record in records for line in rows(record))])


def headlines(results: dict[str, list[Record]]) -> str:
    """Return the table of the README; a headline whose problem is gone is an error."""
    lines = list(HEAD)
    for name, problem, rival in HEADLINES:
        found = [record for record in results.get(name, []) if record["name"].startswith(problem)]
        if not found or not (line := rows(found[0], rival)[:1]):
            raise ValueError(
                f"benchmarks/results has no {problem!r} against {rival!r} in {name}; choose another headline."
            )
        lines += line
    return "\n".join(lines)


def everything(results: dict[str, list[Record]]) -> str:
    """Return the tables of the site, one for each file of results."""
    return "\n\n".join(f"### {name}\n\n{summary(records)}" for name, records in results.items())


def machine(results: dict[str, list[Record]]) -> str:
    """Return the machine of the latest results."""
    return sorted({in_words(record["machine"]) for records in results.values() for record in records})[-1]


def put(text: str, marker: str, content: str) -> str:
    r"""Return ``text`` with what stands between ``<!-- marker -->`` and ``<!-- /marker -->`` replaced.

    >>> put("a <!-- x --> old <!-- /x --> b", "x", "new")
    'a <!-- x -->\nnew\n<!-- /x --> b'
    """
    begin, end = f"<!-- {marker} -->", f"<!-- /{marker} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"the text needs one {begin} and one {end}.")
    before, rest = text.split(begin)
    return f"{before}{begin}\n{content}\n{end}{rest.split(end)[1]}"


def _figure(name: str, seen: float) -> str:
    return duration(seen) if name == "seconds" else size(seen * 1e6)


def claimed() -> dict[str, list[Record]]:
    """Return the problems with claims, by the name of their file."""
    found = {
        name: [r for r in load(name) if r.get("claims")]
        for name in sorted(path.stem for path in RESULTS.glob("*.jsonl"))
    }
    return {name: records for name, records in found.items() if records}


def main() -> int:
    """Rewrite the README and the page of the site."""
    results = claimed()
    for path, content in ((README, headlines(results)), (PAGE, everything(results))):
        text = put(path.read_text(encoding="utf-8"), "speed", f"{content}\n\n{machine(results)}")
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
