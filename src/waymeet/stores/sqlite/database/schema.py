"""Tables of the index file, from which segments of words and links are derived.

Every row belongs to one document, the one whose file it came from, so that an edited file changes its own rows only.
What is read together is compressed together: the texts of a few chunks, the terms of a document, what its links say.
The terms of a link (`edges.terms`) belong to the linking document. They are added to the target's `inbound` field when
a segment is written or buffered documents are read. Two columns change in rows of other documents: `edges.target`,
when a name is added or removed, and `document_segments`, when the terms of the links to a document change.
"""

from contextlib import suppress
from pathlib import Path

APPLICATION_ID = 0x57594D54
"""`WYMT`: identifies the file as an index (`PRAGMA application_id`)."""

VERSION = 10
"""The format of the file (`PRAGMA user_version`)."""
UPGRADED_VERSIONS = (7, 8, 9)
"""The formats that are upgraded. An index of an older one is built again."""

_COUNTERS = """
-- `registry_version` counts the changes of the tables that list segment files. `last_term` and
-- `last_vector` are the highest ids of a term and of a vector.
CREATE TABLE counters (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO counters VALUES ('generation', 0), ('registry_version', 0), ('last_term', 0), ('last_vector', 0);

CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE tags (tag TEXT NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (tag, document)) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_document ON tags (document);
"""

CONTENT = """
-- A document keeps its id when it is replaced: edges of other documents point to it. `chunks` and `links` are numbers,
-- `names` the compressed keys by which links refer to it (see `text_blocks`).
CREATE TABLE documents (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, title TEXT NOT NULL, doc_type TEXT NOT NULL,
    language TEXT NOT NULL, tags TEXT NOT NULL, properties TEXT NOT NULL, digest TEXT NOT NULL,
    size INTEGER NOT NULL, modified_ns INTEGER NOT NULL, lines INTEGER NOT NULL,
    namespace TEXT NOT NULL, role TEXT NOT NULL, changed_ns INTEGER NOT NULL, changed_by TEXT NOT NULL,
    chunks INTEGER NOT NULL, links INTEGER NOT NULL, names BLOB NOT NULL
) STRICT;
CREATE INDEX documents_by_kind ON documents (kind);
CREATE INDEX documents_by_role ON documents (role);

-- The names of documents by their hashes (see `key_hashes`).
CREATE TABLE names (
    hash INTEGER NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (hash, document)
) STRICT, WITHOUT ROWID;

-- Terms are never removed: other processes cache their ids. An unused one is in no posting and so in no result.
CREATE TABLE terms (term TEXT PRIMARY KEY, id INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- The terms of a document and its chunks (see `term_codec`).
CREATE TABLE document_terms (document INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;

-- The ids of the chunks of a document follow each other. The key of a chunk is `path#L10-L24` with its suffix, or
-- anything else, which is in the column `key`.
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, document INTEGER NOT NULL, ordinal INTEGER NOT NULL, first INTEGER NOT NULL,
    last INTEGER NOT NULL, suffix TEXT NOT NULL, key TEXT, is_embedded INTEGER NOT NULL
) STRICT;
CREATE INDEX chunks_by_document ON chunks (document, first, ordinal);
CREATE UNIQUE INDEX chunks_by_key ON chunks (key) WHERE key IS NOT NULL;
CREATE INDEX chunks_not_embedded ON chunks (id, document) WHERE is_embedded = 0;

-- Blocks of texts, headings, anchors and symbols, by the id of their first chunk (see `text_blocks`).
CREATE TABLE texts (chunk INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;

CREATE TABLE edge_kinds (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

-- Links between sections of one document are found by their source. The terms are encoded by `term_codec`.
CREATE TABLE edges (
    source INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind INTEGER NOT NULL, terms BLOB NOT NULL, target INTEGER,
    PRIMARY KEY (source, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX edges_by_target ON edges (target) WHERE target <> source;

-- The documents whose links look for a key, by the hash of the key (see `key_hashes`).
CREATE TABLE link_keys (
    hash INTEGER NOT NULL, source INTEGER NOT NULL, PRIMARY KEY (hash, source)
) STRICT, WITHOUT ROWID;

-- Blocks of what links say. The id is the source, shifted by 32 bits, plus the ordinal of the first link.
CREATE TABLE link_texts (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
"""
"""Tables with the content of documents."""

TRIGGERS = """
CREATE TRIGGER edge_inserted AFTER INSERT ON edges WHEN new.target IS NOT NULL
BEGIN
    INSERT OR REPLACE INTO changed_links SELECT new.source, value + 1 FROM counters WHERE key = 'generation';
    INSERT OR REPLACE INTO changed_links SELECT new.target, value + 1 FROM counters WHERE key = 'generation';
END;
CREATE TRIGGER edge_retargeted AFTER UPDATE OF target ON edges
BEGIN
    INSERT OR REPLACE INTO changed_links SELECT new.source, value + 1 FROM counters WHERE key = 'generation';
    INSERT OR REPLACE INTO changed_links SELECT old.target, value + 1 FROM counters
    WHERE key = 'generation' AND old.target IS NOT NULL;
    INSERT OR REPLACE INTO changed_links SELECT new.target, value + 1 FROM counters
    WHERE key = 'generation' AND new.target IS NOT NULL;
END;
CREATE TRIGGER edge_deleted AFTER DELETE ON edges WHEN old.target IS NOT NULL
BEGIN
    INSERT OR REPLACE INTO changed_links SELECT old.source, value + 1 FROM counters WHERE key = 'generation';
    INSERT OR REPLACE INTO changed_links SELECT old.target, value + 1 FROM counters WHERE key = 'generation';
END;

CREATE TRIGGER document_deleted AFTER DELETE ON documents
BEGIN INSERT OR REPLACE INTO changed_links SELECT old.id, value + 1 FROM counters WHERE key = 'generation'; END;
"""
"""Triggers that keep track of changed links."""

_FILES = """
-- The segment and position of each document; NULL for a buffered one, whose terms are read from the tables. The version
-- is the generation in which the terms of the document, its chunks or the links to it last changed: a document is
-- registered in a new segment only if its version is still the one from which the segment was written.
CREATE TABLE segments (id INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE document_segments (
    document INTEGER PRIMARY KEY, version INTEGER NOT NULL, segment INTEGER, position INTEGER
) STRICT;
CREATE INDEX document_segments_by_segment ON document_segments (segment);

-- Positions in segments whose documents were replaced or removed since (tombstones).
CREATE TABLE deleted_documents (
    segment INTEGER NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (segment, position)
) STRICT, WITHOUT ROWID;

-- The link file, and for each document the generation in which a link from or to it last changed.
CREATE TABLE link_files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, generation INTEGER NOT NULL, file TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE changed_links (document INTEGER PRIMARY KEY, generation INTEGER NOT NULL) STRICT;

CREATE TABLE spaces (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
"""

VECTORS = """
-- The chunks with a vector. The id of a vector is never used again (`counters`: `last_vector`).
CREATE TABLE vectors (
    chunk INTEGER NOT NULL, space INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (chunk, space)
) STRICT, WITHOUT ROWID;
CREATE INDEX vectors_by_space ON vectors (space);

-- The codes of vectors that are in no file yet, and of all vectors of parts. A vector is either here or in a file.
CREATE TABLE vector_codes (
    id INTEGER PRIMARY KEY, space INTEGER NOT NULL, chunk INTEGER NOT NULL, code BLOB NOT NULL
) STRICT;
CREATE INDEX vector_codes_by_space ON vector_codes (space);

-- The only place of the other vectors. `last` is the highest id of any vector when the file was written.
CREATE TABLE vector_segments (
    id INTEGER PRIMARY KEY AUTOINCREMENT, space INTEGER NOT NULL, dimension INTEGER NOT NULL, last INTEGER NOT NULL,
    file TEXT NOT NULL UNIQUE
) STRICT;

-- Vectors in these files that were replaced or removed since (tombstones).
CREATE TABLE deleted_vectors (
    space INTEGER NOT NULL, vector INTEGER NOT NULL, PRIMARY KEY (space, vector)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER vector_deleted AFTER DELETE ON vectors
BEGIN
    INSERT OR IGNORE INTO deleted_vectors
    SELECT old.space, old.id WHERE NOT EXISTS (SELECT 1 FROM vector_codes WHERE id = old.id);
    DELETE FROM vector_codes WHERE id = old.id;
END;
"""
"""Tables with vectors and the registry of their files."""

TABLES = _COUNTERS + _FILES + VECTORS + CONTENT + TRIGGERS

_HEADER_BYTES = 72
"""The first bytes of a SQLite file, which contain `user_version` at 60 and `application_id` at 68, big-endian."""


def is_file_to_upgrade(path: Path) -> bool:
    """Return whether a file has a format that is upgraded, without opening it as a database."""
    header = b""
    with suppress(OSError), path.open("rb") as file:  # opening it as a database reports the error
        header = file.read(_HEADER_BYTES)
    version, application = (int.from_bytes(header[start : start + 4], "big") for start in (60, 68))
    return application == APPLICATION_ID and version in UPGRADED_VERSIONS
