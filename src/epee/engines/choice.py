"""Which engine adds: the one asked for by ``with epee.engine(...)``, else the one that fits the data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from epee.engines.local import LocalEngine
from epee.errors import WrongUse

LOCAL = LocalEngine()
_asked: ContextVar[Any] = ContextVar("epee_engine", default=None)


@contextmanager
def engine(which: Any) -> Iterator[Any]:
    """Choose who adds for the length of a ``with`` block.

    Parameters
    ----------
    which : {"local", "dask"} or a Dask client
        ``"local"`` is threads over blocks; ``"dask"`` the default client, or a local cluster when there is none.

    Examples
    --------
    >>> with engine("local") as e:
    ...     e.name
    'local'
    """
    token = _asked.set(_make(which))
    try:
        yield _asked.get()
    finally:
        _asked.reset(token)


def _make(which: Any) -> Any:
    if which == "local":
        return LOCAL
    if which == "dask" or type(which).__module__.startswith("distributed"):
        from epee.engines.dask_engine import DaskEngine

        return DaskEngine(None if which == "dask" else which)
    if hasattr(which, "reduce") and hasattr(which, "map"):
        return which
    raise WrongUse(f"engine {which!r} is not one of 'local', 'dask' or a Dask client.")


def engine_for(source: Any) -> Any:
    """Return the engine that adds the blocks of this source."""
    chosen = _asked.get()
    if chosen is not None:
        return chosen
    return _make("dask") if getattr(source, "is_dask", False) else LOCAL
