"""One Spark session for all tests, and tables as frames with partitions of given sizes."""

from __future__ import annotations

import os
import shutil
import sys
from itertools import pairwise

import numpy as np
import pytest

from epee.table.spark_jobs import in_arrow

SPARK = pytest.mark.xdist_group("spark")  # one worker, so one Java process


def need_spark():
    """Skip where Spark cannot run, and say why."""
    pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'epee[spark]'")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("there is no Java here, which Spark needs: install a runtime of version 17 or later")


def start(master="local[2,2]", **settings):
    """Return a small, quiet session."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    quiet = {
        "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1", "spark.driver.memory": "1g", "spark.log.level": "OFF",
        "spark.python.unix.domain.socket.enabled": "false", "spark.sql.session.timeZone": "UTC",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", "spark.sql.codegen.wholeStage": "false",
    }  # fmt: skip
    builder = SparkSession.builder.master(master).appName("epee tests")
    for name, value in {**quiet, **settings}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def cut(session, table, sizes):
    """Return an Arrow table as a Spark frame with partitions of these sizes, made where they lie."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import from_arrow_schema

    ends = np.cumsum([0, *sizes])
    assert ends[-1] == table.num_rows
    parts = []
    for start, end in pairwise(ends):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table.slice(start, end - start))
        parts.append(sink.getvalue().to_pybytes())

    def make(batches):
        for batch in batches:
            for k in batch.column(0).to_pylist():
                yield from pa.ipc.open_stream(parts[k])

    n = len(sizes)
    return in_arrow(session.range(0, n, 1, n), make, from_arrow_schema(table.schema))
