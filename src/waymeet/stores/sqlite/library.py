"""The segments of an index: mapped once, kept as long as any generation in use names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.stores.segments.container import BrokenContainerError, Container
from waymeet.stores.segments.segment import Segment
from waymeet.stores.sqlite import shelf, vectorshelf
from waymeet.stores.sqlite.lexical import Lexicon
from waymeet.stores.sqlite.loose import Loose

if TYPE_CHECKING:
    from pathlib import Path

    from waymeet.stores.sqlite.sessions import Session
    from waymeet.stores.sqlite.vectorshelf import Shelved


class LostSegmentError(Exception):
    """The file of a segment is gone or broken."""

    def __init__(self, segment: int, cause: str, *, vectors: bool = False) -> None:
        super().__init__(cause)
        self.segment = segment
        self.vectors = vectors
        """Whether it is one of vectors, which are numbered apart."""


class Library:
    """Knows the files of segments and what was worked out from them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._containers: dict[str, Container] = {}
        self._opened: tuple[int, dict[int, Container], dict[Shelved, Container]] = (-1, {}, {})
        self._segments: dict[int, Segment] = {}
        self._lexicon: tuple[tuple[int, int], Lexicon] | None = None

    def open(self, session: Session) -> None:
        """Map the files that a session's generation names, before anybody can remove them.

        Raises:
            LostSegmentError: one of them cannot be mapped.
        """
        if self._opened[0] == session.shelving:
            _, session.segments, session.vectors = self._opened
            return
        words = shelf.segments(session.connection)
        vectors = vectorshelf.segments(session.connection)
        known = self._containers
        segments = {segment: known.get(file) or self._mapped(segment, file) for segment, file in words.items()}
        files = {each: known.get(each.file) or self._mapped(each.segment, each.file, vectors=True) for each in vectors}
        self._containers = {each.path.name: each for each in (*segments.values(), *files.values())}
        session.segments, session.vectors = segments, files
        self._opened = (session.shelving, segments, files)

    def lexicon(self, session: Session) -> Lexicon:
        """Give the words of a session's generation."""
        key = (session.generation, session.shelving)
        if self._lexicon is not None and self._lexicon[0] == key:
            return self._lexicon[1]
        dead = shelf.dead(session.connection)
        old, self._segments = self._segments, {}
        segments = {}
        for number, container in session.segments.items():
            known = old.get(number)
            gone = dead.get(number, set())
            fits = known is not None and known.container is container and known.dead == gone
            segments[number] = known if known is not None and fits else Segment(container, gone)
        loose = [document for document, _ in shelf.loose(session.connection)]
        lexicon = Lexicon(segments, Loose(shelf.leaves(session.connection, loose)))
        if self._lexicon is not None:
            lexicon.inherit(self._lexicon[1])
        self._segments = segments
        self._lexicon = (key, lexicon)
        return lexicon

    def _mapped(self, segment: int, file: str, *, vectors: bool = False) -> Container:
        try:
            return Container(self.folder / file)
        except (OSError, BrokenContainerError) as error:
            raise LostSegmentError(segment, f"the segment {file} cannot be used: {error}", vectors=vectors) from error
