"""The running server: its home page, its refusals over the wire, its ports."""

import http.client
import socket

import pytest

from epee.labs.catalogue import IDS, lab
from epee.labs.server import bind


def talk(base, path, headers=None):
    host, port = base.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=20)
    connection.putrequest("GET", path, skip_host=True)
    for name, value in ({"Host": f"{host}:{port}"} | (headers or {})).items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read().decode("utf-8", "replace")
    connection.close()
    return answer.status, dict(answer.getheaders()), body


def cookie(base, token):
    status, headers, _ = talk(base, f"/?token={token}")
    assert status == 303
    return {"Cookie": headers["set-cookie"].split(";")[0]}


def test_home_page_lists_every_lab_in_both_languages(labs):
    base, token = labs
    key = cookie(base, token)
    for lang in ("en", "fr"):
        status, _, body = talk(base, f"/?lang={lang}", key)
        assert status == 200
        assert all(f"lab/{name}/?lang={lang}" in body for name in IDS)
        assert lab("hebb").title(lang).split("'")[0] in body
        assert "http" not in body.replace('http-equiv="', "")


def test_a_lab_answers_and_strangers_do_not_get_in(labs):
    base, token = labs
    key = cookie(base, token)
    assert talk(base, "/lab/first_steps/", key)[0] == 200
    assert talk(base, "/lab/first_steps/")[0] == 403
    assert talk(base, "/lab/first_steps/", key | {"Host": "evil.example"})[0] == 421
    assert talk(base, "/lab/first_steps/", key | {"Origin": "http://evil.example"})[0] == 403
    upgrade = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }  # fmt: skip
    for stranger in (
        key | {"Origin": "http://evil.example"},
        {"Origin": base},
        key | {"Host": "evil.example:80", "Origin": base},
    ):
        assert talk(base, "/lab/first_steps/ws?session_id=x", upgrade | stranger)[0] == 403


def test_a_port_in_use_gives_the_next_one_or_a_sentence(monkeypatch):
    with bind(29300) as first, bind(29300) as second:
        assert second.getsockname()[1] > first.getsockname()[1]
        assert first.getsockname()[0] == second.getsockname()[0] == "127.0.0.1"

    def busy(self, address):
        raise OSError(98, "Address already in use")

    monkeypatch.setattr(socket.socket, "bind", busy)
    with pytest.raises(OSError, match="all in use. Give another with --port"):
        bind(29300)
