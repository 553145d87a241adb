"""Writes of documents and edges."""
