"""Giving vectors to the chunks that have none."""

from collections.abc import Callable, Mapping, Sequence

from waymeet.analysis import spoken
from waymeet.errors import EmbeddingError
from waymeet.ports import Embedder, Progress, Store, suited
from waymeet.settings import Settings
from waymeet.types import Chunk, Document

_MOSTLY = 0.5
_WHILE_WAITING = 8
"""Chunks embedded at once while somebody waits for an answer."""


def embed(
    store: Store,
    embedders: Sequence[Embedder],
    settings: Settings,
    progress: Progress | None = None,
    late: Callable[[], bool] | None = None,
) -> int:
    """Embed the chunks that have no vector yet, each by the model that suits it, and say how many there were.

    Each batch is kept as soon as it is made, so that what was done stays done whatever happens to the next. Somebody
    who is waiting for an answer may say when it is `late`: then the rest is left for another time.

    Raises:
        EmbeddingError: the embedder failed, or returned something unusable.
    """
    at_once = max(settings.embedding.batch_chunks, 1) if late is None else _WHILE_WAITING
    lanes = [embedder.lane for embedder in embedders]
    embedded, chunks = store.coverage(lanes)
    total = chunks - embedded
    done, before = 0, ""
    while not (late and late()) and (batch := store.without_vector(lanes, at_once)):
        if batch[0].id == before:  # it would come back for ever
            raise EmbeddingError(f"The store does not keep the vector of {before}.", "Run: waymeet index")
        before = batch[0].id
        _embed(store, embedders, batch)
        done += len(batch)
        if progress:
            progress(done, max(total, done), batch[-1].document)
    return done


def passage(chunk: Chunk, documents: Mapping[str, Document]) -> str:
    r"""Say what a model is shown of a chunk: the document's title, the headings above it, its text.

    >>> passage(Chunk("a.md#L1-L2", "a.md", 0, 1, 2, "Body.", ("Top", "Part")), {"a.md": Document("a.md", "docs", "A")})
    'A\nTop > Part\nBody.'
    """
    document = documents.get(chunk.document)
    parts = (document.title if document else "", " > ".join(chunk.headings), chunk.text)
    return "\n".join(part for part in parts if part)


def _embed(store: Store, embedders: Sequence[Embedder], batch: Sequence[Chunk]) -> None:
    documents = store.documents({chunk.document for chunk in batch})
    shared: dict[str, list[Chunk]] = {}
    for chunk in batch:
        shared.setdefault(suited(embedders, _language(chunk, documents)).lane, []).append(chunk)
    for embedder in embedders:
        own = shared.get(embedder.lane, [])
        vectors = embedder.passages([passage(chunk, documents) for chunk in own]) if own else []
        if len(vectors) != len(own):
            raise EmbeddingError(f"{embedder.lane} returned {len(vectors)} vectors for {len(own)} texts.")
        store.put_vectors(embedder.lane, {chunk.id: vector for chunk, vector in zip(own, vectors, strict=True)})


def _language(chunk: Chunk, documents: Mapping[str, Document]) -> str:
    """Tell the language of a chunk; a few foreign comments do not make code foreign."""
    document = documents.get(chunk.document)
    return spoken(chunk.text, _MOSTLY) if document and document.kind == "code" else spoken(chunk.text)
