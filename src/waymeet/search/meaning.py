"""Asking by meaning: whom to ask, and one list of what several models answer."""

from collections.abc import Sequence

from waymeet.analysis import spoken
from waymeet.ports import Embedder
from waymeet.search.state import Tools
from waymeet.types import Filters, Ranking, Scored


def lanes_of(embedders: Sequence[Embedder]) -> list[str]:
    """Name the lanes that embedders fill."""
    return [each.lane for each in embedders]


def nearest(tools: Tools, text: str, limit: int, filters: Filters, *, passage: bool = False) -> Ranking:
    """Rank chunks by nearness to a question, or to a `passage` such as would answer it.

    Raises:
        EmbeddingError: a model failed.
    """
    kept = tools.store.lanes()
    language = spoken(text)
    asked = [each for each in tools.embedders if each.lane in kept and each.suits(language)]
    found: list[Scored] = []
    for embedder in asked:
        point = embedder.passages([text])[0] if passage else embedder.query(text)
        found += tools.store.nearest(embedder.lane, point, limit, filters)
    return tuple(sorted(found, key=lambda each: -each.score)[:limit])
