"""Waymeet: where words, meaning and links meet. Local-first, graph-aware hybrid search for a project's knowledge."""

__version__ = "0.1.0"
