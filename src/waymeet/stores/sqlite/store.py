"""The store in one SQLite file. The work is done in `read`, `write` and `segments`."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from waymeet.stores.lexical.top_k import rank_chunks, select_top
from waymeet.stores.shared import bm25f
from waymeet.stores.shared.validation import validate_entries
from waymeet.stores.sqlite.database.connection import is_writable, open_index
from waymeet.stores.sqlite.database.errors import read_only_error
from waymeet.stores.sqlite.database.schema import is_file_to_upgrade
from waymeet.stores.sqlite.database.sessions import Session, Sessions, raise_generation
from waymeet.stores.sqlite.database.term_ids import TermIdCache, find_ids_of_words, find_term_ids
from waymeet.stores.sqlite.read import edges as edge_reader
from waymeet.stores.sqlite.read import part_space, queries
from waymeet.stores.sqlite.read import vectors as vector_table
from waymeet.stores.sqlite.read.cache import GenerationCache
from waymeet.stores.sqlite.read.filters import FilterSet, apply_filters
from waymeet.stores.sqlite.segments.index_reader import IndexReader
from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits, SegmentMaintenance
from waymeet.stores.sqlite.segments.open_segments import OpenSegments
from waymeet.stores.sqlite.segments.registry import locate_chunks
from waymeet.stores.sqlite.write import documents as document_table
from waymeet.stores.sqlite.write import vectors as vector_writer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from waymeet.ports import CorpusProfile, Counts, Neighbour, RepairedFile, TermPostings, Vector
    from waymeet.settings import Bm25
    from waymeet.stores.sqlite.check.check import CheckResult
    from waymeet.stores.sqlite.read.part_space import PartSpace
    from waymeet.stores.sqlite.read.vectors import VectorSpace
    from waymeet.types import Chunk, Document, Edge, Evidence, Filters, Fingerprint, IndexEntry, Ranking, Word

TIMEOUT = 30.0
"""How long to wait, in seconds, for another process to finish a change."""
_MAX_FILTER_RESULTS = 16
"""Cached results of filters."""
_LOOPED_QUERIES = 5
"""Queries of the largest looped size after which they have taken as long as numpy takes to import."""
_SET_METADATA = "INSERT OR REPLACE INTO metadata VALUES (?, ?)"


class SqliteStore:
    """A store in one SQLite file, with segment files for fast queries in a folder beside it."""

    def __init__(self, sessions: Sessions, segments: OpenSegments, limits: MaintenanceLimits) -> None:
        self._sessions = sessions
        self._segments = segments
        self._limits = limits
        self._maintenance = SegmentMaintenance(sessions, segments.folder, limits)
        self._reader = IndexReader(sessions, self._maintenance.repair)
        self._term_ids = TermIdCache()
        self._looped_postings = 0
        """Postings read by loops so far."""
        self._last_cache = GenerationCache((-1, -1))

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        create: bool = False,
        timeout: float = TIMEOUT,
        limits: MaintenanceLimits | None = None,
    ) -> SqliteStore:
        """Open an index file, or create it with its folder if there is none and `create` is on.

        Raises:
            NoIndexError: there is no file, and `create` is off.
            NewerIndexError: a newer Waymeet wrote it.
            DamagedIndexError: it is not an index, or corrupt.
            BusyIndexError: another process has locked it for longer than the timeout, in seconds.
            IndexUnavailableError: it cannot be read or written for another reason.
        """
        file = Path(path).absolute()
        segments, is_upgraded = OpenSegments(file.with_name(f"{file.name}.segments")), is_file_to_upgrade(file)
        sessions = Sessions(file, timeout, open_index(file, timeout, create=create), segments.map_files)
        store = cls(sessions, segments, limits or MaintenanceLimits())
        if is_upgraded:
            store._maintenance.flush_vectors_if_full()
        return store

    def close(self) -> None:
        """Close the file."""
        self._sessions.close()

    @property
    def generation(self) -> int:
        """Return the number of changes committed so far."""
        with self._reader.reading() as session:
            return session.generation

    @contextmanager
    def snapshot(self) -> Iterator[int]:
        """Pin one generation for several reads of this thread."""
        session = self._reader.begin()
        try:
            yield session.generation
        finally:
            self._sessions.end(session)

    def _cache(self, session: Session) -> GenerationCache:
        cache = self._last_cache  # threads in different generations replace it; each uses its own reference
        if cache.version != session.version:
            cache = self._last_cache = GenerationCache(session.version)
        return cache

    def put(self, entries: Sequence[IndexEntry]) -> None:
        """Add documents, replacing those of the same id."""
        by_document = validate_entries(entries)
        if not by_document:
            return
        with self._sessions.writing() as connection:
            term_ids = document_table.put_documents(connection, by_document, self._term_ids)
            raise_generation(connection)
        self._term_ids.add(term_ids)
        self._maintenance.flush_if_full()

    def drop(self, documents: Collection[str]) -> None:
        """Remove documents with their chunks, vectors and links."""
        if not documents:
            return
        with self._sessions.writing() as connection:
            if document_table.drop_documents(connection, documents):
                raise_generation(connection)

    def put_vectors(self, space: str, vectors: Mapping[str, Vector], digests: Mapping[str, str] | None = None) -> None:
        """Store a unit vector per chunk in a space."""
        if not vectors:
            return
        with self._sessions.writing() as connection:
            if vector_writer.put_vectors(connection, space, vectors, digests):
                raise_generation(connection)
        self._maintenance.flush_vectors_if_full()

    def drop_vectors(self, gone: Mapping[str, Collection[str] | None], metadata: Mapping[str, str]) -> None:
        """Remove vectors and set metadata in one transaction."""
        with self._sessions.writing() as connection:
            if sum([vector_writer.drop_vectors(connection, space, chunks) for space, chunks in gone.items()]):
                raise_generation(connection)
            connection.executemany(_SET_METADATA, metadata.items())

    def set_commit_dates(self, dates: Mapping[str, int]) -> None:
        """Set the dates of documents to those of commits."""
        with self._sessions.writing() as connection:
            if document_table.set_commit_dates(connection, dates):
                raise_generation(connection)

    def set_metadata(self, key: str, value: str) -> None:
        """Store a short text about the index."""
        with self._sessions.writing() as connection:
            connection.execute(_SET_METADATA, (key, value))

    def optimize(self) -> None:
        """Flush the buffer, merge segments and remove unused files."""
        self._segments.verify_pending()
        self._maintenance.optimize()

    def repaired_files(self) -> tuple[RepairedFile, ...]:
        """List the files that were lost since the last call, and rebuilt unless they had vectors."""
        repaired, self._maintenance.repaired = tuple(self._maintenance.repaired), []
        return repaired

    def check(self, *, repair: bool = False) -> CheckResult:
        """Check tables and segments for corruption, and repair them on request.

        Segments are rebuilt. Documents and vectors that cannot be read are dropped, so that they are computed again. If
        SQLite cannot read the file, a new one with all readable documents replaces it, and this store is closed.
        """
        from waymeet.stores.sqlite.check import check, salvage  # noqa: PLC0415 - needed in an emergency only

        path, timeout, folder = self._sessions.path, self._sessions.timeout, self._segments.folder
        if repair and not is_writable(path):
            raise read_only_error(path)
        with self._maintenance.exclusive(timeout if repair else 0.0) as exclusive:
            result = check.check_files(path, folder, timeout, repair=repair and exclusive, find_strays=exclusive)
        if not (repair and exclusive):
            return result
        if result.lost:
            self.close()
            return salvage.salvage_index(path, timeout, result)
        self.optimize()
        return result

    def rank_lexical(self, words: Sequence[Word], limit: int, filters: Filters, bm25: Bm25) -> Ranking:
        """Rank chunks by BM25F."""
        fields = bm25f.scored_fields(bm25)
        with self._reader.reading() as session:
            lexicon, filter_set = self._segments.lexicon(session), self._filter_set(session, filters)
            terms = find_ids_of_words(session.connection, [word.terms for word in words])
            size = lexicon.count_postings(term for word_terms in terms for term in word_terms)
            if size <= self._max_loop_postings():
                self._looped_postings += size
                postings = [lexicon.postings(word_terms, fields) for word_terms in terms]
                frequencies = list(map(bm25f.count_chunks, postings))
                scores = bm25f.score_chunks(words, postings, lexicon.statistics, bm25)
                ranking = rank_chunks(select_top(filter_set, scores, limit), scores, limit)
            else:
                from waymeet.stores.lexical import bulk_ranking  # noqa: PLC0415 - numpy costs more than a small search

                pairs = list(zip(words, terms, strict=True))
                ranking, frequencies = bulk_ranking.rank(lexicon, pairs, bm25, filter_set, max(limit, 0))
            self._cache(session).frequencies.update(
                {(word.terms, fields): frequency for word, frequency in zip(words, frequencies, strict=True)}
            )
            return ranking

    def _max_loop_postings(self) -> int:
        """Return up to how many postings loops are used instead of numpy."""
        limits = self._limits
        use_numpy = "numpy" in sys.modules or self._looped_postings > _LOOPED_QUERIES * limits.max_loop_postings
        return limits.max_loop_postings_with_numpy if use_numpy else limits.max_loop_postings

    def lexical_evidence(
        self, words: Sequence[Word], chunks: Collection[str], bm25: Bm25
    ) -> Mapping[str, tuple[Evidence, ...]]:
        """Split the lexical scores of chunks by word."""
        fields = bm25f.scored_fields(bm25)
        with self._reader.reading() as session:
            lexicon, connection = self._segments.lexicon(session), session.connection
            chunk_ids = queries.find_chunk_ids(connection, chunks)
            terms = [find_term_ids(connection, word.terms) for word in words]
            evidence = bm25f.collect_evidence(
                words,
                lexicon.postings_in(terms, fields, locate_chunks(connection, chunk_ids.values())),
                lexicon.statistics,
                bm25,
                frequencies=[self._chunk_frequency(session, word, fields) for word in words],
                chunks=chunk_ids.values(),
            )
            return {chunk: evidence[chunk_id] for chunk, chunk_id in chunk_ids.items()}

    def chunk_frequencies(self, words: Sequence[Word], bm25: Bm25) -> tuple[int, ...]:
        """Count the chunks in which each word occurs."""
        with self._reader.reading() as session:
            return tuple(self._chunk_frequency(session, word, bm25f.scored_fields(bm25)) for word in words)

    def _chunk_frequency(self, session: Session, word: Word, fields: tuple[str, ...]) -> int:
        frequencies, key = self._cache(session).frequencies, (word.terms, fields)
        if key not in frequencies:
            terms = find_term_ids(session.connection, word.terms)
            frequencies[key] = self._segments.lexicon(session).count_chunks_with_any(terms, fields)
        return frequencies[key]

    def rank_vectors(self, space: str, vector: Vector, limit: int, filters: Filters) -> Ranking:
        """Rank the chunks of a space by cosine similarity."""
        with self._reader.reading() as session:
            vectors, filter_set = self._space(session, space), self._filter_set(session, filters)
            return vectors.rank(vectors.normalise_query(vector, space), limit, filter_set) if vectors else ()

    def similarity_statistics(self, space: str, vector: Vector) -> tuple[float, float]:
        """Compute mean and standard deviation of a space's similarities to a vector."""
        with self._reader.reading() as session:
            vectors = self._space(session, space)
            query = vectors.normalise_query(vector, space) if vectors else vector
            return vectors.similarity_statistics(query) if vectors else (0.0, 0.0)

    def part_similarities(
        self, spaces: Collection[str], vector: Vector, chunks: Collection[str]
    ) -> Mapping[str, float]:
        """Compute the similarities of chunks to a vector by their parts."""
        with self._reader.reading() as session:
            return part_space.score_parts(session.connection, spaces, vector, chunks)

    def terms_with_prefix(self, prefix: str, limit: int, pattern: str = "*") -> Sequence[str]:
        """List the terms with a prefix that match a pattern by descending number of chunks."""
        with self._reader.reading() as session:
            return queries.terms_with_prefix(
                session.connection, self._segments.lexicon(session), prefix, limit, pattern
            )

    def known_terms(self, terms: Collection[str]) -> frozenset[str]:
        """Return those of the terms that occur in any chunk."""
        with self._reader.reading() as session:
            return queries.known_terms(session.connection, self._segments.lexicon(session), terms)

    def postings(self, terms: Sequence[str], fields: Collection[str]) -> Sequence[TermPostings]:
        """Return the occurrences of each term in some fields."""
        with self._reader.reading() as session:
            return queries.read_postings(session.connection, self._segments.lexicon(session), terms, fields)

    def _filter_set(self, session: Session, filters: Filters) -> FilterSet:
        cache = self._cache(session)
        results = cache.filter_results
        result = results.get(filters)  # another thread may remove it at any moment
        if result is None:
            lexicon = self._segments.lexicon(session) if filters.without or filters.phrases else None
            for oldest in tuple(results)[: max(len(results) + 1 - _MAX_FILTER_RESULTS, 0)]:  # each may list every chunk
                results.pop(oldest, None)
            result = results[filters] = apply_filters(session.connection, filters, lexicon)
        return FilterSet(session.connection, filters, result, cache.locations, cache.contents)

    def _space(self, session: Session, name: str) -> VectorSpace | PartSpace | None:
        spaces = self._cache(session).spaces
        if name not in spaces:
            spaces[name] = vector_table.load_space(session, name)
        return spaces[name]

    def edges(self, documents: Collection[str], kinds: Collection[str] = ()) -> Sequence[Edge]:
        """List the edges that start or end at any of the documents, by document and position."""
        with self._reader.reading() as session:
            cache = self._cache(session)
            return edge_reader.read_edges(session.connection, documents, kinds, cache.edges, cache.contents)

    def neighbours(
        self, documents: Collection[str], kinds: Collection[str] = ()
    ) -> Mapping[str, tuple[Neighbour, ...]]:
        """Return the documents linked with each document."""
        with self._reader.reading() as session:
            return self._segments.neighbours(session).read(session.connection, documents, kinds)

    def documents(self, ids: Collection[str]) -> Mapping[str, Document]:
        """Fetch documents by id."""
        with self._reader.reading() as session:
            return queries.read_documents(session.connection, ids)

    def chunks(self, ids: Collection[str]) -> Mapping[str, Chunk]:
        """Fetch chunks by id."""
        with self._reader.reading() as session:
            return queries.read_chunks(session.connection, ids, self._cache(session).contents)

    def chunks_of(self, documents: Collection[str]) -> Mapping[str, tuple[Chunk, ...]]:
        """Fetch all chunks of documents, in order."""
        with self._reader.reading() as session:
            return queries.read_chunks_of(session.connection, documents, self._cache(session).contents)

    def chunk_counts(self, documents: Collection[str]) -> Mapping[str, int]:
        """Count the chunks of each document."""
        with self._reader.reading() as session:
            return queries.count_chunks(session.connection, documents)

    def roles(self, documents: Collection[str]) -> Mapping[str, str]:
        """Return the role of each document."""
        with self._reader.reading() as session:
            return queries.read_roles(session.connection, documents)

    def documents_by_key(
        self, keys: Collection[str], max_documents: int | None = None
    ) -> Mapping[str, tuple[str, ...]]:
        """Find the documents that have each key, except for keys of more than `max_documents`."""
        with self._reader.reading() as session:
            return queries.documents_by_key(session.connection, keys, max_documents)

    def first_passing_chunks(self, documents: Collection[str], filters: Filters) -> Mapping[str, str]:
        """Find the first chunk of each document that passes the filters."""
        with self._reader.reading() as session:
            return self._filter_set(session, filters).first_passing(documents)

    def fingerprints(self) -> Mapping[str, Fingerprint]:
        """Return the fingerprint of every document, by id."""
        with self._reader.reading() as session:
            return queries.read_fingerprints(session.connection)

    def chunks_with_vector(self, spaces: Collection[str], chunks: Collection[str]) -> frozenset[str]:
        """Return those of the chunks that have a vector in any of the spaces."""
        with self._reader.reading() as session:
            return queries.chunks_with_vector(session.connection, spaces, chunks)

    def chunks_without_vector(self, spaces: Collection[str], limit: int) -> Sequence[str]:
        """List chunks without a vector in any of the spaces, the most urgent first."""
        with self._reader.reading() as session:
            return queries.chunks_without_vector(session.connection, spaces, limit)

    def coverage(self, spaces: Collection[str]) -> tuple[int, int]:
        """Count the chunks with a vector in any of the spaces, and all chunks that get one."""
        with self._reader.reading() as session:
            cache, key = self._cache(session).coverage, frozenset(spaces)
            if key not in cache:  # counting takes milliseconds in a large index, and every search needs it
                cache[key] = queries.count_coverage(session.connection, key)
            return cache[key]

    def spaces(self) -> Mapping[str, int]:
        """Return the dimension of every space that has vectors."""
        with self._reader.reading() as session:
            return vector_table.read_dimensions(session.connection)

    def counts(self) -> Counts:
        """Count documents, chunks, terms, edges and vectors."""
        with self._reader.reading() as session:
            return queries.count_all(session.connection, self._segments.lexicon(session))

    def corpus_profile(self) -> CorpusProfile:
        """Return the statistics of the indexed texts."""
        with self._reader.reading() as session:
            cache = self._cache(session)
            if cache.profile is None:
                cache.profile = queries.read_profile(session.connection, self._segments.lexicon(session))
            return cache.profile

    def metadata(self, key: str) -> str:
        """Read a metadata value, or the empty string."""
        with self._reader.reading() as session:
            return queries.read_metadata(session.connection, key)
