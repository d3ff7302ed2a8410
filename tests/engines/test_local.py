"""Threads over blocks: the same answer, in order, in bounded memory."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import epee
from epee.engines.choice import engine_for
from epee.engines.local import LocalEngine, in_order, one_blas_thread, tree
from epee.errors import WrongUse
from epee.settings import options
from epee.table.arrays import ArraySource


def test_results_come_in_order_and_few_are_held():
    running, most, lock = 0, 0, threading.Lock()

    def items():
        yield from range(50)

    def work(i):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        result = i * i
        with lock:
            running -= 1
        return result

    with options(threads=3):
        assert list(in_order(work, items())) == [i * i for i in range(50)]
    assert most <= 3


def test_tree_shape_depends_on_the_number_of_parts_alone():
    assert tree("abcdefg", lambda a, b: f"({a}{b})") == "(((ab)(cd))((ef)g))"
    with pytest.raises(ValueError, match="0 sample"):
        tree([], max)


def test_a_failing_block_stops_the_pass():
    source = ArraySource(np.zeros((10_000, 1)))

    def work(block):
        if block.start > 0:
            raise RuntimeError("block")
        return 0

    with options(threads=2), pytest.raises(RuntimeError, match="block"):
        LocalEngine().reduce(source, work)


def test_a_reduction_inside_a_worker_does_not_wait_for_itself():
    source = ArraySource(np.ones((20_000, 1)))
    engine = LocalEngine()

    def inner(block):
        return float(block.X.sum())

    with options(threads=2):
        total = engine.reduce(source, lambda block: engine.reduce(ArraySource(block.X), inner, rows=100))
    assert total == 20_000


def test_blas_threads_are_restored():
    from threadpoolctl import threadpool_info

    np.ones((2, 2)) @ np.ones((2, 2))
    before = [i["num_threads"] for i in threadpool_info() if i["user_api"] == "blas"]
    with one_blas_thread():
        assert all(i["num_threads"] == 1 for i in threadpool_info() if i["user_api"] == "blas")
    assert [i["num_threads"] for i in threadpool_info() if i["user_api"] == "blas"] == before


def blas_threads():
    from threadpoolctl import threadpool_info

    return [i["num_threads"] for i in threadpool_info() if i["user_api"] == "blas"]


def test_blas_threads_come_back_when_blocks_overlap():
    """Two generators that end in the order in which they began, and two threads that do."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        first, second = in_order(abs, range(9)), in_order(abs, range(9))
        next(first), next(second)
        list(first)
        assert set(blas_threads()) == {1}
        list(second)
        assert blas_threads() == before

        inside, go_on = threading.Event(), threading.Event()

        def hold():
            with one_blas_thread():
                inside.set()
                go_on.wait(10)

        other = threading.Thread(target=hold)
        other.start()
        inside.wait(10)
        with one_blas_thread():
            go_on.set()
            other.join()
            assert set(blas_threads()) == {1}
        assert blas_threads() == before


def test_the_engine_is_chosen_by_with():
    with epee.engine("local") as chosen:
        assert engine_for(None) is chosen
    with pytest.raises(WrongUse, match="'local', 'dask'"), epee.engine("gpu"):
        pass
