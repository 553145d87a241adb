"""Who is linked with whom, as arrays: for each document the others around it, by kind and direction of the links.

Documents stand in the order of their paths, and so do the neighbours of each. Dangling links and those that lead back
to their own document are not in it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from waymeet.ports import Neighbour

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from waymeet.stores.segments.array_file import Container
    from waymeet.stores.segments.postings import Arrays


class Graph:
    """A mapped file of neighbours."""

    def __init__(self, container: Container) -> None:
        self.container = container
        self._ways = [(kind, outward) for kind in container.facts["kinds"] for outward in (False, True)]
        """What the code of a link stands for."""
        self._known: dict[str, int] = {}
        self._names: list[str | None] = [None] * len(self.documents)

    @cached_property
    def documents(self) -> memoryview[int]:
        """The numbers of the documents, in the order of their paths."""
        return self.container.array("documents")

    @cached_property
    def _rows(self) -> tuple[memoryview[int], memoryview[int], memoryview[int], memoryview[int]]:
        array = self.container.array
        return array("starts"), array("others"), array("codes"), array("links")

    @cached_property
    def _paths(self) -> tuple[memoryview[int], memoryview[int]]:
        return self.container.array("path starts"), self.container.array("paths")

    def place(self, path: str) -> int | None:
        """Find the place of a document; None if it is not in the file."""
        found = self._known.get(path)
        if found is not None:
            return found
        low, high = 0, len(self.documents)
        while low < high:
            middle = (low + high) // 2
            if self._path(middle) < path:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self.documents) and self._path(low) == path else None

    def around(self, place: int) -> tuple[Neighbour, ...]:
        """Give the neighbours of the document at a place."""
        starts, others, codes, links = self._rows
        here = slice(starts[place], starts[place + 1])
        names = [self._names[other] or self._path(other) for other in others[here].tolist()]
        ways = [self._ways[code] for code in codes[here].tolist()]
        rows = [(name, *way, number) for name, way, number in zip(names, ways, links[here].tolist(), strict=True)]
        return tuple(map(Neighbour._make, rows))

    def _path(self, place: int) -> str:
        name = self._names[place]
        if name is None:
            starts, paths = self._paths
            name = self._names[place] = bytes(paths[starts[place] : starts[place + 1]]).decode()
            self._known[name] = place
        return name


def arrays(
    paths: Sequence[tuple[str, int]], rows: Mapping[int, Sequence[tuple[int, str, bool, int]]]
) -> tuple[Arrays, dict[str, Any]]:
    """Make the arrays and facts of a file.

    Documents are given by path and number, in the order of their paths; their neighbours by the number of each: the
    other's number, the kind, whether the links lead there, and how many there are.
    """
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    place = {number: at for at, (_, number) in enumerate(paths)}
    kinds = sorted({kind for around in rows.values() for _, kind, _, _ in around})
    code = {kind: at for at, kind in enumerate(kinds)}
    starts, flat = [0], []
    for _, number in paths:
        around = rows.get(number, ())
        flat.extend(sorted((place[other], 2 * code[kind] + outward, links) for other, kind, outward, links in around))
        starts.append(len(flat))
    columns = np.array(flat, dtype=np.uint32).reshape(-1, 3).T
    written = [path.encode() for path, _ in paths]
    lengths = np.cumsum([0, *map(len, written)])
    made: Arrays = {
        "documents": ("I", np.array([number for _, number in paths], dtype=np.uint32)),
        "starts": ("I", np.array(starts, dtype=np.uint32)),
        **{name: ("I", column) for name, column in zip(("others", "codes", "links"), columns, strict=True)},
        "path starts": ("Q", lengths.astype(np.uint64)),
        "paths": ("B", np.frombuffer(b"".join(written), dtype=np.uint8)),
    }
    return made, {"kinds": kinds}
