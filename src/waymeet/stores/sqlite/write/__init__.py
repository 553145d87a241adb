"""Writing documents and edges to the tables."""
