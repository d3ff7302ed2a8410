"""The server of the workbench: Starlette's routes behind the guard of the labs, one session a page.

Answers are parts of the page that htmx puts in their place; what happens meanwhile comes through a stream of server-sent events.
Nothing is loaded from elsewhere: the policy of the page forbids it.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from epee.errors import WrongUse
from epee.labs.guard import Guard
from epee.labs.loopback import run
from epee.report.html import stylesheet
from epee.settings import options
from epee.words.numbers import figures
from epee.words.workbench_words import say
from epee.workbench import actions, pages
from epee.workbench.crew import Fault, warm
from epee.workbench.sessions import Session, Sessions

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
MOST = 1_000_000_000  # bytes that a page may send; a larger file is read where it lies
KINDS = {".css": "text/css", ".js": "text/javascript"}
BEAT = 15.0  # seconds between two signs of life on a quiet stream
Handler = Callable[[Any, Session], Awaitable[Any]]


def application(port: int, token: str, table: str | None = None, rows: str | None = None, trusted: bool = False) -> Any:
    """Return the guarded ASGI application; new pages open ``table`` (or predict ``rows`` with it, where it is a saved predictor).

    Where they are ``trusted`` they may name modules, and open saved predictors of other libraries: both run code.
    """
    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise OSError(
            f"the workbench needs {' and '.join(missing)}, not installed here: pip install 'epee[workbench]'."
        )
    from starlette.applications import Starlette
    from starlette.datastructures import ImmutableMultiDict
    from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
    from starlette.routing import Route

    sessions = Sessions()

    def of_session(handler: Handler) -> Callable[[Any], Awaitable[Any]]:
        async def handle(request: Any) -> Any:
            session = sessions.all.get(request.path_params["id"])
            if session is None:
                return PlainTextResponse(say("no_session"), 404)
            return await handler(request, session)

        return handle

    async def home(request: Any) -> Any:
        session = sessions.new("fr" if request.query_params.get("lang") == "fr" else "en")
        session.rows, session.trusted = rows, trusted
        return RedirectResponse(f"/s/{session.id}/", 303)

    async def page(request: Any) -> Any:
        session = sessions.all.get(request.path_params["id"])
        if session is None:
            return RedirectResponse("/?" + str(request.query_params), 303)
        if request.query_params.get("lang") in ("en", "fr"):
            session.lang = request.query_params["lang"]
        fresh = session.card is None and session.model is None and not session.faults
        return HTMLResponse(pages.shell(session, table if fresh else None, MOST))

    async def events(request: Any, session: Session) -> Any:
        queue = sessions.listen(session)

        async def stream() -> AsyncIterator[str]:
            try:
                yield "retry: 1000\n\n"
                while True:
                    try:
                        text = await asyncio.wait_for(queue.get(), BEAT)
                        yield "event: parts\n" + "".join(f"data: {line}\n" for line in text.splitlines()) + "\n"
                    except TimeoutError:
                        yield ": here\n\n"
            finally:
                sessions.leave(session, queue)

        return StreamingResponse(stream(), media_type="text/event-stream", headers={"cache-control": "no-store"})

    def action(work: Callable[[Session, Any], Awaitable[str]]) -> Handler:
        async def handle(request: Any, session: Session) -> Any:
            form = request.query_params
            if request.method == "POST":
                form = ImmutableMultiDict(parse_qsl((await request.body()).decode(), keep_blank_values=True))
            return HTMLResponse(await work(session, form))

        return handle

    async def bring(request: Any, session: Session) -> Any:
        """Take a file from the browser, then do with it what the page asks: open it, or predict its rows."""
        work = {"open": actions.open_table, "predict": actions.predict}[request.path_params["then"]]
        part = "table" if request.path_params["then"] == "open" else "predict"
        try:
            name = await receive(request, session)
        except WrongUse as fault:
            session.faults = {part: str(fault)}
            return HTMLResponse(actions.faulted(session, part))
        form = {"table": name, "threshold": unquote(request.headers.get("x-threshold", ""))}
        return HTMLResponse(await work(session, form, brought=True))

    async def save(request: Any, session: Session) -> Any:
        try:
            body, kind = await actions.saved(session, request.path_params["name"])
        except Fault as fault:
            return PlainTextResponse(str(fault), 404)
        return Response(body, media_type=kind, headers={"content-disposition": "attachment"})

    async def static(request: Any) -> Any:
        path = request.path_params["path"]
        if path == "report.css":
            return Response(str(stylesheet()), media_type="text/css")
        file = FILES.get(path)
        return Response(file[0], media_type=file[1]) if file else PlainTextResponse("", 404)

    @asynccontextmanager
    async def life(app: Any) -> AsyncIterator[None]:
        warming = asyncio.get_running_loop().create_task(asyncio.to_thread(warm))
        yield
        warming.cancel()
        await sessions.close()

    posts = {
        "open": actions.open_table, "role": actions.role, "kind": actions.kind, "question": actions.question, "learn": actions.learn,
        "stop": actions.stop, "explore": actions.explore, "what-if": actions.what_if, "predict": actions.predict,
    }  # fmt: skip
    gets = {"look": actions.look, "rows": actions.rows, "first": actions.first, "columns": actions.columns}
    routes = [
        Route("/", home), Route("/static/{path:path}", static), Route("/s/{id}/", page), Route("/s/{id}/events", of_session(events)),
        Route("/s/{id}/bring/{then}", of_session(bring), methods=["POST"]), Route("/s/{id}/save/{name}", of_session(save)),
        *(Route(f"/s/{{id}}/{name}", of_session(action(work)), methods=["POST"]) for name, work in posts.items()),
        *(Route(f"/s/{{id}}/{name}", of_session(action(work))) for name, work in gets.items()),
    ]  # fmt: skip
    return Guard(Starlette(routes=routes, lifespan=life), port, token, POLICY)


async def receive(request: Any, session: Session) -> str:
    """Write the body of a request to the folder of a session, and return the name it has there."""
    name = plain_name(unquote(request.headers.get("x-name", "")))
    size = max(
        int(request.headers.get(header) or 0) for header in ("content-length", "x-size")
    )  # a heavy file is not sent at all
    with options(language=session.lang):
        heavy = WrongUse(say("too_heavy", size=in_gigabytes(size), most=in_gigabytes(MOST)))
    if size > MOST:
        raise heavy
    place, seen = Path(session.folder) / name, 0
    with open(place, "wb") as out:
        async for part in request.stream():
            seen += len(part)
            if seen > MOST:
                raise heavy
            out.write(part)
    return name


def plain_name(given: str) -> str:
    """Return a name that is no path, hidden file or option.

    >>> plain_name("../../-odd name.csv"), plain_name("été.csv"), plain_name("")
    ('odd name.csv', 'été.csv', 'table.csv')
    """
    name = re.sub(r"[\x00-\x1f\x7f*?\[\]'\"]", "_", given.replace("\\", "/").rpartition("/")[2]).lstrip(".- ")
    return name[-150:] or "table.csv"


def in_gigabytes(size: int) -> str:
    """Return a size for people."""
    return f"{figures(size / 1e9, 2)} Go" if options.language == "fr" else f"{figures(size / 1e9, 2)} GB"


def _files() -> dict[str, tuple[bytes, str]]:
    """Return what the page loads, by name: nothing else can be asked for."""
    room = resources.files("epee.workbench") / "page"
    names = ["workbench.css", "workbench.js", "vendored/htmx.min.js", "vendored/htmx-sse.min.js"]
    return {name: ((room / name).read_bytes(), KINDS[Path(name).suffix]) for name in names}


FILES = _files()


def serve(
    listener: Any, *, table: str | None = None, rows: str | None = None, trusted: bool = False, started: Any = None
) -> None:
    """Serve the workbench until interrupted; ``started(address)`` is called once it answers."""
    token = secrets.token_urlsafe(24)
    run(application(listener.getsockname()[1], token, table, rows, trusted), listener, token, started)
