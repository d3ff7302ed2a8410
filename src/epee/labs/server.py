"""One small server on the loopback: the home page, and every lab as a marimo application behind one guard.

No network: marimo's pages, fonts and scripts come from the installed package, and the guard's policy forbids anything else.
"""

from __future__ import annotations

import asyncio
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
from epee.labs.machinery.notebooks import write_marimo

PORT, TRIES = 2718, 20


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


def bind(port: int | None = None) -> socket.socket:
    """Return a listening socket of the loopback: at ``port`` or, where it is taken, at one of the next ones.

    >>> with bind() as taken:
    ...     with bind(taken.getsockname()[1]) as following:
    ...         following.getsockname()[1] > taken.getsockname()[1]
    True
    """
    first = PORT if port is None else port
    for number in range(first, min(first + TRIES, 65536)):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", number))
            listener.listen(64)
        except OSError as error:
            listener.close()
            if isinstance(error, PermissionError):
                raise
            continue
        return listener
    last = min(first + TRIES, 65536) - 1
    raise OSError(f"the ports {first} to {last} are all in use. Give another with --port.")


def serve(listener: socket.socket, *, token: str | None = None, started: Any = None) -> None:
    """Serve the labs until interrupted; ``started(address)`` is called once they answer."""
    _marimo()
    import uvicorn

    port = listener.getsockname()[1]
    token = token or secrets.token_urlsafe(24)
    settings = uvicorn.Config(
        application(port, token),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(settings)

    async def run() -> None:
        task = asyncio.create_task(server.serve(sockets=[listener]))
        while not (server.started or task.done()):
            await asyncio.sleep(0.02)
        if started is not None and server.started:
            started(f"http://127.0.0.1:{port}/?token={token}")
        await task

    asyncio.run(run())
