"""Tables of the index file, from which segments are derived.

Every row belongs to one document, the one whose file it came from, so that an edited file changes its own rows only.
The terms of a link (`edges.terms`) belong to the linking document. They are added to the target's `inbound` field when
a segment is written or buffered documents are read. Two columns change in rows of other documents: `edges.target`,
when a name is added or removed, and `document_segments`, when the terms of the links to a document change.
"""

APPLICATION_ID = 0x57594D54
"""`WYMT`: identifies the file as an index (`PRAGMA application_id`)."""

VERSION = 7
"""The format of the file (`PRAGMA user_version`)."""

TABLES = """
-- `registry_version` counts the changes of the tables that list segment files.
CREATE TABLE counters (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO counters VALUES ('generation', 0), ('registry_version', 0);

CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- A document keeps its id when it is replaced: edges of other documents point to it.
CREATE TABLE documents (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, title TEXT NOT NULL, doc_type TEXT NOT NULL,
    language TEXT NOT NULL, tags TEXT NOT NULL, properties TEXT NOT NULL, names TEXT NOT NULL, digest TEXT NOT NULL,
    size INTEGER NOT NULL, modified_ns INTEGER NOT NULL, lines INTEGER NOT NULL,
    namespace TEXT NOT NULL, role TEXT NOT NULL, changed_ns INTEGER NOT NULL, changed_by TEXT NOT NULL,
    terms BLOB NOT NULL
) STRICT;
CREATE INDEX documents_by_id ON documents (id, path);
CREATE INDEX documents_by_kind ON documents (kind);
CREATE INDEX documents_by_role ON documents (role);

CREATE TABLE tags (tag TEXT NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (tag, document)) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_document ON tags (document);

CREATE TABLE names (key TEXT NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (key, document)) STRICT, WITHOUT ROWID;
CREATE INDEX names_by_document ON names (document);

-- Terms are never removed: other processes cache their ids. An unused one is in no posting and so in no result.
CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, document INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL, anchors TEXT NOT NULL, headings TEXT NOT NULL, text TEXT NOT NULL,
    symbols TEXT NOT NULL, is_embedded INTEGER NOT NULL, terms BLOB NOT NULL
) STRICT;
CREATE INDEX chunks_by_document ON chunks (document, ordinal);
-- A covering index: a chunk is located without the pages of its text, in half the time for fifty hits.
CREATE INDEX chunks_by_id ON chunks (id, document, ordinal, key);
CREATE INDEX chunks_not_embedded ON chunks (id, document) WHERE is_embedded = 0;

CREATE TABLE edges (
    id INTEGER PRIMARY KEY, source INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind TEXT NOT NULL,
    source_anchor TEXT NOT NULL, anchor TEXT NOT NULL, text TEXT NOT NULL, sentence TEXT NOT NULL, ref TEXT NOT NULL,
    line INTEGER NOT NULL, terms BLOB NOT NULL, target INTEGER
) STRICT;
CREATE INDEX edges_by_source ON edges (source, ordinal);
CREATE INDEX edges_by_target ON edges (target);

CREATE TABLE edge_refs (
    key TEXT NOT NULL, edge INTEGER NOT NULL, rank INTEGER NOT NULL, PRIMARY KEY (key, edge)
) STRICT, WITHOUT ROWID;
CREATE INDEX edge_refs_by_edge ON edge_refs (edge, rank);

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

CREATE TABLE spaces (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

-- 32-bit floating-point numbers, little-endian. The id of a vector is never used again.
CREATE TABLE vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT, space INTEGER NOT NULL, chunk INTEGER NOT NULL, vector BLOB NOT NULL,
    UNIQUE (space, chunk)
) STRICT;
CREATE INDEX vectors_by_chunk ON vectors (chunk);
CREATE INDEX vectors_by_space ON vectors (space);

-- Together the files of a space contain its vectors up to the highest `last`. Those with higher ids are buffered.
CREATE TABLE vector_segments (
    id INTEGER PRIMARY KEY AUTOINCREMENT, space INTEGER NOT NULL, last INTEGER NOT NULL, file TEXT NOT NULL UNIQUE
) STRICT;

-- Vectors in these files that were replaced or removed since (tombstones).
CREATE TABLE deleted_vectors (
    space INTEGER NOT NULL, vector INTEGER NOT NULL, PRIMARY KEY (space, vector)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER vector_deleted AFTER DELETE ON vectors
WHEN old.id <= (SELECT max(last) FROM vector_segments WHERE space = old.space)
BEGIN INSERT OR IGNORE INTO deleted_vectors VALUES (old.space, old.id); END;
"""
