"""Asking a server while somebody waits: one deadline, checked answers, and no key in any error."""

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec

from waymeet.errors import ModelError, WaymeetError
from waymeet.models.remote.http import Clock, HttpStatusError, RetryPolicy, is_loopback, post

T = TypeVar("T")


class GivenUp(Exception):  # noqa: N818 - only tells abandoned work to end
    """Nobody waits for the answer any more."""


def within(seconds: float, work: Callable[[Event], T], late: ModelError) -> T:
    """Do some work, but wait no longer for it; the event tells work that was given up to end.

    A socket's own time limit starts anew with every byte, and resolving a name has none at all, so the work is done in
    a thread that can be left behind.
    """
    done: SimpleQueue[T | BaseException] = SimpleQueue()
    given_up = Event()

    def worker() -> None:
        try:
            done.put(work(given_up))
        except BaseException as error:  # noqa: BLE001 - handed over and raised where it belongs
            done.put(error)

    Thread(target=worker, name="waymeet-asking", daemon=True).start()
    try:
        result = done.get(timeout=seconds)
    except Empty:
        given_up.set()
        raise late from None
    if isinstance(result, BaseException):
        raise result.with_traceback(None) if isinstance(result, WaymeetError) else result
    return result


_MOST_BYTES = 4_000_000
_TRIES = 3
_FIRST_WAIT = 0.25
_TELLING = 8
"""So many characters of a key in a row must not be repeated."""
_DISLIKE = frozenset({400, 422})
"""How servers answer that do not know something in a request."""
_TASTES: dict[tuple[str, object], frozenset[str]] = {}
"""What servers would not take, by address and model: so that they are offered it once, not with every question."""


class Server(NamedTuple):
    """Who is asked, and how long that may take."""

    name: str
    url: str
    key: str = ""
    variable: str = ""
    """The environment variable that the key came from."""
    seconds: float = 10.0
    """For everything, tries and waits included."""
    clock: Clock = Clock()
    tries: int = _TRIES
    try_seconds: float | None = None
    """For one try; none leaves it to the deadline of all together."""
    most_bytes: int = _MOST_BYTES
    """Of an answer."""

    def __repr__(self) -> str:
        return f"Server({self.name}, {self.host})"  # never the key

    @property
    def host(self) -> str:
        """Name the server without anything that the address may hold beside it."""
        return urlsplit(self.url).netloc.rpartition("@")[2]


def ask(server: Server, body: dict[str, Any], kind: type[T], optional: frozenset[str] = frozenset()) -> T:
    """Send a request and read the answer as a kind of record; everything that can go wrong is a ModelError.

    What is `optional` in the body is left out if the server refuses it by name.
    """
    headers = {"User-Agent": "waymeet", "Accept": "application/json", **_authority(server)}
    # A single wait may last longer than all together: so it is always the deadline that says it was too long.
    longest = 2.0 * server.seconds + 1.0
    manners = RetryPolicy(
        server.try_seconds or longest,
        server.tries,
        _FIRST_WAIT,
        longest_wait=server.seconds,
        most_bytes=server.most_bytes,
    )
    late = ModelError(
        f"{server.name} gave no answer within {server.seconds:g} seconds.",
        "Allow it more time, or try a quicker model.",
    )
    try:
        answer = within(
            server.seconds,
            lambda given_up: _sent(
                body,
                optional,
                server,
                lambda sent: post(server.url, headers, sent, manners, _ending(server.clock, given_up)),
            ),
            late,
        )
    except HttpStatusError as refused:
        raise _refusal(server, refused) from None  # its cause may quote the request
    try:
        return msgspec.json.decode(answer, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        told = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ModelError(
            f"{server.name} sent an answer that cannot be used: {told}.", "Check the address and the model's name."
        ) from None


def _sent(body: dict[str, Any], optional: frozenset[str], server: Server, send: Callable[[bytes], bytes]) -> bytes:
    """Send a body; if the server names something optional in its refusal, send it once more without that."""
    who = server.url, body.get("model")
    missing = _TASTES.get(who, frozenset())
    try:
        return send(msgspec.json.encode({key: value for key, value in body.items() if key not in missing}))
    except HttpStatusError as refused:
        disliked = frozenset(key for key in optional - missing if refused.status in _DISLIKE and key in refused.told)
        if not disliked:
            raise
    _TASTES[who] = missing | disliked
    return send(msgspec.json.encode({key: value for key, value in body.items() if key not in _TASTES[who]}))


def _authority(server: Server) -> dict[str, str]:
    """Show the key, but only to a server that nobody can listen in on."""
    parts = urlsplit(server.url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
        raise ModelError(
            f"{server.name} has no usable address.", "It is like https://host/v1, without name or password."
        )
    if not server.key:
        return {}
    if not (server.key.isascii() and server.key.isprintable()) or " " in server.key:
        raise ModelError(f"{server.variable} does not hold a key.", "A key is one word of plain characters.")
    if parts.scheme != "https" and not is_loopback(parts.hostname):
        raise ModelError(
            f"{server.host} is not asked: a key would travel in the open.", "Use https, or no key for this server."
        )
    return {"Authorization": f"Bearer {server.key}"}


def _ending(clock: Clock, given_up: Event) -> Clock:
    """Let work that nobody waits for end at its next pause, before it asks again."""

    def wait(seconds: float) -> None:
        if not given_up.is_set():
            clock.wait(seconds)
        if given_up.is_set():
            raise GivenUp

    return clock._replace(wait=wait)


def _refusal(server: Server, refused: HttpStatusError) -> ModelError:
    said = f": {refused.told}" if refused.told and not _tells(server.key, refused.told) else ""
    if refused.status in {401, 403}:
        hint = (
            f"Check the key in {server.variable}."
            if server.key
            else "It wants a key: name its variable in the settings."
        )
        return ModelError(f"{server.name} does not accept the key (HTTP {refused.status}){said}", hint)
    if refused.status == 429:
        return ModelError(f"{server.name} answers too many requests (HTTP 429){said}", "Try again later.")
    if 300 <= refused.status < 400:
        hint = "Set the address it really has: a question is never carried on to another server."
        return ModelError(f"{server.host} sends elsewhere (HTTP {refused.status}).", hint)
    hint = "Check the address and the model's name." if refused.status < 500 else "Try again later."
    return ModelError(f"{server.name} answers with an error (HTTP {refused.status}){said}", hint)


def _tells(key: str, text: str) -> bool:
    """Tell whether a text repeats a telling part of a key."""
    if not key or len(key) <= _TELLING:
        return bool(key) and key in text
    return any(key[at : at + _TELLING] in text for at in range(len(key) - _TELLING + 1))


def well_formed(text: str) -> str:
    """Replace halves of characters, which cannot be sent."""
    return text.encode("utf-8", "replace").decode("utf-8")
