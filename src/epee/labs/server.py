"""One small server on the loopback: the home page, and every lab as a marimo application behind one guard.

No network: marimo's pages, fonts and scripts come from the installed package, and the guard's policy forbids anything else.
"""

from __future__ import annotations

import inspect
import secrets
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import Any

from epee.labs.catalogue import IDS
from epee.labs.guard import Guard
from epee.labs.home import home_page
from epee.labs.loopback import PORT, bind, run
from epee.labs.machinery.notebooks import write_marimo


def application(port: int, token: str) -> Any:
    """Return the ASGI application of the labs, guarded."""
    marimo = _marimo()
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import HTMLResponse
    from starlette.routing import Mount, Route

    async def home(request: Request) -> HTMLResponse:
        lang = request.query_params.get("lang", "en")
        return HTMLResponse(home_page("fr" if lang == "fr" else "en"))

    folder = TemporaryDirectory(prefix="epee-labs-")  # marimo wants a file for each of its applications
    builder = marimo.create_asgi_app(quiet=True, include_code=False)
    for name, path in zip(IDS, write_marimo(folder.name), strict=True):
        builder = builder.with_app(path=f"/{name}", root=str(path))
    labs = builder.build()

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        yield
        await close_sessions(labs)
        folder.cleanup()

    return Guard(Starlette(routes=[Route("/", home), Mount("/lab", labs)], lifespan=life), port, token)


async def close_sessions(labs: Any) -> None:
    """End the sessions of marimo: each keeps a thread that would outlive the server, and mounted applications are not told."""
    for route in labs.routes:
        manager = getattr(getattr(getattr(route, "app", None), "state", None), "session_manager", None)
        if manager is not None:
            done = manager.shutdown()
            if inspect.isawaitable(done):  # as marimo's version has it
                await done


def _marimo() -> Any:
    missing = [name for name in ("marimo", "zmq") if find_spec(name) is None]
    if missing:
        raise OSError(f"the labs need {' and '.join(missing)}, which are not installed: pip install 'epee[labs]'.")
    import marimo

    return marimo


def serve(listener: socket.socket, *, token: str | None = None, started: Any = None) -> None:
    """Serve the labs until interrupted; ``started(address)`` is called once they answer."""
    token = token or secrets.token_urlsafe(24)
    run(application(listener.getsockname()[1], token), listener, token, started)


__all__ = ["PORT", "application", "bind", "serve"]
