"""Ranking by vectors: a scan or an HNSW index finds candidates, which are compared exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from waymeet.analysis.embedded.space_names import is_part_space
from waymeet.stores.lexical.top_k import rank_chunks
from waymeet.stores.postgres.database.encoding import hash_key
from waymeet.stores.postgres.database.session import run_together
from waymeet.stores.postgres.read.filter_set import locate
from waymeet.stores.postgres.read.filters import WordFilter, filter_condition, select_with_phrases
from waymeet.stores.postgres.vector_values import (
    TOLERANCE,
    compare_values,
    prepare_query,
    query_text,
    summarise_similarities,
)
from waymeet.stores.shared.vectors import normalise_vector, sample_part_similarities, score_part_codes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from waymeet.ports import Vector
    from waymeet.stores.lexical.top_k import ChunkLocation
    from waymeet.stores.postgres.database.session import Session
    from waymeet.stores.segments.part_vectors import PartBlock
    from waymeet.types import Filters, Ranking

_SPACE = "SELECT id, dimension, changed, vectors FROM spaces WHERE collection_id = %s AND name = %s AND vectors > 0"
_NEAREST = """
SELECT n.chunk, n.cosine, w.value FROM (
    SELECT v.chunk, -({distance}) AS cosine FROM vectors v
    WHERE v.collection_id = {collection} AND v.space = {space} AND {condition}
    ORDER BY {distance} LIMIT %(limit)s
) AS n JOIN vectors w ON w.collection_id = {collection} AND w.space = {space} AND w.chunk = n.chunk
ORDER BY n.cosine DESC
"""
"""The nearest chunks with their values. These are not part of what is sorted, which may be the whole space."""
_ALL_VALUES = "SELECT chunk, value FROM vectors WHERE collection_id = %s AND space = %s ORDER BY chunk"
_SAMPLE = """
SELECT value FROM (
    SELECT value, row_number() OVER (ORDER BY chunk) AS number FROM vectors WHERE collection_id = %s AND space = %s
) AS numbered WHERE (number - 1) %% %s = 0 ORDER BY number
"""
_PASSING = """
SELECT row.chunk FROM (SELECT c.id AS chunk, c.document FROM chunks c
    JOIN vectors v ON v.collection_id = c.collection_id AND v.chunk = c.id
WHERE c.collection_id = %(collection)s AND v.space = %(space)s) AS row WHERE {condition}
"""
_CODES = """
SELECT c.hash, v.value FROM chunks c JOIN vectors v ON v.collection_id = c.collection_id AND v.chunk = c.id
WHERE c.collection_id = %(collection)s AND c.hash = ANY(%(hashes)s) AND v.space = ANY(ARRAY(
    SELECT id FROM spaces WHERE collection_id = %(collection)s AND name = ANY(%(spaces)s)))
"""
_SAMPLE_SIZE = 512
_SPARE = 32
"""Candidates that are read beyond the limit at first."""
_GROWTH = 8
"""Factor by which more candidates are read while too few are certain, or have the phrases."""
_SEARCHED_PER_RESULT, _SEARCHED_AT_LEAST, _SEARCHED_AT_MOST = 8, 400, 1000
"""Size of the list that a search of the HNSW index keeps (`hnsw.ef_search`). Of the 50 nearest of 55,000 vectors of the
default model, 4 per result found 97.9 %, 8 found 99.8 % in a fifth more time."""


class Space(NamedTuple):
    """A space of vectors in one generation."""

    id: int
    dimension: int
    changed: int
    """The generation in which its vectors last changed."""
    vectors: int


class Parts(NamedTuple):
    """All codes of a space of quantised vectors."""

    chunks: NDArray[np.int64]
    block: PartBlock


def find_space(session: Session, name: str) -> Space | None:
    """Return a space that has vectors, or None."""
    rows = session.rows(_SPACE, name)
    return Space(*rows[0]) if rows else None


class VectorReader(NamedTuple):
    """A space in a session, with what is cached of it."""

    session: Session
    name: str
    space: Space
    cache: dict[Any, Any]
    locations: dict[int, ChunkLocation]
    """Cached locations of chunks."""
    words: WordFilter = WordFilter()
    """The chunks that pass the filters by their words."""
    is_indexed: bool = False
    """Whether the space has an HNSW index."""

    def rank(self, vector: Vector, limit: int, filters: Filters) -> Ranking:
        """Rank the chunks of the space by cosine similarity."""
        query = self._prepare(vector)
        if limit <= 0:
            return ()
        rank = self._rank_parts if is_part_space(self.name) else self._find_nearest
        scores = rank(query, limit, filters)
        return rank_chunks(locate(self.session, scores, self.locations), scores, limit)

    def similarity_statistics(self, vector: Vector) -> tuple[float, float]:
        """Compute mean and standard deviation of the similarities to a vector, from an even sample."""
        query, key = self._prepare(vector), ("sample", self.space.id, self.space.changed)
        if is_part_space(self.name):
            return sample_part_similarities(self._load_parts().block, query)
        if key not in self.cache:
            rows = self.session.rows(_SAMPLE, self.space.id, -(-self.space.vectors // _SAMPLE_SIZE))
            self.cache[key] = [value for (value,) in rows]
        return summarise_similarities(self.cache[key], query)

    def _prepare(self, vector: Vector) -> Vector:
        prepare = normalise_vector if is_part_space(self.name) else prepare_query
        return prepare(vector, self.space.dimension, f"The query vector for space {self.name}")

    def _find_nearest(self, query: Vector, limit: int, filters: Filters) -> dict[int, float]:
        """Find the nearest chunks by approximate cosines, then compare them exactly."""
        condition = filter_condition(filters, "v", self.words)
        parameters = {**condition.parameters, "query": query_text(query)}
        size, is_indexed = limit + _SPARE, self.is_indexed
        while True:
            is_indexed = is_indexed and size <= _SEARCHED_AT_MOST
            find = self._search_index if is_indexed else self._scan
            rows = find(condition.sql, {**parameters, "limit": size})
            is_complete = len(rows) < size
            if is_complete and is_indexed and self.space.vectors > len(rows):
                is_indexed = False  # the filters leave too little of what the index finds
                continue
            if filters.phrases:
                with_phrases = select_with_phrases(self.session, [chunk for chunk, *_ in rows], filters.phrases)
                rows = [row for row in rows if row[0] in with_phrases]
            bound = rows[limit - 1][1] - TOLERANCE if len(rows) >= limit else float("-inf")
            if is_complete or (len(rows) >= limit and (is_indexed or rows[-1][1] < bound)):
                return _compare(query, {chunk: value for chunk, cosine, value in rows if cosine >= bound})
            size *= _GROWTH

    def _scan(self, condition: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
        """Compare all vectors of the space."""
        names = {"collection": "%(collection)s", "space": "%(space)s", "condition": condition}
        sql = _NEAREST.format(distance="v.embedding <#> %(query)s::halfvec", **names)
        return self.session.named(sql, {**parameters, "space": self.space.id})

    def _search_index(self, condition: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
        """Search the HNSW index of the space.

        Its predicate must be in the query as it is in the index. The settings are sent together with it.
        """
        session, space = self.session, self.space
        size = min(max(_SEARCHED_PER_RESULT * parameters["limit"], _SEARCHED_AT_LEAST), _SEARCHED_AT_MOST)
        settings = f"SET LOCAL hnsw.ef_search = {size}; SET LOCAL hnsw.iterative_scan = strict_order;"
        distance = f"(v.embedding::halfvec({space.dimension})) <#> %(query)s::halfvec({space.dimension})"
        sql = _NEAREST.format(distance=distance, collection=session.collection, space=space.id, condition=condition)
        return run_together(session.connection, settings + sql, parameters)

    def _load_parts(self) -> Parts:
        """Load the codes of the space.

        They are compared in this process: most queries do not need them.
        """
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        from waymeet.stores.segments.part_vectors import build_part_block  # noqa: PLC0415 - likewise

        key = "parts", self.space.id, self.space.changed
        if key not in self.cache:
            rows = self.session.rows(_ALL_VALUES, self.space.id)
            block = build_part_block([value for _, value in rows])
            self.cache[key] = Parts(np.array([chunk for chunk, _ in rows], dtype=np.int64), block)
        parts: Parts = self.cache[key]
        return parts

    def _rank_parts(self, query: Vector, limit: int, filters: Filters) -> dict[int, float]:
        """Find the best chunks by the mean of the cosines of the whole text and of its best part."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        parts, excluded = self._load_parts(), self._excluded_positions(filters)
        size = limit
        while True:
            sections, scores = parts.block.rank(query, size, excluded)
            is_complete = len(sections) <= size
            bound = float("-inf") if is_complete else float(np.partition(scores, -size)[-size])
            best = scores >= bound
            exact: dict[int, float] = dict(
                zip(parts.chunks[sections[best]].tolist(), scores[best].tolist(), strict=True)
            )
            if filters.phrases:
                with_phrases = select_with_phrases(self.session, exact, filters.phrases)
                exact = {chunk: score for chunk, score in exact.items() if chunk in with_phrases}
            if not filters.phrases or is_complete or len(exact) >= limit:
                return exact
            size *= _GROWTH

    def _excluded_positions(self, filters: Filters) -> NDArray[np.int64] | None:
        """Return the positions of the codes whose chunks do not pass, or None if all pass."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        condition = filter_condition(filters, "row", self.words)
        if condition.is_empty:
            return None
        parameters = {**condition.parameters, "space": self.space.id}
        rows = self.session.named(_PASSING.format(condition=condition.sql), parameters)
        allowed = np.array([chunk for (chunk,) in rows], dtype=np.int64)
        return np.flatnonzero(~np.isin(self._load_parts().chunks, allowed))


def _compare(query: Vector, values: Mapping[int, bytes]) -> dict[int, float]:
    """Compute the exact cosines of chunks."""
    return dict(zip(values, compare_values(list(values.values()), query), strict=True))


def score_parts(session: Session, spaces: Collection[str], vector: Vector, chunks: Collection[str]) -> dict[str, float]:
    """Compute the similarities of chunks to a vector, without loading the spaces."""
    keys = {hash_key(chunk): chunk for chunk in chunks}
    rows = session.named(_CODES, {"hashes": list(keys), "spaces": list(spaces)})
    return score_part_codes({keys[hash_]: bytes(value) for hash_, value in rows}, vector)
