"""Metadata of a document: front matter, type, relations, translations."""
