"""Segments: immutable arrays in memory-mapped files, derived from the truth and thrown away at will."""
