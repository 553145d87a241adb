"""The reference store: everything in memory, every result computed in the simplest way.

The conformance suite compares other backends with it, so it has no indexes and updates nothing: a change creates a new
`Snapshot`, and every read uses one.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from fnmatch import fnmatchcase
from threading import Lock, local
from typing import TYPE_CHECKING

from msgspec.structs import replace

from waymeet.ports import Counts, Neighbour
from waymeet.stores.memory.new_vectors import with_vectors
from waymeet.stores.memory.quantised import dimensions, score_chunks, similarity_statistics
from waymeet.stores.memory.snapshot import Snapshot
from waymeet.stores.shared import bm25f
from waymeet.stores.shared.corpus_profile import STRUCTURE_KIND, build_profile, urgency
from waymeet.stores.shared.validation import duplicate_chunk_error, validate_entries
from waymeet.stores.shared.vectors import score_part_codes
from waymeet.types import INFERRED_KINDS, Filters, Fingerprint, ScoredChunk, Word

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from waymeet.ports import CorpusProfile, TermPostings, Vector
    from waymeet.settings import Bm25
    from waymeet.types import Chunk, Document, Edge, Evidence, IndexEntry, Ranking


class _Pinned(local):
    """The snapshot that the current thread has pinned."""

    snapshot: Snapshot | None = None


class MemoryStore:
    """A store whose content ends with the process."""

    def __init__(self) -> None:
        self._newest = Snapshot()
        self._pinned = _Pinned()
        self._lock = Lock()

    @property
    def _current(self) -> Snapshot:
        return self._pinned.snapshot or self._newest

    @property
    def generation(self) -> int:
        """Return the number of changes so far."""
        return self._current.generation

    @contextmanager
    def snapshot(self) -> Iterator[int]:
        """Pin one generation for several reads of this thread."""
        outer = self._pinned.snapshot
        self._pinned.snapshot = self._current
        try:
            yield self._current.generation
        finally:
            self._pinned.snapshot = outer

    def _change(self, change: Callable[[Snapshot], Snapshot]) -> None:
        if self._pinned.snapshot is not None:
            raise RuntimeError("a store cannot be changed inside snapshot()")
        with self._lock:
            self._newest = change(self._newest)

    def put(self, entries: Sequence[IndexEntry]) -> None:
        """Add documents, replacing those of the same id."""
        new = validate_entries(entries)

        def change(old: Snapshot) -> Snapshot:
            for chunk in (chunk for entry in new.values() for chunk in entry.chunks):
                if chunk.id in old.chunks and old.chunks[chunk.id].document.id not in new:
                    raise duplicate_chunk_error(chunk.id)
            others = {id_: entry for id_, entry in old.entries.items() if id_ not in new}
            return _with_entries(old, {**others, **new}, changed=new)

        if new:
            self._change(change)

    def drop(self, documents: Collection[str]) -> None:
        """Remove documents with their chunks, vectors and links."""
        dropped = set(documents)

        def change(old: Snapshot) -> Snapshot:
            if dropped.isdisjoint(old.entries):
                return old
            remaining = {document: entry for document, entry in old.entries.items() if document not in dropped}
            return _with_entries(old, remaining, changed=dropped)

        if dropped:
            self._change(change)

    def put_vectors(self, space: str, vectors: Mapping[str, Vector], digests: Mapping[str, str] | None = None) -> None:
        """Store a unit vector per chunk in a space."""
        if vectors:
            self._change(lambda old: with_vectors(old, space, vectors, digests))

    def drop_vectors(self, gone: Mapping[str, Collection[str] | None], metadata: Mapping[str, str]) -> None:
        """Remove vectors and set metadata in one step."""

        def change(old: Snapshot) -> Snapshot:
            remaining = {
                space: {chunk: vector for chunk, vector in vectors.items() if not _is_among(chunk, gone.get(space, ()))}
                for space, vectors in old.vectors.items()
            }
            spaces = {space: vectors for space, vectors in remaining.items() if vectors}
            has_changed = sum(map(len, spaces.values())) < sum(map(len, old.vectors.values()))
            return replace(
                old, generation=old.generation + has_changed, vectors=spaces, metadata={**old.metadata, **metadata}
            )

        self._change(change)

    def set_commit_dates(self, dates: Mapping[str, int]) -> None:
        """Set the dates of documents to those of commits."""
        self._change(lambda old: old.with_commit_dates(dates))

    def set_metadata(self, key: str, value: str) -> None:
        """Store a short text about the index."""
        self._change(lambda old: replace(old, metadata={**old.metadata, key: value}))

    def optimize(self) -> None:
        """Do nothing."""

    def rank_lexical(self, words: Sequence[Word], limit: int, filters: Filters, bm25: Bm25) -> Ranking:
        """Rank chunks by BM25F."""
        snapshot, fields = self._current, bm25f.scored_fields(bm25)
        postings = [snapshot.postings(word, fields) for word in words]
        scores = bm25f.score_chunks(words, postings, snapshot.statistics, bm25)
        return _rank(snapshot, scores, limit, filters)

    def lexical_evidence(
        self, words: Sequence[Word], chunks: Collection[str], bm25: Bm25
    ) -> Mapping[str, tuple[Evidence, ...]]:
        """Split the lexical scores of chunks by word."""
        snapshot, fields = self._current, bm25f.scored_fields(bm25)
        postings = [snapshot.postings(word, fields) for word in words]
        frequencies = [bm25f.count_chunks(word_postings) for word_postings in postings]
        known = [chunk for chunk in chunks if chunk in snapshot.chunks]
        return bm25f.collect_evidence(words, postings, snapshot.statistics, bm25, frequencies=frequencies, chunks=known)

    def chunk_frequencies(self, words: Sequence[Word], bm25: Bm25) -> tuple[int, ...]:
        """Count the chunks in which each word occurs."""
        snapshot, fields = self._current, bm25f.scored_fields(bm25)
        return tuple(bm25f.count_chunks(snapshot.postings(word, fields)) for word in words)

    def rank_vectors(self, space: str, vector: Vector, limit: int, filters: Filters) -> Ranking:
        """Rank the chunks of a space by cosine similarity."""
        snapshot = self._current
        codes = snapshot.vectors.get(space)
        return _rank(snapshot, score_chunks(space, codes, vector), limit, filters) if codes else ()

    def similarity_statistics(self, space: str, vector: Vector) -> tuple[float, float]:
        """Compute mean and standard deviation of a space's similarities to a vector."""
        codes = self._current.vectors_in_order(space)
        return similarity_statistics(space, codes, vector) if codes else (0.0, 0.0)

    def part_similarities(
        self, spaces: Collection[str], vector: Vector, chunks: Collection[str]
    ) -> Mapping[str, float]:
        """Compute the similarities of chunks to a vector by their parts."""
        vectors = self._current.vectors
        stored = [vectors[space] for space in sorted(spaces) if space in vectors]
        codes = {chunk: codes[chunk].tobytes() for codes in stored for chunk in chunks if chunk in codes}
        return score_part_codes(codes, vector)

    def terms_with_prefix(self, prefix: str, limit: int, pattern: str = "*") -> Sequence[str]:
        """List the terms with a prefix that match a pattern by descending number of chunks."""
        counts = self._current.term_counts
        terms = (term for term in counts if term.startswith(prefix) and fnmatchcase(term, pattern))
        return sorted(terms, key=lambda term: (-counts[term], term))[: max(limit, 0)]

    def known_terms(self, terms: Collection[str]) -> frozenset[str]:
        """Return those of the terms that occur in any chunk."""
        counts = self._current.term_counts
        return frozenset(term for term in terms if counts.get(term))

    def postings(self, terms: Sequence[str], fields: Collection[str]) -> Sequence[TermPostings]:
        """Return the occurrences of each term in some fields."""
        return [self._current.postings(Word((term,)), tuple(fields)) for term in terms]

    def edges(self, documents: Collection[str], kinds: Collection[str] = ()) -> Sequence[Edge]:
        """List the edges that start or end at any of the documents, by document and position."""
        chosen = set(documents)
        edges = (resolved.edge for resolved in self._current.links)
        return [
            edge
            for edge in edges
            if (not kinds or edge.kind in kinds)
            and (edge.source.document in chosen or (edge.target and edge.target.document in chosen))
        ]

    def neighbours(
        self, documents: Collection[str], kinds: Collection[str] = ()
    ) -> Mapping[str, tuple[Neighbour, ...]]:
        """Return the documents linked with each document."""
        links: dict[str, Counter[tuple[str, str, bool]]] = {document: Counter() for document in documents}
        for edge in self.edges(documents, kinds):
            if edge.target is None or edge.target.document == edge.source.document:
                continue
            source, target = edge.source.document, edge.target.document
            if source in links:
                links[source][target, edge.kind, True] += 1
            if target in links:
                links[target][source, edge.kind, False] += 1
        return {
            document: tuple(sorted(Neighbour(*key, number) for key, number in counts.items()))
            for document, counts in links.items()
        }

    def documents(self, ids: Collection[str]) -> Mapping[str, Document]:
        """Fetch documents by id."""
        documents = self._current.documents
        return {id_: documents[id_] for id_ in ids if id_ in documents}

    def chunks(self, ids: Collection[str]) -> Mapping[str, Chunk]:
        """Fetch chunks by id."""
        chunks = self._current.chunks
        return {id_: chunks[id_].chunk for id_ in ids if id_ in chunks}

    def chunks_of(self, documents: Collection[str]) -> Mapping[str, tuple[Chunk, ...]]:
        """Fetch all chunks of documents, in order."""
        entries = self._current.entries
        return {
            document: tuple(sorted(entries[document].chunks, key=lambda chunk: chunk.ordinal))
            for document in documents
            if document in entries
        }

    def chunk_counts(self, documents: Collection[str]) -> Mapping[str, int]:
        """Count the chunks of each document."""
        return {document: len(chunks) for document, chunks in self.chunks_of(documents).items()}

    def roles(self, documents: Collection[str]) -> Mapping[str, str]:
        """Return the role of each document."""
        known = self._current.documents
        return {id_: known[id_].role for id_ in documents if id_ in known}

    def documents_by_key(
        self, keys: Collection[str], max_documents: int | None = None
    ) -> Mapping[str, tuple[str, ...]]:
        """Find the documents that have each key, except for keys of more than `max_documents`."""
        by_key = self._current.documents_by_key
        return {
            key: tuple(by_key[key])
            for key in keys
            if key in by_key and (max_documents is None or len(by_key[key]) <= max_documents)
        }

    def first_passing_chunks(self, documents: Collection[str], filters: Filters) -> Mapping[str, str]:
        """Find the first chunk of each document that passes the filters."""
        snapshot = self._current
        chosen = set(documents)
        first: dict[str, str] = {}
        for chunk, entry in snapshot.chunks.items():
            if entry.document.id in chosen and snapshot.passes(chunk, filters):
                first.setdefault(entry.document.id, chunk)
        return first

    def fingerprints(self) -> Mapping[str, Fingerprint]:
        """Return the fingerprint of every document, by id."""
        return {
            id_: Fingerprint(document.digest, document.size, document.modified_ns)
            for id_, document in self._current.documents.items()
        }

    def chunks_with_vector(self, spaces: Collection[str], chunks: Collection[str]) -> frozenset[str]:
        """Return those of the chunks that have a vector in any of the spaces."""
        return frozenset(_embedded_chunks(self._current, spaces).intersection(chunks))

    def chunks_without_vector(self, spaces: Collection[str], limit: int) -> Sequence[str]:
        """List chunks without a vector in any of the spaces, the most urgent first."""
        snapshot = self._current
        embedded = _embedded_chunks(snapshot, spaces)
        linking = _linking_documents(snapshot)
        without = _unembedded_chunks(snapshot)
        missing = [
            (entry.document, chunk)
            for chunk, entry in snapshot.chunks.items()
            if chunk not in embedded and chunk not in without
        ]
        missing.sort(key=lambda pair: urgency(pair[0], len(linking.get(pair[0].id, ()))))
        return [chunk for _, chunk in missing][: max(limit, 0)]

    def coverage(self, spaces: Collection[str]) -> tuple[int, int]:
        """Count the chunks with a vector in any of the spaces, and all chunks that get one."""
        snapshot = self._current
        return len(_embedded_chunks(snapshot, spaces)), len(snapshot.chunks) - len(_unembedded_chunks(snapshot))

    def spaces(self) -> Mapping[str, int]:
        """Return the dimension of every space that has vectors."""
        return dimensions(self._current)

    def counts(self) -> Counts:
        """Count documents, chunks, terms, edges and vectors."""
        snapshot = self._current
        kinds = Counter(document.kind for document in snapshot.documents.values())
        edges = [resolved.edge for resolved in snapshot.links]
        return Counts(
            documents=len(snapshot.documents),
            chunks=len(snapshot.chunks),
            terms=len(snapshot.term_counts),
            edges=len(edges),
            dangling=sum(
                edge.target is None
                and edge.kind not in INFERRED_KINDS
                and snapshot.documents[edge.source.document].kind != "code"
                for edge in edges
            ),
            kinds=dict(sorted(kinds.items())),
            vectors={space: len(vectors) for space, vectors in sorted(snapshot.vectors.items())},
            roles=_count_roles(snapshot),
            not_embedded=dict(
                sorted(Counter(snapshot.chunks[id_].document.role for id_ in _unembedded_chunks(snapshot)).items())
            ),
        )

    def corpus_profile(self) -> CorpusProfile:
        """Return the statistics of the indexed texts."""
        snapshot = self._current
        kinds = Counter(document.kind for document in snapshot.documents.values())
        return build_profile(kinds, _count_roles(snapshot), len(snapshot.chunks), snapshot.statistics)

    def metadata(self, key: str) -> str:
        """Read a metadata value, or the empty string."""
        return self._current.metadata.get(key, "")

    def close(self) -> None:
        """Do nothing."""


def _count_roles(snapshot: Snapshot) -> dict[str, int]:
    return dict(sorted(Counter(each.role for each in snapshot.documents.values() if each.role).items()))


def _with_entries(old: Snapshot, entries: Mapping[str, IndexEntry], changed: Collection[str]) -> Snapshot:
    """Create the next generation. The chunks of changed documents lose their vectors."""
    remaining = {
        space: {chunk: vector for chunk, vector in vectors.items() if old.chunks[chunk].document.id not in changed}
        for space, vectors in old.vectors.items()
    }
    spaces = {space: vectors for space, vectors in remaining.items() if vectors}
    return replace(old, generation=old.generation + 1, entries=entries, vectors=spaces)


def _rank(snapshot: Snapshot, scores: Mapping[str, float], limit: int, filters: Filters) -> Ranking:
    """Rank chunks by descending score.

    The sort is stable, so ties keep the order of document and position.
    """
    passing = [chunk for chunk in snapshot.chunks if chunk in scores and snapshot.passes(chunk, filters)]
    best = sorted(passing, key=lambda chunk: -scores[chunk])[: max(limit, 0)]
    return tuple(ScoredChunk(chunk, snapshot.chunks[chunk].document.id, scores[chunk]) for chunk in best)


def _embedded_chunks(snapshot: Snapshot, spaces: Collection[str]) -> set[str]:
    return {chunk for space in spaces for chunk in snapshot.vectors.get(space, ())}


def _unembedded_chunks(snapshot: Snapshot) -> set[str]:
    return {chunk.id for entry in snapshot.entries.values() for chunk in entry.chunks if not chunk.is_embedded}


def _is_among(chunk: str, chosen: Collection[str] | None) -> bool:
    return chosen is None or chunk in chosen


def _linking_documents(snapshot: Snapshot) -> dict[str, set[str]]:
    """Return for each document the others that link to it."""
    linking: dict[str, set[str]] = {}
    for resolved in snapshot.links:
        source, target = resolved.edge.source.document, resolved.edge.target
        if target and target.document != source and resolved.edge.kind != STRUCTURE_KIND:
            linking.setdefault(target.document, set()).add(source)
    return linking
