"""Reading ahead changes nothing but the time."""

from __future__ import annotations

import threading

import pytest

from epee.table.prefetch import ahead


def test_order_and_end():
    assert list(ahead(lambda: iter(range(100)), depth=3)) == list(range(100))


def test_a_fault_reaches_the_reader():
    def broken():
        yield 1
        raise ValueError("broken")

    read = ahead(broken)
    assert next(read) == 1
    with pytest.raises(ValueError, match="broken"):
        next(read)


def test_never_far_ahead():
    made = []

    def items():
        for k in range(50):
            made.append(k)
            yield k

    for k in ahead(items, depth=2):
        assert len(made) <= k + 5


def test_leaving_early_stops_the_thread_and_closes_the_file():
    closed = threading.Event()

    def endless():
        try:
            while True:
                yield 0
        finally:
            closed.set()

    read = ahead(endless)
    next(read)
    read.close()
    assert closed.wait(2)
    assert not [t for t in threading.enumerate() if t.name == "epee-read-ahead"]
