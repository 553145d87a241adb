"""Checks of documents: whether all rows of each can be read and agree with each other."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import DecodeError

from waymeet.stores.segments.posting_codec import FIELD_CODES, FIELD_SHIFT
from waymeet.stores.shared.filters import fold_tags
from waymeet.stores.shared.validation import OWN_FIELDS
from waymeet.stores.sqlite.database.errors import UnreadableError
from waymeet.stores.sqlite.database.key_hashes import hash_link_key, hash_name
from waymeet.stores.sqlite.database.rows import read_document
from waymeet.stores.sqlite.database.term_codec import unpack_document_terms, unpack_link_terms
from waymeet.stores.sqlite.database.text_blocks import unpack_chunks
from waymeet.stores.sqlite.read.contents import read_link_keys
from waymeet.types import CHUNK_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import apsw
    from numpy.typing import NDArray

    from waymeet.types import Document

_DOCUMENTS = """
SELECT id, chunks, links, path, kind, title, doc_type, language, tags, properties, names, digest, size, modified_ns,
    lines, namespace, role, changed_ns, changed_by
FROM documents ORDER BY id
"""
_CHUNKS = "SELECT id, first, last FROM chunks WHERE document = ? ORDER BY id"
_TEXTS = "SELECT chunk, data FROM texts WHERE chunk IN (SELECT id FROM chunks WHERE document = ?) ORDER BY chunk"
_EDGES = "SELECT ordinal, terms FROM edges WHERE source = ? ORDER BY ordinal"
_TERMS = "SELECT data FROM document_terms WHERE document = ?"


def find_unreadable(connection: apsw.Connection) -> Iterator[tuple[int, str, str]]:
    """Find documents with wrong rows, and return the id and path of each and what is wrong."""
    checker = _DocumentChecker(connection)
    for id_, chunks, links, path, *columns in connection.execute(_DOCUMENTS):
        try:
            what = checker.check(id_, read_document((path, *columns)), chunks, links)
        except (DecodeError, UnreadableError, UnicodeDecodeError, ValueError, TypeError) as error:
            what = f"cannot be read: {error}"
        if what:
            yield id_, str(path), what


class _DocumentChecker:
    """Checks documents against the tables that are derived from them."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._is_known = _known_terms(connection)
        self._kinds = {kind for (kind,) in connection.execute("SELECT id FROM edge_kinds")}
        self._tags = _group(connection.execute("SELECT document, tag FROM tags"))
        self._names = _group(connection.execute("SELECT document, hash FROM names"))
        self._link_keys = _group(connection.execute("SELECT source, hash FROM link_keys"))

    def check(self, id_: int, document: Document, chunks: int, links: int) -> str:
        """Check the rows of a document, and describe the first problem."""
        names = {hash_name(key) for key in document.names}
        if self._tags[id_] != set(fold_tags(document.tags)) or self._names[id_] != names:
            return "its tags or names differ from their tables"
        return self._check_chunks(id_, chunks) or self._check_links(id_, links)

    def _check_chunks(self, id_: int, number: int) -> str:
        rows = list(self._connection.execute(_CHUNKS, (id_,)))
        if any(first > last for _, first, last in rows):
            return "cannot be read: a section ends before it begins"
        in_blocks: list[int] = []
        for first, data in self._connection.execute(_TEXTS, (id_,)):
            in_blocks += range(first, first + len(unpack_chunks(data)))
        if len(rows) != number or [chunk for chunk, *_ in rows] != in_blocks:
            return "some of its sections are missing"
        data = self._connection.execute(_TERMS, (id_,)).get
        if data is None:
            return "its terms are missing"
        own, *of_chunks = unpack_document_terms(data)
        if len(of_chunks) != number:
            return "the terms of some of its sections are missing"
        return self._check_terms([own], OWN_FIELDS) or self._check_terms(of_chunks, CHUNK_FIELDS)

    def _check_links(self, id_: int, number: int) -> str:
        rows = list(self._connection.execute(_EDGES, (id_,)))
        links = read_link_keys(self._connection, id_)
        if [ordinal for ordinal, _ in rows] != list(range(number)) or len(links) != number:
            return "some of its links are missing"
        if self._link_keys[id_] != {hash_link_key(key) for refs in links for key in refs}:
            return "the keys of its links differ from their table"
        kinds = {kind for (kind,) in self._connection.execute("SELECT kind FROM edges WHERE source = ?", (id_,))}
        if not kinds <= self._kinds:
            return "its links are of unknown kinds"
        return self._check_terms([unpack_link_terms(terms) for _, terms in rows], ("inbound",))

    def _check_terms(self, packed: list[bytes], fields: Iterable[str]) -> str:
        pairs = np.frombuffer(b"".join(packed), dtype="<u4").reshape(-1, 2)
        terms = pairs[:, 0]
        if np.any(terms >= len(self._is_known)) or not np.all(self._is_known[terms]):
            return "it has unknown terms"
        codes = [FIELD_CODES[field] for field in fields]
        is_own = np.isin(pairs[:, 1] >> FIELD_SHIFT, codes)
        return "" if np.all(is_own) else "its terms are in fields that it does not have"


def _group(rows: Iterable[tuple[Any, ...]]) -> dict[int, set[Any]]:
    values: dict[int, set[Any]] = defaultdict(set)
    for document, value in rows:
        values[document].add(value)
    return values


def _known_terms(connection: apsw.Connection) -> NDArray[np.bool_]:
    """Return whether each term id exists."""
    ids = [id_ for (id_,) in connection.execute("SELECT id FROM terms")]
    is_known = np.zeros(max(ids, default=0) + 1, dtype=np.bool_)
    is_known[ids] = True
    return is_known
