"""Embedding of sections that have no vector yet."""
