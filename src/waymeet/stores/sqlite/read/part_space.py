"""Spaces of quantised vectors of sections and their parts: loading and ranking.

They are read from the table when a query needs them, and have no segment files: most queries do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.json import encode

from waymeet.stores.lexical.top_k import rank_chunks
from waymeet.stores.shared.vectors import normalise_vector, sample_part_similarities, score_part_codes
from waymeet.stores.sqlite.read.queries import find_chunk_ids

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from waymeet.ports import Vector
    from waymeet.stores.segments.part_vectors import PartBlock
    from waymeet.stores.sqlite.read.filters import FilterSet
    from waymeet.stores.sqlite.segments.vector_registry import VectorRow
    from waymeet.types import Ranking

_CODES = """
SELECT v.chunk, c.code FROM vectors v JOIN vector_codes c ON c.id = v.id
WHERE v.chunk IN (SELECT value FROM json_each(?2))
    AND v.space IN (SELECT id FROM spaces WHERE name IN (SELECT value FROM json_each(?1)))
"""
_GROWTH = 8
"""Factor by which more candidates are read while too few of them have the phrases."""


class PartSpace(NamedTuple):
    """All codes of one space in one generation."""

    chunks: NDArray[np.uint32]
    block: PartBlock

    def normalise_query(self, vector: Vector, name: str) -> Vector:
        """Validate a query vector against the space, and scale it to length 1."""
        return normalise_vector(vector, self.block.dimension, f"The query vector for space {name}")

    def rank(self, query: Vector, limit: int, filters: FilterSet) -> Ranking:
        """Rank chunks by the mean of the cosines of the whole text and of its best part."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        excluded = filters.excluded_positions(self.chunks)
        size = max(limit, 0)
        while size:
            sections, scores = self.block.rank(query, size, excluded)
            is_complete = len(sections) <= size
            bound = float("-inf") if is_complete else float(np.partition(scores, -size)[-size])
            best = scores >= bound
            exact = dict(zip(self.chunks[sections[best]].tolist(), scores[best].tolist(), strict=True))
            locations = filters.locate(exact)
            if not filters.phrases or is_complete or len(locations) >= limit:
                return rank_chunks(locations, exact, limit)
            size *= _GROWTH
        return ()

    def similarity_statistics(self, query: Vector) -> tuple[float, float]:
        """Compute mean and standard deviation of the scores of sections."""
        return sample_part_similarities(self.block, query)


def build_part_space(rows: Iterable[VectorRow]) -> PartSpace:
    """Build a space from rows of the table, in the order of chunk ids."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.stores.segments.part_vectors import build_part_block  # noqa: PLC0415 - likewise

    ordered = sorted(rows)
    chunks = np.array([row.chunk for row in ordered], dtype=np.uint32)
    return PartSpace(chunks, build_part_block([row.code for row in ordered]))


def score_parts(
    connection: apsw.Connection, spaces: Collection[str], vector: Vector, chunks: Collection[str]
) -> dict[str, float]:
    """Compute the similarities of chunks to a vector, without loading the spaces."""
    keys = {id_: key for key, id_ in find_chunk_ids(connection, chunks).items()}
    rows = connection.execute(_CODES, (encode(sorted(spaces)).decode(), encode(list(keys)).decode()))
    return score_part_codes({keys[chunk]: code for chunk, code in rows}, vector)
