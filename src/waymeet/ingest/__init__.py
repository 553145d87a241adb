"""The road of one file: walk → decode → parse → chunk → link → store; then embed."""

VERSION = 7
"""Part of an index's fingerprint: raise it when the same file would be decoded, parsed, cut or linked otherwise."""
