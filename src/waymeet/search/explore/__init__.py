"""Explore the link graph: related documents, broken links, suggestions."""
