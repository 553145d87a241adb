-- An index of format 5, as an earlier version wrote it. Its segment files are missing.
CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('generation', 0), ('shelving', 0);

CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- A document keeps its number when it is replaced: edges of other documents point at it.
CREATE TABLE documents (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, title TEXT NOT NULL, doc_type TEXT NOT NULL,
    language TEXT NOT NULL, tags TEXT NOT NULL, properties TEXT NOT NULL, names TEXT NOT NULL, digest TEXT NOT NULL,
    size INTEGER NOT NULL, modified_ns INTEGER NOT NULL, lines INTEGER NOT NULL,
    namespace TEXT NOT NULL, terms BLOB NOT NULL
) STRICT;
CREATE INDEX documents_at ON documents (id, path);
CREATE INDEX documents_of ON documents (kind);

CREATE TABLE tags (tag TEXT NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (tag, document)) STRICT, WITHOUT ROWID;
CREATE INDEX tags_of ON tags (document);

CREATE TABLE names (key TEXT NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (key, document)) STRICT, WITHOUT ROWID;
CREATE INDEX names_of ON names (document);

-- Terms are never removed: other processes remember their numbers. An unused one is in no posting and so in no answer.
CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, document INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL, anchors TEXT NOT NULL, headings TEXT NOT NULL, text TEXT NOT NULL,
    symbols TEXT NOT NULL, terms BLOB NOT NULL
) STRICT;
CREATE INDEX chunks_of ON chunks (document, ordinal);
-- Where a chunk stands, without the pages that hold its text: half the time of naming fifty hits.
CREATE INDEX chunks_at ON chunks (id, document, ordinal, key);

CREATE TABLE edges (
    id INTEGER PRIMARY KEY, source INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind TEXT NOT NULL,
    source_anchor TEXT NOT NULL, anchor TEXT NOT NULL, text TEXT NOT NULL, sentence TEXT NOT NULL, ref TEXT NOT NULL,
    line INTEGER NOT NULL, terms BLOB NOT NULL, target INTEGER
) STRICT;
CREATE INDEX edges_from ON edges (source, ordinal);
CREATE INDEX edges_to ON edges (target);

CREATE TABLE edge_refs (
    key TEXT NOT NULL, edge INTEGER NOT NULL, rank INTEGER NOT NULL, PRIMARY KEY (key, edge)
) STRICT, WITHOUT ROWID;
CREATE INDEX edge_refs_of ON edge_refs (edge, rank);

-- Which segment holds a document's terms, and where; none for a loose one. The version is the generation that last
-- changed what a segment would hold of it: a segment made from an older version does not hold it.
CREATE TABLE segments (id INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE shelf (
    document INTEGER PRIMARY KEY, version INTEGER NOT NULL, segment INTEGER, place INTEGER
) STRICT;
CREATE INDEX shelf_of ON shelf (segment);

-- Places in segments whose documents were replaced or removed since.
CREATE TABLE dead (
    segment INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (segment, place)
) STRICT, WITHOUT ROWID;

-- The file of neighbours, and of each document the generation in which its links last changed, at either end.
CREATE TABLE graphs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, generation INTEGER NOT NULL, file TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE stirred (document INTEGER PRIMARY KEY, generation INTEGER NOT NULL) STRICT;
CREATE TRIGGER edge_drawn AFTER INSERT ON edges WHEN new.target IS NOT NULL
BEGIN
    INSERT OR REPLACE INTO stirred SELECT new.source, value + 1 FROM meta WHERE key = 'generation';
    INSERT OR REPLACE INTO stirred SELECT new.target, value + 1 FROM meta WHERE key = 'generation';
END;
CREATE TRIGGER edge_moved AFTER UPDATE OF target ON edges
BEGIN
    INSERT OR REPLACE INTO stirred SELECT new.source, value + 1 FROM meta WHERE key = 'generation';
    INSERT OR REPLACE INTO stirred SELECT old.target, value + 1 FROM meta
    WHERE key = 'generation' AND old.target IS NOT NULL;
    INSERT OR REPLACE INTO stirred SELECT new.target, value + 1 FROM meta
    WHERE key = 'generation' AND new.target IS NOT NULL;
END;
CREATE TRIGGER edge_gone AFTER DELETE ON edges WHEN old.target IS NOT NULL
BEGIN
    INSERT OR REPLACE INTO stirred SELECT old.source, value + 1 FROM meta WHERE key = 'generation';
    INSERT OR REPLACE INTO stirred SELECT old.target, value + 1 FROM meta WHERE key = 'generation';
END;

CREATE TRIGGER document_gone AFTER DELETE ON documents
BEGIN INSERT OR REPLACE INTO stirred SELECT old.id, value + 1 FROM meta WHERE key = 'generation'; END;

CREATE TABLE spaces (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

-- 32-bit floating-point numbers, little-endian. A vector's number is never given again.
CREATE TABLE vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT, space INTEGER NOT NULL, chunk INTEGER NOT NULL, vector BLOB NOT NULL,
    UNIQUE (space, chunk)
) STRICT;
CREATE INDEX vectors_of ON vectors (chunk);
CREATE INDEX vectors_in ON vectors (space);

-- Together the files of a space hold its vectors up to the highest `last`; those with higher numbers are loose.
CREATE TABLE vector_segments (
    id INTEGER PRIMARY KEY AUTOINCREMENT, space INTEGER NOT NULL, last INTEGER NOT NULL, file TEXT NOT NULL UNIQUE
) STRICT;

-- Vectors in such files that were replaced or removed since.
CREATE TABLE dead_vectors (
    space INTEGER NOT NULL, vector INTEGER NOT NULL, PRIMARY KEY (space, vector)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER vector_gone AFTER DELETE ON vectors
WHEN old.id <= (SELECT max(last) FROM vector_segments WHERE space = old.space)
BEGIN INSERT OR IGNORE INTO dead_vectors VALUES (old.space, old.id); END;
DELETE FROM meta;
INSERT INTO meta VALUES ('generation', 2);
INSERT INTO meta VALUES ('shelving', 4);
INSERT INTO notes VALUES ('indexed_at', '1');
INSERT INTO notes VALUES ('root', '/project');
INSERT INTO notes VALUES ('roots', '{"notes":"/notes"}');
INSERT INTO documents VALUES (1, 'a.md', 'docs', '', 'other', '', '[]', '{}', '["a"]', '-1863403531372954317', 11, 1, 1, '', x'0300000001000002');
INSERT INTO documents VALUES (2, 'b.md', 'docs', '', 'other', '', '[]', '{}', '["b"]', '5930990797858300164', 10, 1, 1, '', x'01000000010000020300000001000002');
INSERT INTO names VALUES ('a', 1);
INSERT INTO names VALUES ('b', 2);
INSERT INTO terms VALUES (1, 'b');
INSERT INTO terms VALUES (2, 'fusion');
INSERT INTO terms VALUES (3, 'md');
INSERT INTO terms VALUES (4, 'next');
INSERT INTO terms VALUES (5, 'other');
INSERT INTO terms VALUES (6, 'rank');
INSERT INTO chunks VALUES (1, 'a.md#L1-L1', 1, 0, 1, 1, '[]', '[]', 'rank fusion', '', x'06000000010000080200000001000008');
INSERT INTO chunks VALUES (2, 'b.md#L1-L1', 2, 0, 1, 1, '[]', '[]', 'rank other', '', x'06000000010000080500000001000008');
INSERT INTO edges VALUES (1, 1, 0, 'references', '', '', 'next', 'See next.', 'b', 3, x'0400000001000006', 2);
INSERT INTO edge_refs VALUES ('b', 1, 0);
INSERT INTO segments VALUES (1, 'adc8ce3cd0974d578728832a837d925d.segment');
INSERT INTO shelf VALUES (1, 1, 1, 0);
INSERT INTO shelf VALUES (2, 1, 1, 1);
INSERT INTO graphs VALUES (1, 2, 'b635553cee89481fa34921f343cdfd20.graph');
INSERT INTO spaces VALUES (1, 'space');
INSERT INTO vectors VALUES (1, 1, 1, x'0000003f0000003f0000003f0000003f');
INSERT INTO vector_segments VALUES (1, 1, 1, '36343117b6e847348c2a73da8bfa9175.vectors');
DELETE FROM stirred;
PRAGMA application_id = 1465470292;
PRAGMA user_version = 5;
