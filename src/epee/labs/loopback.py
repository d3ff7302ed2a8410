"""A listening socket of the loopback, and an application served there until it is interrupted."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

PORT, TRIES = 2718, 20


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


def run(application: Any, listener: socket.socket, token: str, started: Any = None) -> None:
    """Serve an ASGI application; ``started(address)`` is called once it answers."""
    import uvicorn

    settings = uvicorn.Config(
        application, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2
    )
    server = uvicorn.Server(settings)

    async def serving() -> None:
        task = asyncio.create_task(server.serve(sockets=[listener]))
        while not (server.started or task.done()):
            await asyncio.sleep(0.02)
        if started is not None and server.started:
            started(f"http://127.0.0.1:{listener.getsockname()[1]}/?token={token}")
        await task

    asyncio.run(serving())
