"""Which engine adds: the one asked for by ``with epee.engine(...)``, else the one that fits the data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from epee.engines.engine import Engine, make_engine
from epee.engines.local import LOCAL
from epee.errors import WrongUse
from epee.table.parts import BlockSource

__all__ = ["LOCAL", "engine", "engine_for", "is_address", "sent"]
_asked: ContextVar[Engine | None] = ContextVar("epee_engine", default=None)


@contextmanager
def engine(which: Any) -> Iterator[Engine]:
    """Choose who adds for the length of a ``with`` block.

    Parameters
    ----------
    which : {"local", "dask", "spark", "cuda", "auto"} or another name, address, a Dask client, a Spark session or an engine
        ``"local"`` is threads over blocks; ``"dask"`` the default client, or, when there is none, a cluster on this machine
        with a process for each core; ``"spark"`` the active session, or one on this machine; ``"tcp://host:8786"`` the cluster of
        that Dask scheduler, ``"spark://host:7077"`` that of a Spark master and ``"sc://host:15002"`` that of a Spark Connect
        server; ``"cuda"`` the graphics card, an error where there is none; ``"auto"`` the card where there is one with memory
        enough, else the CPU, which is said once. Other packages may add names.

    Examples
    --------
    >>> with engine("local") as e:
    ...     e.name
    'local'
    """
    opened = _connect(which) if is_address(which) else None
    token = _asked.set(_make(which if opened is None else opened))
    try:
        chosen = _asked.get()
        assert chosen is not None
        yield chosen
    finally:
        _asked.reset(token)
        if opened is not None:
            opened.stop() if is_session(opened) else opened.close(timeout=5)


def is_address(which: Any) -> bool:
    """Tell whether a text is the address of a scheduler.

    >>> is_address("tcp://10.0.0.1:8786"), is_address("10.0.0.1:8786"), is_address("dask")
    (True, True, False)
    """
    return isinstance(which, str) and ("://" in which or which.rpartition(":")[2].isdigit())


def is_session(which: Any) -> bool:
    """Tell a Spark session, without importing PySpark."""
    return type(which).__module__.startswith("pyspark.") and type(which).__name__ == "SparkSession"


def _connect(address: str) -> Any:
    if address.startswith(("spark://", "sc://")):
        from epee.engines.spark_engine import connect

        return connect(address)
    from distributed import Client

    try:
        return Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as fault:
        raise WrongUse(f"no Dask scheduler answers at {address!r}: start one there, or correct the address.") from fault


def _make(which: Any) -> Engine:
    if isinstance(which, str):
        return make_engine(which)
    if type(which).__module__.startswith("distributed"):
        from epee.engines.dask_engine import DaskEngine

        return DaskEngine(which)
    if is_session(which):
        from epee.engines.spark_engine import SparkEngine

        return SparkEngine(which)
    if isinstance(which, Engine):
        return which
    raise WrongUse(
        f"engine {which!r} is not one of 'local', 'dask', 'spark', 'cuda', 'auto', the address of a scheduler, a Dask client or a "
        "Spark session."
    )


def engine_for(source: Any) -> Engine:
    """Return the engine that adds the blocks of this source: the one asked for, else that of the source's home.

    A Dask collection goes to the default client; without one, to threads of this process, since a script that did not
    ask for processes may not be able to start any. A Spark frame goes to its own session.
    """
    chosen = _asked.get()
    home = source.home if isinstance(source, BlockSource) else "local"
    if chosen is not None and not (chosen is LOCAL and home == "device"):
        return chosen
    return LOCAL if home == "local" else make_engine(home, at_home=True)


def sent(X: Any) -> Any:
    """Return an array where the engine asked for wants it: on its device, if it has one and the table fits there.

    >>> sent([[1.0]])
    [[1.0]]
    """
    send = getattr(_asked.get(), "sent", None)
    return X if send is None else send(X)
