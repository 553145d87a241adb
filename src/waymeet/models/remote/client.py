"""JSON requests to a model server with one deadline for everything and no key in any error."""

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec

from waymeet.errors import ModelError, WaymeetError
from waymeet.models.remote.http import Clock, HttpStatusError, RetryPolicy, host_of, is_loopback, post

T = TypeVar("T")

_MAX_BYTES = 4_000_000
_TRIES = 3
_FIRST_WAIT = 0.25
_KEY_PART = 8
"""An error must not repeat so many consecutive characters of a key."""
_INVALID_REQUEST = frozenset({400, 422})
"""Statuses of servers that do not support a field of the request."""


class Abandoned(Exception):  # noqa: N818 - ends a thread, and is no error
    """The caller no longer waits for the result."""


class Server(NamedTuple):
    """Address, key and limits of a model server."""

    name: str
    url: str
    key: str = ""
    variable: str = ""
    """The environment variable that the key came from."""
    seconds: float = 10.0
    """For the whole request, including retries and waits."""
    clock: Clock = Clock()
    tries: int = _TRIES
    try_seconds: float | None = None
    """For one attempt; None leaves it to the deadline of the whole request."""
    max_bytes: int = _MAX_BYTES
    """Of a response."""

    def __repr__(self) -> str:
        return f"Server({self.name}, {self.host})"  # never the key

    @property
    def host(self) -> str:
        """Return host and port of the server."""
        return host_of(self.url)


class OptionalFields:
    """Request fields that are omitted once the server has refused them by name.

    One instance belongs to one server and model, so that a field is refused once and not with every request.
    """

    def __init__(self, names: frozenset[str] = frozenset()) -> None:
        self._names = names
        self._unsupported: frozenset[str] = frozenset()

    def remove_unsupported(self, body: dict[str, Any]) -> dict[str, Any]:
        """Copy a request body without the fields that were refused before."""
        return {name: value for name, value in body.items() if name not in self._unsupported}

    def record_refusal(self, error: HttpStatusError) -> bool:
        """Record the optional fields that an error names, and return whether there was a new one."""
        if error.status not in _INVALID_REQUEST:
            return False
        refused = frozenset(name for name in self._names - self._unsupported if name in error.detail)
        self._unsupported |= refused
        return bool(refused)


def request(server: Server, body: dict[str, Any], kind: type[T], optional: OptionalFields | None = None) -> T:
    """Send a request and decode the response.

    Every failure is a ModelError.
    """
    headers = {"Accept": "application/json", **_authorize(server)}
    # One wait may take longer than the whole request is allowed to: then the deadline ends it, with its own message.
    unlimited = 2.0 * server.seconds + 1.0
    policy = RetryPolicy(
        server.try_seconds or unlimited,
        server.tries,
        _FIRST_WAIT,
        max_wait=server.seconds,
        max_bytes=server.max_bytes,
    )

    def work(abandoned: Event) -> bytes:
        clock = _interruptible(server.clock, abandoned)
        return _send(
            body, optional or OptionalFields(), lambda content: post(server.url, headers, content, policy, clock)
        )

    late = ModelError(
        f"{server.name} gave no answer within {server.seconds:g} seconds.",
        "Allow more time, or choose a faster model.",
    )
    try:
        content = run_with_deadline(server.seconds, work, late)
    except HttpStatusError as error:
        raise _describe_refusal(server, error) from None  # its cause may quote the request
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ModelError(
            f"{server.name} sent an answer that cannot be used: {reason}.", "Check the address and the model's name."
        ) from None


def run_with_deadline(seconds: float, work: Callable[[Event], T], late: ModelError) -> T:
    """Run work in a thread and raise `late` if it is not done in time.

    The time limit of a socket starts again with every byte, and resolving a name has none. So the thread may outlive
    the deadline; the event signals that its result is no longer wanted.
    """
    results: SimpleQueue[T | BaseException] = SimpleQueue()
    abandoned = Event()

    def worker() -> None:
        try:
            results.put(work(abandoned))
        except BaseException as error:  # noqa: BLE001 - raised in the waiting thread
            results.put(error)

    Thread(target=worker, name="waymeet-request", daemon=True).start()
    try:
        result = results.get(timeout=seconds)
    except Empty:
        abandoned.set()
        raise late from None
    if isinstance(result, BaseException):
        raise result.with_traceback(None) if isinstance(result, WaymeetError) else result
    return result


def _send(body: dict[str, Any], optional: OptionalFields, send: Callable[[bytes], bytes]) -> bytes:
    """Send a body, and send it again without the optional fields that the server refuses."""
    try:
        return send(msgspec.json.encode(optional.remove_unsupported(body)))
    except HttpStatusError as error:
        if not optional.record_refusal(error):
            raise
    return send(msgspec.json.encode(optional.remove_unsupported(body)))


def _authorize(server: Server) -> dict[str, str]:
    """Build the Authorization header, but only for an encrypted or local connection."""
    parts = urlsplit(server.url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
        raise ModelError(
            f"{server.name} has no usable address.", "It is like https://host/v1, without name or password."
        )
    if not server.key:
        return {}
    if not (server.key.isascii() and server.key.isprintable()) or " " in server.key:
        raise ModelError(f"{server.variable} does not hold a key.", "A key is one word of ASCII characters.")
    if parts.scheme != "https" and not is_loopback(parts.hostname):
        raise ModelError(
            f"No request was sent to {server.host}: the key would be sent unencrypted.",
            "Use https, or no key for this server.",
        )
    return {"Authorization": f"Bearer {server.key}"}


def _interruptible(clock: Clock, abandoned: Event) -> Clock:
    """End abandoned work at its next pause, before it sends another request."""

    def wait(seconds: float) -> None:
        if not abandoned.is_set():
            clock.wait(seconds)
        if abandoned.is_set():
            raise Abandoned

    return clock._replace(wait=wait)


def _describe_refusal(server: Server, error: HttpStatusError) -> ModelError:
    detail = f": {error.detail}" if error.detail and not _quotes_key(server.key, error.detail) else ""
    if error.status in {401, 403}:
        hint = (
            f"Check the key in {server.variable}."
            if server.key
            else "The server requires a key: name its variable in the settings."
        )
        return ModelError(f"{server.name} does not accept the key (HTTP {error.status}){detail}", hint)
    if error.status == 429:
        return ModelError(f"{server.name} received too many requests (HTTP 429){detail}", "Try again later.")
    if 300 <= error.status < 400:
        hint = "Set the final address: requests are not redirected to another server."
        return ModelError(f"{server.host} redirects to another address (HTTP {error.status}).", hint)
    hint = "Check the address and the model's name." if error.status < 500 else "Try again later."
    return ModelError(f"{server.name} answered with an error (HTTP {error.status}){detail}", hint)


def _quotes_key(key: str, text: str) -> bool:
    """Check whether a text repeats a recognisable part of a key."""
    if not key or len(key) <= _KEY_PART:
        return bool(key) and key in text
    return any(key[start : start + _KEY_PART] in text for start in range(len(key) - _KEY_PART + 1))


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
