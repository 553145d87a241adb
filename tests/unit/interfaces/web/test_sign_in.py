"""Sessions of browsers: codes, expiry, and the user of a connection."""

import asyncio
import os
import socket
from pathlib import Path
from urllib.parse import urlencode

import pytest
from starlette.requests import Request

from waymeet import __version__
from waymeet.interfaces.daemon.discovery import Daemon
from waymeet.interfaces.http.access import AccessPolicy
from waymeet.interfaces.web.sign_in import peer, visitor
from waymeet.interfaces.web.sign_in.sessions import CODE_SECONDS, Message, Sessions
from waymeet.interfaces.web.sign_in.visitor import SignIn, Visitor, cookie_name
from waymeet.settings import Serve

_DAEMON = Daemon(pid=1, host="127.0.0.1", port=80, secret="s" * 64, version=__version__, root="/", started=0.0)
_ACCESS = AccessPolicy("127.0.0.1", 80, "the-token", _DAEMON, Serve(origins=("https://wiki.example",)))


class Clock:
    """A clock that a test sets."""

    seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sessions(clock: Clock) -> Sessions:
    return Sessions(60.0, 100.0, clock)


def test_a_code_is_used_once_and_soon(sessions: Sessions, clock: Clock) -> None:
    code = sessions.make_code()
    assert sessions.start("") == sessions.start(code + "x") == ""
    assert sessions.find(sessions.start(code)) is not None
    assert sessions.start(code) == ""
    late = sessions.make_code()
    clock.seconds += CODE_SECONDS
    assert sessions.start(late) == ""


def test_codes_and_sessions_are_not_stored(sessions: Sessions) -> None:
    code = sessions.make_code()
    assert code not in repr(vars(sessions))
    value = sessions.start(code)
    assert value not in repr(vars(sessions))


def test_a_session_ends_without_use_and_after_its_time(sessions: Sessions, clock: Clock) -> None:
    idle = sessions.start(sessions.make_code())
    clock.seconds += 60
    assert sessions.find(idle) is None
    used = sessions.start(sessions.make_code())
    for _ in range(2):
        clock.seconds += 40
        assert sessions.find(used) is not None
    clock.seconds += 20
    assert sessions.find(used) is None


def test_sessions_end_alone_or_all(sessions: Sessions) -> None:
    first, second = (sessions.start(sessions.make_code()) for _ in range(2))
    sessions.end(first)
    assert sessions.find(first) is None
    assert sessions.find(second) is not None
    pending = sessions.make_code()
    assert sessions.end_all() == 1
    assert sessions.find(second) is None
    assert sessions.start(pending) == ""


def test_the_number_of_sessions_is_bounded(sessions: Sessions) -> None:
    values = [sessions.start(sessions.make_code()) for _ in range(25)]
    assert [sessions.find(value) is not None for value in values] == [False] * 5 + [True] * 20
    codes = [sessions.make_code() for _ in range(25)]
    assert sessions.start(codes[0]) == ""
    assert sessions.start(codes[-1])


def test_messages_are_shown_once(sessions: Sessions) -> None:
    value = sessions.start(sessions.make_code())
    session = sessions.find(value)
    assert session
    session.add_message(Message("Saved."))
    again = sessions.find(value)
    assert again
    assert [message.text for message in again.take_messages()] == ["Saved."]
    assert again.take_messages() == []


def test_the_owner_of_a_connection_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        with socket.create_connection(address) as client:
            ends = client.getsockname(), address
            assert peer.is_other_user(*ends) is False
            table = Path("/proc/net/tcp")
            if not table.exists() or peer.find_owner(table.read_text().splitlines(), ends[0], address[1]) is None:
                pytest.skip("this system does not list the owners of connections")
            monkeypatch.setattr(peer, "_ROOT", -1)
            monkeypatch.setattr(os, "getuid", lambda: 54_321)
            assert peer.is_other_user(*ends) is True
    assert peer.is_other_user(("127.0.0.1", 1), ("127.0.0.1", 2)) is False
    row = "0: 00000000000000000000000001000000:D431 00000000000000000000000001000000:1CA9 01 0:0 0:0 0 7 0 99 1"
    assert peer.find_owner([row], ("::1", 54321), 7337) == 7
    mapped = "0: 0000000000000000FFFF00000100007F:D431 0000000000000000FFFF00000100007F:1CA9 01 0:0 0:0 0 8 0 99 1"
    assert peer.find_owner([mapped], ("127.0.0.1", 54321), 7337) == 8


def send_form(sign_in: SignIn, cookie: str, token: str, **headers: str) -> Visitor:
    """Read a form as the server does."""
    sent = {
        "host": "127.0.0.1",
        "origin": "http://127.0.0.1",
        "content-type": "application/x-www-form-urlencoded",
        "cookie": f"other=1; {cookie_name(80)}={cookie}",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    pairs = [(name.encode(), value.encode()) for name, value in sent.items() if value]
    body = urlencode({"form_token": token}).encode()

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": pairs}
    return asyncio.run(sign_in.read_visitor(Request(scope, receive)))


def find_code(sent: Visitor) -> str:
    """Name the reason of a refusal."""
    return sent.refusal.failure.code if sent.refusal else ""


def test_a_form_is_refused_after_the_time_of_its_session(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    sign_in = SignIn(_ACCESS)
    sign_in.sessions = Sessions(60.0, 100.0, clock)
    cookie = sign_in.sessions.start(sign_in.sessions.make_code())
    session = sign_in.sessions.find(cookie)
    assert session
    token = session.form_token
    assert find_code(send_form(sign_in, cookie, token)) == ""
    assert find_code(send_form(sign_in, cookie, token, sec_fetch_site="same-origin", origin="")) == ""
    assert find_code(send_form(sign_in, cookie, "wrong")) == "old_form"
    assert find_code(send_form(sign_in, "wrong", token)) == "not_signed_in"
    for origin in ("https://wiki.example", "http://127.0.0.1:81", "https://127.0.0.1", "null", ""):
        assert find_code(send_form(sign_in, cookie, token, origin=origin)) == "wrong_origin", origin
    for site in ("same-site", "cross-site", "none"):
        assert find_code(send_form(sign_in, cookie, token, sec_fetch_site=site)) == "wrong_origin", site
    with monkeypatch.context() as patched:
        patched.setattr(visitor, "is_other_user", lambda *_: True)
        refused = send_form(sign_in, cookie, token)
        assert (find_code(refused), refused.session) == ("other_user", None)
    clock.seconds += 60
    expired = send_form(sign_in, cookie, token)
    assert (find_code(expired), expired.session) == ("not_signed_in", None)
