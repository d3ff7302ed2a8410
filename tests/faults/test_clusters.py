"""What happens to a cluster of Spark, with real processes: the same digits, or an error that says what to do, in time.

Each runs in a process of its own, which may lose its Java. The same list for Dask is in tests/faults/test_dask.py.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import textwrap
from pathlib import Path

from tests.faults.corpus import slow
from tests.sparks import need_spark

pytestmark = slow
ROOT = Path(__file__).parents[2]
BEGIN = """
import os, signal, sys, threading, time
sys.path.insert(0, {root!r})
import numpy as np, pyarrow as pa
from epee.engines.spark_engine import SparkEngine
from epee.errors import EngineLost
from epee.moments.passes import Summation
from epee.table.doors import open_source
from tests.sparks import cut, start

table = pa.table({{name: np.random.default_rng(j).normal(size=800) for j, name in enumerate("abc")}})

def above(pid, steps):
    for _ in range(steps):
        with open(f"/proc/{{pid}}/stat") as f:
            pid = int(f.read().rpartition(")")[2].split()[1])
    return pid
"""


def run(code, *words, seconds=900):  # on a machine that may be busy
    """Run a script with the beginning above; return what it printed."""
    need_spark()
    script = BEGIN.format(root=str(ROOT)) + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, *words], capture_output=True, text=True, timeout=seconds, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_an_executor_killed_in_the_middle_of_a_pass_changes_no_digit(tmp_path):
    said = run(
        """
        session = start("local-cluster[2,1,1024]", **{"spark.executor.memory": "1g"})
        source = open_source(cut(session, table, [50] * 16))
        keep, value = Summation(source.origin, "full"), float(table["a"][433].as_py())

        def deadly(block, marker):
            if (block.X[:, 0] == value).any():
                try:
                    os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    pass
                else:
                    os.kill(above(os.getpid(), 2), signal.SIGKILL)  # a worker of a daemon of the executor
                    time.sleep(30)
            return keep(block)

        before = SparkEngine().reduce(source, keep)
        with source.held() as kept:  # of which the lost executor held some
            for k, rows in enumerate((source, kept)):
                marker = sys.argv[1] + str(k)
                after = SparkEngine().reduce(rows, lambda block: deadly(block, marker))
                assert os.path.exists(marker) and after.count == before.count == 800
                assert (after.scatter == before.scatter).all() and (after.shift == before.shift).all()
        print("the same")
        """,
        str(tmp_path / "killed"),
    )
    assert said.endswith("the same\n")


def test_a_cluster_without_executors_is_an_error_within_its_timeout():
    said = run("""
        session = start("local-cluster[1,1,1024]", **{"spark.executor.cores": "2"})  # more than any worker has
        begin = time.monotonic()
        try:
            SparkEngine(session, timeout=5.0).reduce(open_source(table), len)
        except EngineLost as fault:
            print(f"{time.monotonic() - begin:.0f} s: {fault}")
        """)
    assert "no executor of Spark has worked for 5 s" in said and float(said.split()[0]) < 60


def test_a_driver_that_dies_is_an_error_at_once():
    said = run("""
        session = start("local[2]")
        source = open_source(cut(session, table, [100] * 8))

        def slowly(block):
            time.sleep(3)
            return len(block)

        java = session.sparkContext._gateway.proc.pid
        threading.Timer(4.0, lambda: os.kill(java, signal.SIGKILL)).start()
        begin = time.monotonic()
        try:
            SparkEngine(timeout=10.0).reduce(source, slowly)
        except EngineLost as fault:
            print(f"{time.monotonic() - begin:.0f} s: {fault}")
            os._exit(0)  # there is no driver left to say goodbye to
        """)
    assert "the driver of Spark is gone" in said and float(said.split()[0]) < 60


SERVER = """
plugin = "org.apache.spark.sql.connect.SparkConnectPlugin"
session = start("local[2]", **{"spark.plugins": plugin, "spark.connect.grpc.binding.port": sys.argv[1]})
print(session.sparkContext._gateway.proc.pid, flush=True)
time.sleep(600)
"""
CLIENT = """
import epee
from epee import KMeans, LinearRegression
from epee.risk import cross_validate
from pyspark.sql import SparkSession

java, port = map(int, sys.argv[1:3])
session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
frame = cut(session, table, [300, 0, 1, 499])
X, y = np.column_stack([table["a"], table["b"]]), table["c"].to_numpy()
assert np.allclose(LinearRegression().fit(frame, "c").coef_, LinearRegression().fit(X, y).coef_, rtol=1e-10)
there, here = cross_validate(LinearRegression(), frame, "c", folds=5), cross_validate(LinearRegression(), X, y, folds=5)
assert np.allclose(there.per_fold, here.per_fold, rtol=1e-9)
centres = [KMeans(2, init=X[:2], max_iter=2, tol=0).fit(data).cluster_centers_ for data in (frame.select("a", "b"), X)]
assert np.allclose(*centres, rtol=1e-8)
with epee.engine(f"sc://127.0.0.1:{port}") as engine:
    assert engine.reduce(open_source(table), len) == 800
print("the same", flush=True)

def slowly(block):
    time.sleep(3)
    return len(block)

session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
source = open_source(cut(session, table, [100] * 8))
threading.Timer(4.0, lambda: os.kill(java, signal.SIGKILL)).start()
begin = time.monotonic()
try:
    SparkEngine(timeout=8.0).reduce(source, slowly)
except EngineLost as fault:
    print(f"{time.monotonic() - begin:.0f} s: {fault}", flush=True)
    os._exit(0)
"""


def test_spark_connect_gives_the_same_and_a_server_that_dies_is_an_error_within_its_timeout():
    need_spark()
    script = BEGIN.format(root=str(ROOT)) + SERVER
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    words = [sys.executable, "-W", "ignore", "-c", script, port]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        try:
            said = run(CLIENT, server.stdout.readline().strip(), port).splitlines()
        finally:
            server.kill()
    assert said[0] == "the same" and float(said[1].split()[0]) < 60
    assert "no executor of Spark has worked for 8 s" in said[1] or "the driver of Spark is gone" in said[1]
