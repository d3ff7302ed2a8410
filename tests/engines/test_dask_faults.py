"""What goes wrong on a cluster, with real processes: the same digits, or an error that says what to do."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest

from epee.engines.choice import engine
from epee.engines.dask_engine import DaskEngine, EngineLost
from epee.errors import BadFile
from epee.moments.passes import Summation
from epee.table.arrays import ArraySource
from epee.table.doors import open_source

N = 800


@pytest.fixture(scope="module")
def client():
    import dask
    from distributed import Client, LocalCluster

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1, "distributed.admin.tick.limit": "60s"}),
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit="800MB", dashboard_address=":0", silence_logs=50
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("parts") / "t.parquet"
    pd.DataFrame(rng.normal(size=(N, 3)), columns=list("abc")).to_parquet(path, row_group_size=50)
    return path


class Deadly:
    """Moments of a block; the first process to reach row 400 of the file is killed there, once."""

    def __init__(self, keep, marker, row):
        self.keep, self.marker, self.row = keep, marker, row

    def __call__(self, block):
        if block.start <= self.row < block.start + len(block):
            try:
                os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return self.keep(block)


@pytest.mark.long
def test_a_worker_killed_in_the_middle_of_a_pass_changes_no_digit(client, path, tmp_path):
    source = open_source(path)
    keep = Summation(source.origin, "full")
    dask = DaskEngine(client)
    before = dask.reduce(source, keep)
    marker = tmp_path / "killed"
    after = dask.reduce(source, Deadly(keep, str(marker), 400))
    assert marker.exists()
    assert after.count == N  # no row twice
    for name in ("shift", "scatter"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))


def hopeless(block):
    """Fail at row 400, however often it is tried."""
    if block.start <= 400 < block.start + len(block):
        raise ZeroDivisionError("no luck")
    return len(block)


def test_a_task_that_always_fails_is_reported_with_its_part(client, path):
    source = open_source(path)
    parts = list(source.parts(DaskEngine(client)._wanted(), None, True))
    label = next(part.label for part in parts if part.start <= 400 < part.start + part.rows)
    with pytest.raises(ZeroDivisionError, match=f"^{re.escape(label)}: no luck"):
        DaskEngine(client).reduce(source, hopeless)


def test_a_file_that_changes_under_the_workers_is_named(client, tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": np.arange(100.0)}).to_parquet(path)
    source = open_source(path)
    pd.DataFrame({"a": np.arange(90.0)}).to_parquet(path)
    with pytest.raises(BadFile, match="changed or removed"):
        DaskEngine(client).reduce(source, len)


def slowly(block):
    """Take long enough for the scheduler to die meanwhile."""
    time.sleep(1.0)
    return len(block)


def test_a_scheduler_that_dies_gives_an_error_within_its_timeout(tmp_path):
    from distributed import Client

    where = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    run = [
        sys.executable,
        "-m",
        "distributed.cli.dask_scheduler",
        "--port",
        "0",
        "--no-dashboard",
        "--host",
        "127.0.0.1",
    ]
    scheduler = subprocess.Popen([*run, "--scheduler-file", str(where)], **quiet)
    worker = None
    try:
        end = time.monotonic() + 30
        while not where.exists() and time.monotonic() < end:
            time.sleep(0.1)
        worker = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(where), "--no-nanny", "--nthreads", "1",
             "--no-dashboard", "--death-timeout", "5"], **quiet,
        )  # fmt: skip
        client = Client(scheduler_file=str(where), timeout="20s", set_as_default=False)
        try:
            client.wait_for_workers(1, timeout=30)
            threading.Timer(1.5, scheduler.kill).start()
            start = time.monotonic()
            with pytest.raises(EngineLost, match="scheduler"):
                DaskEngine(client, timeout=3.0).reduce(ArraySource(np.zeros((64, 1))), slowly, rows=1)
            assert time.monotonic() - start < 20
        finally:
            client.close(timeout=1)
    finally:
        for process in (worker, scheduler):
            if process is not None:
                process.kill()
                process.wait()


def test_an_address_is_an_engine(client, path):
    with engine(client.scheduler.address) as there:
        assert there.reduce(open_source(path), len) == N


def greedy(block):
    """Take far more memory than the worker may, and hold it until the nanny looks."""
    held = np.ones(130_000_000)  # 1 GB
    time.sleep(3)
    return float(held[0]) * len(block)


@pytest.mark.skipif("EPEE_FAULTS" not in os.environ, reason="kills workers by their memory: make faults runs it")
def test_a_worker_over_its_memory_gives_the_answer_or_an_error(client):
    try:
        assert DaskEngine(client).reduce(ArraySource(np.zeros((3, 1))), greedy) == 3
    except EngineLost as fault:
        if "by its memory" not in str(fault):
            raise
