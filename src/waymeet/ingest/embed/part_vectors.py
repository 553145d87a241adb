"""Embedding of every section and its parts by the multilingual model.

So a query in another language finds them. The model is several times faster than the main one, so this comes first in
an embedding run.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis.embedded.part_text import is_short, section_parts
from waymeet.analysis.embedded.section_text import chunk_language
from waymeet.analysis.embedded.space_names import SHORT, part_space, part_spaces
from waymeet.errors import EmbeddingError, UnusableVectorError
from waymeet.ingest.embed.batches import EmbeddingReport, vector_problem
from waymeet.ports import Embedder, Store, multilingual_embedder
from waymeet.types import Chunk, Document

_PORTION = 4096
"""Chunks requested from the store at a time: ordering them costs as much for all as for a few."""


class PartReport(Struct, frozen=True):
    """Result of embedding parts."""

    embedded: int = 0
    """Sections that were embedded with their parts."""
    error: EmbeddingError | None = None

    def add_to(self, report: EmbeddingReport) -> EmbeddingReport:
        """Add this result to that of embedding sections."""
        if self.error is None or report.error:
            return report
        return replace(report, error=self.error.message, hint=self.error.hint)


class _Section(Struct, frozen=True):
    """A section with the texts to embed: its own and those of its parts."""

    chunk: str
    digest: str
    space: str
    texts: list[str]


def count_missing(store: Store, embedders: Sequence[Embedder]) -> int:
    """Count the sections without vectors of their parts, 0 if the models make none."""
    embedder = multilingual_embedder(embedders)
    if embedder is None:
        return 0
    embedded, chunks = store.coverage(part_spaces(embedder.space, store.spaces()))
    return max(chunks - embedded, 0)


def embed_parts(
    store: Store,
    embedders: Sequence[Embedder],
    batch_size: int,
    is_over: Callable[[], bool],
    on_batch: Callable[[int, str], None] | None = None,
) -> PartReport:
    """Embed the sections without vectors of their parts, the most urgent first.

    An error of the model ends the run. A section with an unusable vector is left out, and tried again by the next run.
    `on_batch` gets the number of sections embedded so far and the last document.
    """
    embedder = multilingual_embedder(embedders)
    if embedder is None:
        return PartReport()
    done, failed = 0, set[str]()
    for batch in _iterate_batches(store, embedder, batch_size, failed):
        if is_over():
            break
        try:
            stored = _embed_batch(store, embedder, batch)
        except EmbeddingError as error:
            return PartReport(done, error)
        failed.update(section.chunk for section in batch if section.chunk not in stored)
        done += len(stored)
        if on_batch:
            on_batch(done, batch[-1].chunk.partition("#")[0])
    return PartReport(done)


def _iterate_batches(store: Store, embedder: Embedder, batch_size: int, failed: set[str]) -> Iterator[list[_Section]]:
    """Yield batches of sections without vectors of their parts, except those that failed."""
    while True:
        spaces = part_spaces(embedder.space, store.spaces())
        missing = store.chunks_without_vector(spaces, _PORTION + len(failed))
        ids = [chunk for chunk in missing if chunk not in failed]
        if not ids:
            return
        for start in range(0, len(ids), batch_size):
            batch = _read_sections(store, embedder, ids[start : start + batch_size])
            failed.update(set(ids[start : start + batch_size]) - {section.chunk for section in batch})  # gone meanwhile
            if batch:
                yield batch


def _read_sections(store: Store, embedder: Embedder, ids: Sequence[str]) -> list[_Section]:
    with store.snapshot():  # chunks and documents must be of the same version
        chunks = store.chunks(ids).values()
        documents = store.documents({chunk.document for chunk in chunks})
    return [_make_section(chunk, documents[chunk.document], embedder) for chunk in chunks]


def _make_section(chunk: Chunk, document: Document, embedder: Embedder) -> _Section:
    language = SHORT if is_short(chunk.text) else chunk_language(chunk, document)
    space = part_space(embedder.space, language)
    return _Section(chunk.id, document.digest, space, section_parts(chunk, document))


def _embed_batch(store: Store, embedder: Embedder, batch: Sequence[_Section]) -> set[str]:
    """Embed sections and store their vectors, and return those with usable ones.

    Raises:
        EmbeddingError: the model failed.
    """
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    texts = [text for section in batch for text in section.texts]
    vectors = embedder.embed_passages(texts)
    if len(vectors) != len(texts):
        raise UnusableVectorError(f"{embedder.space} returned {len(vectors)} vectors for {len(texts)} texts.")
    by_space: dict[str, dict[str, np.ndarray]] = {}
    position = 0
    for section in batch:
        rows = vectors[position : position + len(section.texts)]
        position += len(section.texts)
        if not any(vector_problem(row, embedder.dimension) for row in rows):
            by_space.setdefault(section.space, {})[section.chunk] = np.array(rows, dtype=np.float32)
    digests = {section.chunk: section.digest for section in batch}
    for space, sections in by_space.items():
        store.put_vectors(space, sections, digests)
    return {chunk for sections in by_space.values() for chunk in sections}
