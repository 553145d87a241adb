"""The link file: for each document its neighbours, by kind and direction of the links.

Arrays, with documents and their neighbours in the order of paths:

    documents               the id of each document, by position
    path starts, paths      where each path begins, and all paths in UTF-8
    starts                  where the neighbours of each document begin, and their number
    others, codes, links    the neighbours: position, 2 · kind + 1 if the links point there, number of links

Dangling links and links of a document to itself are left out.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from waymeet.ports import Neighbour
from waymeet.stores.segments.array_file import integer_code

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from waymeet.stores.segments.array_file import ArrayFile, Arrays


class LinkGraph:
    """A mapped link file."""

    def __init__(self, file: ArrayFile) -> None:
        self.file = file
        self._kinds = [(kind, outward) for kind in file.attributes["kinds"] for outward in (False, True)]
        """Kind and direction, by code."""
        self._position_by_path: dict[str, int] = {}
        self._paths: list[str | None] = [None] * len(self.documents)

    @cached_property
    def documents(self) -> memoryview[int]:
        """The ids of the documents, by position."""
        return self.file.integers("documents")

    @cached_property
    def _rows(self) -> tuple[memoryview[int], memoryview[int], memoryview[int], memoryview[int]]:
        integers = self.file.integers
        return integers("starts"), integers("others"), integers("codes"), integers("links")

    @cached_property
    def _encoded_paths(self) -> tuple[memoryview[int], memoryview[int]]:
        return self.file.integers("path starts"), self.file.integers("paths")

    def find_position(self, path: str) -> int | None:
        """Find the position of a document by binary search, or None if it is not in the file."""
        known = self._position_by_path.get(path)
        if known is not None:
            return known
        low, high = 0, len(self.documents)
        while low < high:
            middle = (low + high) // 2
            if self._path(middle) < path:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self.documents) and self._path(low) == path else None

    def neighbours(self, position: int) -> tuple[Neighbour, ...]:
        """Return the neighbours of the document at a position."""
        starts, others, codes, links = self._rows
        span = slice(starts[position], starts[position + 1])
        paths = [self._paths[other] or self._path(other) for other in others[span].tolist()]
        kinds = [self._kinds[code] for code in codes[span].tolist()]
        rows = [(path, *kind, number) for path, kind, number in zip(paths, kinds, links[span].tolist(), strict=True)]
        return tuple(map(Neighbour._make, rows))

    def _path(self, position: int) -> str:
        path = self._paths[position]
        if path is None:
            starts, encoded = self._encoded_paths
            path = self._paths[position] = bytes(encoded[starts[position] : starts[position + 1]]).decode()
            self._position_by_path[path] = position
        return path


def build_arrays(
    paths: Sequence[tuple[str, int]], neighbours: Mapping[int, Sequence[tuple[int, str, bool, int]]]
) -> tuple[Arrays, dict[str, Any]]:
    """Build the arrays and attributes of a link file.

    `paths` are the paths and ids of the documents, in the order of paths. `neighbours` are, by document id: id of the
    other document, kind, whether the links point there, and their number.
    """
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    position = {document: index for index, (_, document) in enumerate(paths)}
    kinds = sorted({kind for rows in neighbours.values() for _, kind, _, _ in rows})
    kind_code = {kind: index for index, kind in enumerate(kinds)}
    starts, entries = [0], []
    for _, document in paths:
        rows = neighbours.get(document, ())
        entries.extend(
            sorted((position[other], 2 * kind_code[kind] + outward, links) for other, kind, outward, links in rows)
        )
        starts.append(len(entries))
    columns = np.array(entries, dtype=np.uint32).reshape(-1, 3).T
    encoded = [path.encode() for path, _ in paths]
    path_starts = np.cumsum([0, *map(len, encoded)])
    integers: dict[str, NDArray[Any]] = {
        "documents": np.array([document for _, document in paths], dtype=np.uint32),
        "starts": np.array(starts, dtype=np.uint32),
        **dict(zip(("others", "codes", "links"), columns, strict=True)),
        "path starts": path_starts.astype(np.uint64),
        "paths": np.frombuffer(b"".join(encoded), dtype=np.uint8),
    }
    return {name: (integer_code(int(array.max(initial=0))), array) for name, array in integers.items()}, {
        "kinds": kinds
    }
