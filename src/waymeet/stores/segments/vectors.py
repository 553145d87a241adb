"""The vectors of a space as they are asked: parts that are each a matrix, with the numbers of the chunks they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.stores.segments.quantization import Signs, asked, differing, fewest, rotation, signs

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from waymeet.ports import Vector
    from waymeet.stores.segments.array_file import Container
    from waymeet.stores.segments.postings import Arrays

    Rows = NDArray[np.int64]

_COMPARED = 0.003
"""Which part of the vectors is compared exactly after looking at their signs; at recall .99 or more."""
_COMPARED_FOR_EACH = 7
"""And how many more for each one that is wanted."""
_USUAL = 384
"""The dimension for which this is enough; where a vector has fewer numbers, its signs say less, and more are taken."""
_LEFT_BY_FIRST_LOOK, _LEFT_BY_SECOND_LOOK = 18, 5
"""How many times as many are left by a look at first signs only, and by one at finer signs of the question."""


class Part(NamedTuple):
    """Some vectors of a space, in the order of their chunks' numbers."""

    chunks: NDArray[np.uint32]
    numbers: NDArray[np.uint64]
    """Of the vectors."""
    matrix: NDArray[np.float32]
    turn: NDArray[np.float32] | None = None
    """The rotation before signs were taken; None if the vectors are too few to need signs."""
    signs: Signs | None = None
    alive: NDArray[np.bool_] | None = None
    """Which are still true; None for all."""

    def without(self, dead: NDArray[np.uint64]) -> Part:
        """Leave out vectors that were replaced or removed since, given by their numbers in order."""
        if not len(dead):
            return self
        at = np.minimum(np.searchsorted(dead, self.numbers), len(dead) - 1)
        alive = dead[at] != self.numbers
        return self if alive.all() else self._replace(alive=alive)

    @property
    def living(self) -> int:
        """Count the vectors that are still true."""
        return len(self.chunks) if self.alive is None else int(np.count_nonzero(self.alive))

    def barring(self, barred: Rows | None) -> NDArray[np.bool_] | None:
        """Say which rows may not be answers: those that are dead, and others given by their places; None if none."""
        if barred is None:
            return None if self.alive is None else ~self.alive
        found = np.zeros(len(self.chunks), dtype=np.bool_) if self.alive is None else ~self.alive
        found[barred] = True
        return found

    def near(self, query: Vector, barring: NDArray[np.bool_] | None, wanted: int) -> tuple[Rows, NDArray[np.float32]]:
        """Find rows among which the best `wanted` almost certainly are, and how near they are, roughly."""
        rows = self.likely(query, barring, wanted)
        if rows is None and barring is not None:
            rows = np.flatnonzero(~barring)
        return np.arange(len(self.chunks)) if rows is None else rows, self.rough(query, rows)

    def likely(self, query: Vector, barring: NDArray[np.bool_] | None, wanted: int) -> Rows | None:
        """Narrow down to rows among which the best `wanted` almost certainly are; None for all not barred."""
        if self.turn is None or self.signs is None:
            return None
        count, dimension = self.matrix.shape
        enough = int((_COMPARED * count + _COMPARED_FOR_EACH * wanted) * max(1.0, _USUAL / dimension))
        if _LEFT_BY_SECOND_LOOK * enough >= count - (0 if barring is None else np.count_nonzero(barring)):
            return None
        first, second, third = asked(query, self.turn)
        away = differing(self.signs.first, first)
        if barring is not None:  # from the start: they may be all that is near
            away[barring] = dimension + 1
        rows = fewest(away, _LEFT_BY_FIRST_LOOK * enough)
        if barring is not None:
            rows = rows[~barring[rows]]
        here = np.take(self.signs.first, rows, axis=1)
        away = 4 * away[rows] + 2 * differing(here, second) + differing(here, third)
        kept = fewest(away, _LEFT_BY_SECOND_LOOK * enough)
        rows, here = rows[kept], np.take(self.signs.second, rows[kept], axis=0).T
        away = 2 * away[kept] + 4 * differing(here, first) + 2 * differing(here, second) + differing(here, third)
        return rows[fewest(away, enough)]

    def rough(self, query: Vector, rows: Rows | None) -> NDArray[np.float32]:
        """Compare some vectors with a question, fast, off by rounding in 32 bits."""
        # Row by row: a matrix product would wake other threads, which costs more than it gains where cores are busy.
        found: NDArray[np.float32] = np.vecdot(
            self.matrix if rows is None else np.take(self.matrix, rows, axis=0), query
        )
        return found


def arrays(part: Part, *, with_signs: bool) -> tuple[Arrays, dict[str, Any]]:
    """Make the arrays and facts of a file of vectors."""
    made: Arrays = {
        "chunks": ("I", part.chunks),
        "numbers": ("Q", part.numbers),
        "vectors": ("f", part.matrix.reshape(-1)),
    }
    if with_signs:
        turn = rotation(part.matrix.shape[1])
        found = signs(part.matrix, turn)
        made["turn"] = ("f", turn.reshape(-1))
        made["first signs"], made["second signs"] = ("Q", found.first.reshape(-1)), ("Q", found.second.reshape(-1))
    return made, {"dimension": part.matrix.shape[1]}


def opened(container: Container) -> Part:
    """Read a file of vectors by mapping it."""
    count, dimension = len(container.numbers("chunks")), int(container.facts["dimension"])
    part: Any = [container.numbers(name) for name in ("chunks", "numbers", "vectors")]
    part[2] = part[2].reshape(count, dimension)
    if "second signs" in container:
        turn, first, second = (container.numbers(name) for name in ("turn", "first signs", "second signs"))
        both: Any = first.reshape(-1, count), second.reshape(count, -1)
        part += [turn.reshape(dimension, dimension), Signs(*both)]
    return Part(*part)
