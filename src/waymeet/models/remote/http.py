"""One way to ask a server for something: time limits, patience, and errors that say what to do."""

import re
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from random import random
from time import monotonic, sleep, time
from typing import IO, TYPE_CHECKING, NamedTuple, TypeVar

from waymeet.errors import EmbeddingError

if TYPE_CHECKING:
    from http.client import HTTPMessage, HTTPResponse
    from urllib.request import OpenerDirector

T = TypeVar("T")

_AGAIN = {408, 425, 429, 500, 502, 503, 504, 529}
_PART = 1 << 16
_SECONDS = re.compile(r"\d{1,9}(\.\d*)?")


class Clock(NamedTuple):
    """Time as the caller sees it; a test brings its own."""

    now: Callable[[], float] = monotonic
    date: Callable[[], float] = time
    wait: Callable[[float], None] = sleep
    chance: Callable[[], float] = random


class RetryPolicy(NamedTuple):
    """How long to wait and how often to try."""

    seconds: float = 60.0
    """For one answer, from the first byte sent to the last byte read."""
    tries: int = 5
    first_wait: float = 0.5
    """Before the second try; doubled before each further one, less a random half."""
    longest_wait: float = 60.0
    """A server that wants more patience than this is not waited for."""
    most_bytes: int = 64 << 20


PATIENT = RetryPolicy()
REAL = Clock()


class HttpStatusError(Exception):
    """A server's answer other than success, after every try."""

    def __init__(self, status: int, told: str) -> None:
        super().__init__(told)
        self.status = status
        self.told = told
        """The beginning of what the server said, on one line."""


class RetryableError(Exception):
    """Something that may pass; the server may have said when."""

    def __init__(self, told: str, status: int = 0, wanted: float | None = None) -> None:
        super().__init__(told)
        self.status = status
        self.wanted = wanted


def post(
    url: str, headers: Mapping[str, str], body: bytes, manners: RetryPolicy = PATIENT, clock: Clock = REAL
) -> bytes:
    """Send a body and read the answer, trying again what may pass: too many requests, a server in trouble, a bad line.

    Raises:
        Refused: the server answered with an error.
        EmbeddingError: there was no usable answer at all.
    """
    headers = {**headers, "Content-Type": "application/json"}

    def once(ends: float) -> bytes:
        return exchange(url, headers, body, _whole(url, ends, manners, clock), manners, clock=clock)

    return patiently(url, once, manners, clock)


def patiently(url: str, once: Callable[[float], T], manners: RetryPolicy = PATIENT, clock: Clock = REAL) -> T:
    """Try something until it succeeds or patience ends; it is told when the time for each try is over."""
    for number in range(1, manners.tries + 1):
        try:
            return once(clock.now() + manners.seconds)
        except RetryableError as trouble:
            pause = manners.first_wait * 2 ** (number - 1) * (0.5 + 0.5 * clock.chance())
            pause = max(pause, trouble.wanted or 0.0)
            if number == manners.tries or pause > manners.longest_wait:
                if trouble.status:
                    raise HttpStatusError(trouble.status, str(trouble)) from trouble
                raise EmbeddingError(
                    f"{_host(url)} cannot be reached: {trouble}.", "Check the address and the network, or try later."
                ) from trouble
        clock.wait(pause)
    raise EmbeddingError(f"{_host(url)} was not asked: {manners.tries} tries are none.")


def exchange(
    url: str,
    headers: Mapping[str, str],
    body: bytes | None,
    take: "Callable[[HTTPResponse], T]",
    manners: RetryPolicy,
    *,
    clock: Clock,
    follow: Callable[[str], bool] = lambda _: False,
) -> T:
    """Ask once and take the answer. To be called by `patiently`, which knows what may pass."""
    from http.client import HTTPException  # noqa: PLC0415 - only providers on the network need it
    from urllib.error import HTTPError, URLError  # noqa: PLC0415 - likewise
    from urllib.request import Request  # noqa: PLC0415 - likewise

    if not url.startswith(("http://", "https://")):
        raise EmbeddingError(f"{url} is not an address of a server.", "It begins with http:// or https://.")
    try:
        request = Request(url, data=body, headers={"User-Agent": "waymeet", **headers})  # noqa: S310 - checked
        with opener(url, follow).open(request, timeout=manners.seconds) as answer:
            return take(answer)
    except HTTPError as error:
        with error:
            told = _line(error.read(2000))
        if error.code in _AGAIN:
            raise RetryableError(told, error.code, _wanted(error.headers.get("Retry-After"), clock)) from error
        raise HttpStatusError(error.code, told) from error
    except URLError as error:
        raise RetryableError(str(error.reason)) from error
    except (OSError, HTTPException) as error:
        raise RetryableError(str(error) or type(error).__name__) from error
    except ValueError:  # quotes what it was given, and that may be a key
        raise EmbeddingError(
            f"{_host(url)} cannot be asked: the address or the key holds characters that cannot be sent.", "Check both."
        ) from None


def is_protected(url: str) -> bool:
    """Tell whether nobody can listen in on the way to an address.

    >>> is_protected("https://example.com/x"), is_protected("http://127.0.0.1:8000/x"), is_protected("http://example.com/x")
    (True, True, False)
    """
    from urllib.parse import urlsplit  # noqa: PLC0415 - start-up is a feature

    parts = urlsplit(url)
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))
    )


def redirect_rule(start: str) -> Callable[[str], bool]:
    """Say whereto redirections from an address may be followed: never in the open, and to this machine only from it.

    >>> redirect_rule("https://a.example")("https://b.example"), redirect_rule("https://a.example")("http://localhost:8000")
    (True, False)
    """
    from urllib.parse import urlsplit  # noqa: PLC0415 - start-up is a feature

    def inside(url: str) -> bool:
        return is_loopback(urlsplit(url).hostname or "")

    return lambda url: is_protected(url) and (inside(start) or not inside(url))


def _whole(url: str, ends: float, manners: RetryPolicy, clock: Clock) -> "Callable[[HTTPResponse], bytes]":
    return lambda answer: _read(answer, url, ends, manners, clock)


def _read(answer: "HTTPResponse", url: str, ends: float, manners: RetryPolicy, clock: Clock) -> bytes:
    """Read an answer in parts, so that neither its size nor its slowness is without bounds."""
    parts, size = [], 0
    while part := answer.read1(_PART):
        parts.append(part)
        size += len(part)
        if size > manners.most_bytes:
            raise EmbeddingError(f"{_host(url)} sent more than {manners.most_bytes:,} bytes.", "Use smaller batches.")
        if clock.now() > ends:
            raise RetryableError(f"no whole answer within {manners.seconds:g} seconds")
    return b"".join(parts)


def opener(url: str, follow: Callable[[str], bool] = lambda _: False) -> "OpenerDirector":
    """Make a client for an address; by itself it follows no redirection, for a key is for one server only.

    A server on this machine is spoken to directly: a proxy would look for it on its own machine, and hear what is said.
    """
    from urllib.parse import urlsplit  # noqa: PLC0415 - start-up is a feature
    from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener  # noqa: PLC0415 - likewise

    class Redirections(HTTPRedirectHandler):
        def redirect_request(  # noqa: PLR0917 - the library's signature
            self, req: Request, fp: IO[bytes], code: int, msg: str, headers: "HTTPMessage", newurl: str
        ) -> Request | None:
            return super().redirect_request(req, fp, code, msg, headers, newurl) if follow(newurl) else None

    return build_opener(Redirections, *([ProxyHandler({})] if is_loopback(urlsplit(url).hostname or "") else []))


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost.example.com")
    (True, True, True, False)
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _line(held: bytes) -> str:
    """Bring what a server said to one short line of visible characters."""
    visible = (each if each.isprintable() else " " for each in held.decode("utf-8", "replace"))
    return " ".join("".join(visible).split())[:300]


def _wanted(written: str | None, clock: Clock) -> float | None:
    """Read how long a server wants to be left alone: seconds, or a date."""
    if not written:
        return None
    try:
        wait = float(written) if _SECONDS.fullmatch(written.strip()) else _until(written, clock)
    except (ValueError, OverflowError):  # neither: then our own pace is as good as any
        return None
    return max(wait, 0.0)


def _until(date: str, clock: Clock) -> float:
    return parsedate_to_datetime(date).timestamp() - clock.date()


def _host(url: str) -> str:
    from urllib.parse import urlsplit  # noqa: PLC0415 - start-up is a feature

    return urlsplit(url).netloc.rpartition("@")[2] or url
