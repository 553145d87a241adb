"""The store on a PostgreSQL server. The work is done in `read` and `write`."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from waymeet.stores.postgres import maintenance
from waymeet.stores.postgres.database.encoding import escape_text
from waymeet.stores.postgres.database.migrations import open_collection
from waymeet.stores.postgres.database.session import Owner
from waymeet.stores.postgres.database.sessions import Sessions
from waymeet.stores.postgres.read import catalog, lexical, sizes, terms, vectors
from waymeet.stores.postgres.read import edges as edge_reader
from waymeet.stores.postgres.read.cache import GenerationCache
from waymeet.stores.postgres.read.filters import WordFilter, filter_terms, has_words
from waymeet.stores.postgres.segments.maintenance import SegmentLimits, SegmentMaintenance
from waymeet.stores.postgres.segments.open_segments import OpenSegments
from waymeet.stores.postgres.segments.registry import count_buffered_chunks
from waymeet.stores.postgres.transfer import PostgresTransfer
from waymeet.stores.postgres.write import documents as document_table
from waymeet.stores.postgres.write import vectors as vector_table
from waymeet.stores.shared.validation import validate_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    from waymeet.ports import CorpusProfile, Counts, IndexSize, Neighbour, TermPostings, Vector
    from waymeet.settings import Bm25
    from waymeet.stores.postgres.database.session import Session, WriteSession
    from waymeet.types import Chunk, Document, Edge, Evidence, Filters, Fingerprint, IndexEntry, Ranking, Word

Result = TypeVar("Result")

TIMEOUT = 30.0
"""How long to wait, in seconds, for another process to finish a change."""
_MAX_TERMS = 2_000_000
"""Hashes of terms that are remembered as stored; about 60 bytes each."""
_MAX_VECTOR_CACHES = 16
_SET_METADATA = """
INSERT INTO metadata VALUES (%s, %s, %s) ON CONFLICT (collection_id, key) DO UPDATE SET value = excluded.value
"""


class PostgresStore:
    """A store in one collection of a PostgreSQL server."""

    def __init__(self, sessions: Sessions, hnsw_from: int, limits: SegmentLimits) -> None:
        self._sessions = sessions
        self._segments = OpenSegments()
        self._maintenance = SegmentMaintenance(sessions, limits)
        self._hnsw_from = hnsw_from
        self._terms: set[int] = set()
        self._analysed = 0
        self._other_owner: Owner | Literal[False] | None = False
        self._last_cache = GenerationCache((-1, -1))
        self._vector_caches: dict[Any, Any] = {}

    @classmethod
    def open(
        cls,
        dsn: str,
        collection: str,
        *,
        create: bool = False,
        timeout: float = TIMEOUT,
        owner: Owner | None = None,
        hnsw_from: int = maintenance.HNSW_FROM,
        limits: SegmentLimits | None = None,
    ) -> PostgresStore:
        """Open a collection of a server, or create it with the tables if `create` is on.

        Only its owner may change a collection that has one.

        Raises:
            SettingsError: the address is malformed.
            NoIndexError: there is no such collection, and `create` is off.
            NewerIndexError: a newer Waymeet made the tables.
            IndexUnavailableError: the server cannot be reached or used.
        """
        sessions = Sessions(dsn, timeout)
        try:
            sessions.owner = owner or Owner()
            opened = open_collection(sessions, collection, create=create, owner=sessions.owner)
            for sessions.collection in opened.upgraded:  # else the first search of each would read all its terms
                SegmentMaintenance(sessions, limits or SegmentLimits()).optimize()
            sessions.collection = opened.id
        except BaseException:
            sessions.close()
            raise
        return cls(sessions, hnsw_from, limits or SegmentLimits())

    def close(self) -> None:
        """Close all connections."""
        self._sessions.close()

    @property
    def content(self) -> PostgresTransfer:
        """Return access to the content as it is stored, for copying."""
        return PostgresTransfer(self._sessions)

    def other_owner(self) -> Owner | None:
        """Return the owner of the collection if the store was opened for another one."""
        if self._other_owner is False:
            stored = self._read(catalog.read_owner)
            own = self._sessions.owner
            self._other_owner = stored if own.machine and stored.machine and stored != own else None
        return self._other_owner or None

    def measure_size(self) -> IndexSize:
        """Estimate the bytes of the collection by purpose."""
        return self._read(sizes.measure_size)

    @property
    def generation(self) -> int:
        """Return the number of changes committed so far."""
        return self._read(lambda session: session.generation)

    def snapshot(self) -> AbstractContextManager[int]:
        """Pin one generation for several reads of this thread."""
        return self._sessions.snapshot()

    def _read(self, work: Callable[[Session], Result]) -> Result:
        return self._sessions.read(work)

    def _cache(self, session: Session) -> GenerationCache:
        cache = self._last_cache  # threads in different generations replace it; each uses its own reference
        if cache.version != session.version:
            cache = self._last_cache = GenerationCache(session.version)
        return cache

    def _cached(self, session: Session, key: object, compute: Callable[[], Result]) -> Result:
        results = self._cache(session).results
        if key not in results:
            results[key] = compute()
        result: Result = results[key]
        return result

    def _read_items(
        self, kind: object, keys: Collection[str], read: Callable[[Session, Collection[str]], Mapping[str, Result]]
    ) -> Mapping[str, Result]:
        """Read items by key, of which those that were read before in this generation are cached."""
        return self._read(lambda session: self._cache(session).read_items(kind, keys, partial(read, session)))

    def _change(self, work: Callable[[WriteSession], object]) -> None:
        """Change the collection in one transaction.

        It is a new generation if the work returns a true value.
        """

        def change(session: WriteSession) -> int:
            if not work(session):
                return 0
            session.raise_generation()
            return count_buffered_chunks(session)

        self._maintenance.flush_if_full(self._sessions.write(change))

    def put(self, entries: Sequence[IndexEntry]) -> None:
        """Add documents, replacing those of the same id."""
        by_document = validate_entries(entries)
        if not by_document:
            return
        new_terms: set[int] = set()

        def change(session: WriteSession) -> bool:
            new_terms.update(document_table.put_documents(session, by_document, self._terms))
            return True

        self._change(change)
        if len(self._terms) > _MAX_TERMS:
            self._terms.clear()
        self._terms |= new_terms

    def drop(self, documents: Collection[str]) -> None:
        """Remove documents with their chunks, vectors and links."""
        if documents:
            self._change(lambda session: document_table.drop_documents(session, documents))

    def put_vectors(self, space: str, vectors: Mapping[str, Vector], digests: Mapping[str, str] | None = None) -> None:
        """Store a unit vector per chunk in a space."""
        if vectors:
            self._change(lambda session: vector_table.put_vectors(session, space, vectors, digests))

    def drop_vectors(self, gone: Mapping[str, Collection[str] | None], metadata: Mapping[str, str]) -> None:
        """Remove vectors and set metadata in one transaction."""

        def change(session: WriteSession) -> int:
            for key, value in metadata.items():
                session.run(_SET_METADATA, escape_text(key), escape_text(value))
            return sum([vector_table.drop_vectors(session, space, chunks) for space, chunks in gone.items()])

        self._change(change)

    def set_commit_dates(self, dates: Mapping[str, int]) -> None:
        """Set the dates of documents to those of commits."""
        self._change(lambda session: document_table.set_commit_dates(session, dates))

    def set_metadata(self, key: str, value: str) -> None:
        """Store a short text about the index."""
        self.drop_vectors({}, {key: value})

    def optimize(self) -> None:
        """Write and merge segments, refresh statistics, and create indexes for large spaces."""
        self._maintenance.optimize()
        self._analysed = maintenance.optimize(self._sessions, self._analysed, self._hnsw_from)
        self._last_cache = GenerationCache((-1, -1))

    def rank_lexical(self, words: Sequence[Word], limit: int, filters: Filters, bm25: Bm25) -> Ranking:
        """Rank chunks by BM25F."""

        def read(session: Session) -> Ranking:
            scoring = self._scoring(session, words, bm25, filters)
            return lexical.rank(scoring, limit, self._cache(session).filter_set(session, filters, scoring.lexicon))

        return self._read(read)

    def _scoring(
        self, session: Session, words: Sequence[Word], bm25: Bm25, filters: Filters | None = None
    ) -> lexical.Scoring:
        terms = [term for word in words for term in word.terms]
        lexicon = self._segments.lexicon(session, (*terms, *(filter_terms(filters) if filters else ())))
        return lexical.Scoring(lexicon, words, bm25, self._cache(session).frequencies)

    def lexical_evidence(
        self, words: Sequence[Word], chunks: Collection[str], bm25: Bm25
    ) -> Mapping[str, tuple[Evidence, ...]]:
        """Split the lexical scores of chunks by word."""
        return self._read(lambda session: lexical.explain(session, self._scoring(session, words, bm25), chunks))

    def chunk_frequencies(self, words: Sequence[Word], bm25: Bm25) -> tuple[int, ...]:
        """Count the chunks in which each word occurs."""
        return self._read(lambda session: tuple(lexical.count_words(self._scoring(session, words, bm25))))

    def rank_vectors(self, space: str, vector: Vector, limit: int, filters: Filters) -> Ranking:
        """Rank the chunks of a space by cosine similarity."""

        def read(session: Session) -> Ranking:
            found = self._find_space(session, space)
            if found is None:
                return ()
            is_indexed = found.vectors >= self._hnsw_from and self._cached(
                session, ("index", space), lambda: maintenance.has_index(session, found.id)
            )
            caches, words = (self._vector_cache(), self._cache(session).locations), self._word_filter(session, filters)
            reader = vectors.VectorReader(session, space, found, *caches, words, is_indexed)
            return reader.rank(vector, limit, filters)

        return self._read(read)

    def similarity_statistics(self, space: str, vector: Vector) -> tuple[float, float]:
        """Compute mean and standard deviation of a space's similarities to a vector."""

        def read(session: Session) -> tuple[float, float]:
            found = self._find_space(session, space)
            if found is None:
                return 0.0, 0.0
            reader = vectors.VectorReader(session, space, found, self._vector_cache(), {})
            return reader.similarity_statistics(vector)

        return self._read(read)

    def part_similarities(
        self, spaces: Collection[str], vector: Vector, chunks: Collection[str]
    ) -> Mapping[str, float]:
        """Compute the similarities of chunks to a vector by their parts."""
        return self._read(lambda session: vectors.score_parts(session, spaces, vector, chunks))

    def _word_filter(self, session: Session, filters: Filters) -> WordFilter:
        """Find the chunks that pass filters by their words."""
        if not has_words(filters):
            return WordFilter()
        lexicon = self._segments.lexicon(session, filter_terms(filters))
        return self._cache(session).word_filter(session, filters, lexicon)

    def _find_space(self, session: Session, name: str) -> vectors.Space | None:
        return self._cached(session, ("space", name), lambda: vectors.find_space(session, name))

    def _vector_cache(self) -> dict[Any, Any]:
        if len(self._vector_caches) >= _MAX_VECTOR_CACHES:
            self._vector_caches = {}  # not cleared: another thread may use it
        return self._vector_caches

    def terms_with_prefix(self, prefix: str, limit: int, pattern: str = "*") -> Sequence[str]:
        """List the terms with a prefix that match a pattern by descending number of chunks."""

        def find(session: Session) -> list[str]:
            found = [term for term in terms.read_terms_with_prefix(session, prefix) if fnmatchcase(term, pattern)]
            return terms.sort_by_frequency(self._segments.lexicon(session, found), found, limit)

        key = "prefix", prefix, limit, pattern
        return self._read(lambda session: self._cached(session, key, lambda: find(session)))

    def known_terms(self, terms_: Collection[str]) -> frozenset[str]:
        """Return those of the terms that occur in any chunk."""
        return self._read(lambda session: terms.known_terms(self._segments.lexicon(session, terms_), terms_))

    def postings(self, terms_: Sequence[str], fields: Collection[str]) -> Sequence[TermPostings]:
        """Return the occurrences of each term in some fields."""
        return self._read(lambda session: terms.read_postings(session, self._segments, terms_, fields))

    def edges(self, documents: Collection[str], kinds: Collection[str] = ()) -> Sequence[Edge]:
        """List the edges that start or end at any of the documents, by document and position."""
        return self._read(lambda session: edge_reader.read_edges(session, documents, kinds))

    def neighbours(
        self, documents: Collection[str], kinds: Collection[str] = ()
    ) -> Mapping[str, tuple[Neighbour, ...]]:
        """Return the documents linked with each document."""
        read = partial(edge_reader.read_neighbours, kinds=kinds)
        return self._read_items(("neighbours", frozenset(kinds)), documents, read)

    def documents(self, ids: Collection[str]) -> Mapping[str, Document]:
        """Fetch documents by id."""
        return {id_: counted.document for id_, counted in self._counted_documents(ids).items()}

    def _counted_documents(self, ids: Collection[str]) -> Mapping[str, catalog.CountedDocument]:
        return self._read_items("documents", ids, catalog.read_documents)

    def chunks(self, ids: Collection[str]) -> Mapping[str, Chunk]:
        """Fetch chunks by id."""
        return self._read(lambda session: catalog.read_chunks(session, ids))

    def chunks_of(self, documents: Collection[str]) -> Mapping[str, tuple[Chunk, ...]]:
        """Fetch all chunks of documents, in order."""

        def read(session: Session) -> Mapping[str, tuple[Chunk, ...]]:
            known = self._cache(session).read_items("documents", documents, partial(catalog.read_documents, session))
            return catalog.read_chunks_of(session, known)

        return self._read(read)

    def chunk_counts(self, documents: Collection[str]) -> Mapping[str, int]:
        """Count the chunks of each document."""
        return {id_: counted.chunks for id_, counted in self._counted_documents(documents).items()}

    def roles(self, documents: Collection[str]) -> Mapping[str, str]:
        """Return the role of each document."""
        return {id_: counted.document.role for id_, counted in self._counted_documents(documents).items()}

    def documents_by_key(
        self, keys: Collection[str], max_documents: int | None = None
    ) -> Mapping[str, tuple[str, ...]]:
        """Find the documents that have each key, except for keys of more than `max_documents`."""
        read = partial(catalog.documents_by_key, most=max_documents)
        return self._read_items(("keys", max_documents), keys, read)

    def first_passing_chunks(self, documents: Collection[str], filters: Filters) -> Mapping[str, str]:
        """Find the first chunk of each document that passes the filters."""

        def find(session: Session, missing: Collection[str]) -> Mapping[str, str]:
            return catalog.first_passing_chunks(session, missing, filters, self._word_filter(session, filters))

        return self._read_items(("first", filters), documents, find)

    def fingerprints(self) -> Mapping[str, Fingerprint]:
        """Return the fingerprint of every document, by id."""
        return self._read(catalog.read_fingerprints)

    def chunks_with_vector(self, spaces: Collection[str], chunks: Collection[str]) -> frozenset[str]:
        """Return those of the chunks that have a vector in any of the spaces."""
        return self._read(lambda session: catalog.chunks_with_vector(session, spaces, chunks))

    def chunks_without_vector(self, spaces: Collection[str], limit: int) -> Sequence[str]:
        """List chunks without a vector in any of the spaces, the most urgent first."""
        return self._read(lambda session: catalog.chunks_without_vector(session, spaces, limit))

    def coverage(self, spaces: Collection[str]) -> tuple[int, int]:
        """Count the chunks with a vector in any of the spaces, and all chunks that get one."""
        key = "coverage", frozenset(spaces)
        return self._read(lambda session: self._cached(session, key, lambda: catalog.count_coverage(session, spaces)))

    def spaces(self) -> Mapping[str, int]:
        """Return the dimension of every space that has vectors."""
        return self._read(lambda session: self._cached(session, "spaces", lambda: catalog.read_dimensions(session)))

    def counts(self) -> Counts:
        """Count documents, chunks, terms, edges and vectors."""

        def count(session: Session) -> Counts:
            return catalog.count_all(session, self._segments.count_terms(session))

        return self._read(lambda session: self._cached(session, "counts", lambda: count(session)))

    def corpus_profile(self) -> CorpusProfile:
        """Return the statistics of the indexed texts."""
        return self._read(lambda session: self._cached(session, "profile", lambda: catalog.read_profile(session)))

    def metadata(self, key: str) -> str:
        """Read a metadata value, or the empty string."""
        return self._read(lambda session: catalog.read_metadata(session, key))
