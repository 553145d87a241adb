"""A coordinator over several servers, with stock `postgres_fdw`, as in docs/scale.md."""

from collections.abc import Mapping

import psycopg
from psycopg.conninfo import conninfo_to_dict

TABLES = (
    *("documents", "chunks", "terms", "document_terms", "names", "link_keys", "edges", "vectors"),
    *("document_segments", "deleted_documents", "segments", "posting_blocks", "metadata", "spaces"),
)


def make_coordinator(coordinator: str, shards: Mapping[int, str]) -> None:
    """Make tables whose partitions are the collections of other servers, given by collection."""
    with psycopg.connect(coordinator, autocommit=True) as connection:

        def run(sql: str) -> None:
            connection.execute(sql.encode())

        run("CREATE EXTENSION vector; CREATE EXTENSION postgres_fdw; CREATE SCHEMA waymeet")
        run("SET search_path = waymeet, public")
        for number, dsn in shards.items():
            place = conninfo_to_dict(dsn)
            # The shard checks the collection again, by its row-level security.
            options = (
                f"host '{place['host']}', port '{place['port']}', dbname '{place['dbname']}', extensions 'vector',"
                f" options '-c waymeet.collection={number}'"
            )
            run(f"CREATE SERVER shard_{number} FOREIGN DATA WRAPPER postgres_fdw OPTIONS ({options})")
            run(f"CREATE USER MAPPING FOR CURRENT_USER SERVER shard_{number} OPTIONS (user '{place['user']}')")
            run(f"CREATE SCHEMA columns_{number}")
            run(f"IMPORT FOREIGN SCHEMA waymeet FROM SERVER shard_{number} INTO columns_{number}")
        first = min(shards)
        for table in (*TABLES, "collections"):
            key = "id" if table == "collections" else "collection_id"
            run(f"CREATE TABLE {table} (LIKE columns_{first}.{table}) PARTITION BY LIST ({key})")
            for number in shards:
                name = f"{table}_shard_{number}"
                run(
                    f"CREATE FOREIGN TABLE {name} PARTITION OF {table} FOR VALUES IN ({number})"
                    f" SERVER shard_{number} OPTIONS (schema_name 'waymeet', table_name '{table}')"
                )
        run(f"CREATE VIEW schema_versions AS TABLE columns_{first}.schema_versions")
