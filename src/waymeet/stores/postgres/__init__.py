"""The store on a PostgreSQL server with pgvector."""

from waymeet.stores.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
