"""Vector search: rank chunks by cosine similarity in the spaces of one or several models."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from waymeet.analysis import detect_language
from waymeet.analysis.embedded.space_names import SHORT, file_space, part_spaces, student_space
from waymeet.analysis.embedded.student_state import STATE_KEY, decode_state
from waymeet.errors import EmbeddingError
from waymeet.formulas.fusion import match_scales
from waymeet.formulas.relevance import similarity_steps
from waymeet.ports import Embedder, choose_embedder, multilingual_embedder
from waymeet.search.retrieve.embed_on_demand import OnDemandEmbedder
from waymeet.search.state import Tools
from waymeet.settings import StudentVectors
from waymeet.types import Filters, Ranking, ScoredChunk

if TYPE_CHECKING:
    from waymeet.ports import Vector


_STUDENT = StudentVectors()
_FEW_EMBEDDED = 2
"""Sections embedded on demand at which the shift of approximate similarities is halved."""
_UNKNOWN = "?"
"""Language of the sections in a space of several languages."""
_FEW_SECTIONS = 20
"""Sections of a language at which its scores are shifted by half."""
_MIN_PAIRS = 20
"""Sections compared by two models from which on their scales are matched by rank."""


class VectorResult(NamedTuple):
    """A list of chunks ranked by similarity to a query."""

    ranking: Ranking
    other_language: frozenset[str] = frozenset()
    """Chunks in it that are in another language than the query."""
    approximate: frozenset[str] = frozenset()
    """Chunks in it whose vector was predicted by a student."""
    similarity_steps: float | None = None
    """Best cosine in steps above the noise level of its model; None if a model is not calibrated."""
    failure: str = ""
    """Error of a model for another language than the query's."""


class _SpaceResult(NamedTuple):
    """The results in the space of one model, in its own cosines."""

    embedder: Embedder
    vector: "Vector"
    """The query's vector."""
    by_space: Mapping[str, Ranking]
    """The ranking in each space; "" for chunks that were embedded on demand."""

    @property
    def ranking(self) -> Ranking:
        """Return the rows of all spaces."""
        return tuple(row for ranking in self.by_space.values() for row in ranking)


def spaces_of(embedders: Sequence[Embedder]) -> list[str]:
    """List the spaces of embedders."""
    return [each.space for each in embedders]


def comparable_spaces(tools: Tools, language: str) -> list[str]:
    """List the spaces of the sections that can be compared with a query in a language.

    A query of the main model's language is compared with every section by the model of that section. A query in
    another language is compared with sections of any language by the multilingual model.
    """
    multilingual = multilingual_embedder(tools.embedders)
    if multilingual is None or choose_embedder(tools.embedders, language) is not multilingual:
        return spaces_of(tools.embedders)
    return list(_multilingual_spaces(tools, multilingual))


def rank_by_vector(
    tools: Tools,
    text: str,
    limit: int,
    filters: Filters,
    *,
    student: StudentVectors = _STUDENT,
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
    searched = _choose_spaces(tools, language, on_demand, whole_files=whole_files, approximate=student.weight > 0.0)
    results: list[_SpaceResult] = []
    failures: list[EmbeddingError] = []
    for embedder, spaces in searched.items():
        try:
            vector = embedder.embed_passages([text])[0] if is_passage else embedder.embed_query(text)
            result = _rank_spaces(tools, embedder, spaces, vector, limit=limit, filters=filters)
        except EmbeddingError as error:
            failures.append(error)
            if embedder is main or len(failures) == len(searched):
                raise
        else:
            results.append(_add_embedded(result, on_demand) if on_demand else result)
    rows = sorted(_rows_on_one_scale(tools, results, limit, filters), key=lambda row: (-row.score, row.document))
    rows = best_of_each_document(rows) if whole_files else rows
    others, approximate = frozenset(_other_language(results, main, language)), frozenset(_approximate(results))
    failure = " ".join(map(describe_error, failures))
    return VectorResult(tuple(rows[:limit]), others, approximate, _best_similarity_steps(tools, results), failure)


def best_of_each_document(rows: Iterable[ScoredChunk]) -> list[ScoredChunk]:
    """Keep the first row of each document."""
    best: dict[str, ScoredChunk] = {}
    for row in rows:
        best.setdefault(row.document, row)
    return list(best.values())


def _choose_spaces(
    tools: Tools, language: str, on_demand: OnDemandEmbedder | None, *, whole_files: bool, approximate: bool
) -> dict[Embedder, list[str]]:
    """Choose the models to search with, and the spaces of each that have vectors.

    A model must be the best for the query's language or support it, and have vectors of chunks or chunks to embed on
    demand. Approximate vectors count.
    """
    stored, main = tools.store.spaces(), choose_embedder(tools.embedders, language)
    multilingual = multilingual_embedder(tools.embedders)
    chosen: dict[Embedder, list[str]] = {}
    for embedder in tools.embedders:
        spaces: Iterable[str] = [embedder.space, *([student_space(embedder.space)] if approximate else ())]
        if embedder is multilingual:
            languages = _multilingual_spaces(tools, embedder, other_models=embedder is main)
            spaces = [space for space, language in languages.items() if language != SHORT]
        if whole_files:
            spaces = [*spaces, file_space(embedder.space)]
        spaces = [space for space in spaces if space in stored]
        has_pending = on_demand is not None and on_demand.has_chunks_for(embedder)
        if (embedder is main or embedder.supports_language(language)) and (spaces or has_pending):
            chosen[embedder] = spaces
    return chosen


def _multilingual_spaces(tools: Tools, embedder: Embedder, *, other_models: bool = True) -> dict[str, str]:
    """Give the spaces of the multilingual model to search, with the language of each.

    They are those of parts, once they cover as many sections as the model's own space. Without `other_models`,
    sections of languages that another model supports are left out.
    """
    spaces = {
        space: language
        for space, language in part_spaces(embedder.space, tools.store.spaces()).items()
        if other_models or language == SHORT or choose_embedder(tools.embedders, language) is embedder
    }
    is_complete = tools.store.coverage(spaces)[0] >= tools.store.coverage([embedder.space])[0]
    return spaces if spaces and is_complete else {embedder.space: _UNKNOWN}


def _rank_spaces(
    tools: Tools, embedder: Embedder, spaces: Iterable[str], vector: "Vector", *, limit: int, filters: Filters
) -> _SpaceResult:
    """Rank the chunks of each space, with scores that are comparable between languages.

    The scores of each language are shifted so that their means are about equal: texts in the query's language are a
    little more similar to it, whatever they say. The mean of a few sections says more about these than about their
    language, so they are shifted less.
    """
    by_space = {space: tools.store.rank_vectors(space, vector, limit, filters) for space in spaces}
    languages = part_spaces(embedder.space, by_space)
    if len(languages) < 2:
        return _SpaceResult(embedder, vector, by_space)
    means = {space: tools.store.similarity_statistics(space, vector)[0] for space in languages}
    highest = max(means.values())
    for space, mean in means.items():
        sections, _ = tools.store.coverage([space])
        shift = (highest - mean) * sections / (sections + _FEW_SECTIONS)
        by_space[space] = tuple(replace(row, score=row.score + shift) for row in by_space[space])
    return _SpaceResult(embedder, vector, by_space)


def student_trust(tools: Tools, usual: float) -> float:
    """Return how far approximate vectors can be trusted, or `usual` if it is not known yet."""
    state = decode_state(tools.store.metadata(STATE_KEY))
    return usual if state is None or state.trust is None else state.trust


def _add_embedded(result: _SpaceResult, on_demand: OnDemandEmbedder) -> _SpaceResult:
    """Add chunks that are embedded on demand, in place of their approximate vectors.

    They show by how much the cosines of approximate vectors differ from true ones for this query: the other approximate
    ones are shifted by that, or less if only a few were compared.
    """
    by_space, student = result.by_space, student_space(result.embedder.space)
    if part_spaces(result.embedder.space, by_space):
        return result  # no section lacks a vector to compare
    approximate = by_space.get(student, ())
    embedded = on_demand.rank(result.embedder, result.vector, approximate)
    before, chunks = {row.chunk: row.score for row in approximate}, {row.chunk for row in embedded}
    differences = [row.score - before[row.chunk] for row in embedded if row.chunk in before]
    shift = sum(differences) / (len(differences) + _FEW_EMBEDDED)
    others = {
        space: tuple(
            replace(row, score=row.score + shift) if space == student else row
            for row in ranking
            if row.chunk not in chunks
        )
        for space, ranking in by_space.items()
    }
    return result._replace(by_space={**others, "": embedded})


def _approximate(results: Sequence[_SpaceResult]) -> Iterator[str]:
    """Yield the chunks whose vector was predicted by a student."""
    for result in results:
        yield from (row.chunk for row in result.by_space.get(student_space(result.embedder.space), ()))


def _other_language(results: Sequence[_SpaceResult], main: Embedder, language: str) -> Iterator[str]:
    """Yield the chunks that are in another language than the query."""
    for result in results:
        languages = part_spaces(result.embedder.space, result.by_space)
        for space, ranking in result.by_space.items():
            if languages[space] != language if space in languages else result.embedder is not main:
                yield from (row.chunk for row in ranking)


def _rows_on_one_scale(
    tools: Tools, results: Sequence[_SpaceResult], limit: int, filters: Filters
) -> Iterator[ScoredChunk]:
    """Yield the rows of all spaces with scores on the scale of the first model.

    Cosines of different models are not comparable. Where both models have compared the query with the same sections, a
    score is replaced by the first model's score of the same rank. Else it is standardised by mean and deviation of the
    similarities in its space, then scaled to those of the first model.
    """
    for number, result in enumerate(results):
        rescale = _make_scale(tools, results[0], result, limit, filters) if number else None
        for row in result.ranking:
            yield replace(row, score=rescale(row.score)) if rescale else row


def _make_scale(
    tools: Tools, first: _SpaceResult, other: _SpaceResult, limit: int, filters: Filters
) -> Callable[[float], float]:
    """Make the function that converts scores of a model to the scale of the first."""
    same_sections = [
        space
        for space, language in part_spaces(other.embedder.space, tools.store.spaces()).items()
        if choose_embedder(tools.embedders, language) is first.embedder
    ]
    lists = (tools.store.rank_vectors(space, other.vector, limit, filters) for space in same_sections)
    sources = sorted((row.score for ranking in lists for row in ranking), reverse=True)
    targets = sorted((row.score for row in first.by_space.get(first.embedder.space, ())), reverse=True)
    pairs = list(zip(sources, targets, strict=False))[:limit]
    if len(pairs) >= _MIN_PAIRS:
        return partial(match_scales, pairs=pairs)
    spaces = (next(iter(result.by_space), "") or result.embedder.space for result in (other, first))
    source, target = (
        tools.store.similarity_statistics(space, result.vector)
        for space, result in zip(spaces, (other, first), strict=True)
    )
    return partial(_rescale, source=source, target=target)


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
        for space, ranking in result.by_space.items():
            if ranking:
                cosine = max(row.score for row in ranking)
                steps = similarity_steps(space or result.embedder.space, cosine, embedded)
                if steps is None:
                    return None
                best.append(steps)
    return max(best, default=None)


def describe_error(error: EmbeddingError) -> str:
    """Join the message and the hint of an error."""
    return f"{error.message} {error.hint}".rstrip()
