"""Vector search: rank chunks by cosine similarity in the spaces of one or several models."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from waymeet.analysis import detect_language
from waymeet.analysis.file_text import file_space
from waymeet.errors import EmbeddingError
from waymeet.formulas.relevance import similarity_steps
from waymeet.ports import Embedder, Store, choose_embedder
from waymeet.search.retrieve.embed_on_demand import OnDemandEmbedder
from waymeet.search.state import Tools
from waymeet.types import Filters, Ranking, ScoredChunk

if TYPE_CHECKING:
    from waymeet.ports import Vector


class VectorResult(NamedTuple):
    """A list of chunks ranked by similarity to a query."""

    ranking: Ranking
    other_language: frozenset[str] = frozenset()
    """Chunks in it that are in another language than the query."""
    similarity_steps: float | None = None
    """Best cosine in steps above the noise level of its model; None if a model is not calibrated."""
    failure: str = ""
    """Error of a model for another language than the query's."""


class _SpaceResult(NamedTuple):
    """The results in the space of one model, in its own cosines."""

    embedder: Embedder
    vector: "Vector"
    """The query's vector."""
    ranking: Ranking


def spaces_of(embedders: Sequence[Embedder]) -> list[str]:
    """List the spaces of embedders."""
    return [each.space for each in embedders]


def rank_by_vector(
    tools: Tools,
    text: str,
    limit: int,
    filters: Filters,
    *,
    is_passage: bool = False,
    on_demand: OnDemandEmbedder | None = None,
    whole_files: bool = False,
) -> VectorResult:
    """Rank chunks by similarity to a query, or to a hypothetical passage that answers it.

    Chunks without a vector take part if `on_demand` embeds them. With `whole_files`, the list has one chunk of each
    file, with the better of the similarities of the file's own vector and of its best section.

    Raises:
        EmbeddingError: the model for the query's language failed, or all models.
    """
    language = detect_language(text)
    main = choose_embedder(tools.embedders, language)
    embedders = _choose_embedders(tools, language, on_demand, whole_files=whole_files)
    results: list[_SpaceResult] = []
    failures: list[EmbeddingError] = []
    for embedder, has_vectors in embedders:
        try:
            vector = embedder.embed_passages([text])[0] if is_passage else embedder.embed_query(text)
            ranking = tools.store.rank_vectors(embedder.space, vector, limit, filters) if has_vectors else ()
        except EmbeddingError as error:
            failures.append(error)
            if embedder is main or len(failures) == len(embedders):
                raise
            continue
        ranking += on_demand.rank(embedder, vector) if on_demand else ()
        ranking += tools.store.rank_vectors(file_space(embedder.space), vector, limit, filters) if whole_files else ()
        results.append(_SpaceResult(embedder, vector, ranking))
    rows = sorted(_rows_on_one_scale(tools.store, results), key=lambda row: (-row.score, row.document))
    rows = best_of_each_document(rows) if whole_files else rows
    others = (row.chunk for result in results if result.embedder is not main for row in result.ranking)
    failure = " ".join(map(describe_error, failures))
    return VectorResult(tuple(rows[:limit]), frozenset(others), _best_similarity_steps(tools, results), failure)


def best_of_each_document(rows: Iterable[ScoredChunk]) -> list[ScoredChunk]:
    """Keep the first row of each document."""
    best: dict[str, ScoredChunk] = {}
    for row in rows:
        best.setdefault(row.document, row)
    return list(best.values())


def _choose_embedders(
    tools: Tools, language: str, on_demand: OnDemandEmbedder | None, *, whole_files: bool
) -> list[tuple[Embedder, bool]]:
    """List the models to search with, and whether the store has vectors of each.

    A model must support the query's language, and have vectors of chunks or chunks to embed on demand.
    """
    spaces = tools.store.spaces()
    return [
        (embedder, embedder.space in spaces)
        for embedder in tools.embedders
        if embedder.space in spaces
        or (whole_files and file_space(embedder.space) in spaces)
        or (on_demand and on_demand.has_chunks_for(embedder))
        if embedder.supports_language(language)
    ]


def _rows_on_one_scale(store: Store, results: Sequence[_SpaceResult]) -> Iterator[ScoredChunk]:
    """Yield the rows of all spaces with scores on the scale of the first.

    Cosines of different models are not comparable. A score is standardised by mean and deviation of the similarities in
    its space, then scaled to those of the first space.
    """
    if len(results) < 2:
        yield from (row for result in results for row in result.ranking)
        return
    scales = [store.similarity_statistics(result.embedder.space, result.vector) for result in results]
    for result, scale in zip(results, scales, strict=True):
        for row in result.ranking:
            yield replace(row, score=_rescale(row.score, scale, scales[0]))


def _rescale(score: float, source: tuple[float, float], target: tuple[float, float]) -> float:
    """Convert a score between scales, each given by its mean and standard deviation.

    >>> _rescale(0.5, (0.2, 0.1), (0.6, 0.05))
    0.75
    """
    if source[1] == 0.0 or target[1] == 0.0 or source == target:
        return score
    return target[0] + (score - source[0]) / source[1] * target[1]


def _best_similarity_steps(tools: Tools, results: Sequence[_SpaceResult]) -> float | None:
    """Give the best similarity in steps above noise level, or None if a model is not calibrated."""
    embedded, _ = tools.store.coverage(spaces_of(tools.embedders))
    best: list[float] = []
    for result in results:
        if result.ranking:
            cosine = max(row.score for row in result.ranking)
            steps = similarity_steps(result.embedder.space, cosine, embedded)
            if steps is None:
                return None
            best.append(steps)
    return max(best, default=None)


def describe_error(error: EmbeddingError) -> str:
    """Join the message and the hint of an error."""
    return f"{error.message} {error.hint}".rstrip()
