"""Writing runs to files, as JSON lines or in the format of TREC."""

from pathlib import Path
from typing import NamedTuple

import msgspec

from waymeet.evaluate.collection import Collection
from waymeet.evaluate.run import Run
from waymeet.evaluate.trec import format_run


class RunFiles(NamedTuple):
    """The files to which runs are written."""

    json_lines: Path | None
    """With `{"id", "text", "right": [ids], "hits": [ids]}` for each query."""
    trec: Path | None
    several: bool
    """Whether there are several recipes or collections, each with a file of its own."""
    several_levels: bool

    def write(self, collection: Collection, run: Run) -> None:
        """Write a run to its files."""
        if self.json_lines:
            rows = (
                {
                    "id": query.id,
                    "text": query.text,
                    "right": [item for item, score in collection.qrels[query.id].items() if score > 0],
                    "hits": [item for item, _ in run.ranked.get(query.id, ())],
                }
                for query in collection.queries
            )
            path = self._path_of_run(self.json_lines, collection, run)
            path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
        if self.trec:
            path = self._path_of_run(self.trec, collection, run)
            path.write_text("".join(f"{row}\n" for row in format_run(run)), encoding="utf-8")

    def _path_of_run(self, path: Path, collection: Collection, run: Run) -> Path:
        """Add the collection, recipe and level to the name of a file, as far as there are several."""
        names = [path.stem]
        if self.several:
            names += [collection.name, run.name.replace(":", "-")]
        if self.several_levels:
            names.append(collection.level)
        return path.with_stem(".".join(names))
