"""Access rules: allowed hosts, origins and tokens, and the limits of a request."""

import hmac
from collections.abc import Mapping
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from waymeet.interfaces.daemon.discovery import Daemon, is_proof_valid
from waymeet.interfaces.http.problems import RequestRefusedError
from waymeet.settings import Serve

LONGEST_TARGET = 16_384
"""Maximum bytes of path and query."""
MOST_HEADERS = 32_768
"""Maximum bytes of all headers."""
BODY_SECONDS = 30.0
"""Seconds within which the body of a request must arrive."""
BODIES_BYTES = 64_000_000
"""Maximum bytes of all bodies that are arriving."""
DRAIN_SECONDS, DRAIN_BYTES = 1.0, 64_000_000
"""How long and how much of a refused request is read and discarded."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})
_ALL = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, not bound
"""Wildcard addresses."""
_OWN_PAGES = frozenset({"same-origin", "none"})
OPEN = frozenset({"/healthz"})
"""Paths that never need a token."""
_FORWARDED = frozenset({"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})
"""Headers that proxies add."""
_SENT_BY_PAGES = (
    b"authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, "
    b"x-request-id"
)
WRONG_ORIGIN = "wrong_origin"
"""Code of the error for a request of another site."""
_SHOW = "To see the token: waymeet serve --show-token"


class AccessPolicy(NamedTuple):
    """Decides which requests a server accepts."""

    host: str
    """The address that it listens on."""
    port: int
    token: str
    daemon: Daemon
    settings: Serve
    scheme: str = "http"
    is_behind_proxy: bool = False
    """Whether a proxy in front of it adds TLS."""

    @property
    def is_loopback(self) -> bool:
        """Tell whether only this machine can reach the server."""
        return is_loopback(self.host)

    @property
    def has_tls(self) -> bool:
        """Tell whether browsers reach the server by TLS."""
        return self.scheme == "https" or self.is_behind_proxy

    def allowed_origin(self, headers: Mapping[str, str]) -> str:
        """Give the origin of the request if the settings allow it, else the empty string."""
        origin = headers.get("origin", "")
        allowed = {entry.rstrip("/").lower() for entry in self.settings.origins}
        return origin if origin.rstrip("/").lower() in allowed else ""

    def preflight_headers(self, headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
        """Give the response headers of a CORS preflight request.

        Raises:
            RequestRefusedError: the request is not addressed to this server.
        """
        self._check_host(headers.get("host", ""))
        return [
            (b"access-control-allow-methods", b"GET, POST, PATCH, DELETE"),
            (b"access-control-allow-headers", _SENT_BY_PAGES),
            (b"access-control-max-age", b"600"),
        ]

    def check(self, path: str, headers: Mapping[str, str]) -> bool:
        """Refuse a request that is not allowed, or tell whether its sender may change things.

        Raises:
            RequestRefusedError: host, origin or token is wrong.
        """
        self.check_address(headers)
        is_trusted = self.has_token(headers.get("authorization", ""))
        if not is_trusted and path not in OPEN and not self._is_local(headers):
            raise unauthorized("A server that other machines can reach requires its token.")
        return is_trusted

    def check_address(self, headers: Mapping[str, str]) -> None:
        """Refuse a request to another server, or of a web page of another origin."""
        self._check_host(headers.get("host", ""))
        self._check_origin(headers)

    def _is_local(self, headers: Mapping[str, str]) -> bool:
        """Tell whether a request comes from this machine, and not through a proxy.

        Headers may not show every proxy.
        """
        name = _name(headers.get("host", "")).strip("[]")
        return self.is_loopback and is_loopback(name) and not _FORWARDED & headers.keys()

    def _check_host(self, host: str) -> None:
        """Refuse a wrong Host header.

        Web pages whose name was rebound to this machine send one (DNS rebinding).
        """
        name = _name(host)
        if self.host in _ALL and _is_address(name.strip("[]")):
            return  # names can be rebound, addresses cannot
        own = {self.host, f"[{self.host}]"} if _is_address(self.host) else {self.host}
        if name not in _LOOPBACK | own | {name.lower() for name in self.settings.hosts}:
            raise RequestRefusedError(
                421,
                "wrong_host",
                "The Host header does not name this server.",
                "Use 127.0.0.1 or localhost, or allow the name with the setting serve.hosts.",
            )

    def _check_origin(self, headers: Mapping[str, str]) -> None:
        """Refuse requests of web pages of other origins."""
        if self.allowed_origin(headers):
            return
        origin = headers.get("origin")
        if origin is not None and not self.is_own_origin(origin, headers.get("host", "")):
            raise _wrong_origin()
        if headers.get("sec-fetch-site", "none").lower() not in _OWN_PAGES:
            raise _wrong_origin()

    def is_own_origin(self, origin: str, host: str = "") -> bool:
        """Tell whether an Origin header names this server.

        A proxy that adds TLS has another scheme and port; it passes on the Host header.
        """
        try:
            parts = urlsplit(origin)
            port = parts.port
        except ValueError:
            return False
        try:
            self._check_host(parts.netloc)
        except RequestRefusedError:
            return False
        if self.is_behind_proxy and origin.lower() == f"https://{host.lower()}":
            return True
        default = 443 if self.scheme == "https" else 80
        return parts.scheme == self.scheme and (port or default) == self.port and not (parts.path or parts.query)

    def has_token(self, authorization: str) -> bool:
        """Tell whether the request has a valid token.

        A wrong one is refused on every path.
        """
        if not authorization:
            return False
        if self.is_owner(authorization):
            return True
        raise unauthorized("The token is wrong.")

    def is_owner(self, authorization: str) -> bool:
        """Tell whether a request has the token or the proof of the user who runs the server."""
        scheme, _, credentials = authorization.partition(" ")
        if scheme.lower() == "bearer":
            return hmac.compare_digest(credentials.strip().encode(), self.token.encode())
        return scheme.lower() == "waymeet" and is_proof_valid(self.daemon, credentials.strip())


def unauthorized(detail: str) -> RequestRefusedError:
    """Build the error for a request that needs a token."""
    return RequestRefusedError(
        401, "token", detail, f"Send it as `Authorization: Bearer …`. {_SHOW}", {"WWW-Authenticate": "Bearer"}
    )


def is_loopback(host: str) -> bool:
    """Tell whether an address can be reached from this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    return host == "localhost" or (_is_address(host) and ip_address(host).is_loopback)


def _wrong_origin() -> RequestRefusedError:
    return RequestRefusedError(
        403,
        WRONG_ORIGIN,
        "The request was sent by a web page of another origin.",
        "Allow it with the setting serve.origins.",
    )


def _name(host: str) -> str:
    """Extract the name from a Host header.

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
