"""Read sessions on an index whose segment files may have been lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.stores.sqlite.database.errors import UnreadableError, translate_errors
from waymeet.stores.sqlite.segments.open_segments import LostSegmentError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from waymeet.stores.sqlite.database.sessions import Session, Sessions

_ATTEMPTS = 3


class _Reading:
    """A read within one generation.

    A search has about a hundred of them: a class costs a fifth of nested generators.
    """

    __slots__ = ("_reader", "_session", "_sessions")

    def __init__(self, reader: IndexReader, sessions: Sessions) -> None:
        self._reader, self._sessions = reader, sessions

    def __enter__(self) -> Session:
        self._session = self._reader.begin()
        return self._session

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is not None:
                with self._sessions.translating(self._session):
                    raise error
        finally:
            self._sessions.end(self._session)


class IndexReader:
    """Opens read sessions and has lost segments repaired first.

    Segments are derived from the tables, so a missing or corrupt file does not make a read fail: `repair` removes it
    from the registry, and the read starts again.
    """

    def __init__(self, sessions: Sessions, repair: Callable[[LostSegmentError], None]) -> None:
        self._sessions = sessions
        self._repair = repair

    def begin(self) -> Session:
        """Pin the newest generation. `Sessions.end` releases it."""
        for attempt in range(_ATTEMPTS):
            try:
                return self._sessions.begin()
            except LostSegmentError as lost:
                # A merge may have removed the file a moment ago. Then the next attempt finds another list of segments,
                # and nothing is lost. So the first failure is not repaired.
                if attempt == _ATTEMPTS - 2:
                    self._repair(lost)
        with translate_errors(self._sessions.path):
            try:
                return self._sessions.begin()
            except LostSegmentError as lost:
                raise UnreadableError(str(lost)) from lost

    def reading(self) -> _Reading:
        """Read within one generation."""
        return _Reading(self, self._sessions)
