"""Vectors in the table and in files: storing, loading a space, ranking by cosine."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.json import encode

from waymeet.analysis.embedded.space_names import is_quantised_space, is_student_space, section_space, student_space
from waymeet.stores.shared.vectors import (
    cosines,
    normalise_vector,
    normalise_vectors,
    quantise_parts,
    sample_similarities,
)
from waymeet.stores.sqlite.database.errors import UnreadableError
from waymeet.stores.sqlite.read.part_space import PartSpace, build_part_space
from waymeet.stores.sqlite.read.queries import find_chunk_ids
from waymeet.stores.sqlite.read.top_k import rank_chunks
from waymeet.stores.sqlite.segments import vector_registry

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from waymeet.ports import Vector
    from waymeet.stores.segments.vectors import VectorBlock
    from waymeet.stores.sqlite.database.sessions import Session
    from waymeet.stores.sqlite.read.filters import FilterSet
    from waymeet.types import Ranking

_DIMENSIONS = """
SELECT l.name, length(v.vector), substr(v.vector, 1, 2)
FROM spaces l JOIN vectors v ON v.id = (SELECT id FROM vectors WHERE space = l.id LIMIT 1) ORDER BY l.name
"""
_DIGESTS = """
SELECT c.id, d.digest
FROM json_each(?) input CROSS JOIN chunks c ON c.id = input.value JOIN documents d ON d.id = c.document
"""
_WITH_VECTOR = "SELECT v.chunk FROM json_each(?2) input CROSS JOIN vectors v ON v.space = ?1 AND v.chunk = input.value"
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
        """Validate a query vector against the space, and scale it to length 1."""
        return normalise_vector(vector, self.blocks[0].matrix.shape[1], f"The query vector for space {name}")

    def similarity_statistics(self, query: Vector) -> tuple[float, float]:
        """Compute mean and standard deviation of the cosines with a query."""
        return sample_similarities([block.matrix for block in self.blocks], query)

    def rank(self, query: Vector, limit: int, filters: FilterSet) -> Ranking:
        """Rank chunks by cosine.

        Candidates are selected by approximate cosines and then compared exactly. With phrases, more and more
        candidates are read until enough of them contain the phrases.
        """
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        # A sum of n products of unit vectors in 32 bits has an error of at most n·ε (Higham, 2002, section 3.1). Both
        # the bound and a candidate may be off by that much.
        tolerance = 2.0 * len(query) * float(np.finfo(np.float32).eps)
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
    exact: dict[int, float] = {}
    above_bound: set[int] = set()
    for block, rows, scores in candidates:
        near = rows[scores >= bound - tolerance]
        exact.update(zip(block.chunks[near].tolist(), cosines(block.matrix[near], query), strict=True))
        above_bound.update(block.chunks[rows[scores >= bound]].tolist())
    return exact, above_bound


def load_space(session: Session, name: str) -> VectorSpace | PartSpace | None:
    """Load a space, or return None if it has no vectors."""
    connection = session.connection
    space = connection.execute("SELECT id FROM spaces WHERE name = ?", (name,)).get
    buffered = [] if space is None else list(vector_registry.read_buffered(connection, space))
    if is_quantised_space(name):
        return build_part_space(buffered) if buffered else None
    files = [file for entry, file in session.vectors.items() if entry.space == space]
    if not buffered and not files:
        return None
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.stores.segments.vectors import read_block  # noqa: PLC0415 - likewise

    deleted = np.array(vector_registry.deleted_ids(connection, space), dtype=np.uint64)
    blocks = [block for block in (read_block(file).without_deleted(deleted) for file in files) if block.live_count]
    blocks += [build_block(buffered)] if buffered else []
    if len({block.matrix.shape[1] for block in blocks}) > 1:
        raise UnreadableError(f"the vectors of space {name} differ in length")
    return VectorSpace(blocks) if blocks else None


def build_block(rows: list[vector_registry.VectorRow]) -> VectorBlock:
    """Build a block from rows of the table, in the order of chunk ids."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.stores.segments.vectors import VectorBlock  # noqa: PLC0415 - likewise

    rows.sort()
    sizes = {len(row.vector) for row in rows}
    if len(sizes) != 1 or min(sizes) % 4 != 0:
        raise UnreadableError("the vectors of a space differ in length")
    matrix = np.empty((len(rows), sizes.pop() // 4), dtype=np.float32)
    for index, row in enumerate(rows):
        matrix[index] = np.frombuffer(row.vector, dtype="<f4")
    chunks, ids = (np.array(column) for column in zip(*((row.chunk, row.id) for row in rows), strict=True))
    return VectorBlock(chunks.astype(np.uint32), ids.astype(np.uint64), matrix)


def read_dimensions(connection: apsw.Connection) -> dict[str, int]:
    """Return the dimension of every space that has vectors."""
    return {
        name: int.from_bytes(first, "little") if is_quantised_space(name) else size // 4
        for name, size, first in connection.execute(_DIMENSIONS)  # codes begin with their dimension
    }


def put_vectors(
    connection: apsw.Connection, name: str, vectors: Mapping[str, Vector], digests: Mapping[str, str] | None = None
) -> int:
    """Store vectors of known chunks, and return their number.

    With `digests`, chunks whose document has another digest are left out. A chunk has a true vector or an approximate
    one, never both.
    """
    rows = _encode(name, vectors, read_dimensions(connection).get(name))
    chunk_ids = find_chunk_ids(connection, rows) if digests is None else _find_unchanged(connection, rows, digests)
    if is_student_space(name):
        chunk_ids = _without_vector(connection, chunk_ids, section_space(name))
    if not chunk_ids:
        return 0
    connection.execute("INSERT INTO spaces (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
    # Deleted first: INSERT OR REPLACE would not fire the trigger that marks the old vector as deleted.
    for replaced in (name, student_space(name)):
        _delete_vectors(connection, replaced, chunk_ids.values())
    space = connection.execute("SELECT id FROM spaces WHERE name = ?", (name,)).get
    connection.executemany(
        "INSERT INTO vectors (space, chunk, vector) VALUES (?, ?, ?)",
        ((space, chunk_id, rows[chunk]) for chunk, chunk_id in chunk_ids.items()),
    )
    return len(chunk_ids)


def _without_vector(connection: apsw.Connection, chunk_ids: Mapping[str, int], name: str) -> dict[str, int]:
    """Leave out the chunks that have a vector in a space."""
    space = connection.execute("SELECT id FROM spaces WHERE name = ?", (name,)).get
    if space is None:
        return dict(chunk_ids)
    embedded = {id_ for (id_,) in connection.execute(_WITH_VECTOR, (space, _to_json(chunk_ids.values())))}
    return {chunk: id_ for chunk, id_ in chunk_ids.items() if id_ not in embedded}


def _delete_vectors(connection: apsw.Connection, name: str, chunk_ids: Iterable[int]) -> None:
    space = connection.execute("SELECT id FROM spaces WHERE name = ?", (name,)).get
    if space is not None:
        sql = "DELETE FROM vectors WHERE space = ? AND chunk IN (SELECT value FROM json_each(?))"
        connection.execute(sql, (space, _to_json(chunk_ids)))


def _encode(name: str, vectors: Mapping[str, Vector], dimension: int | None) -> dict[str, bytes]:
    """Validate vectors and encode them as the table stores them."""
    if is_quantised_space(name):
        return quantise_parts(name, vectors, dimension)
    unit_vectors = normalise_vectors(name, vectors, dimension)
    return {chunk: vector.astype("<f4").tobytes() for chunk, vector in unit_vectors.items()}


def drop_vectors(connection: apsw.Connection, name: str, chunks: Collection[str] | None) -> int:
    """Remove vectors of chunks from a space, or all with their files, and return their number."""
    space = connection.execute("SELECT id FROM spaces WHERE name = ?", (name,)).get
    if space is None:
        return 0
    if chunks is None:
        vector_registry.drop_space_files(connection, space)
    before = connection.total_changes()
    if chunks is None:
        connection.execute("DELETE FROM vectors WHERE space = ?", (space,))
    else:
        _delete_vectors(connection, name, find_chunk_ids(connection, chunks).values())
    return connection.total_changes() - before


def _find_unchanged(connection: apsw.Connection, chunks: Iterable[str], digests: Mapping[str, str]) -> dict[str, int]:
    ids = find_chunk_ids(connection, list(chunks))
    digest_by_id = dict(connection.execute(_DIGESTS, (_to_json(ids.values()),)))
    return {chunk: id_ for chunk, id_ in ids.items() if digest_by_id[id_] == digests.get(chunk)}


def _to_json(values: Iterable[object]) -> str:
    """Encode values for `json_each`."""
    return encode(list(values)).decode()
