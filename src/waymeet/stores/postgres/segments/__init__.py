"""Segments of posting lists in tables, and the documents that are not in one yet."""
