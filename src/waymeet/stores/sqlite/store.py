"""The store in one SQLite file: the public face; the work is done next door."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from waymeet.stores.shared import bm25f
from waymeet.stores.shared.corpus_profile import textured
from waymeet.stores.shared.validation import checked
from waymeet.stores.shared.vectors import usual
from waymeet.stores.sqlite.database.connection import opened
from waymeet.stores.sqlite.database.sessions import Session, Sessions, raise_generation
from waymeet.stores.sqlite.database.term_ids import Glossary, numbers
from waymeet.stores.sqlite.read import queries
from waymeet.stores.sqlite.read import vectors as vector_table
from waymeet.stores.sqlite.read.filters import FilterResult, FilterSet, Place, admission
from waymeet.stores.sqlite.read.top_k import leading, ranked
from waymeet.stores.sqlite.segments.index_reader import IndexReader
from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits, SegmentMaintenance
from waymeet.stores.sqlite.segments.open_segments import OpenSegments
from waymeet.stores.sqlite.write import documents as document_table
from waymeet.stores.sqlite.write import edges as edge_table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from waymeet.ports import CorpusProfile, Counts, Neighbour, Vector
    from waymeet.settings import Bm25
    from waymeet.stores.sqlite.check.check import CheckResult
    from waymeet.stores.sqlite.read.vectors import VectorSpace
    from waymeet.types import Chunk, Document, Edge, Evidence, Filters, Fingerprint, IndexEntry, Ranking, Word

TIMEOUT = 30.0
"""How long to wait, in seconds, for another process to finish a change."""


_MOST_ADMISSIONS = 16
"""Filters whose outcome is kept at hand."""
_HANDS_FULL = 5
"""How many times the most that is looked up by hand for one question is looked up so for all of them."""


class _Remembered:
    """What was worked out for one generation and holds until the next."""

    def __init__(self, of: tuple[int, int]) -> None:
        self.of = of
        """The generation, and how often segments were registered."""
        self.holding: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {}
        """How many chunks hold the terms of a word in some fields."""
        self.spaces: dict[str, VectorSpace | None] = {}
        self.admissions: dict[Filters, FilterResult] = {}
        self.places: dict[int, Place] = {}
        self.edges: edge_table.Known = {}
        self.coverage: dict[frozenset[str], tuple[int, int]] = {}
        """How many chunks have a vector in any of some spaces, and how many there are."""
        self.texture: CorpusProfile | None = None


class SqliteStore:
    """A store that keeps everything in one file, and beside it what makes answers quick."""

    def __init__(self, sessions: Sessions, library: OpenSegments, effort: MaintenanceLimits) -> None:
        self._sessions = sessions
        self._library = library
        self._effort = effort
        self._upkeep = SegmentMaintenance(sessions, library.folder, effort)
        self._reader = IndexReader(sessions, self._upkeep.mend)
        self._glossary = Glossary()
        self._worked = 0
        """Occurrences looked up by hand so far."""
        self._remembered = _Remembered((-1, -1))

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        create: bool = False,
        timeout: float = TIMEOUT,
        effort: MaintenanceLimits | None = None,
    ) -> SqliteStore:
        """Open an index file; with `create`, make it and its folder if there is none.

        Raises:
            NoIndexError: there is no file, and `create` is off.
            NewerIndexError: a newer Waymeet wrote it.
            DamagedIndexError: it is not an index, or a broken one.
            BusyIndexError: another process holds it for longer than the timeout, in seconds.
            IndexUnavailableError: it cannot be read or written for another reason.
        """
        place = Path(path).absolute()
        library = OpenSegments(place.with_name(f"{place.name}.segments"))
        sessions = Sessions(place, timeout, opened(place, timeout, create=create), library.open)
        return cls(sessions, library, effort or MaintenanceLimits())

    def close(self) -> None:
        """Let go of the file."""
        self._sessions.close()

    # --- generations -------------------------------------------------------------------------------------------

    @property
    def generation(self) -> int:
        """Say how many changes were committed so far."""
        with self._reader.reading() as session:
            return session.generation

    @contextmanager
    def snapshot(self) -> Iterator[int]:
        """Hold one generation for several questions of this thread."""
        session = self._reader.begin()
        try:
            yield session.generation
        finally:
            self._sessions.end(session)

    def _memory(self, session: Session) -> _Remembered:
        remembered = self._remembered
        if remembered.of != (session.generation, session.shelving):
            remembered = self._remembered = _Remembered((session.generation, session.shelving))
        return remembered

    # --- changes -----------------------------------------------------------------------------------------------

    def put(self, entries: Sequence[IndexEntry]) -> None:
        """Add documents, replacing those of the same id."""
        new = checked(entries)
        if not new:
            return
        with self._sessions.writing() as connection:
            terms = document_table.put(connection, new, self._glossary)
            raise_generation(connection)
        self._glossary.remember(terms)
        self._upkeep.shelve()

    def optimize(self) -> None:
        """Shelve loose documents, merge small segments, clear away what is no longer needed."""
        self._library.look_through()
        self._upkeep.tidy()

    def repaired_files(self) -> tuple[str, ...]:
        """Say which files were found damaged and made anew since this was last asked."""
        found, self._upkeep.mended = tuple(self._upkeep.mended), []
        return found

    def check(self, *, repair: bool = False) -> CheckResult:
        """Look for damage in the truth and in what was derived from it; with `repair`, mend what can be mended.

        What was derived is made anew. Documents that cannot be read are dropped, so that their files are read again.
        A file that SQLite cannot read is replaced by one with what can be saved of it; then this store is closed and
        has to be opened again.
        """
        from waymeet.stores.sqlite.check import check, salvage  # noqa: PLC0415 - needed in an emergency only

        path, timeout = self._sessions.path, self._sessions.timeout
        with self._upkeep.alone(timeout if repair else 0.0) as alone:
            verdict = check.check(path, self._library.folder, timeout, repair=repair and alone, strays=alone)
        if not (repair and alone):
            return verdict
        if verdict.lost:
            self.close()
            return salvage.renewed(path, timeout, verdict)
        self.optimize()
        return verdict

    def drop(self, documents: Collection[str]) -> None:
        """Remove documents with all that belongs to them."""
        if not documents:
            return
        with self._sessions.writing() as connection:
            if document_table.drop(connection, documents):
                raise_generation(connection)

    def put_vectors(self, space: str, vectors: Mapping[str, Vector], digests: Mapping[str, str] | None = None) -> None:
        """Keep a unit vector per chunk in a space."""
        if not vectors:
            return
        with self._sessions.writing() as connection:
            if vector_table.put(connection, space, vectors, digests):
                raise_generation(connection)
        self._upkeep.shelve_vectors()

    def drop_vectors(self, gone: Mapping[str, Collection[str] | None], metadata: Mapping[str, str]) -> None:
        """Forget vectors and keep remarks, both at once."""
        with self._sessions.writing() as connection:
            if sum([vector_table.forget(connection, space, chunks) for space, chunks in gone.items()]):
                raise_generation(connection)
            connection.executemany("INSERT OR REPLACE INTO metadata VALUES (?, ?)", metadata.items())

    def set_metadata(self, key: str, value: str) -> None:
        """Keep a short remark; this is no new generation."""
        with self._sessions.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO metadata VALUES (?, ?)", (key, value))

    # --- ranked lists ------------------------------------------------------------------------------------------

    def rank_lexical(self, words: Sequence[Word], limit: int, filters: Filters, bm25: Bm25) -> Ranking:
        """Rank chunks by BM25F."""
        fields = bm25f.counted(bm25)
        with self._reader.reading() as session:
            lexicon, gate = self._library.lexicon(session), self._gate(session, filters)
            terms = [numbers(session.connection, word.terms) for word in words]
            work = lexicon.work(term for each in terms for term in each)
            if work <= self._affordable():
                self._worked += work
                postings = [lexicon.postings(each, fields) for each in terms]
                holding = list(map(bm25f.holding, postings))
                scores = bm25f.scores(words, postings, lexicon.statistics, bm25)
                found = ranked(leading(gate, scores, limit), scores, limit)
            else:
                from waymeet.stores.sqlite.read import bulk_ranking  # noqa: PLC0415 - numpy costs more than a small search

                found, holding = bulk_ranking.rank(
                    lexicon, list(zip(words, terms, strict=True)), bm25, gate, max(limit, 0)
                )
            memory = self._memory(session)
            memory.holding.update({(word.terms, fields): n for word, n in zip(words, holding, strict=True)})
            return found

    def _affordable(self) -> int:
        """Say how many occurrences are looked up by hand.

        A process that asks much has soon spent as much on loops as numpy costs to import: then it pays.
        """
        paid = "numpy" in sys.modules or self._worked > _HANDS_FULL * self._effort.by_hand
        return self._effort.by_hand_anyway if paid else self._effort.by_hand

    def lexical_evidence(
        self, words: Sequence[Word], chunks: Collection[str], bm25: Bm25
    ) -> Mapping[str, tuple[Evidence, ...]]:
        """Take the lexical score of some chunks apart; every known chunk gets an answer, if an empty one."""
        fields = bm25f.counted(bm25)
        with self._reader.reading() as session:
            lexicon, connection = self._library.lexicon(session), session.connection
            numbered = queries.numbers(connection, chunks)
            terms = [numbers(connection, word.terms) for word in words]
            here = lexicon.postings_in(connection, terms, fields, numbered.values())
            held = [self._holding(session, word, fields) for word in words]
            found = bm25f.evidence(words, here, lexicon.statistics, bm25, held=held, chunks=numbered.values())
            return {chunk: found[number] for chunk, number in numbered.items()}

    def chunk_frequencies(self, words: Sequence[Word], bm25: Bm25) -> tuple[int, ...]:
        """Count the chunks in which each word occurs."""
        fields = bm25f.counted(bm25)
        with self._reader.reading() as session:
            return tuple(self._holding(session, word, fields) for word in words)

    def rank_vectors(self, space: str, vector: Vector, limit: int, filters: Filters) -> Ranking:
        """Rank the chunks of a space by cosine similarity."""
        with self._reader.reading() as session:
            known = self._space(session, space)
            if known is None:
                return ()
            return known.rank(known.question(vector, space), limit, self._gate(session, filters))

    def similarity_statistics(self, space: str, vector: Vector) -> tuple[float, float]:
        """Give mean and standard deviation of a space's similarities to a vector."""
        with self._reader.reading() as session:
            known = self._space(session, space)
            if known is None:
                return 0.0, 0.0
            return usual([part.matrix for part in known.parts], known.question(vector, space))

    def _holding(self, session: Session, word: Word, fields: tuple[str, ...]) -> int:
        holding = self._memory(session).holding
        key = (word.terms, fields)
        if key not in holding:
            terms = numbers(session.connection, word.terms)
            holding[key] = len(self._library.lexicon(session).holding(terms, fields))
        return holding[key]

    def _gate(self, session: Session, filters: Filters) -> FilterSet:
        admissions = self._memory(session).admissions
        known = admissions.get(filters)  # another thread may drop it at any moment
        if known is None:
            lexicon = self._library.lexicon(session) if filters.without or filters.phrases else None
            for old in tuple(admissions)[: max(len(admissions) + 1 - _MOST_ADMISSIONS, 0)]:  # each may name every chunk
                admissions.pop(old, None)
            known = admissions[filters] = admission(session.connection, filters, lexicon)
        return FilterSet(session.connection, filters, known, self._memory(session).places)

    def _space(self, session: Session, name: str) -> VectorSpace | None:
        spaces = self._memory(session).spaces
        if name not in spaces:
            spaces[name] = vector_table.load(session, name)
        return spaces[name]

    # --- what is there -----------------------------------------------------------------------------------------

    def chunks_without_vector(self, spaces: Collection[str], limit: int) -> Sequence[str]:
        """Name chunks that none of the spaces has a vector for, the most urgent first."""
        with self._reader.reading() as session:
            return queries.without_vector(session.connection, spaces, limit)

    def chunks_with_vector(self, spaces: Collection[str], chunks: Collection[str]) -> frozenset[str]:
        """Say which of some chunks have a vector in any of the spaces."""
        with self._reader.reading() as session:
            return queries.with_vector(session.connection, spaces, chunks)

    def edges(self, documents: Collection[str], kinds: Collection[str] = ()) -> Sequence[Edge]:
        """List the edges that start or end at any of the documents, by document and position."""
        with self._reader.reading() as session:
            return edge_table.touching(session.connection, documents, kinds, self._memory(session).edges)

    def neighbours(
        self, documents: Collection[str], kinds: Collection[str] = ()
    ) -> Mapping[str, tuple[Neighbour, ...]]:
        """Give for each document those that links connect it with."""
        with self._reader.reading() as session:
            return self._library.surroundings(session).neighbours(session.connection, documents, kinds)

    def chunks(self, ids: Collection[str]) -> Mapping[str, Chunk]:
        """Fetch chunks by id."""
        with self._reader.reading() as session:
            return queries.chunks(session.connection, ids)

    def chunks_of(self, documents: Collection[str]) -> Mapping[str, tuple[Chunk, ...]]:
        """Fetch all chunks of some documents, in order."""
        with self._reader.reading() as session:
            return queries.chunks_of(session.connection, documents)

    def chunk_counts(self, documents: Collection[str]) -> Mapping[str, int]:
        """Say how many chunks each of some documents has."""
        with self._reader.reading() as session:
            return queries.sections(session.connection, documents)

    def documents(self, ids: Collection[str]) -> Mapping[str, Document]:
        """Fetch documents by id."""
        with self._reader.reading() as session:
            return queries.documents(session.connection, ids)

    def documents_by_key(
        self, keys: Collection[str], max_documents: int | None = None
    ) -> Mapping[str, tuple[str, ...]]:
        """Say which documents carry each of the keys; one that none, or more than so many, carry is left out."""
        with self._reader.reading() as session:
            return queries.named(session.connection, keys, max_documents)

    def first_passing_chunks(self, documents: Collection[str], filters: Filters) -> Mapping[str, str]:
        """Give the first chunk of each of the documents that passes the filters."""
        with self._reader.reading() as session:
            return self._gate(session, filters).passing(documents)

    def terms_with_prefix(self, prefix: str, limit: int) -> Sequence[str]:
        """List the terms that begin with a prefix, those used in most places first."""
        with self._reader.reading() as session:
            return queries.vocabulary(session.connection, self._library.lexicon(session), prefix, limit)

    def known_terms(self, terms: Collection[str]) -> frozenset[str]:
        """Say which of some terms any chunk holds."""
        with self._reader.reading() as session:
            return queries.holds(session.connection, self._library.lexicon(session), terms)

    def fingerprints(self) -> Mapping[str, Fingerprint]:
        """Give the fingerprint of every document, by id."""
        with self._reader.reading() as session:
            return queries.fingerprints(session.connection)

    def coverage(self, spaces: Collection[str]) -> tuple[int, int]:
        """Say how many chunks have a vector in any of the spaces, and how many there are."""
        with self._reader.reading() as session:
            counted, asked = self._memory(session).coverage, frozenset(spaces)
            if asked not in counted:  # counting takes milliseconds where there is much, and every search asks
                counted[asked] = queries.coverage(session.connection, asked)
            return counted[asked]

    def spaces(self) -> Mapping[str, int]:
        """Give the dimension of every space that holds vectors."""
        with self._reader.reading() as session:
            return vector_table.dimensions(session.connection)

    def corpus_profile(self) -> CorpusProfile:
        """Say what kind of texts are kept."""
        with self._reader.reading() as session:
            remembered = self._memory(session)
            if remembered.texture is None:
                counted = queries.kinds(session.connection), self.coverage(())[1]
                remembered.texture = textured(*counted, self._library.lexicon(session).statistics)
            return remembered.texture

    def counts(self) -> Counts:
        """Count what is kept."""
        with self._reader.reading() as session:
            return queries.counts(session.connection, self._library.lexicon(session))

    def metadata(self, key: str) -> str:
        """Read back a remark, or the empty string."""
        with self._reader.reading() as session:
            return queries.note(session.connection, key)
