"""The segments of an index: mapped once, kept as long as any generation in use names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from waymeet.stores.segments.array_file import BrokenContainerError, Container
from waymeet.stores.segments.checksums import Trust
from waymeet.stores.segments.reader import Segment
from waymeet.stores.sqlite.read.lexicon import Lexicon
from waymeet.stores.sqlite.segments import adjacency, registry, vector_registry
from waymeet.stores.sqlite.segments.buffer import WriteBuffer

if TYPE_CHECKING:
    from pathlib import Path

    from waymeet.stores.sqlite.database.sessions import Session
    from waymeet.stores.sqlite.segments.vector_registry import Shelved


Holds = Literal["words", "vectors", "links"]


class LostSegmentError(Exception):
    """The file of a segment is gone or broken."""

    def __init__(self, segment: int, cause: str, holds: Holds) -> None:
        super().__init__(cause)
        self.segment = segment
        self.holds = holds
        """What it held; each sort is numbered apart."""


class _Opened(NamedTuple):
    """The files that were mapped when segments had been registered so often."""

    shelving: int
    segments: dict[int, Container]
    vectors: dict[Shelved, Container]
    graph: tuple[adjacency.Shelved, Container] | None


class OpenSegments:
    """Knows the files of segments and what was worked out from them.

    Threads share it without a lock. Each works with what it has taken in hand once, for another may be in another
    generation and replace what is kept here at any moment; then something is worked out twice, and nothing is mixed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._trust = Trust()
        self._containers: dict[str, Container] = {}
        self._opened = _Opened(-1, {}, {}, None)
        self._segments: dict[int, Segment] = {}
        self._surroundings: tuple[tuple[int, int], adjacency.Surroundings] | None = None
        self._lexicon: tuple[tuple[int, int], Lexicon] | None = None

    def open(self, session: Session) -> None:
        """Map the files that a session's generation names, before anybody can remove them.

        Raises:
            LostSegmentError: one of them cannot be mapped.
        """
        known = self._opened
        if known.shelving != session.shelving or not self._trust.broken.isdisjoint(self._containers):
            known = self._opened = self._mapped_for(session)
        _, session.segments, session.vectors, session.graph = known

    def _mapped_for(self, session: Session) -> _Opened:
        words = registry.segments(session.connection)
        vectors = vector_registry.segments(session.connection)
        known = {name: each for name, each in self._containers.items() if name not in self._trust.broken}
        segments = {number: known.get(file) or self._mapped(number, file, "words") for number, file in words.items()}
        files = {each: known.get(each.file) or self._mapped(each.segment, each.file, "vectors") for each in vectors}
        named = adjacency.named(session.connection)
        graph = (named, known.get(named.file) or self._mapped(named.number, named.file, "links")) if named else None
        mapped = (*segments.values(), *files.values(), *((graph[1],) if graph else ()))
        self._containers = {each.path.name: each for each in mapped}
        return _Opened(session.shelving, segments, files, graph)

    def lexicon(self, session: Session) -> Lexicon:
        """Give the words of a session's generation."""
        key, before = (session.generation, session.shelving), self._lexicon
        if before is not None and before[0] == key:
            return before[1]
        dead = registry.dead(session.connection)
        old, self._segments = self._segments, {}
        segments = {}
        for number, container in session.segments.items():
            known = old.get(number)
            gone = dead.get(number, set())
            fits = known is not None and known.container is container and known.dead == gone
            segments[number] = known if known is not None and fits else Segment(container, gone)
        loose = [document for document, _ in registry.loose(session.connection)]
        lexicon = Lexicon(segments, WriteBuffer(registry.leaves(session.connection, loose)))
        if before is not None:
            lexicon.inherit(before[1])
        self._segments = segments
        self._lexicon = (key, lexicon)
        return lexicon

    def surroundings(self, session: Session) -> adjacency.Surroundings:
        """Say who is linked with whom in a session's generation."""
        key = (session.generation, session.shelving)
        known = self._surroundings
        if known is None or known[0] != key:
            known = self._surroundings = (key, adjacency.Surroundings(session.graph, session.connection))
        return known[1]

    def _mapped(self, segment: int, file: str, holds: Holds) -> Container:
        try:
            container = Container(self.folder / file)
            self._trust.admit(container)
        except (OSError, BrokenContainerError) as error:
            raise LostSegmentError(segment, f"the segment {file} cannot be used: {error}", holds) from error
        return container

    def look_through(self) -> None:
        """Look through the mapped files as far as that was put off; what is broken is lost to the next session."""
        self._trust.finish()
