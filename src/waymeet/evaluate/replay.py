"""Run the same queries many times, reusing the results of unchanged stages."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from waymeet.ports import Embedder
from waymeet.search.pipeline import extend_results, stage_name, start
from waymeet.search.state import Recipe, Search, Stage, Tools
from waymeet.settings import Settings
from waymeet.types import Query

if TYPE_CHECKING:
    from waymeet.ports import Vector


class _CachingEmbedder:
    """An embedder that embeds each query once."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._cache: dict[str, Vector] = {}

    @property
    def space(self) -> str:
        """Name the space of its vectors."""
        return self._inner.space

    @property
    def dimension(self) -> int:
        """Give the number of dimensions of its vectors."""
        return self._inner.dimension

    def supports_language(self, language: str) -> bool:
        """Check whether the model supports a language."""
        return self._inner.supports_language(language)

    def embed_query(self, text: str) -> "Vector":
        """Embed a query, from the cache if possible."""
        if text not in self._cache:
            self._cache[text] = self._inner.embed_query(text)
        return self._cache[text]

    def embed_passages(self, texts: Sequence[str]) -> "Sequence[Vector]":
        """Embed passages, without a cache."""
        return self._inner.embed_passages(texts)


def cache_query_vectors(tools: Tools) -> Tools:
    """Wrap the embedders so that each embeds a query once.

    Times measured with these tools do not include embedding.
    """
    return tools._replace(embedders=tuple(_CachingEmbedder(embedder) for embedder in tools.embedders))


class _StageResult(NamedTuple):
    """The state of a search after a stage, with the settings that the stage read."""

    stage: Stage
    settings: tuple[object, ...]
    search: Search


class ReplayRunner:
    """A runner that repeats a query from the first changed stage on.

    A stage is a pure function of the search state, the tools and the settings that it reads, so a stage with the same
    inputs is not run again. Only states before the first candidates are cached: retrieval takes most of the time, and
    candidates with their explanations are large.
    """

    def __init__(self, reads: Mapping[str, Sequence[str]]) -> None:
        """Create a runner from the settings that each stage reads, by the stage's name."""
        self._reads = reads
        self._cache: dict[tuple[Query, tuple[str, ...], bool], list[_StageResult]] = {}

    def __call__(self, recipe: Recipe, query: Query, tools: Tools, settings: Settings) -> Search:
        """Run a query, with the same tools in each call except that embedders may be missing."""
        key = (query, recipe.modes, bool(tools.embedders))
        cached = self._cache.get(key, [])
        search, results, unchanged = start(recipe, query), list[_StageResult](), True
        for position, stage in enumerate(recipe.stages):
            read = self._values_read(stage, settings)
            last = cached[position] if unchanged and position < len(cached) else None
            unchanged = last is not None and last.stage is stage and last.settings == read
            if last is not None and unchanged:
                results.append(last)
                search = last.search
                continue
            search = stage(replace(search, skipped=None), tools, settings)
            if not search.candidates and len(results) == position:
                results.append(_StageResult(stage, read, search))
        self._cache[key] = results
        return extend_results(recipe, search, tools, settings)

    def _values_read(self, stage: Stage, settings: Settings) -> tuple[object, ...]:
        """Give the values of the settings that a stage reads.

        A stage that is not in the table counts as reading all settings.
        """
        keys = self._reads.get(stage_name(stage))
        return (settings,) if keys is None else tuple(attrgetter(key.rstrip("."))(settings) for key in keys)
