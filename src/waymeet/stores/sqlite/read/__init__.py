"""Queries against an index."""
