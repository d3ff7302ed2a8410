r"""In which order the rows of a Spark frame come, read from its plan.

A frame is a plan, and each pass makes its rows anew. Rows that are read, filtered or computed where they lie come in the same
order each time: that of the partitions, and in each that of its rows. A shuffle (a join, a group, a repartition) hands
them over as they arrive, in another order each time. Behind one, the rows have an order only if they were sorted since by
columns that tell them apart; and as the bounds between sorted partitions are drawn from a sample, the sorted frame must be kept,
``persist()``, for its partitions to be the same at each pass.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

from epee.errors import DataError

# nodes of a plan that hand the rows of their one child on in order
STRAIGHT = {
    "Project", "Filter", "ColumnarToRow", "RowToColumnar", "AdaptiveSparkPlan", "InMemoryTableScan", "InMemoryRelation",
    "ShuffleQueryStage", "TableCacheQueryStage", "ResultQueryStage", "AQEShuffleRead", "MapInArrow", "MapInPandas",
    "ArrowEvalPython", "BatchEvalPython", "Sample", "==",
}  # fmt: skip
SHUFFLES = {"Exchange", "CollectLimit", "CollectTail", "GlobalLimit", "TakeOrderedAndProject"}


@dataclass(frozen=True)
class Order:
    """What the plan says: the shuffle whose order is not stable, or None; and the keys by which all rows were sorted since, if they were.

    ``kept`` says that the sorted rows are persisted.
    """

    shuffle: str | None = None
    keys: tuple[str, ...] | None = None
    kept: bool = False


def order_of(plan: str) -> Order:
    r"""Return in which order the rows of a physical plan come.

    >>> order_of("*(1) Filter (a#0 > 1)\n+- *(1) Range (0, 9, step=1, splits=2)")
    Order(shuffle=None, keys=None, kept=False)
    >>> order_of("Sort [a#0L ASC NULLS FIRST], true, 0\n+- Exchange rangepartitioning(a#0L ASC NULLS FIRST, 9)").keys
    ('a',)
    """
    nodes = _nodes(plan)
    shuffle = next((text for name, text in nodes if name in SHUFFLES or "JDBC" in text), None)
    if shuffle is None:
        return Order()
    kept = False
    for name, text in nodes:
        kept = kept or name == "InMemoryRelation"
        if name in STRAIGHT:
            continue
        by = re.match(r"Sort \[(.*)\], true", text) or re.match(r"TakeOrderedAndProject\(.*orderBy=\[(.*?)\]", text)
        return Order(shuffle, None if by is None else _keys(by[1]), kept)
    return Order(shuffle)


def _nodes(plan: str) -> list[tuple[str, str]]:
    """Return the nodes of a plan, from the top: name and line."""
    found = []
    for line in plan.splitlines():
        text = re.sub(r"^[\s:+\-]*(?:\*\s?\(\d+\)\s*)?", "", line)
        name = re.match(r"\w+|==", text)
        if name and text != "== Physical Plan ==":
            found.append((name[0], text))
    return found


def _keys(written: str) -> tuple[str, ...] | None:
    """Return the columns in the keys of a sort; None where one is an expression.

    >>> _keys("town#3 ASC NULLS FIRST, id#1L DESC NULLS LAST"), _keys("(a#3 + 1) ASC NULLS FIRST")
    (('town', 'id'), None)
    """
    parts = re.split(r"(?<=FIRST|.LAST), ", written)
    names = [re.fullmatch(r"(.+)#\d+L? (?:ASC|DESC) NULLS \w+", part) for part in parts]
    return tuple(name[1] for name in names if name) if all(names) and "(" not in written else None


def plan_of(frame: Any) -> str:
    """Return the physical plan of a frame in words."""
    with redirect_stdout(io.StringIO()) as said:
        frame.explain()
    return said.getvalue()


def order_holds(order: Order, columns: Sequence[str]) -> bool:
    """Tell whether rows come in the same order at each pass: no shuffle, or sorted since and kept.

    >>> order_holds(Order("Exchange", ("a",), kept=True), ["a", "b"]), order_holds(Order("Exchange"), ["a"])
    (True, False)
    """
    return order.shuffle is None or bool(order.keys and order.kept and set(order.keys) <= set(columns))


def refuse_unordered(order: Order, columns: Sequence[str]) -> None:
    """Say what to sort by where the rows of a frame come in no order that holds."""
    if order.shuffle is None or order_holds(order, columns):
        return
    if order.keys and set(order.keys) <= set(columns):
        by = ", ".join(map(repr, order.keys))
        raise DataError(
            f"the Spark frame is sorted by {by} anew at each pass, and its partitions begin elsewhere each time: keep it, df.persist(), so "
            "that rows stay in their folds."
        )
    grouped = re.search(r"hashpartitioning\((.*), \d+\)", order.shuffle)
    known = [name for name in re.findall(r"([^\s,(]+)#\d+", grouped[1] if grouped else "") if name in columns]
    by = ", ".join(map(repr, known or list(columns)[:1]))
    raise DataError(
        f"the rows of the Spark frame come out of a shuffle ({order.shuffle.partition('(')[0].strip()}), in another order at each pass, so "
        f"they would change their folds: sort them by columns that tell them apart and keep them, df.orderBy({by}).persist(), or write "
        "them to Parquet and read that."
    )
