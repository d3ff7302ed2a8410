"""Who may speak to the labs and to the workbench: this browser on this machine, and nobody else.

A page of another site can send requests to a port of the loopback, and a name that someone else controls can be made to point there.
So every request, and every WebSocket, must bear

- a ``Host`` that is ours (against rebinding of names),
- no ``Origin``, or ours (against pages of other sites; a WebSocket from a browser always has one),
- the token: once in the address that the command printed, then in a cookie that only this server reads.

Every answer forbids the page to load anything from elsewhere (Content-Security-Policy).
"""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

MANIFEST = '{"name": "epee", "start_url": "/", "icons": []}'
NAMES = ("127.0.0.1", "localhost")


class Guard:
    """ASGI middleware around the labs, or the workbench.

    Parameters
    ----------
    app : ASGI application
    port : int
        Where it is served.
    token : str
        The secret.
    policy : str, optional
        What a page may load and run; what marimo needs, by default.
    """

    def __init__(self, app: Any, port: int, token: str, policy: str | None = None) -> None:
        self.app, self.token = app, token
        self.hosts = {f"{name}:{port}" for name in NAMES}
        self.cookie = f"epee_lab_{port}"  # cookies do not tell ports apart
        sockets = " ".join(f"ws://{host}" for host in sorted(self.hosts))
        self.policy = policy or (
            "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
            "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; frame-src 'self' data: blob:; "
            f"connect-src 'self' data: blob: {sockets}; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if headers.get("host", "") not in self.hosts:
            await self._refuse(scope, send, 421, "This server answers to its own name only.")
            return
        origin = headers.get("origin")
        ours = {f"http://{host}" for host in self.hosts}
        if origin is not None and origin not in ours:
            await self._refuse(scope, send, 403, "A page of another site may not speak to this server.")
            return
        if scope["type"] == "http" and scope["path"].endswith("/manifest.json"):
            await self._say(send, 200, "application/manifest+json", MANIFEST)  # browsers ask for it without the cookie
            return
        if not self._known(headers):
            await self._enter(scope, send)
            return
        await self.app(scope, receive, self._sealed(send))

    def _known(self, headers: dict[str, str]) -> bool:
        try:
            held = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return held is not None and secrets.compare_digest(held.value.encode(), self.token.encode())

    async def _enter(self, scope: Any, send: Any) -> None:
        """Change the token of the address for a cookie, on a plain page request; refuse everything else."""
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        given = dict(query).get("token", "")
        fits = secrets.compare_digest(given.encode(), self.token.encode())
        if scope["type"] != "http" or scope["method"] != "GET" or not fits:
            await self._refuse(scope, send, 403, "Open the address that the command printed: it holds a token.")
            return
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        target = "/" + scope["path"].lstrip("/") + ("?" + rest if rest else "")
        cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Lax"
        await self._sealed(send)({
            "type": "http.response.start", "status": 303,
            "headers": [(b"location", target.encode("latin-1", "replace")), (b"set-cookie", cookie.encode())],
        })  # fmt: skip
        await send({"type": "http.response.body", "body": b""})

    def _sealed(self, send: Any) -> Any:
        """Return ``send`` with the headers that keep the page at home."""
        kept = [
            (b"content-security-policy", self.policy.encode()), (b"referrer-policy", b"no-referrer"),
            (b"x-content-type-options", b"nosniff"), (b"cross-origin-resource-policy", b"same-origin"),
            (b"cross-origin-opener-policy", b"same-origin"),
        ]  # fmt: skip

        async def sealed(message: Any) -> None:
            if message["type"] == "http.response.start":
                ours = {name for name, _ in kept}
                others = [
                    (name, value) for name, value in message.get("headers", [])
                    if name.lower() not in ours and not name.lower().startswith(b"access-control-")
                ]  # fmt: skip
                message = {**message, "headers": others + kept}
            await send(message)

        return sealed

    async def _refuse(self, scope: Any, send: Any, status: int, words: str) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted: the browser sees 403
            return
        await self._say(send, status, "text/plain", words + "\n")

    async def _say(self, send: Any, status: int, kind: str, words: str) -> None:
        body = words.encode()
        headers = [(b"content-type", f"{kind}; charset=utf-8".encode()), (b"content-length", str(len(body)).encode())]
        await self._sealed(send)({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
