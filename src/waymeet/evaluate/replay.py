"""Asking the same questions many times, with the recipe or its numbers a little different each time."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, cast

from msgspec.structs import replace

from waymeet.ports import Embedder
from waymeet.search.pipeline import start
from waymeet.search.state import Recipe, Search, Stage, Tools
from waymeet.settings import Settings
from waymeet.types import Query

if TYPE_CHECKING:
    from waymeet.ports import Vector


class _Remembering:
    """An embedder that embeds each question once."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[str, Vector] = {}

    @property
    def space(self) -> str:
        """Name the space of its vectors."""
        return self._inner.space

    @property
    def dimension(self) -> int:
        """Say how long its vectors are."""
        return self._inner.dimension

    def supports_language(self, language: str) -> bool:
        """Tell whether it understands a language."""
        return self._inner.supports_language(language)

    def embed_query(self, text: str) -> "Vector":
        """Embed a question, or give what it was embedded as before."""
        if text not in self._known:
            self._known[text] = self._inner.embed_query(text)
        return self._known[text]

    def embed_passages(self, texts: Sequence[str]) -> "Sequence[Vector]":
        """Embed texts to be found."""
        return self._inner.embed_passages(texts)


def cache_query_vectors(tools: Tools) -> Tools:
    """Give tools that embed each question once; what an answer costs can no longer be measured with them."""
    return tools._replace(embedders=tuple(_Remembering(each) for each in tools.embedders))


_FINE = "auto"
"""The section whose numbers are changed one at a time: of it every number is watched by itself."""


class _Watched:
    """Settings, or a section of them, that know what was looked at."""

    def __init__(self, watched: object, read: dict[str, object], above: str = "") -> None:
        self._watched = watched
        self._read = read
        self._above = above

    def __getattr__(self, name: str) -> object:
        found: object = getattr(self._watched, name)
        if not self._above and name == _FINE:
            return _Watched(found, self._read, f"{name}.")
        self._read[self._above + name] = found
        return found


class _Passed(NamedTuple):
    """A stage that a question went through: what it looked at, and how far the question came."""

    stage: Stage
    read: Mapping[str, object]
    search: Search

    def holds(self, stage: Stage, settings: Settings) -> bool:
        """Tell whether it would go the same way again."""
        return self.stage is stage and all(attrgetter(key)(settings) == value for key, value in self.read.items())


class ReplayRunner:
    """Answers questions again and again, each from the stage on at which something differs from the last time.

    A stage is a function of what it is given, so one that is given the same need not run again. Only what comes before
    candidates is kept: that is where the time goes, and candidates with their explanations are large.
    """

    def __init__(self) -> None:
        self._roads: dict[tuple[Query, tuple[str, ...], bool], list[_Passed]] = {}

    def __call__(self, recipe: Recipe, query: Query, tools: Tools, settings: Settings) -> Search:
        """Answer a question; but for models, the tools must be the same each time."""
        key = (query, recipe.modes, bool(tools.embedders))
        known = self._roads.get(key, [])
        search, road, same = start(recipe, query), list[_Passed](), True
        for at, stage in enumerate(recipe.stages):
            same = same and at < len(known) and known[at].holds(stage, settings)
            if same:
                road.append(known[at])
                search = known[at].search
                continue
            read: dict[str, object] = {}
            search = stage(replace(search, skipped=None), tools, cast("Settings", _Watched(settings, read)))
            if not search.candidates and len(road) == at:
                road.append(_Passed(stage, read, search))
        self._roads[key] = road
        return search
