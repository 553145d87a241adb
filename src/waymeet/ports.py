"""The seams: what the roads of ingestion and search ask of a store and of a model, and nothing more."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec import Struct

from waymeet.formulas.vector_weight import text_length_factor

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    import numpy as np  # costs more to import than a small search: only vectors pay for it
    from numpy.typing import NDArray

    from waymeet.settings import Bm25
    from waymeet.types import Chunk, Document, Edge, Evidence, Filters, Fingerprint, IndexEntry, Ranking, Word

    Vector = NDArray[np.float32]


Progress = Callable[[int, int, str], None]
"""What is told of long work: how much is done, how much there is, and what is being worked on."""


class Neighbour(NamedTuple):
    """A document at the other end of links of one kind that all lead the same way."""

    document: str
    kind: str
    outward: bool
    """Whether the links lead there; if not, they come from there."""
    links: int


class Counts(Struct, frozen=True):
    """How much a store holds."""

    documents: int
    chunks: int
    terms: int
    edges: int
    dangling: int
    """Links that somebody set and that lead nowhere: not those found in text, nor what code builds upon."""
    kinds: dict[str, int]
    """Documents by kind."""
    vectors: dict[str, int]
    """Chunks with a vector, by space."""


class CorpusProfile(NamedTuple):
    """What kind of texts a store holds, as far as that says how to search them."""

    documents: int
    """Those that are read: neither folders nor files known by their path alone."""
    code: int
    """How many of them are source code."""
    chunks: int
    average_terms: float
    """The usual length of a chunk's text in terms, settled as for BM25F."""

    @property
    def code_share(self) -> float:
        """Which part of the documents is source code."""
        return self.code / max(self.documents, 1)

    @property
    def text_length(self) -> float:
        """How much the texts say about themselves, between 0 and 1."""
        return text_length_factor(self.average_terms, self.code_share)


class Store(Protocol):
    """Keeps what was ingested and answers the questions that search asks.

    Every change is one transaction and raises the generation by one. Lists are ordered by falling score; equal scores
    by document id, then position. A store ranks and tells neighbours; walking, fusing and explaining are not its work.
    """

    @property
    def generation(self) -> int:
        """Say how many changes were committed so far."""
        ...

    def snapshot(self) -> AbstractContextManager[int]:
        """Hold one generation for several questions: inside, every answer comes from the generation it yields."""
        ...

    def put(self, entries: Sequence[IndexEntry]) -> None:
        """Add documents, replacing those of the same id with their chunks, vectors and links.

        Links of any document that lead to a name which appears or vanishes by this are resolved anew.
        """
        ...

    def drop(self, documents: Collection[str]) -> None:
        """Remove documents with all that belongs to them; links that led to them dangle. Unknown ids are ignored."""
        ...

    def optimize(self) -> None:
        """Do what makes later answers quicker; changes no answer. To be called when many changes are made."""
        ...

    def put_vectors(self, space: str, vectors: Mapping[str, Vector], digests: Mapping[str, str] | None = None) -> None:
        """Keep a unit vector per chunk id in a space: one embedding model's space, of one dimension.

        Unknown chunks are ignored. So are those whose document has not the digest named for it by chunk, if `digests`
        are given: its text changed while the vector was made.

        Raises:
            EmbeddingError: a vector is not finite, is zero, or has not the space's dimension; nothing is kept then.
        """
        ...

    def chunks_without_vector(self, spaces: Collection[str], limit: int) -> Sequence[str]:
        """Name chunks that none of the spaces has a vector for, those that will be missed most first.

        That is: those of documents that many others link to (see `stores.urgency`), then of those that changed last,
        then in the order of document and position; folders come last of all.
        """
        ...

    def chunks_with_vector(self, spaces: Collection[str], chunks: Collection[str]) -> frozenset[str]:
        """Say which of some chunks have a vector in any of the spaces."""
        ...

    def drop_vectors(self, gone: Mapping[str, Collection[str] | None], notes: Mapping[str, str]) -> None:
        """Forget vectors and keep remarks, both at once: by space those of the named chunks, or all of them (None)."""
        ...

    def rank_lexical(self, words: Sequence[Word], limit: int, filters: Filters, bm25: Bm25) -> Ranking:
        """Rank chunks by BM25F under the statistics of this generation (see `formulas.bm25`).

        A word's frequency in a field is the sum over its terms; `n` counts the chunks in which it occurs in any field
        of weight above 0, `N` counts all chunks; filters change neither. A field's average length is taken over the
        documents (for `headings` and `body`: the chunks) in which it is not empty, and `settled`. The `inbound` field
        of a document is made of the terms of all links that lead to it.
        """
        ...

    def lexical_evidence(
        self, words: Sequence[Word], chunks: Collection[str], bm25: Bm25
    ) -> Mapping[str, tuple[Evidence, ...]]:
        """Take the lexical score of some chunks apart: Σ weight · idf · saturation is the score."""
        ...

    def idf(self, words: Sequence[Word], bm25: Bm25) -> tuple[float, ...]:
        """Give each word's idf as in `lexical`; words that nothing holds are the rarest."""
        ...

    def rank_vectors(self, space: str, vector: Vector, limit: int, filters: Filters) -> Ranking:
        """Rank the chunks of a space by cosine similarity to a unit vector. An unknown space is empty."""
        ...

    def similarity_statistics(self, space: str, vector: Vector) -> tuple[float, float]:
        """Give mean and standard deviation of a space's similarities to a unit vector, over a sample if they are many.

        This tells what a score is worth among scores of another space. An unknown space has (0, 0).
        """
        ...

    def edges(self, documents: Collection[str], kinds: Collection[str] = ()) -> Sequence[Edge]:
        """List the edges that start or end at any of the documents, in a stable order; `kinds` restricts them."""
        ...

    def neighbours(
        self, documents: Collection[str], kinds: Collection[str] = ()
    ) -> Mapping[str, tuple[Neighbour, ...]]:
        """Give for each document those that links connect it with, itself left out, in an order of their own.

        They are ordered by document, then kind, then links that come before links that lead there.
        """
        ...

    def chunks(self, ids: Collection[str]) -> Mapping[str, Chunk]:
        """Fetch chunks by id; unknown ids are left out."""
        ...

    def chunks_of(self, documents: Collection[str]) -> Mapping[str, tuple[Chunk, ...]]:
        """Fetch all chunks of some documents, in order; unknown ids are left out."""
        ...

    def chunk_counts(self, documents: Collection[str]) -> Mapping[str, int]:
        """Say how many chunks each of some documents has; documents that do not exist are left out."""
        ...

    def documents(self, ids: Collection[str]) -> Mapping[str, Document]:
        """Fetch documents by id; unknown ids are left out."""
        ...

    def documents_by_key(self, keys: Collection[str], most: int | None = None) -> Mapping[str, tuple[str, ...]]:
        """Say which documents carry each of the keys among their names, in the order of their ids.

        A key that none carries is left out, and so is one that more than so many carry.
        """
        ...

    def first_passing_chunks(self, documents: Collection[str], filters: Filters) -> Mapping[str, str]:
        """Give, for each of the documents that has one, the id of its first chunk that passes the filters."""
        ...

    def terms_with_prefix(self, prefix: str, limit: int) -> Sequence[str]:
        """List the terms that begin with a prefix, those that most chunks hold first, then alphabetically."""
        ...

    def known_terms(self, terms: Collection[str]) -> frozenset[str]:
        """Say which of some terms any chunk holds in any field."""
        ...

    def fingerprints(self) -> Mapping[str, Fingerprint]:
        """Give the fingerprint of every document, by id."""
        ...

    def coverage(self, spaces: Collection[str]) -> tuple[int, int]:
        """Say how many chunks have a vector in any of the spaces, and how many there are."""
        ...

    def spaces(self) -> Mapping[str, int]:
        """Give the dimension of every space that holds vectors."""
        ...

    def counts(self) -> Counts:
        """Count what is kept."""
        ...

    def corpus_profile(self) -> CorpusProfile:
        """Say what kind of texts are kept."""
        ...

    def metadata(self, key: str) -> str:
        """Read back a remark, or the empty string."""
        ...

    def set_metadata(self, key: str, value: str) -> None:
        """Keep a short remark about the index: what made it, what was skipped. Does not raise the generation."""
        ...

    def close(self) -> None:
        """Let go of files; the store cannot be used afterwards."""
        ...


class Reranker(Protocol):
    """Reads a question together with each text and says how well they fit."""

    @property
    def name(self) -> str:
        """Name it, for the record and for its cache."""
        ...

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Score each text from 0 to 1, in their order.

        Raises:
            ModelError: it failed, was too slow, or returned something unusable.
        """
        ...


class Expander(Protocol):
    """Puts a question in other words."""

    @property
    def name(self) -> str:
        """Name it, for the record and for its cache."""
        ...

    def expand(self, query: str, number: int) -> Sequence[str]:
        """Give up to so many other wordings.

        Raises:
            ModelError: it failed, was too slow, or returned something unusable.
        """
        ...


def choose_embedder(embedders: Sequence[Embedder], language: str) -> Embedder:
    """Choose who embeds a text in a language: the first that understands it, else the last, who knows most."""
    return next((each for each in embedders if each.supports_language(language)), embedders[-1])


class Embedder(Protocol):
    """Turns text into unit vectors."""

    @property
    def space(self) -> str:
        """Name the space of its vectors: model and everything else that makes vectors comparable."""
        ...

    @property
    def dimension(self) -> int:
        """Say how long its vectors are."""
        ...

    def supports_language(self, language: str) -> bool:
        """Tell whether it understands a language, named as by `analysis.spoken`."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Embed texts to be found, one vector each, with the model's prefix for passages."""
        ...

    def embed_query(self, text: str) -> Vector:
        """Embed a question, with the model's prefix for questions."""
        ...
