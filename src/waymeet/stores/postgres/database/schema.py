"""Tables of the server, and their migrations.

`collection_id` is the first column of every key and index: it is the partition key here, and the distribution column
of Citus. Terms, names and chunk ids are looked up by hashes of 64 bits, so that rows of several machines never need a
common list. Texts are JSON, in which NUL has an escape: a text column cannot contain it.

A migration is never edited after a release. An older Waymeet goes on working while `oldest_reader` allows its version.
"""

from waymeet.stores.postgres.database.policies import CREATE_POLICIES
from waymeet.types import CHUNK_FIELDS, FIELDS

SCHEMA = "waymeet"

VERSION = 3
"""The version of the tables that this program reads and writes."""

_PARTITIONS = 8
"""Hash partitions of each large table."""


def _partitioned(table: str, columns: str, *indexes: str) -> str:
    """Return the statements for a table with its partitions and indexes."""
    modulus = f"MODULUS {_PARTITIONS}"
    parts = (
        f"CREATE TABLE {table}_{number} PARTITION OF {table} FOR VALUES WITH ({modulus}, REMAINDER {number})"
        for number in range(_PARTITIONS)
    )
    return ";\n".join((f"CREATE TABLE {table} ({columns}) PARTITION BY HASH (collection_id)", *parts, *indexes)) + ";\n"


_COLLECTIONS = """
CREATE TABLE collections (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE,
    machine text NOT NULL, root text NOT NULL,
    generation bigint NOT NULL DEFAULT 0, chunks bigint NOT NULL DEFAULT 0,
    totals bigint[] NOT NULL, filled bigint[] NOT NULL,
    last_document integer NOT NULL DEFAULT 0, last_chunk integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE metadata (
    collection_id integer NOT NULL, key text NOT NULL, value text NOT NULL, PRIMARY KEY (collection_id, key)
);
CREATE TABLE spaces (
    collection_id integer NOT NULL, id integer NOT NULL, name text NOT NULL, dimension integer NOT NULL,
    vectors bigint NOT NULL, changed bigint NOT NULL, PRIMARY KEY (collection_id, id), UNIQUE (collection_id, name)
);
"""

_DOCUMENTS = _partitioned(
    "documents",
    """
    collection_id integer NOT NULL, id integer NOT NULL, path text COLLATE "C" NOT NULL, kind text NOT NULL,
    doc_type text NOT NULL, language text NOT NULL, namespace text NOT NULL, role text NOT NULL, digest text NOT NULL,
    size bigint NOT NULL, modified_ns bigint NOT NULL, changed_ns bigint NOT NULL, changed_by text NOT NULL,
    tags text[] NOT NULL, properties text[] NOT NULL, chunks integer NOT NULL, lengths integer[] NOT NULL,
    inbound_length integer NOT NULL, content text NOT NULL, PRIMARY KEY (collection_id, id)
    """,
    "CREATE UNIQUE INDEX ON documents (collection_id, path)",
    "CREATE INDEX ON documents (collection_id, kind)",
)

_CHUNKS = _partitioned(
    "chunks",
    """
    collection_id integer NOT NULL, id integer NOT NULL, document integer NOT NULL, ordinal integer NOT NULL,
    hash bigint NOT NULL, is_embedded boolean NOT NULL, headings_length integer NOT NULL, body_length integer NOT NULL,
    key text NOT NULL, content text NOT NULL, PRIMARY KEY (collection_id, id)
    """,
    "CREATE UNIQUE INDEX ON chunks (collection_id, hash)",
    "CREATE INDEX ON chunks (collection_id, document) INCLUDE (id, ordinal)",
    "CREATE INDEX ON chunks (collection_id, document) WHERE NOT is_embedded",
)

_TERMS = (
    _partitioned(
        "terms",
        """
        collection_id integer NOT NULL, term text COLLATE "C" NOT NULL, hash bigint NOT NULL,
        PRIMARY KEY (collection_id, term)
        """,
    )
    + _partitioned(
        "document_postings",
        """
        collection_id integer NOT NULL, term bigint NOT NULL, document integer NOT NULL, field integer NOT NULL,
        frequency integer NOT NULL, PRIMARY KEY (collection_id, term, document, field)
        """,
        "CREATE INDEX ON document_postings (collection_id, document)",
    )
    + _partitioned(
        "chunk_postings",
        """
        term bigint NOT NULL, collection_id integer NOT NULL, chunk integer NOT NULL, document integer NOT NULL,
        headings integer NOT NULL, headings_length integer NOT NULL, body integer NOT NULL, body_length integer NOT NULL
        """,
        "CREATE INDEX ON chunk_postings (collection_id, term)",
        "CREATE INDEX ON chunk_postings (collection_id, document)",
    )
)

_LINKS = (
    _partitioned(
        "names",
        """
        collection_id integer NOT NULL, hash bigint NOT NULL, document integer NOT NULL,
        PRIMARY KEY (collection_id, hash, document)
        """,
        "CREATE INDEX ON names (collection_id, document)",
    )
    + _partitioned(
        "link_keys",
        """
        collection_id integer NOT NULL, hash bigint NOT NULL, source integer NOT NULL,
        PRIMARY KEY (collection_id, hash, source)
        """,
        "CREATE INDEX ON link_keys (collection_id, source)",
    )
    + _partitioned(
        "edges",
        """
        collection_id integer NOT NULL, source integer NOT NULL, ordinal integer NOT NULL, target integer,
        kind text NOT NULL, terms bigint[] NOT NULL, frequencies integer[] NOT NULL, content text NOT NULL,
        PRIMARY KEY (collection_id, source, ordinal)
        """,
        "CREATE INDEX ON edges (collection_id, target) WHERE target IS NOT NULL",
    )
)

_VECTORS = (
    _partitioned(
        "vectors",
        """
        collection_id integer NOT NULL, space integer NOT NULL, chunk integer NOT NULL, document integer NOT NULL,
        value bytea NOT NULL, embedding halfvec, PRIMARY KEY (collection_id, space, chunk)
        """,
        "CREATE INDEX ON vectors (collection_id, document)",
    )
    + "ALTER TABLE vectors ALTER value SET STORAGE EXTERNAL, ALTER embedding SET STORAGE MAIN;\n"
)

_SEGMENTS = (
    _partitioned(
        "document_terms",
        """
        collection_id integer NOT NULL, document integer NOT NULL, chunks integer[] NOT NULL, sizes integer[] NOT NULL,
        content bytea NOT NULL, PRIMARY KEY (collection_id, document)
        """,
    )
    + _partitioned(
        "document_segments",
        """
        collection_id integer NOT NULL, document integer NOT NULL, version bigint NOT NULL, chunks integer NOT NULL,
        segment integer, position integer, PRIMARY KEY (collection_id, document)
        """,
        "CREATE INDEX ON document_segments (collection_id, segment)",
    )
    + _partitioned(
        "deleted_documents",
        """
        collection_id integer NOT NULL, segment integer NOT NULL, position integer NOT NULL,
        PRIMARY KEY (collection_id, segment, position)
        """,
    )
    + _partitioned(
        "segments",
        """
        collection_id integer NOT NULL, id integer NOT NULL, chunks integer NOT NULL, arrays bytea NOT NULL,
        PRIMARY KEY (collection_id, id)
        """,
    )
    + _partitioned(
        "posting_blocks",
        """
        collection_id integer NOT NULL, place bigint NOT NULL, content bytea NOT NULL,
        PRIMARY KEY (collection_id, place)
        """,
    )
    + """
ALTER TABLE collections ADD registry_version bigint NOT NULL DEFAULT 0, ADD last_segment integer NOT NULL DEFAULT 0;
ALTER TABLE document_terms ALTER content SET STORAGE EXTERNAL;
ALTER TABLE segments ALTER arrays SET STORAGE EXTERNAL;
ALTER TABLE posting_blocks ALTER content SET STORAGE EXTERNAL;
"""
)
"""`place` is the segment, shifted by 32 bits, and the number of the block. Compression would save little."""

_CODE = "int4send(({field} + 1) << 24 | least({frequency}, 16777215))"
_FIELD_TERMS = f"""
SELECT p.collection_id, p.document, 0 AS chunk, p.term, {_CODE.format(field="p.field", frequency="p.frequency")} AS code
FROM document_postings p WHERE p.field <> {FIELDS.index("inbound")}
"""  # noqa: S608 - our own constants
_CHUNK_TERMS = "".join(
    f"""
UNION ALL SELECT p.collection_id, p.document, p.chunk, p.term,
    {_CODE.format(field=FIELDS.index(field), frequency=f"p.{field}")} FROM chunk_postings p WHERE p.{field} > 0
"""  # noqa: S608 - our own constants
    for field in CHUNK_FIELDS
)
_MOVE_TERMS = f"""
INSERT INTO document_segments SELECT collection_id, id, 0, chunks, NULL, NULL FROM documents;
INSERT INTO document_terms
SELECT o.collection_id, o.document,
    coalesce(array_agg(o.chunk ORDER BY o.ordinal, o.chunk) FILTER (WHERE o.chunk > 0), ARRAY[]::int[]),
    array_agg(coalesce(t.size, 0) ORDER BY o.ordinal, o.chunk),
    string_agg(coalesce(t.content, ''), ''::bytea ORDER BY o.ordinal, o.chunk)
FROM (
    SELECT collection_id, id AS document, 0 AS chunk, -1 AS ordinal FROM documents
    UNION ALL SELECT collection_id, document, id, ordinal FROM chunks
) AS o LEFT JOIN (
    SELECT collection_id, document, chunk, count(*)::int AS size,
        string_agg(int8send(term), ''::bytea ORDER BY term, code)
        || string_agg(code, ''::bytea ORDER BY term, code) AS content
    FROM ({_FIELD_TERMS}{_CHUNK_TERMS}) AS terms GROUP BY collection_id, document, chunk
) AS t ON t.collection_id = o.collection_id AND t.document = o.document AND t.chunk = o.chunk
GROUP BY o.collection_id, o.document;
DROP TABLE chunk_postings;
DROP TABLE document_postings;
"""  # noqa: S608 - our own constants
"""Rows for each occurrence of a term become a row for each document."""

_KEEP_RIGHTS = f"""
DO $$ DECLARE granted record; BEGIN
    FOR granted IN SELECT grantee, privilege_type FROM information_schema.role_table_grants
        WHERE table_schema = '{SCHEMA}' AND table_name = 'chunks' AND grantee <> current_user
    LOOP
        EXECUTE format('GRANT %s ON {{tables}} TO %s', granted.privilege_type,
            CASE granted.grantee WHEN 'PUBLIC' THEN 'PUBLIC' ELSE quote_ident(granted.grantee) END);
    END LOOP;
END $$;
"""  # noqa: S608 - our own constant
"""Whoever may read or write the table of chunks may do the same with new tables."""

MIGRATIONS: tuple[tuple[str, int], ...] = (
    (_COLLECTIONS + _DOCUMENTS + _CHUNKS + _TERMS + _LINKS + _VECTORS, 1),
    (
        _SEGMENTS
        + _MOVE_TERMS
        + _KEEP_RIGHTS.format(tables="document_terms, document_segments, deleted_documents, segments, posting_blocks"),
        2,
    ),
    (CREATE_POLICIES, 3),
)
"""For each version from 1 on: its statements, and the oldest version of the program that still reads the result."""
