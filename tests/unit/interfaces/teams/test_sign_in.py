"""Sessions of browsers at a team's server: cookies under TLS, addresses behind a proxy, ends of sessions."""

from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response

from waymeet.interfaces.daemon.discovery import Daemon
from waymeet.interfaces.http.access import AccessPolicy
from waymeet.interfaces.http.problems import RequestRefusedError
from waymeet.interfaces.teams.sign_in import TeamSignIn
from waymeet.interfaces.teams.token_store import OWNER, TokenChecker, add_token, revoke_token
from waymeet.interfaces.web.sign_in.sessions import Sessions
from waymeet.settings import Serve

_DAEMON = Daemon(pid=1, host="127.0.0.1", port=80, secret="s", version="1", root="", started=0.0)  # noqa: S106
_SETTINGS = Serve(hosts=("wiki.example",), sign_in_attempts=2)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def make_sign_in(scheme: str = "http", *, is_behind_proxy: bool = False) -> TeamSignIn:
    policy = AccessPolicy("127.0.0.1", 80, "owner-token", _DAEMON, _SETTINGS, scheme, is_behind_proxy)
    return TeamSignIn(policy, TokenChecker())


def make_request(**headers: str) -> Request:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "POST", "path": "/", "headers": pairs, "client": ("10.0.0.1", 5)})


def read_cookie(sign_in: TeamSignIn, value: str) -> tuple[str, set[str]]:
    response = Response()
    sign_in.set_cookie(response, value)
    pair, *attributes = response.headers["set-cookie"].split("; ")
    return pair, {attribute.lower() for attribute in attributes}


@pytest.mark.parametrize(("scheme", "proxy"), [("https", False), ("http", True)])
def test_the_cookie_is_secure_under_tls_and_behind_a_proxy(scheme: str, *, proxy: bool) -> None:
    pair, attributes = read_cookie(make_sign_in(scheme, is_behind_proxy=proxy), "x")
    assert pair == "__Host-waymeet-session-80=x"
    assert {"secure", "httponly", "samesite=strict", "path=/", "max-age=604800"} <= attributes
    assert "secure" not in read_cookie(make_sign_in(), "x")[1]


def test_a_session_ends_with_its_token_its_time_and_when_others_replace_it() -> None:
    _, text = add_token("anna", ["p1"], [], 0)
    sign_in, now = make_sign_in(), [0.0]
    sign_in.sessions = Sessions(60.0, 100.0, lambda: now[0])
    value = sign_in.start(text, make_request())
    pair = read_cookie(sign_in, value)[0]
    found = sign_in.find_sender(pair)
    assert found
    assert (found.name, *found.read) == ("anna", "p1")
    now[0] = 59.0
    assert sign_in.find_sender(pair, is_use=False), "a stream that looks at it does not keep it open"
    now[0] = 61.0
    assert sign_in.find_sender(pair) is None
    other = read_cookie(sign_in, sign_in.start(text, make_request()))[0]
    owner = read_cookie(sign_in, sign_in.sessions.add("owner"))[0]
    revoke_token("anna")
    assert sign_in.find_sender(other) is None
    assert sign_in.find_sender(owner) == OWNER
    for _ in range(20):
        sign_in.sessions.add("owner")
    assert sign_in.find_sender(owner) is None, "one holder has at most 20 sessions"


def test_attempts_are_counted_for_the_address_that_the_proxy_saw() -> None:
    sign_in = make_sign_in(is_behind_proxy=True)
    for _ in range(2):
        assert sign_in.start("wrong", make_request(x_forwarded_for="1.1.1.1, 2.2.2.2")) == ""
    with pytest.raises(RequestRefusedError) as refused:
        sign_in.start("owner-token", make_request(x_forwarded_for="9.9.9.9, 2.2.2.2"))
    assert refused.value.failure.status == 429
    assert "serve.sign_in_attempts" in refused.value.failure.next_step
    assert sign_in.start("owner-token", make_request(x_forwarded_for="3.3.3.3"))
    direct = make_sign_in()
    for forwarded in ("1.1.1.1", "2.2.2.2"):
        direct.start("wrong", make_request(x_forwarded_for=forwarded))
    with pytest.raises(RequestRefusedError):
        direct.start("wrong", make_request(x_forwarded_for="3.3.3.3"))


def test_the_origin_behind_a_proxy_is_the_host_of_the_request() -> None:
    policy = AccessPolicy("127.0.0.1", 80, "t", _DAEMON, _SETTINGS, is_behind_proxy=True)
    assert policy.is_own_origin("https://wiki.example", "wiki.example")
    assert policy.is_own_origin("https://wiki.example:8443", "wiki.example:8443")
    assert not policy.is_own_origin("https://wiki.example:8443", "wiki.example")
    assert not policy.is_own_origin("http://wiki.example:8080", "wiki.example:8080")
    assert not policy.is_own_origin("https://evil.example", "evil.example")
    plain = policy._replace(is_behind_proxy=False)
    assert not plain.is_own_origin("https://wiki.example", "wiki.example")
