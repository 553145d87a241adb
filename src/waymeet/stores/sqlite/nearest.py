"""Vectors in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from waymeet.stores.sqlite.asking import numbers
from waymeet.stores.sqlite.trouble import UnreadableError
from waymeet.stores.vectors import cosines, unit, units

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from waymeet.ports import Vector

_OF_LANE = """
SELECT v.chunk, v.vector FROM lanes l JOIN vectors v ON v.lane = l.id WHERE l.name = ? ORDER BY v.chunk
"""
_LANES = """
SELECT l.name, length(v.vector) / 4
FROM lanes l JOIN vectors v ON v.rowid = (SELECT rowid FROM vectors WHERE lane = l.id LIMIT 1) ORDER BY l.name
"""


class Lane(NamedTuple):
    """All vectors of one lane, as rows of a matrix."""

    rows: dict[int, int]
    """Where each chunk's vector stands."""
    matrix: NDArray[np.float32]

    def rough(self, query: Vector) -> tuple[dict[int, float], float]:
        """Compare all vectors with the question, fast, and say how far two such scores may be off together."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        scores: list[float] = (self.matrix @ query).tolist()
        # A sum of n products of unit vectors in 32 bits is off by n·ε at most (Higham, 2002, section 3.1).
        slack = 2.0 * len(query) * float(np.finfo(np.float32).eps)
        return dict(zip(self.rows, scores, strict=True)), slack

    def exact(self, query: Vector, chunks: Iterable[int]) -> dict[int, float]:
        """Compare some vectors with the question, exactly as every backend does."""
        wanted = list(chunks)
        scores = cosines(self.matrix[[self.rows[chunk] for chunk in wanted]], query)
        return dict(zip(wanted, scores, strict=True))

    def question(self, vector: Vector, name: str) -> Vector:
        """Check a question's vector against the lane."""
        return unit(vector, self.matrix.shape[1], f"the question's vector for lane {name}")


def load(connection: apsw.Connection, name: str) -> Lane | None:
    """Read a lane; None if it holds nothing."""
    found = connection.execute(_OF_LANE, (name,)).fetchall()
    if not found:
        return None
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    blobs = [blob for _, blob in found if isinstance(blob, bytes)]
    if len({len(blob) for blob in blobs}) != 1 or len(blobs[0]) % 4 != 0:
        raise UnreadableError(f"vectors of lane {name} differ in length")
    matrix = np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), -1)
    return Lane({chunk: row for row, (chunk, _) in enumerate(found) if isinstance(chunk, int)}, matrix)


def dimensions(connection: apsw.Connection) -> dict[str, int]:
    """Give the dimension of every lane that holds vectors."""
    return dict(connection.execute(_LANES))


def put(connection: apsw.Connection, name: str, vectors: Mapping[str, Vector]) -> int:
    """Keep vectors of known chunks in a lane and say how many that were."""
    kept = units(name, vectors, dimensions(connection).get(name))
    numbered = numbers(connection, kept)
    if not numbered:
        return 0
    connection.execute("INSERT INTO lanes (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
    lane = connection.execute("SELECT id FROM lanes WHERE name = ?", (name,)).get
    connection.executemany(
        "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
        ((lane, number, kept[chunk].astype("<f4").tobytes()) for chunk, number in numbered.items()),
    )
    return len(numbered)
