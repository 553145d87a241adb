"""The reference store: everything in memory, every answer worked out the plain way.

It is what the conformance suite measures other backends by, so it has no indexes and keeps nothing up to date: a
change makes a new `Snapshot`, and an answer is read off one.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from threading import Lock, local
from typing import TYPE_CHECKING

from msgspec.structs import replace

from waymeet.ports import Counts, Neighbour
from waymeet.stores.memory.snapshot import Snapshot
from waymeet.stores.shared import bm25f
from waymeet.stores.shared.corpus_profile import STRUCTURE, textured, urgency
from waymeet.stores.shared.validation import checked, twice
from waymeet.stores.shared.vectors import cosines, unit, units, usual
from waymeet.types import INFERRED_KINDS, Filters, Fingerprint, ScoredChunk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from waymeet.ports import CorpusProfile, Vector
    from waymeet.settings import Bm25
    from waymeet.types import Chunk, Document, Edge, Evidence, IndexEntry, Ranking, Word


class _Held(local):
    """What the current thread's outermost `reading` holds."""

    snapshot: Snapshot | None = None


class MemoryStore:
    """A store that forgets everything when the process ends."""

    def __init__(self) -> None:
        self._newest = Snapshot()
        self._held = _Held()
        self._writing = Lock()

    # --- generations -------------------------------------------------------------------------------------------

    @property
    def _now(self) -> Snapshot:
        return self._held.snapshot or self._newest

    @property
    def generation(self) -> int:
        """Say how many changes were made so far."""
        return self._now.generation

    @contextmanager
    def snapshot(self) -> Iterator[int]:
        """Hold one generation for several questions."""
        outer = self._held.snapshot
        self._held.snapshot = self._now
        try:
            yield self._now.generation
        finally:
            self._held.snapshot = outer

    def _change(self, changed: Callable[[Snapshot], Snapshot]) -> None:
        if self._held.snapshot is not None:
            raise RuntimeError("a store cannot be changed while reading() holds one of its generations")
        with self._writing:
            self._newest = changed(self._newest)

    # --- changes -----------------------------------------------------------------------------------------------

    def put(self, entries: Sequence[IndexEntry]) -> None:
        """Add documents, replacing those of the same id."""
        new = checked(entries)

        def changed(old: Snapshot) -> Snapshot:
            for chunk in (chunk for entry in new.values() for chunk in entry.chunks):
                if chunk.id in old.chunks and old.chunks[chunk.id].document.id not in new:
                    raise twice(chunk.id)
            return _with_entries(old, {**old.entries, **new}, touched=new)

        if new:
            self._change(changed)

    def drop(self, documents: Collection[str]) -> None:
        """Remove documents with all that belongs to them."""
        gone = set(documents)

        def changed(old: Snapshot) -> Snapshot:
            if gone.isdisjoint(old.entries):
                return old
            kept = {document: entry for document, entry in old.entries.items() if document not in gone}
            return _with_entries(old, kept, touched=gone)

        if gone:
            self._change(changed)

    def put_vectors(self, space: str, vectors: Mapping[str, Vector], digests: Mapping[str, str] | None = None) -> None:
        """Keep a unit vector per chunk in a space."""

        def changed(old: Snapshot) -> Snapshot:
            kept = units(space, vectors, _dimensions(old).get(space))
            known = {
                chunk: vector
                for chunk, vector in kept.items()
                if chunk in old.chunks and (digests is None or old.chunks[chunk].document.digest == digests.get(chunk))
            }
            if not known:
                return old
            spaces = {**old.vectors, space: {**old.vectors.get(space, {}), **known}}
            return replace(old, generation=old.generation + 1, vectors=spaces)

        if vectors:
            self._change(changed)

    def drop_vectors(self, gone: Mapping[str, Collection[str] | None], metadata: Mapping[str, str]) -> None:
        """Forget vectors and keep remarks, both at once."""

        def changed(old: Snapshot) -> Snapshot:
            kept = {
                space: {chunk: vector for chunk, vector in found.items() if not _among(chunk, gone.get(space, ()))}
                for space, found in old.vectors.items()
            }
            spaces = {space: found for space, found in kept.items() if found}
            lost = sum(map(len, spaces.values())) < sum(map(len, old.vectors.values()))
            known = {**old.notes, **metadata}
            return replace(old, generation=old.generation + lost, vectors=spaces, notes=known)

        self._change(changed)

    def optimize(self) -> None:
        """Do nothing: there is nothing to tidy."""

    def set_metadata(self, key: str, value: str) -> None:
        """Keep a short remark; this is no new generation."""
        self._change(lambda old: replace(old, notes={**old.notes, key: value}))

    # --- ranked lists ------------------------------------------------------------------------------------------

    def rank_lexical(self, words: Sequence[Word], limit: int, filters: Filters, bm25: Bm25) -> Ranking:
        """Rank chunks by BM25F."""
        now = self._now
        fields = bm25f.counted(bm25)
        postings = [now.postings(word, fields) for word in words]
        return _ranking(now, bm25f.scores(words, postings, now.statistics, bm25), limit, filters)

    def lexical_evidence(
        self, words: Sequence[Word], chunks: Collection[str], bm25: Bm25
    ) -> Mapping[str, tuple[Evidence, ...]]:
        """Take the lexical score of some chunks apart; every known chunk gets an answer, if an empty one."""
        now = self._now
        fields = bm25f.counted(bm25)
        postings = [now.postings(word, fields) for word in words]
        held = [bm25f.holding(each) for each in postings]
        known = [chunk for chunk in chunks if chunk in now.chunks]
        return bm25f.evidence(words, postings, now.statistics, bm25, held=held, chunks=known)

    def chunk_frequencies(self, words: Sequence[Word], bm25: Bm25) -> tuple[int, ...]:
        """Count the chunks in which each word occurs."""
        now, fields = self._now, bm25f.counted(bm25)
        return tuple(bm25f.holding(now.postings(word, fields)) for word in words)

    def rank_vectors(self, space: str, vector: Vector, limit: int, filters: Filters) -> Ranking:
        """Rank the chunks of a space by cosine similarity."""
        now = self._now
        kept = now.vectors.get(space)
        if not kept:
            return ()
        query = unit(vector, _dimensions(now)[space], f"the question's vector for space {space}")
        scores = cosines(list(kept.values()), query)
        return _ranking(now, dict(zip(kept, scores, strict=True)), limit, filters)

    def similarity_statistics(self, space: str, vector: Vector) -> tuple[float, float]:
        """Give mean and standard deviation of a space's similarities to a vector."""
        now = self._now
        kept = now.vectors.get(space)
        return usual([list(kept.values())], unit(vector, _dimensions(now)[space], space)) if kept else (0.0, 0.0)

    # --- what is there -----------------------------------------------------------------------------------------

    def chunks_without_vector(self, spaces: Collection[str], limit: int) -> Sequence[str]:
        """Name chunks that none of the spaces has a vector for, the most urgent first."""
        now = self._now
        kept = _embedded(now, spaces)
        linking = _linking(now)
        missing = [(placed.document, chunk) for chunk, placed in now.chunks.items() if chunk not in kept]
        missing.sort(key=lambda each: urgency(each[0], len(linking.get(each[0].id, ()))))
        return [chunk for _, chunk in missing][: max(limit, 0)]

    def chunks_with_vector(self, spaces: Collection[str], chunks: Collection[str]) -> frozenset[str]:
        """Say which of some chunks have a vector in any of the spaces."""
        return frozenset(_embedded(self._now, spaces).intersection(chunks))

    def edges(self, documents: Collection[str], kinds: Collection[str] = ()) -> Sequence[Edge]:
        """List the edges that start or end at any of the documents, by document and position."""
        wanted = set(documents)
        return [
            drawn.edge
            for drawn in self._now.edges
            if (not kinds or drawn.edge.kind in kinds)
            and (drawn.edge.source.document in wanted or (drawn.edge.target and drawn.edge.target.document in wanted))
        ]

    def neighbours(
        self, documents: Collection[str], kinds: Collection[str] = ()
    ) -> Mapping[str, tuple[Neighbour, ...]]:
        """Give for each document those that links connect it with."""
        found: dict[str, Counter[tuple[str, str, bool]]] = {document: Counter() for document in documents}
        for edge in self.edges(documents, kinds):
            if edge.target is None or edge.target.document == edge.source.document:
                continue
            source, target = edge.source.document, edge.target.document
            if source in found:
                found[source][target, edge.kind, True] += 1
            if target in found:
                found[target][source, edge.kind, False] += 1
        return {
            document: tuple(sorted(Neighbour(*key, links) for key, links in around.items()))
            for document, around in found.items()
        }

    def chunks(self, ids: Collection[str]) -> Mapping[str, Chunk]:
        """Fetch chunks by id."""
        now = self._now
        return {chunk: now.chunks[chunk].chunk for chunk in ids if chunk in now.chunks}

    def chunks_of(self, documents: Collection[str]) -> Mapping[str, tuple[Chunk, ...]]:
        """Fetch all chunks of some documents, in order."""
        entries = self._now.entries
        return {
            document: tuple(sorted(entries[document].chunks, key=lambda chunk: chunk.ordinal))
            for document in documents
            if document in entries
        }

    def chunk_counts(self, documents: Collection[str]) -> Mapping[str, int]:
        """Say how many chunks each of some documents has."""
        return {id_: len(each) for id_, each in self.chunks_of(documents).items()}

    def documents(self, ids: Collection[str]) -> Mapping[str, Document]:
        """Fetch documents by id."""
        now = self._now
        return {document: now.documents[document] for document in ids if document in now.documents}

    def documents_by_key(
        self, keys: Collection[str], max_documents: int | None = None
    ) -> Mapping[str, tuple[str, ...]]:
        """Say which documents carry each of the keys; one that none, or more than so many, carry is left out."""
        found = {key: tuple(self._now.carriers[key]) for key in keys if key in self._now.carriers}
        return {
            key: documents
            for key, documents in found.items()
            if max_documents is None or len(documents) <= max_documents
        }

    def first_passing_chunks(self, documents: Collection[str], filters: Filters) -> Mapping[str, str]:
        """Give the first chunk of each of the documents that passes the filters."""
        now = self._now
        wanted = set(documents)
        found: dict[str, str] = {}
        for chunk, placed in now.chunks.items():
            if placed.document.id in wanted and now.passes(chunk, filters):
                found.setdefault(placed.document.id, chunk)
        return found

    def coverage(self, spaces: Collection[str]) -> tuple[int, int]:
        """Say how many chunks have a vector in any of the spaces, and how many there are."""
        return len(_embedded(self._now, spaces)), len(self._now.chunks)

    def terms_with_prefix(self, prefix: str, limit: int) -> Sequence[str]:
        """List the terms that begin with a prefix, those that most chunks hold first."""
        uses = self._now.uses
        found = sorted((term for term in uses if term.startswith(prefix)), key=lambda term: (-uses[term], term))
        return found[: max(limit, 0)]

    def known_terms(self, terms: Collection[str]) -> frozenset[str]:
        """Say which of some terms any chunk holds."""
        uses = self._now.uses
        return frozenset(term for term in terms if uses.get(term))

    def fingerprints(self) -> Mapping[str, Fingerprint]:
        """Give the fingerprint of every document, by id."""
        documents = self._now.documents
        return {id_: Fingerprint(each.digest, each.size, each.modified_ns) for id_, each in documents.items()}

    def spaces(self) -> Mapping[str, int]:
        """Give the dimension of every space that holds vectors."""
        return _dimensions(self._now)

    def corpus_profile(self) -> CorpusProfile:
        """Say what kind of texts are kept."""
        now = self._now
        kinds = Counter(document.kind for document in now.documents.values())
        return textured(kinds, len(now.chunks), now.statistics)

    def counts(self) -> Counts:
        """Count what is kept."""
        now = self._now
        kinds = [document.kind for document in now.documents.values()]
        return Counts(
            documents=len(now.documents),
            chunks=len(now.chunks),
            terms=len(now.uses),
            edges=len(now.edges),
            dangling=sum(
                drawn.edge.target is None
                and drawn.edge.kind not in INFERRED_KINDS
                and now.documents[drawn.edge.source.document].kind != "code"
                for drawn in now.edges
            ),
            kinds={kind: kinds.count(kind) for kind in sorted(set(kinds))},
            vectors={space: len(kept) for space, kept in sorted(now.vectors.items())},
        )

    def metadata(self, key: str) -> str:
        """Read back a remark, or the empty string."""
        return self._now.notes.get(key, "")

    def close(self) -> None:
        """Do nothing: there are no files to let go of."""


def _with_entries(old: Snapshot, entries: Mapping[str, IndexEntry], touched: Collection[str]) -> Snapshot:
    """Make the next generation; the chunks of touched documents lose their vectors."""
    kept = {
        space: {chunk: vector for chunk, vector in found.items() if old.chunks[chunk].document.id not in touched}
        for space, found in old.vectors.items()
    }
    spaces = {space: found for space, found in kept.items() if found}
    return replace(old, generation=old.generation + 1, entries=entries, vectors=spaces)


def _ranking(now: Snapshot, scores: Mapping[str, float], limit: int, filters: Filters) -> Ranking:
    """Order chunks by falling score; the sort is stable, so ties keep the order of document and position."""
    passing = [chunk for chunk in now.chunks if chunk in scores and now.passes(chunk, filters)]
    best = sorted(passing, key=lambda chunk: -scores[chunk])[: max(limit, 0)]
    return tuple(ScoredChunk(chunk, now.chunks[chunk].document.id, scores[chunk]) for chunk in best)


def _embedded(now: Snapshot, spaces: Collection[str]) -> set[str]:
    return {chunk for space in spaces for chunk in now.vectors.get(space, ())}


def _among(chunk: str, chosen: Collection[str] | None) -> bool:
    return chosen is None or chunk in chosen


def _linking(now: Snapshot) -> dict[str, set[str]]:
    """Give for each document the others that link to it."""
    found: dict[str, set[str]] = {}
    for drawn in now.edges:
        source, target = drawn.edge.source.document, drawn.edge.target
        if target and target.document != source and drawn.edge.kind != STRUCTURE:
            found.setdefault(target.document, set()).add(source)
    return found


def _dimensions(now: Snapshot) -> dict[str, int]:
    return {space: len(next(iter(kept.values()))) for space, kept in sorted(now.vectors.items())}
