"""The first version of the tables on PostgreSQL, made from the current one: a row for each occurrence of a term."""

from collections import Counter

import psycopg

from waymeet.stores.postgres.database.schema import MIGRATIONS
from waymeet.stores.postgres.segments.term_rows import split_parts, unpack_hashes
from waymeet.types import FIELDS

_NEW_TABLES = "document_terms, document_segments, deleted_documents, segments, posting_blocks"


def restore_first_tables(dsn: str) -> None:
    """Turn the tables of a database into those of version 1 with the same content."""
    with psycopg.connect(dsn) as connection:
        connection.execute("SET search_path = waymeet, public")
        statements = MIGRATIONS[0][0].split(";\n")
        old = [text for text in statements if "document_postings" in text or "chunk_postings" in text]
        connection.execute(";\n".join(old).encode())
        for collection, document, chunks, sizes, content in connection.execute(
            "SELECT collection_id, document, chunks, sizes, content FROM document_terms"
        ).fetchall():
            own, *of_chunks = split_parts(sizes, content)
            for term, field, frequency in unpack_hashes(own):
                _insert(connection, "document_postings", collection, term, document, FIELDS.index(field), frequency)
            for chunk, part in zip(chunks, of_chunks, strict=True):
                by_term: dict[int, Counter[str]] = {}
                for term, field, frequency in unpack_hashes(part):
                    by_term.setdefault(term, Counter())[field] = frequency
                for term, fields in by_term.items():
                    numbers = (fields["headings"], 0, fields["body"], 0)
                    _insert(connection, "chunk_postings", term, collection, chunk, document, *numbers)
        inbound: Counter[tuple[int, int, int]] = Counter()
        for collection, target, terms, frequencies in connection.execute(
            "SELECT collection_id, target, terms, frequencies FROM edges WHERE target IS NOT NULL"
        ).fetchall():
            for term, frequency in zip(terms, frequencies, strict=True):
                inbound[collection, term, target] += frequency
        for key, frequency in inbound.items():
            _insert(connection, "document_postings", *key, FIELDS.index("inbound"), frequency)
        connection.execute(f"DROP TABLE {_NEW_TABLES}".encode())
        connection.execute("ALTER TABLE collections DROP registry_version, DROP last_segment")
        connection.execute("DELETE FROM schema_versions WHERE version > 1")


def _insert(connection: psycopg.Connection[tuple[object, ...]], table: str, *values: int) -> None:
    connection.execute(f"INSERT INTO {table} VALUES ({', '.join(['%s'] * len(values))})".encode(), values)  # noqa: S608
