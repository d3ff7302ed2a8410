"""The protocol of engines: the one of the documentation fulfils it, and is found by its name."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import epee
from epee.engines import engine as engines
from epee.engines.choice import LOCAL, engine_for
from epee.engines.dask_engine import DaskEngine
from epee.engines.engine import Engine, make_engine
from epee.errors import DataError, WrongUse
from epee.moments.passes import Summation, reduce_source
from epee.risk import cross_validate
from epee.table.arrays import ArraySource
from epee.table.parts import BlockSource
from epee.table.source import as_source

PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"
N = 900


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, N)
    return rng.normal(size=(N, 4)) + y[:, None], np.array(["u", "v", "w"])[y]


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    """Return the engine that the documentation shows, as a package would have it."""
    code = re.search(r":name: pool-engine\n\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL).group(1)
    assert len(code.splitlines()) <= 60
    folder = tmp_path_factory.mktemp("package")
    (folder / "pool_engine.py").write_text(code, encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        engine = importlib.import_module("pool_engine").PoolEngine(2)
        yield engine
        engine.close()
    finally:
        sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def path(rows, tmp_path_factory):
    X, labels = rows
    path = tmp_path_factory.mktemp("pool") / "t.parquet"
    pq.write_table(pa.table({n: X[:, j] for j, n in enumerate("abcd")} | {"label": labels}), path, row_group_size=100)
    return path


def first_cell(block):
    return block.start, float(block.X[0, 0])


def fail(block):
    raise ZeroDivisionError("no luck")


def test_they_are_engines(pool):
    assert isinstance(pool, Engine) and isinstance(LOCAL, Engine)
    assert all(hasattr(DaskEngine, name) for name in ("name", "reduce", "map"))
    assert not isinstance(object(), Engine)


def test_a_pool_of_processes_gives_the_same(pool, path, rows, monkeypatch):
    X, labels = rows
    local = epee.LinearDiscriminantAnalysis().fit(X, labels)
    here = cross_validate(epee.LinearDiscriminantAnalysis(), X, labels, folds=5)
    with epee.engine(pool) as chosen:
        assert chosen is pool and engine_for(ArraySource(X)) is pool
        for data in ((path, "label"), (X, labels)):
            ours = epee.LinearDiscriminantAnalysis().fit(*data)
            np.testing.assert_allclose(ours.moments_.scatter, local.moments_.scatter, rtol=1e-12)
        there = cross_validate(epee.LinearDiscriminantAnalysis(), path, "label", folds=5)
        source = as_source(path, "label", columns=list("abcd"))
        found = list(pool.map(source, first_cell, rows=64))
        with pytest.raises(ZeroDivisionError, match=r"rows 0 to \d+: no luck"):
            pool.reduce(source, fail)
        with pytest.raises(DataError, match="0 sample"):
            pool.reduce(ArraySource(np.zeros((0, 2))), len)
    np.testing.assert_allclose(there.per_fold, here.per_fold, rtol=1e-9)
    assert found[0] == (0, X[0, 0]) and [x for _, x in found] == [X[start, 0] for start, _ in found]


class Entry:
    name = "pool"

    def __init__(self, made):
        self._made = made

    def load(self):
        return lambda: self._made


class AtThePool(ArraySource):
    home = "pool"


def test_engines_of_other_packages(pool, monkeypatch, rows):
    X, _ = rows
    with pytest.raises(WrongUse, match="engine 'pool' is not one of 'local', 'dask'"):
        make_engine("pool")
    monkeypatch.setattr(engines, "entry_points", lambda group: [Entry(pool)] if group == "epee.engines" else [])
    assert make_engine("pool") is pool
    with epee.engine("pool") as chosen:
        assert chosen is pool
    assert engine_for(AtThePool(X)) is pool
    m = reduce_source(AtThePool(X), Summation(np.zeros(4), "full"))
    np.testing.assert_allclose(m.mean, X.mean(axis=0), rtol=1e-12)
    with pytest.raises(WrongUse, match="engine 'spool' is not one of 'local', 'dask', .*'pool'"):
        make_engine("spool")


def test_what_is_no_engine(rows):
    with pytest.raises(WrongUse, match=r"engine 3 is not one of 'local'"), epee.engine(3):
        pass
    assert engine_for(object()) is LOCAL and engine_for(BlockSource()) is LOCAL
