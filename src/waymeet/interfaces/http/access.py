"""On which terms requests are let in: addressed to whom, from which page, by whom, and how large."""

import hmac
from collections.abc import Mapping
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from waymeet.interfaces.daemon.discovery import Daemon, proven
from waymeet.interfaces.http.problems import Refused
from waymeet.settings import Serve

LONGEST_TARGET = 16_384
"""Bytes of a path with its query."""
MOST_HEADERS = 32_768
"""Bytes of all headers."""
BODY_SECONDS = 30.0
"""Seconds in which a request must have arrived."""
DRAIN_SECONDS, DRAIN_BYTES = 1.0, 64_000_000
"""How long and how much is taken, and thrown away, of a request that was refused before it was read."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})
_ALL = frozenset({"0.0.0.0", "::"})  # noqa: S104 - nobody listens here
"""All addresses of a machine."""
_OWN_PAGES = frozenset({"same-origin", "none"})
_OPEN = frozenset({"/healthz"})
"""What needs no token, wherever the server listens."""
_FORWARDED = frozenset({"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})
"""Headers that proxies add."""
_SENT_BY_PAGES = (
    b"authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, "
    b"x-request-id"
)
_SHOW = "To see the token: waymeet serve --show-token"


class AccessPolicy(NamedTuple):
    """What a server lets in."""

    host: str
    """The address that it listens at."""
    port: int
    token: str
    resident: Daemon
    settings: Serve

    @property
    def loopback(self) -> bool:
        """Tell whether only this machine can reach it."""
        return is_loopback(self.host)

    def invited(self, headers: Mapping[str, str]) -> str:
        """Give the origin of a page of another origin that the user allows; empty if it is none."""
        origin = headers.get("origin", "")
        allowed = {each.rstrip("/").lower() for each in self.settings.origins}
        return origin if origin.rstrip("/").lower() in allowed else ""

    def permission(self, headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
        """Tell the browser of such a page what the page may send: it asks before it sends anything.

        Raises:
            Refused: the question is not addressed to this server.
        """
        self._addressed(headers.get("host", ""))
        return [
            (b"access-control-allow-methods", b"GET, POST, PATCH, DELETE"),
            (b"access-control-allow-headers", _SENT_BY_PAGES),
            (b"access-control-max-age", b"600"),
        ]

    def admitted(self, path: str, headers: Mapping[str, str]) -> bool:
        """Refuse what must not be let in; tell whether whoever sent it may change things.

        Raises:
            Refused: it must not.
        """
        self._addressed(headers.get("host", ""))
        self._sent_from(headers)
        trusted = self._known(headers.get("authorization", ""))
        if not trusted and path not in _OPEN and not self._from_here(headers):
            raise unauthorized("A server that other machines can reach answers only those who have its token.")
        return trusted

    def _from_here(self, headers: Mapping[str, str]) -> bool:
        """Tell whether a request comes from this machine, and not, as far as that shows, through a proxy."""
        name = _name(headers.get("host", "")).strip("[]")
        return self.loopback and is_loopback(name) and not _FORWARDED & headers.keys()

    def _addressed(self, host: str) -> None:
        """Refuse requests that are addressed to another name: a page whose name was bent to this machine sends such."""
        name = _name(host)
        if self.host in _ALL and _is_address(name.strip("[]")):
            return  # only names can be bent, numbers cannot
        own = {self.host, f"[{self.host}]"} if _is_address(self.host) else {self.host}
        if name not in _LOOPBACK | own | {each.lower() for each in self.settings.hosts}:
            raise Refused(
                421,
                "wrong_host",
                "The request is addressed to a name that is not this server's.",
                "Address it to 127.0.0.1 or localhost, or allow the name by the setting serve.hosts.",
            )

    def _sent_from(self, headers: Mapping[str, str]) -> None:
        """Refuse requests that pages of other origins send."""
        if self.invited(headers):
            return
        origin = headers.get("origin")
        if origin is not None and not self._own(origin):
            raise _foreign()
        if headers.get("sec-fetch-site", "none").lower() not in _OWN_PAGES:
            raise _foreign()

    def _own(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin)
            port = parts.port
        except ValueError:
            return False
        try:
            self._addressed(parts.netloc)
        except Refused:
            return False
        return parts.scheme == "http" and (port or 80) == self.port and not (parts.path or parts.query)

    def _known(self, authorization: str) -> bool:
        """Tell whether somebody proved to be the user; who tries and fails is refused, whatever he wants."""
        if not authorization:
            return False
        scheme, _, given = authorization.partition(" ")
        if scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self.token.encode()):
            return True
        if scheme.lower() == "waymeet" and proven(self.resident, given.strip()):
            return True
        raise unauthorized("The token is wrong.")


def unauthorized(detail: str) -> Refused:
    """Refuse somebody who has to show a token first."""
    return Refused(
        401, "token", detail, f"Send it as `Authorization: Bearer …`. {_SHOW}", {"WWW-Authenticate": "Bearer"}
    )


def is_loopback(host: str) -> bool:
    """Tell whether an address can be reached from this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    return host == "localhost" or (_is_address(host) and ip_address(host).is_loopback)


def _foreign() -> Refused:
    return Refused(
        403,
        "wrong_origin",
        "The request was sent by a page of another origin.",
        "Pages may be allowed by the setting serve.origins.",
    )


def _name(host: str) -> str:
    """Take the name out of a Host header.

    >>> _name("LOCALHOST:80"), _name("[::1]:80"), _name("[::1]"), _name("a.b"), _name("evil@localhost")
    ('localhost', '[::1]', '[::1]', 'a.b', 'evil@localhost')
    """
    name, colon, port = host.lower().rpartition(":")
    return name if colon and (port.isdecimal() or not port) and not name.endswith(":") else host.lower()


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
