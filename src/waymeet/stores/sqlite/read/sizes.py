"""Bytes of an index by purpose."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING

from waymeet.paths import list_index_files
from waymeet.ports import IndexSize, SizePart
from waymeet.stores.segments.array_file import ArrayFile, CorruptFileError
from waymeet.stores.sqlite.database.connection import connect
from waymeet.stores.sqlite.database.errors import translate_errors
from waymeet.stores.sqlite.database.text_blocks import unpack_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import apsw

_TEXTS, _SECTIONS, _TERMS, _DICTIONARY = "texts", "sections", "terms", "dictionary"
_DOCUMENTS, _NAMES, _LINKS, _VECTORS = "documents", "names", "links", "vectors"
_VECTOR_ENTRIES = "vector ids"
_POSTINGS, _IMPACTS, _REGISTRY, _METADATA = "postings", "impacts", "registry", "metadata"
_FREE, _LOG, _OTHER = "free pages", "log", "other"
_DETAILS = {
    _TEXTS: "texts, headings, anchors and symbols of sections, compressed",
    _TERMS: "terms of each document, from which postings are rebuilt",
    _POSTINGS: "segment files: postings by term, lengths of fields",
    _IMPACTS: "segment files: precomputed weights of postings",
    _DICTIONARY: "all terms with their ids",
    _DOCUMENTS: "paths, titles, properties, tags",
    _SECTIONS: "lines of sections",
    _NAMES: "keys by which links refer to documents",
    _LINKS: "links, what they say, and the link file",
    _VECTORS: "vectors, each once: in files, new ones and those of parts in the tables",
    _VECTOR_ENTRIES: "which section has which vector",
    _REGISTRY: "the segment of each document",
    _METADATA: "state of the last run",
    _FREE: "used by the next changes",
    _LOG: "write-ahead log of SQLite",
    _OTHER: "votes, history, states of files, locks and the schema",
}
"""What is counted under each name, in the order in which they are listed if equal."""
_TABLES = {
    "texts": _TEXTS,
    "chunks": _SECTIONS,
    "document_terms": _TERMS,
    "terms": _DICTIONARY,
    "documents": _DOCUMENTS,
    "tags": _DOCUMENTS,
    "names": _NAMES,
    "edges": _LINKS,
    "edge_kinds": _LINKS,
    "link_keys": _LINKS,
    "link_texts": _LINKS,
    "link_files": _LINKS,
    "changed_links": _LINKS,
    "vector_codes": _VECTORS,
    "vectors": _VECTOR_ENTRIES,
    "spaces": _VECTOR_ENTRIES,
    "vector_segments": _VECTOR_ENTRIES,
    "deleted_vectors": _VECTOR_ENTRIES,
    "segments": _REGISTRY,
    "document_segments": _REGISTRY,
    "deleted_documents": _REGISTRY,
    "counters": _METADATA,
    "metadata": _METADATA,
}
"""The purpose of each table and its indexes."""
_PAGES = """
SELECT ifnull(m.tbl_name, s.name), sum(s.pgsize) FROM dbstat s LEFT JOIN sqlite_schema m ON m.name = s.name GROUP BY 1
"""


def measure_size(path: Path, timeout: float) -> IndexSize:
    """Measure the files of an index by purpose, and the indexed text."""
    sizes: Counter[str] = Counter()
    with translate_errors(path), closing(connect(path, timeout)) as connection:
        connection.execute("BEGIN")
        for table, size in connection.execute(_PAGES):
            sizes[_TABLES.get(table, _OTHER)] += size
        sizes[_FREE] = path.stat().st_size - sizes.total()
        text_bytes = _count_text(connection)
    for file in list_index_files(path):
        if file != path:
            sizes.update(dict(_measure_file(file)))
    parts = [SizePart(name, sizes[name], what) for name, what in _DETAILS.items() if sizes[name]]
    return IndexSize(text_bytes, tuple(sorted(parts, key=lambda part: -part.bytes)))


def _count_text(connection: apsw.Connection) -> int:
    """Count the bytes of the texts of all sections in UTF-8."""
    blocks = (unpack_chunks(data) for (data,) in connection.execute("SELECT data FROM texts"))
    return sum(len(content.text.encode()) for block in blocks for content in block)


def _measure_file(file: Path) -> Iterator[tuple[str, int]]:
    """Yield the purposes of a file beside the index, with their bytes."""
    size = file.stat().st_size
    if file.suffix == ".segment":
        impacts = _count_impacts(file)
        yield _IMPACTS, impacts
        yield _POSTINGS, size - impacts
    elif file.name.endswith(("-wal", "-shm")):
        yield _LOG, size
    else:
        yield {".vectors": _VECTORS, ".links": _LINKS}.get(file.suffix, _OTHER), size


def _count_impacts(file: Path) -> int:
    try:
        sizes = ArrayFile(file).sizes
    except (OSError, CorruptFileError):  # the next search rebuilds it
        return 0
    return sum(size for name, size in sizes.items() if "impact" in name or "maxima" in name)
