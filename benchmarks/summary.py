"""Put the table of the promised figures into the README, between ``<!-- speed -->`` and ``<!-- /speed -->``.

Every problem with a claim is in it, kept or not; the rest is in ``benchmarks/results``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.machine import in_words
from benchmarks.record import RESULTS, Record, claim_of, duration, load, ratio, size, table_row

README = Path(__file__).resolve().parent.parent / "README.md"


def summary(records: list[Record]) -> str:
    """Return the Markdown table of the claims."""
    lines = ["| problem | ours | against | ratio [quartiles] | asked |", "|---|---|---|---|---|"]
    for record in records:
        head, own = record["name"], duration(record["seconds"])
        for name, claim in record["claims"].items():
            other = {**record["rivals"], **record["limits"]}.get(name)
            if other is not None:
                seen = ratio(other) + (" faster" if name in record["rivals"] else " slower")
            else:
                seen = "not measured" if claim["seen"] is None else _figure(name, claim["seen"])
            lines.append(table_row(head, own, name, seen, claim_of(record, name)))
            head = own = ""
    lines += ["", *sorted({in_words(record["machine"]) for record in records})[-1:]]
    return "\n".join(lines)


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


def main() -> int:
    """Rewrite the README."""
    names = sorted(path.stem for path in RESULTS.glob("*.jsonl"))
    records = [record for name in names for record in load(name) if record["claims"]]
    README.write_text(put(README.read_text(encoding="utf-8"), "speed", summary(records)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
