"""The cache of a store for one generation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.stores.sqlite.read.contents import ContentReader

if TYPE_CHECKING:
    from waymeet.ports import CorpusProfile
    from waymeet.stores.lexical.top_k import ChunkLocation
    from waymeet.stores.sqlite.read.edges import EdgeCache
    from waymeet.stores.sqlite.read.filters import FilterResult
    from waymeet.stores.sqlite.read.part_space import PartSpace
    from waymeet.stores.sqlite.read.vectors import VectorSpace
    from waymeet.types import Filters


class GenerationCache:
    """Results computed for one generation, shared by threads."""

    def __init__(self, version: tuple[int, int]) -> None:
        self.version = version
        """The generation and the registry version."""
        self.frequencies: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {}
        """The number of chunks with any of a word's terms, by terms and fields."""
        self.spaces: dict[str, VectorSpace | PartSpace | None] = {}
        self.filter_results: dict[Filters, FilterResult] = {}
        self.locations: dict[int, ChunkLocation] = {}
        self.edges: EdgeCache = {}
        self.contents = ContentReader()
        self.coverage: dict[frozenset[str], tuple[int, int]] = {}
        self.profile: CorpusProfile | None = None
