"""HTTP requests with retries, a time limit per attempt and a size limit for responses.

httpx2 keeps connections open between requests: many batches need one TLS handshake.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from functools import cache
from ipaddress import ip_address
from random import random
from time import monotonic, sleep, time
from typing import TYPE_CHECKING, NamedTuple

from waymeet.errors import EmbeddingError

if TYPE_CHECKING:
    from httpx2 import Client, Response

_RETRIED = {408, 425, 429, 500, 502, 503, 504, 529}
_ERROR_BYTES = 2000
_KEEPALIVE_SECONDS = 30.0
_SECONDS = re.compile(r"\d{1,9}(\.\d*)?")


class Clock(NamedTuple):
    """Time and chance, replaceable in tests."""

    now: Callable[[], float] = monotonic
    date: Callable[[], float] = time
    wait: Callable[[float], None] = sleep
    chance: Callable[[], float] = random


class RetryPolicy(NamedTuple):
    """Limits of a request and its retries."""

    seconds: float = 60.0
    """For one attempt, from the first byte sent to the last byte read."""
    tries: int = 5
    first_wait: float = 0.5
    """Before the second attempt; doubled before each further one, less a random half."""
    max_wait: float = 60.0
    """The request fails at once if the server demands a longer wait than this."""
    max_bytes: int = 64 << 20
    """Of a response."""


DEFAULT_POLICY = RetryPolicy()
REAL_CLOCK = Clock()


class HttpStatusError(Exception):
    """A response other than success, after all retries."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        """The beginning of the response body, on one line."""


class RetryableError(Exception):
    """A failure that may be temporary."""

    def __init__(self, message: str, status: int = 0, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after
        """Seconds to wait, if the server sent them."""


def post(
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    policy: RetryPolicy = DEFAULT_POLICY,
    clock: Clock = REAL_CLOCK,
) -> bytes:
    """Send JSON and read the response, retrying temporary failures.

    Temporary are rate limits, errors of the server and broken connections. Redirects are not followed, for a key is
    for one server only.

    Raises:
        HttpStatusError: the server answered with an error.
        EmbeddingError: there was no usable response.
    """
    for number in range(1, policy.tries + 1):
        try:
            return _post_once(url, headers, body, policy, clock)
        except RetryableError as error:
            pause = policy.first_wait * 2 ** (number - 1) * (0.5 + 0.5 * clock.chance())
            pause = max(pause, error.retry_after or 0.0)
            if number == policy.tries or pause > policy.max_wait:
                if error.status:
                    raise HttpStatusError(error.status, str(error)) from error
                raise EmbeddingError(
                    f"{host_of(url)} cannot be reached: {error}.", "Check the address and the network, or try later."
                ) from error
        clock.wait(pause)
    raise EmbeddingError(f"No request was sent to {host_of(url)}: the number of tries is {policy.tries}.")


def _post_once(url: str, headers: Mapping[str, str], body: bytes, policy: RetryPolicy, clock: Clock) -> bytes:
    deadline = clock.now() + policy.seconds
    sent = {"User-Agent": "waymeet", "Accept-Encoding": "identity", **headers, "Content-Type": "application/json"}
    with _translate_errors(url):
        client = _open_client(*_client_kind(url))
        with client.stream("POST", url, content=body, headers=sent, timeout=policy.seconds) as response:
            if response.status_code < 300:
                return _read_body(response, url, deadline, policy, clock)
            detail = to_visible_line(next(response.iter_raw(_ERROR_BYTES), b""))
            status, retry_after = response.status_code, response.headers.get("Retry-After")
    if status in _RETRIED:
        raise RetryableError(detail, status, _parse_retry_after(retry_after, clock))
    raise HttpStatusError(status, detail)


@contextmanager
def _translate_errors(url: str) -> Iterator[None]:
    """Turn the library's errors into ours, without any text that could quote a key."""
    from httpx2 import InvalidURL, LocalProtocolError, TransportError, UnsupportedProtocol  # noqa: PLC0415 - likewise

    try:
        yield
    except UnsupportedProtocol:
        raise EmbeddingError(f"{url} is not the address of a server.", "It begins with http:// or https://.") from None
    except (ValueError, InvalidURL, LocalProtocolError):  # their texts quote headers, and one of these is the key
        raise EmbeddingError(
            f"No request was sent to {host_of(url)}: the address or the key has characters that cannot be sent.",
            "Check both.",
        ) from None
    except (OSError, TransportError) as error:
        raise RetryableError(str(error) or type(error).__name__) from error


def _client_kind(url: str) -> tuple[bool, bool]:
    from urllib.parse import urlsplit  # noqa: PLC0415 - start-up is a feature

    parts = urlsplit(url)
    return parts.scheme == "https", is_loopback(parts.hostname or "")


@cache
def _open_client(is_encrypted: bool, is_local: bool) -> "Client":
    """Open the client for one kind of address.

    Its connections are shared by all threads.

    Proxies of the environment are not used for this machine: a proxy would look for the server on its own machine.
    """
    import ssl  # noqa: PLC0415 - only providers on the network need it

    from httpx2 import Client, Limits  # noqa: PLC0415 - likewise

    # Loading the certificates takes 70 ms. Without encryption an empty context will do: it trusts no server.
    verify = True if is_encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return Client(trust_env=not is_local, verify=verify, limits=Limits(keepalive_expiry=_KEEPALIVE_SECONDS))


def _read_body(response: "Response", url: str, deadline: float, policy: RetryPolicy, clock: Clock) -> bytes:
    """Read a response in chunks, so that its size and its duration are bounded."""
    chunks, size = [], 0
    for chunk in response.iter_raw():
        chunks.append(chunk)
        size += len(chunk)
        if size > policy.max_bytes:
            raise EmbeddingError(f"{host_of(url)} sent more than {policy.max_bytes:,} bytes.", "Use smaller batches.")
        if clock.now() > deadline:
            raise RetryableError(f"no complete response within {policy.seconds:g} seconds")
    return b"".join(chunks)


def is_protected(url: str) -> bool:
    """Check that a connection to an address is encrypted or stays on this machine.

    >>> is_protected("https://example.com/x"), is_protected("http://127.0.0.1:8000/x")
    (True, True)
    >>> is_protected("http://example.com/x")
    False
    """
    from urllib.parse import urlsplit  # noqa: PLC0415 - start-up is a feature

    parts = urlsplit(url)
    host = parts.hostname or ""
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host)))


def redirect_rule(start: str) -> Callable[[str], bool]:
    """Make the rule for redirects from an address: encrypted, and to this machine only from it.

    >>> is_allowed = redirect_rule("https://a.example")
    >>> is_allowed("https://b.example"), is_allowed("http://localhost:8000")
    (True, False)
    """
    from urllib.parse import urlsplit  # noqa: PLC0415 - start-up is a feature

    def is_local(url: str) -> bool:
        return is_loopback(urlsplit(url).hostname or "")

    return lambda url: is_protected(url) and (is_local(start) or not is_local(url))


def is_loopback(host: str) -> bool:
    """Check whether a host is this machine.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost.example.com")
    (True, True, True, False)
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def to_visible_line(body: bytes) -> str:
    """Shorten a response body to one line of printable characters."""
    visible = (character if character.isprintable() else " " for character in body.decode("utf-8", "replace"))
    return " ".join("".join(visible).split())[:300]


def host_of(url: str) -> str:
    """Return host and port of an address, without a user name or password."""
    from urllib.parse import urlsplit  # noqa: PLC0415 - start-up is a feature

    return urlsplit(url).netloc.rpartition("@")[2] or url


def _parse_retry_after(value: str | None, clock: Clock) -> float | None:
    """Parse a Retry-After header: seconds, or a date."""
    if not value:
        return None
    try:
        if _SECONDS.fullmatch(value.strip()):
            return float(value)
        return max(parsedate_to_datetime(value).timestamp() - clock.date(), 0.0)
    except (ValueError, OverflowError):
        return None
