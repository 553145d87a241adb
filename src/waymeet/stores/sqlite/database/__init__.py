"""The SQLite file: schema, connections, rows, errors."""
