"""The server of the workbench: who may speak to it, what the command says, what a name may be."""

import asyncio

import pytest

from epee.cli.app import run
from epee.workbench import server
from epee.workbench.sessions import Sessions


def ask(app, path, headers=None, method="GET"):
    """Return status, headers and body of one request."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http", "path": path, "raw_path": path.encode(), "root_path": "", "method": method, "query_string": b"",
        "http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", 1), "client": None,
        "headers": [(k.encode(), v.encode()) for k, v in (headers or {}).items()],
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))
    body = b"".join(m.get("body", b"") for m in sent[1:])
    return sent[0]["status"], {k.decode(): v.decode() for k, v in sent[0]["headers"]}, body.decode()


@pytest.fixture
def app():
    pytest.importorskip("starlette")
    return server.application(2828, "secret")


KNOWN = {"host": "127.0.0.1:2828", "cookie": "epee_lab_2828=secret"}


def test_only_this_browser_may_speak(app):
    assert ask(app, "/", {"host": "127.0.0.1:2828"})[0] == 403
    assert ask(app, "/", KNOWN | {"host": "evil.example"})[0] == 421
    assert ask(app, "/s/x/learn", KNOWN | {"origin": "http://evil.example"}, "POST")[0] == 403
    assert ask(app, "/s/nobody/events", KNOWN)[0] == 404
    assert ask(app, "/s/nobody/", KNOWN)[0] == 303  # an old address leads to a new page


def test_pages_load_nothing_from_elsewhere_and_run_no_text(app):
    status, headers, body = ask(app, "/static/workbench.js", KNOWN)
    policy = headers["content-security-policy"]
    assert (
        status == 200
        and body
        and "default-src 'none'" in policy
        and "unsafe-eval" not in policy
        and "script-src 'self';" in policy
    )
    for name in ("workbench.css", "report.css", "vendored/htmx.min.js", "vendored/htmx-sse.min.js"):
        assert ask(app, f"/static/{name}", KNOWN)[0] == 200, name
    for name in ("../server.py", "shell.jinja", "vendored/../../server.py"):
        assert ask(app, f"/static/{name}", KNOWN)[0] == 404, name


def test_a_page_that_never_comes_is_forgotten(monkeypatch):
    from pathlib import Path

    from epee.workbench import sessions

    monkeypatch.setattr(sessions, "UNSEEN", 0.01)

    async def wait():
        every = Sessions()
        session = every.new("en")
        folder = Path(session.folder)
        assert folder.exists()
        for _ in range(200):
            await asyncio.sleep(0.02)
            if not folder.exists():
                break
        return every.all, folder.exists()

    assert asyncio.run(wait()) == ({}, False)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [(["nowhere.csv"], 4, "nowhere.csv"), (["a.csv", "b.csv"], 2, "no saved predictor"), (["--port", "0"], 2, "port")],
)
def test_wrong_commands_end_before_anything_is_served(capsys, arguments, code, words):
    assert run(["open", *arguments]) == code
    assert words in capsys.readouterr().err
