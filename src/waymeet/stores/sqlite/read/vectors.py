"""Vectors in the table and in files: loading a space, ranking by cosine."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from waymeet.analysis.embedded.space_names import is_part_space
from waymeet.stores.lexical.top_k import rank_chunks
from waymeet.stores.shared.vectors import rotate_query, sample_step, summarise_similarities
from waymeet.stores.sqlite.database.errors import UnreadableError
from waymeet.stores.sqlite.read.part_space import PartSpace, build_part_space
from waymeet.stores.sqlite.segments import vector_registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from waymeet.ports import Vector
    from waymeet.stores.segments.vectors import VectorBlock
    from waymeet.stores.sqlite.database.sessions import Session
    from waymeet.stores.sqlite.read.filters import FilterSet
    from waymeet.types import Ranking

_DIMENSIONS = """
SELECT l.name, f.dimension, NULL FROM spaces l
JOIN vector_segments f ON f.id = (SELECT max(id) FROM vector_segments WHERE space = l.id)
WHERE EXISTS (SELECT 1 FROM vectors WHERE space = l.id)
UNION ALL
SELECT l.name, length(v.code), substr(v.code, 1, 2)
FROM spaces l JOIN vector_codes v ON v.id = (SELECT id FROM vector_codes WHERE space = l.id LIMIT 1)
"""
_GROWTH = 8
"""Factor by which more candidates are read while too few of them have the phrases."""


class _Candidates(NamedTuple):
    """Rows of a block that may be among the best, with approximate cosines."""

    block: VectorBlock
    rows: NDArray[np.int64]
    scores: NDArray[np.float32]


class VectorSpace(NamedTuple):
    """All vectors of one space in one generation: a block per file, and one of the buffer."""

    blocks: Sequence[VectorBlock]

    def normalise_query(self, vector: Vector, name: str) -> Vector:
        """Validate a query vector against the space, scale it to length 1 and rotate it."""
        return rotate_query(vector, self.blocks[0].dimension, f"The query vector for space {name}")

    def similarity_statistics(self, query: Vector) -> tuple[float, float]:
        """Compute mean and standard deviation of the cosines with a query."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        step = sample_step(sum(len(block.chunks) for block in self.blocks))
        sample = [block.take(np.arange(0, len(block.chunks), step)) for block in self.blocks]
        return summarise_similarities(np.concatenate(sample), query)

    def rank(self, query: Vector, limit: int, filters: FilterSet) -> Ranking:
        """Rank chunks by cosine.

        Candidates are selected by approximate cosines and then compared exactly. With phrases, more and more
        candidates are read until enough of them contain the phrases.
        """
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        # A sum of n products in 32 bits, divided by the lengths of the vectors, has an error of at most n·ε (Higham,
        # 2002, section 3.1), and dividing adds a few ε. Both the bound and a candidate may be off by that much.
        tolerance = 2.0 * (len(query) + 4) * float(np.finfo(np.float32).eps)
        size = max(limit, 0)
        excluded = [block.excluded_mask(filters.excluded_positions(block.chunks)) for block in self.blocks]
        while size:
            pairs = zip(self.blocks, excluded, strict=True)
            candidates = [_Candidates(block, *block.find_candidates(query, mask, size)) for block, mask in pairs]
            scores = np.concatenate([part.scores for part in candidates])
            is_complete = len(scores) <= size
            bound = float("-inf") if is_complete else float(np.partition(scores, -size)[-size])
            exact, above_bound = _compare_exactly(candidates, query, bound, tolerance)
            locations = filters.locate(exact)
            if not filters.phrases or is_complete or len(locations.keys() & above_bound) >= limit:
                return rank_chunks(locations, exact, limit)
            size *= _GROWTH
        return ()


def _compare_exactly(
    candidates: Sequence[_Candidates], query: Vector, bound: float, tolerance: float
) -> tuple[dict[int, float], set[int]]:
    """Compute exact cosines of all that may reach the bound, and return those that certainly do."""
    from waymeet.formulas.vector_codes import cosines  # noqa: PLC0415 - start-up is a feature

    exact: dict[int, float] = {}
    above_bound: set[int] = set()
    for block, rows, scores in candidates:
        near = rows[scores >= bound - tolerance]
        exact.update(zip(block.chunks[near].tolist(), cosines(block.take(near), query), strict=True))
        above_bound.update(block.chunks[rows[scores >= bound]].tolist())
    return exact, above_bound


def load_space(session: Session, name: str) -> VectorSpace | PartSpace | None:
    """Load a space, or return None if it has no vectors."""
    connection = session.connection
    space = connection.execute("SELECT id FROM spaces WHERE name = ?", (name,)).get
    buffered = [] if space is None else list(vector_registry.read_buffered(connection, space))
    if is_part_space(name):
        return build_part_space(buffered) if buffered else None
    files = [file for entry, file in session.vectors.items() if entry.space == space]
    if not buffered and not files:
        return None
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.stores.segments.vectors import read_block  # noqa: PLC0415 - likewise

    deleted = np.array(vector_registry.deleted_ids(connection, space), dtype=np.uint64)
    blocks = [block for block in (read_block(file).without_deleted(deleted) for file in files) if block.live_count]
    blocks += [read_rows(buffered)] if buffered else []
    if len({block.dimension for block in blocks}) > 1:
        raise UnreadableError(f"the vectors of space {name} differ in length")
    return VectorSpace(blocks) if blocks else None


def read_rows(rows: Sequence[vector_registry.VectorRow]) -> VectorBlock:
    """Build a block from rows of the table, in the order of chunk ids."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.stores.segments.vectors import build_block  # noqa: PLC0415 - likewise

    sizes = {len(row.code) for row in rows}
    if len(sizes) != 1 or 0 in sizes:
        raise UnreadableError("the vectors of a space differ in length")
    codes = np.frombuffer(b"".join(row.code for row in rows), dtype=np.int8).reshape(len(rows), -1)
    if not codes.any(axis=1).all():
        raise UnreadableError("a vector is zero")
    return build_block([row.chunk for row in rows], [row.id for row in rows], codes)


def read_dimensions(connection: apsw.Connection) -> dict[str, int]:
    """Return the dimension of every space that has vectors."""
    dimensions = {
        name: int.from_bytes(first, "little") if is_part_space(name) else size
        for name, size, first in connection.execute(_DIMENSIONS)  # the codes of parts begin with their dimension
    }
    return dict(sorted(dimensions.items()))
