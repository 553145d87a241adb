"""The interface of a store."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from msgspec import Struct

from waymeet.formulas.bm25 import idf
from waymeet.formulas.vector_weight import text_length_factor

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    import numpy as np  # costs more to import than a small search: only vectors pay for it
    from numpy.typing import NDArray

    from waymeet.settings import Bm25
    from waymeet.types import Chunk, Document, Edge, Evidence, Filters, Fingerprint, IndexEntry, Ranking, Word

    Vector = NDArray[np.float32]
    TermPostings = Mapping[str, Mapping[str, tuple[int, int]]]
    """The occurrences of a term: by field and chunk id, its frequency and the length of that field."""


Progress = Callable[[int, int, str], None]
"""Receives the progress of long work: items done, items in total, and the current item."""


class RunProgress(Struct, frozen=True):
    """Progress of a run, without file names."""

    pid: int
    files: int
    total_files: int
    bytes: int
    total_bytes: int
    rate: float
    """Bytes per second."""
    seconds_left: float | None
    """Estimated time until the end; None at the start."""


@runtime_checkable
class TimedProgress(Protocol):
    """A progress display that shows rate and remaining time."""

    def __call__(self, done: int, total: int, item: str) -> None:
        """Show the number of files."""
        ...

    def show_time(self, progress: RunProgress) -> None:
        """Show the rate and the remaining time."""
        ...


class Neighbour(NamedTuple):
    """A linked document, with the kind, direction and number of the links."""

    document: str
    kind: str
    outward: bool
    """Whether the links point to `document`; if not, they come from it."""
    links: int


class SizePart(Struct, frozen=True):
    """The bytes of an index that serve one purpose."""

    name: str
    bytes: int
    what: str


class IndexSize(Struct, frozen=True):
    """The files of an index by purpose."""

    text_bytes: int
    """The texts of all sections in UTF-8."""
    parts: tuple[SizePart, ...]
    """The largest first."""


class RepairedFile(Struct, frozen=True):
    """A file of an index that was missing or corrupt."""

    cause: str
    lost_vectors: int = 0
    """Vectors that were in it and have to be computed again. Anything else was rebuilt."""


class Counts(Struct, frozen=True):
    """Sizes of a store."""

    documents: int
    chunks: int
    terms: int
    edges: int
    dangling: int
    """Explicit links without a target; references inferred from text or code are not counted."""
    kinds: dict[str, int]
    """Documents by kind."""
    vectors: dict[str, int]
    """Chunks with a vector, by space."""
    roles: dict[str, int] = {}
    """Files by role (see `analysis.file_roles`)."""
    not_embedded: dict[str, int] = {}
    """Chunks that get no vector, by the role of their file."""


class CorpusProfile(NamedTuple):
    """Statistics of the indexed texts that ranking adapts to."""

    documents: int
    """Documents with content: neither folders nor files known by their path alone."""
    code: int
    """Documents that are source code."""
    chunks: int
    average_terms: float
    """Average length of a chunk's body in terms, rounded as for BM25F."""
    roles: Mapping[str, int] = {}
    """Files by role (see `analysis.file_roles`)."""

    @property
    def code_share(self) -> float:
        """Return the share of documents that are source code."""
        return self.code / max(self.documents, 1)

    def role_share(self, role: str) -> float:
        """Return the share of files that have a role."""
        return self.roles.get(role, 0) / max(sum(self.roles.values()), 1)

    @property
    def text_length(self) -> float:
        """Return the text length factor, from 0 (remarks) to 1 (paragraphs or mostly code)."""
        return text_length_factor(self.average_terms, self.code_share)


class StoreWriter(Protocol):
    """Changes a store.

    Every change of documents or vectors is one transaction and one generation.
    """

    def put(self, entries: Sequence[IndexEntry]) -> None:
        """Add documents, replacing those of the same id with their chunks, vectors and links.

        Links of any document that refer to a name added or removed by this are resolved again.
        """
        ...

    def drop(self, documents: Collection[str]) -> None:
        """Remove documents with their chunks, vectors and links.

        Links to them dangle afterwards. Unknown ids are ignored.
        """
        ...

    def put_vectors(self, space: str, vectors: Mapping[str, Vector], digests: Mapping[str, str] | None = None) -> None:
        """Store a unit vector per chunk id in a space: the vectors of one model, of one dimension.

        Unknown chunks are ignored. With `digests`, by chunk id, so are chunks whose document has another digest: its
        text changed while the vector was computed. A vector replaces the approximate one of its chunk
        (`student_space`), and an approximate one never replaces a true one.

        Raises:
            EmbeddingError: a vector is not finite, is zero, or has another dimension than the space. Nothing is
                stored then.
        """
        ...

    def drop_vectors(self, gone: Mapping[str, Collection[str] | None], metadata: Mapping[str, str]) -> None:
        """Remove vectors and set metadata in one transaction.

        `gone` names, by space, the chunks whose vectors are removed, or None for all.
        """
        ...

    def set_commit_dates(self, dates: Mapping[str, int]) -> None:
        """Set `changed_ns` of documents to the times of commits, and `changed_by` to `commit`.

        Unknown ids are ignored. The next `put` of a document replaces both.
        """
        ...

    def set_metadata(self, key: str, value: str) -> None:
        """Store a short text about the index. The generation stays the same."""
        ...

    def optimize(self) -> None:
        """Make later queries faster without changing results. To be called after many changes."""
        ...


class Retriever(Protocol):
    """Ranks chunks and looks up terms.

    Rankings are ordered by descending score, equal scores by document id, then position.
    """

    def rank_lexical(self, words: Sequence[Word], limit: int, filters: Filters, bm25: Bm25) -> Ranking:
        """Rank chunks by BM25F with the statistics of this generation (see `formulas.bm25`).

        A word's frequency in a field is the sum over its terms. `n` counts the chunks in which it occurs in any field
        of weight above 0, `N` counts all chunks. Filters change neither. A field's average length is taken over the
        documents (for `headings` and `body`: the chunks) in which it is not empty, and rounded (`round_average`). The
        `inbound` field of a document consists of the terms of all links to it.
        """
        ...

    def lexical_evidence(
        self, words: Sequence[Word], chunks: Collection[str], bm25: Bm25
    ) -> Mapping[str, tuple[Evidence, ...]]:
        """Split the lexical scores of chunks by word: score = Σ weight · idf · saturation.

        Unknown chunks are left out. A chunk without any of the words has an empty tuple.
        """
        ...

    def chunk_frequencies(self, words: Sequence[Word], bm25: Bm25) -> tuple[int, ...]:
        """Count, for each word, the chunks in which it occurs in any field of weight above 0."""
        ...

    def rank_vectors(self, space: str, vector: Vector, limit: int, filters: Filters) -> Ranking:
        """Rank the chunks of a space by cosine similarity to a unit vector.

        An unknown space has no chunks.
        """
        ...

    def similarity_statistics(self, space: str, vector: Vector) -> tuple[float, float]:
        """Compute mean and standard deviation of a space's cosine similarities to a unit vector.

        A large space is sampled. With these numbers, scores of different spaces are made comparable. An unknown space
        has (0, 0).
        """
        ...

    def part_similarities(
        self, spaces: Collection[str], vector: Vector, chunks: Collection[str]
    ) -> Mapping[str, float]:
        """Compute the similarities of chunks to a vector by spaces of parts.

        A similarity is the mean of two cosines: that of the whole text and that of its best part. Chunks that are in
        none of the spaces are left out.
        """
        ...

    def terms_with_prefix(self, prefix: str, limit: int, pattern: str = "*") -> Sequence[str]:
        """List the terms with a prefix by descending number of chunks, then alphabetically.

        They must match a pattern, too, in which `*` stands for any text and `[ab]` for one of these characters.
        """
        ...

    def known_terms(self, terms: Collection[str]) -> frozenset[str]:
        """Return those of the terms that occur in any field of any chunk."""
        ...

    def postings(self, terms: Sequence[str], fields: Collection[str]) -> Sequence[TermPostings]:
        """Return the occurrences of each term in some fields.

        A field of a document counts for each of its chunks. A field without the term may be left out.
        """
        ...


class Catalog(Protocol):
    """Looks up documents, chunks, metadata and counts."""

    def documents(self, ids: Collection[str]) -> Mapping[str, Document]:
        """Fetch documents by id. Unknown ids are left out."""
        ...

    def chunks(self, ids: Collection[str]) -> Mapping[str, Chunk]:
        """Fetch chunks by id. Unknown ids are left out."""
        ...

    def chunks_of(self, documents: Collection[str]) -> Mapping[str, tuple[Chunk, ...]]:
        """Fetch all chunks of documents, in order. Unknown ids are left out."""
        ...

    def chunk_counts(self, documents: Collection[str]) -> Mapping[str, int]:
        """Count the chunks of each document. Unknown ids are left out."""
        ...

    def roles(self, documents: Collection[str]) -> Mapping[str, str]:
        """Return the role of each document. Unknown ids are left out."""
        ...

    def documents_by_key(
        self, keys: Collection[str], max_documents: int | None = None
    ) -> Mapping[str, tuple[str, ...]]:
        """Find the documents that have each key among their names, in the order of their ids.

        A key without documents is left out, and so is one with more than `max_documents`.
        """
        ...

    def first_passing_chunks(self, documents: Collection[str], filters: Filters) -> Mapping[str, str]:
        """Find the id of the first chunk of each document that passes the filters.

        Documents without such a chunk are left out.
        """
        ...

    def fingerprints(self) -> Mapping[str, Fingerprint]:
        """Return the fingerprint of every document, by id."""
        ...

    def chunks_with_vector(self, spaces: Collection[str], chunks: Collection[str]) -> frozenset[str]:
        """Return those of the chunks that have a vector in any of the spaces."""
        ...

    def chunks_without_vector(self, spaces: Collection[str], limit: int) -> Sequence[str]:
        """List chunks without a vector in any of the spaces, the most urgent first.

        Chunks that get no vector (`Chunk.is_embedded`) are left out.
        The order is that of `stores.shared.corpus_profile.urgency`: documents that many others link to, then the most
        recently changed ones, then by document and position. Folders come last.
        """
        ...

    def coverage(self, spaces: Collection[str]) -> tuple[int, int]:
        """Count the chunks with a vector in any of the spaces, and all chunks that get one."""
        ...

    def spaces(self) -> Mapping[str, int]:
        """Return the dimension of every space that has vectors."""
        ...

    def counts(self) -> Counts:
        """Count documents, chunks, terms, edges and vectors."""
        ...

    def corpus_profile(self) -> CorpusProfile:
        """Return the statistics of the indexed texts."""
        ...

    def metadata(self, key: str) -> str:
        """Read a text stored by `set_metadata`, or the empty string."""
        ...


class GraphReader(Protocol):
    """Reads the links between documents."""

    def edges(self, documents: Collection[str], kinds: Collection[str] = ()) -> Sequence[Edge]:
        """List the edges that start or end at any of the documents, in a stable order.

        With `kinds`, only edges of these kinds are listed.
        """
        ...

    def neighbours(
        self, documents: Collection[str], kinds: Collection[str] = ()
    ) -> Mapping[str, tuple[Neighbour, ...]]:
        """Return the documents linked with each document, in either direction, without itself.

        They are ordered by document, then kind, then incoming links before outgoing ones.
        """
        ...


class Store(StoreWriter, Retriever, Catalog, GraphReader, Protocol):
    """Stores indexed documents and answers the queries of search.

    A generation is the state after a committed change. A store ranks chunks and reads links. Walking the graph, fusing
    rankings and explaining scores happen in `search`, so that all backends return the same results.
    """

    @property
    def generation(self) -> int:
        """Return the number of changes committed so far."""
        ...

    def snapshot(self) -> AbstractContextManager[int]:
        """Pin one generation for several reads of this thread, and yield its number."""
        ...

    def close(self) -> None:
        """Close all files. The store cannot be used afterwards."""
        ...


def word_idfs(store: Store, words: Sequence[Word], bm25: Bm25) -> tuple[float, ...]:
    """Compute each word's idf as in `rank_lexical`. A word without occurrences has the highest."""
    chunks = store.corpus_profile().chunks
    return tuple(idf(chunks, containing) for containing in store.chunk_frequencies(words, bm25))
