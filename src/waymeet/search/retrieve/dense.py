"""Asking by meaning: whom to ask, and one list of what several models answer."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.analysis import detect_language
from waymeet.errors import EmbeddingError
from waymeet.formulas.relevance import similarity_steps
from waymeet.ports import Embedder, choose_embedder
from waymeet.search.retrieve.embed_on_demand import OnDemandEmbedder
from waymeet.search.state import Tools
from waymeet.types import Filters, Ranking, ScoredChunk


class Near(NamedTuple):
    """What is near in meaning."""

    ranking: Ranking
    foreign: frozenset[str] = frozenset()
    """Chunks in it that are in another language than the question."""
    nearness: float | None = None
    """How far the nearest is above what has nothing to do with the question, each measured on its own model's scale."""
    failed: str = ""
    """What kept a model from answering, where another did."""


def spaces_of(embedders: Sequence[Embedder]) -> list[str]:
    """Name the spaces that embedders fill."""
    return [each.space for each in embedders]


def nearest(
    tools: Tools,
    text: str,
    limit: int,
    filters: Filters,
    *,
    passage: bool = False,
    spot: OnDemandEmbedder | None = None,
) -> Near:
    """Rank chunks by nearness to a question, or to a `passage` such as would answer it.

    Every model has a scale of its own. Where several are asked, a score is first expressed by how far it stands out
    among the similarities of its space, then brought to the scale of the first. Chunks that have no vector yet take part
    if they are embedded on the `spot`. That a model for other languages than the question's fails spoils nothing.

    Raises:
        EmbeddingError: the model for the question's language failed, or all that were asked.
    """
    kept = tools.store.spaces()
    language = detect_language(text)
    wanted = [each for each in tools.embedders if each.space in kept or (spot and spot.wants(each))]
    asked = [each for each in wanted if each.supports_language(language)]
    home = choose_embedder(tools.embedders, language)
    found: list[ScoredChunk] = []
    foreign: list[str] = []
    failures: list[EmbeddingError] = []
    steps: list[float | None] = []
    embedded, _ = tools.store.coverage(spaces_of(tools.embedders))
    scale: tuple[float, float] | None = None
    for embedder in asked:
        try:
            point = embedder.embed_passages([text])[0] if passage else embedder.embed_query(text)
            near = tools.store.rank_vectors(embedder.space, point, limit, filters) if embedder.space in kept else ()
        except EmbeddingError as error:
            failures.append(error)
            if embedder is home or len(failures) == len(asked):
                raise
            continue
        near += spot.near(embedder, point) if spot else ()
        steps += [similarity_steps(embedder.space, max(each.score for each in near), embedded)] if near else []
        if len(asked) > 1:
            own = tools.store.similarity_statistics(embedder.space, point)
            scale = own if scale is None else scale
            near = tuple(replace(each, score=_moved(each.score, own, scale)) for each in near)
        if embedder is not home:
            foreign += [each.chunk for each in near]
        found += near
    found.sort(key=lambda each: (-each.score, each.document))
    known = [each for each in steps if each is not None]
    nearness = max(known) if len(known) == len(steps) and known else None
    return Near(tuple(found[:limit]), frozenset(foreign), nearness, " ".join(map(with_hint, failures)))


def with_hint(error: EmbeddingError) -> str:
    """Say what went wrong and what to do about it."""
    return f"{error.message} {error.hint}".rstrip()


def _moved(score: float, own: tuple[float, float], scale: tuple[float, float]) -> float:
    """Bring a score from one scale, given as mean and deviation, to another.

    >>> _moved(0.5, (0.2, 0.1), (0.6, 0.05))
    0.75
    """
    if own[1] == 0.0 or scale[1] == 0.0 or own == scale:
        return score
    return scale[0] + (score - own[0]) / own[1] * scale[1]
