"""One-time codes, and the sessions of browsers.

Codes and sessions are kept in memory, as digests, so that they end with the server.
"""

import secrets
from collections.abc import Callable
from hashlib import sha256
from hmac import compare_digest
from time import time
from typing import NamedTuple

CODE_SECONDS = 120.0
"""Time within which a code must be used."""
_MAX_CODES = 20
_MAX_SESSIONS = 20
"""Sessions of one holder."""
_MAX_MESSAGES = 20


class Message(NamedTuple):
    """A message for the next page that a browser loads."""

    text: str
    kind: str = "done"
    """done, warning or error."""
    url: str = ""
    """A page that the message is about."""


class Session(NamedTuple):
    """A browser that is signed in."""

    form_token: str
    """What every form must send, which no page of another origin can read."""
    started: float
    used: float
    messages: list[Message]
    """What the next page shows."""
    holder: str = ""
    """Who has signed in; empty for the user who runs the server."""

    def has_form_token(self, token: str) -> bool:
        """Tell whether a form was made for this session."""
        return compare_digest(self.form_token.encode(), token.encode())

    def add_message(self, message: Message) -> None:
        """Add a message for the next page."""
        self.messages.append(message)
        del self.messages[:-_MAX_MESSAGES]

    def take_messages(self) -> list[Message]:
        """Take the messages for this page."""
        messages = list(self.messages)
        self.messages.clear()
        return messages


class Sessions:
    """Codes and sessions of one server."""

    def __init__(self, idle_seconds: float, max_seconds: float, now: Callable[[], float] = time) -> None:
        """Sessions end after `idle_seconds` without a request, and always after `max_seconds`."""
        self._idle_seconds, self.max_seconds, self._now = idle_seconds, max_seconds, now
        self._codes: dict[bytes, float] = {}
        self._sessions: dict[bytes, Session] = {}

    def make_code(self) -> str:
        """Make a code that starts one session."""
        code = secrets.token_urlsafe(32)
        self._remove_expired()
        _limit(self._codes, _MAX_CODES - 1)
        self._codes[_digest(code)] = self._now()
        return code

    def start(self, code: str) -> str:
        """Use a code and return the value of the cookie, or an empty text for a wrong code."""
        self._remove_expired()
        if self._codes.pop(_digest(code), None) is None:
            return ""
        return self.add()

    def add(self, holder: str = "") -> str:
        """Start a session and return the value of its cookie.

        The oldest ones of the same holder end.
        """
        self._remove_expired()
        own = [key for key, session in self._sessions.items() if session.holder == holder]
        for key in own[: max(len(own) - _MAX_SESSIONS + 1, 0)]:
            del self._sessions[key]
        value = secrets.token_urlsafe(32)
        self._sessions[_digest(value)] = Session(secrets.token_urlsafe(32), self._now(), self._now(), [], holder)
        return value

    def get(self, value: str) -> Session | None:
        """Find the session of a cookie."""
        self._remove_expired()
        return self._sessions.get(_digest(value))

    def find(self, value: str) -> Session | None:
        """Find the session of a cookie, and note that it was used."""
        self._remove_expired()
        key = _digest(value)
        session = self._sessions.pop(key, None)
        if session is not None:
            self._sessions[key] = session = session._replace(used=self._now())  # the last one is the newest
        return session

    def end(self, value: str) -> None:
        """End the session of a cookie."""
        self._sessions.pop(_digest(value), None)

    def end_all(self) -> int:
        """End all sessions and codes, and return the number of sessions."""
        self._remove_expired()
        count = len(self._sessions)
        self._sessions.clear()
        self._codes.clear()
        return count

    def _remove_expired(self) -> None:
        now = self._now()
        self._codes = {key: made for key, made in self._codes.items() if now - made < CODE_SECONDS}
        self._sessions = {
            key: session
            for key, session in self._sessions.items()
            if now - session.used < self._idle_seconds and now - session.started < self.max_seconds
        }


def _digest(value: str) -> bytes:
    return sha256(value.encode("utf-8", "surrogatepass")).digest()


def _limit(entries: dict[bytes, float], most: int) -> None:
    """Remove the oldest entries above a number."""
    for key in list(entries)[: max(len(entries) - most, 0)]:
        del entries[key]
