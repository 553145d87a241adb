"""Indexing of files: discover → read → parse → chunk → build → store, then embed."""

VERSION = 11
"""Part of an index's fingerprint: raise it when the same file would be decoded, parsed, chunked or linked otherwise."""
