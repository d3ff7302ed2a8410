"""In which order the rows of a Spark plan come; plans as Spark 4.3 writes them."""

from __future__ import annotations

import pytest

from epee.errors import DataError
from epee.table.spark_order import order_of, refuse_unordered

READ = """== Physical Plan ==
*(1) Filter (isnotnull(a#0) AND (a#0 > 1.0))
+- *(1) ColumnarToRow
   +- FileScan parquet [a#0,Exchange#1] Batched: true, DataFilters: [isnotnull(a#0)], Format: Parquet
"""
SORTED = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- Sort [town#3 ASC NULLS FIRST, id#1L DESC NULLS LAST], true, 0
   +- Exchange rangepartitioning(town#3 ASC NULLS FIRST, id#1L DESC NULLS LAST, 200), ENSURE_REQUIREMENTS, [plan_id=7]
      +- FileScan parquet [id#1L,town#3]
"""
KEPT = """== Physical Plan ==
InMemoryTableScan [id#1L, town#3]
   +- InMemoryRelation [id#1L, town#3], StorageLevel(disk, memory, deserialized, 1 replicas)
         +- AdaptiveSparkPlan isFinalPlan=true
            +- == Final Plan ==
               ResultQueryStage 1
               +- *(2) Sort [id#1L ASC NULLS FIRST], true, 0
                  +- AQEShuffleRead coalesced
                     +- ShuffleQueryStage 0
                        +- Exchange rangepartitioning(id#1L ASC NULLS FIRST, 2), ENSURE_REQUIREMENTS, [plan_id=8]
                           +- *(1) Range (0, 9, step=1, splits=2)
            +- == Initial Plan ==
               Sort [id#1L ASC NULLS FIRST], true, 0
               +- Exchange rangepartitioning(id#1L ASC NULLS FIRST, 2), ENSURE_REQUIREMENTS, [plan_id=6]
                  +- Range (0, 9, step=1, splits=2)
"""
JOINED = """== Physical Plan ==
*(2) Project [a#0, b#5]
+- *(2) BroadcastHashJoin [id#1L], [id#4L], Inner, BuildRight, false
   :- *(2) Range (0, 9, step=1, splits=2)
   +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, bigint, false]),false), [plan_id=9]
      +- *(1) Range (0, 9, step=1, splits=2)
"""
SORTED_BELOW = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- SortMergeJoin [id#1L], [id#4L], Inner
   :- Sort [id#1L ASC NULLS FIRST], false, 0
   :  +- Exchange hashpartitioning(id#1L, 200), ENSURE_REQUIREMENTS, [plan_id=5]
   :     +- Range (0, 9, step=1, splits=2)
   +- Sort [id#4L ASC NULLS FIRST], false, 0
      +- Exchange hashpartitioning(id#4L, 200), ENSURE_REQUIREMENTS, [plan_id=6]
         +- Range (0, 9, step=1, splits=2)
"""


@pytest.mark.parametrize("plan", [READ, KEPT, JOINED], ids=["read", "sorted and kept", "joined to a small table"])
def test_orders_that_hold(plan):
    refuse_unordered(order_of(plan), ["id", "town"])


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (SORTED, r"sorted by 'town', 'id' anew at each pass.*df.persist\(\)"),
        (KEPT.replace("id#1L ASC", "(id#1L + 1) ASC"), r"come out of a shuffle"),
        (KEPT.replace("id#1L ASC", "gone#1L ASC"), r"come out of a shuffle"),
        (SORTED_BELOW, r"\(Exchange hashpartitioning\).*orderBy\('id'\).persist\(\)"),
        ("CollectLimit 5\n+- FileScan parquet [id#1L]", r"\(CollectLimit 5\).*orderBy\('id'\)"),
        ("*(1) Scan JDBCRelation(t) [numPartitions=1] [id#1L]", r"orderBy\('id'\)"),
    ],
    ids=["sorted", "by an expression", "by a column that is gone", "joined", "limit", "database"],
)
def test_orders_that_do_not_hold(plan, words):
    with pytest.raises(DataError, match=words):
        refuse_unordered(order_of(plan), ["id", "town"])
