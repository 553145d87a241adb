"""One way to ask a server for something: time limits, patience, and errors that say what to do."""

import re
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from random import random
from time import monotonic, sleep, time
from typing import TYPE_CHECKING, NamedTuple

from waymeet.errors import EmbeddingError

if TYPE_CHECKING:
    from http.client import HTTPResponse
    from urllib.request import OpenerDirector

_AGAIN = {408, 425, 429, 500, 502, 503, 504, 529}
_PART = 1 << 16
_SECONDS = re.compile(r"\d{1,9}(\.\d*)?")


class Clock(NamedTuple):
    """Time as the caller sees it; a test brings its own."""

    now: Callable[[], float] = monotonic
    date: Callable[[], float] = time
    wait: Callable[[float], None] = sleep
    chance: Callable[[], float] = random


class Manners(NamedTuple):
    """How long to wait and how often to try."""

    seconds: float = 60.0
    """For one answer, from the first byte sent to the last byte read."""
    tries: int = 5
    first_wait: float = 0.5
    """Before the second try; doubled before each further one, less a random half."""
    longest_wait: float = 60.0
    """A server that wants more patience than this is not waited for."""
    most_bytes: int = 64 << 20


PATIENT = Manners()
REAL = Clock()


class Refused(Exception):  # noqa: N818 - a reply, turned into an error by whoever knows what was asked
    """A server's answer other than success, after every try."""

    def __init__(self, status: int, told: str) -> None:
        super().__init__(told)
        self.status = status
        self.told = told
        """The beginning of what the server said, on one line."""


class _Trouble(Exception):  # noqa: N818 - never leaves this module
    """Something that may pass; the server may have said when."""

    def __init__(self, told: str, status: int = 0, wanted: float | None = None) -> None:
        super().__init__(told)
        self.status = status
        self.wanted = wanted


def post(url: str, headers: Mapping[str, str], body: bytes, manners: Manners = PATIENT, clock: Clock = REAL) -> bytes:
    """Send a body and read the answer, trying again what may pass: too many requests, a server in trouble, a bad line.

    Raises:
        Refused: the server answered with an error.
        EmbeddingError: there was no usable answer at all.
    """
    for number in range(1, manners.tries + 1):
        try:
            return _once(url, headers, body, manners, clock)
        except _Trouble as trouble:
            pause = manners.first_wait * 2 ** (number - 1) * (0.5 + 0.5 * clock.chance())
            pause = max(pause, trouble.wanted or 0.0)
            if number == manners.tries or pause > manners.longest_wait:
                if trouble.status:
                    raise Refused(trouble.status, str(trouble)) from trouble
                raise EmbeddingError(
                    f"{_host(url)} cannot be reached: {trouble}.", "Check the address and the network, or try later."
                ) from trouble
        clock.wait(pause)
    raise EmbeddingError(f"{_host(url)} was not asked: {manners.tries} tries are none.")


def _once(url: str, headers: Mapping[str, str], body: bytes, manners: Manners, clock: Clock) -> bytes:
    from http.client import HTTPException  # noqa: PLC0415 - only providers on the network need it
    from urllib.error import HTTPError, URLError  # noqa: PLC0415 - likewise
    from urllib.request import Request  # noqa: PLC0415 - likewise

    if not url.startswith(("http://", "https://")):
        raise EmbeddingError(f"{url} is not an address of a server.", "It begins with http:// or https://.")
    request = Request(url, data=body, headers={**headers, "Content-Type": "application/json"})  # noqa: S310 - checked
    ends = clock.now() + manners.seconds
    try:
        with _opener().open(request, timeout=manners.seconds) as answer:
            return _read(answer, url, ends, manners, clock)
    except HTTPError as error:
        with error:
            told = _line(error.read(2000))
        if error.code in _AGAIN:
            raise _Trouble(told, error.code, _wanted(error.headers.get("Retry-After"), clock)) from error
        raise Refused(error.code, told) from error
    except URLError as error:
        raise _Trouble(str(error.reason)) from error
    except (OSError, HTTPException) as error:
        raise _Trouble(str(error) or type(error).__name__) from error


def _read(answer: "HTTPResponse", url: str, ends: float, manners: Manners, clock: Clock) -> bytes:
    """Read an answer in parts, so that neither its size nor its slowness is without bounds."""
    parts, size = [], 0
    while part := answer.read1(_PART):
        parts.append(part)
        size += len(part)
        if size > manners.most_bytes:
            raise EmbeddingError(f"{_host(url)} sent more than {manners.most_bytes:,} bytes.", "Use smaller batches.")
        if clock.now() > ends:
            raise _Trouble(f"no whole answer within {manners.seconds:g} seconds")
    return b"".join(parts)


def _opener() -> "OpenerDirector":
    """Make a client that follows no redirection: the key is for one server only."""
    from urllib.request import HTTPRedirectHandler, build_opener  # noqa: PLC0415 - start-up is a feature

    class Stay(HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            return None

    return build_opener(Stay)


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
