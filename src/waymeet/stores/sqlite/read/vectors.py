"""Vectors in the file and in what is derived from it: keeping them, reading a space, ranking by nearness."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from waymeet.stores.shared.vectors import cosines, unit, units
from waymeet.stores.sqlite.database.errors import UnreadableError
from waymeet.stores.sqlite.read.queries import numbers
from waymeet.stores.sqlite.read.top_k import ranked
from waymeet.stores.sqlite.segments import vector_registry

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from waymeet.ports import Vector
    from waymeet.stores.segments.vectors import Part
    from waymeet.stores.sqlite.database.sessions import Session
    from waymeet.stores.sqlite.read.filters import FilterSet
    from waymeet.types import Ranking

_SPACES = """
SELECT l.name, length(v.vector) / 4
FROM spaces l JOIN vectors v ON v.id = (SELECT id FROM vectors WHERE space = l.id LIMIT 1) ORDER BY l.name
"""


class _Near(NamedTuple):
    """Vectors that may be among the best: where they are and how near, roughly."""

    part: Part
    rows: NDArray[np.int64]
    scores: NDArray[np.float32]


class VectorSpace(NamedTuple):
    """All vectors of one space in one generation: those in files, and the loose ones."""

    parts: Sequence[Part]

    def question(self, vector: Vector, name: str) -> Vector:
        """Check a question's vector against the space."""
        return unit(vector, self.parts[0].matrix.shape[1], f"the question's vector for space {name}")

    def rank(self, query: Vector, limit: int, gate: FilterSet) -> Ranking:
        """Rank chunks by nearness: exactly, but that in large files only likely ones are looked at.

        With phrases, more and more are looked at until enough have them.
        """
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        # A sum of n products of unit vectors in 32 bits is off by n·ε at most (Higham, 2002, section 3.1).
        slack = 2.0 * len(query) * float(np.finfo(np.float32).eps)
        size = max(limit, 0)
        barring = [part.barring(gate.barred(part.chunks)) for part in self.parts]
        while size:
            pairs = zip(self.parts, barring, strict=True)
            near = [_Near(part, *part.near(query, barred, size)) for part, barred in pairs]
            scores = np.concatenate([each.scores for each in near])
            everything = len(scores) <= size
            bound = float("-inf") if everything else float(np.partition(scores, -size)[-size])
            exact, sure = _exact(near, query, bound, slack)
            places = gate.places(exact)
            if not gate.phrases or everything or len(places.keys() & sure) >= limit:
                return ranked(places, exact, limit)
            size *= 8
        return ()


def _exact(near: Sequence[_Near], query: Vector, bound: float, slack: float) -> tuple[dict[int, float], set[int]]:
    """Compare those that may reach the bound exactly, as every backend does; name those that surely reach it."""
    found: dict[int, float] = {}
    sure: set[int] = set()
    for part, rows, scores in near:
        kept = rows[scores >= bound - slack]
        found.update(zip(part.chunks[kept].tolist(), cosines(part.matrix[kept], query), strict=True))
        sure.update(part.chunks[rows[scores >= bound]].tolist())
    return found, sure


def load(session: Session, name: str) -> VectorSpace | None:
    """Read a space; None if it holds nothing."""
    connection = session.connection
    space = connection.execute("SELECT id FROM spaces WHERE name = ?", (name,)).get
    rows = [] if space is None else list(vector_registry.loose(connection, space))
    files = [container for shelved, container in session.vectors.items() if shelved.space == space]
    if not rows and not files:
        return None
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.stores.segments.vectors import opened  # noqa: PLC0415 - likewise

    dead = np.array(vector_registry.dead(connection, space), dtype=np.uint64)
    parts = [part for part in (opened(container).without(dead) for container in files) if part.living]
    parts += [part_of(rows)] if rows else []
    if len({part.matrix.shape[1] for part in parts}) > 1:
        raise UnreadableError(f"vectors of space {name} differ in length")
    return VectorSpace(parts) if parts else None


def part_of(rows: list[vector_registry.Row]) -> Part:
    """Lay vectors from the truth into a matrix, in the order of their chunks."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.stores.segments.vectors import Part  # noqa: PLC0415 - likewise

    rows.sort()
    sizes = {len(row.vector) for row in rows}
    if len(sizes) != 1 or min(sizes) % 4 != 0:
        raise UnreadableError("vectors of a space differ in length")
    matrix = np.empty((len(rows), sizes.pop() // 4), dtype=np.float32)
    for place, row in enumerate(rows):
        matrix[place] = np.frombuffer(row.vector, dtype="<f4")
    chunks, found = (np.array(column) for column in zip(*((row.chunk, row.number) for row in rows), strict=True))
    return Part(chunks.astype(np.uint32), found.astype(np.uint64), matrix)


def dimensions(connection: apsw.Connection) -> dict[str, int]:
    """Give the dimension of every space that holds vectors."""
    return dict(connection.execute(_SPACES))


def put(
    connection: apsw.Connection, name: str, vectors: Mapping[str, Vector], digests: Mapping[str, str] | None = None
) -> int:
    """Keep vectors of known chunks, if their documents have the same digests, in a space and say how many that were."""
    kept = units(name, vectors, dimensions(connection).get(name))
    numbered = numbers(connection, kept) if digests is None else _unchanged(connection, kept, digests)
    if not numbered:
        return 0
    connection.execute("INSERT INTO spaces (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
    space = connection.execute("SELECT id FROM spaces WHERE name = ?", (name,)).get
    # Replacing would not tell the trigger that the old one is gone.
    connection.executemany(
        "DELETE FROM vectors WHERE space = ? AND chunk = ?", ((space, number) for number in numbered.values())
    )
    connection.executemany(
        "INSERT INTO vectors (space, chunk, vector) VALUES (?, ?, ?)",
        ((space, number, kept[chunk].astype("<f4").tobytes()) for chunk, number in numbered.items()),
    )
    return len(numbered)


def forget(connection: apsw.Connection, name: str, chunks: Collection[str] | None) -> int:
    """Remove the vectors of some chunks from a space, or all with their files, and say how many that were."""
    space = connection.execute("SELECT id FROM spaces WHERE name = ?", (name,)).get
    if space is None:
        return 0
    before = connection.total_changes()
    if chunks is None:
        vector_registry.abandon(connection, space)
        before = connection.total_changes()
        connection.execute("DELETE FROM vectors WHERE space = ?", (space,))
        return connection.total_changes() - before
    numbered = numbers(connection, chunks).values()
    sql = "DELETE FROM vectors WHERE space = ? AND chunk = ?"
    connection.executemany(sql, ((space, number) for number in numbered))
    return connection.total_changes() - before


def _unchanged(connection: apsw.Connection, chunks: Iterable[str], digests: Mapping[str, str]) -> dict[str, int]:
    sql = "SELECT c.key, c.id FROM chunks c JOIN documents d ON d.id = c.document WHERE c.key = ? AND d.digest = ?"
    return dict(connection.executemany(sql, ((chunk, digests.get(chunk)) for chunk in chunks)))
