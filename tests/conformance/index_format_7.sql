-- An index of format 7, as an earlier version wrote it.
CREATE TABLE changed_links (document INTEGER PRIMARY KEY, generation INTEGER NOT NULL) STRICT;
INSERT INTO changed_links VALUES(1,1);
INSERT INTO changed_links VALUES(4,1);

CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, document INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL, anchors TEXT NOT NULL, headings TEXT NOT NULL, text TEXT NOT NULL,
    symbols TEXT NOT NULL, is_embedded INTEGER NOT NULL, terms BLOB NOT NULL
) STRICT;
INSERT INTO chunks VALUES(1,'docs/a.md#L1-L1',4,0,1,1,'["fusion"]','["Fusion"]','rank fusion, rank by rank','[{"name":"Fusion.rank","kind":"method","start":1,"end":1,"signature":"def rank()","doc":"Rank.","exported":true}]',1,X'080000000100000710000000030000080800000001000008');
INSERT INTO chunks VALUES(2,'docs/a.md#L2-L2',4,1,2,2,'[]','[]','weights of fusion','',0,X'14000000010000080800000001000008');
INSERT INTO chunks VALUES(3,'b.md#L1-L1',1,0,1,1,'[]','[]','rotate the keys','',1,X'11000000010000080A00000001000008');
INSERT INTO chunks VALUES(4,'c.md#L1-L1',2,0,1,1,'[]','[]','long line, first part','',1,X'0C000000010000080B0000000100000807000000010000080F00000001000008');
INSERT INTO chunks VALUES(5,'c.md#L1-L1~2',2,1,1,1,'[]','[]','second part','',1,X'13000000010000080F00000001000008');
INSERT INTO chunks VALUES(6,'an id of its own',3,0,1,1,'[]','[]','another id','',1,X'01000000010000080900000001000008');
INSERT INTO chunks VALUES(7,'e.md#L1-L1',5,0,1,1,'[]','[]','replaced','',1,X'1700000001000008');
INSERT INTO chunks VALUES(8,'e.md#L2-L2',5,1,2,2,'[]','[]','twice','',1,X'1800000001000008');
CREATE INDEX chunks_by_document ON chunks (document, ordinal);
CREATE INDEX chunks_by_id ON chunks (id, document, ordinal, key);
CREATE INDEX chunks_not_embedded ON chunks (id, document) WHERE is_embedded = 0;

CREATE TABLE counters (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO counters VALUES('generation',4);
INSERT INTO counters VALUES('registry_version',0);

CREATE TABLE deleted_documents (
    segment INTEGER NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (segment, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE deleted_vectors (
    space INTEGER NOT NULL, vector INTEGER NOT NULL, PRIMARY KEY (space, vector)
) STRICT, WITHOUT ROWID;

CREATE TABLE document_segments (
    document INTEGER PRIMARY KEY, version INTEGER NOT NULL, segment INTEGER, position INTEGER
) STRICT;
INSERT INTO document_segments VALUES(1,1,NULL,NULL);
INSERT INTO document_segments VALUES(2,1,NULL,NULL);
INSERT INTO document_segments VALUES(3,1,NULL,NULL);
INSERT INTO document_segments VALUES(4,1,NULL,NULL);
INSERT INTO document_segments VALUES(5,3,NULL,NULL);
CREATE INDEX document_segments_by_segment ON document_segments (segment);

CREATE TABLE documents (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, title TEXT NOT NULL, doc_type TEXT NOT NULL,
    language TEXT NOT NULL, tags TEXT NOT NULL, properties TEXT NOT NULL, names TEXT NOT NULL, digest TEXT NOT NULL,
    size INTEGER NOT NULL, modified_ns INTEGER NOT NULL, lines INTEGER NOT NULL,
    namespace TEXT NOT NULL, role TEXT NOT NULL, changed_ns INTEGER NOT NULL, changed_by TEXT NOT NULL,
    terms BLOB NOT NULL
) STRICT;
INSERT INTO documents VALUES(1,'b.md','docs','','other','','[]','{}','["b"]','-6810058774919256071',15,1,1,'','',1,'file',X'02000000010000020D00000001000002');
INSERT INTO documents VALUES(2,'c.md','docs','','other','','[]','{}','["c"]','108388201642499076',32,1,2,'','',1,'file',X'03000000010000020D00000001000002');
INSERT INTO documents VALUES(3,'d.md','docs','','other','','[]','{}','["d"]','877707512705187267',10,1,1,'','',1,'file',X'04000000010000020D00000001000002');
INSERT INTO documents VALUES(4,'docs/a.md','docs','Rank fusion','other','','["Search"]','{"status":"draft"}','["a","p:docs/a.md"]','155596984454811102',19,1,2,'','',1,'file',X'1000000001000001080000000100000105000000010000020D0000000100000212000000010000030600000001000004');
INSERT INTO documents VALUES(5,'e.md','docs','','other','','[]','{}','["e"]','-3281489685041045131',13,1,2,'','',1,'file',X'15000000010000020D00000001000002');
CREATE TRIGGER document_deleted AFTER DELETE ON documents
BEGIN INSERT OR REPLACE INTO changed_links SELECT old.id, value + 1 FROM counters WHERE key = 'generation'; END;
CREATE INDEX documents_by_id ON documents (id, path);
CREATE INDEX documents_by_kind ON documents (kind);
CREATE INDEX documents_by_role ON documents (role);

CREATE TABLE edge_refs (
    key TEXT NOT NULL, edge INTEGER NOT NULL, rank INTEGER NOT NULL, PRIMARY KEY (key, edge)
) STRICT, WITHOUT ROWID;
INSERT INTO edge_refs VALUES('b',1,0);
INSERT INTO edge_refs VALUES('missing',2,0);
INSERT INTO edge_refs VALUES('b',2,1);
INSERT INTO edge_refs VALUES('a',3,0);
CREATE INDEX edge_refs_by_edge ON edge_refs (edge, rank);

CREATE TABLE edges (
    id INTEGER PRIMARY KEY, source INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind TEXT NOT NULL,
    source_anchor TEXT NOT NULL, anchor TEXT NOT NULL, text TEXT NOT NULL, sentence TEXT NOT NULL, ref TEXT NOT NULL,
    line INTEGER NOT NULL, terms BLOB NOT NULL, target INTEGER
) STRICT;
INSERT INTO edges VALUES(1,4,0,'references','','','the keys','See the keys.','b',3,X'0A00000001000006',1);
INSERT INTO edges VALUES(2,4,1,'mentions','fusion','k','other','See other.','missing',3,X'0E00000001000006',1);
INSERT INTO edges VALUES(3,1,0,'references','','','rank fusion','See rank fusion.','a',3,X'10000000010000060800000001000006',4);
CREATE TRIGGER edge_deleted AFTER DELETE ON edges WHEN old.target IS NOT NULL
BEGIN
    INSERT OR REPLACE INTO changed_links SELECT old.source, value + 1 FROM counters WHERE key = 'generation';
    INSERT OR REPLACE INTO changed_links SELECT old.target, value + 1 FROM counters WHERE key = 'generation';
END;
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
CREATE INDEX edges_by_source ON edges (source, ordinal);
CREATE INDEX edges_by_target ON edges (target);

CREATE TABLE link_files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, generation INTEGER NOT NULL, file TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO metadata VALUES('indexed_at','1');
INSERT INTO metadata VALUES('roots','{"notes":"/notes"}');

CREATE TABLE names (key TEXT NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (key, document)) STRICT, WITHOUT ROWID;
INSERT INTO names VALUES('b',1);
INSERT INTO names VALUES('c',2);
INSERT INTO names VALUES('d',3);
INSERT INTO names VALUES('a',4);
INSERT INTO names VALUES('p:docs/a.md',4);
INSERT INTO names VALUES('e',5);
CREATE INDEX names_by_document ON names (document);

CREATE TABLE segments (id INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE spaces (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO spaces VALUES(1,'hashing');

CREATE TABLE tags (tag TEXT NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (tag, document)) STRICT, WITHOUT ROWID;
INSERT INTO tags VALUES('search',4);
CREATE INDEX tags_by_document ON tags (document);

CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO terms VALUES(1,'anoth');
INSERT INTO terms VALUES(2,'b');
INSERT INTO terms VALUES(3,'c');
INSERT INTO terms VALUES(4,'d');
INSERT INTO terms VALUES(5,'doc');
INSERT INTO terms VALUES(6,'draft');
INSERT INTO terms VALUES(7,'first');
INSERT INTO terms VALUES(8,'fusion');
INSERT INTO terms VALUES(9,'id');
INSERT INTO terms VALUES(10,'key');
INSERT INTO terms VALUES(11,'line');
INSERT INTO terms VALUES(12,'long');
INSERT INTO terms VALUES(13,'md');
INSERT INTO terms VALUES(14,'other');
INSERT INTO terms VALUES(15,'part');
INSERT INTO terms VALUES(16,'rank');
INSERT INTO terms VALUES(17,'rotat');
INSERT INTO terms VALUES(18,'search');
INSERT INTO terms VALUES(19,'second');
INSERT INTO terms VALUES(20,'weight');
INSERT INTO terms VALUES(21,'e');
INSERT INTO terms VALUES(22,'later');
INSERT INTO terms VALUES(23,'replac');
INSERT INTO terms VALUES(24,'twice');

CREATE TABLE vector_segments (
    id INTEGER PRIMARY KEY AUTOINCREMENT, space INTEGER NOT NULL, last INTEGER NOT NULL, file TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT, space INTEGER NOT NULL, chunk INTEGER NOT NULL, vector BLOB NOT NULL,
    UNIQUE (space, chunk)
) STRICT;
INSERT INTO vectors VALUES(1,1,1,X'9A99193FCDCC4C3F');
INSERT INTO vectors VALUES(2,1,5,X'0000803F00000000');
INSERT INTO vectors VALUES(3,1,6,X'000000000000803F');
CREATE TRIGGER vector_deleted AFTER DELETE ON vectors
WHEN old.id <= (SELECT max(last) FROM vector_segments WHERE space = old.space)
BEGIN INSERT OR IGNORE INTO deleted_vectors VALUES (old.space, old.id); END;
CREATE INDEX vectors_by_chunk ON vectors (chunk);
CREATE INDEX vectors_by_space ON vectors (space);

DELETE FROM main.sqlite_sequence WHERE name='vectors';
INSERT INTO main.sqlite_sequence VALUES ('vectors', 3);

pragma user_version=7;
pragma application_id=1465470292;
