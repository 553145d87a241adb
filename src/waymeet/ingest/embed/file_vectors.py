"""Embedding of whole files: one vector each for path, exported names, imports or headings.

They are few and short compared with the sections. A changed file loses its vector with its chunks.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis.embedded.file_text import file_embedding_text, file_language
from waymeet.analysis.embedded.space_names import file_space
from waymeet.errors import EmbeddingError, UnusableVectorError
from waymeet.ingest.embed.batches import EmbeddingReport, vector_problem
from waymeet.ports import Embedder, Store, choose_embedder
from waymeet.types import Chunk, Document, Edge, Filters

_PORTION = 500
"""Files that are read from the store at a time."""
_MAX_IMPORTS = 40
"""Imports of a file that are read for its text."""


class FileReport(Struct, frozen=True):
    """Result of embedding files."""

    embedded: int = 0
    error: EmbeddingError | None = None
    """The first error of a model."""

    def add_to(self, report: EmbeddingReport) -> EmbeddingReport:
        """Add this result to that of embedding sections."""
        report = replace(report, files=report.files + self.embedded)
        if self.error is None or report.error:
            return report
        return replace(report, error=self.error.message, hint=self.error.hint)


class _File(Struct, frozen=True):
    """A file with the text to embed."""

    chunk: str
    """The first chunk, under which the vector is stored."""
    digest: str
    text: str


def embed_files(
    store: Store,
    embedders: Sequence[Embedder],
    batch_size: int,
    is_over: Callable[[], bool],
    on_batch: Callable[[str], None] | None = None,
) -> FileReport:
    """Embed the files without a vector of their own, each by the model for its language.

    A model that fails is not used any more in this run. `on_batch` gets the last file of each batch.
    """
    done, failed = 0, dict[str, EmbeddingError]()
    for embedder, batch in _iterate_batches(store, embedders, batch_size):
        if is_over():
            break
        if embedder.space in failed:
            continue
        try:
            done += _embed_batch(store, embedder, batch)
        except EmbeddingError as error:
            failed[embedder.space] = error
        if on_batch:
            on_batch(batch[-1].chunk.partition("#")[0])
    return FileReport(done, next(iter(failed.values()), None))


def _iterate_batches(
    store: Store, embedders: Sequence[Embedder], batch_size: int
) -> Iterator[tuple[Embedder, list[_File]]]:
    """Yield batches of files without a vector, with the model for each."""
    for ids in _split(list(files_without_vector(store, embedders))):
        by_space = _read_files(store, embedders, ids)
        for embedder in embedders:
            files = by_space.get(embedder.space, [])
            yield from ((embedder, files[start : start + batch_size]) for start in range(0, len(files), batch_size))


def _embed_batch(store: Store, embedder: Embedder, files: Sequence[_File]) -> int:
    """Embed files and store their vectors, and return their number.

    Raises:
        EmbeddingError: the model failed, or returned an unusable vector. The others are stored.
    """
    vectors = embedder.embed_passages([file.text for file in files])
    if len(vectors) != len(files):
        raise UnusableVectorError(f"{embedder.space} returned {len(vectors)} vectors for {len(files)} texts.")
    problems = [vector_problem(vector, embedder.dimension) for vector in vectors]
    usable = {file.chunk: vector for file, vector, problem in zip(files, vectors, problems, strict=True) if not problem}
    store.put_vectors(file_space(embedder.space), usable, {file.chunk: file.digest for file in files})
    problem = next(filter(None, problems), "")
    if problem:
        raise UnusableVectorError(f"{embedder.space} returned {problem} for a file.")
    return len(usable)


def files_without_vector(store: Store, embedders: Sequence[Embedder]) -> Iterator[str]:
    """Yield the files that have sections but no vector of their own by any of the models."""
    spaces = [file_space(embedder.space) for embedder in embedders]
    files = [id_ for id_ in store.fingerprints() if not id_.endswith("/")]
    if not embedders or store.coverage(spaces)[0] >= len(files):
        return
    for batch in _split(files):
        first = store.first_passing_chunks(batch, Filters())
        embedded = store.chunks_with_vector(spaces, first.values())
        yield from (id_ for id_, chunk in first.items() if chunk not in embedded)


def file_texts_without_vector(store: Store, embedders: Sequence[Embedder], space: str) -> Iterator[str]:
    """Yield the texts of files that a run would send to the model of a space."""
    for ids in _split(list(files_without_vector(store, embedders))):
        yield from (file.text for file in _read_files(store, embedders, ids).get(space, ()))


def _read_files(store: Store, embedders: Sequence[Embedder], ids: Collection[str]) -> dict[str, list[_File]]:
    """Read files with the texts to embed, by the space of the model for each."""
    with store.snapshot():  # documents, chunks and links must be of the same version
        documents, chunks, imports = store.documents(ids), store.chunks_of(ids), _read_imports(store, ids)
    by_space: dict[str, list[_File]] = {}
    for id_, document in documents.items():
        if chunks[id_]:
            file = _make_file(document, chunks[id_], imports.get(id_, ()))
            language = file_language(document, chunks[id_], file.text)
            by_space.setdefault(choose_embedder(embedders, language).space, []).append(file)
    return by_space


def _make_file(document: Document, chunks: Sequence[Chunk], imports: Sequence[str]) -> _File:
    return _File(chunks[0].id, document.digest, file_embedding_text(document, chunks, imports))


def _read_imports(store: Store, ids: Collection[str]) -> Mapping[str, list[str]]:
    """List the names of the modules that each file imports."""
    chosen = set(ids)
    imports: dict[str, list[str]] = {}
    for edge in store.edges(ids, ("imports",)):
        names = imports.setdefault(edge.source.document, [])
        if edge.source.document in chosen and len(names) < _MAX_IMPORTS:
            names.append(_module_name(edge))
    return imports


def _module_name(edge: Edge) -> str:
    """Name an imported module by the file that it is, else as it is written."""
    if edge.target is not None:
        return edge.target.document.rpartition("/")[2].partition(".")[0]
    return edge.text or edge.ref.partition(":")[2]


def _split(items: Sequence[str]) -> Iterator[Sequence[str]]:
    return (items[start : start + _PORTION] for start in range(0, len(items), _PORTION))
