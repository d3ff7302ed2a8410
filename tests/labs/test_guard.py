"""The guard lets in this browser with its token, and nobody else."""

import asyncio

import pytest

from epee.labs.guard import Guard

TOKEN, PORT = "secret", 2718
HOME = {"host": f"127.0.0.1:{PORT}"}
KNOWN = HOME | {"cookie": f"epee_lab_{PORT}={TOKEN}"}


def ask(headers, kind="http", path="/", query="", method="GET"):
    """Return what is sent for one request; the application behind answers 'inside'."""
    sent = []

    async def app(scope, receive, send):
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"access-control-allow-origin", b"*")]})
        await send({"type": "http.response.body", "body": b"inside"})

    async def send(message):
        sent.append(message)

    scope = {
        "type": kind, "path": path, "method": method, "query_string": query.encode(),
        "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
    }  # fmt: skip
    asyncio.run(Guard(app, PORT, TOKEN)(scope, None, send))
    return sent


def status(*args, **more):
    return ask(*args, **more)[0]["status"]


def test_the_token_opens_once_and_the_cookie_after():
    first = ask(HOME, path="/lab/hebb/", query=f"token={TOKEN}&lang=fr")
    headers = dict(first[0]["headers"])
    assert first[0]["status"] == 303 and headers[b"location"] == b"/lab/hebb/?lang=fr"
    assert b"HttpOnly" in headers[b"set-cookie"] and b"SameSite" in headers[b"set-cookie"]
    assert ask(KNOWN)[1]["body"] == b"inside"


@pytest.mark.parametrize("query", ["", "token=", "token=wrong"])
def test_no_token_no_entry(query):
    assert status(HOME, query=query) == 403
    assert status(HOME | {"cookie": f"epee_lab_{PORT}=wrong"}, query=query) == 403


def test_a_token_does_not_open_a_post():
    assert status(HOME, query=f"token={TOKEN}", method="POST") == 403


def test_the_way_out_stays_here():
    headers = dict(ask(HOME, path="//evil.example/", query=f"token={TOKEN}")[0]["headers"])
    assert headers[b"location"] == b"/evil.example/"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:2718", "127.0.0.1", "127.0.0.1:80", "localhost.evil.example:2718", ""]
)
def test_another_host_is_refused(host):
    assert status(KNOWN | {"host": host}) == 421
    assert ask(KNOWN | {"host": host}, kind="websocket")[0]["type"] == "websocket.close"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:2718", "http://127.0.0.1:2719"])
def test_another_origin_is_refused(origin):
    assert status(KNOWN | {"origin": origin}) == 403
    assert ask(KNOWN | {"origin": origin}, kind="websocket")[0]["type"] == "websocket.close"


def test_our_own_origin_is_welcome():
    ours = KNOWN | {"origin": f"http://127.0.0.1:{PORT}"}
    assert status(ours) == 200
    assert ask(ours, kind="websocket")[0]["type"] == "websocket.accept"
    assert ask(HOME, kind="websocket")[0]["type"] == "websocket.close"  # no cookie


def test_answers_forbid_the_outside():
    headers = dict(ask(KNOWN)[0]["headers"])
    policy = headers[b"content-security-policy"].decode()
    assert "default-src 'self'" in policy and "http://" not in policy.replace("ws://", "")
    assert "https:" not in policy and "*" not in policy
    assert b"access-control-allow-origin" not in headers
